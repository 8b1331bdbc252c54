//! Everything in a step has the same time, in sub-steps too.

use std::sync::Mutex;

use windfall_articulated::Method;
use windfall_articulated::World;
use windfall_conformance::symmetric_tree;
use windfall_core::BodyId;
use windfall_core::glam::{DQuat, DVec3};
use windfall_free::{FreeBody, Shape};
use windfall_solver::{Base, Bases, Params, Placement, Solver, StepInput, Unsupported, Wind};
use windfall_stage::{Settings, Stage, StageError};

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

/// A wind that records the times of its queries at the ball.
#[derive(Debug, Default)]
struct Clock {
    asked: Mutex<Vec<f64>>,
}

impl Wind for Clock {
    fn velocity(&self, _: DVec3, time: f64) -> DVec3 {
        self.asked.lock().unwrap().push(time);
        DVec3::X
    }
}

/// Trees and free bodies query the same moments: the beginnings of sub-steps, and (lookahead) the end.
#[test]
fn trees_and_free_bodies_are_in_the_same_air() {
    let wind = std::sync::Arc::new(Clock::default());
    let shared: std::sync::Arc<dyn Wind> = wind.clone();
    let mut stage = Stage::new(solver(Method::Implicit), Settings::default()).unwrap();
    let far = FreeBody::thrown(1, Shape::Sphere { radius: 0.1 }, 500.0, DVec3::new(30.0, 9.0, 0.0), DVec3::ZERO);
    stage.throw(far.unwrap()).unwrap();
    for step in 0..5 {
        wind.asked.lock().unwrap().clear();
        let (begin, dt) = (stage.time(), 1.0 / 30.0);
        stage.step(dt, &mut StepInput::new().wind(Some(&shared))).unwrap();
        let asked = wind.asked.lock().unwrap();
        let is_end = |time: f64| time == begin || (time - begin - dt).abs() < 1e-12;
        assert!(!asked.is_empty() && asked.iter().all(|time| is_end(*time)), "step {step}: {asked:?}");
    }
}

/// A solver without contact response and breaking.
struct Statue(World<f64>);

impl Solver for Statue {
    fn name(&self) -> &'static str {
        "statue"
    }
    fn plant(&self) -> &std::sync::Arc<windfall_core::Plant> {
        Solver::plant(&self.0)
    }
    fn placements(&self) -> &[Placement] {
        self.0.placements()
    }
    fn time(&self) -> f64 {
        self.0.time()
    }
    fn step(&mut self, dt: f64, input: &mut StepInput<'_>) -> Result<(), windfall_solver::StepError> {
        self.0.step(dt, input)
    }
    fn check(&self, dt: f64, input: &StepInput<'_>) -> Result<(), windfall_solver::StepError> {
        self.0.check(dt, input)
    }
    fn write_pose(&self, request: windfall_solver::PoseRequest<'_>, pose: &mut windfall_core::Pose) {
        self.0.write_pose(request, pose);
    }
    fn motion(&self, body: windfall_core::BodyRef) -> windfall_solver::BodyMotion {
        self.0.motion(body.id)
    }
    fn params(&self) -> &Params {
        self.0.params()
    }
    fn set_params(&mut self, params: &Params) -> Result<(), windfall_solver::ParamsError> {
        self.0.set_params(params.clone())
    }
    fn selection(&self) -> &windfall_solver::Selection {
        self.0.selection()
    }
    fn select(&mut self, _: &windfall_solver::Selection) -> Result<(), Unsupported> {
        Err(Unsupported { solver: "statue", what: "selections" })
    }
    fn simulated_bodies(&self) -> usize {
        self.0.active_bodies()
    }
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
    fn snapshot(&self) -> windfall_solver::Snapshot {
        self.0.snapshot()
    }
    fn restore(&mut self, snapshot: &windfall_solver::Snapshot) -> Result<(), windfall_solver::SnapshotError> {
        self.0.restore(snapshot)
    }
    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(Self(self.0.clone()))
    }
}

/// Missing capabilities are reported before anything moves, and the rest works.
#[test]
fn a_solver_that_lacks_something_is_told_where_it_is_needed() {
    let statue = || Box::new(Statue(World::new(symmetric_tree(), Params::default(), Method::Implicit).unwrap()));
    let refused = Stage::new(statue(), Settings::default()).unwrap_err();
    assert!(matches!(refused, StageError::Unsupported(_)));
    let said = "the solver `statue` does not support breaking (set fracture and detachment to false to do without); choose another one";
    assert_eq!(refused.to_string(), said);
    let quiet = Settings { fracture: false, detachment: false, ..Settings::default() };
    let mut stage = Stage::new(statue(), quiet).unwrap();
    assert!(matches!(stage.throw(ball()), Err(StageError::Unsupported(_))), "a ball that could hit a tree");
    assert!(matches!(stage.set_settings(Settings::default()), Err(StageError::Unsupported(_))));
    assert!(stage.cut(&[BodyId(3).into()]).is_err(), "cutting");
    let mut off = quiet;
    off.collisions.mode = windfall_stage::CollisionMode::Off;
    stage.set_settings(off).unwrap();
    stage.throw(ball()).unwrap();
    for _ in 0..30 {
        stage.step(1.0 / 30.0, &mut StepInput::new()).unwrap();
    }
    assert!(stage.bodies().iter().all(|body| body.position.y < 0.5), "the ball falls through the tree");
    let mut other = Stage::new(solver(Method::Implicit), Settings::default()).unwrap();
    assert!(matches!(other.replace_solver(statue()), Err(StageError::Unsupported(_))));
}
