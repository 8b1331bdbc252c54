//! A leaf: a petiole (thin cylinder) and a thin triangular plate.
//!
//! For a plate of mass `m` with base edge `w` at y = p, height `l` and thickness `t`, about its centre
//! of mass at y = p + l/3:
//!
//! ```text
//! I_x = m l^2 / 18 + m t^2 / 12      I_y = m w^2 / 24 + m t^2 / 12      I_z = m l^2 / 18 + m w^2 / 24
//! ```

use glam::DVec3;

use super::{Frustum, MassProperties};
use crate::materials::LeafMaterial;
use crate::parts::Leaf;

/// Mass properties of blade and petiole together.
pub fn leaf_mass_properties(leaf: &Leaf, material: &LeafMaterial) -> MassProperties {
    let (w, l) = (f64::from(leaf.width), f64::from(leaf.length));
    let t = material.thickness;
    let mass = material.areal_density * leaf.area();
    let thick = mass * t * t / 12.0;
    let (along, across) = (mass * l * l / 18.0, mass * w * w / 24.0);
    let blade = MassProperties {
        mass,
        center_of_mass: DVec3::new(0.0, f64::from(leaf.petiole_length) + l / 3.0, 0.0),
        inertia: DVec3::new(along + thick, across + thick, along + across),
    };
    if leaf.petiole_length == 0.0 {
        return blade;
    }
    let petiole = Frustum::cylinder(f64::from(leaf.petiole_radius), f64::from(leaf.petiole_length));
    petiole.mass_properties(material.petiole_density).joined_along_y(blade)
}
