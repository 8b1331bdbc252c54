//! The import: all steps in sequence.

use glam::DVec3;
use windfall_core::{Plant, WoodMaterial, materials};

use crate::build::{Cut, build};
use crate::error::ScanError;
use crate::leaves::{Foliage, add_leaves};
use crate::place::{UpAxis, upright};
use crate::read::{Dialect, ReadOptions, detect, read};
use crate::repair::{RepairOptions, repair, usable_volume};
use crate::report::ImportReport;

/// Options of the import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// Name of the plant.
    pub name: String,
    /// The dialect; none for detection from the content.
    pub dialect: Option<Dialect>,
    /// Index of the model of a tree, from 0, in a file with several.
    pub model: usize,
    /// The axis of the file that points up.
    pub up: UpAxis,
    /// Metres per unit of the coordinates.
    pub scale: f64,
    /// Metres per unit of the radii and half diameters; none if it is that of the coordinates.
    pub radius_scale: Option<f64>,
    /// Whether trees keep their position in the scan; otherwise the foot of the first is moved to the
    /// origin.
    pub keep_place: bool,
    /// Largest length of a segment, m; a cylinder is cut into 20 segments at most.
    pub longest: f64,
    /// Options of the repair.
    pub repair: RepairOptions,
    /// Material of the wood.
    pub wood: WoodMaterial,
    /// Leaves to add.
    pub leaves: Option<Foliage>,
}

impl Default for ImportOptions {
    /// Metres, z up, wood of the white oak, no leaves.
    fn default() -> Self {
        Self {
            name: "scan".to_owned(),
            dialect: None,
            model: 0,
            up: UpAxis::Z,
            scale: 1.0,
            radius_scale: None,
            keep_place: false,
            longest: 1.0,
            repair: RepairOptions::default(),
            wood: materials::wood("white oak").unwrap_or(&materials::WOOD_MATERIALS[0]).clone(),
            leaves: None,
        }
    }
}

/// The result of an import.
#[derive(Debug, Clone)]
pub struct Import {
    /// The plant.
    pub plant: Plant,
    /// The repairs.
    pub report: ImportReport,
}

/// Reads, repairs and builds a scan.
pub fn import(bytes: &[u8], options: &ImportOptions) -> Result<Import, ScanError> {
    for (option, value) in [("scale", Some(options.scale)), ("radius scale", options.radius_scale)] {
        if let Some(value) = value.filter(|value| !(1e-9..=1e9).contains(value)) {
            return Err(ScanError::Option { option, value, rule: "must be between 1e-9 and 1e9 metres per unit" });
        }
    }
    let cut = Cut { longest: options.longest };
    cut.check()?;
    if bytes.is_empty() {
        return Err(ScanError::Empty);
    }
    let dialect = options.dialect.or_else(|| detect(bytes)).ok_or(ScanError::Unknown)?;
    let mut scan = read(bytes, dialect, ReadOptions { up: options.up, model: options.model })?;
    upright(&mut scan.cylinders, options.up, options.scale, options.radius_scale.unwrap_or(options.scale));
    let mut report = ImportReport {
        dialect: dialect.to_string(),
        cylinders_read: scan.cylinders.len(),
        volume_before_m3: scan.cylinders.iter().map(usable_volume).sum(),
        join_m: options.repair.join,
        notes: scan.notes,
        ..ImportReport::default()
    };
    let mut repaired = repair(scan.cylinders, scan.trees, &options.repair)?;
    let (mut parts, feet) = build(&mut repaired, cut);
    let home = if options.keep_place { DVec3::ZERO } else { feet[0] };
    for (tree, &foot) in parts.trees.iter_mut().zip(&feet) {
        tree.origin = foot - home;
    }
    parts.name.clone_from(&options.name);
    parts.provenance = format!("imported from {dialect}");
    parts.wood_materials.push(options.wood.clone());
    report.cylinders_kept = repaired.work.cylinders.len();
    report.trees = parts.trees.len();
    report.moved_from_m = feet[0].to_array();
    report.volume_after_m3 = parts.segments.iter().map(|s| s.frustum().volume()).sum();
    report.repairs = repaired.work.ledger.repairs();
    report.notes.append(&mut repaired.work.notes);
    report.notes.extend(odd_height(&parts));
    if let Some(foliage) = &options.leaves {
        report.notes.push(add_leaves(&mut parts, foliage)?);
    }
    Ok(Import { plant: Plant::new(parts)?, report })
}

/// Range of plausible heights, m; a tree outside of it is likely in other units.
const LOWEST: f64 = 0.3;
const HIGHEST: f64 = 120.0;

fn odd_height(parts: &windfall_core::PlantParts) -> Option<String> {
    let top = parts.segments.iter().map(|s| f64::from(s.tip().y.max(s.position.y))).fold(f64::MIN, f64::max);
    let low = parts.segments.iter().map(|s| f64::from(s.tip().y.min(s.position.y))).fold(f64::MAX, f64::min);
    let height = top - low;
    (!(LOWEST..=HIGHEST).contains(&height)).then(|| {
        format!(
            "the wood is {height:.3} m high: if the file is not in metres, set the scale, for example 0.01 for centimetres or \
             0.001 for millimetres"
        )
    })
}
