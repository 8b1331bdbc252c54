//! Readable JSON: branches with their segments inside, then leaves and fruit, which refer to their
//! segments by number, counted over all branches.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use windfall_core::parts::{Branch, Fruit, Leaf, PlantParts, Segment, Tree};
use windfall_core::{FruitMaterial, LeafMaterial, Plant};

use crate::ReadError;
use crate::wood::{StoredWood, woods};

const FORMAT: &str = "windfall-plant";
const VERSION: u32 = 3;

/// Read first, so that a file of a later version yields a clear error instead of one about its fields.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(rename = "format")]
    _format: String,
    version: u32,
    name: String,
    provenance: String,
    trees: Vec<Tree>,
    wood_materials: Vec<StoredWood>,
    leaf_materials: Vec<LeafMaterial>,
    fruit_materials: Vec<FruitMaterial>,
    branches: Vec<BranchWithSegments>,
    leaves: Vec<Leaf>,
    fruit: Vec<Fruit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BranchWithSegments {
    parent: Option<u32>,
    tree: u32,
    order: u16,
    material: u16,
    segments: Vec<Segment>,
}

/// Reads a plant.
pub fn read(bytes: &[u8]) -> Result<Plant, ReadError> {
    let head: Head = serde_json::from_slice(bytes)?;
    if head.format.as_deref() != Some(FORMAT) {
        return Err(ReadError::Damaged(format!("the field `format` must be \"{FORMAT}\"")));
    }
    match head.version {
        Some(found) if found > VERSION => return Err(ReadError::Version { found, known: VERSION }),
        Some(1..) => {}
        Some(0) | None => return Err(ReadError::Damaged("the field `version` is missing or zero".to_owned())),
    }
    let document: Document = serde_json::from_slice(bytes)?;
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
        name: document.name,
        provenance: document.provenance,
        trees: document.trees,
        branches,
        segments,
        leaves: document.leaves,
        fruit: document.fruit,
        wood_materials: woods(document.wood_materials, document.version)?,
        leaf_materials: document.leaf_materials,
        fruit_materials: document.fruit_materials,
    })?)
}

/// Writes a plant, one record per line.
pub fn write(plant: &Plant, out: &mut dyn Write) -> io::Result<()> {
    let parts = plant.parts();
    writeln!(out, "{{")?;
    writeln!(out, "  \"format\": {},", serde_json::to_string(FORMAT)?)?;
    writeln!(out, "  \"version\": {VERSION},")?;
    writeln!(out, "  \"name\": {},", serde_json::to_string(&parts.name)?)?;
    writeln!(out, "  \"provenance\": {},", serde_json::to_string(&parts.provenance)?)?;
    list(out, "trees", &parts.trees)?;
    list(out, "wood_materials", &parts.wood_materials)?;
    list(out, "leaf_materials", &parts.leaf_materials)?;
    list(out, "fruit_materials", &parts.fruit_materials)?;
    branches(out, plant)?;
    list(out, "leaves", &parts.leaves)?;
    write!(out, "  \"fruit\": ")?;
    records(out, "    ", &parts.fruit)?;
    writeln!(out, "\n}}")
}

fn list(out: &mut dyn Write, name: &str, items: &[impl Serialize]) -> io::Result<()> {
    write!(out, "  \"{name}\": ")?;
    records(out, "    ", items)?;
    writeln!(out, ",")
}

/// A JSON array with one item per line.
fn records(out: &mut dyn Write, indent: &str, items: &[impl Serialize]) -> io::Result<()> {
    write!(out, "[")?;
    for (i, item) in items.iter().enumerate() {
        write!(out, "{}\n{indent}", if i == 0 { "" } else { "," })?;
        serde_json::to_writer(&mut *out, item)?;
    }
    if !items.is_empty() {
        write!(out, "\n{}", &indent[2..])?;
    }
    write!(out, "]")
}

fn branches(out: &mut dyn Write, plant: &Plant) -> io::Result<()> {
    write!(out, "  \"branches\": [")?;
    for (i, branch) in plant.branches().iter().enumerate() {
        let Branch { parent, tree, order, material, .. } = *branch;
        let parent = parent.map_or_else(|| "null".to_owned(), |p| p.to_string());
        write!(out, "{}\n    {{", if i == 0 { "" } else { "," })?;
        write!(out, "\"parent\":{parent},\"tree\":{tree},\"order\":{order},\"material\":{material},\"segments\":")?;
        records(out, "      ", &plant.segments()[plant.branch_segments(i)])?;
        write!(out, "}}")?;
    }
    writeln!(out, "\n  ],")
}
