//! All tests of the crate in one binary, which builds much faster than one for each file:
//! `cargo test -p windfall-preview --test suite coverage::` runs one file.
//! Tests that count memory have binaries of their own.

#[path = "../support/mod.rs"]
mod support;

mod coverage;
mod encode;
mod framing;
mod ground;
mod hostile;
mod light;
mod plot;
