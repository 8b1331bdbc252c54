//! Wind loads on bodies: quigley2017, sections 7 and 8.
//!
//! Each simulated body has a centre. The wind gives the velocities at the centres of a whole block in one
//! batch, and the laws of `law.rs` give force, torque and their derivatives. Bodies that are not
//! simulated load the body that carries them through its drag tensor (`block/sail.rs`).

mod law;

pub use law::{AeroLoad, aero_load};

use crate::block::air_samples::AirSamples;
use crate::block::sail::Sails;
pub use crate::block::sail::{LeafAir, LeafSail, RiderDrag, RiderDragSum, Sail, WoodSail};
use crate::block::{Lumped, Motion};
use crate::math::{Real, Sym3, Vec3};

/// The load of the air on one body, world axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AirLoad<T> {
    /// From the joint to the point of application of the force, m.
    pub arm: Vec3<T>,
    pub force: Vec3<T>,
    pub torque: Vec3<T>,
    /// -dF/dv, N s/m.
    pub drag: Sym3<T>,
    /// -dT/d omega, N m s.
    pub spin_drag: Sym3<T>,
    /// A bound of the change of the torque with the angle, N m/rad.
    pub stiffness: Sym3<T>,
}

impl<T: Real> Sails<T> {
    /// The air load on a body in a step of `h` seconds, in a sampled wind.
    pub(crate) fn air_load(
        &self,
        i: usize,
        air: &AirSamples,
        motion: &Motion<T>,
        mass: &Lumped<T>,
        h: T,
    ) -> AirLoad<T> {
        let sail = self.own.get(i, mass, &self.leaf);
        let rotation = motion.rotation();
        let (arm, v) = relative(air.velocity(i), motion, sail.center);
        let aero_load = aero_load((&sail, &self.leaf), mass.mass, rotation.transpose_mul(v));
        // Flutter that a step cannot resolve is damped, the more the less it is resolved: its vibration
        // is no physical motion.
        let z = aero_load.stiffness.sum() * h * h / mass.inertia.trace();
        let spin_drag = aero_load.spin_drag + aero_load.stiffness * (h * z / (T::one() + z));
        let spin = rotation.transpose_mul(motion.omega);
        AirLoad {
            arm,
            force: rotation * aero_load.force,
            torque: rotation * (aero_load.torque - spin_drag.scale(spin)),
            drag: aero_load.drag.turned(rotation),
            spin_drag: Sym3::diagonal_turned(spin_drag, rotation),
            stiffness: Sym3::diagonal_turned(aero_load.stiffness, rotation),
        }
    }
}

/// From the joint to a point of a body, and the velocity of the air relative to that point, world axes.
pub(crate) fn relative<T: Real>(air: Vec3<T>, motion: &Motion<T>, center: Vec3<T>) -> (Vec3<T>, Vec3<T>) {
    let arm = motion.rotation() * center;
    (arm, air - motion.velocity - motion.omega.cross(arm))
}
