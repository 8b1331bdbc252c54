//! Air loads on bodies: the laws of quigley2017 (21) to (24), their derivatives, and the loads on the
//! tree.

use crate::kit;

use std::sync::Arc;

use crate::kit::damped_wood;
use crate::truth::{Rod, plants};
use proptest::prelude::*;
use windfall_articulated::Method;
use windfall_articulated::air::{AeroLoad, LeafAir, Sail, aero_load};
use windfall_articulated::math::{Sym3, Vec3};
use windfall_core::glam::{DMat3, DQuat, DVec3};
use windfall_core::{Body, BodyId, Plant};
use windfall_solver::Wind;
use windfall_solver::{Params, Selection};
use windfall_testkit::World;

const BOTH: [Method; 2] = [Method::Implicit, Method::Analytic];

#[derive(Debug)]
struct Steady(DVec3);

impl Wind for Steady {
    fn velocity(&self, _: DVec3, _: f64) -> DVec3 {
        self.0
    }
}

/// Air that starts smoothly, within 0.4 s.
#[derive(Debug)]
struct Rising(DVec3);

impl Wind for Rising {
    fn velocity(&self, _: DVec3, time: f64) -> DVec3 {
        self.0 * (0.5 - 0.5 * (time / 0.4 * std::f64::consts::PI).cos())
    }
}

/// Air that blows harder at the top, and turns with time.
#[derive(Debug)]
struct Shear;

impl Wind for Shear {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        DVec3::new((2.0 * time).cos(), 0.1, (2.0 * time).sin()) * (3.0 + 4.0 * point.y)
    }
}

fn in_wind(plant: &Plant, params: Params, method: Method, wind: impl Wind + 'static) -> World<f64> {
    let mut world = World::new(plant.clone(), params, method).unwrap();
    world.set_wind(Some(Arc::new(wind)));
    world
}

fn full(s: Sym3<f64>) -> DMat3 {
    let column = |i| s.full().column(i).f64();
    DMat3::from_cols(column(0), column(1), column(2))
}

/// Least eigenvalue of the symmetric part.
fn least_eigenvalue(m: DMat3) -> f64 {
    let s = (m + m.transpose()) * 0.5;
    nalgebra::Matrix3::from_fn(|i, j| s.col(j)[i]).symmetric_eigenvalues().min()
}

fn sail(plant: &Plant, params: &Params, id: BodyId) -> Sail<f64> {
    Sail::new(plant, id, &params.air, params.values(plant)[id.0 as usize].mass_scale)
}

/// Air load on a body of a plant, in its axes.
fn blow_on(plant: &Plant, params: &Params, id: BodyId, v: DVec3) -> AeroLoad<f64> {
    let mass = plant.mass_properties(id).mass;
    aero_load((&sail(plant, params, id), &LeafAir::of(&params.air)), mass, Vec3::of(v))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// dF/dv by differences: for wood and fruit exactly the drag, for leaves at most the drag.
    #[test]
    fn drag_is_how_the_force_changes(v in prop::array::uniform3(-20.0..20.0_f64), phi in -90.0..90.0_f64) {
        let plant = plants::leafy(&damped_wood(1e9, 0.0));
        let mut params = Params::default();
        params.air.leaves.spiral_degrees = phi;
        let v = DVec3::from(v);
        for id in [BodyId(0), BodyId(10), BodyId(16)] {
            let force = |v: DVec3| blow_on(&plant, &params, id, v).force.f64();
            let step = 1e-5;
            let column = |e: DVec3| (force(v + e * step) - force(v - e * step)) / (2.0 * step);
            let derivative = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
            let drag = full(blow_on(&plant, &params, id, v).drag);
            let size = drag.col(0).length() + drag.col(1).length() + drag.col(2).length();
            prop_assert!(least_eigenvalue(drag) > -1e-9 * size);
            if matches!(plant.body(id), Some(Body::Leaf(_))) {
                prop_assert!(least_eigenvalue(drag - derivative) > -1e-6 * size, "leaf in {v}");
            } else {
                let error = drag - derivative;
                prop_assert!((0..3).all(|i| error.col(i).length() < 1e-6 * size), "body {} in {v}", id.0);
            }
        }
    }

    /// The change of the torque about the joint as a leaf turns, by differences, is within the bound that
    /// the step takes implicitly.
    #[test]
    fn the_stiffness_of_a_leaf_bounds_how_its_torque_changes(v in prop::array::uniform3(-20.0..20.0_f64), phi in -90.0..90.0_f64) {
        let plant = plants::leafy(&damped_wood(1e9, 0.0));
        let mut params = Params::default();
        params.air.leaves.spiral_degrees = phi;
        let sail = sail(&plant, &params, BodyId(10));
        let v = DVec3::from(v);
        // In the initial axes of the leaf; the air does not change.
        let torque = |turn: DVec3| {
            let q = DQuat::from_scaled_axis(turn);
            let blow = blow_on(&plant, &params, BodyId(10), q.inverse() * v);
            q * (sail.center.f64().cross(blow.force.f64()) + blow.torque.f64())
        };
        let step = 1e-5;
        let column = |e: DVec3| -(torque(e * step) - torque(-e * step)) / (2.0 * step);
        let stiffness = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        let bound = DMat3::from_diagonal(blow_on(&plant, &params, BodyId(10), v).stiffness.f64());
        let size = bound.col(0).x + bound.col(1).y + bound.col(2).z;
        prop_assert!(least_eigenvalue(bound - stiffness) > -1e-6 * size, "{v}");
        prop_assert!(least_eigenvalue(bound + stiffness) > -1e-6 * size, "{v}");
    }
}

/// The foot of a rigid tapered pole carries the load of (21), integrated over its height by quadrature.
#[test]
fn the_foot_of_a_pole_carries_the_drag() {
    let (length, base, tip, speed) = (2.0, 0.05, 0.01, 12.0);
    let rod = Rod { length, base_radius: base, tip_radius: tip, material: damped_wood(1e9, 0.0) };
    let plant = plants::cantilever(&rod, 16, DVec3::Y);
    let mut params = Params { gravity: DVec3::ZERO, ..Params::default() };
    params.branches.stiffness = f64::INFINITY;
    let pressure = params.air.branches * params.air.density * speed * speed;
    let slices = 10_000;
    let (mut force, mut moment) = (0.0, 0.0);
    for i in 0..slices {
        let s = length * (f64::from(i) + 0.5) / f64::from(slices);
        let slice = pressure * 2.0 * (base + (tip - base) * s / length) * length / f64::from(slices);
        force += slice;
        moment += slice * s;
    }
    for method in BOTH {
        let mut world = in_wind(&plant, params.clone(), method, Steady(DVec3::new(speed, 3.0, 0.0)));
        kit::run(&mut world, 1.0 / 60.0, 5);
        let load = world.joint_load(BodyId(0));
        // The foot resists the wind; wind along the pole has no effect.
        assert!((load.force.length() / force - 1.0).abs() < 1e-3, "{method:?}: {} N instead of {force}", load.force);
        assert!((load.torque.length() / moment - 1.0).abs() < 5e-3, "{method:?}: {} N m, not {moment}", load.torque);
    }
}

/// A leaf with no load but drag is a weather vane: wind that meets it face on turns it downwind.
#[test]
fn leaves_stream_downwind() {
    let plant = plants::leafy(&damped_wood(1e11, 0.01));
    let mut params = Params { gravity: DVec3::ZERO, ..Params::default() };
    params.air.leaves.torque = 0.0;
    params.leaves.stiffness = 0.01;
    for method in BOTH {
        for id in plant.body_ids().filter(|&id| matches!(plant.body(id), Some(Body::Leaf(_)))) {
            let normal = plant.rest_orientation(id) * DVec3::Z;
            let mut world = in_wind(&plant, params.clone(), method, Steady(normal * 8.0));
            // Later it flutters: at about two seconds sway and twist have begun to excite each other.
            kit::run(&mut world, 1.0 / 60.0, 60);
            let along = world.motion(id).orientation * DVec3::Y;
            assert!(along.dot(normal) > 0.9, "{method:?}: leaf {} points to {along} in wind to {normal}", id.0);
        }
    }
}

/// Leaves have bounds of drag and springs along their axes in the implicit terms: the bounds do not
/// reduce the order.
#[test]
fn halving_the_step_quarters_the_error_of_leaves_in_wind() {
    let plant = plants::leafy(&damped_wood(1e9, 0.01));
    let leaves: Vec<BodyId> = plant.body_ids().filter(|&id| matches!(plant.body(id), Some(Body::Leaf(_)))).collect();
    kit::title(
        "leaves of the leafy tree, 0.4 s in wind that rises to 6 m/s, steps of 1/60 s and less: error of their directions (rad)",
    );
    let run = |method: Method, steps: usize| {
        let mut world = in_wind(&plant, Params::default(), method, Rising(DVec3::new(6.0, 1.0, 2.0)));
        kit::run(&mut world, 0.4 / steps as f64, steps);
        leaves.iter().map(|&id| world.motion(id).orientation).collect::<Vec<_>>()
    };
    let truth = run(Method::Implicit, 24 << 9);
    let error = |method: Method, steps: usize| {
        let angles = run(method, steps).into_iter().zip(&truth).map(|(a, b)| a.angle_between(*b));
        let error = angles.fold(0.0, f64::max);
        kit::row(&format!("{method:?}, 1/{:.0} s", steps as f64 / 0.4), "", &format!("{error:.2e}"));
        error
    };
    let errors = [0, 1, 2, 3, 4].map(|halvings| error(Method::Implicit, 24 << halvings));
    for pair in errors[1..].windows(2) {
        assert!(pair[0] / pair[1] > 3.0, "{errors:?}");
    }
    // Forward Euler has no implicit terms at all. It converges to the same motion, at first order, so the
    // bounds do not change the limit.
    let errors = [10, 11].map(|halvings| error(Method::Explicit, 24 << halvings));
    for pair in errors.windows(2) {
        assert!((1.8..2.2).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

/// A light leaf in a storm, one step per frame: it never outruns the wind by far, and nothing leaves the
/// range of numbers.
#[test]
fn light_leaves_survive_a_storm() {
    let plant = plants::leafy(&damped_wood(1e10, 0.01));
    let leaf = BodyId(10);
    for method in BOTH {
        for (speed, dt) in [(60.0, 1.0 / 30.0), (200.0, 1.0 / 30.0), (60.0, 0.1), (60.0, 1e-3)] {
            let mut params = Params::default();
            params.leaves.density = 5e-5 / plant.mass_properties(leaf).mass;
            let mut world = World::<f32>::new(plant.clone(), params, method).unwrap();
            world.set_wind(Some(Arc::new(Steady(DVec3::X * speed))));
            for _ in 0..600 {
                kit::run(&mut world, dt, 1);
                let motion = world.motion(leaf);
                assert!(motion.velocity.is_finite() && motion.joint.length() < 5.0, "{method:?}, {speed} m/s, {dt} s");
            }
        }
    }
}

/// Wind on bodies that are not simulated loads their carriers.
#[test]
fn what_rides_along_catches_the_wind_too() {
    let plant = plants::leafy(&damped_wood(1e9, 0.01));
    let mut params = Params { gravity: DVec3::ZERO, ..Params::default() };
    for class in [&mut params.branches, &mut params.leaves, &mut params.fruit] {
        class.stiffness = f64::INFINITY;
    }
    for method in BOTH {
        let foot = |selection: Selection| {
            let mut world = in_wind(&plant, params.clone(), method, Steady(DVec3::X * 10.0));
            world.select(selection);
            kit::run(&mut world, 1.0 / 60.0, 3);
            world.joint_load(BodyId(0)).force
        };
        let (all, one) = (foot(Selection::All), foot(Selection::Bodies(vec![true])));
        // Leaves and fruit are exact; wood has its mean over the directions of the wind.
        assert!((all - one).length() < 0.05 * all.length(), "{method:?}: {all} and {one} N");
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let species = windfall_grow::Species::named("maple").unwrap();
    let options = windfall_grow::GrowOptions { bodies: Some(3000), seed: 3 };
    let plant = windfall_grow::grow(&species, &options).unwrap();
    for method in BOTH {
        let mut poses = Vec::new();
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            poses.push(pool.install(|| {
                let mut world = World::<f32>::new(plant.clone(), Params::default(), method).unwrap();
                world.set_wind(Some(Arc::new(Shear)));
                kit::run(&mut world, 1.0 / 30.0, 30);
                world.pose()
            }));
        }
        assert!(poses[0] == poses[1] && poses[0] == poses[2], "{method:?}");
    }
}

/// Air velocities that are not a number count as still air.
#[test]
fn wind_that_is_not_a_number_is_still_air() {
    let plant = plants::leafy(&damped_wood(1e9, 0.01));
    let mut broken = in_wind(&plant, Params::default(), Method::Implicit, Steady(DVec3::NAN));
    let mut still = in_wind(&plant, Params::default(), Method::Implicit, Steady(DVec3::ZERO));
    kit::run(&mut broken, 1.0 / 60.0, 60);
    kit::run(&mut still, 1.0 / 60.0, 60);
    assert_eq!(broken.pose(), still.pose());
}

#[test]
fn nothing_in_a_tree_gets_faster_than_twice_the_wind_at_a_step_per_frame() {
    // A fluttering leaf does reach that, at steps of 2 ms, too.
    let species = windfall_grow::Species::named("maple").unwrap();
    let plant = windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(1200), seed: 3 }).unwrap();
    for method in BOTH {
        for speed in [10.0, 25.0, 60.0] {
            let params = Params { keep_shape: true, ..Params::default() };
            let mut world: World<f32> = World::new(plant.clone(), params, method).unwrap();
            world.set_wind(Some(Arc::new(Steady(DVec3::X * speed))));
            let mut fastest = 0.0_f64;
            for _ in 0..90 {
                kit::run(&mut world, 1.0 / 30.0, 1);
                fastest = plant.body_ids().map(|id| world.motion(id).velocity.length()).fold(fastest, f64::max);
            }
            assert!(fastest < 2.0 * speed, "{method:?}: {fastest} m/s in a wind of {speed} m/s");
        }
    }
}
