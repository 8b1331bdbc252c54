//! Repair of scans: faults are repaired, counted and reported.
//!
//! Parents first (`topology`): cylinders without a valid position are left out, loops are opened, loose
//! parts are joined (`join`). Then the tree is divided into branches (`chains`), along which wrong radii
//! stand out (`radii`). Gaps and overlaps are closed during the construction of the branches (`build`),
//! because the continuations are known only then.

pub(crate) mod chains;
mod join;
mod radii;
mod topology;

use crate::cylinder::{Cylinder, frustum_volume};
use crate::error::ScanError;
use crate::report::Ledger;

pub(crate) use chains::{Chain, Chains};

/// Options of the repair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RepairOptions {
    /// Largest distance from the bark of the nearest wood at which a part without a parent is joined to
    /// it, m.
    pub join: f64,
    /// A radius is wrong if it differs from the median along the branch by more than this factor.
    pub radius_factor: f64,
    /// Radius of a twig at the end of a branch, for trees without radii, m.
    pub twig_radius: f64,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self { join: 0.3, radius_factor: 1.5, twig_radius: 0.002 }
    }
}

impl RepairOptions {
    pub(crate) fn check(&self) -> Result<(), ScanError> {
        let checks = [
            ("join", self.join, 0.0..=100.0, "must be between 0 and 100 m"),
            ("radius_factor", self.radius_factor, 1.05..=1e6, "must be between 1.05 and 1000000"),
            ("twig_radius", self.twig_radius, 1e-5..=1.0, "must be between 0.00001 and 1 m"),
        ];
        for (option, value, range, rule) in checks {
            if !range.contains(&value) {
                return Err(ScanError::Option { option, value, rule });
            }
        }
        Ok(())
    }
}

/// Least length of a cylinder with a direction, m.
pub(crate) const SHORTEST: f64 = 1e-4;
/// Least radius of wood, m.
pub(crate) const THINNEST: f64 = 2.5e-4;
/// Largest radius of wood, m: twice that of the largest tree.
const THICKEST: f64 = 15.0;

/// Radius at the base and the tip of a cylinder, m, if they are plausible: one replaces a missing other.
fn usable_radii(cylinder: &Cylinder) -> Option<(f64, f64)> {
    let usable = |radius: f64| Some(radius).filter(|&r| r > 0.0 && r <= THICKEST);
    let (base, tip) = (usable(cylinder.base_radius), usable(cylinder.tip_radius));
    base.or(tip).zip(tip.or(base))
}

/// Mean of the two.
fn usable_radius(cylinder: &Cylinder) -> Option<f64> {
    usable_radii(cylinder).map(|(base, tip)| 0.5 * (base + tip))
}

/// Volume of a cylinder with plausible dimensions, m³: zero without a radius, or if its ends cannot
/// belong to one tree.
pub(crate) fn usable_volume(cylinder: &Cylinder) -> f64 {
    let length = cylinder.axis().length();
    match usable_radii(cylinder) {
        // Twice this distance along each of three axes is less.
        Some((base, tip)) if length < 4.0 * topology::FARTHEST => frustum_volume(base, tip, length),
        _ => 0.0,
    }
}

/// The cylinders during the repair.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) cylinders: Vec<Cylinder>,
    /// Index of each cylinder in the file.
    pub(crate) source: Vec<usize>,
    pub(crate) ledger: Ledger,
    /// Further remarks for the report.
    pub(crate) notes: Vec<String>,
}

impl Work {
    pub(crate) fn new(cylinders: Vec<Cylinder>) -> Self {
        let source = (0..cylinders.len()).collect();
        Self { cylinders, source, ledger: Ledger::new(), notes: Vec::new() }
    }
}

/// A tree of cylinders without faults, and its branches.
pub(crate) struct Repaired {
    pub(crate) work: Work,
    pub(crate) chains: Chains,
    /// Names of the remaining trees; [`Cylinder::tree`] is an index into them.
    pub(crate) trees: Vec<String>,
}

/// Repairs parents and radii. The cylinders must be upright, in metres.
pub(crate) fn repair(
    cylinders: Vec<Cylinder>,
    mut trees: Vec<String>,
    options: &RepairOptions,
) -> Result<Repaired, ScanError> {
    options.check()?;
    let read = cylinders.len();
    let mut work = Work::new(cylinders);
    topology::drop_bad_places(&mut work, trees.len());
    let unusable = read - work.cylinders.len();
    topology::parents_that_exist(&mut work);
    topology::open_loops(&mut work);
    topology::note_order(&mut work);
    topology::parents_first(&mut work);
    topology::drop_points(&mut work);
    if work.cylinders.is_empty() {
        return Err(ScanError::NoWood { read, unusable });
    }
    join::join_parts(&mut work, &mut trees, options.join);
    topology::parents_first(&mut work);
    let chains = Chains::new(&mut work);
    radii::repair(&mut work, &chains, options);
    Ok(Repaired { work, chains, trees })
}
