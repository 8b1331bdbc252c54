//! The least-squares rigid displacement of several bodies.
//!
//! A body moves its points p to q = R p + t. One rotation S and translation u for all of them leave the
//! error
//!
//! ```text
//! E(S, u) = sum w |S p + u - q|²
//! ```
//!
//! The best u makes the centres coincide. Then E = A + B - 2 tr(S H), with A and B the mean squares of
//! the p and of the q about their centres and H = sum w (p - p̄)(q - q̄)^T (Kabsch 1976). All of these
//! follow from sums over bodies, so two groups are merged by the addition of their sums.
//!
//! Newton's method on the rotations, from a first guess, finds the largest tr(S H). With K = H^T S^T
//! symmetrised, the gradient is the sum of r × a (r the columns of S, a those of H^T) and the step
//! (tr(K) 1 - K)^-1 g. For a thin rod the turn about its axis hardly affects E, and that of the first
//! guess stays.

use std::ops::AddAssign;

use glam::{DMat3, DQuat, DVec3};

use super::moments::Moments;

/// A rotation and then a translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rigid {
    /// Unit quaternion.
    pub rotation: DQuat,
    /// Translation, m.
    pub translation: DVec3,
}

impl Rigid {
    /// No displacement.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// Applies the displacement to a point.
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    /// Composition: first `other`, then this one.
    pub fn after(&self, other: &Self) -> Self {
        Self { rotation: (self.rotation * other.rotation).normalize(), translation: self.point(other.translation) }
    }

    /// The inverse displacement.
    pub fn inverse(&self) -> Self {
        let back = self.rotation.conjugate();
        Self { rotation: back, translation: -(back * self.translation) }
    }
}

/// Sums that do not depend on the pose.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RestSums {
    pub weight: f64,
    /// sum w p
    pub first: DVec3,
    /// sum w |p|²
    pub second: f64,
}

/// Sums that depend on the pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PoseSums {
    /// sum w q
    pub first: DVec3,
    /// sum w p q^T
    pub cross: DMat3,
    /// sum w |q|²
    pub second: f64,
}

impl RestSums {
    pub fn of(m: &Moments) -> Self {
        Self {
            weight: m.weight,
            first: m.centre * m.weight,
            second: trace(&m.spread) + m.weight * m.centre.length_squared(),
        }
    }
}

impl AddAssign for RestSums {
    fn add_assign(&mut self, other: Self) {
        self.weight += other.weight;
        self.first += other.first;
        self.second += other.second;
    }
}

/// Sums of no body. (The default of a matrix is the identity.)
impl Default for PoseSums {
    fn default() -> Self {
        Self { first: DVec3::ZERO, cross: DMat3::ZERO, second: 0.0 }
    }
}

impl PoseSums {
    /// Sums of one displaced body.
    pub fn of(m: &Moments, by: &Rigid) -> Self {
        let moved = by.point(m.centre);
        let turn = DMat3::from_quat(by.rotation);
        Self {
            first: moved * m.weight,
            cross: m.spread * turn.transpose() + outer(m.centre * m.weight, moved),
            second: trace(&m.spread) + m.weight * moved.length_squared(),
        }
    }
}

impl AddAssign for PoseSums {
    fn add_assign(&mut self, other: Self) {
        self.first += other.first;
        self.cross += other.cross;
        self.second += other.second;
    }
}

/// The best displacement and its error (E, m⁴).
pub(super) fn fit(rest: &RestSums, pose: &PoseSums, guess: DQuat) -> (Rigid, f64) {
    let (p, q) = (rest.first / rest.weight, pose.first / rest.weight);
    let h = pose.cross - outer(rest.first, q);
    let rotation = best_rotation(&h.transpose(), guess);
    let spread = (rest.second - rest.first.dot(p)) + (pose.second - pose.first.dot(q));
    let left = spread - 2.0 * trace(&(DMat3::from_quat(rotation) * h));
    (Rigid { rotation, translation: q - rotation * p }, left.max(0.0))
}

/// Error of one body with the displacement `carrier` instead of `by`, m⁴.
pub(super) fn residual(m: &Moments, by: &Rigid, carrier: &Rigid) -> f64 {
    let centres = carrier.point(m.centre).distance_squared(by.point(m.centre));
    let turned = DMat3::from_quat(carrier.rotation) * m.spread * DMat3::from_quat(by.rotation).transpose();
    m.weight * centres + 2.0 * (trace(&m.spread) - trace(&turned)).max(0.0)
}

/// The rotation S with the largest tr(S A^T), A = sum w q p^T about the centres.
fn best_rotation(a: &DMat3, guess: DQuat) -> DQuat {
    let mut rotation = guess;
    // Near the guess four iterations suffice; from a distant one it may take some dozens.
    for _ in 0..100 {
        let r = DMat3::from_quat(rotation);
        let gradient = r.x_axis.cross(a.x_axis) + r.y_axis.cross(a.y_axis) + r.z_axis.cross(a.z_axis);
        let k = *a * r.transpose();
        let size = trace(&k);
        let scale = a.x_axis.length() + a.y_axis.length() + a.z_axis.length();
        // Coincident points have no rotation.
        if scale < 1e-300 {
            break;
        }
        let stiffness = DMat3::from_diagonal(DVec3::splat(size + 1e-9 * scale)) - (k + k.transpose()) * 0.5;
        let step = if is_positive(&stiffness) {
            stiffness.inverse() * gradient
        } else {
            // Far from the optimum: a step of safe length along the gradient.
            gradient / (size.abs() + 0.1 * scale)
        };
        let angle = step.length();
        if angle < 1e-12 {
            break;
        }
        let bounded = step * (1.0f64).min(1.0 / angle);
        rotation = (DQuat::from_scaled_axis(bounded) * rotation).normalize();
    }
    rotation
}

/// Sylvester's criterion.
fn is_positive(m: &DMat3) -> bool {
    m.x_axis.x > 0.0 && m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x > 0.0 && m.determinant() > 0.0
}

pub(super) fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// a b^T
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(centre: DVec3, size: DVec3) -> Moments {
        Moments { weight: 2.0, centre, spread: DMat3::from_diagonal(size * 2.0), seen: true }
    }

    /// Bodies with the same displacement leave no error, from any first guess.
    #[test]
    fn one_motion_is_found() {
        let all =
            [moments(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.1, 0.2, 0.05)), moments(DVec3::X, DVec3::splat(0.1))];
        let by = Rigid {
            rotation: DQuat::from_scaled_axis(DVec3::new(0.5, -2.0, 0.7)),
            translation: DVec3::new(5.0, -1.0, 0.5),
        };
        for guess in [DQuat::IDENTITY, DQuat::from_rotation_x(3.0), DQuat::from_rotation_z(-1.5), by.rotation] {
            let (mut rest, mut pose) = (RestSums::default(), PoseSums::default());
            for m in &all {
                rest += RestSums::of(m);
                pose += PoseSums::of(m, &by);
            }
            let (found, left) = fit(&rest, &pose, guess);
            assert!(left < 1e-12, "{left}");
            assert!((found.point(DVec3::Z) - by.point(DVec3::Z)).length() < 1e-7);
        }
    }

    /// A body that is fitted alone has no error, and its error with another displacement is that of
    /// `fit`.
    #[test]
    fn residuals_are_those_of_the_sums() {
        let m = moments(DVec3::new(0.3, 1.0, -0.2), DVec3::new(0.1, 0.2, 0.05));
        let by = Rigid { rotation: DQuat::from_rotation_x(0.4), translation: DVec3::new(0.1, 0.2, 0.3) };
        assert!(residual(&m, &by, &by) < 1e-15);
        // Turned about its centre by the angle a: 2 (1 - cos a) times the squares across the axis.
        let a = 0.7;
        let about = DQuat::from_rotation_z(a);
        let turned = Rigid { rotation: about, translation: m.centre - about * m.centre };
        let theory = 2.0 * (1.0 - f64::cos(a)) * 2.0 * (0.1 + 0.2);
        assert!((residual(&m, &Rigid::IDENTITY, &turned) - theory).abs() < 1e-12);
    }

    /// Two equal bodies, turned about their common centre by the angles a and -a: the best rotation is
    /// zero, and each is off by a. E = sum w |p|² (2 - 2 cos a) over the two directions across the axis.
    #[test]
    fn what_is_left_is_as_theory_says() {
        let m = moments(DVec3::ZERO, DVec3::new(0.3, 0.2, 0.1));
        let a = 0.4;
        let (mut rest, mut pose) = (RestSums::default(), PoseSums::default());
        for angle in [a, -a] {
            let by = Rigid { rotation: DQuat::from_rotation_y(angle), translation: DVec3::ZERO };
            rest += RestSums::of(&m);
            pose += PoseSums::of(&m, &by);
        }
        let (found, left) = fit(&rest, &pose, DQuat::from_rotation_y(0.3));
        assert!(found.rotation.angle_between(DQuat::IDENTITY) < 1e-7);
        let theory = 2.0 * 2.0 * (0.3 + 0.1) * (2.0 - 2.0 * f64::cos(a));
        assert!((left - theory).abs() < 1e-12, "{left} {theory}");
    }
}
