//! `Implicit` converges to the reference at second order as the step shrinks.

use crate::truth;

use crate::lab::{undamped, world_in};
use crate::truth::{Reference, State, loads, plants, rod};
use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{BodyId, Plant, WoodMaterial};
use windfall_solver::Params;
use windfall_solver::{Actions, BodyMotion, Load};

/// Duration of the observation after the kick, s.
const SECONDS: f64 = 0.5;

/// Linear drag at the tips of the three arms.
fn drag() -> (DMat3, DMat3) {
    (DMat3::from_diagonal(DVec3::new(0.02, 0.05, 0.03)), DMat3::from_diagonal(DVec3::splat(2e-5)))
}

fn drag_loads(motion: impl Fn(BodyId) -> BodyMotion, plant: &Plant) -> Vec<Load> {
    let (drag, spin_drag) = drag();
    [4, 6, 8]
        .map(|i| loads::linear_drag(BodyId(i), truth::local_tip(plant, BodyId(i)), drag, spin_drag, &motion(BodyId(i))))
        .to_vec()
}

struct Case {
    name: &'static str,
    plant: Plant,
    params: Params,
    has_drag: bool,
}

impl Case {
    fn new(name: &'static str, beta: f64, alpha: f64, has_drag: bool) -> Self {
        let plant = plants::forked(&WoodMaterial { damping: beta, ..rod::wood(3e7) });
        Self { name, plant, params: Params { mass_damping: alpha, ..Params::default() }, has_drag }
    }

    fn reference(&self) -> Reference {
        let mut reference = Reference::new(&self.plant);
        reference.mass_damping = self.params.mass_damping;
        if self.has_drag {
            let plant = self.plant.clone();
            reference.loads = Box::new(move |_, motion| drag_loads(|id| motion[id.0 as usize], &plant));
        }
        reference
    }

    /// At rest, with two joints kicked.
    fn start(&self) -> State {
        let mut state = self.reference().rest_state();
        state.w[0] = DVec3::new(1.0, 2.0, -2.0);
        state.w[4] = DVec3::new(2.0, -4.0, 1.0);
        state
    }

    /// The engine after `steps`: every body's motion and joint load.
    fn run<T: Real>(&self, steps: usize) -> Outcome {
        let mut world = world_in::<T>(&self.plant, &self.params, Method::Implicit, &self.start());
        for _ in 0..steps {
            // Drag as a user gives it: the force at the present velocity, and its derivative.
            let mut loads = if self.has_drag { drag_loads(|id| world.motion(id), &self.plant) } else { Vec::new() };
            for load in &mut loads {
                (load.drag, load.spin_drag) = drag();
            }
            world
                .step(
                    SECONDS / steps as f64,
                    &Actions { loads: &loads, grabs: &[], touches: &[], ..Actions::default() },
                )
                .unwrap();
        }
        let ids = || self.plant.body_ids();
        Outcome {
            motion: ids().map(|id| world.motion(id)).collect(),
            torques: ids().map(|id| world.joint_load(id).torque).collect(),
            forces: ids().map(|id| world.joint_load(id).force).collect(),
        }
    }
}

struct Outcome {
    motion: Vec<BodyMotion>,
    torques: Vec<DVec3>,
    forces: Vec<DVec3>,
}

fn largest(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, f64::max)
}

/// Errors of places (m), velocities (m/s).
fn errors(ours: &[BodyMotion], truth: &[BodyMotion]) -> [f64; 2] {
    let pairs = || ours.iter().zip(truth);
    [
        largest(pairs().map(|(a, b)| a.center.distance(b.center))),
        largest(pairs().map(|(a, b)| a.velocity.distance(b.velocity))),
    ]
}

#[test]
fn halving_the_step_quarters_the_error() {
    for case in [
        Case::new("undamped", 0.0, 0.0, false),
        Case::new("beta 0.01 s", 0.01, 0.0, false),
        Case::new("alpha 1.5 /s", 0.0, 1.5, false),
        Case::new("drag at the tips", 0.0, 0.0, true),
        Case::new("beta, alpha and drag", 0.01, 1.5, true),
    ] {
        let reference = case.reference();
        let mut state = case.start();
        reference.run(&mut state, SECONDS, reference.small_step() * 0.4);
        let truth = reference.positions_and_velocities(&state);
        let steps = [8000, 16000, 32000];
        let found = steps.map(|n| errors(&case.run::<f64>(n).motion, &truth));
        for (i, what) in ["places, m", "velocities, m/s"].into_iter().enumerate() {
            let e = found.map(|f| f[i]);
            let ratios: Vec<f64> = e.windows(2).map(|w| w[0] / w[1]).collect();
            let cells = e.map(|e| format!("{e:.2e}")).join(" | ");
            println!("| {}, {what} | {cells} | {:.2} {:.2} |", case.name, ratios[0], ratios[1]);
            assert!(ratios.iter().all(|r| (3.6..4.4).contains(r)), "{}, {what}: {e:?} {ratios:?}", case.name);
        }
    }
}

#[test]
fn single_precision_follows_double_precision() {
    let case = Case::new("beta, alpha and drag", 0.01, 1.5, true);
    let steps = 800;
    let [places, velocities] = errors(&case.run::<f32>(steps).motion, &case.run::<f64>(steps).motion);
    println!("| f32 against f64, {steps} steps | {places:.1e} m | {velocities:.1e} m/s |");
    // Each step adds a rounding of 6e-8 of angles and velocities of order one, and they add up like a
    // random walk at best, linearly at worst.
    assert!(places < 6e-8 * steps as f64 && velocities < 10.0 * 6e-8 * steps as f64, "{places:e} {velocities:e}");
}

#[test]
fn joint_loads_converge_to_their_mean_over_the_step() {
    for case in [Case::new("undamped", 0.0, 0.0, false), Case::new("beta 0.01 s", 0.01, 0.0, false)] {
        let reference = case.reference();
        let mut rows: Vec<[f64; 4]> = Vec::new();
        let steps = [8000, 16000, 32000];
        for n in steps {
            let h = SECONDS / n as f64;
            let mut state = case.start();
            reference.run(&mut state, SECONDS - h, reference.small_step() * 0.5);
            let instant = reference.joint_loads(&state);
            let mean = reference.mean_joint_loads(&mut state, h, reference.small_step() * 0.5);
            let ours = case.run::<f64>(n);
            let ids = || 0..mean.len();
            rows.push([
                largest(ids().map(|i| ours.torques[i].distance(mean[i].torque))),
                largest(ids().map(|i| ours.forces[i].distance(mean[i].force))),
                largest(ids().map(|i| ours.torques[i].distance(instant[i].torque))),
                largest(ids().map(|i| ours.forces[i].distance(instant[i].force))),
            ]);
        }
        // A step of leapfrog kicks from half a step before the pose to half a step after: the joint load
        // is exact to second order at the beginning of the step, hence to first order as the mean over
        // the step.
        let names = ["torque, mean, N m", "force, mean, N", "torque, begin, N m", "force, begin, N"];
        for (i, (what, range)) in names.into_iter().zip([1.7..9.0, 1.7..9.0, 3.5..4.5, 3.5..4.5]).enumerate() {
            let e: Vec<f64> = rows.iter().map(|r| r[i]).collect();
            let ratios: Vec<f64> = e.windows(2).map(|w| w[0] / w[1]).collect();
            println!(
                "| {}, {what} | {:.2e} | {:.2e} | {:.2e} | {:.2} {:.2} |",
                case.name, e[0], e[1], e[2], ratios[0], ratios[1]
            );
            assert!(ratios.iter().all(|r| range.contains(r)), "{}, {what}: {e:?} {ratios:?}", case.name);
        }
    }
}

#[test]
fn what_is_not_damped_needs_no_parameters() {
    // The multipliers of damping reach every joint: with zero they are those of undamped wood.
    let case = Case::new("beta 0.01 s", 0.01, 0.0, false);
    let bare = Case::new("undamped", 0.0, 0.0, false);
    let off = Case { params: undamped(), ..case };
    assert_eq!(off.run::<f64>(100).motion, bare.run::<f64>(100).motion);
}
