//! The light of day: sun, sky and haze.

use glam::Vec3;

use crate::noise::smoothstep;
use crate::options::Options;
use crate::tone::color;

/// Colours and directions of all light, linear.
pub(crate) struct Daylight {
    /// Toward the sun.
    pub sun: Vec3,
    /// Irradiance of a surface that faces the sun, over pi: multiplied by albedo it is radiance.
    pub sun_color: Vec3,
    /// The same of the whole open sky.
    pub sky_color: Vec3,
    /// The same of sunlit ground, seen from below.
    pub ground_color: Vec3,
}

impl Daylight {
    pub fn new(options: &Options) -> Self {
        let sun = crate::camera::direction(options.sun_azimuth, options.sun_elevation);
        // A low sun is dimmer and redder: more air in between.
        let low = 1.0 - smoothstep(0.0, 0.5, sun.y);
        let warm = Vec3::new(1.0, 0.93, 0.80).lerp(Vec3::new(1.0, 0.66, 0.38), low);
        let sun_color = warm * (2.75 * options.sun_strength * smoothstep(-0.1, 0.12, sun.y));
        let sky_color = Vec3::new(0.70, 0.82, 1.0) * (1.15 * options.sky_strength);
        let ground_color = Vec3::new(0.50, 0.47, 0.34) * (0.55 * options.sky_strength);
        Self { sun, sun_color, sky_color, ground_color }
    }

    /// What is seen in the open in this direction (a unit vector): display colour, not light, so that the background stays the
    /// same whatever the exposure.
    pub fn background(&self, direction: Vec3) -> Vec3 {
        let up = direction.y.max(0.0);
        let zenith = color(0x5f_93_cb);
        let middle = color(0xb2_cf_ea);
        let haze = Self::haze();
        let sky = haze.lerp(middle, smoothstep(-0.06, 0.2, up)).lerp(zenith, smoothstep(0.1, 0.8, up));
        let glow = direction.dot(self.sun).max(0.0).powi(6) * 0.12;
        sky.lerp(Vec3::new(1.0, 0.97, 0.90), glow)
    }

    /// The colour of the horizon.
    pub fn haze() -> Vec3 {
        color(0xee_f2_f2)
    }
}
