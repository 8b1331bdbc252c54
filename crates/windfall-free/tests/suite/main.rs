//! All tests of free bodies in one binary, which builds faster than one for each.

mod collisions;
mod flight;
mod kit;
mod limits;
mod styles;

pub(crate) use windfall_testkit::truth;
