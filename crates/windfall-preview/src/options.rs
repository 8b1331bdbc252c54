//! Options of a picture.

use glam::Vec3;

use crate::error::PreviewError;

/// Maximum number of pixels in a row or column.
pub const MOST_SIDE: u32 = 16_384;
/// Maximum number of pixels of a picture.
pub const MOST_PIXELS: u64 = 1 << 27;

/// Background of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// A sky with haze at the horizon, and ground if there is any.
    Sky,
    /// Transparent: the alpha of pixels is their coverage. No ground is drawn.
    Transparent,
    /// One colour, sRGB. No ground is drawn.
    Plain([u8; 3]),
}

/// Tone mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// A film-like shoulder for bright light.
    Film,
    /// Radiance 1 is white; larger values are clipped. For measurements.
    Linear,
}

/// Steps of drawing, for timers and progress bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawPhase {
    /// Checking the scene and measuring it.
    Check,
    /// Rendering the shadow maps.
    Shadows,
    /// Computing the visibility of the sky.
    Occlusion,
    /// Sorting triangles into tiles of the screen.
    Sort,
    /// Drawing the tiles.
    Shade,
    /// Done.
    Done,
}

/// Options of a picture. Angles in radians.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewOptions {
    /// Pixels in a row, at most [`MOST_SIDE`].
    pub width: u32,
    /// Rows, at most [`MOST_SIDE`].
    pub height: u32,
    /// Samples along each side of a pixel: 1, 2 or 3.
    pub samples: u32,
    /// Azimuth of the sun: 0 is toward +z, pi / 2 toward +x.
    pub sun_azimuth: f32,
    /// Elevation of the sun above the horizon.
    pub sun_elevation: f32,
    /// Multiplies the light of the sun.
    pub sun_strength: f32,
    /// Multiplies the light of the sky and the light reflected by the ground.
    pub sky_strength: f32,
    /// Multiplies all light before tone mapping.
    pub exposure: f32,
    /// Tone mapping.
    pub tone: Tone,
    /// Background of a picture.
    pub background: Background,
    /// Height of the ground, m; `None` for no ground.
    pub ground: Option<f32>,
    /// Smallest and largest corner, m, of a bounding box for light, shadows and ground. Use the same box
    /// for all frames of an animation; otherwise shadows and grass shift with every motion. `None` for the
    /// bounds of the scene.
    pub extent: Option<(Vec3, Vec3)>,
}

impl Default for PreviewOptions {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            samples: 2,
            sun_azimuth: (-22f32).to_radians(),
            sun_elevation: 50f32.to_radians(),
            sun_strength: 1.0,
            sky_strength: 1.0,
            exposure: 1.0,
            tone: Tone::Film,
            background: Background::Sky,
            ground: Some(0.0),
            extent: None,
        }
    }
}

impl PreviewOptions {
    pub(crate) fn check(&self) -> Result<(), PreviewError> {
        check_size(self.width, self.height)?;
        if !(1..=3).contains(&self.samples) {
            let rule = "must be 1, 2 or 3 along each side of a pixel";
            return Err(PreviewError::Option { what: "samples", value: f64::from(self.samples), rule });
        }
        let finite = [
            ("the sun's azimuth", self.sun_azimuth),
            ("the sun's elevation", self.sun_elevation),
            ("the height of the ground", self.ground.unwrap_or(0.0)),
        ];
        for (what, value) in finite {
            if !(-1e6..=1e6).contains(&value) {
                return Err(PreviewError::Option {
                    what,
                    value: f64::from(value),
                    rule: "must be a number within a million",
                });
            }
        }
        let positive = [
            ("the sun's strength", self.sun_strength),
            ("the sky's strength", self.sky_strength),
            ("the exposure", self.exposure),
        ];
        for (what, value) in positive {
            if !(0.0..=1e4).contains(&value) {
                return Err(PreviewError::Option {
                    what,
                    value: f64::from(value),
                    rule: "must lie between 0 and 10000",
                });
            }
        }
        Ok(())
    }
}

pub(crate) fn check_size(width: u32, height: u32) -> Result<(), PreviewError> {
    let rule = if width == 0 || height == 0 {
        "it must have at least one"
    } else if width > MOST_SIDE || height > MOST_SIDE {
        "a side must have at most 16384"
    } else if u64::from(width) * u64::from(height) > MOST_PIXELS {
        "it must have at most 134 million"
    } else {
        return Ok(());
    };
    Err(PreviewError::Size { width, height, rule })
}
