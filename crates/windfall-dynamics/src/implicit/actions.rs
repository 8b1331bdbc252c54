//! Forces and hands, with their resistance to motion.

use windfall_core::glam::DVec3;
use windfall_core::{Actions, Grab, Load, Touch};

use super::flight::Pull;
use super::sweep;
use super::{GAMMA, Step};
use crate::air::{Gust, Weather, Whom, blow_on};
use crate::math::{Mat3, Real, Sym3, Vec3};
use crate::wide::Vectors;
use crate::world::block::{Block, Lumped, Motion};
use crate::world::layout::Place;
use crate::world::place::Contact;
use crate::world::rows::LANES;
use crate::world::{World, guard};

/// The resistance of the strongest hand over the mass of the body: f32 can carry it, and a stronger one would only pull the wood taut.
const STRONGEST: f64 = 3000.0;

/// What a touch weighs over the mass of the body when it holds it.
const FIRM: f64 = 100.0;
/// Smallest inertia of such a body that is seen beside what holds it, in units of the precision.
const BALLAST: f64 = 100.0;

/// Puts the actions of a step onto the bodies that carry them, and gives those on pieces that fly.
pub(super) fn add<T: Real>(world: &mut World<T>, step: &Step<T>, actions: &Actions<'_>) -> Vec<Pull<T>> {
    let mut on_pieces = Vec::new();
    let loads = actions.loads.iter().map(Action::Load);
    for action in loads.chain(actions.grabs.iter().map(Action::Grab)) {
        // What stands rigidly on the ground does not move.
        let Some(contact) = (match action {
            Action::Load(load) => world.contact(load.body, load.point),
            Action::Grab(grab) => world.contact(grab.body, grab.point),
        })
        .filter(|contact| step.moves(world.anchor_at(contact.place))) else {
            continue;
        };
        let pull = match action {
            Action::Load(load) => of_load(&contact, step, load),
            Action::Grab(grab) => of_grab(&contact, step, grab),
        };
        let block = world.block_acted_on(contact.place.block);
        block.give(contact.place.index as usize, &pull);
        if block.anchor(contact.place.index as usize) as usize >= world.bases.len() {
            on_pieces.push(pull);
        }
    }
    on_pieces
}

impl<T: Real> Block<T> {
    /// Puts what pulls into the inbox of a body.
    fn give(&mut self, i: usize, pull: &Pull<T>) {
        let is_alone = self.batches[i / LANES].alone() >> (i % LANES) & 1 == 1;
        let inbox = if is_alone { self.inboxes.of_known(i) } else { self.inboxes.of(i) };
        inbox.edit(|body| pull.add_to(body));
    }
}

/// A touch that a body feels: the number of the touch, and what it does.
pub(super) type Felt<T> = (usize, Pull<T>);

/// Puts the touches of a step onto the bodies that carry them. What those on pieces do is added to `on_pieces`.
pub(super) fn meet<T: Real>(
    world: &mut World<T>,
    step: &Step<T>,
    touches: &[Touch],
    left_out: &[usize],
    on_pieces: &mut Vec<Pull<T>>,
) -> Vec<Felt<T>> {
    world.impulses.clear();
    let mut felt = Vec::with_capacity(touches.len());
    for (i, touch) in touches.iter().enumerate() {
        if left_out.contains(&i) {
            world.impulses.push(DVec3::ZERO);
            continue;
        }
        let Some(contact) = world.contact(touch.body, touch.point) else {
            // What stands rigidly on the ground gives way to nothing.
            world.impulses.push(world.impulse_on_base(touch));
            continue;
        };
        world.impulses.push(DVec3::ZERO);
        if !step.moves(world.anchor_at(contact.place)) {
            continue;
        }
        let pull = of_touch(&contact, step, touch);
        let block = world.block_acted_on(contact.place.block);
        block.give(contact.place.index as usize, &pull);
        if block.anchor(contact.place.index as usize) as usize >= world.bases.len() {
            on_pieces.push(pull);
        }
        felt.push((i, pull));
    }
    felt
}

/// The touches that would pull, though they only push, if the step went on. After the sweep up.
pub(super) fn pulling<T: Real>(world: &World<T>, step: &Step<T>, touches: &[Touch], felt: &[Felt<T>]) -> Vec<usize> {
    let mut path = Vec::new();
    let mut pulls = |(i, pull): &&Felt<T>| {
        let touch = &touches[*i];
        touch.pushes_along.is_some() && touch.pulls(force_of(world, step, pull, &mut path).f64())
    };
    felt.iter().filter(&mut pulls).map(|(i, _)| *i).collect()
}

/// Notes what the touches of leaves will do, after the sweep up and all that is changed before the sweep down: leaves don't keep the accelerations of a step (`Motion::follow`).
pub(super) fn foresee_impulses<T: Real>(world: &mut World<T>, step: &Step<T>, felt: &[Felt<T>]) {
    let mut path = Vec::new();
    for (i, pull) in felt {
        if is_leaf_of_tree(world, step, pull) {
            world.impulses[*i] = (force_of(world, step, pull, &mut path) * step.kick).f64();
        }
    }
}

/// Notes what the other touches did, after the sweeps.
pub(super) fn note_impulses<T: Real>(world: &mut World<T>, step: &Step<T>, felt: &[Felt<T>]) {
    for (i, pull) in felt {
        if !is_leaf_of_tree(world, step, pull) {
            let motion = world.motion_at(pull.place);
            let force = pull.force - pull.resistance * pull.acceleration(motion.alpha, motion.felt);
            world.impulses[*i] = (force * step.kick).f64();
        }
    }
}

fn is_leaf_of_tree<T: Real>(world: &World<T>, step: &Step<T>, pull: &Pull<T>) -> bool {
    let is_leaf = world.block(pull.place.block).masses.is_leaf(pull.place.index as usize);
    is_leaf && (world.anchor_at(pull.place) as usize) < step.trees
}

/// What a touch exerts in the sweep down; `path` is room.
fn force_of<T: Real>(world: &World<T>, step: &Step<T>, pull: &Pull<T>, path: &mut Vec<Place>) -> Vec3<T> {
    sweep::find_path(world, pull.place, path);
    let (alpha, felt) = sweep::accelerations(world, path, step);
    pull.force - pull.resistance * pull.acceleration(alpha, felt)
}

/// Puts the wind onto the bodies of a block, but for those that the fast path blows on, and notes what acts on pieces that fly.
pub(super) fn blow<T: Real>(block: &mut Block<T>, at: u32, weather: &Weather<'_>, step: &Step<T>) {
    block.blown.clear();
    if step.from > 0 && block.is_rooted {
        return;
    }
    let mut apply = |block: &mut Block<T>, i: usize, gust: &Gust<T>| {
        let motion = block.motion(i);
        if !step.moves(motion.anchor) {
            return;
        }
        let place = Place { block: at, index: i as u32 };
        let pull = of_gust(&motion, &block.masses.get(i), place, step, gust);
        block.give(i, &pull);
        if motion.anchor as usize >= step.trees {
            block.blown.push(pull);
        }
    };
    let whom = if step.vectors == Vectors::None { Whom::All } else { Whom::Alone };
    blow_on(block, weather, whom, &mut apply);
}

fn of_gust<T: Real>(motion: &Motion<T>, mass: &Lumped<T>, place: Place, step: &Step<T>, gust: &Gust<T>) -> Pull<T> {
    let (arm, omega) = (gust.arm, guard::in_products(motion.omega, step.h));
    let turning = omega.cross(omega.cross(arm));
    let acceleration = motion.felt + step.gravity + motion.alpha.cross(arm) + turning;
    // As for a load: taken back to the age of the velocities first.
    let turn = gust.stiffness * step.spring;
    Pull {
        place,
        arm,
        force: gust.force + gust.drag * (acceleration * step.age),
        resistance: resistance(gust.drag, mass.mass, step),
        centripetal: turning + step.gravity,
        torque: gust.torque + gust.spin_drag * (motion.alpha * step.age),
        spin_resistance: resistance(gust.spin_drag, mass.inertia.trace() / T::of(3.0), step)
            + with_ballast(turn, turn.trace(), mass.inertia.trace()),
        holds: false,
    }
}

/// What resists, and beside it as much mass as the precision needs: a body that is lighter than `sqrt(epsilon)` of it (a leaf without mass in the wind) moves as if it had that much, without weight. To let it resist
/// less instead would be explicit, and unstable. `mass` is that along three axes together, like the trace.
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
    // A load is that of the present velocities, and the resistance takes it on by the acceleration of this step, from half
    // the last step before: so it is taken back there first.
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
    // The strongest hand, at which nothing gives any more that a step could see.
    let most = T::of(STRONGEST) * contact.mass;
    let (h, h2) = (step.h, step.square);
    let stiffness = T::of(grab.stiffness).min(most / h2);
    // A hand that is stronger than a step can resolve is damped as far as it is: its vibration means nothing.
    let s = stiffness * h2 / contact.mass;
    let own = if step.forward_euler { T::zero() } else { stiffness * h * (s / (T::one() + s)) };
    let damping = (T::of(grab.damping) + own).min(most / h);
    let away = Vec3::of(grab.target - contact.position);
    // As old as the velocities of the joints: what the weight of damping goes on from.
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

/// With the velocity v of the age of the joints', `force - mass a` times the kick is `mass (u - v - kick a)`.
fn of_touch<T: Real>(contact: &Contact<T>, step: &Step<T>, touch: &Touch) -> Pull<T> {
    let mass = Mat3::of(touch.mass).symmetric_part();
    let most = T::of(STRONGEST) * contact.mass;
    let trace = mass.trace();
    let mass = if trace > most { mass * (most / trace) } else { mass };
    let velocity = contact.velocity - contact.acceleration * step.age;
    let holds = trace > T::of(FIRM) * contact.mass;
    // Beside what holds its ends a thin twig has no inertia about its own axis that f32 could see: it gets as much as can be seen.
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

/// The part of a point's acceleration that the joint's does not have; gravity, because resistance acts on the true motion.
pub(super) fn centripetal<T: Real>(contact: &Contact<T>, step: &Step<T>) -> Vec3<T> {
    let omega = guard::in_products(contact.omega, step.h);
    omega.cross(omega.cross(contact.arm)) + step.gravity
}

/// sigma h G; nothing in forward Euler.
fn resistance<T: Real>(drag: Sym3<T>, mass: T, step: &Step<T>) -> Sym3<T> {
    if step.forward_euler {
        return Sym3::zero();
    }
    let (damping, mass) = (step.h * drag.trace(), T::of(3.0) * mass);
    with_ballast(drag * step.damping_weight(damping, mass), damping, mass)
}
