//! Moves trees: articulated rigid bodies with springs at their joints.

pub mod air;
pub mod analytic;
pub mod assess;
pub mod free;
pub mod implicit;
pub mod math;
pub mod params;
pub mod stage;
mod wide;
pub mod world;

pub use params::{BodyValues, Curve, Params, ParamsError};
pub use stage::Stage;
pub use wide::Vectors;
pub use world::{Energy, JOINT_NUMBERS, Method, Momentum, Selection, World, bytes_in_large_pages};
