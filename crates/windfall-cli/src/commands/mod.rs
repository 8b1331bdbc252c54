//! One module per command.

pub mod demo;
pub mod grow;
pub mod inspect;
pub mod species;
