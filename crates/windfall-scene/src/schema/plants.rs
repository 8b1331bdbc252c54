//! Plants and their places.

use serde::Deserialize;
use windfall_core::glam::DVec3;

use super::pick::Pick;

/// A plant: grown (`species`), read (`file`) or a plain branch (`rod`).
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlantEntry {
    /// A species, a tree of the papers (`windfall species` lists both), or a species file ending in `.toml`.
    pub species: Option<String>,
    /// Number of rigid bodies of a grown tree.
    pub bodies: Option<usize>,
    /// Another seed is another tree of the same kind; 0 by default.
    pub seed: u64,
    /// A plant file: `.wfp` or `.json`.
    pub file: Option<String>,
    /// A straight branch, clamped at one end.
    pub rod: Option<Rod>,
    /// Position of its origin, m; the origin by default.
    pub at: DVec3,
    /// Rotation about the vertical, degrees.
    pub turn_degrees: f64,
    /// Appearance: a look by name (such as `maple-autumn`) or a look file; that of its wood and leaves by
    /// default.
    pub look: Option<String>,
}

/// A straight branch of one wood, clamped at its beginning: a case with solutions by beam theory.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rod {
    /// Length, m.
    pub length: f64,
    /// Radius at the clamp, m.
    pub radius: f64,
    /// Radius at the tip, m; that at the clamp by default.
    pub tip_radius: Option<f64>,
    /// Number of bodies.
    pub segments: u16,
    /// Its direction; along x by default.
    #[serde(default = "along_x")]
    pub direction: DVec3,
    /// Young's modulus, Pa; 10 GPa by default.
    #[serde(default = "youngs_modulus")]
    pub youngs_modulus: f64,
    /// Density, kg/m³; 800 by default (green wood).
    #[serde(default = "density")]
    pub density: f64,
    /// Stiffness-proportional damping beta, s; 0.02 by default.
    #[serde(default = "damping")]
    pub damping: f64,
}

fn along_x() -> DVec3 {
    DVec3::X
}

fn youngs_modulus() -> f64 {
    1e10
}

fn density() -> f64 {
    800.0
}

fn damping() -> f64 {
    0.02
}

/// Selection of simulated bodies; the others move rigidly with them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Select {
    /// All bodies.
    All {},
    /// Wood up to an order (0 is the trunk).
    Orders {
        /// The highest order.
        highest: u16,
        /// Whether leaves and fruit on it are simulated too; false by default.
        #[serde(default)]
        foliage: bool,
    },
    /// Thick wood.
    Thicker {
        /// Smallest radius, m.
        radius: f64,
    },
    /// Bodies with their subtrees.
    Subtrees {
        /// The bodies.
        bodies: Vec<Pick>,
    },
}
