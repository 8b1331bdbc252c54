//! Everything in a step has the same time, in sub-steps too.

use std::sync::Mutex;

use windfall_articulated::Method;
use windfall_articulated::World;
use windfall_conformance::{Bare, symmetric_tree};
use windfall_core::BodyId;
use windfall_core::glam::{DQuat, DVec3};
use windfall_free::{FreeBody, Shape};
use windfall_solver::{Base, Bases, Load, Params, Solver, StepError, StepInput, Wind};
use windfall_stage::creature::Way;
use windfall_stage::{Creature, Settings, Stage, StageError, Stop};

/// Ground that moves in a circle, and records the times of its queries.
#[derive(Debug, Default)]
struct Circle {
    asked: Mutex<Vec<f64>>,
}

impl Bases for Circle {
    fn base(&self, _: u32, _: usize, time: f64) -> Base {
        self.asked.lock().unwrap().push(time);
        let (sin, cos) = (6.0 * time).sin_cos();
        let a = 0.05;
        Base {
            position: DVec3::new(a * (1.0 - cos), 0.0, a * sin),
            velocity: DVec3::new(6.0 * a * sin, 0.0, 6.0 * a * cos),
            acceleration: DVec3::new(36.0 * a * cos, 0.0, -36.0 * a * sin),
            orientation: DQuat::IDENTITY,
            ..Base::default()
        }
    }
}

fn solver(method: Method) -> Box<dyn Solver> {
    Box::new(World::<f64>::new(symmetric_tree(), Params::default(), method).unwrap())
}

/// A ball that flies past, so near and so fast that the stage takes sub-steps, but without contact.
fn ball() -> FreeBody {
    let shape = Shape::Sphere { radius: 0.01 };
    FreeBody::thrown(1, shape, 500.0, DVec3::new(0.2, 0.5, 0.12), DVec3::X * 3.0).unwrap()
}

/// The ground moves in sub-steps: a step of a stage that needs ten is ten steps of its solver, to the bit.
/// (Before, the ground was at the end of the step from the first sub-step on.)
#[test]
fn sub_steps_see_the_ground_move() {
    for method in [Method::Implicit, Method::Analytic] {
        let mut stage = Stage::new(solver(method), Settings::default()).unwrap();
        let mut alone = solver(method);
        let (dt, ground) = (1.0 / 30.0, Circle::default());
        // Gravity moves the ball, too: it is thrown anew for every step.
        let mut most = 0;
        for _ in 0..20 {
            stage.throw(ball()).unwrap();
            ground.asked.lock().unwrap().clear();
            let begin = stage.time();
            stage.step(dt, &mut StepInput::new().bases(&ground)).unwrap();
            let mut times = ground.asked.lock().unwrap().clone();
            times.retain(|time| *time > begin + 1e-9);
            times.sort_by(f64::total_cmp);
            times.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
            let count = times.len();
            most = most.max(count);
            for _ in 0..count {
                alone.step(dt / count as f64, &mut StepInput::new().bases(&ground)).unwrap();
            }
            assert_eq!(stage.pose(), alone.pose(), "{method:?}, {count} sub-steps");
            let foot = stage.motion(BodyId(0).into()).joint;
            let base = ground.base(0, 0, stage.time()).position;
            assert!(foot.distance(base) < 1e-12, "{foot} {base}");
            stage.take_away(1);
        }
        assert!(most >= 5, "{most} sub-steps");
    }
}

/// A wind that records the times of its queries, near the tree and far from it.
#[derive(Debug, Default)]
struct Clock {
    near: Mutex<Vec<f64>>,
    far: Mutex<Vec<f64>>,
}

impl Wind for Clock {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        let asked = if point.length() < 10.0 { &self.near } else { &self.far };
        asked.lock().unwrap().push(time);
        DVec3::X
    }
}

/// Free bodies ask for the air of the beginning of a step, as trees do; trees also look ahead to its end.
/// (Before, free bodies asked for the end: the trees had been moved first.)
#[test]
fn trees_and_free_bodies_are_in_the_same_air() {
    let wind = std::sync::Arc::new(Clock::default());
    let shared: std::sync::Arc<dyn Wind> = wind.clone();
    let mut stage = Stage::new(solver(Method::Implicit), Settings::default()).unwrap();
    let far = FreeBody::thrown(1, Shape::Sphere { radius: 0.1 }, 500.0, DVec3::new(30.0, 9.0, 0.0), DVec3::ZERO);
    stage.throw(far.unwrap()).unwrap();
    for step in 0..5 {
        let (begin, dt) = (stage.time(), 1.0 / 30.0);
        stage.step(dt, &mut StepInput::new().wind(Some(&shared))).unwrap();
        let [near, far] = [&wind.near, &wind.far].map(|asked| std::mem::take(&mut *asked.lock().unwrap()));
        assert!(near.contains(&begin) || step > 0, "step {step}: the tree asks for {near:?}");
        let is_end = |time: f64| time == begin || (time - begin - dt).abs() < 1e-12;
        assert!(near.iter().all(|time| is_end(*time)), "step {step}: the tree asks for {near:?}");
        assert!(!far.is_empty(), "step {step}: the ball asks for nothing");
        assert!(far.iter().all(|time| *time == begin), "step {step}: at {begin} s the ball asks for {far:?}");
    }
}

/// A load on a fallen leaf that no body can be given is refused, and nothing moves.
#[test]
fn loads_on_fallen_leaves_are_checked_first() {
    let plant = std::sync::Arc::new(windfall_conformance::leafy_branch());
    let world = World::<f64>::new(plant.clone(), Params::default(), Method::Implicit).unwrap();
    let mut stage = Stage::new(Box::new(world), Settings::default()).unwrap();
    let leaf: windfall_core::BodyRef = plant.leaf_id(3).into();
    stage.cut(&[leaf]).unwrap();
    stage.step(1.0 / 60.0, &mut StepInput::new()).unwrap();
    let (before, time) = (stage.pose(), stage.time());
    let loads = [Load::force(leaf, DVec3::ZERO, DVec3::X * 1e13)];
    let refused = stage.step(1.0 / 60.0, &mut StepInput::new().loads(&loads));
    assert_eq!(refused, Err(StepError::TooStrong { body: leaf.id }));
    assert_eq!((stage.pose(), stage.time()), (before, time));
}

/// Missing capabilities are reported before anything moves, and the rest works.
#[test]
fn a_solver_that_lacks_something_is_told_where_it_is_needed() {
    let bare = || Box::new(Bare(solver(Method::Implicit)));
    let refused = Stage::new(bare(), Settings::default()).unwrap_err();
    assert!(matches!(refused, StageError::Unsupported(_)));
    let said = "the solver `bare` does not support breaking (set fracture and detachment to false to do without); choose another one";
    assert_eq!(refused.to_string(), said);
    let quiet = Settings { fracture: false, detachment: false, ..Settings::default() };
    let mut stage = Stage::new(bare(), quiet).unwrap();
    assert!(matches!(stage.throw(ball()), Err(StageError::Unsupported(_))), "a ball that could hit a tree");
    assert!(matches!(stage.set_settings(Settings::default()), Err(StageError::Unsupported(_))));
    assert!(stage.cut(&[BodyId(3).into()]).is_err(), "cutting");
    let squirrel = Creature::new(0.4, 0.05, vec![Stop { body: BodyId(0).into(), at: 0.5, by: Way::Run(1.0) }]).unwrap();
    assert!(matches!(stage.add_creature(squirrel), Err(StageError::Unsupported(_))), "a squirrel");
    let mut off = quiet;
    off.collisions.mode = windfall_stage::CollisionMode::Off;
    stage.set_settings(off).unwrap();
    stage.throw(ball()).unwrap();
    for _ in 0..30 {
        stage.step(1.0 / 30.0, &mut StepInput::new()).unwrap();
    }
    assert!(stage.bodies().iter().all(|body| body.position.y < 0.5), "the ball falls through the tree");
    let mut other = Stage::new(solver(Method::Implicit), Settings::default()).unwrap();
    assert!(matches!(other.replace_solver(bare()), Err(StageError::Unsupported(_))));
}
