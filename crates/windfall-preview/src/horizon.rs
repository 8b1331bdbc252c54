//! Distant hills and the edge of a wood in the haze, as a visual scale.

use glam::{Vec2, Vec3};

use crate::noise::{smoothstep, value};
use crate::tone::color;

/// Upper limit of the scenery, as the sine of its elevation.
const HIGHEST: f32 = 0.05;

/// Colour of the mist at the foot of the wood, into which the ground fades.
pub(crate) fn mist() -> Vec3 {
    color(0xbc_ca_c8)
}

/// Composites hills and wood over the colour of the sky in a direction (a unit vector); a pixel subtends
/// `pixel` radians.
pub(crate) fn before(sky: Vec3, direction: Vec3, pixel: f32) -> Vec3 {
    let up = direction.y;
    if up > HIGHEST + pixel {
        return sky;
    }
    let around = Vec2::new(direction.x, direction.z).normalize_or(Vec2::X);
    let hidden = |top: f32| smoothstep(0.6, -0.6, (up - top) / (pixel + 2e-4));
    let hills = 0.012 + 0.026 * value(around * 3.0 + 7.0) + 0.007 * value(around * 9.0 + 3.0);
    let far = sky.lerp(color(0xc2_d0_d8), 0.75 * hidden(hills));
    // Outline of the crowns: finer toward their tops, but not finer than a pixel.
    let fine = 1.0 - smoothstep(0.3, 1.0, pixel * 260.0);
    let crowns = 0.5 * value(around * 70.0) + 0.3 * value(around * 150.0 + 2.0) + 0.2 * fine * value(around * 420.0);
    let wood = 0.004 + 0.010 * value(around * 6.0 + 1.0) + 0.006 * crowns;
    // Mist at the foot of the wood.
    let dim = mist().lerp(color(0x9c_b0_ad), smoothstep(0.0, 1.0, up / wood));
    far.lerp(dim, hidden(wood))
}
