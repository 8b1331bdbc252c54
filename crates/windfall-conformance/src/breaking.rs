//! Breaking and removal.

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, BodyRef};

use crate::plants::{Chain, LENGTH, LINE_DENSITY, SEGMENTS, horizontal_branch, leafy_branch, symmetric_tree};
use crate::{Checked, DOWN, Subject, ensure, pose, step, tier, tip};
use windfall_solver::{Actions, Load, Params, Solver, Strengths};

tier! {
    [|solver| solver.breakable().is_some()]
    what_breaks_off_falls_freely,
    what_stays_is_relieved,
    overloads_are_those_above_their_strength,
    what_is_removed_weighs_nothing,
}

fn momentum(solver: &dyn Solver, bodies: impl Iterator<Item = BodyId>) -> (f64, DVec3, DVec3) {
    let mut sum = (0.0, DVec3::ZERO, DVec3::ZERO);
    for id in bodies {
        let (m, motion) = (solver.plant().mass_properties(id).mass, solver.motion(id.into()));
        sum = (sum.0 + m, sum.1 + motion.velocity * m, sum.2 + motion.center * m);
    }
    (sum.0, sum.1, sum.2 / sum.0)
}

/// A piece keeps its momentum when it breaks off: its centre of mass moves along a parabola.
pub fn what_breaks_off_falls_freely(subject: &Subject<'_>) -> Checked {
    let plant = symmetric_tree();
    let mut solver = subject.solver(&plant);
    let load = [Load::force(BodyId(4), DVec3::Y * 0.2, DVec3::new(2.0, 3.0, -2.0))];
    subject.steps(0.15, |dt| step(&mut *solver, dt, DOWN, Actions { loads: &load, ..Actions::default() }));
    let branch = || [BodyId(3), BodyId(4)].into_iter();
    let (mass, before, center) = momentum(&*solver, branch());
    let (root, own_tip) = (BodyRef::from(BodyId(3)), BodyRef::from(BodyId(4)));
    let breakable = solver.breakable_mut().expect("was asked");
    ensure!(!breakable.is_loose(root) && breakable.pieces().is_empty(), "a piece before anything broke");
    breakable.release(&[root, root]);
    ensure!(breakable.pieces() == [root], "the pieces are {:?}", breakable.pieces());
    ensure!(breakable.is_loose(root) && !breakable.is_loose(own_tip), "the root of a piece alone is loose");
    let after = momentum(&*solver, branch()).1;
    let scale = mass * 1.0;
    let off = (after - before).length() / scale;
    ensure!(off < subject.tolerances.pieces, "breaking off changed the momentum from {before} to {after} kg m/s");
    let begin = solver.time();
    subject.run(&mut *solver, DOWN, 0.75);
    let t = solver.time() - begin;
    let theory = center + after / mass * t + DOWN * (0.5 * t * t);
    let now = momentum(&*solver, branch()).2;
    let (apart, way) = (now.distance(theory), theory.distance(center));
    ensure!(apart < subject.tolerances.pieces * way, "after {t} s the piece is at {now}; its parabola: {theory}");
    Ok(())
}

/// The stump no longer carries the piece: it comes to rest where a branch without the piece would.
pub fn what_stays_is_relieved(subject: &Subject<'_>) -> Checked {
    let plant = horizontal_branch();
    let mut solver = subject.solver(&plant);
    subject.run(&mut *solver, DOWN, 3.0);
    let half = BodyId(SEGMENTS as u32 / 2 - 1);
    solver.breakable_mut().expect("was asked").release(&[BodyId(half.0 + 1).into()]);
    let start = plant.rest_position(half).y;
    subject.run(&mut *solver, DOWN, 3.0);
    let sag = start - tip(&*solver, half).y;
    let theory = Chain { segments: SEGMENTS / 2, length: 0.5 * LENGTH }.sag(-DOWN.y);
    ensure!((sag / theory - 1.0).abs() < subject.tolerances.statics, "the stump sags by {sag} m, not {theory} m");
    Ok(())
}

/// Overloads are the joints whose load exceeds their strength, with the ratio of the two.
pub fn overloads_are_those_above_their_strength(subject: &Subject<'_>) -> Checked {
    let plant = horizontal_branch();
    let mut solver = subject.solver(&plant);
    subject.run(&mut *solver, DOWN, 3.0);
    let Some(loads) = solver.loads() else { return Ok(()) };
    let all: Vec<_> = plant.body_ids().map(|id| loads.joint_load(id.into())).collect();
    // A strength at which only the three innermost joints are overloaded: moments fall from the clamp to
    // the tip as (L - x)^2.
    let used = |params: &Params, i: usize| Strengths::new(params, &plant).list()[i].used_by(&all[i]);
    let mut params = Params::default();
    params.branches.strength = (used(&params, 2) * used(&params, 3)).sqrt();
    let strengths = Strengths::new(&params, &plant);
    let mut found = Vec::new();
    solver.breakable_mut().expect("was asked").overloads(&strengths, &mut found);
    let bodies: Vec<u32> = found.iter().map(|overload| overload.body.id.0).collect();
    ensure!(bodies == [0, 1, 2], "overloaded joints are {bodies:?}, not the three innermost");
    for overload in &found {
        let own = strengths.list()[overload.body.id.0 as usize].used_by(&all[overload.body.id.0 as usize]);
        let off = (overload.used / own - 1.0).abs();
        ensure!(off < 1e-6, "joint {} uses {} of its strength and says {}", overload.body.id.0, own, overload.used);
    }
    let moment = 0.5 * LINE_DENSITY * LENGTH * LENGTH * -DOWN.y;
    let Some(JointUse { strength }) = bending(&strengths, 0) else { return Ok(()) };
    let (theory, tolerance) = (moment / strength, subject.tolerances.loads);
    ensure!(
        (found[0].used / theory - 1.0).abs() < tolerance,
        "the root uses {} of its strength, not {theory}",
        found[0].used
    );
    params.branches.strength = f64::INFINITY;
    solver.breakable_mut().expect("was asked").overloads(&Strengths::new(&params, &plant), &mut found);
    ensure!(found.is_empty(), "{} joints of infinite strength are overloaded", found.len());
    Ok(())
}

struct JointUse {
    strength: f64,
}

fn bending(strengths: &Strengths, joint: usize) -> Option<JointUse> {
    match strengths.list()[joint] {
        windfall_core::JointStrength::Wood { bending, .. } => Some(JointUse { strength: bending }),
        windfall_core::JointStrength::Detach { .. } => None,
    }
}

/// Leaves that are removed weigh nothing and stay where they were; the branch rises to where a bare one
/// rests.
pub fn what_is_removed_weighs_nothing(subject: &Subject<'_>) -> Checked {
    let plant = leafy_branch();
    // So heavy that they bend the branch further by a tenth.
    let mut params = Params::default();
    params.leaves.density = 20.0;
    let mut solver = subject.solver_with(&plant, &params);
    subject.run(&mut *solver, DOWN, 3.0);
    let leaves: Vec<BodyRef> = (0..plant.leaves().len()).map(|i| plant.leaf_id(i).into()).collect();
    let before = pose(&*solver);
    let breakable = solver.breakable_mut().expect("was asked");
    ensure!(!breakable.any_removed(), "something was removed before");
    breakable.remove(&leaves);
    ensure!(breakable.any_removed() && breakable.is_loose(leaves[0]), "leaves that were removed are there still");
    ensure!(pose(&*solver) == before, "removing leaves moved something");
    subject.run(&mut *solver, DOWN, 4.0);
    let mut bare = subject.solver(&horizontal_branch());
    subject.run(&mut *bare, DOWN, 4.0);
    let last = BodyId(SEGMENTS as u32 - 1);
    let (a, b) = (tip(&*solver, last), tip(&*bare, last));
    let sag = Chain::BRANCH.sag(-DOWN.y);
    let tolerance = 2.0 * subject.tolerances.statics;
    ensure!(a.distance(b) < tolerance * sag, "without its leaves the branch rests at {a}; a bare one: {b}");
    Ok(())
}
