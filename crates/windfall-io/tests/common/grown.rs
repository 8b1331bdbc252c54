//! Grown trees with their skins.

use windfall_core::Plant;
use windfall_grow::{GrowOptions, Species, grow};
use windfall_skin::{Detail, Look, PaintOptions, Skin, skin};

/// A grown tree with small images.
pub fn tree(species: &str, bodies: usize, level: u8) -> (Plant, Skin) {
    let plant = grow(&Species::named(species).unwrap(), &GrowOptions { bodies: Some(bodies), seed: 1 }).unwrap();
    let textures = PaintOptions { bark: 16, twig: 16, leaf: 16, fruit: 16, ..PaintOptions::default() };
    let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, level), &textures);
    (plant, skin)
}
