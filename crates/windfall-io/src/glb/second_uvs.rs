//! GLB files with a second set of texture coordinates that refer to companion textures.

use glam::Vec2;
use serde_json::Value;
use windfall_core::Plant;
use windfall_skin::Skin;

use super::blob::Blob;
use super::document::{FLOAT, VERTICES};
use super::{Glb, SkinError};

/// Whether vertices keep their tints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tints {
    Keep,
    Drop,
}

impl<'a> Glb<'a> {
    /// A still tree with second texture coordinates, f32: a list for each part with triangles, tree after
    /// tree.
    pub(crate) fn with_second_uvs(
        plant: &'a Plant,
        skin: &'a Skin,
        uvs: &'a [Vec<Vec2>],
        tints: Tints,
    ) -> Result<Self, SkinError> {
        let mut uvs = uvs.iter();
        Self::lay_out(plant, skin, |document, mesh, material| {
            let mut primitive = match tints {
                Tints::Keep => document.primitive(mesh, material),
                Tints::Drop => document.untinted_primitive(mesh, material),
            };
            if let Some(uvs) = uvs.next() {
                primitive["attributes"]["TEXCOORD_1"] =
                    document.accessor(Blob::Uvs(uvs), Some(VERTICES), uvs.len(), "VEC2", FLOAT, Value::Null).into();
            }
            primitive
        })
    }
}
