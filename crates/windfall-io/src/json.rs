//! Readable JSON: branches with their segments inside, then leaves and fruit, which name the segments they grow on by
//! number, counted over all branches.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use windfall_core::parts::{Branch, Fruit, Leaf, PlantParts, Segment, Tree};
use windfall_core::{FruitMaterial, LeafMaterial, Plant, WoodMaterial};

use crate::ReadError;

const FORMAT: &str = "windfall-plant";
const VERSION: u32 = 1;

/// Read first, so that a file of a later version gives a clear error and not one about its fields.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    format: Cow<'a, str>,
    version: u32,
    name: Cow<'a, str>,
    provenance: Cow<'a, str>,
    trees: Cow<'a, [Tree]>,
    wood_materials: Cow<'a, [WoodMaterial]>,
    leaf_materials: Cow<'a, [LeafMaterial]>,
    fruit_materials: Cow<'a, [FruitMaterial]>,
    branches: Vec<BranchWithSegments<'a>>,
    leaves: Cow<'a, [Leaf]>,
    fruit: Cow<'a, [Fruit]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BranchWithSegments<'a> {
    parent: Option<u32>,
    tree: u32,
    order: u16,
    material: u16,
    segments: Cow<'a, [Segment]>,
}

/// Reads a plant.
pub fn read(bytes: &[u8]) -> Result<Plant, ReadError> {
    let head: Head = serde_json::from_slice(bytes)?;
    if head.format.as_deref() != Some(FORMAT) {
        return Err(ReadError::Damaged(format!("the field `format` must be \"{FORMAT}\"")));
    }
    match head.version {
        Some(found) if found > VERSION => return Err(ReadError::Version { found, known: VERSION }),
        Some(_) => {}
        None => return Err(ReadError::Damaged("the field `version` is missing".to_owned())),
    }
    let document: Document<'_> = serde_json::from_slice(bytes)?;
    let mut branches = Vec::with_capacity(document.branches.len());
    let mut segments = Vec::new();
    for branch in document.branches {
        branches.push(Branch {
            parent: branch.parent,
            tree: branch.tree,
            segment_count: branch.segments.len() as u32,
            material: branch.material,
            order: branch.order,
        });
        segments.extend_from_slice(&branch.segments);
    }
    Ok(Plant::new(PlantParts {
        name: document.name.into_owned(),
        provenance: document.provenance.into_owned(),
        trees: document.trees.into_owned(),
        branches,
        segments,
        leaves: document.leaves.into_owned(),
        fruit: document.fruit.into_owned(),
        wood_materials: document.wood_materials.into_owned(),
        leaf_materials: document.leaf_materials.into_owned(),
        fruit_materials: document.fruit_materials.into_owned(),
    })?)
}

/// Writes a plant.
pub fn write(plant: &Plant, out: &mut dyn Write) -> io::Result<()> {
    let parts = plant.parts();
    let branches = parts.branches.iter().enumerate().map(|(i, branch)| BranchWithSegments {
        parent: branch.parent,
        tree: branch.tree,
        order: branch.order,
        material: branch.material,
        segments: Cow::Borrowed(&parts.segments[plant.branch_segments(i)]),
    });
    let document = Document {
        format: Cow::Borrowed(FORMAT),
        version: VERSION,
        name: Cow::Borrowed(&parts.name),
        provenance: Cow::Borrowed(&parts.provenance),
        trees: Cow::Borrowed(&parts.trees),
        wood_materials: Cow::Borrowed(&parts.wood_materials),
        leaf_materials: Cow::Borrowed(&parts.leaf_materials),
        fruit_materials: Cow::Borrowed(&parts.fruit_materials),
        branches: branches.collect(),
        leaves: Cow::Borrowed(&parts.leaves),
        fruit: Cow::Borrowed(&parts.fruit),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}
