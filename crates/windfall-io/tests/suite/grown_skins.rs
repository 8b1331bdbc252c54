//! Skins of grown trees satisfy every rule checked by the writers.

use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::glb::Glb;
use windfall_skin::build::{COARSEST, FINEST};
use windfall_skin::{Detail, Look, PaintOptions, skin};

#[test]
fn every_species_at_every_level_of_detail() {
    let textures = PaintOptions { bark: 16, twig: 16, leaf: 16, fruit: 16, ..PaintOptions::default() };
    for species in Species::all() {
        let plant = grow(&species, &GrowOptions { bodies: Some(1500), seed: 3 }).unwrap();
        for level in FINEST..=COARSEST {
            let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, level), &textures);
            let glb = Glb::new(&plant, &skin).unwrap_or_else(|e| panic!("{} at {level}: {e}", species.name));
            assert!(glb.bytes() > 10_000, "{} at {level} has {} bytes", species.name, glb.bytes());
        }
    }
}
