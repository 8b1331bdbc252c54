//! The Rayleigh alpha in pieces that fly: their mean motion is not slowed down. See the head of [`super`].

use crate::math::{Real, Vec3};
use crate::world::World;
use crate::world::measure::Moment;

/// Before the joints of free pieces lose the factor `keep` of their velocity: gives each root the velocity with
/// which the momentum of its piece stays as it is.
pub(super) fn keep_momentum<T: Real>(world: &mut World<T>, keep: T) {
    for (i, mean) in world.piece_momenta(Moment::Held).into_iter().enumerate() {
        let body = world.pieces[i];
        let rotation = world.motion_of(body).rotation;
        let (state, free) = world.free_mut(body);
        let mean_omega = mean.angular_velocity();
        let mean_velocity = Vec3::of(mean.velocity() + mean_omega.cross(free.position - mean.center));
        let mean_w = rotation.transpose_mul(Vec3::of(mean_omega));
        free.velocity = mean_velocity + (free.velocity - mean_velocity) * keep;
        state.w = mean_w + (state.w - mean_w) * keep;
    }
}
