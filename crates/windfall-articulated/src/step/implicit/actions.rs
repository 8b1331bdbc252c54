//! Loads, grabs, touches and wind, with their resistance to motion.

use windfall_core::glam::DVec3;
use windfall_solver::{Actions, Grab, Load, Touch};

use super::{SweptUp, sweep};
use crate::air::AirLoad;
use crate::block::place::Place;
use crate::block::pull::Pull;
use crate::block::rows::LANES;
use crate::block::vectors::Vectors;
use crate::block::{Block, Lumped, Motion, guard};
use crate::implicit::{GAMMA, Step};
use crate::math::{Mat3, Real, Sym3, Vec3};
use crate::step::air::{AirTarget, StepAir, apply_air};
use crate::world::World;
use crate::world::place::Contact;

/// The largest resistance of a grab over the mass of its body. f32 can represent it; a stronger grab
/// would only pull the wood taut.
const STRONGEST: f64 = 3000.0;

/// Mass of a touch that holds its body, over the mass of the body.
const FIRM: f64 = 100.0;
/// Smallest inertia of such a body that is resolved beside the mass that holds it, in units of the
/// precision.
const BALLAST: f64 = 100.0;

/// Adds the actions of a step to the accumulators of the bodies that carry them. Returns those on free
/// pieces.
///
/// `noted` receives the loads whose impulses are wanted.
pub(super) fn add<T: Real>(
    world: &mut World<T>,
    step: &Step<T>,
    actions: &Actions<'_>,
    noted: &mut Vec<AppliedTouch<T>>,
) -> Vec<Pull<T>> {
    let mut on_pieces = Vec::new();
    let loads = actions.loads.iter().map(Action::Load);
    for (number, action) in loads.chain(actions.grabs.iter().map(Action::Grab)).enumerate() {
        // A body that is rigidly fixed to the ground does not move.
        let Some(contact) = (match action {
            Action::Load(load) => world.contact(load.body.id, load.point),
            Action::Grab(grab) => world.contact(grab.body.id, grab.point),
        })
        .filter(|contact| step.moves(world.anchor_at(contact.place))) else {
            continue;
        };
        let pull = match action {
            Action::Load(load) => of_load(&contact, step, load),
            Action::Grab(grab) => of_grab(&contact, step, grab),
        };
        let block = world.block_for_input(contact.place.block);
        block.give(contact.place.index as usize, &pull);
        if block.anchor(contact.place.index as usize) as usize >= world.bases.len() {
            on_pieces.push(pull);
        }
        if world.noted_loads.contains(&number) {
            noted.push((number - world.noted_loads.start, pull));
        }
    }
    on_pieces
}

impl<T: Real> Block<T> {
    /// Adds a force with its resistance to the accumulator of a body.
    fn give(&mut self, i: usize, pull: &Pull<T>) {
        let is_alone = self.plan.batches[i / LANES].alone() >> (i % LANES) & 1 == 1;
        let accumulator =
            if is_alone { self.scratch.accumulators.of_known(i) } else { self.scratch.accumulators.of(i) };
        accumulator.edit(|body| pull.add_to(body));
    }
}

/// A touch on a simulated body: the number of the touch, and its effect.
pub(super) type AppliedTouch<T> = (usize, Pull<T>);

/// Adds the touches of a step to the accumulators of the bodies that carry them, and those on pieces to
/// `on_pieces` as well.
pub(super) fn meet<T: Real>(
    world: &mut World<T>,
    step: &Step<T>,
    touches: &[Touch],
    left_out: &[usize],
    on_pieces: &mut Vec<Pull<T>>,
) -> Vec<AppliedTouch<T>> {
    world.impulses.clear();
    let mut applied = Vec::with_capacity(touches.len());
    for (i, touch) in touches.iter().enumerate() {
        if left_out.contains(&i) {
            world.impulses.push(DVec3::ZERO);
            continue;
        }
        let Some(contact) = world.contact(touch.body.id, touch.point) else {
            // A body that is rigidly fixed to the ground does not yield.
            world.impulses.push(world.impulse_on_base(touch));
            continue;
        };
        world.impulses.push(DVec3::ZERO);
        if !step.moves(world.anchor_at(contact.place)) {
            continue;
        }
        let pull = of_touch(&contact, step, touch);
        let block = world.block_for_input(contact.place.block);
        block.give(contact.place.index as usize, &pull);
        if block.anchor(contact.place.index as usize) as usize >= world.bases.len() {
            on_pieces.push(pull);
        }
        applied.push((i, pull));
    }
    applied
}

/// The touches that may only push, but would pull if the step went on. Call it after the sweep up.
pub(super) fn pulling<T: Real>(
    world: &World<T>,
    step: &Step<T>,
    touches: &[Touch],
    applied: &[AppliedTouch<T>],
) -> Vec<usize> {
    let mut path = Vec::new();
    let mut pulls = |(i, pull): &&AppliedTouch<T>| {
        let touch = &touches[*i];
        touch.pushes_along.is_some() && touch.pulls(force_of(world, step, pull, &mut path).f64())
    };
    applied.iter().filter(&mut pulls).map(|(i, _)| *i).collect()
}

/// Notes the impulses of touches on leaves, after the sweep up and all changes before the sweep down:
/// leaves don't store the accelerations of a step (`Motion::follow`).
pub(super) fn predict_leaf_impulses<T: Real>(world: &mut World<T>, step: &Step<T>, swept_up: &SweptUp<T>) {
    let mut path = Vec::new();
    let mut find = |world: &World<T>, applied: &[AppliedTouch<T>], impulses: &mut [DVec3]| {
        for (i, pull) in applied {
            if is_leaf_of_tree(world, step, pull) {
                impulses[*i] = (force_of(world, step, pull, &mut path) * step.kick).f64();
            }
        }
    };
    let mut impulses = std::mem::take(&mut world.impulses);
    find(world, &swept_up.touches, &mut impulses);
    world.impulses = impulses;
    let mut impulses = std::mem::take(&mut world.load_impulses);
    find(world, &swept_up.noted, &mut impulses);
    world.load_impulses = impulses;
}

/// Notes the impulses of the other touches, after the sweeps.
pub(super) fn note_impulses<T: Real>(world: &mut World<T>, step: &Step<T>, swept_up: &SweptUp<T>) {
    let impulse = |world: &World<T>, pull: &Pull<T>| {
        (!is_leaf_of_tree(world, step, pull)).then(|| {
            let motion = world.motion_at(pull.place);
            let force = pull.force - pull.resistance * pull.acceleration(motion.alpha, motion.proper_acceleration);
            (force * step.kick).f64()
        })
    };
    for (i, pull) in &swept_up.touches {
        if let Some(impulse) = impulse(world, pull) {
            world.impulses[*i] = impulse;
        }
    }
    for (i, pull) in &swept_up.noted {
        if let Some(impulse) = impulse(world, pull) {
            world.load_impulses[*i] = impulse;
        }
    }
}

fn is_leaf_of_tree<T: Real>(world: &World<T>, step: &Step<T>, pull: &Pull<T>) -> bool {
    let is_leaf = world.block(pull.place.block).model.masses.is_leaf(pull.place.index as usize);
    is_leaf && (world.anchor_at(pull.place) as usize) < step.trees
}

/// Force of a touch in the sweep down; `path` is scratch memory.
fn force_of<T: Real>(world: &World<T>, step: &Step<T>, pull: &Pull<T>, path: &mut Vec<Place>) -> Vec3<T> {
    sweep::find_path(world, pull.place, path);
    let (alpha, proper_acceleration) = sweep::accelerations(world, path, step);
    pull.force - pull.resistance * pull.acceleration(alpha, proper_acceleration)
}

/// Adds the air loads to the bodies of a block, except those of the fast path, and notes the loads on
/// free pieces.
pub(super) fn aero_load<T: Real>(block: &mut Block<T>, at: u32, step_air: &StepAir<'_>, step: &Step<T>) {
    block.scratch.air_on_pieces.clear();
    if step.from > 0 && block.plan.is_rooted {
        return;
    }
    let mut apply = |block: &mut Block<T>, i: usize, air_load: &AirLoad<T>| {
        let motion = block.motion(i);
        if !step.moves(motion.anchor) {
            return;
        }
        let place = Place { block: at, index: i as u32 };
        let pull = of_air_load(&motion, &block.model.masses.get(i), place, step, air_load);
        block.give(i, &pull);
        if motion.anchor as usize >= step.trees {
            block.scratch.air_on_pieces.push(pull);
        }
    };
    let target = if step.vectors == Vectors::None { AirTarget::All } else { AirTarget::Alone };
    apply_air(block, step_air, target, &mut apply);
}

fn of_air_load<T: Real>(
    motion: &Motion<T>,
    mass: &Lumped<T>,
    place: Place,
    step: &Step<T>,
    air_load: &AirLoad<T>,
) -> Pull<T> {
    let (arm, omega) = (air_load.arm, guard::in_products(motion.omega, step.h));
    let turning = omega.cross(omega.cross(arm));
    let acceleration = motion.proper_acceleration + step.gravity + motion.alpha.cross(arm) + turning;
    // As for a load: first taken back to the time of the joint velocities.
    let turn = air_load.stiffness * step.spring;
    Pull {
        place,
        arm,
        force: air_load.force + air_load.drag * (acceleration * step.age),
        resistance: resistance(air_load.drag, mass.mass, step),
        centripetal: turning + step.gravity,
        torque: air_load.torque + air_load.spin_drag * (motion.alpha * step.age),
        spin_resistance: resistance(air_load.spin_drag, mass.inertia.trace() / T::of(3.0), step)
            + with_ballast(turn, turn.trace(), mass.inertia.trace()),
        holds: false,
    }
}

/// Adds to a resistance as much mass as the precision needs. A body lighter than `sqrt(epsilon)` of it (a
/// leaf without mass in the wind) moves as if it had that mass, without weight. To reduce the resistance
/// instead would be explicit, and unstable. `mass` is the sum along three axes, like the trace.
fn with_ballast<T: Real>(resistance: Sym3<T>, trace: T, mass: T) -> Sym3<T> {
    let lacking = (trace * T::epsilon().sqrt() - mass) / T::of(3.0);
    if lacking > T::zero() { resistance + Sym3::diagonal(Vec3::splat(lacking)) } else { resistance }
}

enum Action<'a> {
    Load(&'a Load),
    Grab(&'a Grab),
}

fn of_load<T: Real>(contact: &Contact<T>, step: &Step<T>, load: &Load) -> Pull<T> {
    let (drag, spin) = (Mat3::of(load.drag).symmetric_part(), Mat3::of(load.spin_drag).symmetric_part());
    // A load belongs to the present velocities. The resistance extrapolates it by the acceleration of
    // this step from half the last step before, so it is first taken back to that time.
    Pull {
        place: contact.place,
        arm: contact.arm,
        force: Vec3::of(load.force) + drag * (contact.acceleration * step.age),
        resistance: resistance(drag, contact.mass, step),
        centripetal: centripetal(contact, step),
        torque: Vec3::of(load.torque) + spin * (contact.alpha * step.age),
        spin_resistance: resistance(spin, contact.inertia, step),
        holds: false,
    }
}

fn of_grab<T: Real>(contact: &Contact<T>, step: &Step<T>, grab: &Grab) -> Pull<T> {
    // The strongest grab: nothing yields any more by an amount that a step could resolve.
    let most = T::of(STRONGEST) * contact.mass;
    let (h, h2) = (step.h, step.square);
    let stiffness = T::of(grab.stiffness).min(most / h2);
    // A grab stronger than a step can resolve is damped accordingly: its vibration has no meaning.
    let s = stiffness * h2 / contact.mass;
    let own = if step.forward_euler { T::zero() } else { stiffness * h * (s / (T::one() + s)) };
    let damping = (T::of(grab.damping) + own).min(most / h);
    let away = Vec3::of(grab.target - contact.position);
    // At the time of the joint velocities, from which the weight of the damping extrapolates.
    let velocity = contact.velocity - contact.acceleration * step.age;
    let towards = Vec3::of(grab.target_velocity) - velocity;
    let weight = step.damping_weight(h * damping, contact.mass);
    let resistance = if step.forward_euler { T::zero() } else { stiffness * h2 * T::of(GAMMA) + damping * weight };
    Pull {
        place: contact.place,
        arm: contact.arm,
        force: away * stiffness + towards * damping,
        resistance: Sym3::diagonal(Vec3::splat(resistance)),
        centripetal: centripetal(contact, step),
        torque: Vec3::zero(),
        spin_resistance: Sym3::zero(),
        holds: true,
    }
}

/// With the velocity v at the time of the joint velocities, `force - mass a` times the kick is
/// `mass (u - v - kick a)`.
fn of_touch<T: Real>(contact: &Contact<T>, step: &Step<T>, touch: &Touch) -> Pull<T> {
    let mass = Mat3::of(touch.mass).symmetric_part();
    let most = T::of(STRONGEST) * contact.mass;
    let trace = mass.trace();
    let mass = if trace > most { mass * (most / trace) } else { mass };
    let velocity = contact.velocity - contact.acceleration * step.age;
    let holds = trace > T::of(FIRM) * contact.mass;
    // Beside the mass that holds its ends, the inertia of a thin twig about its own axis is lost to
    // rounding in f32: it is raised to the smallest that is resolved.
    let ballast = T::epsilon() * T::of(BALLAST) * trace.min(most) * (contact.inertia / contact.mass);
    Pull {
        place: contact.place,
        arm: contact.arm,
        force: mass * (Vec3::of(touch.velocity) - velocity) * step.kick.recip(),
        resistance: mass,
        centripetal: centripetal(contact, step),
        torque: Vec3::zero(),
        spin_resistance: if holds { Sym3::diagonal(Vec3::splat(ballast)) } else { Sym3::zero() },
        holds,
    }
}

/// The part of a point's acceleration that is not that of the joint. It includes gravity, because
/// resistance acts on the true motion.
pub(super) fn centripetal<T: Real>(contact: &Contact<T>, step: &Step<T>) -> Vec3<T> {
    let omega = guard::in_products(contact.omega, step.h);
    omega.cross(omega.cross(contact.arm)) + step.gravity
}

/// sigma h G; zero in forward Euler.
fn resistance<T: Real>(drag: Sym3<T>, mass: T, step: &Step<T>) -> Sym3<T> {
    if step.forward_euler {
        return Sym3::zero();
    }
    let (damping, mass) = (step.h * drag.trace(), T::of(3.0) * mass);
    with_ballast(drag * step.damping_weight(damping, mass), damping, mass)
}
