//! All tests of the crate in one binary, which builds much faster than one for each file:
//! `cargo test -p windfall-rig --test suite clips::` runs one file.
//! Tests that count memory have binaries of their own.

#[path = "../common/mod.rs"]
mod common;

mod clips;
mod exports;
mod hostile;
mod random_rigs;
mod rigs;
mod volumes;
