//! Moves trees: articulated rigid bodies with springs at their joints.

pub mod params;

pub use params::{BodyValues, Curve, Params, ParamsError};
