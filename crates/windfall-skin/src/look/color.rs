//! Colours as in look files: `"#8a7f70"`, sRGB.

use serde::{Deserialize, Serialize};

/// A colour, sRGB, 8 bits each of red, green and blue. In files `"#rrggbb"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Color(pub [u8; 3]);

impl TryFrom<String> for Color {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("color {text:?}: must be # and six hexadecimal digits, like \"#8a7f70\"");
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()));
        let value = u32::from_str_radix(digits.ok_or_else(wrong)?, 16).map_err(|_| wrong())?;
        let [_, red, green, blue] = value.to_be_bytes();
        Ok(Self([red, green, blue]))
    }
}

impl From<Color> for String {
    fn from(Color([red, green, blue]): Color) -> Self {
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

/// A colour in a mixture: sRGB values from 0 to 1. Paint is mixed in sRGB, which is nearly perceptually
/// uniform.
pub(super) type Rgb = [f32; 3];

impl Color {
    pub(super) fn rgb(self) -> Rgb {
        self.0.map(|c| f32::from(c) / 255.0)
    }
}

/// Linear blend: `a` at `t` = 0, `b` at `t` = 1.
pub(super) fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    let t = t.clamp(0.0, 1.0);
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t)
}

/// Lighter or darker.
pub(super) fn scale(a: Rgb, factor: f32) -> Rgb {
    a.map(|c| c * factor)
}

/// A value from 0 to 1 as a byte.
pub(super) fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// An opaque pixel.
pub(super) fn pixel(rgb: Rgb) -> [u8; 4] {
    [byte(rgb[0]), byte(rgb[1]), byte(rgb[2]), 255]
}
