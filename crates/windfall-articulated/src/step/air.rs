//! Sampling the wind of a step at the bodies of a block, and passing on the loads.

use windfall_core::glam::DVec3;
use windfall_solver::Wind;
use windfall_solver::wind::{Points, Velocities};

use crate::air::{AirLoad, relative};
use crate::block::air_samples::AirSamples;
use crate::block::rows::LANES;
use crate::block::sail::Sails;
use crate::block::vectors::Vectors;
use crate::block::{Block, Link};
use crate::math::{Real, Sym3, Vec3};
use crate::wide;

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
    let sails = std::mem::take(&mut block.model.sails);
    let mut air = std::mem::take(&mut block.scratch.air);
    let h = T::of(step_air.dt);
    sample(block, &sails, &mut air, step_air);
    let any = target == AirTarget::All || target == AirTarget::Alone && block.plan.any_alone;
    for row in 0..if any { block.plan.batches.len() } else { 0 } {
        let lanes = if target == AirTarget::All { u8::MAX } else { block.plan.batches[row].alone() };
        if lanes == 0 {
            continue;
        }
        for i in (0..LANES).filter(|l| lanes >> l & 1 == 1).map(|l| row * LANES + l) {
            if block.state.links[i] != Link::Removed {
                let air_load = sails.air_load(i, &air, &block.motion(i), &block.model.masses.get(i), h);
                apply(block, i, &air_load);
            }
        }
    }
    for (j, (i, rider_drag)) in sails.rider_drags.iter().enumerate() {
        let motion = block.motion(*i as usize);
        let rotation = motion.rotation();
        let (arm, v) = relative(air.velocity(block.len() + j), &motion, rider_drag.center);
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
    block.scratch.air = air;
}

/// Samples the wind at all centres.
fn sample<T: Real>(block: &Block<T>, sails: &Sails<T>, air: &mut AirSamples, step_air: &StepAir<'_>) {
    let AirSamples { points, velocities } = air;
    let count = block.len() + sails.rider_drags.len();
    for list in points.iter_mut().chain(&mut *velocities) {
        // Longer lists keep their length: the next block may need it.
        list.resize(list.len().max(count), 0.0);
    }
    let swept = if step_air.vectors == Vectors::None {
        0
    } else {
        wide::find_centers(block, &sails.own, step_air.anchors, (step_air.vectors, points))
    };
    let [x, y, z] = points;
    let own = (swept..block.len()).map(|i| (i, sails.own.center(i)));
    let rider_drags = sails.rider_drags.iter().map(|(i, rider_drag)| (*i as usize, rider_drag.center));
    for (at, (i, center)) in (swept..).zip(own.chain(rider_drags)) {
        let motion = block.motion(i);
        let point = step_air.anchors[motion.anchor as usize] + (motion.position + motion.rotation() * center).f64();
        (x[at], y[at], z[at]) = (point.x as f32, point.y as f32, point.z as f32);
    }
    let [u, v, w] = velocities;
    let points = Points::new(&x[..count], &y[..count], &z[..count]);
    let velocities = Velocities::new(&mut u[..count], &mut v[..count], &mut w[..count]);
    step_air.wind.velocities(step_air.time, points, velocities);
}
