//! The compact binary format, little-endian throughout.
//!
//! ```text
//! header    8 bytes  WINDFALL
//!           u32      version (3; 2 has no breaking_strain,
//!                             1 has poisson_ratio in the place of shear_modulus)
//!           u32      number of sections
//!           u64      length of the file
//! table     per section: 4 bytes tag, u32 CRC-32 of its bytes, u64 offset, u64 length
//!           u32      CRC-32 of header and table
//! sections  META     JSON: name, provenance, trees, materials
//!           BRCH     16 bytes a branch:  parent (2^32 - 1: none), tree, segment count: u32;
//!                                        material, order: u16
//!           SEGM     40 bytes a segment: position 3, orientation 4, length, base radius, tip radius: f32
//!           LEAF     50 bytes a leaf:    parent u32; position 3, orientation 4, width, length,
//!                                        petiole length, petiole radius: f32; material u16
//!           FRUT     46 bytes a fruit:   parent u32; position 3, orientation 4, radius, stalk length,
//!                                        stalk radius: f32; material u16
//! ```
//!
//! The memory of a reader is bounded by the file plus the plant: every length is checked against the file
//! before allocation.

use std::io::{self, Write};

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use windfall_core::parts::{Branch, Fruit, Leaf, PlantParts, Segment, Tree};
use windfall_core::{FruitMaterial, LeafMaterial, Plant};

use crate::ReadError;
use crate::wood::{StoredWood, woods};

/// First bytes of a binary plant file.
pub const MAGIC: &[u8] = b"WINDFALL";
const VERSION: u32 = 3;
const HEADER: usize = 24;
const ENTRY: usize = 24;
const TAGS: [&[u8; 4]; 5] = [b"META", b"BRCH", b"SEGM", b"LEAF", b"FRUT"];
const NO_PARENT: u32 = u32::MAX;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta<Wood> {
    name: String,
    provenance: String,
    trees: Vec<Tree>,
    wood_materials: Vec<Wood>,
    leaf_materials: Vec<LeafMaterial>,
    fruit_materials: Vec<FruitMaterial>,
}

/// A record of fixed size.
trait Record: Sized {
    const SIZE: usize;
    fn put(&self, out: &mut Vec<u8>);
    fn get(fields: &mut Fields<'_>) -> Self;
}

/// Sequential reader of a record's fields. The caller has checked the length.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, rest) = self.0.split_first_chunk::<N>().expect("a record's fields add up to its size");
        self.0 = rest;
        *head
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }

    fn position(&mut self) -> Vec3 {
        Vec3::new(self.f32(), self.f32(), self.f32())
    }

    fn orientation(&mut self) -> Quat {
        Quat::from_xyzw(self.f32(), self.f32(), self.f32(), self.f32())
    }
}

fn put_floats(out: &mut Vec<u8>, values: &[f32]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

fn put_place(out: &mut Vec<u8>, position: Vec3, orientation: Quat) {
    put_floats(out, &position.to_array());
    put_floats(out, &orientation.to_array());
}

impl Record for Branch {
    const SIZE: usize = 16;

    fn put(&self, out: &mut Vec<u8>) {
        for value in [self.parent.unwrap_or(NO_PARENT), self.tree, self.segment_count] {
            out.extend_from_slice(&value.to_le_bytes());
        }
        out.extend_from_slice(&self.material.to_le_bytes());
        out.extend_from_slice(&self.order.to_le_bytes());
    }

    fn get(f: &mut Fields<'_>) -> Self {
        Self {
            parent: Some(f.u32()).filter(|&p| p != NO_PARENT),
            tree: f.u32(),
            segment_count: f.u32(),
            material: f.u16(),
            order: f.u16(),
        }
    }
}

impl Record for Segment {
    const SIZE: usize = 40;

    fn put(&self, out: &mut Vec<u8>) {
        put_place(out, self.position, self.orientation);
        put_floats(out, &[self.length, self.base_radius, self.tip_radius]);
    }

    fn get(f: &mut Fields<'_>) -> Self {
        Self {
            position: f.position(),
            orientation: f.orientation(),
            length: f.f32(),
            base_radius: f.f32(),
            tip_radius: f.f32(),
        }
    }
}

impl Record for Leaf {
    const SIZE: usize = 50;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.parent.to_le_bytes());
        put_place(out, self.position, self.orientation);
        put_floats(out, &[self.width, self.length, self.petiole_length, self.petiole_radius]);
        out.extend_from_slice(&self.material.to_le_bytes());
    }

    fn get(f: &mut Fields<'_>) -> Self {
        Self {
            parent: f.u32(),
            position: f.position(),
            orientation: f.orientation(),
            width: f.f32(),
            length: f.f32(),
            petiole_length: f.f32(),
            petiole_radius: f.f32(),
            material: f.u16(),
        }
    }
}

impl Record for Fruit {
    const SIZE: usize = 46;

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.parent.to_le_bytes());
        put_place(out, self.position, self.orientation);
        put_floats(out, &[self.radius, self.stalk_length, self.stalk_radius]);
        out.extend_from_slice(&self.material.to_le_bytes());
    }

    fn get(f: &mut Fields<'_>) -> Self {
        Self {
            parent: f.u32(),
            position: f.position(),
            orientation: f.orientation(),
            radius: f.f32(),
            stalk_length: f.f32(),
            stalk_radius: f.f32(),
            material: f.u16(),
        }
    }
}

fn records_to_bytes<T: Record>(records: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(records.len() * T::SIZE);
    for record in records {
        record.put(&mut bytes);
    }
    bytes
}

/// Writes a plant.
pub fn write(plant: &Plant, out: &mut dyn Write) -> io::Result<()> {
    let parts = plant.parts();
    let meta = Meta {
        name: parts.name.clone(),
        provenance: parts.provenance.clone(),
        trees: parts.trees.clone(),
        wood_materials: parts.wood_materials.clone(),
        leaf_materials: parts.leaf_materials.clone(),
        fruit_materials: parts.fruit_materials.clone(),
    };
    let sections = [
        serde_json::to_vec(&meta)?,
        records_to_bytes(&parts.branches),
        records_to_bytes(&parts.segments),
        records_to_bytes(&parts.leaves),
        records_to_bytes(&parts.fruit),
    ];
    let table_end = HEADER + sections.len() * ENTRY + 4;
    let length = table_end + sections.iter().map(Vec::len).sum::<usize>();
    let mut head = Vec::with_capacity(table_end);
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&VERSION.to_le_bytes());
    head.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    head.extend_from_slice(&(length as u64).to_le_bytes());
    let mut offset = table_end;
    for (tag, section) in TAGS.iter().zip(&sections) {
        head.extend_from_slice(*tag);
        head.extend_from_slice(&crc32fast::hash(section).to_le_bytes());
        head.extend_from_slice(&(offset as u64).to_le_bytes());
        head.extend_from_slice(&(section.len() as u64).to_le_bytes());
        offset += section.len();
    }
    head.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
    out.write_all(&head)?;
    sections.iter().try_for_each(|section| out.write_all(section))
}

fn damaged(what: impl Into<String>) -> ReadError {
    ReadError::Damaged(what.into())
}

/// Finds the version and the sections, in the order of [`TAGS`], and checks all sums.
fn sections(bytes: &[u8]) -> Result<(u32, [&[u8]; 5]), ReadError> {
    let header = bytes.get(..HEADER).ok_or_else(|| damaged("it ends within the header"))?;
    let mut fields = Fields(&header[MAGIC.len()..]);
    let (version, count, length) = (fields.u32(), fields.u32() as usize, fields.u64());
    if !bytes.starts_with(MAGIC) {
        return Err(ReadError::NotAPlant);
    }
    if version > VERSION {
        return Err(ReadError::Version { found: version, known: VERSION });
    }
    if version == 0 || count != TAGS.len() {
        return Err(damaged(format!("version {version} with {count} sections; a plant has {}", TAGS.len())));
    }
    if length != bytes.len() as u64 {
        return Err(damaged(format!("it has {} bytes, its header says {length}", bytes.len())));
    }
    let table_end = HEADER + count * ENTRY;
    let table = bytes.get(HEADER..table_end).ok_or_else(|| damaged("it ends within the table of sections"))?;
    let sum = bytes.get(table_end..table_end + 4).ok_or_else(|| damaged("it ends within the table of sections"))?;
    if Fields(sum).u32() != crc32fast::hash(&bytes[..table_end]) {
        return Err(damaged("the check sum of the header is wrong"));
    }
    let mut found = [&bytes[..0]; 5];
    for (i, entry) in table.chunks_exact(ENTRY).enumerate() {
        let mut fields = Fields(entry);
        let tag: [u8; 4] = fields.take();
        let (sum, offset, length) = (fields.u32(), fields.u64(), fields.u64());
        let name = String::from_utf8_lossy(TAGS[i]);
        if tag != *TAGS[i] {
            return Err(damaged(format!("section {i} must be {name}")));
        }
        let range = usize::try_from(offset).ok().zip(offset.checked_add(length).and_then(|e| usize::try_from(e).ok()));
        let section = range.and_then(|(start, end)| bytes.get(start..end));
        let section = section.ok_or_else(|| damaged(format!("section {name} reaches beyond the end of the file")))?;
        if crc32fast::hash(section) != sum {
            return Err(damaged(format!("the check sum of section {name} is wrong")));
        }
        found[i] = section;
    }
    Ok((version, found))
}

fn records_of<T: Record>(bytes: &[u8], name: &str) -> Result<Vec<T>, ReadError> {
    if !bytes.len().is_multiple_of(T::SIZE) {
        return Err(damaged(format!("section {name} has {} bytes: not a multiple of {}", bytes.len(), T::SIZE)));
    }
    Ok(bytes.chunks_exact(T::SIZE).map(|record| T::get(&mut Fields(record))).collect())
}

/// Reads a plant.
pub fn read(bytes: &[u8]) -> Result<Plant, ReadError> {
    let (version, [meta, branches, segments, leaves, fruit]) = sections(bytes)?;
    let meta: Meta<StoredWood> = serde_json::from_slice(meta)?;
    Ok(Plant::new(PlantParts {
        name: meta.name,
        provenance: meta.provenance,
        trees: meta.trees,
        branches: records_of(branches, "BRCH")?,
        segments: records_of(segments, "SEGM")?,
        leaves: records_of(leaves, "LEAF")?,
        fruit: records_of(fruit, "FRUT")?,
        wood_materials: woods(meta.wood_materials, version)?,
        leaf_materials: meta.leaf_materials,
        fruit_materials: meta.fruit_materials,
    })?)
}
