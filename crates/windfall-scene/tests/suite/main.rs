//! All tests of the crate in one binary, which builds much faster than one for each file:
//! `cargo test -p windfall-scene --test suite docs::` runs one file.
//! Tests that count memory have binaries of their own.

mod docs;
mod figures;
mod hostile;
mod looping;
mod outputs;
