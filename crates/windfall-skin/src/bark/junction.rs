//! Junction of a side branch with the tube of its parent.

use glam::{Quat, Vec3};

use super::curve::Curve;

/// The foot of a side branch on its parent, and the start of the branch's own tube.
#[derive(Debug, Clone, Copy)]
pub(super) struct Junction {
    /// Length along the parent at the centre of the foot, m.
    pub s: f32,
    /// Outward direction of the parent there.
    pub outward: Vec3,
    /// Semi-axes of the foot, an ellipse on the parent's surface, along the parent and around it, m.
    pub half_height: f32,
    pub half_width: f32,
    /// Length along the branch at its first ring that is completely outside the parent, m.
    pub start: f32,
    /// Side vector of the branch at `start`: the side that faces the parent's base.
    pub side: Vec3,
}

/// Width of the foot (the branch collar) over the width of the branch.
const COLLAR: f32 = 1.35;
/// Number of points along a branch in the search for its exit from the parent.
const STEPS: u32 = 20;

impl Junction {
    /// `guess` is a length along the parent near the joint.
    pub fn find(parent: &Curve, guess: f32, child: &Curve) -> Self {
        let base = child.at(0.0);
        let (mut s, mut at) = parent.project(base.centre, guess, 4);
        let limit = (0.5 * child.length()).min(4.0 * (at.radius + base.radius));
        let mut outward = None;
        let (mut crossing, mut start) = (limit, limit);
        for i in 0..=STEPS {
            let length = limit * i as f32 / STEPS as f32;
            let here = child.at(length);
            let (near, beside) = parent.project(here.centre, s, 2);
            if outward.is_none() {
                (s, at) = (near, beside);
            }
            let offset = (here.centre - beside.centre).reject_from_normalized(beside.tangent);
            let distance = offset.length();
            let Some(away) = offset.try_normalize() else { continue };
            if outward.is_none() && distance >= 0.98 * at.radius {
                outward = Some(away);
                crossing = length;
            }
            let lean = here.tangent.dot(away);
            let reach = here.radius * (1.0 - lean * lean).max(0.0).sqrt();
            if outward.is_some() && distance - reach >= beside.radius + 0.8 * here.radius {
                start = length;
                break;
            }
        }
        let leaving = child.at(crossing);
        let outward = outward.unwrap_or_else(|| {
            // It never leaves the parent (parallel, or shorter than the parent's radius): take the
            // direction in which it points.
            let toward = leaving.tangent.reject_from_normalized(at.tangent).try_normalize();
            toward.unwrap_or_else(|| at.tangent.any_orthonormal_vector())
        });
        let first = child.at(start);
        let lean = leaving.tangent.dot(outward).abs().max(0.4);
        Self {
            s,
            outward,
            half_height: COLLAR * leaving.radius / lean,
            half_width: COLLAR * leaving.radius,
            start,
            side: Quat::from_rotation_arc(outward, first.tangent) * -at.tangent,
        }
    }
}
