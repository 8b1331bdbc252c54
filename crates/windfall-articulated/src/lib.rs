//! Physical animation of trees: articulated rigid bodies with springs at their joints (quigley2017).
//!
//! The modules are layers; each may use only those above it in this list (kept by
//! `windfall/tests/house/layers.rs`):
//!
//! | module | holds |
//! |---|---|
//! | [`math`] | small vectors, matrices and rotations over a number type |
//! | `block` | the bodies of a block in flat arrays: model, state, plan, scratch, and what is kept in them |
//! | [`air`] | the laws of drag on one body |
//! | [`implicit`], [`analytic`] | the methods, for one body: the scalar reference |
//! | `wide` | the same for eight bodies at a time |
//! | `world` | all blocks of a plant: layout, parameters, poses, pieces, energy |
//! | `step` | one step over all blocks, by either method |
//! | `interface` | the solver interface |

pub mod air;
pub mod analytic;
mod block;
pub mod implicit;
mod interface;
pub mod math;
mod step;
mod wide;
mod world;

pub use block::huge_pages::bytes_in_huge_pages;
pub use block::vectors::Vectors;
pub use interface::{double, single};
pub use world::{BlockInfo, Energy, JOINT_NUMBERS, Method, Momentum, RowInfo, World};
