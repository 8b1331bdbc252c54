//! The loop: steps, frames, and what is seen of them.

use std::sync::Arc;
use std::time::Instant;

use windfall_core::{Actions, Body, Plant, Pose, Solver};
use windfall_dynamics::free::FreeBodies;
use windfall_dynamics::math::Real;
use windfall_dynamics::stage::{Creature, Event};
use windfall_dynamics::{Stage, World};

use crate::deflection::Deflection;
use crate::error::SceneError;
use crate::report::Report;
use crate::schema::Precision;
use crate::script::Playing;
use crate::set::Set;

/// A moment of a run.
pub struct Frame<'a> {
    /// From 0, which is before the first step.
    pub number: usize,
    /// s.
    pub time: f64,
    /// All trees in one.
    pub plant: &'a Plant,
    /// Where all bodies of it are, those that fell off too.
    pub pose: &'a Pose,
    /// For the motion and load of single bodies.
    pub solver: &'a dyn Solver,
    /// What flies or lies free.
    pub free: &'a FreeBodies,
    /// What runs and leaps.
    pub creatures: &'a [Creature],
    /// What gave way since the last frame.
    pub events: &'a [Event],
}

/// Runs a scene; `watch` sees every frame, and an error of it ends the run.
pub fn run(set: &Set, watch: &mut dyn FnMut(&Frame<'_>) -> Result<(), SceneError>) -> Result<Report, SceneError> {
    match set.scene.precision {
        Precision::F32 => run_in::<f32>(set, watch),
        Precision::F64 => run_in::<f64>(set, watch),
    }
}

fn run_in<T: Real>(
    set: &Set,
    watch: &mut dyn FnMut(&Frame<'_>) -> Result<(), SceneError>,
) -> Result<Report, SceneError> {
    let scene = &set.scene;
    let plant = &*set.plants.whole;
    let mut stage = stage::<T>(set);
    let mut playing = Playing::new(set);
    // The first picture shows what is there from the beginning.
    playing.throw(&mut stage, 0.0);
    let mut deflection = Deflection::new(plant);
    let (dt, frames) = (scene.step(), scene.frames());
    let mut report = Report::new(set, stage.world().active_bodies());
    let mut pose = Pose::default();
    let mut events = Vec::new();
    for number in 0..=frames {
        events.clear();
        if number > 0 {
            let begin = Instant::now();
            for _ in 0..scene.substeps {
                // Those of the last step are known already; what is cut now comes after them.
                let known = stage.events().len();
                playing.before_step(&mut stage, dt)?;
                events.extend_from_slice(&stage.events()[known..]);
                let (loads, grabs) = playing.actions(&stage, dt);
                let time = stage.time();
                let actions = Actions { loads, grabs, touches: &[] };
                stage.step(dt, &actions).map_err(|error| SceneError::Step { time, error })?;
                events.extend_from_slice(stage.events());
                report.steps += 1;
            }
            report.wall_s += begin.elapsed().as_secs_f64();
        }
        stage.write_pose(&mut pose);
        let time = stage.time();
        if !is_finite(&pose) {
            report.left_numbers_s = Some(time);
            break;
        }
        deflection.leave_out(events.iter().map(|event| match event {
            Event::Broke { body, .. } | Event::LetGo { body, .. } => *body,
        }));
        deflection.see(time, &pose);
        count(&mut report, plant, &events);
        report.frames = number;
        report.simulated_s = time;
        report.free_bodies = stage.bodies().len();
        report.free_bodies_at_rest = report.free_bodies - stage.bodies().awake();
        watch(&Frame {
            number,
            time,
            plant,
            pose: &pose,
            solver: &stage,
            free: stage.bodies(),
            creatures: stage.creatures(),
            events: &events,
        })?;
    }
    report.largest_deflection_m = deflection.largest;
    report.largest_deflection_body = deflection.body;
    report.largest_deflection_time_s = deflection.time;
    report.finish();
    Ok(report)
}

/// Everything in its place, before the first step.
fn stage<T: Real>(set: &Set) -> Stage<T> {
    let scene = &set.scene;
    let method = scene.solver.method();
    let world = World::<T>::new(set.plants.whole.clone(), set.params.clone(), method).expect("was checked before");
    let mut stage = Stage::new(world, scene.stage).expect("was checked before");
    if set.selection != windfall_dynamics::Selection::All {
        stage.world_mut().select(set.selection.clone());
    }
    stage.set_obstacles(set.obstacles.clone());
    if let Some(air) = &set.air {
        stage.set_wind(Some(Arc::new(air.clone())));
    }
    for creature in &set.creatures {
        stage.add_creature(creature.clone()).expect("was checked before");
    }
    stage
}

fn is_finite(pose: &Pose) -> bool {
    pose.positions.iter().all(|p| p.is_finite()) && pose.orientations.iter().all(|q| q.is_finite())
}

fn count(report: &mut Report, plant: &Plant, events: &[Event]) {
    for event in events {
        match event {
            Event::Broke { .. } => report.breaks += 1,
            Event::LetGo { body, .. } => match plant.body(*body) {
                Some(Body::Fruit(_)) => report.fruit_let_go += 1,
                _ => report.leaves_let_go += 1,
            },
        }
    }
}
