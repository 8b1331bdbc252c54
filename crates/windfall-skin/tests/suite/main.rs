//! All tests of the crate in one binary, which builds much faster than one for each file:
//! `cargo test -p windfall-skin --test suite bark::` runs one file.
//! Tests that count memory have binaries of their own.

#[path = "../common/mod.rs"]
mod common;

mod bark;
mod bones;
mod deform;
mod foliage;
mod hostile;
mod looks;
