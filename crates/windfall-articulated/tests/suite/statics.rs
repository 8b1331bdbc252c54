//! Both solvers come to rest in the shapes of theory: the elastica for rods, the minimum of the potential
//! energy for trees.

use crate::truth;

use crate::lab::{apart, settle, state_of, tip, unrest};
use crate::truth::elastica::bend;
use crate::truth::{Reference, Rod, RodLoad, plants, rod, statics};
use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant, WoodMaterial};
use windfall_solver::Load;
use windfall_solver::Params;
use windfall_testkit::World;

/// Enough damping to come to rest in seconds; the equilibrium does not depend on it.
fn calming(alpha: f64) -> Params {
    Params { mass_damping: alpha, ..Params::default() }
}

fn damped(youngs_modulus: f64) -> WoodMaterial {
    WoodMaterial { damping: 0.05, ..rod::wood(youngs_modulus) }
}

/// Equilibrium position of the tip of a chain, in the plane, m.
fn rest<T: Real>(rod: &Rod, n: usize, angle: f64, force: [f64; 2], method: Method, still: f64) -> [f64; 2] {
    let plant = plants::cantilever(rod, n, DVec3::new(angle.cos(), angle.sin(), 0.0));
    let last = BodyId(n as u32 - 1);
    let end = truth::local_tip(&plant, last);
    let load = Load::force(last, end, DVec3::new(force[0], force[1], 0.0));
    let mut world = World::<T>::new(plant, calming(8.0), method).unwrap();
    settle(&mut world, 1.0 / 60.0, &[load], still, 0.0);
    let tip = tip(&world, last);
    [tip.x, tip.y]
}

/// Error of the tip over its displacement.
fn sag_error<T: Real>(rod: &Rod, n: usize, angle: f64, force: [f64; 2], method: Method, still: f64) -> f64 {
    let truth = bend(rod, angle, RodLoad { gravity: 9.81, tip_force: force }).tip;
    let ours = rest::<T>(rod, n, angle, force, method, still);
    let moved = (truth[0] - angle.cos()).hypot(truth[1] - angle.sin());
    (ours[0] - truth[0]).hypot(ours[1] - truth[1]) / moved
}

/// Name, rod, clamp angle above the horizontal, force at the tip.
fn sags() -> Vec<(&'static str, Rod, f64, [f64; 2])> {
    let rod = Rod { material: damped(1e9), ..Rod::soft() };
    let tapered = rod.clone().tapered(0.4);
    vec![
        ("horizontal, own weight", rod.clone(), 0.0, [0.0, 0.0]),
        ("horizontal, own weight and 2 N down at the tip", rod.clone(), 0.0, [0.0, -2.0]),
        ("1 rad up, own weight", rod.clone(), 1.0, [0.0, 0.0]),
        ("0.6 rad down, own weight and a force at the tip forward and up", rod, -0.6, [0.3, 0.5]),
        ("tapered, horizontal, own weight", tapered.clone(), 0.0, [0.0, 0.0]),
        ("tapered, 1 rad up, own weight and 0.2 N down at the tip", tapered, 1.0, [0.0, -0.2]),
    ]
}

#[test]
fn rods_sag_like_the_elastica() {
    for method in [Method::Implicit, Method::Analytic] {
        for (name, rod, angle, force) in sags() {
            let errors = [8, 16, 32, 64].map(|n| sag_error::<f64>(&rod, n, angle, force, method, 1e-9));
            let percent = errors.map(|e| format!("{:.4} %", 100.0 * e)).join(" | ");
            println!("| {method:?} | {name} | {percent} |");
            assert!(errors[2] < 0.01, "{method:?}, {name}: {errors:?}");
            // The joint rule is of second order in the length of a segment.
            for pair in errors.windows(2).skip(1) {
                assert!((3.6..4.4).contains(&(pair[0] / pair[1])), "{method:?}, {name}: {errors:?}");
            }
        }
    }
}

#[test]
fn rods_sag_like_the_elastica_in_single_precision() {
    for method in [Method::Implicit, Method::Analytic] {
        let (name, rod, angle, force) = sags().swap_remove(1);
        let double = rest::<f64>(&rod, 32, angle, force, method, 1e-9);
        let single = rest::<f32>(&rod, 32, angle, force, method, 1e-3);
        let off = (double[0] - single[0]).hypot(double[1] - single[1]);
        println!("| {method:?}, f32 against f64 | {name}, 32 segments | {off:.1e} m |");
        // 32 joints of relative precision 6e-8 each, of a sag of 0.8 m.
        assert!(off < 32.0 * f64::from(f32::EPSILON), "{method:?}: {off:e} m");
    }
}

/// The largest difference of any joint angle from the equilibrium of the reference, and the largest angle
/// there.
fn tree_error<T: Real>(plant: &Plant, method: Method, loads: &[Load], still: f64, least: f64) -> (f64, f64) {
    let reference = Reference::new(plant);
    let truth = statics::equilibrium(&reference, loads);
    let mut params = calming(6.0);
    // With the stalks of the library fruit would swing for half a minute.
    (params.leaves.damping, params.fruit.damping) = (5.0, 5.0);
    let mut world = World::<T>::new(plant.clone(), params, method).unwrap();
    settle(&mut world, 1.0 / 60.0, loads, still, least);
    assert!(unrest(&world) < still);
    (apart(&state_of(&reference, &world), &truth), apart(&reference.rest_state(), &truth))
}

/// The trees, and the rotation of their joints under weight.
fn trees() -> [(&'static str, Plant); 4] {
    [
        ("forked, E = 1 GPa", plants::forked(&damped(1e9))),
        ("leafy, E = 1 GPa", plants::leafy(&damped(1e9))),
        ("forked, E = 30 MPa", plants::forked(&damped(3e7))),
        ("leafy, E = 30 MPa", plants::leafy(&damped(3e7))),
    ]
}

#[test]
fn trees_come_to_rest_in_their_equilibrium() {
    for method in [Method::Implicit, Method::Analytic] {
        for (name, plant) in trees() {
            let side = Load::force(BodyId(4), DVec3::Y * 0.1, DVec3::new(0.02, 0.01, 0.03));
            for (load, loads) in [("own weight", &[][..]), ("and a pull sideways on an arm", &[side])] {
                let (error, largest) = tree_error::<f64>(&plant, method, loads, 1e-10, 60.0);
                println!("| {method:?} | {name}, {load} | {largest:.4} rad | {error:.1e} rad |");
                assert!(error < 1e-6, "{method:?}, {name}, {load}: {error:e} rad");
            }
        }
    }
}

#[test]
fn trees_come_to_rest_in_their_equilibrium_in_single_precision() {
    for method in [Method::Implicit, Method::Analytic] {
        for (name, plant) in trees() {
            // The soft ones are near buckling and creep for minutes; rounding prevents complete rest.
            let (error, largest) = tree_error::<f32>(&plant, method, &[], 1e-4, 300.0);
            println!("| {method:?}, f32 | {name} | {largest:.4} rad | {error:.1e} rad |");
            assert!(error < 2e-5, "{method:?}, {name}: {error:e} rad");
        }
    }
}
