//! Small vectors and matrices, generic over the number type.
//!
//! glam has one type per precision; the solvers are written once for `f32` and `f64`, so they need their own.

mod matrix;
mod number;
mod quaternion;
mod real;
mod rotation;
mod symmetric;
mod vector;

pub use matrix::Mat3;
pub use number::Number;
pub use quaternion::Quat;
pub use real::{Family, Real};
pub use rotation::{RotationVector, TURNING_OVER, exp, force_on, log};
pub use symmetric::{Factored, Sym3};
pub use vector::Vec3;
