//! The common representation of all dialects.

use glam::DVec3;

/// A piece of wood as in the scan, not yet validated: dimensions may be missing (NaN), parents wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    /// Centre of its base.
    pub start: DVec3,
    /// Centre of its tip.
    pub end: DVec3,
    /// Radius at the base; NaN where the file has none.
    pub base_radius: f64,
    /// Radius at the tip, the same for a plain cylinder.
    pub tip_radius: f64,
    /// The parent cylinder, as an index into the list; none for a root. May be out of range.
    pub parent: Option<usize>,
    /// Whether it continues its parent (`Some(true)`) or leaves its side; none where the file does not
    /// specify it.
    pub continues: Option<bool>,
    /// Its tree, as an index into [`Scan::trees`].
    pub tree: u32,
}

impl Cylinder {
    /// Vector from base to tip.
    pub fn axis(&self) -> DVec3 {
        self.end - self.start
    }

    /// Mean of its two radii.
    pub fn radius(&self) -> f64 {
        0.5 * (self.base_radius + self.tip_radius)
    }

    /// Volume of the frustum: `pi L (a^2 + a b + b^2) / 3`.
    pub fn volume(&self) -> f64 {
        frustum_volume(self.base_radius, self.tip_radius, self.axis().length())
    }
}

/// `pi L (a^2 + a b + b^2) / 3`.
pub(crate) fn frustum_volume(a: f64, b: f64, length: f64) -> f64 {
    std::f64::consts::PI * length * (a * a + a * b + b * b) / 3.0
}

/// The content of a file, in its own units and axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scan {
    /// The wood of all trees, in the order of the file.
    pub cylinders: Vec<Cylinder>,
    /// Names of the trees.
    pub trees: Vec<String>,
    /// Remarks of the reader about the file, as readable text.
    pub notes: Vec<String>,
}

impl Scan {
    /// One tree without a name of its own.
    pub(crate) fn of_one_tree(cylinders: Vec<Cylinder>) -> Self {
        Self { cylinders, trees: vec!["tree".to_owned()], notes: Vec::new() }
    }
}
