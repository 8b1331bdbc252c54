//! Rotations: the logarithm and the left Jacobian of SO(3).
//!
//! With `theta` a rotation vector, `t` its length and `[theta]` its cross matrix (Barfoot, State
//! Estimation for Robotics, 2017, section 7.1; Chirikjian, Stochastic Models, Information Theory, and
//! Lie Groups 2, 2012, section 10.8):
//!
//! ```text
//! exp(theta + d theta) = exp(J_l d theta) exp(theta)      so  theta' = J_l^-1 w  for  q' = 1/2 w q
//! J_l    = 1 + (1 - cos t)/t^2 [theta] + (t - sin t)/t^3 [theta]^2
//! J_l^-1 = 1 - 1/2 [theta] + (1 - (t/2) cot(t/2))/t^2 [theta]^2
//! ```

use windfall_core::glam::{DMat3, DQuat, DVec3};

/// The matrix of `v x`.
pub fn cross(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// Rotation by the rotation vector `theta`.
pub fn exp(theta: DVec3) -> DQuat {
    let half = 0.5 * theta.length();
    // sin(half)/half to rounding below the threshold.
    let sinc = if half < 1e-4 { 1.0 - half * half / 6.0 } else { half.sin() / half };
    let v = 0.5 * sinc * theta;
    DQuat::from_xyzw(v.x, v.y, v.z, half.cos())
}

/// The rotation vector of `q`, of length at most pi. `q` need not have unit length.
pub fn log(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let sine = v.length();
    // atan2(s, w)/s tends to 1/w - s^2/(3 w^3).
    let scale = if sine < 1e-5 * q.w { (1.0 - sine * sine / (3.0 * q.w * q.w)) / q.w } else { sine.atan2(q.w) / sine };
    2.0 * scale * v
}

/// `J_l`: the angular velocity (left, parent-side axes) is `J_l theta'`.
pub fn left_jacobian(theta: DVec3) -> DMat3 {
    let t = theta.length();
    let (a, b) = if t < 1e-2 {
        let t2 = t * t;
        (0.5 - t2 / 24.0 + t2 * t2 / 720.0, 1.0 / 6.0 - t2 / 120.0 + t2 * t2 / 5040.0)
    } else {
        ((1.0 - t.cos()) / (t * t), (t - t.sin()) / t.powi(3))
    };
    let c = cross(theta);
    DMat3::IDENTITY + c * a + c * c * b
}

/// `J_l^-1`: the rotation vector changes by `J_l^-1 w`.
pub fn inverse_left_jacobian(theta: DVec3) -> DMat3 {
    let t = theta.length();
    let b = if t < 1e-2 {
        let t2 = t * t;
        1.0 / 12.0 + t2 / 720.0 + t2 * t2 / 30240.0
    } else {
        (1.0 - 0.5 * t / (0.5 * t).tan()) / (t * t)
    };
    let c = cross(theta);
    DMat3::IDENTITY - c * 0.5 + c * c * b
}
