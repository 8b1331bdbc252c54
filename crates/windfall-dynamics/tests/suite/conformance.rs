//! The suite that every solver of Windfall runs, for both solvers in both precisions.

use windfall_core::{Plant, conformance_suite};
use windfall_dynamics::{Method, Params, World};

fn world<T: windfall_dynamics::math::Real>(method: Method) -> impl Fn(&Plant) -> World<T> {
    move |plant| World::new(plant.clone(), Params::default(), method).unwrap()
}

conformance_suite!(implicit_f32, world::<f32>(Method::Implicit));
conformance_suite!(implicit_f64, world::<f64>(Method::Implicit));
conformance_suite!(analytic_f32, world::<f32>(Method::Analytic));
conformance_suite!(analytic_f64, world::<f64>(Method::Analytic));
