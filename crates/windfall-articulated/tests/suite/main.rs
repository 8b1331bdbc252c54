//! All tests of the engine in one binary, which builds much faster than one for each:
//! `cargo test -p windfall-articulated statics::` runs one file.

mod air;
mod attached_leaf;
mod changes;
mod conformance;
mod convergence;
mod damping;
mod derived_leaf_motion;
mod edges;
mod energy;
mod energy_limiter;
mod frequencies;
mod groups;
mod hands;
mod joint_loads;
mod joints;
mod leaves_on_rows;
mod light;
mod lookahead;
mod oscillator;
mod overload_bounds;
mod pieces;
mod root_motion;
mod selection;
mod shape;
mod statics;
mod steps;
mod stored_leaf_motion;
mod storm;
mod storms;
mod truth_itself;
mod truth_of_rods;
mod truth_of_time;
mod wide;
mod wrong_solvers;

pub(crate) use windfall_testkit::{kit, lab, truth};
