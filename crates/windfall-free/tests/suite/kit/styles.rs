//! Measures of a falling leaf, and the classification of its style.

use std::f64::consts::FRAC_PI_2;

use windfall_core::glam::{DQuat, DVec3};
use windfall_free::FreeBody;
use windfall_solver::params::LeafAirParams;

use super::{Scene, Steady, leaf};

/// A leaf and its initial state.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    pub width: f64,
    pub length: f64,
    pub mass: f64,
    /// From level, about x and about y, and the heading, rad.
    pub tilt: DVec3,
}

/// A maple leaf.
pub const MAPLE: Start = Start { width: 0.06, length: 0.06, mass: 2e-4, tilt: DVec3::new(0.3, 0.1, 0.7) };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Steady,
    Flutter,
    Tumble,
    Spiral,
    Mixed,
}

/// Measures of a fall, after it has settled.
#[derive(Debug, Clone, Copy)]
pub struct Fall {
    /// Mean speeds down and aside, m/s.
    pub down: f64,
    pub aside: f64,
    /// Number of times per second that the leaf turns its other side up.
    pub flips: f64,
    /// Largest angle between normal and vertical, degrees.
    pub tilt: f64,
    /// Turning of the normal, rad/s.
    pub turning: f64,
    /// The part of the turning about one fixed horizontal axis: 1 for a wheel, 0 for a pendulum.
    pub wheel: f64,
    /// The part of the turning about the vertical: 1 for a top.
    pub top: f64,
}

pub fn let_go(air: LeafAirParams, start: Start) -> Scene {
    let mut scene = Scene::empty();
    scene.wind = Some(Steady(DVec3::ZERO));
    scene.air.leaves = air;
    let mut body = leaf(0, start.width, start.length, start.mass, DVec3::ZERO);
    let level = DQuat::from_rotation_x(-FRAC_PI_2);
    body.orientation = DQuat::from_rotation_x(start.tilt.x) * DQuat::from_rotation_z(start.tilt.y) * level;
    body.orientation *= DQuat::from_rotation_z(start.tilt.z);
    scene.bodies.add(body).unwrap();
    scene
}

pub fn normal(body: &FreeBody) -> DVec3 {
    body.orientation * DVec3::Z
}

/// Measures a fall of `settle` + `watch` seconds.
pub fn watch(air: LeafAirParams, start: Start, dt: f64, settle: f64, watch: f64) -> Fall {
    let mut scene = let_go(air, start);
    scene.run(settle, dt);
    let from = scene.body(0).position;
    let mut last = normal(scene.body(0));
    let (mut turned, mut axis, mut flips, mut tilt) = (0.0, DVec3::ZERO, 0.0, 0.0_f64);
    let steps = (watch / dt).round() as usize;
    for _ in 0..steps {
        scene.step(dt);
        let n = normal(scene.body(0));
        axis += last.cross(n);
        turned += last.cross(n).length();
        flips += f64::from(u8::from(n.y * last.y < 0.0));
        tilt = tilt.max(n.y.abs().min(1.0).acos().to_degrees());
        last = n;
    }
    let way = scene.body(0).position - from;
    Fall {
        down: -way.y / watch,
        aside: way.x.hypot(way.z) / watch,
        flips: flips / watch,
        tilt,
        turning: turned / watch,
        wheel: axis.x.hypot(axis.z) / turned.max(1e-9),
        top: axis.y.abs() / turned.max(1e-9),
    }
}

impl Fall {
    pub fn style(&self) -> Style {
        if self.tilt < 5.0 {
            Style::Steady
        } else if self.flips > 1.0 && self.wheel > 0.9 {
            Style::Tumble
        } else if self.flips == 0.0 && self.top > 0.5 {
            Style::Spiral
        } else if self.flips == 0.0 && self.top < 0.1 && self.wheel < 0.1 {
            Style::Flutter
        } else {
            Style::Mixed
        }
    }
}

/// Divergence rate of two leaves that start a hair apart, 1/s: the slope of the logarithm of the distance
/// of normals and velocities.
pub fn parting(air: LeafAirParams, start: Start, dt: f64, settle: f64, watch: f64) -> f64 {
    let mut first = let_go(air, start);
    first.run(settle, dt);
    let mut second = let_go(air, start);
    let mut body = *first.body(0);
    body.orientation = DQuat::from_scaled_axis(DVec3::new(1e-9, 2e-9, -1e-9)) * body.orientation;
    second.bodies.set(body).unwrap();
    second.time = first.time;
    let distance = |a: &Scene, b: &Scene| {
        let (a, b) = (a.body(0), b.body(0));
        normal(a).distance(normal(b)) + 0.5 * a.velocity.distance(b.velocity)
    };
    // The mean of the logarithm over the first and the last second, so that swings of the distance don't
    // count.
    let steps = (watch / dt).round() as usize;
    let second_of_steps = (1.0 / dt).round() as usize;
    let (mut early, mut late) = (0.0, 0.0);
    let mut logs = vec![];
    for _ in 0..steps {
        first.step(dt);
        second.step(dt);
        logs.push(distance(&first, &second).max(1e-15).ln());
        // Beyond this the distance is saturated.
        if logs.len() > 3 * second_of_steps && *logs.last().unwrap() > (0.05_f64).ln() {
            break;
        }
    }
    for i in 0..second_of_steps {
        early += logs[i] / second_of_steps as f64;
        late += logs[logs.len() - 1 - i] / second_of_steps as f64;
    }
    (late - early) / ((logs.len() - second_of_steps) as f64 * dt)
}
