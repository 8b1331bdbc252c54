//! The conformance suite of Windfall's solvers, for all methods in both precisions, and for the stage
//! around each.

use std::sync::Arc;

use windfall_articulated::math::Real;
use windfall_articulated::{Method, World};
use windfall_conformance::{Tolerances, conformance_suite};
use windfall_core::Plant;
use windfall_free::Obstacles;
use windfall_solver::{Params, Solver};
use windfall_stage::{CollisionMode, Settings, Stage};

type Made = Box<dyn Solver>;

fn world<T: Real>(method: Method) -> impl Fn(&Arc<Plant>, &Params) -> Made + Sync {
    move |plant, params| Box::new(World::<T>::new(plant.clone(), params.clone(), method).unwrap())
}

/// A stage on which nothing breaks by itself and there are no obstacles: the checks release bodies
/// themselves, and expect free flight.
fn stage<T: Real>(method: Method) -> impl Fn(&Arc<Plant>, &Params) -> Made + Sync {
    let make = world::<T>(method);
    let mut settings = Settings { fracture: false, detachment: false, ..Settings::default() };
    settings.collisions.mode = CollisionMode::Off;
    move |plant, params| {
        let mut stage = Stage::new(make(plant, params), settings).unwrap();
        stage.set_obstacles(Obstacles::none());
        Box::new(stage)
    }
}

conformance_suite!(implicit_f32, Tolerances::default(), world::<f32>(Method::Implicit));
conformance_suite!(implicit_f64, Tolerances::default(), world::<f64>(Method::Implicit));
conformance_suite!(analytic_f32, analytic(), world::<f32>(Method::Analytic));
conformance_suite!(analytic_f64, analytic(), world::<f64>(Method::Analytic));
conformance_suite!(stage_around_implicit, Tolerances::default(), stage::<f32>(Method::Implicit));
conformance_suite!(stage_around_analytic, analytic(), stage::<f32>(Method::Analytic));
conformance_suite!(explicit_f64, explicit(), world::<f64>(Method::Explicit));
conformance_suite!(stage_around_explicit, explicit(), stage::<f64>(Method::Explicit));

/// Tolerances of all solvers.
pub fn stated() -> [Tolerances; 3] {
    [Tolerances::default(), analytic(), explicit()]
}

/// The closed form moves the composite of a joint as a rigid body: its static shapes are right, its
/// frequencies are not.
fn analytic() -> Tolerances {
    // A clamped rod of four segments oscillates 1.48 times as fast.
    Tolerances { frequency: 0.5, ..Tolerances::default() }
}

/// Forward Euler has nothing that holds a stiff spring: short steps, and no stiff hands.
fn explicit() -> Tolerances {
    Tolerances { step: 1e-4, stiffest_hand: 1e3, ..Tolerances::default() }
}
