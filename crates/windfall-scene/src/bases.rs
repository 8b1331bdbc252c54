//! Ground that moves under a tree: smooth, with exact velocities and accelerations.

use std::f64::consts::TAU;

use windfall_core::glam::{DQuat, DVec3};
use windfall_solver::{Base, Bases};

use crate::schema::{BaseMotionEntry, SwayEntry};

/// Value, first and second derivative of something over time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Jet(f64, f64, f64);

impl Jet {
    fn times(self, other: Self) -> Self {
        Self(
            self.0 * other.0,
            self.1 * other.0 + self.0 * other.1,
            self.2 * other.0 + 2.0 * self.1 * other.1 + self.0 * other.2,
        )
    }
}

/// 10 s³ - 15 s⁴ + 6 s⁵ with s = t / duration: from 0 to 1, at rest at both ends; constant outside.
fn smooth(t: f64, duration: f64) -> Jet {
    let s = t / duration;
    if s <= 0.0 {
        Jet(0.0, 0.0, 0.0)
    } else if s >= 1.0 {
        Jet(1.0, 0.0, 0.0)
    } else {
        Jet(
            s * s * s * (10.0 + s * (-15.0 + 6.0 * s)),
            30.0 * s * s * (1.0 - s) * (1.0 - s) / duration,
            60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (duration * duration),
        )
    }
}

impl SwayEntry {
    fn jet(&self, time: f64) -> Jet {
        let (t, w) = (time - self.from, TAU * self.frequency);
        let period = 1.0 / self.frequency;
        let (sin, cos) = (w * t).sin_cos();
        let mut jet = Jet(sin, w * cos, -w * w * sin).times(smooth(t, period));
        if let Some(periods) = self.periods {
            let Jet(a, b, c) = smooth(t - (periods - 1.0) * period, period);
            jet = jet.times(Jet(1.0 - a, -b, -c));
        }
        jet
    }
}

/// Position and motion of the ground at a time.
pub fn base_at(motion: &BaseMotionEntry, time: f64) -> Base {
    if let Some(sway) = &motion.sway {
        let Jet(x, v, a) = sway.jet(time);
        return Base { position: sway.by * x, velocity: sway.by * v, acceleration: sway.by * a, ..Base::default() };
    }
    let keys = &motion.keys;
    let next = keys.partition_point(|key| key.time <= time);
    let place = |i: usize| {
        let key = keys[i];
        (key.by, DQuat::from_scaled_axis(key.rotation_degrees * 1f64.to_radians()))
    };
    if next == 0 || next == keys.len() {
        // Before the first key the tree stands where it was grown, as if that were a key at the time 0.
        let (position, orientation) = match (next, keys.first()) {
            (0, Some(first)) if first.time > 0.0 => {
                return between((DVec3::ZERO, DQuat::IDENTITY), place(0), smooth(time, first.time));
            }
            (0, _) => (DVec3::ZERO, DQuat::IDENTITY),
            _ => place(keys.len() - 1),
        };
        return Base { position, orientation, ..Base::default() };
    }
    let (from, to) = (keys[next - 1].time, keys[next].time);
    between(place(next - 1), place(next), smooth(time - from, to - from))
}

/// The ground under all trees of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SceneBases {
    /// Motion of the ground of every tree, if it moves; that of trees beyond the last does not.
    trees: Vec<Option<BaseMotionEntry>>,
}

impl SceneBases {
    /// Sets the motion of the ground under a tree.
    pub fn set(&mut self, tree: usize, motion: BaseMotionEntry) {
        if self.trees.len() <= tree {
            self.trees.resize(tree + 1, None);
        }
        self.trees[tree] = Some(motion);
    }

    /// Whether no ground moves.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }
}

impl Bases for SceneBases {
    fn base(&self, _: u32, tree: usize, time: f64) -> Base {
        let motion = self.trees.get(tree).and_then(Option::as_ref);
        motion.map_or_else(Base::default, |motion| base_at(motion, time))
    }
}

/// On a straight line between two placements, turning about one axis.
fn between(from: (DVec3, DQuat), to: (DVec3, DQuat), Jet(x, v, a): Jet) -> Base {
    let turn = to.1 * from.1.inverse();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let (way, axis) = (to.0 - from.0, turn.to_scaled_axis());
    Base {
        position: from.0 + way * x,
        orientation: DQuat::from_scaled_axis(axis * x) * from.1,
        velocity: way * v,
        angular_velocity: axis * v,
        acceleration: way * a,
        angular_acceleration: axis * a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::BaseKey;

    /// Derivatives agree with central differences.
    fn check(motion: &BaseMotionEntry) {
        let h = 1e-5;
        for i in 0..400 {
            let t = f64::from(i) * 0.01 + 0.003;
            let (before, now, after) = (base_at(motion, t - h), base_at(motion, t), base_at(motion, t + h));
            let velocity = (after.position - before.position) / (2.0 * h);
            let acceleration = (after.velocity - before.velocity) / (2.0 * h);
            // A tiny rotation is rounded to none.
            let (earlier, later) = (base_at(motion, t - 20.0 * h), base_at(motion, t + 20.0 * h));
            let turn = (later.orientation * earlier.orientation.inverse()).to_scaled_axis() / (40.0 * h);
            assert!((now.velocity - velocity).length() < 1e-5, "{t}: {} {velocity}", now.velocity);
            assert!((now.acceleration - acceleration).length() < 1e-3, "{t}: {} {acceleration}", now.acceleration);
            assert!((now.angular_velocity - turn).length() < 1e-4, "{t}: {} {turn}", now.angular_velocity);
            assert!(now.is_valid());
        }
    }

    #[test]
    fn velocities_and_accelerations_are_those_of_the_places() {
        let sway = SwayEntry { by: DVec3::new(0.3, 0.0, 0.1), frequency: 1.25, from: 0.4, periods: Some(3.0) };
        let swaying = BaseMotionEntry { sway: Some(sway), ..BaseMotionEntry::default() };
        check(&swaying);
        assert_eq!(base_at(&swaying, 0.2), Base::default());
        assert!(base_at(&swaying, 0.4 + 2.4 + 0.01).position.length() < 1e-12, "it ends where it began");
        let farthest = (0..400).map(|i| base_at(&swaying, f64::from(i) * 0.01).position.x).fold(0.0, f64::max);
        assert!((farthest - 0.3).abs() < 0.01, "the middle period has the whole amplitude: {farthest}");

        let key = |time, x, turn| BaseKey { time, by: DVec3::X * x, rotation_degrees: DVec3::new(0.0, turn, 10.0) };
        let keyed =
            BaseMotionEntry { keys: vec![key(0.5, 1.0, 90.0), key(2.0, -1.0, 0.0)], ..BaseMotionEntry::default() };
        check(&keyed);
        assert!((base_at(&keyed, 0.5).position - DVec3::X).length() < 1e-12);
        assert!((base_at(&keyed, 1.25).position).length() < 1e-12, "half of the time is half of the way");
        assert_eq!(base_at(&keyed, 9.0).position, -DVec3::X);
    }
}
