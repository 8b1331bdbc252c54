//! Common code of the tests of solvers; not for programs.
//!
//! | module | contents |
//! |---|---|
//! | [`truth`] | textbook mechanics in f64, independent of the engine |
//! | [`driven`] | [`World`] and [`Stage`]: a solver with gravity, air and ground that persist between steps |
//! | [`kit`], [`common`], [`lab`] | small plants, runs, tables |

#![allow(clippy::missing_panics_doc, reason = "helpers of tests panic where a test fails")]
#![allow(missing_docs, reason = "names of fields are those of the textbook")]

pub mod common;
pub mod driven;
pub mod kit;
pub mod lab;
pub mod truth;

pub use driven::{Stage, World};
