//! What a picture shall be like.

use glam::Vec3;

use crate::error::PreviewError;

/// Most pixels in a row or column.
pub const MOST_SIDE: u32 = 16_384;
/// Most pixels of a picture.
pub const MOST_PIXELS: u64 = 1 << 27;

/// What is seen where there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// A sky with haze at the horizon, and ground if there is any.
    Sky,
    /// Nothing: pixels have the alpha of what covers them. No ground is drawn.
    Transparent,
    /// One colour, sRGB. No ground is drawn.
    Plain([u8; 3]),
}

/// How light becomes colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Bright light is rolled off as film does.
    Film,
    /// Radiance 1 is white; more is cut off. To measure light.
    Linear,
}

/// What a step of drawing is doing, for clocks and progress bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Checking the scene and measuring it.
    Check,
    /// Drawing what the sun sees.
    Shadows,
    /// Finding out how much sky is seen from where.
    Occlusion,
    /// Sorting triangles into tiles of the screen.
    Sort,
    /// Drawing the tiles.
    Shade,
    /// Done.
    Done,
}

/// What a picture shall be like. Angles in radians.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Pixels in a row, at most [`MOST_SIDE`].
    pub width: u32,
    /// Rows, at most [`MOST_SIDE`].
    pub height: u32,
    /// Samples along each side of a pixel: 1, 2 or 3.
    pub samples: u32,
    /// Where the sun stands: 0 is toward +z, a quarter turn is toward +x.
    pub sun_azimuth: f32,
    /// How high the sun stands above the horizon.
    pub sun_elevation: f32,
    /// Multiplies the light of the sun.
    pub sun_strength: f32,
    /// Multiplies the light of the sky, and what the ground throws back.
    pub sky_strength: f32,
    /// Multiplies all light before it becomes colour.
    pub exposure: f32,
    /// How light becomes colour.
    pub tone: Tone,
    /// What is seen where there is no tree.
    pub background: Background,
    /// How high the ground lies, m; none for no ground.
    pub ground: Option<f32>,
    /// Smallest and largest corner, m, of a box that the scene does not leave: light, shadows and ground are laid out for
    /// it. Give all frames of an animation the same, or shadows and grass swim with every motion. None for the scene's own.
    pub extent: Option<(Vec3, Vec3)>,
}

impl Default for Options {
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

impl Options {
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
