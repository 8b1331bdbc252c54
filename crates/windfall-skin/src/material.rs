//! Surfaces: metallic-roughness materials of glTF 2.0 with their images.

/// An image of 8-bit red, green, blue and alpha, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height` pixels.
    pub pixels: Vec<[u8; 4]>,
}

/// A surface. Images are optional; factors multiply them.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Unique within a skin.
    pub name: String,
    /// Colour (sRGB) and alpha.
    pub base_color: Option<Image>,
    /// Tangent-space normal, x along u, y *up* in the image (glTF), as 0.5 + 0.5 n.
    pub normal: Option<Image>,
    /// Roughness in the green channel, metalness (zero) in blue, as glTF packs them.
    pub roughness: Option<Image>,
    /// Colour (sRGB) of light transmitted from behind; black where the surface is opaque.
    pub translucency: Option<Image>,
    /// Linear; multiplies `base_color` (and the tints of the mesh).
    pub base_color_factor: [f32; 3],
    /// Multiplies `roughness`.
    pub roughness_factor: f32,
    /// Alpha below which pixels are holes; none for an opaque surface.
    pub alpha_cutoff: Option<f32>,
    /// Visible from both sides.
    pub double_sided: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: None,
            normal: None,
            roughness: None,
            translucency: None,
            base_color_factor: [1.0; 3],
            roughness_factor: 1.0,
            alpha_cutoff: None,
            double_sided: false,
        }
    }
}
