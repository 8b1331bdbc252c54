//! The reference solution for the tests of solvers: textbook mechanics in f64, implemented independently
//! of the engine.
//!
//! | module | contents |
//! |---|---|
//! | [`tree`] | [`Reference`] (links, springs, loads, base) made from a plant, [`State`], separation of a piece |
//! | [`dynamics`] | the equations of motion: dense mass matrix, Newton and Euler |
//! | [`rk4`], [`stiff`] | steps in time: explicit (exact), implicit (for stiff damped wood) |
//! | [`loads`] | hands and drag |
//! | [`outputs`] | positions, energies, momenta, joint loads |
//! | [`statics`] | equilibrium by minimising the potential energy |
//! | [`linear`] | small vibrations of a whole tree; [`eigen`] solves K x = omega² M x |
//! | [`rod`], [`elastica`], [`beam`] | a round rod, its large bending, its frequencies by beam theory |
//! | [`plants`] | small test plants |
//! | [`signal`] | frequency and damping of samples |
//! | [`so3`] | logarithm and Jacobian of rotations |

pub mod beam;
pub mod dynamics;
pub mod eigen;
pub mod elastica;
pub mod linear;
pub mod loads;
pub mod outputs;
pub mod plants;
pub mod rk4;
pub mod rod;
pub mod signal;
pub mod so3;
pub mod statics;
pub mod stiff;
pub mod tree;

pub use elastica::RodLoad;
pub use rod::Rod;
pub use tree::{Reference, State, local_tip};
