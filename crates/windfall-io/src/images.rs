//! PNG encoding, and conversion of images for file formats.

use rayon::prelude::*;
use windfall_skin::Image;

/// A PNG file with all four channels.
pub(crate) fn rgba_png(image: &Image) -> Vec<u8> {
    encode(image, png::ColorType::Rgba, &[0, 1, 2, 3])
}

/// A PNG file with the fewest channels that represent the image without loss.
pub(crate) fn png(image: &Image) -> Vec<u8> {
    let grey = image.pixels.iter().all(|[r, g, b, _]| r == g && g == b);
    let opaque = image.pixels.iter().all(|p| p[3] == u8::MAX);
    let (color, channels): (_, &[usize]) = match (grey, opaque) {
        (true, true) => (png::ColorType::Grayscale, &[0]),
        (true, false) => (png::ColorType::GrayscaleAlpha, &[0, 3]),
        (false, true) => (png::ColorType::Rgb, &[0, 1, 2]),
        (false, false) => (png::ColorType::Rgba, &[0, 1, 2, 3]),
    };
    encode(image, color, channels)
}

fn encode(image: &Image, color: png::ColorType, channels: &[usize]) -> Vec<u8> {
    let mut samples = Vec::with_capacity(image.pixels.len() * channels.len());
    for pixel in &image.pixels {
        samples.extend(channels.iter().map(|&c| pixel[c]));
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, image.width, image.height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    // Within 5 % of the size of higher levels, in a third of their time.
    encoder.set_deflate_compression(png::DeflateCompression::Level(3));
    encoder.set_filter(png::Filter::Adaptive);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&samples))
        .expect("a checked image, written into memory");
    file
}

/// An image with every pixel changed.
pub(crate) fn map(image: &Image, change: impl Fn(&[u8; 4]) -> [u8; 4] + Sync + Send) -> Image {
    Image { width: image.width, height: image.height, pixels: image.pixels.par_iter().map(change).collect() }
}

/// Linear light of all sRGB values (IEC 61966-2-1).
pub(crate) fn linear_of_srgb() -> [f32; 256] {
    std::array::from_fn(|i| {
        let c = i as f32 / 255.0;
        if c <= 0.04045 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
    })
}

/// The sRGB value, 0 to 1, of linear light (IEC 61966-2-1).
pub(crate) fn srgb_of_linear(x: f32) -> f32 {
    if x <= 0.0031308 { 12.92 * x } else { 1.055 * libm::powf(x, 1.0 / 2.4) - 0.055 }
}

/// 0 to 1 as a byte.
pub(crate) fn byte(x: f32) -> u8 {
    (x.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Translucency for `KHR_materials_diffuse_transmission`: hue in the colours, linear strength in alpha.
///
/// A surface of this extension reflects `(1 - strength) * base colour` and transmits `strength * hue`.
/// With the smallest strength that yields the required product, the transmitted light is exact and the
/// change of the reflected light is minimal; without transmission it is zero. The strength is limited to
/// one half, so that white petals do not become dark on the sunlit side.
pub(crate) fn transmission(translucency: &Image) -> Image {
    let linear = linear_of_srgb();
    map(translucency, |&[r, g, b, _]| {
        let color = [r, g, b].map(|c| linear[usize::from(c)]);
        let strength = color[0].max(color[1]).max(color[2]);
        if strength == 0.0 {
            return [0; 4];
        }
        let [r, g, b] = color.map(|c| byte(srgb_of_linear(c / strength)));
        [r, g, b, byte(strength.min(0.5))]
    })
}

#[cfg(test)]
mod tests {
    use windfall_skin::Image;

    #[test]
    fn what_comes_through_is_hue_times_strength() {
        // sRGB 188 is 0.5028 linear, 137 is 0.2502, 99 is 0.1248 (IEC 61966-2-1), and half of
        // the light, less a little, is sRGB 187.
        let pixels = vec![[0, 0, 0, 255], [99, 137, 0, 255], [137, 188, 137, 255], [255, 255, 255, 0]];
        let hues = super::transmission(&Image { width: 4, height: 1, pixels }).pixels;
        assert_eq!(hues, [[0, 0, 0, 0], [187, 255, 0, 64], [187, 255, 187, 128], [255, 255, 255, 128]]);
    }

    #[test]
    fn srgb_there_and_back() {
        for (i, &linear) in super::linear_of_srgb().iter().enumerate() {
            assert_eq!(usize::from(super::byte(super::srgb_of_linear(linear))), i);
        }
    }
}
