//! The union of plants keeps every body unchanged.

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant};
use windfall_grow::{GrowOptions, Species, grow};

fn tree(name: &str, seed: u64) -> Plant {
    grow(&Species::named(name).unwrap(), &GrowOptions { bodies: Some(600), seed }).unwrap()
}

/// Id in the union of a body of one plant.
fn moved(plants: &[&Plant], which: usize, id: BodyId) -> BodyId {
    let sum = |f: &dyn Fn(&Plant) -> usize, n: usize| plants[..n].iter().map(|p| f(p)).sum::<usize>();
    let (wood, leaves) = (|p: &Plant| p.segments().len(), |p: &Plant| p.leaves().len());
    let plant = plants[which];
    let i = id.0 as usize;
    let at = if i < wood(plant) {
        sum(&wood, which) + i
    } else if i < wood(plant) + leaves(plant) {
        sum(&wood, plants.len()) + sum(&leaves, which) + i - wood(plant)
    } else {
        let fruit = |p: &Plant| p.fruit().len();
        sum(&wood, plants.len()) + sum(&leaves, plants.len()) + sum(&fruit, which) + i - wood(plant) - leaves(plant)
    };
    BodyId(at as u32)
}

#[test]
fn every_body_keeps_its_place_mass_joint_and_parent() {
    let plants = [&tree("apple", 1), &tree("oak", 2), &tree("apple", 3)];
    let shifts = [DVec3::ZERO, DVec3::new(10.0, 0.5, 0.0), DVec3::new(-4.0, 0.0, 7.0)];
    let pairs: Vec<(&Plant, DVec3)> = plants.iter().copied().zip(shifts).collect();
    let park = Plant::together("park", &pairs).unwrap();
    assert_eq!(park.body_count(), plants.iter().map(|p| p.body_count()).sum::<usize>());
    assert_eq!(park.trees().len(), 3);
    // The second apple shares the materials of the first.
    let materials = |p: &Plant| p.parts().wood_materials.len();
    assert_eq!(materials(&park), materials(plants[0]) + materials(plants[1]));
    for (which, plant) in plants.iter().enumerate() {
        for id in plant.body_ids() {
            let new = moved(&plants, which, id);
            assert_eq!(park.rest_position(new), plant.rest_position(id) + shifts[which]);
            assert_eq!(park.mass_properties(new), plant.mass_properties(id));
            assert_eq!(park.joint_properties(new), plant.joint_properties(id));
            assert_eq!(park.parent(new), plant.parent(id).map(|p| moved(&plants, which, p)));
            assert_eq!(park.tree_index(new), which);
        }
    }
}

#[test]
fn nothing_put_together_is_refused_like_any_empty_plant() {
    assert!(Plant::together("none", &[]).is_err());
}
