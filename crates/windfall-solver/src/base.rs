//! Motion of the ground under a tree.

use windfall_core::glam::{DQuat, DVec3};

/// Motion of the base that the foot of a tree is fixed to (quigley2017, Fig. 6: a tree on a cart).
///
/// Everything is relative to the place where the tree was grown: at rest the position is zero and the
/// orientation is the identity. The tree turns about its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Base {
    /// Displacement of the tree's origin, world axes, m.
    pub position: DVec3,
    /// Rotation of the tree about its origin.
    pub orientation: DQuat,
    /// Velocity of the origin, m/s.
    pub velocity: DVec3,
    /// Angular velocity, world axes, rad/s.
    pub angular_velocity: DVec3,
    /// Acceleration of the origin, m/s².
    pub acceleration: DVec3,
    /// Angular acceleration, world axes, rad/s².
    pub angular_acceleration: DVec3,
}

impl Default for Base {
    fn default() -> Self {
        Self {
            position: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            angular_acceleration: DVec3::ZERO,
        }
    }
}

impl Base {
    /// The base `dt` seconds after `self`, from its new placement alone (a dragged tree): velocities and
    /// accelerations are finite differences.
    pub fn moved_to(&self, position: DVec3, orientation: DQuat, dt: f64) -> Self {
        let velocity = (position - self.position) / dt;
        let turned = orientation * self.orientation.inverse();
        let turned = if turned.w < 0.0 { -turned } else { turned };
        let angular_velocity = turned.to_scaled_axis() / dt;
        Self {
            position,
            orientation,
            velocity,
            angular_velocity,
            acceleration: (velocity - self.velocity) / dt,
            angular_acceleration: (angular_velocity - self.angular_velocity) / dt,
        }
    }

    /// Interpolates towards `next`, which is `seconds` later.
    fn towards(&self, next: &Self, share: f64, seconds: f64) -> Self {
        let (s, h) = (share, seconds);
        let (s2, s3) = (s * s, s * s * s);
        let blend = [2.0 * s3 - 3.0 * s2 + 1.0, s3 - 2.0 * s2 + s, 3.0 * s2 - 2.0 * s3, s3 - s2];
        let slope = [6.0 * s2 - 6.0 * s, 3.0 * s2 - 4.0 * s + 1.0, 6.0 * s - 6.0 * s2, 3.0 * s2 - 2.0 * s];
        let mix = |w: [f64; 4], scale: f64, a: DVec3, b: DVec3| {
            self.velocity * (w[1] * h * scale) + next.velocity * (w[3] * h * scale) + (a * w[0] + b * w[2]) * scale
        };
        Self {
            position: mix(blend, 1.0, self.position, next.position),
            orientation: self.orientation.slerp(next.orientation, s),
            velocity: mix(slope, h.recip(), self.position, next.position),
            angular_velocity: self.angular_velocity.lerp(next.angular_velocity, s),
            acceleration: self.acceleration.lerp(next.acceleration, s),
            angular_acceleration: self.angular_acceleration.lerp(next.angular_acceleration, s),
        }
    }

    /// Whether every number is finite and the orientation is a rotation.
    pub fn is_valid(&self) -> bool {
        [self.position, self.velocity, self.angular_velocity, self.acceleration, self.angular_acceleration]
            .iter()
            .all(|v| v.is_finite())
            && self.orientation.is_finite()
            && (self.orientation.length_squared() - 1.0).abs() < 1e-3
    }
}

/// Motion of the ground under all trees. Solvers may ask for any moment of a step, so that sub-steps see it
/// move.
pub trait Bases: std::fmt::Debug + Send + Sync {
    /// Base of a tree of an instance at a time, s, relative to where the tree was grown or placed.
    fn base(&self, instance: u32, tree: usize, time: f64) -> Base;
}

/// Bases that move from their present placement to a given one at the end of a step: for ground of which
/// only the next placement is known.
///
/// In between, positions follow cubic Hermite curves with the velocities at both ends; accelerations are
/// interpolated linearly.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MovingBases {
    start: f64,
    end: f64,
    /// Start and end of every tree's base.
    trees: Vec<(Base, Base)>,
}

impl MovingBases {
    /// Bases of this many trees, at rest where they were grown.
    pub fn at_rest(trees: usize) -> Self {
        Self { start: 0.0, end: 0.0, trees: vec![(Base::default(), Base::default()); trees] }
    }

    /// Sets the time, s, at which the bases reach their ends.
    pub fn end_at(&mut self, end: f64) {
        self.end = end;
    }

    /// Makes the end the new start. It stays the end until another one is set.
    pub fn go_on(&mut self) {
        self.start = self.end;
        for (now, next) in &mut self.trees {
            *now = *next;
        }
    }

    /// Sets the base of a tree at the end.
    ///
    /// # Panics
    /// If there is no such tree.
    pub fn set(&mut self, tree: usize, base: Base) {
        self.trees[tree].1 = base;
    }
}

impl Bases for MovingBases {
    fn base(&self, _: u32, tree: usize, time: f64) -> Base {
        let Some((now, next)) = self.trees.get(tree) else { return Base::default() };
        let length = self.end - self.start;
        let share = if length > 0.0 { ((time - self.start) / length).clamp(0.0, 1.0) } else { 1.0 };
        // Exact at both ends, without rounding.
        match share {
            0.0 => *now,
            1.0 => *next,
            share => now.towards(next, share, length),
        }
    }
}
