//! All tests of the crate in one binary, which builds much faster than one for each file:
//! `cargo test -p windfall-core --test suite building::` runs one file.
//! Tests that count memory have binaries of their own.

mod building;
mod mechanics;
mod summary;
mod validation;
