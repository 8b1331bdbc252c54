//! Rotations and rotation vectors: exp, log, and the Jacobians between their velocities.
//!
//! With theta the rotation vector of a joint and w the angular velocity of the child relative to its
//! parent in the child's axes, `theta' = J_r^-1(theta) w`, where (Chirikjian 2012, eq. 10.86)
//!
//! ```text
//! J_r^-1(theta) = 1 + [theta]x / 2 + c [theta]x^2        c = 1/t^2 - (1 + cos t) / (2 t sin t),  t = |theta|
//! ```
//!
//! A spring with the energy `E(theta)` exerts the torque `-J_r^-T dE/dtheta` in the child's axes. Ours has
//!
//! ```text
//! E = (s/t)^2 theta^T K theta / 2,    s(t) = t up to t0 = 2.5 rad,   t - (t - t0)^2 / (2 (pi - t0)) beyond
//! ```
//!
//! which is the linear spring up to t0 and has no discontinuity at half a turn, where the shorter
//! rotation changes sides: a spring that is turned over and over would gain energy at such a
//! discontinuity, at any step.

use super::{Mat3, Quat, Real, Vec3};

/// The rotation with this rotation vector.
pub fn exp<T: Real>(theta: Vec3<T>) -> Quat<T> {
    let square = theta.length_squared();
    if square < T::of(0.04) {
        // sin(t/2)/t and cos(t/2) in powers of t^2; the next terms are below 1e-16.
        let s = series(square, [0.5, -1.0 / 48.0, 1.0 / 3840.0, -1.0 / 645_120.0, 1.0 / 185_794_560.0]);
        let w = series(square, [1.0, -0.125, 1.0 / 384.0, -1.0 / 46080.0, 1.0 / 10_321_920.0]);
        return Quat { v: theta * s, w };
    }
    let t = square.sqrt();
    let (sine, cosine) = (t * T::of(0.5)).sin_cos();
    Quat { v: theta * (sine / t), w: cosine }
}

/// `c0 + c1 x + c2 x^2 + ...`: no call and hardly a branch, where library functions would take as long as
/// the rest of a joint.
fn series<T: Real, const N: usize>(x: T, coefficients: [f64; N]) -> T {
    coefficients.iter().rev().fold(T::zero(), |sum, &c| sum * x + T::of(c))
}

/// t0 of the head of the module, rad.
pub const TURNING_OVER: f64 = 2.5;

/// s(t) and its derivative beyond t0.
fn rounded<T: Real>(t: T) -> (T, T) {
    let (past, rest) = (t - T::of(TURNING_OVER), T::of(std::f64::consts::PI - TURNING_OVER));
    (t - past * past / (rest + rest), T::one() - past / rest)
}

/// A rotation vector with the values that springs need.
#[derive(Debug, Clone, Copy)]
pub struct RotationVector<T> {
    /// Axis times angle, the angle between 0 and pi, rad.
    pub theta: Vec3<T>,
    /// The coefficient c of the head of the module.
    pub c: T,
}

/// The rotation vector of a rotation, the shorter of the two: at most half a turn.
pub fn log<T: Real>(q: Quat<T>) -> RotationVector<T> {
    // q and -q are the same rotation; the one with w >= 0 is the short way.
    let (v, w) = if q.w < T::zero() { (-q.v, -q.w) } else { (q.v, q.w) };
    let square = v.length_squared();
    if square < T::of(0.01) {
        // t/sin(t/2) and c in powers of sin^2(t/2); the next terms are below 1e-16.
        let stretch = series(
            square,
            [2.0, 1.0 / 3.0, 0.15, 5.0 / 56.0, 35.0 / 576.0, 63.0 / 1408.0, 231.0 / 6656.0, 143.0 / 5120.0],
        );
        let c = series(square, [1.0 / 12.0, 1.0 / 180.0, 1.0 / 420.0, 79.0 / 56_700.0, 1759.0 / 1_871_100.0]);
        return RotationVector { theta: v * stretch, c };
    }
    let sine = square.sqrt();
    let t = T::of(2.0) * sine.atan2(w);
    // (1 + cos t) / (2 t sin t) = cot(t/2) / (2 t)
    let c = (T::one() - T::of(0.5) * t * w / sine) / (t * t);
    RotationVector { theta: v * (t / sine), c }
}

impl<T: Real> RotationVector<T> {
    /// `dE/dtheta` of a spring with the stiffness `k` about its three axes, N m.
    pub fn spring_force(&self, k: Vec3<T>) -> Vec3<T> {
        let linear = k.scale(self.theta);
        let square = self.theta.length_squared();
        if square <= T::of(TURNING_OVER * TURNING_OVER) {
            return linear;
        }
        let t = square.sqrt();
        let (s, slope) = rounded(t);
        let ratio = s / t;
        linear * (ratio * ratio) + self.theta * (ratio * (slope - ratio) / square * linear.dot(self.theta))
    }

    /// `2 E / theta^T K theta`.
    pub fn spring_energy_scale(&self) -> T {
        let t = self.theta.length();
        if t <= T::of(TURNING_OVER) { T::one() } else { (rounded(t).0 / t).powi(2) }
    }

    /// `J_r^-1`: the rate of the rotation vector over the joint velocity in the child's axes.
    pub fn rate_matrix(&self) -> Mat3<T> {
        // [theta]x^2 = theta theta^T - t^2
        let Vec3 { x, y, z } = self.theta;
        let half = self.theta * T::of(0.5);
        let scaled = self.theta * self.c;
        let diagonal = T::one() - self.c * self.theta.length_squared();
        let (xy, xz, yz) = (scaled.x * y, scaled.x * z, scaled.y * z);
        Mat3::from_rows(
            Vec3::new(diagonal + scaled.x * x, xy - half.z, xz + half.y),
            Vec3::new(xy + half.z, diagonal + scaled.y * y, yz - half.x),
            Vec3::new(xz - half.y, yz + half.x, diagonal + scaled.z * z),
        )
    }

    /// `J_r^-T v`.
    pub fn torque_of(&self, v: Vec3<T>) -> Vec3<T> {
        let a = self.theta.cross(v);
        v - a * T::of(0.5) + self.theta.cross(a) * self.c
    }

    /// `J_r^T v`: the generalised force on the rotation vector of a torque in the child's axes.
    pub fn force_of(&self, torque: Vec3<T>) -> Vec3<T> {
        force_on(self.theta, torque)
    }

    /// `J_r`: the joint velocity in the child's axes over the rate of the rotation vector,
    /// `1 - (1 - cos t) / t^2 [theta]x + (t - sin t) / t^3 [theta]x^2`.
    pub fn turn_matrix(&self) -> Mat3<T> {
        let (first, second) = coefficients(self.theta);
        let cross = Mat3::cross(self.theta);
        Mat3::identity() - cross * first + cross * cross * second
    }
}

/// `J_r^T v` of this rotation vector, of at most half a turn.
pub fn force_on<T: Real>(theta: Vec3<T>, torque: Vec3<T>) -> Vec3<T> {
    let (first, second) = coefficients(theta);
    let a = theta.cross(torque);
    torque + a * first + theta.cross(a) * second
}

/// `(1 - cos t) / t^2` and `(t - sin t) / t^3`.
fn coefficients<T: Real>(theta: Vec3<T>) -> (T, T) {
    let square = theta.length_squared();
    if square < T::of(0.01) {
        // The next terms are below 1e-16.
        let first = series(square, [0.5, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40320.0, 1.0 / 3_628_800.0]);
        let second = series(square, [1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362_880.0, 1.0 / 39_916_800.0]);
        return (first, second);
    }
    let t = square.sqrt();
    let (sine, cosine) = t.sin_cos();
    ((T::one() - cosine) / square, (t - sine) / (square * t))
}
