//! Grabs that are stable at any strength.
//!
//! A grab pulls a point with `F = k (x_t - x) + c (v_t - v)`. Every joint between the point and the root
//! moves independently under F, so a strong grab that each of them followed alone would overshoot by the
//! number of joints. We therefore solve for the F that belongs to the end of the step: the point gets to
//!
//! ```text
//! x = x_free + Y F,   v = v_free + Y' F          Y = sum over the joints j of [r_j]x^T J_r U_j J_r^T [r_j]x
//! F = (1 + k Y + c Y')^-1 (k (x_t - x_free) + c (v_t - v_free))
//! ```
//!
//! where `U_j` is the response of the closed form of the joint per torque on its rotation vector. Several
//! grabs are solved one after the other.

use windfall_solver::Grab;

use crate::analytic::Step;
use crate::analytic::joint::{Modes, modes_of};
use crate::analytic::sweep::inward;
use crate::block::Link;
use crate::block::composite::{hanging, lever};
use crate::block::drag_share::DragShare;
use crate::block::place::{Place, TOP};
use crate::math::{Mat3, Real, Sym3, Vec3, log};
use crate::world::World;
use crate::world::place::Contact;

/// Adds the force of every grab on a tree to the torques of the joints that it moves.
pub(super) fn pull<T: Real>(world: &mut World<T>, step: &Step<T>, grabs: &[Grab]) {
    for grab in grabs {
        let Some(contact) = step.contact(world, grab.body.id, grab.point) else { continue };
        let mut path = std::mem::take(&mut world.scratch.path);
        find_path(world, contact.place, &mut path);
        let force = force(world, step, grab, (&contact, &path));
        world.scratch.path = path;
        apply(world, contact.place, contact.arm, force);
    }
}

/// The parent of a body, except the base of its tree.
fn inner<T: Real>(world: &World<T>, place: Place) -> Option<Place> {
    match world.block(place.block).state.links[place.index as usize] {
        Link::Body(parent) => Some(Place { block: place.block, index: parent }),
        Link::Top(parent) => Some(Place { block: TOP, index: parent }),
        Link::Base(_) | Link::Free(_) | Link::Removed => None,
    }
}

/// Finds the joints between a body and the root of its tree, from the outside in, each with the drag
/// share of those between it and the root.
pub(super) fn find_path<T: Real>(world: &World<T>, from: Place, found: &mut Vec<(Place, DragShare<T>)>) {
    found.clear();
    let path = std::iter::successors(Some(from), |&place| inner(world, place));
    found.extend(path.map(|place| (place, DragShare::none())));
    let mut below = DragShare::none();
    for (place, drag_share) in found.iter_mut().rev() {
        *drag_share = below;
        below = below.and(inward(&world.block(place.block).scratch.analytic, place.index));
    }
}

/// The grabbed point, and the joints that it moves.
type Grip<'a, T> = (&'a Contact<T>, &'a [(Place, DragShare<T>)]);

/// Motion of a point of a body in this step, and its compliance.
struct Response<T> {
    /// Displacement without the force, m, and velocity, m/s.
    moved: Vec3<T>,
    velocity: Vec3<T>,
    /// Displacement per force, m/N, and velocity per force, m/s/N.
    reach: Sym3<T>,
    speed: Sym3<T>,
}

fn response<T: Real>(world: &World<T>, step: &Step<T>, (contact, path): Grip<'_, T>) -> Response<T> {
    let h = step.h;
    let mut reach = Sym3::zero();
    let mut speed = Sym3::zero();
    // Where the point would be without this grab.
    let (mut moved, mut velocity) = (Vec3::zero(), Vec3::zero());
    let point = world.motion_at(contact.place).position + contact.arm;
    let anchor = world.motion_at(contact.place).anchor as usize;
    for &(place, below) in path {
        let block = world.block(place.block);
        let i = place.index as usize;
        let (motion, state, work) = (block.motion(i), block.state.joints.get(i), block.scratch.analytic.get(i));
        let rotation = motion.rotation();
        let arm = point - motion.position;
        let cross = Mat3::cross(arm);
        let modes: Modes<T> = modes_of(&work, below, &block.spring(i), step, block.model.heights[i]);
        let vector = log(state.q);
        let push = vector.force_of(work.torque);
        let [after, rate, _, _] = modes.advance(vector.theta, state.w, push);
        let turn = rotation * vector.turn_matrix();
        moved += (turn * (after - vector.theta)).cross(arm);
        velocity += (turn * rate).cross(arm);
        let seen = |s: Sym3<T>| s.turned(cross.transpose() * turn);
        reach += seen(modes.compliance());
        speed += seen(modes.mobility());
    }
    let (base, moving) = (&world.base_motions[anchor], &world.bases[anchor]);
    velocity += base.velocity + base.omega.cross(point);
    moved += Vec3::of(moving.next.position - moving.now.position) + base.omega.cross(point) * h;
    Response { moved, velocity, reach, speed }
}

fn force<T: Real>(world: &World<T>, step: &Step<T>, grab: &Grab, (contact, path): Grip<'_, T>) -> Vec3<T> {
    let Response { moved, velocity, reach, speed } = response(world, step, (contact, path));
    let h = step.h;
    let (k, c) = (T::of(grab.stiffness.min(1e30)), T::of(grab.damping.min(1e30)));
    let target = grab.target + grab.target_velocity * h.f64();
    let away = Vec3::of(target - contact.position) - moved;
    let towards = Vec3::of(grab.target_velocity) - velocity;
    // Divided by k + c / h, so that nothing overflows for the strongest grab.
    let strength = k + c / h;
    if strength == T::zero() {
        return Vec3::zero();
    }
    let (k, c) = (k / strength, c / strength);
    let response = reach * k + speed * c;
    // A direction in which no joint yields (along the axis of a single branch) needs a limit: a
    // thousandth of the compliance elsewhere.
    let least = strength.recip().max(response.trace() * T::of(1e-3));
    let matrix = Sym3::diagonal(Vec3::splat(least)) + response;
    let force = matrix.factor().solve(away * k + towards * c);
    if force.is_finite() { force } else { Vec3::zero() }
}

/// Adds a force on a body to the torque of every joint that carries it.
pub(super) fn apply<T: Real>(world: &mut World<T>, from: Place, arm: Vec3<T>, force: Vec3<T>) {
    let point = world.motion_at(from).position + arm;
    let mut next = Some(from);
    while let Some(place) = next {
        next = inner(world, place);
        let block = world.block_for_input(place.block);
        let i = place.index as usize;
        let motion = block.motion(i);
        let (arm, back) = (point - motion.position, motion.rotation().transpose());
        block.scratch.is_forced = true;
        block.scratch.analytic.edit(i, |work| {
            work.torque += back * arm.cross(force);
            work.pushed.force += force;
            // A grab that pulls wood taut fixes its direction.
            work.hanging += hanging(lever(arm, force)).turned(back);
        });
    }
}
