//! Pieces in a world whose trees move by `Analytic`.
//!
//! A closed form per joint can't describe how the ground turns a whole body, and the paper has no pieces.
//! So pieces move by the sweeps of [`super`], over their bodies alone, as in `Implicit`. In such a world
//! all velocities are those of the pose. Before the sweeps those of pieces go back by half of the last
//! step h', after them forward by half of this one,
//!
//! ```text
//! w(t - h'/2) = (w(t) - g q''_n) / k          w(t + h) = k w(t + h/2) + g q''_(n+1)
//! ```
//!
//! k is the factor of mass-proportional damping over that time, g the change of velocity per
//! acceleration.

use windfall_solver::Actions;

use super::{SweepResponse, SweptUp, act_and_sweep_up, actions, begin, piece_momentum, sweep};
use crate::block::Link;
use crate::block::place::Ahead;
use crate::block::vectors::Vectors;
use crate::implicit::Step;
use crate::math::{Real, Vec3};
use crate::world::World;

/// Smallest k used as a divisor: where damping leaves less, the step removes the whole velocity.
const LEAST_KEPT: f64 = 1e-3;

/// Pieces between the sweeps.
pub(crate) struct SweptPieces<T> {
    step: Step<T>,
    swept_up: SweptUp<T>,
    /// Length of the step before, s.
    last: f64,
}

/// The step up to the sweep down. `meet` finds the impulses of piece contacts; it may be called again if
/// a touch would pull.
pub(crate) fn sweep_pieces_up<T: Real>(
    world: &mut World<T>,
    dt: f64,
    actions: &Actions<'_>,
    meet: impl FnMut(&mut World<T>, &mut SweepResponse<'_, T>),
) -> SweptPieces<T> {
    let step = Step { from: world.bases.len(), vectors: Vectors::None, ..begin(world, dt, world.last_dt, false) };
    let last = world.last_dt;
    let Ahead { seconds, keep, gain, .. } = Ahead::<T>::over(0.5 * last, world.params().mass_damping, last);
    let keep = keep.max(T::of(LEAST_KEPT)).recip();
    change_velocities(world, seconds, |velocity, rate| (velocity - rate * gain) * keep);
    let swept_up = act_and_sweep_up(world, &step, actions, meet);
    SweptPieces { step, swept_up, last }
}

/// The rest of the step, after the end of the step of the trees.
pub(crate) fn sweep_pieces_down<T: Real>(world: &mut World<T>, swept: &SweptPieces<T>) {
    let SweptPieces { step, swept_up, last } = swept;
    sweep::down(world, step, None);
    actions::note_impulses(world, step, swept_up);
    let Ahead { seconds, keep, gain, .. } = step.ahead();
    change_velocities(world, -seconds, |velocity, rate| velocity * keep + rate * gain);
    piece_momentum::correct(world, step, &swept_up.momenta, *last);
}

/// Finds the accelerations of the pieces from this number on, which were cut off just now: the first step
/// goes back by them. Those of their former tree belong to other forces, and are momentary: in stiff
/// joints they are huge.
pub(crate) fn find_accelerations<T: Real>(world: &mut World<T>, from: usize) {
    if world.last_dt > 0.0 {
        let step = begin(world, world.last_dt, world.last_dt, false);
        let step = Step { from, is_trial: true, vectors: Vectors::None, ..step };
        sweep::up(world, &step);
        sweep::down(world, &step, None);
    }
}

/// Takes the velocities of roots back by so many seconds, and applies this function to those of joints.
fn change_velocities<T: Real>(world: &mut World<T>, back: T, joint: impl Fn(Vec3<T>, Vec3<T>) -> Vec3<T>) {
    let trees = world.bases.len();
    for block in world.all_blocks_of_pieces_mut() {
        for (i, link) in block.state.links.iter().enumerate() {
            let is_root = matches!(link, Link::Free(_));
            if is_root || block.anchor(i) as usize >= trees {
                block.state.joints.edit(i, |state| {
                    state.w = if is_root { state.w - state.rate * back } else { joint(state.w, state.rate) };
                });
            }
        }
        for free in &mut block.state.frees {
            free.velocity -= free.rate * back;
        }
    }
}
