//! Bodies that are too light for the precision beside the loads on them.

use std::sync::Arc;

use windfall_articulated::math::Real;
use windfall_articulated::{Method, Vectors};
use windfall_core::Plant;
use windfall_core::glam::DVec3;
use windfall_solver::Params;
use windfall_solver::{Actions, Wind};
use windfall_testkit::World;

use crate::kit::{self, damped_wood};
use crate::truth::{Rod, plants};

/// A body with hardly any mass moves with the wind in f32 as in f64, step by step: its resistance
/// determines its motion, even where the precision can't resolve its mass.
///
/// For 0.7 s: then leaves without mass flutter, and the initial difference (the mass that f32 needs, 1e-4
/// of the torque) has grown a hundred times after three seconds, in any precision.
#[test]
fn what_has_no_mass_goes_with_the_wind() {
    let plant = Arc::new(grown());
    let wind = windfall_wind::preset("breeze").expect("a preset").build().expect("it builds");
    let wind: Arc<dyn Wind> = Arc::new(wind);
    for (leaves, branches) in [(1e-4, 1.0), (0.0, 1.0), (0.0, 0.0)] {
        let mut params = Params::default();
        (params.leaves.density, params.branches.density) = (leaves, branches);
        let mut torques = blown::<f64>(&plant, &params, &wind, Vectors::Best);
        let truth: Vec<f64> = (0..21).map(|_| torques()).collect();
        for vectors in [Vectors::Best, Vectors::Avx2, Vectors::Least, Vectors::None] {
            let mut torques = blown::<f32>(&plant, &params, &wind, vectors);
            let off = truth.iter().map(|truth| (torques() / truth - 1.0).abs()).fold(0.0, f64::max);
            let name = format!("leaves x {leaves}, branches x {branches}, {vectors:?}: largest torque");
            kit::row(&name, "0", &format!("{off:.1e} of it"));
            assert!(off < 1e-3, "{name}: {off}");
        }
    }
}

#[derive(Debug)]
struct Steady(DVec3);

impl Wind for Steady {
    fn velocity(&self, _: DVec3, _: f64) -> DVec3 {
        self.0
    }
}

/// The foot of a thin pole without mass that yields to the wind carries the drag of quigley2017 (21):
/// `c rho v² 2 r L`, at half its height.
#[test]
fn the_foot_of_a_pole_without_mass_carries_the_drag() {
    let (length, radius, speed) = (1.0, 0.005, 8.0);
    let rod = Rod { length, base_radius: radius, tip_radius: radius, material: damped_wood(1e10, 0.01) };
    let plant = Arc::new(plants::cantilever(&rod, 16, DVec3::Y));
    let mut params = Params { gravity: DVec3::ZERO, ..Params::default() };
    params.branches.density = 0.0;
    let force = params.air.branches * params.air.density * speed * speed * 2.0 * radius * length;
    let wind: Arc<dyn Wind> = Arc::new(Steady(DVec3::X * speed));
    for vectors in [Vectors::Best, Vectors::Avx2, Vectors::Least, Vectors::None] {
        let mut torque = blown::<f32>(&plant, &params, &wind, vectors);
        let found = (0..120).map(|_| torque()).last().expect("steps");
        kit::row(&format!("{vectors:?}: torque, N m"), &format!("{:.5}", 0.5 * force * length), &format!("{found:.5}"));
        assert!((found / (0.5 * force * length) - 1.0).abs() < 5e-3, "{vectors:?}: {found}");
    }
}

/// Steps of 1/30 s; returns the largest torque of a joint for each.
fn blown<T: Real>(plant: &Arc<Plant>, params: &Params, wind: &Arc<dyn Wind>, vectors: Vectors) -> impl FnMut() -> f64 {
    let mut world = World::<T>::new(plant.clone(), params.clone(), Method::Implicit).expect("fine parameters");
    world.set_wind(Some(wind.clone()));
    world.set_vectors(vectors);
    move || {
        world.step(1.0 / 30.0, &Actions::default()).expect("a step");
        let torques = world.plant().body_ids().map(|body| world.joint_load(body).torque.length());
        torques.fold(0.0, f64::max)
    }
}

fn grown() -> Plant {
    let species = windfall_grow::Species::named("maple").expect("a species");
    windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(1500), seed: 2 }).expect("it grows")
}
