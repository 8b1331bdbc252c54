//! A stage around a group: one plant that stands several times.

use std::sync::Arc;

use windfall_articulated::{Method, World};
use windfall_conformance::symmetric_tree;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, BodyRef};
use windfall_free::{FreeBody, Shape};
use windfall_solver::{Group, Load, Params, Placement, Solver, StepInput};
use windfall_stage::{Event, Settings, Stage};

const DT: f64 = 1.0 / 60.0;

/// Two trees, 5 m apart; the second is turned.
fn stage() -> Stage {
    let plant = Arc::new(symmetric_tree());
    let turned = Placement { position: DVec3::X * 5.0, orientation: DQuat::from_rotation_y(1.2) };
    let member = |method, place| {
        let world = World::<f64>::new(plant.clone(), Params::default(), method).unwrap();
        (Box::new(world) as Box<dyn Solver>, place)
    };
    let group = Group::new(vec![member(Method::Implicit, Placement::GROWN), member(Method::Implicit, turned)]).unwrap();
    Stage::new(Box::new(group), Settings::default()).unwrap()
}

fn tip(instance: u32) -> BodyRef {
    BodyRef { instance, id: BodyId(4) }
}

/// A ball that hits the second tree moves that one alone, and loses the momentum that the tree gains.
#[test]
fn a_ball_hits_the_tree_of_one_instance() {
    let mut stage = stage();
    let at = stage.motion(tip(1)).center;
    let ball = Shape::Sphere { radius: 0.05 };
    let speed = 4.0;
    stage.throw(FreeBody::thrown(1, ball, 500.0, at + DVec3::Y * 0.3, DVec3::NEG_Y * speed).unwrap()).unwrap();
    // Strong again, so that its own weight breaks nothing.
    stage.set_params(&Params::default()).unwrap();
    let before = [0, 1].map(|instance| stage.motion(tip(instance)).center);
    for _ in 0..12 {
        stage.step(DT, &mut StepInput::new().gravity(DVec3::ZERO)).unwrap();
    }
    let moved = |i: usize| stage.motion(tip(i as u32)).center.distance(before[i]);
    assert!(moved(1) > 0.01 && moved(0) < 1e-9, "{} m and {} m", moved(0), moved(1));
    let velocity = stage.bodies().iter().next().unwrap().velocity;
    assert!(velocity.y > -0.9 * speed, "the ball goes on with {velocity} m/s");
}

/// Wood that is overloaded in one instance breaks there, falls there, and comes back with a snapshot.
#[test]
fn wood_breaks_in_one_instance() {
    let mut stage = stage();
    let mut weak = Params::default();
    weak.branches.strength = 1e-6;
    stage.set_params(&weak).unwrap();
    let load = Load::force(tip(1), DVec3::Y * 0.1, DVec3::new(0.0, -40.0, 0.0));
    let mut broke = Vec::new();
    let snapshot = stage.snapshot();
    for _ in 0..60 {
        stage.step(DT, &mut StepInput::new().gravity(DVec3::ZERO).loads(&[load])).unwrap();
        broke.extend(stage.events().iter().map(|event| match *event {
            Event::Broke { body, .. } | Event::LetGo { body, .. } => body,
        }));
        if !broke.is_empty() {
            break;
        }
    }
    assert!(!broke.is_empty() && broke.iter().all(|body| body.instance == 1), "{broke:?}");
    assert_eq!(stage.breakable().unwrap().pieces(), broke);
    // Strong again, so that its own weight breaks nothing.
    stage.set_params(&Params::default()).unwrap();
    let before = [0, 1].map(|instance| stage.motion(tip(instance)).center);
    for _ in 0..20 {
        stage.step(DT, &mut StepInput::new()).unwrap();
    }
    let fell = |i: usize| before[i].y - stage.motion(tip(i as u32)).center.y;
    assert!(fell(1) > 0.2 && fell(0) < 0.1, "{} m and {} m", fell(0), fell(1));
    let time = stage.time();
    stage.restore(&snapshot).unwrap();
    assert!(stage.time() == 0.0 && time > 0.3 && stage.breakable().unwrap().pieces().is_empty());
}

/// A snapshot of a stage brings back its free bodies, creatures and what it remembers of contacts: the same
/// steps give the same bits.
#[test]
fn snapshots_hold_all_of_a_stage() {
    let mut stage = stage();
    let at = stage.motion(tip(0)).center;
    let ball = |name, height| {
        let place = at + DVec3::Y * height;
        FreeBody::thrown(name, Shape::Sphere { radius: 0.04 }, 300.0, place, DVec3::NEG_Y).unwrap()
    };
    stage.throw(ball(1, 0.2)).unwrap();
    let squirrel =
        windfall_stage::Stop { body: BodyId(1).into(), at: 0.5, by: windfall_stage::creature::Way::Run(1.0) };
    stage.add_creature(windfall_stage::Creature::new(0.3, 0.05, vec![squirrel]).unwrap()).unwrap();
    let run = |stage: &mut Stage| {
        for _ in 0..30 {
            stage.step(DT, &mut StepInput::new()).unwrap();
        }
        let free: Vec<_> = stage.bodies().iter().map(|body| (body.position, body.velocity)).collect();
        (stage.pose(), free, stage.creatures()[0].position(), stage.time())
    };
    run(&mut stage);
    let snapshot = stage.snapshot();
    let first = run(&mut stage);
    stage.throw(ball(2, 0.4)).unwrap();
    run(&mut stage);
    stage.restore(&snapshot).unwrap();
    assert_eq!(run(&mut stage), first);
}
