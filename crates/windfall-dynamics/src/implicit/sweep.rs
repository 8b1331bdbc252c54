//! The two sweeps. Blocks go in parallel, the top alone; what blocks give to the top is added in their order.

use std::any::Any;

use windfall_core::Solver;

use super::articulated::{Articulated, Work};
use super::{LOADED, Step, actions, begin};
use crate::air::Weather;
use crate::math::{Factored, Mat3, Real, Sym3, Vec3, exp, log};
use crate::wide::{self, Vectors};
use crate::world::World;
use crate::world::block::{Block, Joint, JointState, Link, Motion, Motions, Spring, Wrench};
use crate::world::exchange::{Given, Heard, Inbox};
use crate::world::foresight::Key;
use crate::world::layout::{Place, TOP};
use crate::world::place::Ahead;
use crate::world::{guard, limits};

/// From the tips to the roots: articulated inertias.
pub(super) fn up<T: Real>(world: &mut World<T>, step: &Step<T>) {
    let anchors = world.take_anchors();
    let wind = world.wind.clone().filter(|_| !step.is_trial);
    // Pieces alone are never foreseen.
    let is_foreseen = step.from == 0 && world.is_foreseen(Key::Implicit(*step), step.h.f64(), &anchors);
    let weather = Weather::of(wind.as_deref(), &anchors, (world.time(), step.h.f64()), step.vectors);
    let up = |block: &mut Block<T>, at: u32| {
        block.in_lent_room(|block| up_in_room(block, at, weather.as_ref(), step));
    };
    world.blocks.sweep_up(is_foreseen, |at, block| up(block, at as u32));
    for block in &*world.blocks {
        for (&i, handed) in block.entries.iter().zip(&block.handed) {
            if let Link::Top(parent) = block.links[i as usize]
                && (step.from == 0 || step.moves(block.anchor(i as usize)))
            {
                world.top.inboxes.of(parent as usize).add(handed);
            }
        }
    }
    up(&mut world.top, TOP);
    world.anchors = anchors;
}

/// Sweeps a block up with the wind, in lent room.
fn up_in_room<T: Real>(block: &mut Block<T>, at: u32, weather: Option<&Weather<'_>>, step: &Step<T>) {
    if let Some((block, step)) = fast(block, step) {
        wide::find_leaves(block, weather.map(|weather| weather.anchors), step.vectors);
    } else if step.from == 0 || !block.is_rooted {
        block.store_leaves();
    }
    if let Some(weather) = weather {
        actions::blow(block, at, weather, step);
    }
    up_block(block, step, weather.is_some());
}

fn up_block<T: Real>(block: &mut Block<T>, step: &Step<T>, is_windy: bool) {
    if let Some((block, step)) = fast(block, step) {
        return wide::up(block, step, is_windy, &|block, i| up_one(block, i, step));
    }
    if step.from > 0 && block.is_rooted {
        // Nothing of it flies.
        return;
    }
    block.keep_leaves_whole();
    for i in (0..block.len()).rev() {
        if step.moves(block.anchor(i)) {
            up_one(block, i, step);
        }
    }
    block.inboxes.forget();
}

/// The block, if it goes the fast path.
fn fast<'a, T: Real>(block: &'a mut Block<T>, step: &'a Step<T>) -> Option<(&'a mut Block<f32>, &'a Step<f32>)> {
    let step = (step as &dyn Any).downcast_ref::<Step<f32>>().filter(|step| step.vectors != Vectors::None)?;
    Some(((block as &mut dyn Any).downcast_mut::<Block<f32>>()?, step))
}

fn up_one<T: Real>(block: &mut Block<T>, i: usize, step: &Step<T>) {
    if block.links[i] == Link::Gone {
        return;
    }
    let (motion, mass, state) = (block.motion(i), block.masses.get(i), block.states.get(i));
    let (spring, joint, reaction) = (block.spring(i), block.joint(i), block.reactions.get(i));
    let omega = guard::in_products(motion.omega, step.h);
    let rotation = motion.rotation();
    let moment = rotation * mass.moment;
    let Given { mut body, taut, pulled } = block.inboxes.take(i).read();
    body.add_rigid(&mass, moment, &motion, omega);
    let pull = pull(rotation, &reaction);
    if !step.forward_euler && (motion.anchor as usize) < step.trees {
        // What does not come from the children pulls at the body itself, at its tip at most.
        let tip = moment * (T::of(2.0) / mass.mass);
        let taut = taut + guard::taut(tip, pull - pulled);
        let axis = rotation.column(1);
        // Of the age of the joints' velocities, from where the step goes on.
        let omega = motion.omega - motion.alpha * step.age;
        if let Some((more, torque)) = guard::tension(taut, axis, body.inertia, omega, (step.h, step.square)) {
            body.inertia += more;
            body.torque += torque;
        }
    }
    let mut work = Work { body, ..Work::zero() };
    let held = Held { spring: &spring, joint: &joint, reaction: &reaction, is_leaf: block.masses.is_leaf(i) };
    let through_joint = |work: &mut Work<T>| through_joint(work, (&motion, rotation), &held, &state, step);
    match block.links[i] {
        Link::Free(_) | Link::Gone => {}
        Link::Body(parent) => {
            let handed = through_joint(&mut work);
            block.inboxes.of_known(parent as usize).add_child(&handed, motion.arm, pull);
        }
        Link::Top(_) => {
            let entry = block.entry_of(i);
            block.handed[entry] = Inbox::default();
            block.handed[entry].add_child(&through_joint(&mut work), motion.arm, pull);
        }
        Link::Base(_) => {
            through_joint(&mut work);
        }
    }
    block.implicit.set(i, work);
}

/// What a body pulled its parent with in the last step, world axes, N.
fn pull<T: Real>(rotation: Mat3<T>, reaction: &Wrench<T>) -> Vec3<T> {
    -(rotation * reaction.force)
}

/// What holds a body at its parent.
struct Held<'a, T> {
    spring: &'a Spring<T>,
    joint: &'a Joint<T>,
    reaction: &'a Wrench<T>,
    is_leaf: bool,
}

/// Solves one joint and gives what the parent feels of it, about this joint.
fn through_joint<T: Real>(
    work: &mut Work<T>,
    (motion, rotation): (&Motion<T>, Mat3<T>),
    held: &Held<'_, T>,
    state: &JointState<T>,
    step: &Step<T>,
) -> Articulated<T> {
    let Articulated { inertia: a, coupling: b, mass: m, torque: n, force: f } = work.body;
    let (torque, resistance) = spring_terms(held, state, rotation, a, step);
    let d = (a + resistance).factor();
    let u = torque - n;
    let free = guard::rate(d.solve(u), step.h);
    let pull = d.solve_matrix(b);
    let held = d.solve_matrix(resistance.full());
    (work.joint, work.push) = (d, u);

    let a1 = Sym3::product(a.full(), held);
    let b1 = resistance.full() * pull;
    let m1 = m - Sym3::product(b, pull);
    let (coriolis, centripetal) = (motion.coriolis, motion.centripetal);
    let handed = Articulated {
        inertia: a1,
        coupling: b1,
        mass: m1,
        torque: n + a * free + a1 * coriolis + b1 * centripetal,
        force: f + b.transpose_mul(free) + b1.transpose_mul(coriolis) + m1 * centripetal,
    };
    if handed.is_part_of(&work.body) {
        return handed;
    }
    // Rounding has eaten up the small inertia beside the large ones: the joint is rigid for this step.
    work.joint = Factored::rigid();
    Articulated {
        torque: n + a * coriolis + b * centripetal,
        force: f + b.transpose_mul(coriolis) + m * centripetal,
        ..work.body
    }
}

/// Torque of spring and damper, and their share Kh of D, world axes.
fn spring_terms<T: Real>(
    &Held { spring, joint, reaction, is_leaf }: &Held<'_, T>,
    state: &JointState<T>,
    rotation: Mat3<T>,
    inertia: Sym3<T>,
    step: &Step<T>,
) -> (Vec3<T>, Sym3<T>) {
    let trace = inertia.trace();
    let (mut stiffness, mut beta) = (spring.stiffness, spring.beta);
    if step.spring > T::zero() {
        stiffness = stiffness.min(Vec3::splat(trace * step.stiffest));
        let (least, largest) =
            (stiffness.x.min(stiffness.y).min(stiffness.z), stiffness.x.max(stiffness.y).max(stiffness.z));
        if largest * beta > trace * step.most_damped {
            beta = trace * step.most_damped / largest;
        }
        // Beside a rigid axis a soft one drowns in rounding errors: none is more than `step.mixed` times as stiff as another.
        let all = step.spring + beta * step.h;
        let most = (trace + least * all) * step.mixed;
        if largest * all > most {
            stiffness = stiffness.min(Vec3::splat(most / all));
        }
    }
    beta += step.settle;
    let weight = step.damping_weight(step.h * beta * stiffness.sum(), trace + step.spring * stiffness.sum());
    let damped = beta * weight;
    let vector = log(state.q);
    let rate = vector.rate_matrix();
    let tension = vector.spring_force(stiffness);
    let lag = if is_leaf { step.lag + damped } else { step.lag };
    // A trial looks for the accelerations of other forces than those of the last step.
    let last = if step.is_trial { Vec3::zero() } else { state.rate };
    let force = tension + stiffness.scale(rate * (state.w * (step.keep * beta) + last * lag));
    let loaded = Vec3::splat(tension.length() * T::of(LOADED));
    let diagonal = (stiffness + loaded) * step.spring + stiffness * damped;
    // From forces on theta to torques in world axes: R J^-T.
    let to_world = rotation * rate.transpose();
    let (mut torque, mut resistance) = (Vec3::zero(), Sym3::zero());
    if is_leaf {
        // See the head of the module.
        let bound = Sym3::diagonal_turned(diagonal, rate.transpose()).row_sums();
        let share = damped * stiffness.sum() / diagonal.sum().max(T::min_positive_value());
        torque = rotation * bound.scale(last * share);
        resistance += Sym3::diagonal_turned(bound, rotation);
    } else {
        resistance += Sym3::diagonal_turned(diagonal, to_world);
    }
    torque -= to_world * force;
    if spring.bend_limit.is_finite() || spring.twist_limit.is_finite() {
        let in_body = inertia.turned(rotation.transpose());
        let turned = limits::from_rest(joint, state.q);
        let carried = reaction.torque - rotation.transpose_mul(torque);
        if let Some((stop, more)) =
            limits::stops(spring, log(turned).theta, state.w, in_body, carried, (step.h, step.kick))
        {
            torque += rotation * stop;
            resistance += more.turned(rotation);
        }
    }
    (torque, resistance)
}

/// The bodies from this one to the root of its tree or piece.
pub(super) fn find_path<T: Real>(world: &World<T>, from: Place, path: &mut Vec<Place>) {
    path.clear();
    let mut next = Some(from);
    while let Some(at) = next {
        path.push(at);
        next = match world.block(at.block).links[at.index as usize] {
            Link::Body(parent) => Some(Place { index: parent, ..at }),
            Link::Top(parent) => Some(Place { block: TOP, index: parent }),
            Link::Base(_) | Link::Free(_) | Link::Gone => None,
        };
    }
}

/// Angular acceleration of the first body of a path, and acceleration of its joint less gravity, as the sweep down will find them.
pub(super) fn accelerations<T: Real>(world: &World<T>, path: &[Place], step: &Step<T>) -> (Vec3<T>, Vec3<T>) {
    let root = path[path.len() - 1];
    let block = world.block(root.block);
    let (mut alpha, mut felt, on_it) = if let Link::Base(tree) = block.links[root.index as usize] {
        let base = &world.base_motions[tree as usize];
        (base.alpha, base.felt, path)
    } else {
        let (alpha, felt) = block.implicit.get(root.index as usize).body.fall();
        (guard::rate(alpha, step.h), guard::acceleration(felt, step.h), &path[..path.len() - 1])
    };
    for at in on_it.iter().rev() {
        let block = world.block(at.block);
        let (motion, work) = (block.motion(at.index as usize), block.implicit.get(at.index as usize));
        let alpha_bar = alpha + motion.coriolis;
        felt = felt + alpha.cross(motion.arm) + motion.centripetal;
        let carried = work.body.inertia * alpha_bar + work.body.coupling * felt;
        alpha = alpha_bar + guard::rate(work.joint.solve(work.push - carried), step.h);
    }
    (alpha, felt)
}

/// From the roots to the tips: accelerations, then the new velocities and places. `next` is the length of a step to be looked ahead to, s.
pub(super) fn down<T: Real>(world: &mut World<T>, step: &Step<T>, next: Option<f64>) {
    let all: &mut dyn Any = world;
    if let (Some(world), Some(step)) = (
        all.downcast_mut::<World<f32>>(),
        (step as &dyn Any).downcast_ref::<Step<f32>>().filter(|step| step.vectors != Vectors::None),
    ) {
        let mut anchors = std::mem::take(&mut world.anchors);
        let wind = world.wind.clone();
        let next = next.and_then(|dt| {
            let next = begin(world, dt, dt, false);
            world.foresee(Key::Implicit(next), dt, &mut anchors).then_some((next, dt))
        });
        let next = next.map(|(next, dt)| {
            let when = (world.time() + dt, next.h.into());
            (next, Weather::of(wind.as_deref(), &anchors, when, next.vectors))
        });
        let World { top, blocks, base_motions, above, .. } = world;
        let (bases, tops) = above.split_at_mut(base_motions.len());
        for (heard, base) in bases.iter_mut().zip(&*base_motions) {
            *heard = Heard::of(base);
        }
        let none = Motions::default();
        let one = |block: &mut Block<f32>, i| down_one(block, i, &none, base_motions, step);
        wide::down(top, tops, (bases, &[]), (step, &step.ahead()), &one);
        blocks.sweep(|at, block| {
            let one = |block: &mut Block<f32>, i| down_one(block, i, &top.motions, base_motions, step);
            block.in_lent_room(|block| {
                wide::telling(block, |block, own| {
                    wide::down(block, own, (bases, tops), (step, &step.ahead()), &one);
                });
                block.look(step.vectors);
                let may_go_on = !std::mem::take(&mut block.is_touched) && block.is_rooted;
                block.is_ready = may_go_on && next.is_some();
                if let Some((next, weather)) = next.as_ref().filter(|_| may_go_on) {
                    up_in_room(block, at as u32, weather.as_ref(), next);
                }
            });
        });
        world.anchors = anchors;
        return;
    }
    let World { top, blocks, base_motions, .. } = world;
    down_block(top, &Motions::default(), base_motions, step);
    blocks.sweep(|_, block| down_block(block, &top.motions, base_motions, step));
}

fn down_block<T: Real>(block: &mut Block<T>, top: &Motions<T>, bases: &[Motion<T>], step: &Step<T>) {
    // Only the fast path looks ahead; where pieces alone move, the trees stay as they are.
    block.is_ready &= step.from > 0;
    block.bears = false;
    if step.from > 0 && block.is_rooted {
        // Nothing of it flies.
        return;
    }
    // Of the others it is known.
    let mut fastest = if step.from > 0 { block.fastest } else { T::zero() };
    for i in 0..block.len() {
        if step.moves(block.anchor(i)) {
            fastest = fastest.max(down_one(block, i, top, bases, step));
        }
    }
    block.fastest = fastest;
    if step.from == 0 {
        block.ahead = step.ahead();
    }
}

/// Gives the square of its angular velocity.
fn down_one<T: Real>(block: &mut Block<T>, i: usize, top: &Motions<T>, bases: &[Motion<T>], step: &Step<T>) -> T {
    let (mut motion, mut state, work) = (block.motion(i), block.states.get(i), block.implicit.get(i));
    let rotation = motion.rotation();
    let Some(parent) = block.parent_motion(i, top, bases) else {
        let Link::Free(free) = block.links[i] else { return T::zero() };
        let free = &mut block.frees[free as usize];
        let (alpha, felt) = work.body.fall();
        let (alpha, felt) = (guard::rate(alpha, step.h), guard::acceleration(felt, step.h));
        (motion.alpha, motion.felt) = (alpha, felt);
        block.reactions.set(i, Wrench::zero());
        free.rate = felt + step.gravity;
        // What mass-proportional damping takes was taken before the sweeps.
        turn(&mut state, rotation.transpose_mul(alpha), &Step { keep: T::one(), let_through: T::one(), ..*step });
        if !step.is_trial {
            let old = free.velocity;
            free.velocity = guard::velocity(old + free.rate * step.kick);
            let mover = if step.forward_euler { old } else { free.velocity };
            free.position += (mover * step.h).f64();
            motion.place_free(free, &state, &step.ahead());
        }
        block.states.set(i, state);
        block.motions.set(i, motion);
        return block.speed(i, &motion, &state);
    };
    let alpha_bar = parent.alpha + motion.coriolis;
    let felt = parent.felt + parent.alpha.cross(motion.arm) + motion.centripetal;
    let body = &work.body;
    let carried = body.inertia * alpha_bar + body.coupling * felt;
    let rate = guard::rate(work.joint.solve(work.push - carried), step.h);
    let alpha = alpha_bar + rate;
    (motion.alpha, motion.felt) = (alpha, felt);
    let torque = carried + body.inertia * rate + body.torque;
    let force = body.coupling.transpose_mul(alpha) + body.mass * felt + body.force;
    let reaction = Wrench { torque: rotation.transpose_mul(torque), force: rotation.transpose_mul(force) };
    block.reactions.set(i, reaction);
    turn(&mut state, rotation.transpose_mul(rate), step);
    let joint = block.joint(i);
    limits::clamp(&block.spring(i), &joint, &mut state);
    motion.place(&parent, &joint, &state, &step.ahead());
    if block.masses.is_leaf(i) && (motion.anchor as usize) < step.trees {
        motion.follow(&parent, &state);
    }
    block.states.set(i, state);
    block.motions.set(i, motion);
    block.speed(i, &motion, &state)
}

/// Moves one joint: kick, then drift.
fn turn<T: Real>(state: &mut JointState<T>, rate: Vec3<T>, step: &Step<T>) {
    if step.is_trial {
        state.rate = rate;
        return;
    }
    let old = state.w;
    let w = old * (step.keep * step.keep) + rate * (step.kick * step.let_through);
    state.w = guard::joint_velocity(w, step.h);
    state.rate = if state.w == w { rate } else { (state.w - old) / step.kick };
    let mover = if step.forward_euler { old } else { state.w };
    state.q = (state.q * exp(mover * step.h)).normalized();
}

impl<T: Real> Step<T> {
    /// From the time of w to the time of the pose.
    pub(super) fn ahead(&self) -> Ahead<T> {
        if self.forward_euler {
            Ahead::none()
        } else if self.is_trial {
            Ahead { step: self.h, ..Ahead::none() }
        } else {
            let seconds = self.h * T::of(0.5);
            Ahead { seconds, keep: self.keep_ahead, gain: seconds * self.let_through_ahead, step: self.h }
        }
    }
}
