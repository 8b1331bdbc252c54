//! The Rayleigh alpha in pieces that fly: their mean motion is not slowed down. See the head of [`super`].

use crate::math::{Real, Vec3};
use crate::world::World;
use crate::world::measure::Moment;

/// Before the joints of free pieces lose the factor `keep` of their velocity: gives each root the velocity with
/// which the momentum of its piece stays as it is.
pub(super) fn keep_momentum<T: Real>(world: &mut World<T>, keep: T) {
    let trees = world.bases.len();
    for i in 0..world.pieces.len() {
        let mean = world.momentum_of((trees + i) as u32, Moment::Held);
        let place = world.places[world.pieces[i].0 as usize];
        let block = world.block_mut(place.block);
        let Some(free) = block.frees.iter_mut().find(|f| f.index == place.index) else { continue };
        let state = &mut block.states[place.index as usize];
        let rotation = block.motions[place.index as usize].rotation;
        let mean_omega = mean.angular_velocity();
        let mean_velocity = Vec3::of(mean.velocity() + mean_omega.cross(free.position - mean.center));
        let mean_w = rotation.transpose_mul(Vec3::of(mean_omega));
        free.velocity = mean_velocity + (free.velocity - mean_velocity) * keep;
        state.w = mean_w + (state.w - mean_w) * keep;
    }
}
