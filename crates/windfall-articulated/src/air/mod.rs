//! Wind loads on bodies: quigley2017, sections 7 and 8.
//!
//! Each simulated body has a centre. The wind gives the velocities at the centres of a whole block in one
//! batch, and the laws of `law.rs` give force, torque and their derivatives. Bodies that are not
//! simulated load the body that carries them through its drag tensor (`sail.rs`).

mod coupled;
mod law;
mod sail;

pub use law::{AeroLoad, aero_load};
pub(crate) use sail::{AnySails, OwnSails};
pub use sail::{LeafAir, LeafSail, RiderDrag, RiderDragSum, Sail, WoodSail};
use windfall_core::glam::DVec3;
use windfall_solver::Wind;
use windfall_solver::wind::{Points, Velocities};

use crate::math::{Real, Sym3, Vec3};
use crate::wide::{self, Vectors};
use crate::world::World;
use crate::world::block::{Block, Link, Lumped, Motion};
use crate::world::bytes::held;
use crate::world::rows::LANES;

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

/// The sails of a block, and scratch for the wind at their centres.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sails<T> {
    /// Sails of all bodies of the block.
    pub own: OwnSails<T>,
    pub leaf: LeafAir<T>,
    /// Bodies that carry bodies that are not simulated: index in the block, and the drag of these riders.
    pub rider_drags: Vec<(u32, RiderDrag<T>)>,
    /// Points at which the wind is sampled, world metres; lent, as the next field
    /// (`world/thread_scratch.rs`).
    pub points: [Vec<f32>; 3],
    /// Velocities of the air at the centres, m/s.
    pub velocities: [Vec<f32>; 3],
}

impl<T> Sails<T> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        let Self { own, leaf: _, rider_drags, points, velocities } = self;
        let air = points.iter().chain(velocities).map(held).sum::<usize>();
        own.bytes() + held(rider_drags) + air
    }
}

/// The air of one step.
pub(crate) struct StepAir<'a> {
    pub wind: &'a dyn Wind,
    /// Time at the beginning of the step, s.
    pub time: f64,
    /// Length of the step, s.
    pub dt: f64,
    /// The anchor of every tree and piece, from which positions are counted, world metres.
    pub anchors: &'a [DVec3],
    pub vectors: Vectors,
}

impl<'a> StepAir<'a> {
    /// The air of a step of `dt` seconds that begins at `time`; `None` without wind.
    pub fn of(
        wind: Option<&'a dyn Wind>,
        anchors: &'a [DVec3],
        (time, dt): (f64, f64),
        vectors: Vectors,
    ) -> Option<Self> {
        wind.map(|wind| Self { wind, time, dt, anchors, vectors })
    }
}

impl<T: Real> World<T> {
    /// Takes the anchors of all trees and pieces, in the scratch of the world: return it after use.
    pub(crate) fn take_anchors(&mut self) -> Vec<DVec3> {
        let mut anchors = std::mem::take(&mut self.anchors);
        anchors.clear();
        anchors.extend((0..(self.bases.len() + self.pieces.len()) as u32).map(|anchor| self.anchor_position(anchor)));
        anchors
    }
}

/// Bodies whose air loads are applied one by one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AirTarget {
    All,
    /// Only bodies that are not swept with their row.
    Alone,
    None,
}

/// Passes the air loads of these bodies of a block, and of all bodies that carry riders, to `apply`.
pub(crate) fn apply_air<T: Real>(
    block: &mut Block<T>,
    step_air: &StepAir<'_>,
    target: AirTarget,
    mut apply: impl FnMut(&mut Block<T>, usize, &AirLoad<T>),
) {
    let mut sails = std::mem::take(&mut block.model.sails);
    let h = T::of(step_air.dt);
    sails.ask(block, step_air);
    let any = target == AirTarget::All || target == AirTarget::Alone && block.plan.any_alone;
    for row in 0..if any { block.plan.batches.len() } else { 0 } {
        let lanes = if target == AirTarget::All { u8::MAX } else { block.plan.batches[row].alone() };
        if lanes == 0 {
            continue;
        }
        for i in (0..LANES).filter(|l| lanes >> l & 1 == 1).map(|l| row * LANES + l) {
            if block.state.links[i] != Link::Removed {
                let air_load = sails.air_load(i, &block.motion(i), &block.model.masses.get(i), h);
                apply(block, i, &air_load);
            }
        }
    }
    for (j, (i, rider_drag)) in sails.rider_drags.iter().enumerate() {
        let motion = block.motion(*i as usize);
        let rotation = motion.rotation();
        let (arm, v) = sails.relative(&motion, rider_drag.center, block.len() + j);
        let speed = v.length();
        let quadratic = rider_drag.quadratic.turned(rotation) * speed;
        let linear = rider_drag.linear.turned(rotation);
        let air_load = AirLoad {
            arm,
            force: (quadratic + linear) * v,
            torque: Vec3::zero(),
            // Factor two because the force is quadratic in v: exact along the wind, too much across it.
            drag: quadratic * T::of(2.0) + linear,
            spin_drag: Sym3::zero(),
            stiffness: Sym3::zero(),
        };
        apply(block, *i as usize, &air_load);
    }
    block.model.sails = sails;
}

impl<T: Real> Sails<T> {
    /// Samples the wind at all centres.
    fn ask(&mut self, block: &Block<T>, step_air: &StepAir<'_>) {
        let count = block.len() + self.rider_drags.len();
        for list in self.points.iter_mut().chain(&mut self.velocities) {
            // Longer lists keep their length: the next block may need it.
            list.resize(list.len().max(count), 0.0);
        }
        let swept = if step_air.vectors == Vectors::None {
            0
        } else {
            wide::find_centers(block, &self.own, step_air.anchors, (step_air.vectors, &mut self.points))
        };
        let [x, y, z] = &mut self.points;
        let own = (swept..block.len()).map(|i| (i, self.own.center(i)));
        let rider_drags = self.rider_drags.iter().map(|(i, rider_drag)| (*i as usize, rider_drag.center));
        for (at, (i, center)) in (swept..).zip(own.chain(rider_drags)) {
            let motion = block.motion(i);
            let point = step_air.anchors[motion.anchor as usize] + (motion.position + motion.rotation() * center).f64();
            (x[at], y[at], z[at]) = (point.x as f32, point.y as f32, point.z as f32);
        }
        let [u, v, w] = &mut self.velocities;
        let points = Points::new(&x[..count], &y[..count], &z[..count]);
        let velocities = Velocities::new(&mut u[..count], &mut v[..count], &mut w[..count]);
        step_air.wind.velocities(step_air.time, points, velocities);
    }

    /// The air load on a body in a step of `h` seconds, after the wind was sampled.
    pub fn air_load(&self, i: usize, motion: &Motion<T>, mass: &Lumped<T>, h: T) -> AirLoad<T> {
        let sail = self.own.get(i, mass, &self.leaf);
        let rotation = motion.rotation();
        let (arm, v) = self.relative(motion, sail.center, i);
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

    /// From the joint to a point of a body, and the velocity of the air relative to that point, world
    /// axes. Air whose velocity is not a number counts as still.
    fn relative(&self, motion: &Motion<T>, center: Vec3<T>, at: usize) -> (Vec3<T>, Vec3<T>) {
        let arm = motion.rotation() * center;
        let [u, v, w] = &self.velocities;
        let air = Vec3::new(T::of(u[at].into()), T::of(v[at].into()), T::of(w[at].into()));
        let air = if air.is_finite() { air } else { Vec3::zero() };
        (arm, air - motion.velocity - motion.omega.cross(arm))
    }
}
