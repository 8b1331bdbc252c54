//! A material prepared for drawing.

use glam::Vec3;
use rayon::prelude::*;
use windfall_skin::{Image, Material};

use crate::error::PreviewError;
use crate::texture::{Content, Holes, Mips};

/// A material prepared for drawing, with mip maps of its images. Create it once and draw many pictures
/// with it.
#[derive(Debug, Clone)]
pub struct PictureSurface {
    pub(crate) color: Option<Mips>,
    pub(crate) normal: Option<Mips>,
    pub(crate) roughness: Option<Mips>,
    pub(crate) translucency: Option<Mips>,
    pub(crate) holes: Option<Holes>,
    pub(crate) color_factor: Vec3,
    pub(crate) roughness_factor: f32,
    pub(crate) double_sided: bool,
}

impl PictureSurface {
    /// Fails if the number of pixels of an image does not match its size.
    pub fn new(material: &Material) -> Result<Self, PreviewError> {
        let cutoff = material.alpha_cutoff;
        let mips = |image: &Option<Image>, what, content, holes| {
            let Some(image) = image else { return Ok(None) };
            let asked = image.width as usize * image.height as usize;
            if asked == 0 || image.pixels.len() != asked {
                return Err(PreviewError::Image {
                    material: material.name.clone(),
                    image: what,
                    width: image.width,
                    height: image.height,
                    pixels: image.pixels.len(),
                });
            }
            Ok(Some(Mips::new(image, content, holes)))
        };
        Ok(Self {
            color: mips(&material.base_color, "base colour", Content::Color, cutoff.is_some())?,
            normal: mips(&material.normal, "normal", Content::Normals, false)?,
            roughness: mips(&material.roughness, "roughness", Content::Numbers, false)?,
            translucency: mips(&material.translucency, "translucency", Content::Color, false)?,
            holes: cutoff.zip(material.base_color.as_ref()).map(|(cutoff, image)| Holes::new(image, cutoff)),
            color_factor: Vec3::from(material.base_color_factor),
            roughness_factor: material.roughness_factor,
            double_sided: material.double_sided,
        })
    }

    /// All materials of a skin, in their order.
    pub fn all(materials: &[Material]) -> Result<Vec<Self>, PreviewError> {
        materials.par_iter().map(Self::new).collect()
    }

    /// Effective area of a triangle for diffuse light, relative to a leaf without holes. A thin closed
    /// body would count one half, because only half of its surface faces each direction; but trunks are
    /// opaque, and the contribution of twigs is small beside that of leaves.
    pub(crate) fn stopping_share(&self) -> f32 {
        let sides = if self.double_sided { 1.0 } else { 1.5 };
        sides * self.holes.as_ref().map_or(1.0, Holes::mean_cover)
    }
}
