//! The stages of a frame one by one: `cargo bench -p windfall`, or `cargo bench -p windfall -- step` for
//! those whose names contain "step".
//!
//! A maple of 20,000 bodies, f32, all threads; `windfall bench` measures whole steps of trees of any
//! size.

use std::sync::{Arc, LazyLock};

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use windfall::core::glam::DVec3;
use windfall::core::{Plant, Pose};
use windfall::prelude::*;
use windfall::solver::PoseRequest;
use windfall::stage::Settings;
use windfall::stage::reach::Reach;
use windfall::wind::{Points, Velocities, Wind, WindField, WindSpec};

const BODIES: usize = 20_000;
const STEP: f64 = 1.0 / 30.0;
/// Number of steps before the measurement.
const WARM_UP: usize = 15;

static PLANT: LazyLock<Arc<Plant>> = LazyLock::new(|| {
    let maple = Species::named("maple").expect("built in");
    Arc::new(grow(&maple, &GrowOptions { bodies: Some(BODIES), seed: 0 }).expect("grows"))
});

/// Every model of the wind, in TOML.
const WINDS: [(&str, &str); 11] = [
    ("uniform", "gusts = 0.2"),
    ("gust", "duration = 1e5"),
    ("profile", ""),
    ("grid", ""),
    ("wiggle", "swing = [[0, 0], [5, 2], [20, 1]]\nwind = { kind = 'grid' }"),
    ("perlin", ""),
    ("turbulence", ""),
    ("measured", "rows = [[0, 1, 2, 0], [1, 2, 2, 0], [2, 0, 1, 0]]"),
    ("sum", "winds = [{ kind = 'profile' }, { kind = 'turbulence' }]"),
    ("mask", "region = { shape = 'box', min = [-9, 0, -9], max = [9, 9, 9] }\nwind = { kind = 'uniform' }"),
    ("scale", "factor = [[0, 1], [9, 2]]\nwind = { kind = 'uniform' }"),
];

fn main() {
    divan::main();
}

fn air(kind: &str) -> WindField {
    let (_, rest) = WINDS.iter().find(|(name, _)| *name == kind).expect("a model of the list");
    WindSpec::from_toml(&format!("kind = '{kind}'\n{rest}")).and_then(|spec| spec.build()).expect("a valid wind")
}

fn solver(spec: SolverSpec) -> Box<dyn Solver> {
    let params = Params { keep_shape: true, ..Params::default() };
    spec.build(Arc::clone(&PLANT), &params).expect("valid parameters")
}

/// The wind grid of quigley2017 with its wiggle.
fn wiggle() -> Arc<dyn Wind> {
    Arc::new(air("wiggle"))
}

/// Items are points: all joints of the tree in one batch, on one thread.
#[divan::bench(args = WINDS.map(|(kind, _)| kind))]
fn wind_on_points(bencher: Bencher<'_, '_>, kind: &str) {
    let (air, rest) = (air(kind), Pose::rest(&PLANT));
    let [x, y, z] = [0, 1, 2].map(|axis| rest.positions.iter().map(|p| p[axis]).collect::<Vec<f32>>());
    let mut out = [vec![0.0; BODIES], vec![0.0; BODIES], vec![0.0; BODIES]];
    let mut time = 0.0;
    bencher.counter(ItemsCount::new(BODIES)).bench_local(|| {
        let [u, v, w] = &mut out;
        time += STEP;
        air.velocities(time, Points::new(&x, &y, &z), Velocities::new(u, v, w));
        black_box(&out);
    });
}

const NAMES: [&str; 2] = [SOLVERS[0].name, SOLVERS[1].name];

fn named(name: &str) -> Box<dyn Solver> {
    solver(name.parse().expect("a solver of the list"))
}

/// Steps of a solver, after some that set the tree in motion; items are bodies.
fn steps(bencher: Bencher<'_, '_>, solver: &mut dyn Solver, wind: Option<&Arc<dyn Wind>>) {
    // Without wind a push sets the tree in motion.
    let push = [Load::force(solver.plant().segment_id(1), DVec3::ZERO, DVec3::new(300.0, 0.0, 100.0))];
    for _ in 0..WARM_UP {
        solver.step(STEP, &mut StepInput::new().wind(wind).loads(&push)).expect("a valid step");
    }
    bencher
        .counter(ItemsCount::new(BODIES))
        .bench_local(|| solver.step(STEP, &mut StepInput::new().wind(wind)).expect("a valid step"));
}

#[divan::bench(args = NAMES)]
fn step_without_wind(bencher: Bencher<'_, '_>, name: &str) {
    steps(bencher, &mut *named(name), None);
}

#[divan::bench(args = NAMES)]
fn step_with_wind(bencher: Bencher<'_, '_>, name: &str) {
    steps(bencher, &mut *named(name), Some(&wiggle()));
}

/// The same step on a stage, with and without the tests for breaking and detachment: the difference is
/// their cost.
#[divan::bench(args = [false, true])]
fn step_of_stage_with_breaking(bencher: Bencher<'_, '_>, tested: bool) {
    let mut solver = named(NAMES[0]);
    let mut params = solver.params().clone();
    for class in [&mut params.branches, &mut params.leaves, &mut params.fruit] {
        class.strength = f64::INFINITY;
    }
    solver.set_params(&params).expect("valid parameters");
    let settings = Settings { fracture: tested, detachment: tested, ..Settings::default() };
    steps(bencher, &mut Stage::new(solver, settings).expect("valid settings"), Some(&wiggle()));
}

#[divan::bench]
fn pose(bencher: Bencher<'_, '_>) {
    let mut solver = named(NAMES[0]);
    solver.step(STEP, &mut StepInput::new().wind(Some(&wiggle()))).expect("a valid step");
    let mut pose = Pose::rest(&PLANT);
    bencher.counter(ItemsCount::new(BODIES)).bench_local(|| solver.write_pose(PoseRequest::default(), &mut pose));
}

/// Items are vertices; for a tree that fills the picture.
#[divan::bench]
fn deform_skin(bencher: Bencher<'_, '_>) {
    // Small textures: they do not depend on the motion.
    let paint = PaintOptions { bark: 64, twig: 64, leaf: 64, fruit: 64, seed: 1 };
    let skin = skin(&PLANT, &Look::of(&PLANT), &Detail::level(&PLANT, 1), &paint);
    let (rest, mut solver) = (Pose::rest(&PLANT), named(NAMES[0]));
    solver.step(STEP, &mut StepInput::new().wind(Some(&wiggle()))).expect("a valid step");
    let pose = solver.pose();
    let mut motion = Motion::new(&rest, &pose);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    bencher.counter(ItemsCount::new(skin.vertex_count())).bench_local(|| {
        motion.update(&rest, &pose);
        for part in &skin.trees[0].parts {
            motion.deform(&part.mesh, &mut positions, &mut normals);
        }
        black_box((&positions, &normals));
    });
}

#[divan::bench]
fn build_solver(bencher: Bencher<'_, '_>) {
    LazyLock::force(&PLANT);
    bencher.counter(ItemsCount::new(BODIES)).bench_local(|| named(NAMES[0]));
}

#[divan::bench]
fn build_reach(bencher: Bencher<'_, '_>) {
    LazyLock::force(&PLANT);
    bencher.counter(ItemsCount::new(BODIES)).bench_local(|| Reach::new(&PLANT));
}

/// Search for the bodies that a ball of 4 cm may touch. Items are balls, all over the crown.
#[divan::bench]
fn prune_by_reach(bencher: Bencher<'_, '_>) {
    let (reach, rest) = (Reach::new(&PLANT), Pose::rest(&PLANT));
    let balls: Vec<_> = rest.positions.iter().step_by(BODIES / 100).copied().collect();
    let mut stack = Vec::new();
    bencher.counter(ItemsCount::new(balls.len())).bench_local(|| {
        let mut looked = 0;
        for &ball in &balls {
            for &root in reach.roots() {
                looked += reach.visit(root, &mut stack, |body, radius| {
                    f64::from(rest.positions[body.0 as usize].distance(ball)) <= radius + 0.04
                });
            }
        }
        looked
    });
}
