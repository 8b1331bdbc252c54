//! One module per command.

pub mod animate;
pub mod assess;
pub mod bench;
pub mod compare;
pub mod demo;
pub mod export;
pub mod grow;
pub mod import;
pub mod inspect;
pub mod preview;
pub mod run;
pub mod simulate;
pub mod species;
