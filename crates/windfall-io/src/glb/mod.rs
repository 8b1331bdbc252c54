//! GLB: glTF 2.0 in one file, with embedded images. Readable by all common viewers, engines and modellers.
//!
//! - One node per tree, at its origin, and one mesh with one primitive per part: all leaves of a kind are
//!   one draw call.
//! - Vertices are relative to the origin of their tree, so their precision does not depend on the tree's
//!   position. The origin itself is in the JSON with all digits of an f64; a reader that stores it in f32
//!   displaces the tree as a whole by up to 0.03 mm at 1 km, without relative displacements.
//! - Texture coordinates are floats, since not every program supports other types; indices are 16-bit if
//!   they fit.
//! - Light transmitted through leaves is described by the optional extension
//!   `KHR_materials_diffuse_transmission`; no extension is required.
//! - Moving trees are written by [`animated`]; texture-animated trees by [`crate::vat`] and
//!   [`crate::pivots`].
//! - Parts without triangles and materials without parts are omitted.

pub mod animated;
mod blob;
mod document;
mod head;
pub(crate) mod second_uvs;
mod still;

use std::io::{self, Write};

use serde_json::Value;
use windfall_core::Plant;
use windfall_skin::{Mesh, Skin};

use crate::skin_check::{self, SkinError};
use blob::Blob;
use document::Document;
pub use head::Head;
pub(crate) use still::drawn_parts;

/// A GLB file ready to be written: the skin is checked, images are compressed, the size is known. Vertices
/// are not copied before writing.
pub struct Glb<'a> {
    json: Vec<u8>,
    blobs: Vec<Blob<'a>>,
    blob_bytes: u64,
}

impl<'a> Glb<'a> {
    /// Checks a skin of this plant and lays out its file.
    pub fn new(plant: &'a Plant, skin: &'a Skin) -> Result<Self, SkinError> {
        Self::lay_out(plant, skin, Document::primitive)
    }

    /// Checks a skin and lays out its file; `primitive` adds the mesh of a part with its material.
    fn lay_out(
        plant: &'a Plant,
        skin: &'a Skin,
        primitive: impl FnMut(&mut Document<'a>, &'a Mesh, usize) -> Value,
    ) -> Result<Self, SkinError> {
        skin_check::check(plant, skin)?;
        let mut document = Document::default();
        let root = still::describe(&mut document, plant, skin, primitive);
        let json = document.finish(root, 0);
        let glb = Self { json, blobs: document.blobs, blob_bytes: document.bytes };
        check_size(glb.bytes())?;
        Ok(glb)
    }

    fn head(&self) -> Head<'_> {
        Head { json: &self.json, binary: self.blob_bytes, others: 0 }
    }

    /// Size of the file.
    pub fn bytes(&self) -> u64 {
        self.head().file_bytes()
    }

    /// Writes the file.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.head().write(out)?;
        self.blobs.iter().try_for_each(|blob| blob.write(out))
    }
}

/// Lengths are u32 in a GLB.
fn check_size(bytes: u64) -> Result<(), SkinError> {
    if bytes > u64::from(u32::MAX) { Err(SkinError::TooLarge { bytes }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_size_that_a_glb_can_hold() {
        super::check_size(u64::from(u32::MAX)).unwrap();
        let error = super::check_size(5_300_000_000).unwrap_err().to_string();
        assert!(error.contains("5.30 GB") && error.contains("less detail"), "{error}");
    }
}
