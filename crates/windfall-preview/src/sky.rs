//! Daylight: sun, sky and haze.

use glam::{Vec2, Vec3};

use crate::horizon;
use crate::noise::{smoothstep, value};
use crate::options::PreviewOptions;
use crate::tone::color;

/// Colours and directions of all light, linear.
pub(crate) struct Daylight {
    /// Toward the sun.
    pub sun: Vec3,
    /// Irradiance of a surface that faces the sun, over pi: multiplied by albedo it is radiance.
    pub sun_color: Vec3,
    /// The same for the whole open sky.
    pub sky_color: Vec3,
    /// The same for sunlit ground, on a surface facing down.
    pub ground_color: Vec3,
}

impl Daylight {
    pub fn new(options: &PreviewOptions) -> Self {
        let sun = crate::camera::direction(options.sun_azimuth, options.sun_elevation);
        // A low sun is dimmer and redder, because its path through the air is longer.
        let low = 1.0 - smoothstep(0.0, 0.5, sun.y);
        let warm = Vec3::new(1.0, 0.93, 0.80).lerp(Vec3::new(1.0, 0.66, 0.38), low);
        let sun_color = warm * (2.75 * options.sun_strength * smoothstep(-0.1, 0.12, sun.y));
        let sky_color = Vec3::new(0.70, 0.82, 1.0) * (1.15 * options.sky_strength);
        let ground_color = Vec3::new(0.50, 0.47, 0.34) * (0.55 * options.sky_strength);
        Self { sun, sun_color, sky_color, ground_color }
    }

    /// Background in this direction (a unit vector) for a pixel of `pixel` radians: display colour instead
    /// of radiance, so that the background is independent of the exposure.
    pub fn background(&self, direction: Vec3, pixel: f32) -> Vec3 {
        let up = direction.y.max(0.0);
        let zenith = color(0x55_87_c0);
        let middle = color(0xa9_c8_e6);
        let low = color(0xe4_ea_ec);
        let mut sky = low.lerp(middle, smoothstep(-0.04, 0.24, up)).lerp(zenith, smoothstep(0.1, 0.85, up));
        let clouds = clouds(direction);
        if clouds > 0.0 {
            sky = sky.lerp(color(0xf4_f5_f5), clouds);
        }
        let glow = direction.dot(self.sun).max(0.0).powi(6) * 0.14;
        let sky = sky.lerp(Vec3::new(1.0, 0.97, 0.90), glow);
        horizon::before(sky, direction, pixel)
    }
}

/// Density of thin high cloud in a direction, 0 to 1: on a flat layer, so that it is finer toward the
/// horizon, where haze hides it.
fn clouds(direction: Vec3) -> f32 {
    let above = smoothstep(0.03, 0.25, direction.y);
    if above <= 0.0 {
        return 0.0;
    }
    let place = Vec2::new(direction.x, direction.z) / (direction.y + 0.12);
    // Elongated along the wind.
    let drawn = Vec2::from_angle(0.5).rotate(place) * Vec2::new(0.9, 2.1) + 3.7;
    let thick = 0.55 * value(drawn) + 0.28 * value(drawn * 2.3 + 9.0) + 0.17 * value(drawn * 5.1 + 5.0);
    0.55 * above * smoothstep(0.42, 0.85, thick)
}
