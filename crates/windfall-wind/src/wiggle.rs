//! The rotation of the wind back and forth about the up axis of quigley2017, section 7.
//!
//! ```text
//! s  = v x j / |v x j|                                  level, across the wind
//! v' = |v| (v + h s) / |v + h s|                        the magnitude is kept
//! h(r, t) = a(r) sin(2 pi (r / lambda - t / T))         r = horizontal distance to the axis
//! ```
//!
//! | | | |
//! |---|---|---|
//! | v | the inner wind | m/s |
//! | a | `swing`: a spline through points (distance, m/s), constant outside | m, m/s |
//! | lambda, T | `wavelength` and `swing_period` of the rings that run outwards | m, s |
//!
//! The wind turns by atan(h / |v|). The paper's h is a spline of the distance that oscillates, with the tree's root at the
//! origin; here the axis is free, and with several axes (the trees of a park) r is the distance to the nearest, so that h stays
//! continuous between them.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use std::iter::zip;

use fearless_simd::{Level, dispatch, f32x8, prelude::*};
use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;
use windfall_core::wind::Velocities;

use crate::check::{Check, repeating};
use crate::curve::Spline;
use crate::direction::FASTEST;
use crate::flow::{CHUNK, Flow, LANES, ONES};
use crate::lanes::{add_to, sines_of_turns};
use crate::room::Local;
use crate::spec::Model;
use crate::uniform::sine_of_turns;

const MOST_AXES: usize = 1000;
/// Slower air than this has no direction to be turned from, m/s.
const STILL: f64 = 1e-9;

/// A wind that turns back and forth on rings around axes (`kind = "wiggle"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wiggle {
    /// Where the axes stand: x and z of each, m; 1 to 1000, default one at the origin.
    #[serde(default = "origin")]
    pub axes: Vec<[f64; 2]>,
    /// Points `[distance, h]` of the speed across the wind, m and m/s, by increasing distance; default 1 m/s everywhere.
    #[serde(default = "one_everywhere")]
    pub swing: Vec<[f64; 2]>,
    /// Distance from ring to ring, m; 0.1 to 1e6, default 10.
    #[serde(default = "ten")]
    pub wavelength: f64,
    /// Time from swing to swing, s; 0.05 to 1e6, default 4.
    #[serde(default = "four")]
    pub swing_period: f64,
    /// What is turned.
    pub wind: Box<Model>,
}

fn origin() -> Vec<[f64; 2]> {
    vec![[0.0, 0.0]]
}

fn one_everywhere() -> Vec<[f64; 2]> {
    vec![[0.0, 1.0]]
}

fn ten() -> f64 {
    10.0
}

fn four() -> f64 {
    4.0
}

impl Wiggle {
    pub(crate) fn check(&self, check: &mut Check) {
        if self.axes.is_empty() || self.axes.len() > MOST_AXES {
            let rule = format!("must be 1 to {MOST_AXES} axes");
            check.broken("axes", format_args!("{} axes", self.axes.len()), rule);
        }
        for (i, axis) in self.axes.iter().enumerate().take(MOST_AXES) {
            check.place(&format!("axes[{i}]"), axis);
        }
        check.points("swing", &self.swing, 0.0..=1e6, -FASTEST..=FASTEST);
        check.number("wavelength", self.wavelength, 0.1..=1e6);
        check.number("swing_period", self.swing_period, 0.05..=1e6);
        check.inside("wind", |check| self.wind.check(check));
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        Box::new(Wiggling {
            axes: self.axes.clone(),
            swing: Spline::new(&self.swing),
            per_wavelength: 1.0 / self.wavelength,
            frequency: repeating(1.0 / self.swing_period, period),
            flow: self.wind.flow(period),
        })
    }
}

struct Wiggling {
    axes: Vec<[f64; 2]>,
    swing: Spline,
    /// 1/m.
    per_wavelength: f64,
    /// Hz.
    frequency: f64,
    flow: Box<dyn Flow>,
}

impl Flow for Wiggling {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        let away = |[x, z]: &[f64; 2]| ((point.x - x) * (point.x - x) + (point.z - z) * (point.z - z)).sqrt();
        let r = self.axes.iter().map(away).fold(f64::INFINITY, f64::min);
        let h = self.swing.at(r) * sine_of_turns(r * self.per_wavelength - self.frequency * time);
        let v = self.flow.velocity(point, time);
        let across = v.cross(DVec3::Y);
        let turned = v + across * (h / across.length().max(STILL));
        turned * (v.length() / turned.length().max(STILL))
    }

    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        let count = weights.len();
        let mut inner = [[0.0; CHUNK]; 3];
        let [vx, vy, vz] = inner.each_mut().map(|v| &mut v[..count]);
        self.flow.add(time, points, &ONES.0[..count], &mut Velocities::new(vx, vy, vz));
        let turns = self.frequency * time;
        let inner = inner.each_ref().map(|v| &v[..count]);
        dispatch!(Level::new(), simd => {
            self.turn(simd, (turns - turns.floor()) as f32, points, (inner, weights), out.slices());
        });
    }
}

impl Wiggling {
    /// Adds the inner wind, turned by h. `turns` is how often the rings have come by.
    #[inline(always)]
    fn turn<S: Simd>(
        &self,
        simd: S,
        turns: f32,
        points: Local<'_>,
        (inner, weights): ([&[f32]; 3], &[f32]),
        out: [&mut [f32]; 3],
    ) {
        let [px, _, pz] = points.slices().map(in_eights);
        let ([vx, vy, vz], [x, y, z]) = (inner.map(in_eights), out.map(in_eights_mut));
        // Mostly the only one.
        let first = local(self.axes[0], points.origin);
        // Squares, so that roots are few.
        let (still, per_wavelength) = (f32x8::splat(simd, (STILL * STILL) as f32), self.per_wavelength as f32);
        // Two loops: a processor looks ahead only so far, and this way it sees more points at once.
        let mut swings = [0.0; CHUNK];
        for ((px, pz), h) in zip(zip(px, pz), in_eights_mut(&mut swings)) {
            let place = [f32x8::from_slice(simd, px), f32x8::from_slice(simd, pz)];
            let r = self.nearest(first, points.origin, place).sqrt();
            (self.swing.lanes(r) * sines_of_turns(r * per_wavelength - turns)).store_slice(h);
        }
        let of = zip(zip(in_eights(&swings), in_eights(weights)), zip(vx, zip(vy, vz)));
        for (((h, weight), (vx, (vy, vz))), (x, (y, z))) in zip(of, zip(x, zip(y, z))) {
            let h = f32x8::from_slice(simd, h);
            let weight = f32x8::from_slice(simd, weight);
            let (vx, vy) = (f32x8::from_slice(simd, vx), f32x8::from_slice(simd, vy));
            let vz = f32x8::from_slice(simd, vz);
            // v x j = (-v_z, 0, v_x).
            let level = vx * vx + vz * vz;
            // What lies across the wind is h long. With one division for both: they take longest.
            let square = level + vy * vy;
            let (level, whole) = (level.max(still), (square + h * h).max(still));
            let share = square / (level * whole);
            let keep = weight * (share * level).sqrt();
            let across = weight * h * share.sqrt();
            add_to(simd, x, keep * vx - across * vz);
            add_to(simd, y, keep * vy);
            add_to(simd, z, keep * vz + across * vx);
        }
    }

    /// Squares of the distances to the nearest axis, m²; `first` is the first of them, and what axes are counted from is `origin`, as points are.
    #[inline(always)]
    fn nearest<S: Simd>(&self, first: [f32; 2], origin: DVec3, [x, z]: [f32x8<S>; 2]) -> f32x8<S> {
        let away = |[ax, az]: [f32; 2]| (x - ax) * (x - ax) + (z - az) * (z - az);
        self.axes[1..].iter().fold(away(first), |nearest, axis| nearest.min(away(local(*axis, origin))))
    }
}

/// An axis counted from the middle of a room.
fn local([x, z]: [f64; 2], origin: DVec3) -> [f32; 2] {
    [(x - origin.x) as f32, (z - origin.z) as f32]
}

fn in_eights(numbers: &[f32]) -> &[[f32; LANES]] {
    numbers.as_chunks().0
}

fn in_eights_mut(numbers: &mut [f32]) -> &mut [[f32; LANES]] {
    numbers.as_chunks_mut().0
}
