//! The free rotation of a rigid body.
//!
//! The kinetic energy of rotation is a sum of three terms, one for each principal axis. The motion under
//! one of them alone is a rotation about that axis, which is known exactly; a symmetric sequence of the
//! three is a step of second order (A. Dullweber, B. Leimkuhler & R. `McLachlan` 1997, J. Chem. Phys. 107).
//! It keeps the angular momentum to rounding and the energy within a bound for all times, because it is
//! symplectic.

use windfall_core::glam::{DQuat, DVec3};

use super::body::FreeBody;

/// Advances a body without forces by `h` seconds.
pub fn drift(body: &mut FreeBody, h: f64) {
    body.position += body.velocity * h;
    turn(body, h);
}

/// Rotates a body without torques for `h` seconds.
pub fn turn(body: &mut FreeBody, h: f64) {
    let w = body.angular_velocity;
    if w == DVec3::ZERO {
        return;
    }
    let inertia = body.inertia;
    if inertia.x == inertia.y && inertia.y == inertia.z {
        body.orientation = (exp(w * h) * body.orientation).normalize();
        return;
    }
    let mut q = body.orientation;
    let mut momentum = inertia * (q.conjugate() * w);
    for (axis, part) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
        let angle = momentum[axis] / inertia[axis] * h * part;
        let (sin, cos) = sin_cos(0.5 * angle);
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        // The body turns by the angle about its axis, so in body axes the momentum turns back by it.
        let mut about = [0.0; 4];
        (about[axis], about[3]) = (sin, cos);
        q *= DQuat::from_array(about);
        let (s, c) = (2.0 * sin * cos, cos * cos - sin * sin);
        let (a, b) = (momentum[next], momentum[last]);
        (momentum[next], momentum[last]) = (c * a + s * b, c * b - s * a);
    }
    body.orientation = q.normalize();
    body.angular_velocity = body.orientation * (momentum / inertia);
}

/// The rotation of a rotation vector.
pub fn exp(v: DVec3) -> DQuat {
    let angle = v.length();
    if angle < 1e-12 {
        return DQuat::from_xyzw(0.5 * v.x, 0.5 * v.y, 0.5 * v.z, 1.0).normalize();
    }
    let (sin, cos) = libm::sincos(0.5 * angle);
    let axis = v * (sin / angle);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

/// Sine and cosine; small angles, which are nearly all, by their series, which is as accurate and takes a
/// third of the time.
fn sin_cos(a: f64) -> (f64, f64) {
    if a.abs() > 0.125 {
        return libm::sincos(a);
    }
    let b = a * a;
    let sin = 1.0 - b * (1.0 / 6.0) * (1.0 - b * (1.0 / 20.0) * (1.0 - b * (1.0 / 42.0) * (1.0 - b * (1.0 / 72.0))));
    let cos = 1.0
        - b * (1.0 / 2.0)
            * (1.0 - b * (1.0 / 12.0) * (1.0 - b * (1.0 / 30.0) * (1.0 - b * (1.0 / 56.0) * (1.0 - b * (1.0 / 90.0)))));
    (a * sin, cos)
}
