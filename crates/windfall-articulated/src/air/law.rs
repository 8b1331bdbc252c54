//! Loads of the air on one body, in the body's own axes: quigley2017, eq. 21 to 24, with the derivatives
//! that an implicit step needs.
//!
//! v is the velocity of the air relative to the body at its centre; other symbols as in
//! [`windfall_solver::params::AirParams`]. Derivatives are `G = dF/dv`, of which only the symmetric part that
//! resists motion is kept, and `K = -dN/dtheta`, the change of the torque N about the joint as the body
//! turns. A leaf in wind is stiff in both: 0.1 g and 20 cm² in 5 m/s relax within 8 ms.

use crate::block::sail::{Kind, LeafAir, Sail};
use crate::math::{Mat3, Real, Sym3, Vec3};

/// Force and torque on one body, with their derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AeroLoad<T> {
    /// At the centre, N.
    pub force: Vec3<T>,
    /// About the centre, N m.
    pub torque: Vec3<T>,
    /// G, N s/m.
    pub drag: Sym3<T>,
    /// Decrease of the torque per angular velocity, about the body's own axes, N m s.
    pub spin_drag: Vec3<T>,
    /// A bound of |K| about the body's own axes, N m/rad.
    pub stiffness: Vec3<T>,
}

/// The load of air that moves with `v` relative to the centre of a body of this mass (kg), in the body's
/// axes.
pub fn aero_load<T: Real>((sail, leaves): (&Sail<T>, &LeafAir<T>), mass: T, v: Vec3<T>) -> AeroLoad<T> {
    match sail.kind {
        // [quigley2017] eq. 21
        Kind::Wood => straight(Vec3::new(v.x, T::zero(), v.z), Vec3::new(T::one(), T::zero(), T::one()), sail.drag),
        // [quigley2017] eq. 22
        Kind::Fruit => straight(v, Vec3::splat(T::one()), sail.drag),
        Kind::Leaf => leaf((sail, leaves), mass, v),
    }
}

/// `c |v| v`, where v lies in the space whose identity is `diag(one)`.
fn straight<T: Real>(v: Vec3<T>, one: Vec3<T>, c: T) -> AeroLoad<T> {
    let speed = v.length();
    let along = if speed > T::zero() { Sym3::outer(v, c / speed) } else { Sym3::zero() };
    let o = Vec3::zero();
    AeroLoad {
        force: v * (c * speed),
        torque: o,
        drag: Sym3::diagonal(one * (c * speed)) + along,
        spin_drag: o,
        stiffness: o,
    }
}

/// [quigley2017] eq. 23 and 24; n is the z axis.
fn leaf<T: Real>((sail, leaves): (&Sail<T>, &LeafAir<T>), mass: T, v: Vec3<T>) -> AeroLoad<T> {
    let (one, half) = (T::one(), T::of(0.5));
    let Vec3 { x, y, z: s } = v;
    let speed = v.length().max(T::min_positive_value());
    let along = sail.friction * mass;
    let across = along * leaves.slip;
    // F = a (v.n) n + b v
    let (a, b) = (sail.drag * speed + along - across, across);
    let force = Vec3::new(b * x, b * y, (a + b) * s);
    // n x v turned by phi about n, times (v.n).
    let [cosine, sine] = leaves.spiral;
    let q = Vec3::new(-(y * cosine) - x * sine, x * cosine - y * sine, T::zero());
    let torque = q * (sail.torque * s);

    // dF/dv of the first term is c (|v| n n^T + (v.n) n v^T / |v|). Row sums of its symmetric part bound
    // it (Gershgorin), so that drag lies along the axes of the leaf. An implicit step multiplies it by
    // the change of the acceleration, so the bound does not lower the order.
    let steeper = sail.drag * (s / speed);
    let beside = half * steeper.abs();
    let drag = Sym3::diagonal(Vec3::new(
        across + beside * x.abs(),
        across + beside * y.abs(),
        along + sail.drag * speed + steeper * s + beside * (x.abs() + y.abs()),
    ));

    // N = r x F + t; turning by e_x moves n by -e_y, by e_y it moves n by e_x, by e_z not at all.
    let column = |axis: Vec3<T>, moved: Vec3<T>| {
        let ds = v.dot(moved);
        let df = moved * (a * s) + Vec3::new(T::zero(), T::zero(), a * ds);
        let dt = q * (sail.torque * ds)
            + (moved.cross(v) * cosine + (moved * s + Vec3::new(T::zero(), T::zero(), ds)) * sine) * (sail.torque * s);
        axis.cross(sail.center).cross(force) + sail.center.cross(df) + dt
    };
    let o = T::zero();
    let by = [
        column(Vec3::new(one, o, o), Vec3::new(o, -one, o)),
        column(Vec3::new(o, one, o), Vec3::new(one, o, o)),
        column(Vec3::new(o, o, one), Vec3::zero()),
    ];
    let k = Mat3::from_columns(by[0], by[1], by[2]).symmetric_part();
    // Row sums bound the eigenvalues from both sides (Gershgorin). Where air turns a leaf away faster
    // than a step can resolve, the step ends at the next angle of equilibrium at most.
    let stiffness = k.row_sums();
    let over = sail.friction + sail.spin_drag * speed;
    let spin_drag = sail.inertia.scale(Vec3::new(over, over, sail.friction));
    AeroLoad { force, torque, drag, spin_drag, stiffness }
}
