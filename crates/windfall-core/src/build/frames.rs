//! Rest frames along a curve: +y along the segment, no twist from one segment to the next.

use glam::{DQuat, DVec3};

/// A frame with +y along `direction` (unit) and x as near as possible to `x_hint`.
pub fn frame_along(direction: DVec3, x_hint: DVec3) -> DQuat {
    let across = x_hint - direction * x_hint.dot(direction);
    let x = if across.length_squared() > 1e-12 * x_hint.length_squared().max(1e-300) {
        across.normalize()
    } else {
        direction.any_orthonormal_vector()
    };
    DQuat::from_mat3(&glam::DMat3::from_cols(x, direction, x.cross(direction))).normalize()
}

/// Parallel transport: the frame `before`, turned by the smallest rotation that brings its +y to
/// `direction` (unit).
pub fn transported(before: DQuat, direction: DVec3) -> DQuat {
    (DQuat::from_rotation_arc(before * DVec3::Y, direction) * before).normalize()
}
