//! Drag that acts through many joints in a row at once.
//!
//! Drag couples all joints between a leaf and the root: each of them moves the leaf. A joint takes its
//! own share of the derivative implicitly (g in the head of [`super`]) and sees the others only through
//! the velocity of the beginning of the step. In a wind that stops a leaf within less than a step, n such
//! joints each stop it, all at once, and it goes back n times as fast.
//!
//! With A the inertia of a mode (with the terms of damping and spring in a step) and d = h g its drag,
//! a step does not overshoot if
//!
//! ```text
//! sum over a path from the root to a tip of c / q <= 1,      c = d / (A + d) / 2
//! ```
//!
//! where q >= 1 is the factor by which A + d is raised (for
//! `(sum a x)^2 <= (sum s a^2 x^2) (sum 1 / s)`). So nothing is done where the sum Q of c along the path
//! is below 1; otherwise `q = 1 + kappa c`, `kappa = Q (Q - 1) / (sum of c^2)`, which is exact where all
//! c are alike, and hardly changes the joints with little drag: trunk and limbs.

use crate::analytic::Step;
use crate::block::Spring;
use crate::block::drag_share::{DragShare, share};
use crate::math::{Real, Sym3, Vec3};

/// Of one joint, along the axes of its child, which are close enough to its modes. Inertia and drag
/// are in these axes.
pub(crate) fn of_joint<T: Real>(inertia: Sym3<T>, drag: Sym3<T>, spring: &Spring<T>, step: &Step<T>) -> DragShare<T> {
    if drag.trace() == T::zero() {
        return DragShare::none();
    }
    let h = step.h;
    let held = |i: T, k: T| i * (T::one() + step.alpha * h) + k * (spring.beta + h) * h;
    let k = spring.stiffness;
    let shares = Vec3::new(
        share(held(inertia.xx, k.x), drag.xx * h),
        share(held(inertia.yy, k.y), drag.yy * h),
        share(held(inertia.zz, k.z), drag.zz * h),
    );
    DragShare { sum: shares.sum(), squares: shares.length_squared() }
}
