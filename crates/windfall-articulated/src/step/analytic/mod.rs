//! The step of `Analytic`: the steps of the head of [`crate::analytic`] in their order, over all blocks of
//! a world.

mod forces;
mod hand;
mod sweep;
mod touch;

use windfall_core::BodyId;
use windfall_core::glam::DVec3;
use windfall_solver::Actions;

use super::implicit;
use crate::analytic::{Frame, Step};
use crate::block::guard;
use crate::math::{Real, Vec3};
use crate::world::World;
use crate::world::place::Contact;

/// One step.
pub(crate) fn step<T: Real>(world: &mut World<T>, dt: f64, actions: &Actions<'_>) {
    world.move_bases();
    let step = begin(world, dt, actions);
    forces::add(world, &step, actions.loads);
    forces::expect(world, &step, actions);
    sweep::up(world, &step);
    hand::pull(world, &step, actions.grabs);
    let mut met = None;
    let pieces = (!world.pieces.is_empty()).then(|| {
        implicit::sweep_pieces_up(world, dt, actions, |world, sweeps| {
            met = Some(touch::meet(world, &step, actions.touches, Some(sweeps)));
        })
    });
    let met = met.unwrap_or_else(|| touch::meet(world, &step, actions.touches, None));
    touch::act(world, &step, met);
    sweep::down(world, &step, dt);
    world.end_step(dt);
    if let Some(swept) = pieces {
        implicit::sweep_pieces_down(world, &swept);
    }
    world.scratch.frames = step.frames;
}

fn begin<T: Real>(world: &mut World<T>, dt: f64, actions: &Actions<'_>) -> Step<T> {
    let mut frames = std::mem::take(&mut world.scratch.frames);
    frames.clear();
    frames.extend(world.base_motions.iter().map(|base| Frame::of_base(base, world.gravity)));
    Step {
        h: T::of(dt),
        alpha: T::of(world.params().mass_damping),
        largest_rate: guard::largest_rate(T::of(dt)),
        gravity: Vec3::of(world.gravity),
        fictitious: world.params().fictitious,
        is_moved: frames.iter().any(|frame| !frame.is_still()),
        frames,
        is_windy: world.wind.is_some(),
        is_forced: world.wind.is_some() || !actions.loads.is_empty(),
        vectors: world.vectors(),
        is_far: world.is_far(),
    }
}

impl<T: Real> Step<T> {
    /// The simulated body of a tree that carries a point of a body.
    pub fn contact(&self, world: &World<T>, body: BodyId, point: DVec3) -> Option<Contact<T>> {
        world.contact(body, point).filter(|contact| self.moves(world.anchor_at(contact.place)))
    }
}
