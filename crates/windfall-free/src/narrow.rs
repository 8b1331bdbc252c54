//! Narrow phase: exact contacts of two shapes.
//!
//! Half-spaces are tested corner by corner, which is exact; all other pairs use the contact manifolds of
//! parry.

use parry3d_f64::math::Pose;
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape as parry;
use windfall_core::glam::{DQuat, DVec3};

use super::obstacles::HalfSpace;
use super::shape::{BLADE_THICKNESS, Shape, from_vector};

/// One point of contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    /// On the surface of the first shape, world metres.
    pub point: DVec3,
    /// Out of the first shape, of length 1.
    pub normal: DVec3,
    /// Distance of the surfaces along the normal, m; negative where they overlap.
    pub gap: f64,
}

/// Scratch of queries.
#[derive(Default)]
pub struct Space {
    manifolds: Vec<ContactManifold<(), ()>>,
}

/// Contacts of a shape with a half-space within `gap` metres.
pub fn with_half_space(
    shape: &Shape,
    position: DVec3,
    orientation: DQuat,
    plane: &HalfSpace,
    gap: f64,
    mut found: impl FnMut(ContactPoint),
) {
    let mut ball = |center: DVec3, radius: f64| {
        let height = plane.height(position + orientation * center);
        if height - radius <= gap {
            let point = position + orientation * center - plane.normal * height;
            found(ContactPoint { point, normal: plane.normal, gap: height - radius });
        }
    };
    match *shape {
        Shape::Sphere { radius } => ball(DVec3::ZERO, radius),
        Shape::Capsule { half_length, radius } => {
            ball(DVec3::new(0.0, half_length, 0.0), radius);
            ball(DVec3::new(0.0, -half_length, 0.0), radius);
        }
        Shape::Blade { petiole, .. } => {
            let corners = shape.corners();
            let count = if petiole > 0.0 { 4 } else { 3 };
            for &corner in &corners[..count] {
                ball(corner, 0.5 * BLADE_THICKNESS);
            }
        }
        Shape::Box { half } => {
            for i in 0..8 {
                let sign = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
                ball(half * DVec3::new(sign(0), sign(1), sign(2)), 0.0);
            }
        }
    }
}

/// Contacts of two placed shapes within `gap` metres. The normal points from the first to the second.
pub fn between(
    places: (&Pose, &Pose),
    shapes: (&dyn parry::Shape, &dyn parry::Shape),
    gap: f64,
    space: &mut Space,
    mut found: impl FnMut(ContactPoint),
) {
    let (first, second) = places;
    if let (Some(a), Some(b)) = (shapes.0.as_ball(), shapes.1.as_ball()) {
        // The most frequent pair needs no query.
        let between = from_vector(second.translation - first.translation);
        let distance = between.length();
        if distance - a.radius - b.radius <= gap {
            let normal = if distance > 1e-12 { between / distance } else { DVec3::Y };
            let point = from_vector(first.translation) + normal * a.radius;
            found(ContactPoint { point, normal, gap: distance - a.radius - b.radius });
        }
        return;
    }
    let relative = first.inv_mul(second);
    let mesh = shapes.0.as_trimesh().is_some();
    if mesh {
        // The cache of a mesh belongs to one pair.
        space.manifolds.clear();
    }
    for manifold in &mut space.manifolds {
        // No cache of another pair: the same placements give the same contacts.
        let points = std::mem::take(&mut manifold.points);
        *manifold = ContactManifold::new();
        manifold.points = points;
        manifold.points.clear();
    }
    let answer =
        DefaultQueryDispatcher.contact_manifolds(&relative, shapes.0, shapes.1, gap, &mut space.manifolds, &mut None);
    if answer.is_err() {
        return;
    }
    for manifold in &space.manifolds {
        let normal = from_vector(first.rotation * manifold.local_n1).normalize_or_zero();
        if normal == DVec3::ZERO || !normal.is_finite() {
            continue;
        }
        for contact in &manifold.points {
            let point = from_vector(first.transform_point(contact.local_p1));
            if contact.dist <= gap && point.is_finite() {
                found(ContactPoint { point, normal, gap: contact.dist });
            }
        }
    }
}
