//! Tension: a pulled body holds its direction.
//!
//! A force f that pulls at the end of an arm r of a body holds its direction as a spring
//! would, with the stiffness `G = (r.f) (1 - y y^T)`, y the axis of the body, on which its children sit
//! but for the radius of the wood. Such a spring (a twig pulled taut by a grab out of its reach, a heavy
//! load on a light stalk, a leaf in a centrifuge) is not among the joint springs, and explicit it is
//! unstable from about `h^2 G / A = 0.8` on. With f the forces at the joints in the last step and z = h²
//! tr G / tr A,
//!
//! ```text
//! A += s gamma h^2 G                      as for a joint spring:
//!                                         s = 0 up to z = 0.4, then rising to 1 at z = 0.8
//! A += b h^2 G,    n += b h G omega       backward Euler for motion that a step cannot resolve:
//!                                         b = 0 up to z = 1, then rising to 1 at z = 2
//! ```
//!
//! (the highest mode of a taut chain has up to five times the frequency squared G / A of one link). Free
//! pieces are not attached to the world, and both are 0.

use super::GAMMA;
use crate::math::{Real, Sym3, Vec3};

/// The share of tension in the inertia of a body with the axis `axis` and the angular velocity `omega`,
/// and its torque against that velocity. `square` is h².
pub(crate) fn tension<T: Real>(
    taut: T,
    axis: Vec3<T>,
    inertia: Sym3<T>,
    omega: Vec3<T>,
    (h, square): (T, T),
) -> Option<(Sym3<T>, Vec3<T>)> {
    let (strength, trace) = (square * taut * T::of(2.0), inertia.trace());
    (strength > trace * T::of(0.4)).then(|| {
        let z = strength / trace;
        let ramp = |from: T, over: T| ((z - from) / over).max(T::zero()).min(T::one());
        let spring = ramp(T::of(0.4), T::of(0.4)) * T::of(GAMMA);
        let late = ramp(T::one(), T::one());
        let stiffness = Sym3::diagonal(Vec3::splat(taut)) + Sym3::outer(axis, -taut);
        (stiffness * (square * (spring + late)), stiffness * omega * (h * late))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::guard::taut;

    /// Up to a tension of h² G / A = 0.4 nothing is added, beyond it something is.
    #[test]
    fn weak_pulls_are_not_touched() {
        let inertia = Sym3::diagonal(Vec3::new(1.0, 0.1, 1.0));
        let (up, omega) = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.3, 0.2, 0.1));
        for i in 0..1000_u32 {
            let h = 10_f32.powf(-6.0 + 5.0 * i as f32 / 1000.0);
            let tension = |strength: f32| {
                let pull = Vec3::new(0.0, strength / (h * h), 0.0);
                tension(taut(up, pull), up, inertia, omega, (h, h * h))
            };
            assert!(tension(0.399).is_none());
            assert!(tension(0.43).is_some());
        }
    }
}
