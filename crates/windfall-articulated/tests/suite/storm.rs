//! 10,000 random trees in a storm of forces up to 1e6 N, grabs of any strength, shaking ground, breaking
//! branches and parameters that change during the run: no value is ever NaN, no joint comes off its
//! parent, no joint turns faster than the guard allows.

use crate::truth;

use crate::storms::{
    Dice, random_base, random_grab, random_load, random_params, random_plant, random_selection, reaches,
};
use rayon::prelude::*;
use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant};
use windfall_solver::Params;
use windfall_solver::{Actions, Base};
use windfall_testkit::World;

/// Runs one case; returns the failure, if there is one.
fn storm(seed: u64, steps: usize) -> Result<(), String> {
    let mut dice = Dice(seed);
    if dice.chance(0.75) { run::<f32>(&mut dice, steps) } else { run::<f64>(&mut dice, steps) }
}

fn run<T: Real>(dice: &mut Dice, steps: usize) -> Result<(), String> {
    let plant = random_plant(dice);
    let params = random_params(dice);
    let method = if dice.chance(0.5) { Method::Implicit } else { Method::Analytic };
    let dt = dice.decades(-6.0, -1.0);
    let mut world =
        World::<T>::new(plant.clone(), params, method).map_err(|error| format!("parameters were refused: {error}"))?;
    let reaches = reaches(&plant);
    let (shaken, busy) = (dice.chance(0.2), dice.unit());
    let mut base = Base::default();
    let mut broken = vec![false; plant.body_count()];
    for step in 0..steps {
        let count = if dice.chance(busy) { dice.below(4) } else { 0 };
        let loads: Vec<_> = (0..count).map(|_| random_load(dice, &plant)).collect();
        let grabs: Vec<_> = (0..usize::from(dice.chance(0.5 * busy))).map(|_| random_grab(dice, &plant)).collect();
        if shaken {
            base = random_base(dice, &base, dt);
            world.set_base(0, base);
        }
        if dice.chance(0.01) {
            let body = BodyId(dice.below(plant.body_count()) as u32);
            world.release(body);
            fall_off(&plant, body, &mut broken);
        }
        if dice.chance(0.01) {
            world.set_params(random_params(dice)).map_err(|error| format!("parameters were refused: {error}"))?;
        }
        if dice.chance(0.01) {
            world.select(random_selection(dice, &plant));
        }
        world
            .step(dt, &Actions { loads: &loads, grabs: &grabs, touches: &[], ..Actions::default() })
            .map_err(|error| error.to_string())?;
        check(&world, &base, &reaches, &broken, dt)
            .map_err(|what| format!("{method:?} in {} bytes, dt {dt:.2e}, step {step}: {what}", size_of::<T>()))?;
    }
    Ok(())
}

fn fall_off(plant: &Plant, root: BodyId, broken: &mut [bool]) {
    broken[root.0 as usize] = true;
    for id in plant.body_ids() {
        if let Some(parent) = plant.parent(id) {
            broken[id.0 as usize] |= broken[parent.0 as usize];
        }
    }
}

fn check<T: Real>(world: &World<T>, base: &Base, reaches: &[f64], broken: &[bool], dt: f64) -> Result<(), String> {
    let plant = world.plant();
    let foot = plant.trees()[0].origin + base.position;
    let pose = world.pose();
    for id in plant.body_ids() {
        let i = id.0 as usize;
        let m = world.motion(id);
        let load = world.joint_load(id);
        let vectors = [m.joint, m.center, m.velocity, m.acceleration, m.angular_velocity, m.angular_acceleration];
        if !vectors.iter().chain(&[load.force, load.torque]).all(|v| v.is_finite()) {
            return Err(format!("body {i} is not finite: {m:?} {load:?}"));
        }
        let length = f64::from(pose.orientations[i].length());
        if !pose.positions[i].is_finite() || (length - 1.0).abs() > 1e-5 || !m.orientation.is_normalized() {
            return Err(format!("body {i} has the quaternion {} of length {length}", pose.orientations[i]));
        }
        if broken[i] {
            continue;
        }
        // The distance of a joint from that of its parent is the same as at rest, so no body is farther
        // out than all arms together.
        let distance = m.joint.distance(foot);
        if distance > reaches[i] * 1.0001 + 1e-5 {
            return Err(format!("body {i} is {distance} m from its foot; its arms reach {} m", reaches[i]));
        }
        // The guard lets a joint turn by one radian per step; its velocity at the end of a step is half a
        // change of velocity more, from -1 to 1, and in the first half step twice that. Mass-proportional
        // damping acts in halves before and after that moment.
        let below = plant.parent(id).map_or(base.angular_velocity, |p| world.motion(p).angular_velocity);
        let turn = (m.angular_velocity - below).length() * dt;
        let keep = (-0.5 * dt * world.params().mass_damping).exp();
        if turn > 3.01 / keep {
            return Err(format!("the joint of body {i} turns by {turn} rad in a step"));
        }
    }
    Ok(())
}

fn all(cases: std::ops::Range<u64>, steps: usize) {
    let failed: Vec<String> = cases
        .into_par_iter()
        .filter_map(|seed| storm(seed, steps).err().map(|what| format!("case {seed}: {what}")))
        .collect();
    let shown: Vec<&String> = failed.iter().take(10).collect();
    assert!(failed.is_empty(), "{} cases failed, among them {shown:#?}", failed.len());
}

#[test]
fn ten_thousand_trees_stay_finite_and_in_one_piece() {
    all(0..10_000, 40);
}

#[test]
fn a_hundred_long_storms() {
    all(20_000..20_100, 2_000);
}

/// After a storm a tree whose wood can carry its weight comes to rest, at any stiffness and any step: the
/// remaining energy is less than that of an apple of 0.1 kg at 15 mm/s.
#[test]
fn trees_calm_down_after_the_storm() {
    let mut worst = 0.0_f64;
    let cases: Vec<(Method, f64, f64, f64, f64)> = [Method::Implicit, Method::Analytic]
        .into_par_iter()
        .flat_map(|method| {
            [1e9, 1e10, 1e12, 1e14, 1e16].into_par_iter().flat_map(move |young| {
                [1.0 / 60.0, 1.0 / 30.0, 0.1].into_par_iter().map(move |dt| {
                    let (during, after) = calming(method, young, dt);
                    (method, young, dt, during, after)
                })
            })
        })
        .collect();
    println!(
        "| method | E, Pa | dt, s | kinetic energy at the end of the storm, J | 60 s later, J |\n|---|---|---|---|---|"
    );
    for (method, young, dt, during, after) in cases {
        println!("| {method:?} | {young:.0e} | {dt:.4} | {during:.1e} | {after:.1e} |");
        assert!(after < 1e-5, "{method:?}, E {young:.0e}, dt {dt}: {after} J are left of {during} J");
        worst = worst.max(after);
    }
    println!("worst: {worst:.1e} J");
}

/// Kinetic energy of a small leafy tree at the end of a storm of 300 steps, and 60 s later.
fn calming(method: Method, young: f64, dt: f64) -> (f64, f64) {
    let plant = storm_tree(young, 0.012);
    let mut world = World::<f32>::new(plant.clone(), Params::default(), method).unwrap();
    let mut dice = Dice(7);
    for _ in 0..300 {
        let mut loads: Vec<_> = (0..3).map(|_| random_load(&mut dice, &plant)).collect();
        for load in &mut loads {
            load.force = dice.direction() * 1000.0;
        }
        let grabs = [random_grab(&mut dice, &plant)];
        world.step(dt, &Actions { loads: &loads, grabs: &grabs, touches: &[], ..Actions::default() }).unwrap();
    }
    let during = world.energy().kinetic;
    for _ in 0..(60.0 / dt) as usize {
        world.step(dt, &Actions::default()).unwrap();
    }
    (during, world.energy().kinetic)
}

/// Limp wood (its joints can't carry their weight) oscillates for long, but while nothing acts on it its
/// energy never grows by more than the guard's threshold permits: bodies stay slower than a radian per
/// step, with damping or without.
#[test]
fn limp_trees_do_not_whip_themselves() {
    println!(
        "| method | E, Pa | dt, s | kinetic energy at the end of the storm, J | largest in the last half of 100 s, J |\n|---|---|---|---|---|"
    );
    for method in [Method::Implicit, Method::Analytic] {
        for young in [1e6, 1e8] {
            for dt in [1.0 / 60.0, 1.0 / 30.0, 0.1] {
                let plant = storm_tree(young, 0.0);
                let mut world = World::<f32>::new(plant.clone(), Params::default(), method).unwrap();
                for id in plant.body_ids() {
                    world.set_joint(id, windfall_core::glam::DQuat::IDENTITY, DVec3::new(1.0, -0.5, 0.7) * (0.9 / dt));
                }
                let before = world.energy().kinetic;
                let steps = (100.0 / dt) as usize;
                let mut largest = 0.0_f64;
                for i in 0..steps {
                    world.step(dt, &Actions::default()).unwrap();
                    if i > steps / 2 {
                        largest = largest.max(world.energy().kinetic);
                    }
                }
                println!("| {method:?} | {young:.0e} | {dt:.4} | {before:.1e} | {largest:.1e} |");
                assert!(largest < 0.5 * before, "{method:?}, E {young:.0e}, dt {dt}: {largest} J of {before} J");
            }
        }
    }
}

/// The leafy tree of the truth's plants, of this wood.
fn storm_tree(young: f64, damping: f64) -> Plant {
    let mut wood = truth::rod::wood(young);
    wood.damping = damping;
    truth::plants::leafy(&wood)
}
