//! Equilibrium shapes of a branch.

use windfall_core::BodyId;
use windfall_core::glam::DVec3;

use crate::plants::{Chain, SEGMENTS, horizontal_branch};
use crate::{Checked, Subject, ensure, local_tip, step, tier, tip};
use windfall_solver::{Actions, Grab, Load};

/// m/s².
const GRAVITY: f64 = 9.81;
/// Long enough for the branch to come to rest, s.
const SETTLING: f64 = 3.0;

const TIP: BodyId = BodyId(SEGMENTS as u32 - 1);

tier! {
    []
    gravity_bends_by_beam_theory,
    force_bends_in_its_direction,
    hand_pulls_to_its_target,
}

/// Applies a constant force to the tip until the branch rests, without gravity; returns the displacement
/// of the tip, m.
fn deflection(subject: &Subject<'_>, force: DVec3) -> DVec3 {
    let plant = horizontal_branch();
    let mut solver = subject.solver(&plant);
    let start = tip(&*solver, TIP);
    let loads = [Load::force(TIP, local_tip(&plant, TIP), force)];
    subject.steps(SETTLING, |dt| step(&mut *solver, dt, DVec3::ZERO, Actions { loads: &loads, ..Actions::default() }));
    tip(&*solver, TIP) - start
}

/// A horizontal branch sags as its joints bend under its weight (`rho A g L^4 / (8 E I)` with many), straight
/// down.
pub fn gravity_bends_by_beam_theory(subject: &Subject<'_>) -> Checked {
    let mut solver = subject.solver(&horizontal_branch());
    let start = tip(&*solver, TIP);
    subject.run(&mut *solver, DVec3::NEG_Y * GRAVITY, SETTLING);
    let moved = tip(&*solver, TIP) - start;
    let sag = Chain::BRANCH.sag(GRAVITY);
    // The tip comes nearer to the clamp by about 0.6 sag^2.
    let off = (-moved.y / sag - 1.0).abs();
    ensure!(off < subject.tolerances.statics, "a sag of {} m; theory: {sag} m", -moved.y);
    ensure!(moved.x.abs() < sag * sag + 1e-5 && moved.z.abs() < 0.01 * sag, "sagged sideways, by {moved} m");
    Ok(())
}

/// A force on the tip displaces it in its own direction (by `F L^3 / (3 E I)` with many joints), twice as far
/// if it is twice as strong.
pub fn force_bends_in_its_direction(subject: &Subject<'_>) -> Checked {
    for direction in [DVec3::Y, DVec3::NEG_Z, DVec3::new(0.0, 0.6, 0.8)] {
        let force = 0.5;
        let once = deflection(subject, direction * force);
        let twice = deflection(subject, direction * (2.0 * force));
        let theory = force / Chain::BRANCH.tip_stiffness();
        let along = once.dot(direction);
        let off = (along / theory - 1.0).abs();
        ensure!(off < subject.tolerances.statics, "{force} N move the tip by {along} m; theory: {theory} m");
        let aside = (once - direction * along).length();
        ensure!(aside < 0.02 * theory, "a force along {direction} moves the tip by {once} m");
        let ratio = twice.dot(direction) / along;
        ensure!((ratio - 2.0).abs() < 0.01, "twice the force moves the tip {ratio} times as far");
    }
    Ok(())
}

/// A grab of stiffness k and a branch whose tip has the stiffness s share the displacement in the ratio
/// k to s; the stiffest hand that the solver takes (1e9 N/m by default) takes the tip along. All come to
/// rest.
pub fn hand_pulls_to_its_target(subject: &Subject<'_>) -> Checked {
    let plant = horizontal_branch();
    let branch = Chain::BRANCH.tip_stiffness();
    for stiffness in [branch, subject.tolerances.stiffest_hand] {
        let mut solver = subject.solver(&plant);
        let start = tip(&*solver, TIP);
        let way = DVec3::Z * 0.01;
        let grab = [Grab {
            body: TIP.into(),
            point: local_tip(&plant, TIP),
            target: start + way,
            target_velocity: DVec3::ZERO,
            stiffness,
            damping: 0.0,
        }];
        let mut farthest = 0.0_f64;
        subject.steps(SETTLING, |dt| {
            step(&mut *solver, dt, DVec3::ZERO, Actions { grabs: &grab, ..Actions::default() });
            farthest = farthest.max((tip(&*solver, TIP) - start).length());
        });
        ensure!(
            farthest < 3.0 * way.length(),
            "a hand of {stiffness} N/m, 0.01 m away, threw the tip {farthest} m far"
        );
        let share = (tip(&*solver, TIP) - start).dot(way) / way.length_squared();
        let theory = stiffness / (stiffness + branch);
        ensure!(
            (share - theory).abs() < subject.tolerances.statics,
            "a hand of {stiffness} N/m took the tip {share} of the way, not {theory}"
        );
    }
    Ok(())
}
