//! The sweep up of leaves in their own axes, eight or sixteen at a time: see the head of [`super`].

use fearless_simd::Simd;

use super::{Blade, law, plus_levered, present_lanes};
use crate::block::Block;
use crate::block::articulated::LeafWork;
use crate::block::exchange::RowLoad;
use crate::block::guard::fastest_in_products;
use crate::block::rows::Row;
use crate::implicit::Step;
use crate::math::Vec3;
use crate::wide::air::{self, Resistance, Spin, resistance, spin};
use crate::wide::math::{F, LANES, M, Mask, Q, Sym, V, Wide, all, less};
use crate::wide::parent_kinematics::{Parent, Parents};
use crate::wide::rotation::log;
use crate::wide::up::{Bundle, ForParent, spring};
use crate::wide::{guard, prefetch};

/// Resistance of a rigid joint, over the inertia.
const RIGID: f32 = 1e6;

/// The leaves processed at a time with the air around them, in their own axes.
#[derive(Clone, Copy)]
struct Leaves<S: Wide> {
    /// About the centre, with the resistance to rotation.
    inertia: V<S>,
    /// With the resistance.
    mass: V<S>,
    /// Of the centre, along y.
    c: F<S>,
    /// About the centre, without the terms of the joint's own motion.
    torque: V<S>,
    force: V<S>,
}

/// The parts for the parents about the joints, in the axes of the leaves: masses, inertias, the coupling
/// of x with z and z with x, torque and force.
struct Handed<S: Wide> {
    mass: V<S>,
    inertia: V<S>,
    coupled: [F<S>; 2],
    torque: V<S>,
    force: V<S>,
}

/// Sweeps the rows of a bunch, as many as `wide` takes at a time; `first` is the first row of leaves.
/// Their parts are stored in `row_loads` of the row that they sit on, or sent one by one by way of
/// `aside`.
#[inline(always)]
pub fn bunch<S: Simd, W: Wide<Machine = S>>(
    (simd, wide): (S, W),
    block: &mut Block<f32>,
    (row, rows, first): (usize, usize, usize),
    (row_loads, aside): (&mut [RowLoad<f32>], &mut RowLoad<f32>),
    step: &Step<f32>,
    is_windy: bool,
) {
    let parents = Parents::of_bunch(block, row, rows);
    let carrier = RowKinematics::of(
        &parents.find_parent_kinematics(simd, block, &block.scratch.wood_kinematics.parent_kinematics),
        block,
    );
    // Read where it is needed: kept in registers, it would be spilled to the stack.
    let carrier = std::hint::black_box(&carrier);
    let sum = match parents {
        Parents::Row(on) => &mut row_loads[on],
        Parents::Each(_) => &mut *aside,
    };
    sum[..4].fill([Row([0.0; LANES]); 8]);
    let mut next = row;
    if W::ROWS > 1 {
        while next + W::ROWS <= row + rows {
            self::rows(wide, block, (next, first), (carrier, sum), step, is_windy);
            next += W::ROWS;
        }
    }
    for row in next..row + rows {
        self::rows(simd, block, (row, first), (carrier, sum), step, is_windy);
    }
    if let Parents::Each(links) = parents {
        ForParent::borne(simd, sum).send(simd, block, (&links, row), u8::MAX);
    }
}

/// The motion of the parents of leaves: as [`Parent`], world axes.
struct RowKinematics {
    omega: Vec3<Row<f32>>,
    /// The factor of the angular velocity in velocity products, and that product.
    limit: Row<f32>,
    turning: Vec3<Row<f32>>,
    velocity: Vec3<Row<f32>>,
    alpha: Vec3<Row<f32>>,
    proper_acceleration: Vec3<Row<f32>>,
}

impl RowKinematics {
    #[inline(always)]
    fn of<S: Simd>(parent: &Parent<S>, block: &Block<f32>) -> Self {
        let Parent { velocity, omega, alpha, proper_acceleration, .. } = *parent;
        let limit = guard::limit(omega, fastest_in_products(block.state.ahead.step));
        Self {
            omega: omega.row(),
            limit: Row(limit.into()),
            turning: (omega * limit).row(),
            velocity: velocity.row(),
            alpha: alpha.row(),
            proper_acceleration: proper_acceleration.row(),
        }
    }
}

/// The motion of leaves, in their own axes: as [`Motion`](crate::block::Motion) and its `follow`.
struct Moving<S: Wide> {
    omega: V<S>,
    alpha: V<S>,
    coriolis: V<S>,
    centripetal: V<S>,
}

impl<S: Wide> Moving<S> {
    #[inline(always)]
    fn of(block: &Block<f32>, row: usize, carrier: &RowKinematics, (rotation, arm): (M<S>, V<S>)) -> Self {
        let simd = arm.x.simd;
        let states = &block.state.joints.rows()[row..][..S::ROWS];
        let rate = V::at(simd, |j| &states[j].rate);
        let kept = V::at(simd, |j| &states[j].w) * all(simd, block.state.ahead.keep);
        let turned = rate.times_plus(all(simd, block.state.ahead.gain), kept);
        let carrier_omega = rotation.transpose_mul(V::repeated_of(simd, &carrier.omega));
        let turning = V::repeated_of(simd, &carrier.turning);
        let limit =
            F::repeated_of(simd, &carrier.limit) * guard::limit(turned, fastest_in_products(block.state.ahead.step));
        let coriolis = (carrier_omega * limit).cross(turned);
        Self {
            omega: carrier_omega + turned,
            alpha: rotation.transpose_mul(V::repeated_of(simd, &carrier.alpha)) + coriolis + rate,
            coriolis,
            centripetal: rotation.transpose_mul(turning.cross(turning.cross(arm))),
        }
    }
}

/// Sweeps the rows processed at a time, from this one on, and adds the parts for the parents to `sum`;
/// `first` is the first row of leaves.
#[inline(always)]
fn rows<S: Wide>(
    simd: S,
    block: &mut Block<f32>,
    (row, first): (usize, usize),
    (carrier, sum): (&RowKinematics, &mut RowLoad<f32>),
    step: &Step<f32>,
    is_windy: bool,
) {
    prefetch::leaves_up(block, row, first, step.is_far);
    let (states, poses) =
        (&block.state.joints.rows()[row..][..S::ROWS], &block.scratch.wood_kinematics.poses[row - first..][..S::ROWS]);
    let reactions = &block.state.reactions.rows()[row..][..S::ROWS];
    let vector = log(Q::at(simd, |j| &states[j].q));
    let rotation = Q::at(simd, |j| &poses[j].orientation).matrix();
    let arm = V::at(simd, |j| &poses[j].arm);
    let pull = -F::at(simd, |j| &reactions[j].force.y);
    let moving = Moving::of(block, row, carrier, (rotation, arm));
    let leaves = leaves(simd, block, (row, first), (carrier, &moving), (rotation, arm, pull), step, is_windy);
    // Not prefetched together with the first part: so many requests at a time would stall.
    if S::ROWS > 1 {
        prefetch::leaves_up(block, row + 1, first, step.is_far);
    }
    let spring = spring(simd, block, row, (vector, leaves.about_joint().sum()), step, true).of_leaf();
    let are_there = present_lanes(simd, &block.plan.batches[row..]);
    let works = &mut block.scratch.leaf_works.rows_mut()[row - first..][..S::ROWS];
    let to_top = leaves.through_joint(works, spring, moving.coriolis, step);
    // Read again, not kept.
    let (poses, reactions) = (
        &block.scratch.wood_kinematics.poses[row - first..][..S::ROWS],
        &block.state.reactions.rows()[row..][..S::ROWS],
    );
    let (arm, pull) = (V::at(simd, |j| &poses[j].arm), -V::at(simd, |j| &reactions[j].force));
    to_top.add_to(sum, (rotation, arm, rotation * pull), are_there);
}

#[inline(always)]
fn leaves<S: Wide>(
    simd: S,
    block: &Block<f32>,
    (row, first): (usize, usize),
    (carrier, moving): (&RowKinematics, &Moving<S>),
    (rotation, arm, pull): (M<S>, V<S>, F<S>),
    step: &Step<f32>,
    is_windy: bool,
) -> Leaves<S> {
    let blade = Blade::of(simd, &block.model.masses, row - first);
    let Blade { mass: weight, inertia: spread, .. } = blade;
    let Moving { omega, alpha, coriolis, centripetal } = *moving;
    // Products of angular velocities within the limit: two factors are limited by one of them, without a
    // root.
    let limit = all(simd, step.fastest_in_products * step.fastest_in_products);
    let slower = limit / omega.length_squared().max(limit);
    let (x, z) = (omega.x * slower, omega.z * slower);
    let (xy, yz, zx) = (omega.y * x, omega.y * z, omega.z * x);
    // omega x (omega x r) of a point r at (0, 1, 0).
    let swing = V::new(xy, -(omega.x.mul_add(x, omega.z * z)), yz);
    let sails = &block.model.sails.own.leaves()[row - first..][..S::ROWS];
    let c = F::at(simd, |j| &sails[j].center);
    let mut about_center = blade.about_center(c);
    let V { x: jx, y: jy, z: jz } = about_center;
    let mut torque = V::new((jz - jy) * yz, (jx - jz) * zx, (jy - jx) * xy);
    let mut mass = V::splat(weight);
    let age = all(simd, step.age);
    // The velocity terms in the acceleration of the centre: with the joint's own motion they load the
    // leaf like any other acceleration.
    let added = swing.times_plus(c, centripetal);
    let loading = plus_levered(added, -c, coriolis);
    let mut force = loading * weight;
    if is_windy {
        let air = air::velocity(simd, &block.scratch.air, row)
            - V::repeated_of(simd, &carrier.omega).cross_plus(arm, V::repeated_of(simd, &carrier.velocity));
        let air_load =
            law::aero_load(simd, (&block.model.sails, row), blade, plus_levered(rotation.transpose_mul(air), c, omega));
        let Spin { torque: turn, resistance: held } =
            spin(&air_load, alpha.times_plus(age, -omega), spread.sum(), step);
        let gravity = rotation.transpose_mul_upright(step.gravity);
        let proper_acceleration = rotation.transpose_mul(
            V::repeated_of(simd, &carrier.alpha).cross_plus(arm, V::repeated_of(simd, &carrier.proper_acceleration)),
        );
        let acceleration = plus_levered(proper_acceleration + added + gravity, -c, alpha);
        let g = air_load.drag;
        let Resistance { weight: share, lacking } = resistance(g.sum(), weight * all(simd, 3.0), step);
        let held_back = g.times_plus(share, V::splat(lacking));
        let air_on_pieces = g.scale_plus(acceleration * age, air_load.force);
        mass += held_back;
        force = held_back.scale_plus(gravity, mass.scale_plus(loading, -air_on_pieces));
        torque = torque - turn;
        about_center += held;
    }
    let mut leaves = Leaves { inertia: about_center, mass, c, torque, force };
    // A leaf pulls at itself, at its tip at most.
    let taut = guard::positive(pull * (c + c));
    if let Some(tension) = guard::tightened(taut, leaves.about_joint().sum(), step) {
        leaves.inertia.x += tension.inertia;
        leaves.inertia.z += tension.inertia;
        let old = alpha.times_plus(-age, omega);
        leaves.torque.x = old.x.mul_add(tension.torque, torque.x);
        leaves.torque.z = old.z.mul_add(tension.torque, torque.z);
    }
    leaves
}

impl<S: Wide> Leaves<S> {
    /// The inertia about the joints.
    #[inline(always)]
    fn about_joint(&self) -> V<S> {
        let Self { inertia, mass, c, .. } = *self;
        let square = c * c;
        V::new(square.mul_add(mass.z, inertia.x), inertia.y, square.mul_add(mass.x, inertia.z))
    }

    /// Solves the joints, keeps the values for the sweep down, and returns the parts for the parents. The
    /// torques of the springs, their resistance, and the terms of the joints' own motion in the angular
    /// accelerations are in the axes of the leaves.
    #[inline(always)]
    fn through_joint(
        self,
        works: &mut [LeafWork<Row<f32>>],
        (spring, mut k): (V<S>, V<S>),
        coriolis: V<S>,
        step: &Step<f32>,
    ) -> Handed<S> {
        let Self { inertia, mass, c, torque, force } = self;
        let simd = c.simd;
        let (one, tiny) = (all(simd, 1.0), all(simd, f32::MIN_POSITIVE));
        let about_joint = self.about_joint();
        let is_right = k.sum().is_finite();
        if !is_right.all_true() {
            // Springs beyond the range of numbers are rigid.
            k = V::select(is_right, k, about_joint * all(simd, RIGID));
        }
        let d = (about_joint + k).max(tiny);
        let joint = V::new(one / d.x, one / d.y, one / d.z);
        let torque = plus_levered(inertia.scale_plus(coriolis, torque), c, force);
        let push = spring - torque;
        inertia.put_in(works, |work| &mut work.inertia);
        mass.put_in(works, |work| &mut work.mass);
        torque.put_in(works, |work| &mut work.torque);
        force.put_in(works, |work| &mut work.force);
        joint.put_in(works, |work| &mut work.joint);
        push.put_in(works, |work| &mut work.push);

        let rate = guard::rate(joint.scale(push), step.largest_rate);
        let held = inertia + k;
        // Rigidity of the joints: from 0 for freely turning ones to 1.
        let rigid = k.scale(joint);
        let (pulled_x, pulled_z) = (c * mass.x, c * mass.z);
        Handed {
            mass: V::new(mass.x * (held.z * joint.z), mass.y, mass.z * (held.x * joint.x)),
            inertia: about_joint.scale(rigid),
            coupled: [pulled_z * rigid.x, pulled_x * rigid.z],
            torque: about_joint.scale_plus(rate, torque),
            force: V::new(less(force.x, pulled_x, rate.z), force.y, pulled_z.mul_add(rate.x, force.z)),
        }
    }
}

impl<S: Wide> Handed<S> {
    /// Adds it about the joints of the parents, for the leaves that are present. `arm` leads from there
    /// to the joints of the leaves, which pull with `pull`; both in world axes.
    #[inline(always)]
    fn add_to(
        mut self,
        sum: &mut RowLoad<f32>,
        (rotation, arm, mut pull): (M<S>, V<S>, V<S>),
        are_there: Option<Mask<S>>,
    ) {
        if let Some(mask) = are_there {
            let none = V::splat(all(arm.x.simd, 0.0));
            for v in [&mut self.mass, &mut self.inertia, &mut self.torque, &mut self.force, &mut pull] {
                *v = V::select(mask, *v, none);
            }
            let [x, z] = self.coupled;
            self.coupled = [mask.select(x, none.x), mask.select(z, none.x)];
        }
        let Self { mass, inertia, coupled: [coupled_x, coupled_z], torque, force } = self;
        // The axes are orthogonal: the common part of all three needs no rotation.
        let [x, y, z] = rotation.transpose().rows;
        let (about_x, about_z) = (inertia.x - inertia.y, inertia.z - inertia.y);
        // coupled_x x zᵀ - coupled_z z xᵀ: its symmetric part, and the rest, which is a multiple of [y]x.
        let half = all(coupled_x.simd, 0.5);
        let (even, odd) = (x * (half * (coupled_x - coupled_z)), y * (half * (coupled_x + coupled_z)));
        let (xy, xz, yz) =
            (even.x.mul_add(z.y, even.y * z.x), even.x.mul_add(z.z, even.z * z.x), even.y.mul_add(z.z, even.z * z.y));
        let twice = even + even;
        let to_top = Bundle {
            inertia: Sym::identity(inertia.y).plus_outer(x, about_x).plus_outer(z, about_z),
            coupling: M::new(
                V::new(twice.x * z.x, xy - odd.z, xz + odd.y),
                V::new(xy + odd.z, twice.y * z.y, yz - odd.x),
                V::new(xz - odd.y, yz + odd.x, twice.z * z.z),
            ),
            mass: Sym::along_axes(mass, rotation),
            torque: rotation * torque,
            force: rotation * force,
        };
        ForParent::of(to_top, arm, pull).add_to(sum);
    }
}
