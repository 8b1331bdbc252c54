//! Wind on bodies: quigley2017, sections 7 and 8.
//!
//! Every simulated body is asked for its centre, the wind for its velocity there (a whole block at once), and the laws of `law.rs` for force, torque and how
//! both resist. What is not simulated loads the body that carries it through its drag tensor (`sail.rs`).

mod law;
mod sail;

pub use law::{Blow, blow};
pub(crate) use sail::OwnSails;
pub use sail::{LeafAir, LeafSail, Rigging, Riggings, Sail, WoodSail};
use windfall_core::Wind;
use windfall_core::glam::DVec3;
use windfall_core::wind::{Points, Velocities};

use crate::math::{Real, Sym3, Vec3};
use crate::wide::{self, Vectors};
use crate::world::World;
use crate::world::block::{Block, Link, Lumped, Motion};
use crate::world::bytes::held;
use crate::world::rows::LANES;

/// What air does to one body, world axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gust<T> {
    /// From the joint to where the force acts, m.
    pub arm: Vec3<T>,
    pub force: Vec3<T>,
    pub torque: Vec3<T>,
    /// -dF/dv, N s/m.
    pub drag: Sym3<T>,
    /// -dT/d omega, N m s.
    pub spin_drag: Sym3<T>,
    /// A bound of how the torque changes with the angle, N m/rad.
    pub stiffness: Sym3<T>,
}

/// The sails of a block, and room for the wind at their centres.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sails<T> {
    /// Of every body of the block.
    pub own: OwnSails<T>,
    pub leaf: LeafAir<T>,
    /// Of those that carry bodies that are not simulated: index in the block, and these.
    pub rigged: Vec<(u32, Rigging<T>)>,
    /// Where the wind is asked for, world metres; lent, like the next (`world/room.rs`).
    pub points: [Vec<f32>; 3],
    /// Of the air at the centres, m/s.
    pub velocities: [Vec<f32>; 3],
}

impl<T> Sails<T> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        let Self { own, leaf: _, rigged, points, velocities } = self;
        let air = points.iter().chain(velocities).map(held).sum::<usize>();
        own.bytes() + held(rigged) + air
    }
}

/// The air of one step.
pub(crate) struct Weather<'a> {
    pub wind: &'a dyn Wind,
    /// At the beginning of the step, s.
    pub time: f64,
    /// Length of the step, s.
    pub dt: f64,
    /// Where the positions of every tree and piece are counted from, world metres.
    pub anchors: &'a [DVec3],
    pub vectors: Vectors,
}

impl<'a> Weather<'a> {
    /// Of a step of `dt` seconds that begins at `time`, if there is any.
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
    /// Where the positions of all trees and pieces are counted from, in the room that the world keeps for them: put it back.
    pub(crate) fn take_anchors(&mut self) -> Vec<DVec3> {
        let mut anchors = std::mem::take(&mut self.anchors);
        anchors.clear();
        anchors.extend((0..(self.bases.len() + self.pieces.len()) as u32).map(|anchor| self.anchor_position(anchor)));
        anchors
    }
}

/// Bodies that hear by themselves what air does to them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whom {
    All,
    /// Those that are not swept with others.
    Alone,
    Nobody,
}

/// Gives what air does to these bodies of a block, and to all that carry others, to `apply`.
pub(crate) fn blow_on<T: Real>(
    block: &mut Block<T>,
    weather: &Weather<'_>,
    whom: Whom,
    mut apply: impl FnMut(&mut Block<T>, usize, &Gust<T>),
) {
    let mut sails = std::mem::take(&mut block.sails);
    let h = T::of(weather.dt);
    sails.ask(block, weather);
    let any = whom == Whom::All || whom == Whom::Alone && block.any_alone;
    for row in 0..if any { block.batches.len() } else { 0 } {
        let lanes = if whom == Whom::All { u8::MAX } else { block.batches[row].alone() };
        if lanes == 0 {
            continue;
        }
        for i in (0..LANES).filter(|l| lanes >> l & 1 == 1).map(|l| row * LANES + l) {
            if block.links[i] != Link::Gone {
                let gust = sails.gust(i, &block.motion(i), &block.masses.get(i), h);
                apply(block, i, &gust);
            }
        }
    }
    for (j, (i, rigging)) in sails.rigged.iter().enumerate() {
        let motion = block.motion(*i as usize);
        let rotation = motion.rotation();
        let (arm, v) = sails.relative(&motion, rigging.center, block.len() + j);
        let speed = v.length();
        let quadratic = rigging.quadratic.turned(rotation) * speed;
        let linear = rigging.linear.turned(rotation);
        let gust = Gust {
            arm,
            force: (quadratic + linear) * v,
            torque: Vec3::zero(),
            // Twice: the force is quadratic in v. Along the wind this is exact, across it too much.
            drag: quadratic * T::of(2.0) + linear,
            spin_drag: Sym3::zero(),
            stiffness: Sym3::zero(),
        };
        apply(block, *i as usize, &gust);
    }
    block.sails = sails;
}

impl<T: Real> Sails<T> {
    /// Asks for the wind at all centres.
    fn ask(&mut self, block: &Block<T>, weather: &Weather<'_>) {
        let count = block.len() + self.rigged.len();
        for list in self.points.iter_mut().chain(&mut self.velocities) {
            // Longer ones stay as they are: the next block may need them.
            list.resize(list.len().max(count), 0.0);
        }
        let swept = if weather.vectors == Vectors::None {
            0
        } else {
            wide::find_centers(block, &self.own, weather.anchors, (weather.vectors, &mut self.points))
        };
        let [x, y, z] = &mut self.points;
        let own = (swept..block.len()).map(|i| (i, self.own.center(i)));
        let rigged = self.rigged.iter().map(|(i, rigging)| (*i as usize, rigging.center));
        for (at, (i, center)) in (swept..).zip(own.chain(rigged)) {
            let motion = block.motion(i);
            let point = weather.anchors[motion.anchor as usize] + (motion.position + motion.rotation() * center).f64();
            (x[at], y[at], z[at]) = (point.x as f32, point.y as f32, point.z as f32);
        }
        let [u, v, w] = &mut self.velocities;
        let points = Points::new(&x[..count], &y[..count], &z[..count]);
        let velocities = Velocities::new(&mut u[..count], &mut v[..count], &mut w[..count]);
        weather.wind.velocities(weather.time, points, velocities);
    }

    /// What air does to a body, after it was asked, in a step of `h` seconds.
    pub fn gust(&self, i: usize, motion: &Motion<T>, mass: &Lumped<T>, h: T) -> Gust<T> {
        let sail = self.own.get(i, mass, &self.leaf);
        let rotation = motion.rotation();
        let (arm, v) = self.relative(motion, sail.center, i);
        let blow = blow((&sail, &self.leaf), mass.mass, rotation.transpose_mul(v));
        // Flutter that a step can't resolve is damped as far as it is so: its vibration means nothing.
        let z = blow.stiffness.sum() * h * h / mass.inertia.trace();
        let spin_drag = blow.spin_drag + blow.stiffness * (h * z / (T::one() + z));
        let spin = rotation.transpose_mul(motion.omega);
        Gust {
            arm,
            force: rotation * blow.force,
            torque: rotation * (blow.torque - spin_drag.scale(spin)),
            drag: blow.drag.turned(rotation),
            spin_drag: Sym3::diagonal_turned(spin_drag, rotation),
            stiffness: Sym3::diagonal_turned(blow.stiffness, rotation),
        }
    }

    /// From the joint to a point of a body, and the velocity of the air relative to it, world axes. Air that is not a number does not move.
    fn relative(&self, motion: &Motion<T>, center: Vec3<T>, at: usize) -> (Vec3<T>, Vec3<T>) {
        let arm = motion.rotation() * center;
        let [u, v, w] = &self.velocities;
        let air = Vec3::new(T::of(u[at].into()), T::of(v[at].into()), T::of(w[at].into()));
        let air = if air.is_finite() { air } else { Vec3::zero() };
        (arm, air - motion.velocity - motion.omega.cross(arm))
    }
}
