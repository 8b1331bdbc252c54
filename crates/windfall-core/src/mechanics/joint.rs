//! The joint between a body and its parent: stiffness, damping, strength.
//!
//! Bending stiffness is a series compliance: the joint represents the wood between the middles of the
//! two segments, `1/K = integral of ds / (E I)`. The integral runs over half the parent and half the
//! child if they belong to the same branch, and over the child's half alone at the base of a branch or
//! at a clamp in the ground. Torsion likewise with G J.
//!
//! The appendix of diener2009 prints I = pi r^4/16, J = sqrt(2) I and G = 2.6 E; these contradict beam
//! theory (I = pi r^4/4, J = 2 I), which this module uses. G is a property of the wood: along the grain
//! it is about a fifth of the E / (2 (1 + nu)) of an isotropic solid.

use glam::DVec3;

use super::Frustum;
use super::frustum::{section, section_modulus, twist_section_modulus};
use crate::materials::{FruitMaterial, LeafMaterial, WoodMaterial};
use crate::parts::{Fruit, Leaf};

/// The load that the parent exerts on a body through their joint: the mean over the last step, in the
/// body's own axes.
///
/// For wood x and z of the torque are bending and y is torsion, as in [`JointStrength`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointLoad {
    /// Torque about the joint, N m.
    pub torque: DVec3,
    /// Force at the joint, N.
    pub force: DVec3,
}

/// Mechanical properties of the joint between a body and its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointProperties {
    /// Rotational stiffness about the child's own x, y and z, N m/rad. For wood x and z are bending and
    /// y is torsion; for leaves x is flap, y twist and z sway.
    pub stiffness: DVec3,
    /// Rotational damping about the same axes, N m s/rad.
    pub damping: DVec3,
    /// The load at failure.
    pub strength: JointStrength,
}

/// The load at which a joint fails.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointStrength {
    /// Wood breaks where the stress in its outermost fibres exceeds the modulus of rupture, or where
    /// torsion splits it.
    Wood {
        /// Modulus of rupture times the section modulus, N m.
        bending: f64,
        /// Shear strength times the section modulus in torsion, N m.
        twist: f64,
        /// Modulus of rupture times the area of the section, N.
        tension: f64,
    },
    /// A leaf or fruit detaches.
    Detach {
        /// Torques about the body's own axes at the breaking strain of petiole or stalk, N m.
        torque: DVec3,
        /// Strength of the abscission zone times the area of its section, N.
        tension: f64,
    },
}

impl JointStrength {
    /// Utilisation: the fraction of its strength that a joint needs for this load; above 1 it fails.
    /// With the moments M across and T along the axis of the body, and the force N that pulls it off its
    /// parent along that axis,
    ///
    /// ```text
    /// wood    max(M / bending + N / tension, T / twist)
    /// others  |torque / torque| + N / tension           each component of the torque over its own strength
    /// ```
    ///
    /// Leaves and fruit are measured by strain in bending and by stress in tension: soft tissue yields
    /// long before it breaks.
    ///
    /// Any load exceeds a strength of zero; zero load does not.
    pub fn used_by(&self, load: &JointLoad) -> f64 {
        let share = |load: f64, strength: f64| if strength > 0.0 { load / strength } else { f64::INFINITY };
        // The parent pulls the body towards itself, along the body's -y.
        let pulled = (-load.force.y).max(0.0);
        match *self {
            Self::Wood { bending, twist, tension } => {
                // Not hypot, which takes several times as long: this runs for a million joints in every
                // step.
                let across = (load.torque.x.powi(2) + load.torque.z.powi(2)).sqrt();
                (share(across, bending) + share(pulled, tension)).max(share(load.torque.y.abs(), twist))
            }
            Self::Detach { torque, tension } => {
                let bent = if torque.min_element() > 0.0 { (load.torque / torque).length() } else { f64::INFINITY };
                bent + share(pulled, tension)
            }
        }
    }

    /// The same joint with its strength multiplied by a factor.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Wood { bending, twist, tension } => {
                Self::Wood { bending: bending * factor, twist: twist * factor, tension: tension * factor }
            }
            Self::Detach { torque, tension } => Self::Detach { torque: torque * factor, tension: tension * factor },
        }
    }
}

/// Joint of a wood segment; `parent` is the parent segment if it belongs to the same branch.
pub fn wood_joint(child: &Frustum, parent: Option<&Frustum>, material: &WoodMaterial) -> JointProperties {
    let mut flexibility = child.lower_half().flexibility();
    let mut radius = child.base_radius;
    if let Some(parent) = parent {
        flexibility += parent.upper_half().flexibility();
        radius = radius.min(parent.tip_radius);
    }
    let bend = material.youngs_modulus / flexibility;
    let twist = 2.0 * material.shear_modulus / flexibility;
    let stiffness = DVec3::new(bend, twist, bend);
    JointProperties {
        stiffness,
        damping: material.damping * stiffness,
        strength: JointStrength::Wood {
            bending: material.modulus_of_rupture * section_modulus(radius),
            twist: material.shear_strength * twist_section_modulus(radius),
            tension: material.modulus_of_rupture * section(radius),
        },
    }
}

/// Least length of the hinge in radii of petiole or stalk, also where that is shorter: the hinge is not
/// a point.
const SHORTEST_HINGE_IN_RADII: f64 = 4.0;

/// A petiole or stalk.
struct Stem {
    radius: f64,
    length: f64,
    /// Moduli about x, along y and about z, Pa.
    moduli: DVec3,
    damping: f64,
    strength: f64,
    breaking_strain: f64,
}

/// Joint of a thin stem that ends in a rigid body.
///
/// At the breaking strain e the outermost fibres of the stem of radius r bear the moments `E e pi r³/4`.
/// In torsion (a shear of 2 e has the principal strain e) the stem bears `2 G e pi r³/2`.
fn stem_joint(stem: &Stem) -> JointProperties {
    let &Stem { radius, length, moduli, damping, strength, breaking_strain } = stem;
    let length = length.max(SHORTEST_HINGE_IN_RADII * radius);
    let flexibility = Frustum::cylinder(radius, length).flexibility();
    let stiffness = moduli * DVec3::new(1.0, 2.0, 1.0) / flexibility;
    JointProperties {
        stiffness,
        damping: damping * stiffness,
        strength: JointStrength::Detach {
            torque: breaking_strain * moduli * DVec3::new(1.0, 4.0, 1.0) * section_modulus(radius),
            tension: strength * section(radius),
        },
    }
}

/// Joint of a leaf: the compliance of its whole petiole, because the leaf body is rigid.
pub fn leaf_joint(leaf: &Leaf, material: &LeafMaterial) -> JointProperties {
    let moduli = DVec3::new(material.flap_modulus, material.twist_modulus, material.sway_modulus);
    stem_joint(&Stem {
        radius: f64::from(leaf.petiole_radius),
        length: f64::from(leaf.petiole_length),
        moduli,
        damping: material.damping,
        strength: material.abscission_strength,
        breaking_strain: material.breaking_strain,
    })
}

/// Joint of a fruit: the compliance of its whole stalk.
pub fn fruit_joint(fruit: &Fruit, material: &FruitMaterial) -> JointProperties {
    let moduli = DVec3::new(material.stalk_modulus, material.stalk_twist_modulus, material.stalk_modulus);
    stem_joint(&Stem {
        radius: f64::from(fruit.stalk_radius),
        length: f64::from(fruit.stalk_length),
        moduli,
        damping: material.damping,
        strength: material.abscission_strength,
        breaking_strain: material.breaking_strain,
    })
}
