//! Free bodies at the limits: hostile input, crowds, sleep, threads, and bodies that come off plants.

use crate::truth;

use std::time::Instant;

use crate::kit::{G, Scene, Steady, ball, block, leaf, surface};
use windfall_articulated::Method;
use windfall_core::BodyId;
use windfall_core::glam::{DQuat, DVec3};
use windfall_free::{FreeBodies, FreeBody, FreeError, Name, Obstacles, Shape, Surface, Surroundings};
use windfall_solver::Params;
use windfall_solver::Wind;
use windfall_solver::params::{AirParams, LeafAirParams};
use windfall_testkit::World;

/// A detached body keeps its placement, velocity and angular velocity.
#[test]
fn nothing_jumps_when_it_lets_go() {
    let plant = truth::plants::leafy(&truth::rod::wood(1e9));
    let mut world = World::<f64>::new(plant.clone(), Params::default(), Method::Implicit).unwrap();
    for _ in 0..30 {
        world.step(1.0 / 60.0, &windfall_solver::Actions::default()).unwrap();
    }
    let leaf_id = plant.leaf_id(0);
    let fruit_id = plant.fruit_id(0);
    for (id, body) in [
        (leaf_id, FreeBody::leaf(&plant, leaf_id, &world.motion(leaf_id)).unwrap()),
        (fruit_id, FreeBody::fruit(&plant, fruit_id, &world.motion(fruit_id)).unwrap()),
    ] {
        let motion = world.motion(id);
        assert_eq!(body.name, Name::Plant(id.into()));
        assert!(body.origin().distance(motion.joint) < 1e-12);
        assert!(body.position.distance(motion.center) < 1e-9);
        assert_eq!((body.velocity, body.angular_velocity), (motion.velocity, motion.angular_velocity));
        assert!((body.mass - plant.mass_properties(id).mass).abs() < 1e-15);
    }
    // The ball of a fruit keeps its place on the plant; its centre is not the centre of mass of fruit and
    // stalk.
    let fruit = FreeBody::fruit(&plant, fruit_id, &world.motion(fruit_id)).unwrap();
    let stalk = f64::from(plant.fruit()[0].stalk_length + plant.fruit()[0].radius);
    let center = fruit.origin() + fruit.orientation * (DVec3::Y * stalk);
    assert!(fruit.shape_position().distance(center) < 1e-6);

    let wrong = FreeBody::leaf(&plant, fruit_id, &world.motion(fruit_id));
    assert!(matches!(wrong, Err(FreeError::WrongKind { kind: "leaf", .. })));
    assert!(FreeBody::fruit(&plant, BodyId(u32::MAX), &world.motion(fruit_id)).is_err());
}

#[test]
fn bad_bodies_are_refused_with_reasons() {
    let good = ball(1, 0.05, 800.0, DVec3::ZERO, Surface::default());
    let sphere = |radius| Shape::Sphere { radius };
    for (shape, density) in [
        (sphere(0.0), 800.0),
        (sphere(f64::NAN), 800.0),
        (sphere(-1.0), 800.0),
        (sphere(1e9), 800.0),
        (sphere(0.1), 0.0),
        (sphere(0.1), f64::NAN),
        (sphere(0.1), f64::INFINITY),
        (Shape::Box { half: DVec3::new(0.1, 0.0, 0.1) }, 800.0),
        (Shape::Box { half: DVec3::new(0.1, f64::NAN, 0.1) }, 800.0),
        (Shape::Capsule { half_length: -0.1, radius: 0.1 }, 800.0),
        (Shape::Blade { width: 0.1, length: 0.0, petiole: 0.0 }, 800.0),
    ] {
        let error = FreeBody::thrown(1, shape, density, DVec3::ZERO, DVec3::ZERO).unwrap_err();
        assert!(matches!(error, FreeError::BadNumber { .. }), "{shape:?} {density}");
    }
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    let mut bodies = FreeBodies::new();
    for bad in [
        FreeBody { mass: 0.0, ..good },
        FreeBody { mass: -1.0, ..good },
        FreeBody { mass: f64::NAN, ..good },
        FreeBody { inertia: DVec3::ZERO, ..good },
        FreeBody { position: nan, ..good },
        FreeBody { velocity: nan, ..good },
        FreeBody { velocity: DVec3::splat(f64::INFINITY), ..good },
        FreeBody { velocity: DVec3::X * 1e200, ..good },
        FreeBody { angular_velocity: nan, ..good },
        FreeBody { orientation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..good },
        FreeBody { surface: surface(-1.0, 0.0), ..good },
        FreeBody { surface: surface(0.5, 1.5), ..good },
        FreeBody { surface: surface(f64::NAN, 0.5), ..good },
    ] {
        let error = bodies.add(bad).unwrap_err();
        assert!(error.to_string().contains("must be"), "{error}");
        assert!(bodies.is_empty());
    }
    bodies.add(good).unwrap();
    assert_eq!(bodies.add(good), Err(FreeError::NameTaken(Name::Thrown(1))));
    assert_eq!(bodies.add_impulse(Name::Thrown(2), DVec3::ZERO, DVec3::X), Err(FreeError::NoSuchBody(Name::Thrown(2))));
    assert!(bodies.add_impulse(Name::Thrown(1), DVec3::ZERO, nan).is_err());
    assert!(bodies.add_force(Name::Thrown(1), nan, DVec3::X).is_err());
    assert!(bodies.add_force(Name::Thrown(1), DVec3::ZERO, DVec3::X * f64::INFINITY).is_err());
    assert_eq!(bodies.get(Name::Thrown(1)), Some(&good), "errors change nothing");
}

#[test]
fn bad_obstacles_and_surroundings_are_refused() {
    let mut obstacles = Obstacles::ground();
    let plain = Surface::default();
    assert!(obstacles.set_ground(f64::NAN, plain).is_err());
    assert!(obstacles.add_half_space(DVec3::ZERO, DVec3::ZERO, plain).is_err());
    assert!(obstacles.add_half_space(DVec3::ZERO, DVec3::splat(f64::NAN), plain).is_err());
    assert!(obstacles.add(Shape::Sphere { radius: 0.0 }, DVec3::ZERO, DQuat::IDENTITY, plain).is_err());
    let no_rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    assert!(obstacles.add(Shape::Sphere { radius: 1.0 }, DVec3::ZERO, no_rotation, plain).is_err());
    assert!(obstacles.add_mesh(&[], &[], plain).is_err());
    assert!(obstacles.add_mesh(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 7]], plain).is_err());
    assert!(obstacles.add_mesh(&[DVec3::ZERO, DVec3::X, DVec3::splat(f64::NAN)], &[[0, 1, 2]], plain).is_err());
    assert_eq!(obstacles.half_spaces().len(), 1);

    let air = AirParams::default();
    let mut bodies = FreeBodies::new();
    let body = ball(1, 0.05, 800.0, DVec3::Y, plain);
    bodies.add(body).unwrap();
    let good = Surroundings { gravity: DVec3::NEG_Y * G, wind: None, time: 0.0, air: &air, obstacles: &obstacles };
    for dt in [0.0, -1.0, f64::NAN, 1.0, 1e-9, f64::INFINITY] {
        assert!(bodies.step(&good, dt).is_err(), "{dt}");
    }
    for gravity in [DVec3::splat(f64::NAN), DVec3::X * f64::INFINITY, DVec3::X * 1e300] {
        assert!(bodies.step(&Surroundings { gravity, ..good }, 0.01).is_err());
    }
    for air in [
        AirParams { density: f64::NAN, ..air },
        AirParams { density: -1.0, ..air },
        AirParams { leaves: LeafAirParams { friction_ratio: 0.0, ..air.leaves }, ..air },
        AirParams { leaves: LeafAirParams { spin_drag: f64::NAN, ..air.leaves }, ..air },
    ] {
        let error = bodies.step(&Surroundings { air: &air, ..good }, 0.01).unwrap_err();
        assert!(matches!(error, FreeError::BadAir(_)), "{error}");
    }
    assert_eq!(bodies.get(Name::Thrown(1)), Some(&body), "errors change nothing");
    for dt in [1e-6, 0.1] {
        bodies.step(&good, dt).unwrap();
    }
}

#[derive(Debug)]
struct Wild(f64);

impl Wind for Wild {
    fn velocity(&self, point: DVec3, _: f64) -> DVec3 {
        if point.x > 0.0 { DVec3::splat(self.0) } else { DVec3::ZERO }
    }
}

/// A wind that is not a number is no wind; one of 1e30 m/s and bodies of 1e6 m/s stay in the range of
/// numbers.
#[test]
fn wild_winds_and_speeds_stay_finite() {
    let air = AirParams::default();
    let obstacles = Obstacles::ground();
    for wild in [f64::NAN, f64::INFINITY, 1e30, 1e4] {
        for dt in [1e-6, 1.0 / 30.0, 0.1] {
            let mut bodies = FreeBodies::new();
            for i in 0..24 {
                let place = DVec3::new(f64::from(i) - 12.0, 0.3, 0.0);
                let mut body = match i % 4 {
                    0 => leaf(i, 0.04, 0.05, 5e-5, place),
                    1 => ball(i, 0.04, 800.0, place, Surface::default()),
                    2 => block(i, DVec3::splat(0.05), place, Surface::default()),
                    _ => {
                        let light = leaf(i, 0.04, 0.05, 5e-5, place);
                        FreeBody { mass: 1e-11, inertia: light.inertia * 2e-7, ..light }
                    }
                };
                body.velocity = DVec3::new(1e6, -1e6, 1e3) * f64::from(i % 3);
                body.angular_velocity = DVec3::new(1e5, 1e4, -1e5) * f64::from(i % 2);
                bodies.add(body).unwrap();
            }
            let wind = Wild(wild);
            for step in 0..50 {
                let time = f64::from(step) * dt;
                let around = Surroundings {
                    gravity: DVec3::NEG_Y * G,
                    wind: Some(&wind),
                    time,
                    air: &air,
                    obstacles: &obstacles,
                };
                bodies.step(&around, dt).unwrap();
                for body in bodies.iter() {
                    body.check().unwrap_or_else(|error| panic!("{wild} {dt} {:?}: {error}", body.name));
                    let depth = body.reach() + 1.0 - body.position.y;
                    assert!(body.position.y > -body.reach() - 1.0, "{:?} is {depth} m under the ground", body.name);
                }
            }
        }
    }
}

/// Ten thousand bodies in one place take a bounded time and come apart.
#[test]
fn a_crowd_in_one_place() {
    for leaves in [false, true] {
        let mut scene = Scene::with_ground(Surface::default());
        scene.wind = Some(Steady(DVec3::ZERO));
        for i in 0..10_000 {
            let body = if leaves {
                leaf(i, 0.05, 0.05, 1e-4, DVec3::Y)
            } else {
                ball(i, 0.05, 800.0, DVec3::Y, Surface::default())
            };
            scene.bodies.add(body).unwrap();
        }
        let start = Instant::now();
        for _ in 0..2 {
            scene.step(1.0 / 30.0);
        }
        let each = start.elapsed().as_secs_f64() / 2.0;
        println!(
            "| ten thousand {} in one place | {:.0} ms per step |",
            if leaves { "leaves" } else { "balls" },
            each * 1e3
        );
        assert!(each < 10.0, "{each} s per step");
        assert!(scene.bodies.iter().all(|body| body.check().is_ok()));
    }
}

/// A mixed pile, its bits after two seconds.
fn pile() -> Vec<[u64; 3]> {
    let mut scene = Scene::with_ground(Surface::default());
    scene.wind = Some(Steady(DVec3::new(2.0, 0.0, 1.0)));
    scene.bodies.set_leaves_touch(true);
    scene.obstacles.add(Shape::Sphere { radius: 0.3 }, DVec3::ZERO, DQuat::IDENTITY, Surface::default()).unwrap();
    for i in 0..200 {
        let place = DVec3::new(f64::from(i % 5) * 0.11, 0.5 + 0.05 * f64::from(i), f64::from(i % 7) * 0.07 - 0.2);
        let mut body = match i % 4 {
            0 => ball(i, 0.05, 500.0, place, Surface::default()),
            1 => block(i, DVec3::new(0.05, 0.03, 0.08), place, Surface::default()),
            _ => leaf(i, 0.05, 0.07, 2e-4, place),
        };
        body.orientation = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, 0.1) * f64::from(i)).normalize();
        scene.bodies.add(body).unwrap();
    }
    scene.run(2.0, 1.0 / 60.0);
    scene.bodies.iter().map(|b| b.position.to_array().map(f64::to_bits)).collect()
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(pile);
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(5));
    assert_eq!(one, on(1));
}

/// Names find their bodies while others come and go.
#[test]
fn names_are_kept() {
    let mut scene = Scene::with_ground(Surface::default());
    let mut there = std::collections::BTreeMap::new();
    let mut seed = 12345_u64;
    for step in 0..400_u32 {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let name = (seed >> 33) as u32 % 60;
        if there.remove(&name).is_some() {
            let gone = scene.bodies.remove(Name::Thrown(name)).unwrap();
            assert_eq!(gone.name, Name::Thrown(name));
            assert!(scene.bodies.remove(Name::Thrown(name)).is_none());
        } else {
            let place = DVec3::new(f64::from(name), 0.3, f64::from(step % 3));
            let body = if name.is_multiple_of(2) {
                ball(name, 0.1, 500.0, place, Surface::default())
            } else {
                leaf(name, 0.05, 0.05, 1e-4, place)
            };
            scene.bodies.add(body).unwrap();
            there.insert(name, place.x);
        }
        scene.step(1.0 / 60.0);
        assert_eq!(scene.bodies.len(), there.len());
        for (&name, &x) in &there {
            let body = scene.body(name);
            // Leaves topple over when they land.
            let near = if name.is_multiple_of(2) { 1e-6 } else { 0.2 };
            assert!((body.position.x - x).abs() < near && body.position.y > 0.0, "{body:?}");
        }
    }
}

/// Leaves that lie on the ground sleep; a gust against their face, a push and a ball wake them.
#[test]
fn leaves_settle_sleep_and_wake() {
    let mut scene = Scene::with_ground(Surface::default());
    scene.wind = Some(Steady(DVec3::ZERO));
    for i in 0..50 {
        let mut body = leaf(i, 0.06, 0.06, 2e-4, DVec3::new(f64::from(i) * 0.5, 2.0, 0.0));
        body.orientation = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, 0.1) * (f64::from(i) + 0.1));
        scene.bodies.add(body).unwrap();
    }
    scene.run(12.0, 1.0 / 30.0);
    assert_eq!(scene.bodies.awake(), 0);
    for body in scene.bodies.iter() {
        let up = (body.orientation * DVec3::Z).y.abs();
        assert!(up > 0.99 && body.position.y < 2e-3, "lies flat: {up} {}", body.position);
    }
    // A weak wind along the ground moves nothing; one from below lifts all.
    scene.wind = Some(Steady(DVec3::X * 0.5));
    scene.run(1.0, 1.0 / 30.0);
    assert_eq!(scene.bodies.awake(), 0);
    scene.wind = Some(Steady(DVec3::Y * 3.0));
    scene.run(1.0, 1.0 / 30.0);
    assert_eq!(scene.bodies.awake(), 50);
    assert!(scene.bodies.iter().all(|body| body.position.y > 0.1));

    // A ball pushes a sleeping block: both move on with the momentum of one.
    let smooth = surface(0.0, 0.0);
    let mut scene = Scene::with_ground(smooth);
    scene.bodies.add(block(1, DVec3::splat(0.1), DVec3::new(1.0, 0.1, 0.0), smooth)).unwrap();
    scene.run(2.0, 1.0 / 60.0);
    assert!(scene.bodies.is_asleep(Name::Thrown(1)));
    let mut thrown = ball(2, 0.1, 900.0, DVec3::Y * 0.1, smooth);
    thrown.velocity = DVec3::X * 2.0;
    scene.bodies.add(thrown).unwrap();
    scene.run(1.0, 1.0 / 60.0);
    let (a, b) = (scene.body(2), scene.body(1));
    let theory = 2.0 * a.mass / (a.mass + b.mass);
    assert!(
        (a.velocity.x - theory).abs() < 1e-3 && (b.velocity.x - theory).abs() < 1e-3,
        "{} {} {theory}",
        a.velocity,
        b.velocity
    );
}

/// Wind along the ground gets under the edge of a leaf that is curled by c. With u = (v cos c, v sin c)
/// along and across the curled blade, (23) pulls it by `nu/xi v cos c` along and
/// `(kappa rho A v / m + nu) v sin c` across; it slides when the level part of this is more than mu times
/// the remaining weight.
#[test]
fn wind_along_the_ground_moves_leaves() {
    let air = AirParams::default();
    let mu = Surface::default().friction;
    for (width, length, mass) in [(0.06, 0.06, 2e-4), (0.03, 0.05, 5e-5), (0.1, 0.15, 2e-3)] {
        let LeafAirParams { drag, friction, friction_ratio, curl_degrees, .. } = air.leaves;
        let (sin, cos) = curl_degrees.to_radians().sin_cos();
        let slides = |v: f64| {
            let across = (drag * air.density * 0.5 * width * length * v / mass + friction) * v * sin;
            let along = friction / friction_ratio * v * cos;
            across * sin + along * cos > mu * (G - (across * cos - along * sin))
        };
        let (mut low, mut high) = (0.1, 50.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if slides(middle) { high = middle } else { low = middle }
        }
        // Distances of the slowest and the fastest of some leaves in 3 s.
        let moved = |speed: f64, curl_degrees: f64| {
            let mut scene = Scene::with_ground(Surface::default());
            scene.wind = Some(Steady(DVec3::ZERO));
            scene.air.leaves.curl_degrees = curl_degrees;
            for i in 0..12 {
                let mut body = leaf(i, width, length, mass, DVec3::new(0.0, 0.2, f64::from(i)));
                body.orientation = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, 0.1) * (f64::from(i) + 0.1));
                scene.bodies.add(body).unwrap();
            }
            scene.run(4.0, 1.0 / 60.0);
            assert_eq!(scene.bodies.awake(), 0);
            let start: Vec<f64> = scene.bodies.iter().map(|body| body.position.x).collect();
            scene.wind = Some(Steady(DVec3::X * speed));
            scene.run(3.0, 1.0 / 60.0);
            let ways = scene.bodies.iter().zip(start).map(|(body, x)| body.position.x - x);
            ways.fold((f64::INFINITY, 0.0_f64), |(least, most), way| (least.min(way), most.max(way)))
        };
        let (below, above) = (moved(0.95 * low, curl_degrees), moved(1.05 * low, curl_degrees));
        println!(
            "| leaf of {:.0} x {:.0} cm, {} g on the ground begins to slide | {low:.2} m/s | at 0.95 of it {:.4} m in 3 s, at 1.05 {:.2} to {:.2} m |",
            100.0 * width,
            100.0 * length,
            1e3 * mass,
            below.1,
            above.0,
            above.1
        );
        assert!(below.1 < 1e-3 && above.0 > 0.1, "{low}: {below:?} {above:?}");
        // A flat one gives the wind no hold.
        assert!(moved(3.0 * low, 0.0).1 < 1e-3);
    }
}

/// Air that stands still below a height, as under a logarithmic profile.
#[derive(Debug)]
struct Above(f64);

impl Wind for Above {
    fn velocity(&self, point: DVec3, _: f64) -> DVec3 {
        if point.y > self.0 { DVec3::X * 8.0 } else { DVec3::ZERO }
    }
}

/// The wind on a leaf on the ground is that at its edge: 9 cm from its centre of mass at most, 15° up, 1.8
/// cm.
#[test]
fn leaves_on_the_ground_feel_the_wind_at_their_edge() {
    let (air, obstacles) = (AirParams::default(), Obstacles::ground());
    for (height, moves) in [(0.005, true), (0.03, false)] {
        let mut bodies = FreeBodies::new();
        bodies.add(leaf(1, 0.06, 0.06, 2e-4, DVec3::Y * 0.001)).unwrap();
        let lying = bodies.get(Name::Thrown(1)).copied().unwrap();
        bodies.set(FreeBody { orientation: DQuat::from_rotation_x(-0.5 * std::f64::consts::PI), ..lying }).unwrap();
        let wind = Above(height);
        for step in 0..120 {
            let time = f64::from(step) / 60.0;
            let gravity = DVec3::NEG_Y * G;
            let around = Surroundings { gravity, wind: Some(&wind), time, air: &air, obstacles: &obstacles };
            bodies.step(&around, 1.0 / 60.0).unwrap();
        }
        let x = bodies.get(Name::Thrown(1)).unwrap().position.x;
        assert!(if moves { x > 0.5 } else { x.abs() < 1e-3 }, "still below {height} m: {x}");
    }
}

/// Impulses and forces change velocities as defined.
#[test]
fn impulses_and_forces() {
    let mut scene = Scene::empty();
    scene.gravity = DVec3::ZERO;
    let body = block(1, DVec3::new(0.1, 0.2, 0.3), DVec3::ZERO, Surface::default());
    scene.bodies.add(body).unwrap();
    let (point, impulse) = (DVec3::new(0.1, 0.05, 0.0), DVec3::new(0.0, 0.0, 2.0));
    scene.bodies.add_impulse(Name::Thrown(1), point, impulse).unwrap();
    let now = scene.body(1);
    assert!((now.velocity * now.mass - impulse).length() < 1e-12);
    assert!((now.spin_momentum() - point.cross(impulse)).length() < 1e-12);
    // A force through the centre for a tenth of a second.
    for _ in 0..6 {
        let center = scene.body(1).position;
        scene.bodies.add_force(Name::Thrown(1), center, DVec3::Y * 30.0).unwrap();
        scene.step(1.0 / 60.0);
    }
    let now = *scene.body(1);
    assert!((now.velocity * now.mass - impulse - DVec3::Y * 3.0).length() < 1e-9);
    assert!((now.spin_momentum() - point.cross(impulse)).length() < 1e-9);
    scene.step(1.0 / 60.0);
    assert!(scene.body(1).velocity == now.velocity, "forces last for one step");
}

/// Contact queries from outside: a ball and a capsule over ground and box.
#[test]
fn contact_queries() {
    let mut obstacles = Obstacles::ground();
    let half = DVec3::new(1.0, 0.5, 1.0);
    obstacles.add(Shape::Box { half }, DVec3::new(5.0, 0.5, 0.0), DQuat::IDENTITY, surface(0.9, 0.1)).unwrap();
    let mut found = vec![];
    obstacles.contacts_of_sphere(DVec3::new(0.0, 0.3, 0.0), 0.4, 0.0, &mut found);
    assert_eq!(found.len(), 1);
    assert!((found[0].depth - 0.1).abs() < 1e-12 && found[0].normal == DVec3::Y && found[0].point.length() < 1e-12);
    found.clear();
    obstacles.contacts_of_sphere(DVec3::new(5.0, 1.45, 0.0), 0.4, 0.1, &mut found);
    assert_eq!(found.len(), 1);
    assert!((found[0].depth + 0.05).abs() < 1e-9 && found[0].normal.distance(DVec3::Y) < 1e-9);
    assert!(found[0].point.distance(DVec3::new(5.0, 1.0, 0.0)) < 1e-9 && found[0].surface.friction == 0.9);
    found.clear();
    obstacles.contacts_of_capsule(DVec3::new(4.5, 1.1, 0.0), DVec3::new(5.5, 1.1, 0.0), 0.2, 0.0, &mut found);
    assert!(found.len() >= 2, "{found:?}");
    assert!(found.iter().all(|c| (c.depth - 0.1).abs() < 1e-6 && c.normal.distance(DVec3::Y) < 1e-6));
}

/// The trees find exactly the boxes that meet, as an all-pairs test does, while sleepers come and go.
#[test]
fn the_broad_phase_misses_nothing() {
    use windfall_free::broad::{Bounds, Trees};
    let mut seed = 99_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut trees = Trees::default();
    let mut moving: Vec<(u32, Bounds)> = vec![];
    let mut asleep: Vec<(u32, Bounds)> = vec![];
    for round in 0..40 {
        moving.clear();
        trees.clear_moving();
        for i in 0..100 {
            let bounds =
                Bounds::swept(DVec3::new(random(), random(), random()) * 5.0, DVec3::X * random(), 0.2 * random());
            moving.push((i, bounds));
            trees.add_moving(i, &bounds);
        }
        trees.build_moving();
        for i in 0..60 {
            let bounds = Bounds::swept(DVec3::new(random(), random(), random()) * 5.0, DVec3::ZERO, 0.3 * random());
            asleep.push((1_000 + 60 * round + i, bounds));
            trees.add_sleeper(1_000 + 60 * round + i, &bounds);
        }
        trees.settle(|| asleep.iter().copied());
        let asked = Bounds::swept(DVec3::new(random(), random(), random()) * 5.0, DVec3::Y, 0.5);
        let meets = |b: &Bounds| asked.low.cmple(b.high).all() && b.low.cmple(asked.high).all();
        let truth = |list: &[(u32, Bounds)]| list.iter().filter(|(_, b)| meets(b)).map(|&(i, _)| i).collect::<Vec<_>>();
        let (mut found_moving, mut found_asleep) = (vec![], vec![]);
        trees.moving_near(&asked, |i| {
            found_moving.push(i);
            true
        });
        trees.sleepers_near(&asked, |i| {
            found_asleep.push(i);
            true
        });
        found_moving.sort_unstable();
        found_asleep.sort_unstable();
        assert_eq!(found_moving, truth(&moving));
        assert_eq!(found_asleep, truth(&asleep));
        assert!(!found_asleep.is_empty() || round < 5);
    }
}
