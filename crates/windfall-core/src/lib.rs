//! What a tree *is*, before anything moves it.
//!
//! A [`Plant`] is a list of rigid bodies joined into one or several trees: wood as conical frustums, leaves and
//! petals as thin triangles on a petiole, fruit as spheres on a stalk. It is immutable and validated, so that every
//! solver, skinner and file writer can trust it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`parts`] | the plain data of a plant, as it stands in a file |
//! | [`plant`] | [`Plant`]: the validated parts, with parents, ids and queries |
//! | [`pose`] | [`Pose`]: where every body is at one moment |
//! | [`solver`] | [`Solver`]: what every solver can do; forces, hands, moving ground |
//! | [`wind`] | [`Wind`]: what a solver asks of the air |
//! | [`random`] | numbers that look random and are the same everywhere |
//! | [`validate`] | the rules, and the error that names the item, the value and the rule |
//! | [`violations`] | broken rules of anything, collected and listed |
//! | [`materials`] | wood, leaf and fruit properties in SI units, with sources |
//! | [`mechanics`] | mass, inertia, stiffness, strength and drag area of one body and its joint |
//! | [`build`] | centre lines with radii in, segments out |
//! | [`summary`] | the numbers a forester would ask for: height, DBH, crown, leaf area |
//! | `conformance` | the suite of tests that every solver must pass (feature `conformance`) |
//!
//! Conventions: SI units; y is up, right-handed. A body's own +y runs from its joint outward. Leaves have x along
//! their width, y along their length and z along their normal. A joint frame at rest coincides with the frame of its
//! child, so the three joint springs act about the child's own x, y and z.

pub mod build;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod materials;
pub mod mechanics;
pub mod parts;
pub mod plant;
pub mod pose;
pub mod random;
pub mod solver;
pub mod summary;
mod together;
pub mod validate;
pub mod violations;
pub mod wind;

pub use build::{PlantBuilder, Segmentation};
pub use materials::{FruitMaterial, LeafKind, LeafMaterial, WoodMaterial};
pub use mechanics::{JointProperties, JointStrength, MassProperties};
pub use parts::{Branch, Fruit, Leaf, PlantParts, Segment, Tree};
pub use plant::{Body, BodyId, Plant};
pub use pose::Pose;
pub use solver::{Actions, Base, BodyMotion, Grab, JointLoad, Load, Solver, StepError, Touch};
pub use summary::Summary;
pub use validate::InvalidPlant;
pub use violations::{Violation, Violations};
pub use wind::Wind;

/// The vector and rotation types of the public interface.
pub use glam;
