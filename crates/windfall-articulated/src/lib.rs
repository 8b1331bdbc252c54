//! Physical animation of trees: articulated rigid bodies with springs at their joints (quigley2017).

pub mod air;
pub mod analytic;
pub mod implicit;
pub mod math;
mod wide;
pub mod world;

pub use wide::Vectors;
pub use world::{Energy, JOINT_NUMBERS, Method, Momentum, World, bytes_in_huge_pages, double, single};
