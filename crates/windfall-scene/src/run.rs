//! Running a scene frame by frame.

use std::ops::ControlFlow;

use windfall_core::{Body, Plant, Pose};
use windfall_free::FreeBodies;
use windfall_solver::{PoseRequest, Solver};
use windfall_stage::{Creature, Event, Stage};

use crate::deflection::Deflection;
use crate::error::SceneError;
use crate::player::play;
use crate::prepared::PreparedScene;
use crate::report::RunReport;
use crate::script::Playing;

/// A moment of a run.
pub struct Frame<'a> {
    /// Number of the frame from 0, which is before the first step.
    pub number: usize,
    /// Time, s.
    pub time: f64,
    /// The combined plant.
    pub plant: &'a Plant,
    /// Places of all its bodies, including those that fell off.
    pub pose: &'a Pose,
    /// The solver, for the motion and load of single bodies.
    pub solver: &'a dyn Solver,
    /// The free bodies.
    pub free: &'a FreeBodies,
    /// The creatures.
    pub creatures: &'a [Creature],
    /// Events since the last frame.
    pub events: &'a [Event],
}

/// Runs a scene; `watch` is called for every frame, and its error ends the run.
pub fn run(
    scene: &PreparedScene,
    watch: &mut dyn FnMut(&Frame<'_>) -> Result<(), SceneError>,
) -> Result<RunReport, SceneError> {
    let plant = &*scene.plants.whole;
    let mut stage = stage(scene)?;
    let mut playing = Playing::new(scene);
    // The first picture shows bodies that are there from the beginning.
    playing.throw(&mut stage, 0.0)?;
    let mut deflection = Deflection::new(plant);
    let mut report = RunReport::new(scene, stage.simulated_bodies());
    let mut pose = Pose::default();
    let (clock, frames) = (scene.scene.clock(), scene.scene.frames());
    let stepping = play(&mut stage, &mut playing, &clock, frames, |number, stage: &mut Stage, playing| {
        let events = std::mem::take(&mut playing.events);
        stage.write_pose(PoseRequest::default(), &mut pose);
        let time = stage.time();
        report.steps = playing.steps;
        if !is_finite(&pose) {
            report.left_numbers_s = Some(time);
            return Ok(ControlFlow::Break(()));
        }
        deflection.leave_out(events.iter().map(|event| match event {
            Event::Broke { body, .. } | Event::LetGo { body, .. } => body.id,
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
            solver: &*stage,
            free: stage.bodies(),
            creatures: stage.creatures(),
            events: &events,
        })?;
        Ok(ControlFlow::Continue(()))
    })?;
    report.wall_s = stepping.as_secs_f64();
    report.largest_deflection_m = deflection.largest;
    report.largest_deflection_body = deflection.body;
    report.largest_deflection_time_s = deflection.time;
    report.finish();
    Ok(report)
}

/// The stage in its initial state.
pub fn stage(scene: &PreparedScene) -> Result<Stage, SceneError> {
    let refused = |error| SceneError::refused(0.0, error);
    let spec = scene.scene.solver_of(scene.scene.solver);
    let solver = spec.build(scene.plants.whole.clone(), &scene.params);
    let solver = solver.map_err(|error| SceneError::refused(0.0, error))?;
    scene.needs(&*solver).map_err(|error| SceneError::refused(0.0, error))?;
    let mut stage = Stage::new(solver, scene.scene.stage).map_err(refused)?;
    if scene.selection != windfall_solver::Selection::All {
        stage.select(&scene.selection).map_err(|error| SceneError::refused(0.0, error))?;
    }
    stage.set_obstacles(scene.obstacles.clone());
    for creature in &scene.creatures {
        stage.add_creature(creature.clone()).map_err(refused)?;
    }
    Ok(stage)
}

fn is_finite(pose: &Pose) -> bool {
    pose.positions.iter().all(|p| p.is_finite()) && pose.orientations.iter().all(|q| q.is_finite())
}

fn count(report: &mut RunReport, plant: &Plant, events: &[Event]) {
    for event in events {
        match event {
            Event::Broke { .. } => report.breaks += 1,
            Event::LetGo { body, .. } => match plant.body(body.id) {
                Some(Body::Fruit(_)) => report.fruit_let_go += 1,
                _ => report.leaves_let_go += 1,
            },
        }
    }
}
