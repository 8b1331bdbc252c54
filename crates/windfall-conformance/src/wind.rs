//! Exchange of momentum between air and trees.

use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_core::{Body, BodyId, Plant};
use windfall_solver::wind::{Points, Velocities};
use windfall_solver::{Base, Bases, Flow, Params, Solver, StepError, StepInput, Wind, params};

use crate::plants::{Chain, RADIUS, SEGMENTS, horizontal_branch, leafy_branch};
use crate::{Checked, Steady, Subject, difference, ensure, pose, tier, tip};

tier! {
    []
    steady_wind_bends_by_its_drag,
    still_air_leaves_a_tree_at_rest,
    motion_through_still_air_is_wind,
    leaves_load_their_wood,
    turning_leaves_load_their_wood,
    box_of_air_keeps_all_momentum,
}

fn blow(subject: &Subject<'_>, solver: &mut dyn Solver, wind: &Arc<dyn Wind>, seconds: f64) {
    subject.steps(seconds, |dt| {
        solver.step(dt, &mut StepInput::new().gravity(DVec3::ZERO).wind(Some(wind))).expect("a wind");
    });
}

fn steady(velocity: DVec3) -> Arc<dyn Wind> {
    Arc::new(Steady(velocity))
}

/// Wind across a branch is a uniform load of `w = kappa rho 2 r v^2`, and bends it as such (the tip by
/// `w L^4 / (8 E I)` with many joints). Wind along it has no effect.
pub fn steady_wind_bends_by_its_drag(subject: &Subject<'_>) -> Checked {
    let last = BodyId(SEGMENTS as u32 - 1);
    for (speed, direction) in [(10.0, DVec3::Z), (20.0, DVec3::Y), (20.0, DVec3::X)] {
        let mut solver = subject.solver(&horizontal_branch());
        let air = solver.params().air;
        let start = tip(&*solver, last);
        blow(subject, &mut *solver, &steady(direction * speed), 4.0);
        let moved = tip(&*solver, last) - start;
        let line = air.branches * air.density * 2.0 * RADIUS * speed * speed;
        let theory = Chain::BRANCH.under_line_load(line);
        if direction == DVec3::X {
            ensure!(moved.length() < 0.01 * theory, "wind along the branch moves its tip by {moved} m");
            continue;
        }
        let off = (moved.dot(direction) / theory - 1.0).abs();
        ensure!(
            off < subject.tolerances.wind,
            "{speed} m/s along {direction} bend the branch by {moved} m; its drag: {theory} m"
        );
    }
    Ok(())
}

/// Still air does not act on a tree at rest.
pub fn still_air_leaves_a_tree_at_rest(subject: &Subject<'_>) -> Checked {
    let plant = leafy_branch();
    let still = steady(DVec3::ZERO);
    let mut solver = subject.solver(&plant);
    blow(subject, &mut *solver, &still, 0.5);
    let (distance, angle) = difference(&pose(&*solver), &windfall_core::Pose::rest(&plant));
    let rounding = subject.tolerances.rounding;
    ensure!(distance < rounding && angle < rounding, "still air moves a tree at rest by {distance} m, {angle} rad");
    Ok(())
}

/// Ground that moves on evenly, m/s.
#[derive(Debug)]
struct Cruise(DVec3);

impl Bases for Cruise {
    fn base(&self, _: u32, _: usize, time: f64) -> Base {
        Base { position: self.0 * time, velocity: self.0, ..Base::default() }
    }
}

/// Air acts by the relative velocity (Galileo): a branch that is carried through still air bends as in a wind
/// from ahead.
pub fn motion_through_still_air_is_wind(subject: &Subject<'_>) -> Checked {
    let last = BodyId(SEGMENTS as u32 - 1);
    let velocity = DVec3::Z * 12.0;
    let (still, ahead) = (steady(DVec3::ZERO), steady(-velocity));
    let (mut carried, mut standing) = (subject.solver(&horizontal_branch()), subject.solver(&horizontal_branch()));
    let start = tip(&*standing, last);
    let cruise = Cruise(velocity);
    subject.steps(4.0, |dt| {
        let input = &mut StepInput::new().gravity(DVec3::ZERO).wind(Some(&still)).bases(&cruise);
        carried.step(dt, input).expect("ground that moves on evenly");
    });
    blow(subject, &mut *standing, &ahead, 4.0);
    let theory = tip(&*standing, last) - start;
    let moved = tip(&*carried, last) - start - velocity * carried.time();
    let off = moved.distance(theory);
    let tolerance = subject.tolerances.wind;
    ensure!(
        off < tolerance * theory.length(),
        "carried through still air it bends by {moved} m, in a wind by {theory} m"
    );
    Ok(())
}

/// Drag of the leaves flat across the wind, N: each at the distance from the clamp at which it stands.
fn flat_leaves(solver: &dyn Solver, speed: f64) -> Vec<(f64, f64)> {
    let plant = solver.plant();
    let air = solver.params().air;
    let start = solver.motion(BodyId(0).into()).joint.x;
    let leaves = plant.body_ids().filter(|id| matches!(plant.body(*id), Some(Body::Leaf(_))));
    let drag = |id: BodyId| {
        let friction = air.leaves.friction * plant.mass_properties(id).mass * speed;
        (solver.motion(id.into()).joint.x - start, leaf_drag(&air, plant, id, speed) + friction)
    };
    leaves.map(drag).collect()
}

/// `kappa rho A v^2`, N.
fn leaf_drag(air: &params::AirParams, plant: &Plant, id: BodyId, speed: f64) -> f64 {
    air.leaves.drag * air.density * plant.drag_area(id) * speed * speed
}

/// Deflection of the tip by forces (distance from the clamp, N) and by a uniform load, N/m.
fn deflection(forces: &[(f64, f64)], line: f64) -> f64 {
    Chain::BRANCH.under_forces(forces) + Chain::BRANCH.under_line_load(line)
}

/// Leaves on rigid petioles, flat across the wind, load their wood with `kappa rho A v^2 + nu m v` each: the
/// tip bends by the sum of these forces and the drag of the wood, in wind from either side.
pub fn leaves_load_their_wood(subject: &Subject<'_>) -> Checked {
    let plant = leafy_branch();
    let wood = BodyId(SEGMENTS as u32 - 1);
    let mut params = Params::default();
    params.leaves.stiffness = f64::INFINITY;
    for velocity in [5.0, -5.0, 10.0] {
        let mut solver = subject.solver_with(&plant, &params);
        let start = tip(&*solver, wood);
        let air = solver.params().air;
        let speed = f64::abs(velocity);
        let line = air.branches * air.density * 2.0 * RADIUS * speed * speed;
        let theory = deflection(&flat_leaves(&*solver, speed), line);
        blow(subject, &mut *solver, &steady(DVec3::Y * velocity), 4.0);
        let moved = (tip(&*solver, wood) - start).y * velocity.signum();
        ensure!(
            (moved / theory - 1.0).abs() < subject.tolerances.wind,
            "leaves across a wind of {velocity} m/s bend the branch by {moved} m; their drag: {theory} m"
        );
    }
    Ok(())
}

/// Leaves on petioles that bend turn and flutter, but the wind pushes each along itself and no harder than
/// flat across it: the mean deflection is between those of the bare branch and of flat leaves.
pub fn turning_leaves_load_their_wood(subject: &Subject<'_>) -> Checked {
    let wood = BodyId(SEGMENTS as u32 - 1);
    for velocity in [5.0, -5.0] {
        let mut solver = subject.solver(&leafy_branch());
        let start = tip(&*solver, wood).y;
        let air = solver.params().air;
        let speed = f64::abs(velocity);
        let line = air.branches * air.density * 2.0 * RADIUS * speed * speed;
        let (bare, flat) = (deflection(&[], line), deflection(&flat_leaves(&*solver, speed), line));
        let wind = steady(DVec3::Y * velocity);
        blow(subject, &mut *solver, &wind, 2.0);
        let mut mean = 0.0;
        for _ in 0..120 {
            blow(subject, &mut *solver, &wind, 1.0 / 60.0);
            mean += (tip(&*solver, wood).y - start) * velocity.signum() / 120.0;
        }
        let tolerance = subject.tolerances.wind;
        ensure!(
            mean > bare * (1.0 + tolerance) && mean < flat * (1.0 + tolerance),
            "leaves that turn bend the branch by {mean} m; without leaves {bare} m, with flat ones {flat} m"
        );
    }
    Ok(())
}

/// Porous air in a box: all of it moves alike, and keeps the momentum that it receives.
#[derive(Debug)]
pub struct BoxOfAir {
    /// kg.
    pub mass: f64,
    /// m/s.
    pub velocity: DVec3,
    given: DVec3,
}

impl BoxOfAir {
    /// Of this mass, kg, and velocity, m/s.
    pub fn new(mass: f64, velocity: DVec3) -> Self {
        Self { mass, velocity, given: DVec3::ZERO }
    }

    /// kg m/s.
    pub fn momentum(&self) -> DVec3 {
        self.velocity * self.mass
    }
}

impl Flow for BoxOfAir {
    fn velocities(&self, points: Points<'_>, mut out: Velocities<'_>) {
        let v = self.velocity.as_vec3();
        let [x, y, z] = out.slices();
        for i in 0..points.len() {
            (x[i], y[i], z[i]) = (v.x, v.y, v.z);
        }
    }

    fn give(&mut self, _: DVec3, impulse: DVec3) {
        self.given += impulse;
    }

    fn advance(&mut self, _: f64) {
        self.velocity += std::mem::take(&mut self.given) / self.mass;
    }
}

/// A branch that flies free in a box of moving air: the branch gains the momentum that the air loses, and
/// in the end both move alike. For solvers that support flows and breaking.
pub fn box_of_air_keeps_all_momentum(subject: &Subject<'_>) -> Checked {
    for plant in [horizontal_branch(), leafy_branch()] {
        let mut solver = subject.solver(&plant);
        let Some(breakable) = solver.breakable_mut() else { return Ok(()) };
        breakable.release(&[BodyId(0).into()]);
        let mass: f64 = plant.body_ids().map(|id| plant.mass_properties(id).mass).sum();
        let mut air = BoxOfAir::new(2.0 * mass, DVec3::new(0.0, 8.0, 6.0));
        let begin = air.momentum();
        let own = |solver: &dyn Solver| -> DVec3 {
            let of = |id: BodyId| solver.motion(id.into()).velocity * plant.mass_properties(id).mass;
            plant.body_ids().map(of).sum()
        };
        let mut moved = 0.0_f64;
        let dt = subject.tolerances.step;
        for i in 0..(4.0 / dt).round() as usize {
            match solver.step(dt, &mut StepInput::new().gravity(DVec3::ZERO).flow(&mut air)) {
                Err(StepError::Unsupported(_)) if i == 0 => return Ok(()),
                taken => taken.expect("air that feels the tree"),
            }
            let now = own(&*solver) + air.momentum();
            let off = (now - begin).length() / begin.length();
            ensure!(
                off < subject.tolerances.air_momentum,
                "{}, step {i}: of the momentum {begin} kg m/s there is {now} kg m/s",
                plant.name()
            );
            moved = moved.max(own(&*solver).length());
        }
        let (share, theory) = (moved / begin.length(), 1.0 / 3.0);
        ensure!(share > 0.2 * theory, "the air gave {share} of its momentum to the branch; all would be {theory}");
    }
    Ok(())
}
