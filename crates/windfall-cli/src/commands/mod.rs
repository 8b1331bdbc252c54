//! One module per command.

pub mod demo;
pub mod export;
pub mod grow;
pub mod inspect;
pub mod preview;
pub mod species;
