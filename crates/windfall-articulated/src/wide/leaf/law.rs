//! Air loads on eight leaves, in their own axes: `leaf` of `air/law.rs` for a centre that lies on the
//! axis of the leaf.

use super::Blade;
use crate::block::sail::Sails;
use crate::wide::math::{F, V, Wide, all};

/// Force and torque of the air, and their resistance; in the axes of the leaves.
pub struct AirLoad<S: Wide> {
    pub force: V<S>,
    pub torque: V<S>,
    pub drag: V<S>,
    pub spin_drag: V<S>,
    pub stiffness: V<S>,
}

/// [quigley2017] eq. 23 and 24; n is the z axis, and the centre lies at (0, c, 0).
#[inline(always)]
pub fn aero_load<S: Wide>(simd: S, (sails, row): (&Sails<f32>, usize), blade: Blade<S>, v: V<S>) -> AirLoad<S> {
    let (sail, leaf) = (&sails.own.leaves()[row - sails.own.wood().len()..][..S::ROWS], &sails.leaf);
    let (drag, c) = (F::at(simd, |j| &sail[j].drag), F::at(simd, |j| &sail[j].center));
    let mass = blade.mass;
    let (o, half) = (all(simd, 0.0), all(simd, 0.5));
    let tiny = all(simd, f32::MIN_POSITIVE);
    let V { x, y, z: s } = v;
    let slide = x.mul_add(x, y * y);
    let square = s.mul_add(s, slide);
    let speed = square.sqrt().max(tiny);
    let friction = all(simd, leaf.friction);
    let along = friction * mass;
    let across = along * all(simd, leaf.slip);
    let upright = drag.mul_add(speed, along);
    let force = V::new(across * x, across * y, upright * s);
    let (cosine, sine) = (all(simd, leaf.spiral[0]), all(simd, leaf.spiral[1]));
    let t = F::at(simd, |j| &sail[j].torque);
    let twist = t * s;
    // n x v turned by phi about n.
    let (qx, qy) = (-(y.mul_add(cosine, x * sine)), x.mul_sub(cosine, y * sine));
    let torque = V::new(qx * twist, qy * twist, o);

    // The division does not depend on the root.
    let per_speed = s / square.max(tiny).min(all(simd, f32::MAX)) * speed;
    let steeper = drag * per_speed;
    let beside = half * steeper.abs();
    let (ax, ay) = (x.abs(), y.abs());
    let held = V::new(
        beside.mul_add(ax, across),
        beside.mul_add(ay, across),
        beside.mul_add(ax + ay, steeper.mul_add(s, upright)),
    );

    // Row sums of the symmetric part of the change of the torque about the joint with the angle; off the
    // diagonal twice as much.
    let (cx, cy) = (c * x, c * y);
    let turned = s * cosine * twist;
    let xx = cy.mul_add(upright, (t * y).mul_add(qx, turned)).abs();
    let yy = (t * x).mul_sub(qy, turned).abs();
    let zz = (cy * across).abs();
    let xy = cx.mul_add(upright, t * (x.mul_sub(qx, y * qy))).abs();
    let xz = torque.y.abs();
    let yz = (c * s).mul_sub(across, torque.x).abs();
    let stiffness = V::new(half.mul_add(xy + xz, xx), half.mul_add(xy + yz, yy), half.mul_add(xz + yz, zz));
    let over = (all(simd, leaf.spin_drag) * drag / mass).mul_add(speed, friction);
    AirLoad {
        force,
        torque,
        drag: held,
        spin_drag: blade.about_center(c).scale(V::new(over, over, friction)),
        stiffness,
    }
}
