//! Report on the faults of a scan and their repairs.

use std::fmt;

use serde::Serialize;

/// Kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Coordinates that are not numbers, or kilometres away.
    BadPlace,
    /// Parents that do not exist.
    UnknownParent,
    /// Parents that form a loop with their children.
    Loop,
    /// Children that precede their parents in the file.
    Order,
    /// Cylinders shorter than a tenth of a millimetre.
    NoLength,
    /// Parts without a parent, near to other wood.
    LoosePart,
    /// Parts without a parent that stand on the ground.
    OwnTree,
    /// Parts without a parent, far from all other wood.
    Dropped,
    /// Radii that are missing, zero, negative or implausible.
    NoRadius,
    /// Cylinders much thicker than their neighbours along the branch.
    TooThick,
    /// Cylinders much thinner than their neighbours along the branch.
    TooThin,
    /// Branches that are thicker than their parents.
    ThickerThanParent,
    /// Side branches at the tip of wood without a continuation.
    Continued,
    /// Cylinders that end behind the tip of their parent.
    Overlap,
    /// Gaps between a cylinder and the one that it continues.
    Gap,
    /// Branches that begin away from the bark of their parent.
    SideGap,
    /// Branches that begin inside their parent.
    Inside,
    /// Pieces shorter than half their radius.
    Short,
    /// Pieces too long to bend well.
    Long,
}

impl FaultKind {
    /// All kinds, in the order of their repair.
    pub const ALL: [Self; 19] = [
        Self::BadPlace,
        Self::UnknownParent,
        Self::Loop,
        Self::Order,
        Self::NoLength,
        Self::LoosePart,
        Self::OwnTree,
        Self::Dropped,
        Self::Continued,
        Self::NoRadius,
        Self::TooThick,
        Self::TooThin,
        Self::ThickerThanParent,
        Self::Overlap,
        Self::Gap,
        Self::SideGap,
        Self::Inside,
        Self::Short,
        Self::Long,
    ];

    /// The fault, the repair, and the quantity of the worst value.
    fn texts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::BadPlace => ("cylinders with impossible coordinates", "left out", ""),
            Self::UnknownParent => ("parents that do not exist", "taken as none", ""),
            Self::Loop => ("loops of parents", "opened at the widest gap", "m"),
            Self::Order => ("cylinders listed before their parents", "put in order", ""),
            Self::NoLength => ("cylinders without length", "left out", ""),
            Self::LoosePart => ("loose parts", "joined to the nearest wood", "m"),
            Self::OwnTree => ("parts that stand on the ground by themselves", "made trees of their own", ""),
            Self::Dropped => ("loose parts too far from other wood", "left out", "cylinders"),
            Self::NoRadius => ("missing or impossible radii", "taken from the neighbours", ""),
            Self::TooThick => ("cylinders thicker than their neighbours", "made as thick as these", "times"),
            Self::TooThin => ("cylinders thinner than their neighbours", "made as thick as these", "times"),
            Self::ThickerThanParent => ("branches thicker than what they grow on", "made as thick as that", "times"),
            Self::Continued => ("branches at the end of wood that nothing continues", "taken as its continuation", ""),
            Self::Overlap => ("cylinders that end behind the tip of their parent", "merged with it", "m"),
            Self::Gap => ("gaps along branches", "closed half way", "m"),
            Self::SideGap => ("branches that begin away from the bark", "led to it", "m"),
            Self::Inside => ("branches that begin inside their parent", "begun at its bark", "m"),
            Self::Short => ("pieces shorter than half their radius", "merged", ""),
            Self::Long => ("long pieces", "cut", "m"),
        }
    }
}

/// The worst case of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Worst {
    /// Number of the cylinder, from 1 in the order of the file.
    pub cylinder: usize,
    /// Severity; zero where it is not measurable.
    pub value: f64,
    /// Unit of the value: `m`, `times`, `cylinders`.
    pub unit: &'static str,
}

/// All cases of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repair {
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Number of cases.
    pub count: usize,
    /// Description of the fault.
    pub what: &'static str,
    /// Description of the repair.
    pub done: &'static str,
    /// The worst case.
    pub worst: Worst,
}

/// Summary of an import.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct ImportReport {
    /// Dialect of the file.
    pub dialect: String,
    /// Number of cylinders in the file.
    pub cylinders_read: usize,
    /// Number of cylinders that are part of the plant.
    pub cylinders_kept: usize,
    /// Number of trees of the plant.
    pub trees: usize,
    /// Volume of all cylinders of the file with usable dimensions, m³.
    pub volume_before_m3: f64,
    /// Volume of the wood of the plant, m³.
    pub volume_after_m3: f64,
    /// Position of the first tree's foot in the scan, turned to y up, m. It is now at the origin, unless
    /// the trees keep their position.
    pub moved_from_m: [f64; 3],
    /// Largest distance at which loose parts were joined, m.
    pub join_m: f64,
    /// The repaired faults; kinds that did not occur are left out.
    pub repairs: Vec<Repair>,
    /// Further remarks.
    pub notes: Vec<String>,
}

impl ImportReport {
    /// The cases of a kind; none if it did not occur.
    pub fn repair(&self, kind: FaultKind) -> Option<&Repair> {
        self.repairs.iter().find(|repair| repair.kind == kind)
    }

    /// Number of cases of a kind.
    pub fn count(&self, kind: FaultKind) -> usize {
        self.repair(kind).map_or(0, |repair| repair.count)
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} of {} cylinders in {} {}",
            self.dialect,
            self.cylinders_kept,
            self.cylinders_read,
            self.trees,
            if self.trees == 1 { "tree" } else { "trees" }
        )?;
        let change = 100.0 * (self.volume_after_m3 / self.volume_before_m3 - 1.0);
        let (before, after) = (1e3 * self.volume_before_m3, 1e3 * self.volume_after_m3);
        write!(f, "wood: {before:.3} litres in the file, {after:.3} in the plant")?;
        if change.is_finite() {
            write!(f, " ({change:+.1} %)")?;
        }
        if self.repairs.is_empty() {
            write!(f, "\nnothing to repair")?;
        }
        for repair in &self.repairs {
            write!(f, "\n  {:>7} {}: {}", repair.count, repair.what, repair.done)?;
            let Worst { cylinder, value, unit } = repair.worst;
            match unit {
                "" => write!(f, " (first: cylinder {cylinder})")?,
                "cylinders" => write!(f, " (largest: {value} cylinders from {cylinder} on)")?,
                _ => write!(f, " (worst: {} {unit}, cylinder {cylinder})", rounded(value))?,
            }
        }
        for note in &self.notes {
            write!(f, "\nnote: {note}")?;
        }
        Ok(())
    }
}

/// The value with about three digits.
fn rounded(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 1.0 {
        format!("{value:.2}")
    } else if value >= 1e-3 {
        format!("{value:.4}")
    } else {
        format!("{value:.1e}")
    }
}

/// Counts the faults during the repair.
#[derive(Debug, Clone)]
pub(crate) struct Ledger([Option<(usize, usize, f64)>; FaultKind::ALL.len()]);

impl Ledger {
    pub(crate) fn new() -> Self {
        Self([None; FaultKind::ALL.len()])
    }

    /// Records a case: the cylinder in the order of the file, from 0, and its severity.
    pub(crate) fn note(&mut self, kind: FaultKind, cylinder: usize, value: f64) {
        let (count, worst, most) = self.0[kind as usize].get_or_insert((0, cylinder, value));
        *count += 1;
        if value > *most {
            (*worst, *most) = (cylinder, value);
        }
    }

    pub(crate) fn repairs(&self) -> Vec<Repair> {
        let found = FaultKind::ALL.into_iter().filter_map(|kind| Some((kind, self.0[kind as usize]?)));
        found
            .map(|(kind, (count, cylinder, value))| {
                let (what, done, unit) = kind.texts();
                Repair { kind, count, what, done, worst: Worst { cylinder: cylinder + 1, value, unit } }
            })
            .collect()
    }
}
