//! Tone mapping and colour conversion.

use std::sync::LazyLock;

use glam::Vec3;

use crate::options::Tone;

/// The transfer function of sRGB (IEC 61966-2-1).
pub(crate) fn linear_to_srgb(x: f32) -> f32 {
    if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// 255 times [`linear_to_srgb`] from a table; clamps.
pub(crate) fn srgb_byte(x: f32) -> f32 {
    const STEPS: usize = 4096;
    static TABLE: LazyLock<Vec<f32>> =
        LazyLock::new(|| (0..=STEPS + 1).map(|i| 255.0 * linear_to_srgb(i as f32 / STEPS as f32)).collect());
    let place = x.clamp(0.0, 1.0) * STEPS as f32;
    let (i, t) = (place as usize, place - (place as usize) as f32);
    (TABLE[i] + (TABLE[i + 1] - TABLE[i]) * t).min(255.0)
}

pub(crate) fn srgb_to_linear(x: f32) -> f32 {
    if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// A colour given as 0xRRGGBB, linear.
pub(crate) fn color(hex: u32) -> Vec3 {
    let part = |shift: u32| srgb_to_linear(((hex >> shift) & 255) as f32 / 255.0);
    Vec3::new(part(16), part(8), part(0))
}

impl Tone {
    /// Radiance to a linear colour within 0 to 1.
    ///
    /// Film: nearly linear for dark tones, with a long shoulder; applied per channel, so that strong light
    /// loses saturation as on film.
    pub(crate) fn map(self, light: Vec3) -> Vec3 {
        let light = light.max(Vec3::ZERO);
        match self {
            Self::Film => {
                let x = light * 0.92;
                (x * (1.0 + x * 0.12) / (1.0 + x * 0.62)).min(Vec3::ONE)
            }
            Self::Linear => light.min(Vec3::ONE),
        }
    }
}
