//! The structure and materials of a tree at rest, before any motion.
//!
//! A [`Plant`] is a list of rigid bodies joined into one or several trees: wood as conical frustums,
//! leaves and petals as thin triangles on a petiole, fruit as spheres on a stalk. It is immutable and
//! validated, so that every solver, skinner and file writer can rely on it.
//!
//! | module | contents |
//! |---|---|
//! | [`parts`] | the plain data of a plant, as it stands in a file |
//! | [`plant`] | [`Plant`]: the validated parts, with parents, ids and queries |
//! | [`pose`] | [`Pose`]: position and orientation of every body at one moment |
//! | [`motion`] | [`BodyMotion`]: position, velocity and acceleration of one body |
//! | [`random`] | pseudorandom numbers that are the same on every platform |
//! | [`validate`] | the rules, and the error that names the item, the value and the rule |
//! | [`violations`] | violations of rules, collected and listed |
//! | [`materials`] | wood, leaf and fruit properties in SI units, with sources |
//! | [`mechanics`] | mass, inertia, stiffness, strength and drag area of one body and its joint |
//! | [`build`] | from centre lines with radii to segments |
//! | [`summary`] | forestry measures: height, DBH, crown, leaf area |
//! | [`eigen`] | eigenvalues of small symmetric matrices |
//!
//! Conventions: SI units; y is up, right-handed. A body's own +y runs from its joint outward. Leaves
//! have x along their width, y along their length and z along their normal. A joint frame at rest
//! coincides with the frame of its child, so the three joint springs act about the child's own x, y and
//! z.

pub mod build;
pub mod eigen;
pub mod materials;
pub mod mechanics;
pub mod motion;
pub mod parts;
pub mod plant;
pub mod pose;
pub mod random;
pub mod summary;
mod together;
pub mod validate;
pub mod violations;

pub use build::{PlantBuilder, Segmentation};
pub use materials::{FruitMaterial, LeafKind, LeafMaterial, WoodMaterial};
pub use mechanics::{JointLoad, JointProperties, JointStrength, MassProperties};
pub use motion::BodyMotion;
pub use parts::{Branch, Fruit, Leaf, PlantParts, Segment, Tree};
pub use plant::{Body, BodyClass, BodyId, BodyRef, Plant};
pub use pose::Pose;
pub use summary::Summary;
pub use validate::InvalidPlant;
pub use violations::{Violation, Violations};

/// The vector and rotation types of the public interface.
pub use glam;
