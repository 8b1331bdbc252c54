//! What broke off lands, bounces little, slides as friction allows, and lies still.

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Solver};
use windfall_dynamics::free::{Obstacles, Shape, Surface};
use windfall_dynamics::math::Real;
use windfall_dynamics::stage::Stage;
use windfall_dynamics::stage::reach::collision_shape;
use windfall_dynamics::{Method, Params};

use super::truth::plants;
use super::{BOTH, kit, rod, stage};

/// The lowest point of all bodies, m.
fn lowest(stage: &Stage<f64>) -> f64 {
    let plant = stage.plant();
    plant
        .body_ids()
        .map(|id| {
            let (shape, origin) = collision_shape(plant, id);
            let motion = stage.motion(id);
            let at = motion.joint + motion.orientation * origin;
            match shape {
                Shape::Capsule { half_length, radius } => {
                    at.y - (motion.orientation * DVec3::Y).y.abs() * half_length - radius
                }
                Shape::Sphere { radius } => at.y - radius,
                _ => at.y,
            }
        })
        .fold(f64::INFINITY, f64::min)
}

fn kinetic(stage: &Stage<f64>) -> f64 {
    stage.world().energy().kinetic
}

#[test]
fn a_log_falls_lands_and_lies_still() {
    let rod = super::truth::rod::Rod { material: kit::damped_wood(1e10, 0.01), ..rod(1.0, 0.03) };
    let plant = plants::cantilever(&rod, 4, DVec3::new(1.0, 1.0, 0.2));
    for method in BOTH {
        for dt in [1.0 / 30.0, 1.0 / 120.0] {
            let mut stage = stage::<f64>(&plant, Params::default(), method);
            let mut ground = Obstacles::none();
            ground.set_ground(-1.5, Surface::default()).unwrap();
            stage.set_obstacles(ground);
            stage.cut(&[BodyId(0)]).unwrap();
            super::run(&mut stage, dt, 4.0);
            let (deep, energy) = (lowest(&stage) + 1.5, kinetic(&stage));
            assert!(deep > -0.02 && deep < 0.02, "{method:?} {dt}: {deep} m");
            assert!(energy < 1e-3, "{method:?} {dt}: {energy} J");
        }
    }
}

#[test]
fn a_crown_that_breaks_off_comes_to_rest_on_its_twigs() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.05));
    for method in BOTH {
        let params = Params { keep_shape: true, mass_damping: 0.5, ..Params::default() };
        let mut stage = stage::<f64>(&plant, params, method);
        let mut settings = *stage.settings();
        settings.detachment = false;
        // Here the ground alone catches it, and not the stump, half a metre above.
        settings.collisions.pieces = false;
        stage.set_settings(settings).unwrap();
        stage.cut(&[BodyId(1)]).unwrap();
        super::run(&mut stage, 1.0 / 30.0, 6.0);
        let (deep, energy) = (lowest(&stage), kinetic(&stage));
        assert!(deep > -0.03 && deep < 0.03, "{method:?}: {deep} m");
        assert!(energy < 1e-3, "{method:?}: {energy} J");
    }
}

#[test]
fn a_log_slides_as_far_as_friction_lets_it() {
    // v^2 / (2 mu g), from a level start.
    let rod = super::truth::rod::Rod { material: kit::damped_wood(1e10, 0.01), ..rod(1.0, 0.03) };
    let plant = plants::cantilever(&rod, 4, DVec3::X);
    let mu = 0.4;
    let mut stage = stage::<f64>(&plant, Params::default(), Method::Implicit);
    let mut settings = *stage.settings();
    (settings.collisions.friction, settings.collisions.restitution) = (mu, 0.0);
    stage.set_settings(settings).unwrap();
    let mut ground = Obstacles::none();
    ground.set_ground(-0.03, Surface { friction: mu, restitution: 0.0, rolling: 0.0 }).unwrap();
    stage.set_obstacles(ground);
    let v = 2.0;
    // On a cart that moves, and then lets it go.
    let base = windfall_core::Base { velocity: DVec3::X * v, ..windfall_core::Base::default() };
    stage.set_base(0, base);
    stage.step(1.0 / 120.0, &windfall_core::Actions::default()).unwrap();
    stage.cut(&[BodyId(0)]).unwrap();
    let start = stage.world().momentum(1);
    super::run(&mut stage, 1.0 / 120.0, 2.0);
    let end = stage.world().momentum(1);
    let slid = end.center.x - start.center.x;
    let theory = start.velocity().x.powi(2) / (2.0 * mu * 9.81);
    kit::row("how far a log slides, m", &format!("{theory:.3}"), &format!("{slid:.3}"));
    assert!((slid / theory - 1.0).abs() < 0.05, "{slid} m, not {theory}");
    assert!(end.velocity().length() < 1e-2, "{:?}", end.velocity());
}

/// A rod of one segment that falls by a metre and bounces with e = 0.2 comes nowhere near its old height again, and not far.
fn fall_of_a_twig<T: Real>() {
    for method in BOTH {
        for dt in [1e-3, 1.0 / 120.0, 1.0 / 30.0, 0.1] {
            for (length, radius) in [(0.02, 0.0005), (0.2, 0.001), (0.2, 0.003), (1.0, 0.005), (1.0, 0.03)] {
                let plant = plants::cantilever(&rod(length, radius), 1, DVec3::new(1.0, 0.3, 0.2));
                let mut stage = stage::<T>(&plant, Params::default(), method);
                let mut ground = Obstacles::none();
                ground.set_ground(-1.0, Surface::default()).unwrap();
                stage.set_obstacles(ground);
                stage.cut(&[BodyId(0)]).unwrap();
                for i in 0..(3.0 / dt) as usize {
                    stage.step(dt, &windfall_core::Actions::default()).unwrap();
                    let height = stage.motion(BodyId(0)).center.y + 1.0;
                    // 0.45 s of falling. One end first, a rod may turn and rise by some of its length.
                    let most = 0.25 + 0.5 * length;
                    assert!(
                        i as f64 * dt < 0.6 || height < most,
                        "{method:?} {dt} s, {length} by {radius} m: {height} m"
                    );
                }
                let center = stage.motion(BodyId(0)).center;
                assert!(
                    center.y > -1.02 && center.y < -0.7 && center.length() < 3.0,
                    "{method:?} {dt} {length} {radius}: {center}"
                );
            }
        }
    }
}

#[test]
fn twigs_that_land_are_not_thrown_up_again() {
    fall_of_a_twig::<f64>();
    fall_of_a_twig::<f32>();
}

#[test]
fn a_tree_that_topples_lies_still_with_all_its_leaves() {
    let plant = super::grown("apple", 600);
    let high = plant.body_ids().map(|id| plant.rest_position(id).y).fold(0.0, f64::max);
    for method in BOTH {
        let mut params = Params { keep_shape: true, ..Params::default() };
        for strength in [&mut params.branches.strength, &mut params.leaves.strength, &mut params.fruit.strength] {
            *strength = f64::INFINITY;
        }
        let mut stage = stage::<f64>(&plant, params, method);
        stage.cut(&[BodyId(0)]).unwrap();
        super::run(&mut stage, 1.0 / 30.0, 6.0);
        let piece = stage.world().momentum(1);
        assert!(piece.center.y > 0.0 && piece.center.length() < high, "{method:?}: {}", piece.center);
        assert!(piece.velocity().length() < 0.1, "{method:?}: {}", piece.velocity());
    }
}
