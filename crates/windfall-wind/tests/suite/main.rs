//! All tests of the crate in one binary, which builds much faster than one for each file:
//! `cargo test -p windfall-wind --test suite combine::` runs one file.
//! Tests that count memory have binaries of their own.

#[path = "../common/mod.rs"]
mod common;

mod combine;
mod docs;
mod far;
mod forms;
mod grid;
mod hostile;
mod measured;
mod noise;
mod periodic;
mod steady;
mod turbulence;
