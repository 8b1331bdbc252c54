//! The scene to draw.

use glam::Vec3;
use rayon::prelude::*;
use windfall_skin::{Mesh, Skin};

use crate::error::PreviewError;
use crate::surface::PictureSurface;

/// Vertices farther than this from the origin of the scene, m, are not drawn.
pub(crate) const FARTHEST: f32 = 1e6;

/// The content of a picture.
#[derive(Debug, Clone, Default)]
pub struct PictureScene<'a> {
    /// In any order.
    pub items: Vec<Item<'a>>,
}

/// A mesh with its position and surface.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    /// Its triangles. Lists of texture coordinates and tints may be empty.
    pub mesh: &'a Mesh,
    /// Its surface.
    pub surface: &'a PictureSurface,
    /// Positions of the vertices, m, instead of those of the mesh: a deformed tree.
    pub positions: Option<&'a [Vec3]>,
    /// Normals of the vertices instead of those of the mesh.
    pub normals: Option<&'a [Vec3]>,
    /// Added to all positions, m: the origin of the tree relative to the origin of the scene.
    pub offset: Vec3,
    /// Whether it is rooted in the ground at the origin of its mesh, like a trunk: soil is bare around it.
    /// False for lying or falling objects.
    pub stands: bool,
}

impl<'a> Item<'a> {
    /// A mesh at rest at the origin of the scene.
    pub fn new(mesh: &'a Mesh, surface: &'a PictureSurface) -> Self {
        Self { mesh, surface, positions: None, normals: None, offset: Vec3::ZERO, stands: true }
    }

    pub(crate) fn positions(&self) -> &'a [Vec3] {
        self.positions.unwrap_or(&self.mesh.positions)
    }

    pub(crate) fn normals(&self) -> &'a [Vec3] {
        self.normals.unwrap_or(&self.mesh.normals)
    }

    /// The corners of a triangle, m in the scene.
    pub(crate) fn corners(&self, triangle: u32) -> [Vec3; 3] {
        let positions = self.positions();
        self.mesh.triangles[triangle as usize].map(|v| positions[v as usize] + self.offset)
    }

    fn check(&self) -> Result<(), String> {
        let n = self.positions().len();
        let lists = [
            ("normals", self.normals().len(), false),
            ("texture coordinates", self.mesh.uvs.len(), true),
            ("tints", self.mesh.tints.len(), true),
        ];
        for (what, len, may_be_empty) in lists {
            if len != n && !(may_be_empty && len == 0) {
                return Err(format!("{n} positions but {len} {what}"));
            }
        }
        let bad = self.mesh.triangles.par_iter().find_first(|t| t.iter().any(|&v| v as usize >= n));
        bad.map_or(Ok(()), |t| Err(format!("triangle {t:?} of {n} vertices")))
    }
}

impl<'a> PictureScene<'a> {
    /// All parts of a skin at rest. `surfaces` are those of its materials ([`PictureSurface::all`]),
    /// `offsets` the origins of its trees relative to the origin of the scene, m; missing ones are zero.
    ///
    /// # Panics
    /// If a part refers to a material that has no surface.
    pub fn of_skin(skin: &'a Skin, surfaces: &'a [PictureSurface], offsets: &[Vec3]) -> Self {
        let mut items = Vec::new();
        for (i, tree) in skin.trees.iter().enumerate() {
            let offset = offsets.get(i).copied().unwrap_or(Vec3::ZERO);
            items.extend(tree.parts.iter().map(|p| Item { offset, ..Item::new(&p.mesh, &surfaces[p.material]) }));
        }
        Self { items }
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.items.iter().map(|item| item.mesh.triangles.len()).sum()
    }

    /// Positions of all vertices, m, for the framing of a camera.
    pub fn points(&self) -> impl Iterator<Item = Vec3> + Clone + '_ {
        self.items.iter().flat_map(|item| item.positions().iter().map(|&p| p + item.offset)).filter(|&p| is_near(p))
    }

    /// Smallest and largest corner of the bounding box, m; `None` if the scene is empty.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let nothing = || (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let join = |a: (Vec3, Vec3), b: (Vec3, Vec3)| (a.0.min(b.0), a.1.max(b.1));
        let (low, high) = self.items.iter().fold(nothing(), |all, item| {
            let points = item.positions().par_iter().map(|&p| p + item.offset).filter(|&p| is_near(p));
            join(all, points.fold(nothing, |b, p| (b.0.min(p), b.1.max(p))).reduce(nothing, join))
        });
        low.is_finite().then_some((low, high))
    }

    /// The bounding box of this frame, united with the extent of other frames, m.
    pub(crate) fn bounds_with(&self, extent: Option<(Vec3, Vec3)>) -> Option<(Vec3, Vec3)> {
        let bounds = self.bounds();
        let Some((low, high)) = extent.filter(|(low, high)| is_near(*low) && is_near(*high)) else { return bounds };
        let (a, b) = bounds.unwrap_or((low, low));
        Some((a.min(low).min(high), b.max(low).max(high)))
    }

    pub(crate) fn check(&self) -> Result<(), PreviewError> {
        for (item, it) in self.items.iter().enumerate() {
            it.check().map_err(|problem| PreviewError::Item { item, problem })?;
        }
        if self.triangle_count() >= u32::MAX as usize {
            let problem = "the scene has more than 4 billion triangles".to_owned();
            return Err(PreviewError::Item { item: self.items.len() - 1, problem });
        }
        Ok(())
    }
}

/// Whether a point is finite and within the useful range of f32.
pub(crate) fn is_near(p: Vec3) -> bool {
    p.abs().max_element() <= FARTHEST && p.is_finite()
}
