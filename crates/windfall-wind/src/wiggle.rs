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
//! The wind turns by atan(h / |v|). The paper's h is a spline of the distance that oscillates, with the
//! tree's root at the origin; here the axis is free, and with several axes (the trees of a park) r is the
//! distance to the nearest, so that h stays continuous between them.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use std::iter::zip;

use fearless_simd::{Level, dispatch, f32x8, f32x16, prelude::*};
use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;
use windfall_solver::wind::Velocities;

use crate::check::{Check, repeating};
use crate::curve::Spline;
use crate::direction::FASTEST;
use crate::flow::{CHUNK, Flow, ONES};
use crate::lanes::{add_to, sines_of_turns};
use crate::local_points::Local;
use crate::spec::Model;
use crate::uniform::sine_of_turns;

const MOST_AXES: usize = 1000;
/// Speed below which the air has no defined direction, m/s.
const STILL: f64 = 1e-9;

/// A wind that turns back and forth in rings around axes (`kind = "wiggle"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wiggle {
    /// Positions of the axes: x and z of each, m; 1 to 1000 axes, default one at the origin.
    #[serde(default = "origin")]
    pub axes: Vec<[f64; 2]>,
    /// Points `[distance, h]` of the speed across the wind, m and m/s, by increasing distance; default 1
    /// m/s everywhere.
    #[serde(default = "one_everywhere")]
    pub swing: Vec<[f64; 2]>,
    /// Distance between rings, m; 0.1 to 1e6, default 10.
    #[serde(default = "ten")]
    pub wavelength: f64,
    /// Period of the swing, s; 0.05 to 1e6, default 4.
    #[serde(default = "four")]
    pub swing_period: f64,
    /// The wind to turn.
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
    /// Adds the inner wind, turned by h. `turns` is the phase of the rings in turns.
    #[inline(always)]
    fn turn<S: Simd>(
        &self,
        simd: S,
        turns: f32,
        points: Local<'_>,
        (inner, weights): ([&[f32]; 3], &[f32]),
        out: [&mut [f32]; 3],
    ) {
        let [px, _, pz] = points.slices();
        let mut swings = [0.0; CHUNK];
        // Sixteen at a time; eight may remain. Two loops: shorter loop bodies let the CPU's reorder window
        // cover more points at once.
        let (most, count) = (weights.len() / f32x16::<S>::LEN * f32x16::<S>::LEN, weights.len());
        let when = (turns, points.origin);
        self.find_swings::<S, f32x16<S>>(simd, when, [&px[..most], &pz[..most]], &mut swings[..most]);
        self.find_swings::<S, f32x8<S>>(simd, when, [&px[most..], &pz[most..]], &mut swings[most..count]);
        let ([x, y, z], [vx, vy, vz]) = (out.map(|out| out.split_at_mut(most)), inner.map(|v| v.split_at(most)));
        let ((h, h_left), (weights, weights_left)) = (swings[..count].split_at(most), weights.split_at(most));
        add_turned::<S, f32x16<S>>(simd, (h, [vx.0, vy.0, vz.0], weights), [x.0, y.0, z.0]);
        add_turned::<S, f32x8<S>>(simd, (h_left, [vx.1, vy.1, vz.1], weights_left), [x.1, y.1, z.1]);
    }

    /// h at some points, N at a time.
    #[inline(always)]
    fn find_swings<S: Simd, N: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        (turns, origin): (f32, DVec3),
        [px, pz]: [&[f32]; 2],
        swings: &mut [f32],
    ) {
        // In most cases the only axis.
        let first = local(self.axes[0], origin);
        let per_wavelength = self.per_wavelength as f32;
        for ((px, pz), h) in zip(zip(px.chunks_exact(N::LEN), pz.chunks_exact(N::LEN)), swings.chunks_exact_mut(N::LEN))
        {
            let r = self.nearest(first, origin, [N::from_slice(simd, px), N::from_slice(simd, pz)]).sqrt();
            (self.swing.lanes(r) * sines_of_turns(r * per_wavelength - turns)).store_slice(h);
        }
    }

    /// Squares of the distances to the nearest axis, m²; `first` is the first axis; axes and points are
    /// relative to `origin`.
    #[inline(always)]
    fn nearest<S: Simd, N: SimdFloat<S, Element = f32>>(&self, first: [f32; 2], origin: DVec3, [x, z]: [N; 2]) -> N {
        let mut nearest = away(first, [x, z]);
        for axis in &self.axes[1..] {
            nearest = nearest.min(away(local(*axis, origin), [x, z]));
        }
        nearest
    }
}

/// Squares of the distances to an axis.
#[inline(always)]
fn away<S: Simd, N: SimdFloat<S, Element = f32>>([ax, az]: [f32; 2], [x, z]: [N; 2]) -> N {
    (x - ax) * (x - ax) + (z - az) * (z - az)
}

/// Adds winds, turned by h, N at a time.
#[inline(always)]
fn add_turned<S: Simd, N: SimdFloat<S, Element = f32>>(
    simd: S,
    (swings, [vx, vy, vz], weights): (&[f32], [&[f32]; 3], &[f32]),
    [x, y, z]: [&mut [f32]; 3],
) {
    // Compares squares to save square roots.
    let still = (STILL * STILL) as f32;
    for start in (0..weights.len()).step_by(N::LEN) {
        let here = start..start + N::LEN;
        let (h, weight) = (N::from_slice(simd, &swings[here.clone()]), N::from_slice(simd, &weights[here.clone()]));
        let (vx, vy) = (N::from_slice(simd, &vx[here.clone()]), N::from_slice(simd, &vy[here.clone()]));
        let vz = N::from_slice(simd, &vz[here.clone()]);
        // v x j = (-v_z, 0, v_x).
        let level = vx * vx + vz * vz;
        // The component across the wind has the length h. One division serves both factors, because
        // divisions are the slowest operations.
        let square = level + vy * vy;
        let (level, whole) = (level.max(still), (square + h * h).max(still));
        let share = square / (level * whole);
        let keep = weight * (share * level).sqrt();
        let across = weight * h * share.sqrt();
        add_to(simd, &mut x[here.clone()], keep * vx - across * vz);
        add_to(simd, &mut y[here.clone()], keep * vy);
        add_to(simd, &mut z[here], keep * vz + across * vx);
    }
}

/// An axis counted from the middle of a room.
fn local([x, z]: [f64; 2], origin: DVec3) -> [f32; 2] {
    [(x - origin.x) as f32, (z - origin.z) as f32]
}
