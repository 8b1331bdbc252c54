//! One body in each of the two sweeps: the scalar reference of `wide/up.rs` and `wide/down.rs`.

use super::{LOADED, Step, tension::tension};
use crate::block::articulated::{Articulated, Work};
use crate::block::exchange::{Accumulated, ArticulatedAccumulator};
use crate::block::{Block, Joint, JointState, Link, Motion, Motions, Spring, Wrench, guard, limits};
use crate::math::{Factored, Mat3, Real, Sym3, Vec3, exp, log};

/// From the tips to the roots: the articulated inertia of a body, and its part for the parent.
pub(crate) fn up_one<T: Real>(block: &mut Block<T>, i: usize, step: &Step<T>) {
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
        if let Some((more, torque)) = tension(taut, axis, body.inertia, omega, (step.h, step.square)) {
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
        let joint_torque = reaction.torque - rotation.transpose_mul(torque);
        if let Some((stop, more)) =
            limits::stops(spring, log(turned).theta, state.w, in_body, joint_torque, (step.h, step.kick))
        {
            torque += rotation * stop;
            resistance += more.turned(rotation);
        }
    }
    (torque, resistance)
}

/// From the roots to the tips: the accelerations of a body, then its new velocity and place. Returns the
/// square of its angular velocity.
pub(crate) fn down_one<T: Real>(
    block: &mut Block<T>,
    i: usize,
    top: &Motions<T>,
    bases: &[Motion<T>],
    step: &Step<T>,
) -> T {
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
    let inertial = body.inertia * alpha_bar + body.coupling * proper_acceleration;
    let rate = guard::rate(work.joint.solve(work.push - inertial), step.h);
    let alpha = alpha_bar + rate;
    (motion.alpha, motion.proper_acceleration) = (alpha, proper_acceleration);
    let torque = inertial + body.inertia * rate + body.torque;
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
