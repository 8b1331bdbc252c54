//! The sweep up of eight leaves in their own axes: see the head of [`super`].

use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::{Blade, Coupling, Inertia, law, plus_levered, silent_aside};
use crate::implicit::{LeafWork, Step};
use crate::wide::air::{self, Spin, resistance, spin};
use crate::wide::heard::parents_of_bunch;
use crate::wide::math::{Factors, M, Q, Sym, V, all, less, number};
use crate::wide::rotation::log;
use crate::wide::up::{Bundle, Said, Spring, between, spring};
use crate::wide::{guard, prefetch};
use crate::world::block::Block;
use crate::world::rows::Row;

/// Eight leaves with the air around them, in their own axes.
struct Leaves<S: Simd> {
    inertia: Inertia<S>,
    coupling: Coupling<S>,
    /// Without the mass of the leaves.
    drag: Sym<S>,
    mass: Sym<S>,
    torque: V<S>,
    force: V<S>,
}

/// Sweeps the rows of a bunch; `first` is the first row of leaves.
#[inline(always)]
pub fn bunch<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, rows, first): (usize, usize, usize),
    step: &Step<f32>,
    is_windy: bool,
) {
    let mut sum = Said::nothing(simd);
    for row in row..row + rows {
        let said = self::row(simd, block, (row, first), step, is_windy);
        sum.add(&said, silent_aside(simd, block.batches[row]));
    }
    let links = parents_of_bunch(block, row, rows);
    sum.send(simd, block, &links, u8::MAX);
}

/// Sweeps one row, and gives what the parents feel of it; `first` is the first row of leaves.
#[inline(always)]
pub fn row<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, first): (usize, usize),
    step: &Step<f32>,
    is_windy: bool,
) -> Said<S> {
    prefetch::leaves_up(block, row, first, step.is_far);
    let vector = log(Q::of(simd, &block.states.rows()[row].q));
    let rotation = Q::of(simd, &block.motions.rows()[row].orientation).matrix();
    let pull = -V::of(simd, &block.reactions.rows()[row].force);
    let leaves = leaves(simd, block, (row, first), (rotation, pull), step, is_windy);
    let motion = &block.motions.rows()[row];
    let trace = leaves.inertia.trace();
    let Spring { force, diagonal, rate } = spring(simd, block, row, (vector, trace), step);
    let back = rate.transpose();
    let spring = (-(back * force), Sym::diagonal_turned(diagonal, back));
    let turns = (V::of(simd, &motion.coriolis), V::of(simd, &motion.centripetal));
    let arm = V::of(simd, &motion.arm);
    let work = &mut block.leaf_works.rows_mut()[row - first];
    leaves.put(work);
    let (joint, push, handed) = leaves.through_joint(spring, (rotation, turns), step);
    joint.put(&mut work.joint);
    push.put(&mut work.push);
    Said::of(handed, arm, rotation * pull)
}

#[inline(always)]
fn leaves<S: Simd>(
    simd: S,
    block: &Block<f32>,
    (row, first): (usize, usize),
    (rotation, pull): (M<S>, V<S>),
    step: &Step<f32>,
    is_windy: bool,
) -> Leaves<S> {
    let motion = &block.motions.rows()[row];
    let blade = Blade::of(simd, &block.masses, row - first);
    let Blade { mass: weight, moment, inertia: mut spread } = blade;
    let own = |v| rotation.transpose_mul(V::of(simd, v));
    let (omega, alpha) = (own(&motion.omega), own(&motion.alpha));
    let turning = guard::in_products(omega, step.h);
    let V { x, y, z } = turning;
    // Of a point at (0, 1, 0).
    let swing = V::new(x * y, -(x.mul_add(x, z * z)), y * z);
    let mut torque = turning.cross(spread.scale(turning));
    let mut force = swing * moment;
    let mut drag = Sym::identity(all(simd, 0.0));
    let center = number(simd, &block.sails.own.leaves()[row - first].center);
    let mut c = all(simd, 0.0);
    let age = all(simd, step.age);
    if is_windy {
        c = center;
        let air = air::velocity(simd, &block.sails, row) - V::of(simd, &motion.velocity);
        let gust = law::blow(simd, (&block.sails, row), blade, plus_levered(rotation.transpose_mul(air), c, omega));
        let Spin { torque: turn, resistance: held } = spin(&gust, alpha.times_plus(age, -omega), spread.sum(), step);
        // Acceleration of the centre, but for what comes from alpha and a.
        let other = swing.times_plus(c, rotation.transpose_mul(V::all(simd, step.gravity)));
        let acceleration = plus_levered(own(&motion.felt) + other, -c, alpha);
        let g = gust.drag.own();
        drag = g * resistance(g.trace(), weight, step);
        let f = (-gust.force.plus(g.full(), acceleration * age)).plus(drag.full(), other);
        force += f;
        torque = plus_levered(torque - turn, c, f);
        spread += held;
    }
    let square = c * c;
    let mut inertia = Inertia {
        xx: square.mul_add(drag.zz, spread.x),
        yy: spread.y,
        zz: square.mul_add(drag.xx, spread.z),
        xz: -(square * drag.xz),
    };
    // A leaf pulls at itself, at its tip at most.
    let taut = guard::positive(pull.y * center * all(simd, 2.0));
    if let Some(tension) = guard::tightened(taut, inertia.trace(), step) {
        inertia.xx += tension.inertia;
        inertia.zz += tension.inertia;
        let old = alpha.times_plus(-age, omega);
        torque.x = old.x.mul_add(tension.torque, torque.x);
        torque.z = old.z.mul_add(tension.torque, torque.z);
    }
    let coupling = Coupling::new(drag, c, moment);
    Leaves { inertia, coupling, drag, mass: drag.plus_diagonal(weight), torque, force }
}

impl<S: Simd> Leaves<S> {
    /// As `through_joint` of `wide/up.rs`, with what is given and what comes out in world axes.
    #[inline(always)]
    fn through_joint(
        &self,
        (spring, r): (V<S>, Sym<S>),
        (rotation, turns): (M<S>, (V<S>, V<S>)),
        step: &Step<f32>,
    ) -> (Factors<S>, V<S>, Bundle<S>) {
        let Self { inertia: a, coupling: b, mass: m, torque: n, force: f, .. } = *self;
        let d = Sym { xx: a.xx + r.xx, yy: a.yy + r.yy, zz: a.zz + r.zz, xz: a.xz + r.xz, ..r }.factor();
        let u = spring - n;
        // What the joint's own motion adds to the accelerations loads the leaf like any other acceleration.
        let (coriolis, centripetal) = (rotation.transpose_mul(turns.0), rotation.transpose_mul(turns.1));
        let added = a.times_plus(coriolis, b.times_plus(centripetal, V::splat(all(n.x.simd, 0.0))));
        let free = guard::rate(d.solve(u - added), step.h);
        // D^-1 B, column by column; the row of y of B is zero.
        let p = d.solve_beside_y(b.x.x, b.z.x);
        let q = d.solve_beside_y(b.x.y, b.z.y);
        let s = d.solve_beside_y(b.x.z, b.z.z);
        let b1 = r.full() * M::new(p, q, s).transpose();
        let m1 = Sym {
            xx: less(less(m.xx, b.x.x, p.x), b.z.x, p.z),
            yy: less(less(m.yy, b.x.y, q.x), b.z.y, q.z),
            zz: less(less(m.zz, b.x.z, s.x), b.z.z, s.z),
            xy: less(less(m.xy, b.x.x, q.x), b.z.x, q.z),
            xz: less(less(m.xz, b.x.x, s.x), b.z.x, s.z),
            yz: less(less(m.yz, b.x.y, s.x), b.z.y, s.z),
        };
        // A D^-1 Kh
        let [x, y, z] = r.full().rows;
        let (x, y, z) = (d.solve(x), d.solve(y), d.solve(z));
        let a1 = Sym {
            xx: a.xx.mul_add(x.x, a.xz * x.z),
            yy: a.yy * y.y,
            zz: a.xz.mul_add(z.x, a.zz * z.z),
            xy: a.yy * x.y,
            xz: a.xx.mul_add(z.x, a.xz * z.z),
            yz: a.yy * z.y,
        };
        let torque = a.times_plus(free, n + added);
        let force = b.transposed_plus(free + coriolis, f).plus(m.full(), centripetal);
        let handed = Bundle {
            inertia: a1.turned(rotation),
            coupling: (rotation * b1).times_transposed(rotation),
            mass: m1.turned(rotation),
            torque: rotation * torque,
            force: rotation * force,
        };
        let is_right = handed.is_finite() & between(a1, a.trace()) & between(m1, m.trace());
        if is_right.all_true() {
            return (d, u, handed);
        }
        let body = Bundle {
            inertia: a.turned(rotation),
            coupling: b.turned(rotation),
            mass: m.turned(rotation),
            torque: rotation * n,
            force: rotation * f,
        };
        (d.where_right(is_right), u, Bundle::select(is_right, handed, body.moving(turns)))
    }

    #[inline(always)]
    fn put(&self, row: &mut LeafWork<Row<f32>>) {
        let Inertia { xx, yy, zz, xz } = self.inertia;
        for (row, number) in row.inertia.iter_mut().zip([xx, yy, zz, xz]) {
            row.0 = number.into();
        }
        self.drag.put(&mut row.drag);
        self.torque.put(&mut row.torque);
        self.force.put(&mut row.force);
    }
}
