//! The step of `Implicit` and of `Explicit`: the verbs of the head of [`crate::implicit`] in their order,
//! over all blocks of a world.

mod actions;
mod piece_contact;
mod piece_momentum;
mod pieces;
mod sweep;

pub(crate) use piece_contact::SweepResponse;
pub(crate) use pieces::{find_accelerations, sweep_pieces_down, sweep_pieces_up};
use windfall_solver::Actions;

use self::actions::AppliedTouch;
use self::piece_momentum::PieceMomenta;
use crate::block::guard;
use crate::block::place::let_through;
use crate::block::vectors::Vectors;
use crate::implicit::{EPSILON, GAMMA, Step};
use crate::math::Real;
use crate::world::measure::keep_momentum;
use crate::world::{self, World};

/// One step.
pub(crate) fn step<T: Real>(world: &mut World<T>, dt: f64, actions: &Actions<'_>, explicit: bool) {
    let step = begin(world, dt, world.last_dt, explicit);
    world.move_bases();
    let swept_up = act_and_sweep_up(world, &step, actions, |world, sweeps| world::piece_contact::solve(world, sweeps));
    actions::predict_leaf_impulses(world, &step, &swept_up);
    sweep::down(world, &step, Some(dt));
    actions::note_impulses(world, &step, &swept_up);
    let last = world.last_dt;
    world.end_step(dt);
    if !explicit {
        piece_momentum::correct(world, &step, &swept_up.momenta, last);
    }
}

/// State between the sweeps.
struct SweptUp<T> {
    momenta: PieceMomenta<T>,
    touches: Vec<AppliedTouch<T>>,
    /// Loads whose impulses are noted.
    noted: Vec<AppliedTouch<T>>,
}

/// Adds all actions and sweeps up. `meet` finds the impulses of piece contacts from the response of the
/// sweeps.
fn act_and_sweep_up<T: Real>(
    world: &mut World<T>,
    step: &Step<T>,
    actions: &Actions<'_>,
    mut meet: impl FnMut(&mut World<T>, &mut SweepResponse<'_, T>),
) -> SweptUp<T> {
    let mut left_out = Vec::new();
    let mut is_fresh = true;
    loop {
        let mut noted = Vec::new();
        let mut pulls = actions::add(world, step, actions, &mut noted);
        let touches = actions::meet(world, step, actions.touches, &left_out, &mut pulls);
        let mut momenta = piece_momentum::record(world, pulls);
        if std::mem::take(&mut is_fresh) && step.keep < T::one() {
            keep_momentum(world, |_| step.keep * step.keep);
        }
        sweep::up(world, step);
        momenta.add_air(world);
        meet(world, &mut SweepResponse::new(step));
        piece_contact::note(world, step, &mut momenta);
        let pulling = actions::pulling(world, step, actions.touches, &touches);
        if pulling.is_empty() {
            return SweptUp { momenta, touches, noted };
        }
        // Repeated without these touches. Fewer remain each time, so this ends.
        left_out.extend(pulling);
    }
}

/// A step of `dt` seconds after one of `before` seconds; zero for none.
fn begin<T: Real>(world: &World<T>, dt: f64, before: f64, explicit: bool) -> Step<T> {
    let cap = 0.1 / T::epsilon().f64();
    let last = if explicit || before == 0.0 { dt } else { before };
    let square = dt * last;
    let change = (dt / last).ln().abs();
    let alpha = world.params().mass_damping;
    let kick = if explicit { dt } else { 0.5 * (before + dt) };
    Step {
        h: T::of(dt),
        kick: T::of(kick),
        per_kick: T::of(kick).recip(),
        age: T::of(if explicit { 0.0 } else { 0.5 * before }),
        square: T::of(square),
        spring: T::of(if explicit { 0.0 } else { (GAMMA - EPSILON) * square }),
        lag: T::of(if explicit { 0.0 } else { EPSILON * square }),
        settle: T::of(2.0 * dt.max(last) * change * change / (0.3 + change)),
        forward_euler: explicit,
        stiffest: T::of(cap / ((GAMMA - EPSILON) * square)),
        most_damped: T::of(cap / dt),
        mixed: T::epsilon().powf(T::of(-0.3)),
        fastest_in_products: guard::fastest_in_products(T::of(dt)),
        largest_rate: guard::largest_rate(T::of(dt)),
        keep: T::of((-0.5 * kick * alpha).exp()),
        let_through: T::of(let_through(kick * alpha)),
        keep_ahead: T::of((-0.5 * dt * alpha).exp()),
        let_through_ahead: T::of(let_through(0.5 * dt * alpha)),
        vectors: if explicit { Vectors::None } else { world.vectors() },
        is_far: world.is_far(),
        trees: world.bases.len(),
        from: 0,
        is_trial: false,
        gravity: crate::math::Vec3::of(world.gravity),
    }
}
