//! All tests of parameters in one binary.

mod curves;
mod params_files;
mod values;

pub(crate) use windfall_testkit::common;
