//! Visibility: the nearest triangle of every sample.

mod bins;
mod tile;
mod triangle;

pub(crate) use bins::{Bins, Grid};
pub(crate) use tile::{NOTHING, Tile};
