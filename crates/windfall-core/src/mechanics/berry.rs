//! A fruit: a stalk (thin cylinder) and a full sphere.

use std::f64::consts::PI;

use glam::DVec3;

use super::{Frustum, MassProperties};
use crate::materials::FruitMaterial;
use crate::parts::Fruit;

/// Mass properties of sphere and stalk together.
pub fn fruit_mass_properties(fruit: &Fruit, material: &FruitMaterial) -> MassProperties {
    let r = f64::from(fruit.radius);
    let mass = material.density * 4.0 / 3.0 * PI * r.powi(3);
    let sphere = MassProperties {
        mass,
        center_of_mass: DVec3::new(0.0, f64::from(fruit.stalk_length) + r, 0.0),
        inertia: DVec3::splat(0.4 * mass * r * r),
    };
    if fruit.stalk_length == 0.0 {
        return sphere;
    }
    let stalk = Frustum::cylinder(f64::from(fruit.stalk_radius), f64::from(fruit.stalk_length));
    stalk.mass_properties(material.stalk_density).joined_along_y(sphere)
}
