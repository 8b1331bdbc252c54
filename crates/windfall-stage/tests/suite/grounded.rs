//! Broken-off pieces land, bounce little, slide as friction allows, and come to rest.

use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::BodyId;
use windfall_core::glam::DVec3;
use windfall_free::{Obstacles, Shape, Surface};
use windfall_solver::Params;
use windfall_stage::reach::collision_shape;
use windfall_testkit::Stage;

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

/// A cut-off log at this height above the ground, tilted by this many degrees towards a direction.
fn leaning<T: Real>(method: Method, lean: f64, towards: DVec3, height: f64, friction: f64) -> Stage<T> {
    let rod = super::truth::rod::Rod { material: kit::damped_wood(1e10, 0.01), ..rod(1.0, 0.02) };
    let (sine, cosine) = lean.to_radians().sin_cos();
    let plant = plants::cantilever(&rod, 4, DVec3::Y * cosine + towards * sine);
    let mut stage = stage::<T>(&plant, Params::default(), method);
    let mut settings = *stage.settings();
    settings.collisions.friction = friction;
    stage.set_settings(settings).unwrap();
    let mut ground = Obstacles::none();
    ground.set_ground(-height, Surface { friction, ..Surface::default() }).unwrap();
    stage.set_obstacles(ground);
    stage.cut(&[BodyId(0)]).unwrap();
    stage
}

/// From the foot of the log to its tip.
fn axis<T: Real>(stage: &Stage<T>) -> DVec3 {
    (stage.motion(BodyId(3)).center - stage.motion(BodyId(0)).center).normalize()
}

fn topple<T: Real>(dt: f64) {
    for method in BOTH {
        for lean in [5.0, 15.0, 30.0, 60.0] {
            for towards in [DVec3::X, DVec3::new(-0.6, 0.0, 0.8)] {
                let mut stage = leaning::<T>(method, lean, towards, 0.3, Surface::default().friction);
                super::run(&mut stage, dt, 3.0);
                let lies = axis(&stage);
                let up = lies.y.asin().to_degrees();
                let speed = stage.plant().body_ids().map(|id| stage.motion(id).velocity.length()).fold(0.0, f64::max);
                let what = format!("{method:?}, 1/{:.0} s, {lean} degrees towards {towards}", 1.0 / dt);
                if towards == DVec3::X {
                    kit::row(
                        &format!("{method:?} in {}, 1/{:.0} s, leaned by {lean}", std::any::type_name::<T>(), 1.0 / dt),
                        "0 degrees, 0 m/s",
                        &format!("{up:.2} degrees, {speed:.1e} m/s"),
                    );
                }
                assert!(up.abs() < 5.0, "{what}: {up} degrees above the ground");
                assert!(speed < 0.02, "{what}: {speed} m/s");
                assert!(lies.dot(towards) > 0.7, "{what}: it lies along {lies}");
            }
        }
    }
}

#[test]
fn a_log_that_falls_on_its_end_topples_to_the_side_it_leans_to_and_lies_flat() {
    kit::title("a log of 1 m falls by 0.3 m on its end: how steep it is after 3 s, and its fastest body");
    for dt in [1.0 / 30.0, 1.0 / 120.0] {
        topple::<f64>(dt);
        topple::<f32>(dt);
    }
}

#[test]
fn a_log_that_stands_on_rough_ground_topples_as_a_pendulum_does() {
    // It rolls on the round end (radius r) of its capsule: with its centre a = L / 2 from there its energy
    // is phi'^2 (r^2 + 2 r a cos(phi) + a^2 + L^2 / 12 + r^2 / 4) / 2 = g a (cos(phi_0) - cos(phi)). The
    // time from 25 to 60 degrees, by Simpson's rule.
    let (r, a) = (0.02, 0.5);
    let rate = |degrees: f64| {
        let (cosine, start) = (degrees.to_radians().cos(), 20.0_f64.to_radians().cos());
        let inertia = 1.25 * r * r + 2.0 * r * a * cosine + a * a + 1.0 / 12.0;
        (2.0 * 9.81 * a * (start - cosine) / inertia).sqrt()
    };
    let (count, step) = (1000, 35.0_f64 / 1000.0);
    let weight = |i: usize| if i == 0 || i == count { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
    let sum: f64 = (0..=count).map(|i| weight(i) / rate(25.0 + i as f64 * step)).sum();
    let theory = sum * step.to_radians() / 3.0;
    kit::title("a log of 1 m that stands on rough ground and leans by 20 degrees: time from 25 to 60 degrees, s");
    for method in BOTH {
        let dt = 1.0 / 480.0;
        let mut stage = leaning::<f64>(method, 20.0, DVec3::X, r, 5.0);
        let mut last = 20.0;
        let mut times = [f64::NAN; 2];
        for i in 1..480 {
            stage.step(dt, &windfall_solver::Actions::default()).unwrap();
            let lean = axis(&stage).y.acos().to_degrees();
            for (time, mark) in times.iter_mut().zip([25.0, 60.0]) {
                if last < mark && lean >= mark {
                    *time = (f64::from(i) - (lean - mark) / (lean - last)) * dt;
                }
            }
            last = lean;
        }
        let took = times[1] - times[0];
        kit::row(&format!("{method:?}"), &format!("{theory:.4}"), &format!("{took:.4}"));
        assert!((took / theory - 1.0).abs() < 0.01, "{method:?}: {took} s, not {theory}");
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
        // The ground alone stops it here, not the stump half a metre above.
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
    // On a moving cart, which then releases it.
    let base = windfall_solver::Base { velocity: DVec3::X * v, ..windfall_solver::Base::default() };
    stage.set_base(0, base);
    stage.step(1.0 / 120.0, &windfall_solver::Actions::default()).unwrap();
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

/// A rod of one segment that falls by a metre and bounces with e = 0.2 rises to a small part of its old
/// height, and does not move far.
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
                    stage.step(dt, &windfall_solver::Actions::default()).unwrap();
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
