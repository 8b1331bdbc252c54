//! Section mechanics: mass, stiffness and strength of bodies and joints, in closed form and f64.

mod berry;
mod blade;
mod frustum;
mod joint;
mod mass;

pub use berry::fruit_mass_properties;
pub use blade::leaf_mass_properties;
pub use frustum::{Frustum, section_modulus, twist_section_modulus};
pub use joint::{JointLoad, JointProperties, JointStrength, fruit_joint, leaf_joint, wood_joint};
pub use mass::MassProperties;
