//! All tests of the crate in one binary, which builds much faster than one for each file:
//! `cargo test -p windfall-scan --test suite dialects::` runs one file.
//! Tests that count memory have binaries of their own.

#[path = "../common/mod.rs"]
mod common;

mod dialects;
mod hostile;
mod leaves;
mod repair;
mod round_trip;
mod same_tree;
