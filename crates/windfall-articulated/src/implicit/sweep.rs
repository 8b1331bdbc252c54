//! The two sweeps. Blocks are swept in parallel, the top alone; the blocks' parts are added to the top in
//! their order.

use windfall_solver::Solver;

use super::AnyStep;
use super::articulated::{Articulated, Work};
use super::{LOADED, Step, actions, begin};
use crate::air::StepAir;
use crate::math::{Factored, Mat3, Real, Sym3, Vec3, exp, log};
use crate::wide::{self, Vectors};
use crate::world::AnyWorld;
use crate::world::World;
use crate::world::block::AnyBlock;
use crate::world::block::{Block, Joint, JointState, Link, Motion, Motions, Spring, Wrench};
use crate::world::exchange::{Accumulated, ArticulatedAccumulator, ParentKinematics};
use crate::world::layout::{Place, TOP};
use crate::world::lookahead::Key;
use crate::world::place::Ahead;
use crate::world::{guard, limits};

/// From the tips to the roots: articulated inertias.
pub(super) fn up<T: Real>(world: &mut World<T>, step: &Step<T>) {
    let anchors = world.take_anchors();
    let wind = world.wind.clone().filter(|_| !step.is_trial);
    // There is no lookahead for pieces alone.
    let was_looked_ahead = step.from == 0 && world.was_looked_ahead(Key::Implicit(*step), step.h.f64(), &anchors);
    let step_air = StepAir::of(wind.as_deref(), &anchors, (world.time(), step.h.f64()), step.vectors);
    let up = |block: &mut Block<T>, at: u32| {
        block.with_thread_scratch(|block| up_with_scratch(block, at, step_air.as_ref(), step));
    };
    world.blocks.sweep_up(was_looked_ahead, |at, block| up(block, at as u32));
    for block in &*world.blocks {
        for (&i, to_top) in block.model.entries.iter().zip(&block.scratch.to_top) {
            if let Link::Top(parent) = block.state.links[i as usize]
                && (step.from == 0 || step.moves(block.anchor(i as usize)))
            {
                world.top.scratch.accumulators.of(parent as usize).add(to_top);
            }
        }
    }
    up(&mut world.top, TOP);
    world.anchors = anchors;
}

/// Sweeps a block up with the wind, in lent scratch memory.
fn up_with_scratch<T: Real>(block: &mut Block<T>, at: u32, step_air: Option<&StepAir<'_>>, step: &Step<T>) {
    if let Some((block, step)) = fast(block, step) {
        wide::find_leaves(block, step_air.map(|step_air| step_air.anchors), step.vectors);
    } else if step.from == 0 || !block.plan.is_rooted {
        block.store_leaves();
    }
    if let Some(step_air) = step_air {
        actions::aero_load(block, at, step_air, step);
    }
    up_block(block, step, step_air.is_some());
}

fn up_block<T: Real>(block: &mut Block<T>, step: &Step<T>, is_windy: bool) {
    if let Some((block, step)) = fast(block, step) {
        return wide::up(block, step, is_windy, &|block, i| up_one(block, i, step));
    }
    if step.from > 0 && block.plan.is_rooted {
        // None of its bodies belongs to a free piece.
        return;
    }
    block.keep_leaves_whole();
    for i in (0..block.len()).rev() {
        if step.moves(block.anchor(i)) {
            up_one(block, i, step);
        }
    }
    block.scratch.accumulators.forget();
}

/// The block, if it takes the fast path.
fn fast<'a, T: Real>(block: &'a mut Block<T>, step: &'a Step<T>) -> Option<(&'a mut Block<f32>, &'a Step<f32>)> {
    let step = T::single::<AnyStep>(step).filter(|step| step.vectors != Vectors::None)?;
    Some((T::single_mut::<AnyBlock>(block)?, step))
}

fn up_one<T: Real>(block: &mut Block<T>, i: usize, step: &Step<T>) {
    if block.state.links[i] == Link::Removed {
        return;
    }
    let (motion, mass, state) = (block.motion(i), block.model.masses.get(i), block.state.joints.get(i));
    let (spring, joint, reaction) = (block.spring(i), block.joint(i), block.state.reactions.get(i));
    let omega = guard::in_products(motion.omega, step.h);
    let rotation = motion.rotation();
    let moment = rotation * mass.moment;
    let Accumulated { mut body, taut, pulled } = block.scratch.accumulators.take(i).read();
    body.add_rigid(&mass, moment, &motion, omega);
    let pull = pull(rotation, &reaction);
    if !step.forward_euler && (motion.anchor as usize) < step.trees {
        // Loads other than those of the children pull at the body itself, at its tip at most.
        let tip = moment * (T::of(2.0) / mass.mass);
        let taut = taut + guard::taut(tip, pull - pulled);
        let axis = rotation.column(1);
        // At the time of the joint velocities, from which the step goes on.
        let omega = motion.omega - motion.alpha * step.age;
        if let Some((more, torque)) = guard::tension(taut, axis, body.inertia, omega, (step.h, step.square)) {
            body.inertia += more;
            body.torque += torque;
        }
    }
    let mut work = Work { body, ..Work::zero() };
    let held = Held { spring: &spring, joint: &joint, reaction: &reaction, is_leaf: block.model.masses.is_leaf(i) };
    let through_joint = |work: &mut Work<T>| through_joint(work, (&motion, rotation), &held, &state, step);
    match block.state.links[i] {
        Link::Free(_) | Link::Removed => {}
        Link::Body(parent) => {
            let to_top = through_joint(&mut work);
            block.scratch.accumulators.of_known(parent as usize).add_child(&to_top, motion.arm, pull);
        }
        Link::Top(_) => {
            let entry = block.entry_of(i);
            block.scratch.to_top[entry] = ArticulatedAccumulator::default();
            block.scratch.to_top[entry].add_child(&through_joint(&mut work), motion.arm, pull);
        }
        Link::Base(_) => {
            through_joint(&mut work);
        }
    }
    block.scratch.implicit.set(i, work);
}

/// Force of a body on its parent in the last step, world axes, N.
fn pull<T: Real>(rotation: Mat3<T>, reaction: &Wrench<T>) -> Vec3<T> {
    -(rotation * reaction.force)
}

/// Parameters of the joint between a body and its parent.
struct Held<'a, T> {
    spring: &'a Spring<T>,
    joint: &'a Joint<T>,
    reaction: &'a Wrench<T>,
    is_leaf: bool,
}

/// Solves one joint and returns the part for the parent, about this joint.
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
    let to_top = Articulated {
        inertia: a1,
        coupling: b1,
        mass: m1,
        torque: n + a * free + a1 * coriolis + b1 * centripetal,
        force: f + b.transpose_mul(free) + b1.transpose_mul(coriolis) + m1 * centripetal,
    };
    if to_top.is_part_of(&work.body) {
        return to_top;
    }
    // The small inertia is lost to rounding beside the large ones: the joint is rigid for this step.
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
        // A soft axis beside a rigid one is lost to rounding: none is more than `step.mixed` times as
        // stiff as another.
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
    // A trial finds the accelerations of other forces than those of the last step.
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
        let composites = reaction.torque - rotation.transpose_mul(torque);
        if let Some((stop, more)) =
            limits::stops(spring, log(turned).theta, state.w, in_body, composites, (step.h, step.kick))
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
        next = match world.block(at.block).state.links[at.index as usize] {
            Link::Body(parent) => Some(Place { index: parent, ..at }),
            Link::Top(parent) => Some(Place { block: TOP, index: parent }),
            Link::Base(_) | Link::Free(_) | Link::Removed => None,
        };
    }
}

/// Angular acceleration of the first body of a path, and acceleration of its joint less gravity, as the
/// sweep down will find them.
pub(super) fn accelerations<T: Real>(world: &World<T>, path: &[Place], step: &Step<T>) -> (Vec3<T>, Vec3<T>) {
    let root = path[path.len() - 1];
    let block = world.block(root.block);
    let (mut alpha, mut proper_acceleration, on_it) = if let Link::Base(tree) = block.state.links[root.index as usize] {
        let base = &world.base_motions[tree as usize];
        (base.alpha, base.proper_acceleration, path)
    } else {
        let (alpha, proper_acceleration) = block.scratch.implicit.get(root.index as usize).body.fall();
        (guard::rate(alpha, step.h), guard::acceleration(proper_acceleration, step.h), &path[..path.len() - 1])
    };
    for at in on_it.iter().rev() {
        let block = world.block(at.block);
        let (motion, work) = (block.motion(at.index as usize), block.scratch.implicit.get(at.index as usize));
        let alpha_bar = alpha + motion.coriolis;
        proper_acceleration = proper_acceleration + alpha.cross(motion.arm) + motion.centripetal;
        let composites = work.body.inertia * alpha_bar + work.body.coupling * proper_acceleration;
        alpha = alpha_bar + guard::rate(work.joint.solve(work.push - composites), step.h);
    }
    (alpha, proper_acceleration)
}

/// From the roots to the tips: accelerations, then the new velocities and places. `next` is the length of
/// the step to look ahead to, s.
pub(super) fn down<T: Real>(world: &mut World<T>, step: &Step<T>, next: Option<f64>) {
    let fast = T::single::<AnyStep>(step).filter(|step| step.vectors != Vectors::None);
    if let Some((step, world)) = fast.and_then(|step| Some((step, T::single_mut::<AnyWorld>(world)?))) {
        let mut anchors = std::mem::take(&mut world.anchors);
        let wind = world.wind.clone();
        let next = next.and_then(|dt| {
            let next = begin(world, dt, dt, false);
            world.look_ahead(Key::Implicit(next), dt, &mut anchors).then_some((next, dt))
        });
        let next = next.map(|(next, dt)| {
            let when = (world.time() + dt, next.h.into());
            (next, StepAir::of(wind.as_deref(), &anchors, when, next.vectors))
        });
        let World { top, blocks, base_motions, above, .. } = world;
        let (bases, tops) = above.split_at_mut(base_motions.len());
        for (parent_kinematics, base) in bases.iter_mut().zip(&*base_motions) {
            *parent_kinematics = ParentKinematics::of(base);
        }
        let none = Motions::default();
        let one = |block: &mut Block<f32>, i| down_one(block, i, &none, base_motions, step);
        wide::down(top, tops, (bases, &[]), (step, &step.ahead()), &one);
        blocks.sweep(|at, block| {
            let one = |block: &mut Block<f32>, i| down_one(block, i, &top.state.motions, base_motions, step);
            block.with_thread_scratch(|block| {
                wide::telling(block, |block, own| {
                    wide::down(block, own, (bases, tops), (step, &step.ahead()), &one);
                });
                block.look(step.vectors);
                let may_go_on = !std::mem::take(&mut block.plan.is_touched) && block.plan.is_rooted;
                block.plan.is_ready = may_go_on && next.is_some();
                if let Some((next, step_air)) = next.as_ref().filter(|_| may_go_on) {
                    up_with_scratch(block, at as u32, step_air.as_ref(), next);
                }
            });
        });
        world.anchors = anchors;
        return;
    }
    let World { top, blocks, base_motions, .. } = world;
    down_block(top, &Motions::default(), base_motions, step);
    blocks.sweep(|_, block| down_block(block, &top.state.motions, base_motions, step));
}

fn down_block<T: Real>(block: &mut Block<T>, top: &Motions<T>, bases: &[Motion<T>], step: &Step<T>) {
    // Only the fast path looks ahead; where only pieces move, the trees stay as they are.
    block.plan.is_ready &= step.from > 0;
    block.state.bears_loads = false;
    if step.from > 0 && block.plan.is_rooted {
        // None of its bodies belongs to a free piece.
        return;
    }
    // For the other leaves it is known.
    let mut fastest = if step.from > 0 { block.state.fastest } else { T::zero() };
    for i in 0..block.len() {
        if step.moves(block.anchor(i)) {
            fastest = fastest.max(down_one(block, i, top, bases, step));
        }
    }
    block.state.fastest = fastest;
    if step.from == 0 {
        block.state.ahead = step.ahead();
    }
}

/// Returns the square of its angular velocity.
fn down_one<T: Real>(block: &mut Block<T>, i: usize, top: &Motions<T>, bases: &[Motion<T>], step: &Step<T>) -> T {
    let (mut motion, mut state, work) = (block.motion(i), block.state.joints.get(i), block.scratch.implicit.get(i));
    let rotation = motion.rotation();
    let Some(parent) = block.parent_motion(i, top, bases) else {
        let Link::Free(free) = block.state.links[i] else { return T::zero() };
        let free = &mut block.state.frees[free as usize];
        let (alpha, proper_acceleration) = work.body.fall();
        let (alpha, proper_acceleration) =
            (guard::rate(alpha, step.h), guard::acceleration(proper_acceleration, step.h));
        (motion.alpha, motion.proper_acceleration) = (alpha, proper_acceleration);
        block.state.reactions.set(i, Wrench::zero());
        free.rate = proper_acceleration + step.gravity;
        // Mass-proportional damping was applied before the sweeps.
        turn(&mut state, rotation.transpose_mul(alpha), &Step { keep: T::one(), let_through: T::one(), ..*step });
        if !step.is_trial {
            let old = free.velocity;
            free.velocity = guard::velocity(old + free.rate * step.kick);
            let mover = if step.forward_euler { old } else { free.velocity };
            free.position += (mover * step.h).f64();
            motion.place_free(free, &state, &step.ahead());
        }
        block.state.joints.set(i, state);
        block.state.motions.set(i, motion);
        return block.speed(i, &motion, &state);
    };
    let alpha_bar = parent.alpha + motion.coriolis;
    let proper_acceleration = parent.proper_acceleration + parent.alpha.cross(motion.arm) + motion.centripetal;
    let body = &work.body;
    let composites = body.inertia * alpha_bar + body.coupling * proper_acceleration;
    let rate = guard::rate(work.joint.solve(work.push - composites), step.h);
    let alpha = alpha_bar + rate;
    (motion.alpha, motion.proper_acceleration) = (alpha, proper_acceleration);
    let torque = composites + body.inertia * rate + body.torque;
    let force = body.coupling.transpose_mul(alpha) + body.mass * proper_acceleration + body.force;
    let reaction = Wrench { torque: rotation.transpose_mul(torque), force: rotation.transpose_mul(force) };
    block.state.reactions.set(i, reaction);
    turn(&mut state, rotation.transpose_mul(rate), step);
    let joint = block.joint(i);
    limits::clamp(&block.spring(i), &joint, &mut state);
    motion.place(&parent, &joint, &state, &step.ahead());
    if block.model.masses.is_leaf(i) && (motion.anchor as usize) < step.trees {
        motion.follow(&parent, &state);
    }
    block.state.joints.set(i, state);
    block.state.motions.set(i, motion);
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
