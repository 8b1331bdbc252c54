//! All tests of the crate in one binary, which builds much faster than one for each file:
//! `cargo test -p windfall-grow --test suite counts::` runs one file.
//! Tests that count memory have binaries of their own.

mod counts;
mod form;
mod species_files;
mod together;
