//! The fast path against the scalar one: trees of every shape, eight bodies at a time and body by body in
//! f32, both against f64.
//!
//! Bounds: all but one body in a thousand are at most twice as far from f64 as those of the scalar path,
//! and 2e-7 of the size of the plant; the rest five times, and 1e-6. A leaf that stands edge-on in the
//! wind amplifies a last digit by half in every step, in all ways and in f64 (docs/validation/wide.md).
//! The result depends on last digits, so a single run of the scalar path is not representative: the bound
//! uses the worst of three, in which gravity differs by a last digit.

use std::sync::Arc;

use windfall_articulated::{Method, Vectors};
use windfall_core::build::{Attachment, MaterialIndex, Node, PlantBuilder};
use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant, materials};
use windfall_solver::params::Fictitious;
use windfall_solver::{Actions, Base, Grab, Load, Wind};
use windfall_solver::{Params, Selection};
use windfall_testkit::World;

use super::kit;
use windfall_testkit::kit::grown;

fn straight(from: DVec3, to: DVec3, radius: f64, segments: usize) -> Vec<Node> {
    let node = |i: usize| Node {
        position: from.lerp(to, i as f64 / segments as f64),
        radius_before: radius,
        radius_after: radius,
    };
    (0..=segments).map(node).collect()
}

fn built(name: &str, fill: impl FnOnce(&mut PlantBuilder, Attachment, MaterialIndex)) -> Plant {
    let mut plant = PlantBuilder::new(name);
    let wood = plant.wood_material(materials::wood("sugar maple").unwrap().clone());
    let tree = plant.tree(name, DVec3::ZERO);
    fill(&mut plant, Attachment::Root(tree), wood);
    plant.finish().unwrap()
}

/// One branch of 10,000 segments.
fn chain() -> Plant {
    built("chain", |plant, root, wood| {
        plant.branch_of_nodes(root, wood, &straight(DVec3::ZERO, DVec3::Y * 20.0, 0.3, 10_000)).unwrap();
    })
}

/// 10,000 twigs on one stump.
fn star() -> Plant {
    built("star", |plant, root, wood| {
        let trunk = plant.branch_of_nodes(root, wood, &straight(DVec3::ZERO, DVec3::Y * 0.5, 0.2, 1)).unwrap();
        for i in 0..10_000 {
            let turn = f64::from(i) * 2.4;
            let out = DVec3::new(turn.cos(), 0.3, turn.sin()).normalize();
            let from = DVec3::Y * (0.05 + 4e-5 * f64::from(i)) + out * 0.2;
            let nodes = straight(from, from + out * 0.4, 0.003, 1);
            plant.branch_of_nodes(Attachment::Lateral(trunk), wood, &nodes).unwrap();
        }
    })
}

/// A trunk of 500 segments with a branch of four on each.
fn comb() -> Plant {
    built("comb", |plant, root, wood| {
        let trunk = plant.branch_of_nodes(root, wood, &straight(DVec3::ZERO, DVec3::Y * 8.0, 0.1, 500)).unwrap();
        for i in 0..500 {
            let from = DVec3::new(0.1, 0.016 * (f64::from(i) + 0.5), 0.0);
            let nodes = straight(from, from + DVec3::new(0.6, 0.1, 0.05), 0.006, 4);
            plant.branch_of_nodes(Attachment::Lateral(trunk), wood, &nodes).unwrap();
        }
    })
}

/// The actions on a tree during the comparison.
#[derive(Clone, Default)]
struct Trial {
    method: Method,
    params: Params,
    selection: Option<Selection>,
    cuts: Vec<BodyId>,
    is_moved: bool,
    /// Without wind, and without load and grab from the second step on.
    is_calm: bool,
    /// Increase of gravity, in last digits of f32.
    heavier: u32,
}

fn run<T: windfall_articulated::math::Real>(plant: &Arc<Plant>, trial: &Trial, vectors: Vectors) -> Vec<DVec3> {
    let mut world = World::<T>::new(plant.clone(), trial.params.clone(), trial.method).unwrap();
    world.set_vectors(vectors);
    if let Some(selection) = &trial.selection {
        world.select(selection.clone());
    }
    let wind: Arc<dyn Wind> = Arc::new(windfall_wind::preset("fresh-breeze").unwrap().build().unwrap());
    world.set_wind((!trial.is_calm).then_some(wind));
    world.set_gravity(trial.params.gravity * (1.0 + f64::from(f32::EPSILON) * f64::from(trial.heavier)));
    let count = plant.body_count() as u32;
    let pushed = BodyId(count / 3);
    let held = BodyId(count / 2);
    let target = world.motion(held).joint + DVec3::new(0.05, 0.02, -0.03);
    world.release_all(&trial.cuts);
    for i in 0..20 {
        let load = [Load::force(pushed, DVec3::ZERO, DVec3::new(0.2, 0.1, 0.0))];
        let grab = [Grab {
            body: held.into(),
            point: DVec3::ZERO,
            target,
            target_velocity: DVec3::ZERO,
            stiffness: 30.0,
            damping: 0.5,
        }];
        if trial.is_moved {
            let velocity = DVec3::X * 0.3;
            world.set_base(0, Base { position: velocity * (f64::from(i + 1) / 60.0), velocity, ..Base::default() });
        }
        let actions = Actions { loads: &load, grabs: &grab, touches: &[], ..Actions::default() };
        let is_calm = trial.is_calm && i > 0;
        world.step(1.0 / 60.0, &if is_calm { Actions::default() } else { actions }).unwrap();
    }
    plant.body_ids().map(|id| world.motion(id).center).collect()
}

/// With both methods.
fn compare(name: &str, plant: Plant, trial: &Trial) {
    let plant = Arc::new(plant);
    for method in [Method::Implicit, Method::Analytic] {
        compare_one(&format!("{method:?}, {name}"), &plant, &Trial { method, ..trial.clone() });
    }
}

/// Distances of bodies from their reference positions, m.
#[derive(Clone, Copy)]
struct Errors {
    largest: f64,
    /// Of all but one in a thousand.
    most: f64,
}

impl Errors {
    fn worse(self, other: Self) -> Self {
        Self { largest: self.largest.max(other.largest), most: self.most.max(other.most) }
    }
}

fn compare_one(name: &str, plant: &Arc<Plant>, trial: &Trial) {
    let truth = run::<f64>(plant, trial, Vectors::Best);
    let size = truth.iter().fold(0.0_f64, |size, at| size.max(at.length()));
    let errors_of = |trial: &Trial, vectors| {
        let found = run::<f32>(plant, trial, vectors);
        let mut errors: Vec<f64> = found.iter().zip(&truth).map(|(a, b)| a.distance(*b)).collect();
        assert!(errors.iter().all(|error| error.is_finite()), "{name}, {vectors:?}: not a number");
        errors.sort_by(f64::total_cmp);
        let last = errors.len() - 1;
        Errors { largest: errors[last], most: errors[last - errors.len() / 1000] }
    };
    let [wide, middle, least] = [Vectors::Best, Vectors::Avx2, Vectors::Least].map(|way| errors_of(trial, way));
    let narrow = [0, 1, 2].map(|heavier| errors_of(&Trial { heavier, ..trial.clone() }, Vectors::None));
    let narrow = narrow.into_iter().reduce(Errors::worse).expect("three");
    let text = |Errors { largest, most }: &Errors| format!("{largest:.1e} ({most:.1e})");
    kit::row(
        &format!("{name}: from f64, m (but for one body in a thousand)"),
        &format!("scalar, the worst of three {}", text(&narrow)),
        &format!("in lanes {}, with AVX2 {}, with the least instructions {}", text(&wide), text(&middle), text(&least)),
    );
    for (way, found) in [("in lanes", wide), ("with AVX2", middle), ("with the least instructions", least)] {
        let is_right =
            found.most <= 2.0 * narrow.most + 2e-7 * size && found.largest <= 5.0 * narrow.largest + 1e-6 * size;
        assert!(is_right, "{name}, {way}: {} and {} of {size}", text(&found), text(&narrow));
    }
}

#[test]
fn eight_lanes_are_as_right_as_one() {
    let kept = || Trial { params: Params { keep_shape: true, ..Params::default() }, ..Trial::default() };
    compare("chain of 10,000", chain(), &kept());
    compare("star of 10,000", star(), &kept());
    compare("comb", comb(), &kept());
    for species in ["maple", "apple", "spruce"] {
        compare(species, grown(species, 3000), &kept());
    }
    let (near, far) = (grown("maple", 1200), grown("apple", 1500));
    let two = Plant::together("two", &[(&near, DVec3::ZERO), (&far, DVec3::new(50.0, 0.0, 20.0))]).unwrap();
    compare("two trees", two, &kept());
    let sagging = Trial::default();
    compare("willow that sags", grown("willow", 2000), &sagging);
    let damped = Params { mass_damping: 1.5, keep_shape: true, ..Params::default() };
    compare("damped", grown("maple", 4000), &Trial { params: damped, ..Trial::default() });
    compare("on moving ground", grown("oak", 4000), &Trial { is_moved: true, ..kept() });
    compare("without wind", grown("maple", 3000), &Trial { is_calm: true, ..kept() });
    // All fictitious forces of `Analytic`, on ground that moves.
    let mut driven = kept();
    driven.params.fictitious = Fictitious { root: 1.0, linear: 0.1, angular: 0.1, coriolis: 0.2, gyroscopic: 0.2 };
    compare("driven", grown("oak", 2000), &Trial { is_moved: true, ..driven });
}

#[test]
fn what_goes_alone_is_right_beside_what_goes_together() {
    let plant = grown("maple", 4000);
    let cuts: Vec<BodyId> = (1..plant.segments().len() as u32).step_by(2).take(1000).map(BodyId).collect();
    let params = Params { keep_shape: true, ..Params::default() };
    compare("in pieces", plant, &Trial { params: params.clone(), cuts, ..Trial::default() });
    let order = Selection::Orders { highest: 2, foliage: false };
    compare(
        "selected",
        grown("oak", 4000),
        &Trial { params: params.clone(), selection: Some(order), ..Trial::default() },
    );
    let mut limited = params;
    limited.limits.branches.bend_degrees = Some(3.0);
    compare("limited", grown("maple", 4000), &Trial { params: limited, ..Trial::default() });
}

#[test]
fn eight_lanes_give_the_same_bits_on_any_number_of_threads() {
    let plant = Arc::new(grown("apple", 6000));
    for method in [Method::Implicit, Method::Analytic] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run::<f32>(&plant, &Trial { method, ..Trial::default() }, Vectors::Best))
        };
        assert_eq!(run(1), run(2), "{method:?}");
    }
}
