//! Free bodies against the ground, obstacles and each other: the laws of impact and friction.
//! `cargo test -p windfall-free --test suite collisions -- --nocapture` prints the rows of
//! docs/validation/free.md.

use crate::kit;

use crate::kit::{G, Scene, Steady, ball, block, leaf, surface};
use windfall_core::glam::{DQuat, DVec3};
use windfall_free::{FreeBody, Name, Shape, Surface};

const FRAMES: [f64; 3] = [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0];

#[test]
fn free_fall_is_a_parabola() {
    let mut scene = Scene::empty();
    let mut body = ball(1, 0.05, 800.0, DVec3::new(1.0, 2.0, 3.0), Surface::default());
    body.velocity = DVec3::new(3.0, 4.0, -1.0);
    scene.bodies.add(body).unwrap();
    scene.run(2.0, 1.0 / 30.0);
    let theory = DVec3::new(1.0 + 6.0, 2.0 + 8.0 - 0.5 * G * 4.0, 3.0 - 2.0);
    let error = scene.body(1).position.distance(theory);
    println!("| free fall, 2 s at 30 Hz | {theory:.4} m | error {error:.1e} m |");
    assert!(error < 1e-12);
}

/// The n-th bounce of a ball reaches e^(2n) of the height.
#[test]
fn bounces_reach_the_square_of_restitution() {
    for dt in FRAMES {
        for e in [1.0_f64, 0.9, 0.7, 0.4] {
            let mut scene = Scene::with_ground(surface(0.5, e));
            let (radius, height) = (0.04, 1.3);
            scene.bodies.add(ball(1, radius, 800.0, DVec3::Y * (height + radius), surface(0.5, e))).unwrap();
            let mut peaks = vec![];
            let (mut up, mut peak) = (false, 0.0_f64);
            while peaks.len() < 3 && scene.time < 5.0 {
                scene.step(dt);
                let body = scene.body(1);
                // The apex of the ball's parabola, so that the peak does not depend on the times of frames.
                let top = body.position.y - radius + body.velocity.y * body.velocity.y / (2.0 * G);
                if body.velocity.y > 0.0 {
                    (up, peak) = (true, top);
                } else if up {
                    up = false;
                    peaks.push(peak / height);
                }
            }
            for (n, &peak) in peaks.iter().enumerate() {
                let theory = e.powi(2 * (n as i32 + 1));
                if peak * height < 0.02 {
                    break;
                }
                println!(
                    "| bounce {} at {:.0} Hz, e = {e} | {theory:.4} | {peak:.4} | {:.0e} |",
                    n + 1,
                    1.0 / dt,
                    (peak / theory - 1.0).abs()
                );
                assert!((peak / theory - 1.0).abs() < 1e-12);
            }
            assert!(!peaks.is_empty());
        }
    }
}

/// A block slides down a slope with g (sin a - mu cos a), and sticks where that is negative.
#[test]
fn blocks_stick_and_slide_on_slopes() {
    for dt in FRAMES {
        for (mu, degrees) in [(0.5, 20.0_f64), (0.5, 26.0), (0.5, 27.2), (0.5, 35.0), (0.2, 30.0), (0.0, 15.0)] {
            let angle = degrees.to_radians();
            let mut scene = Scene::empty();
            let normal = DVec3::new(-angle.sin(), angle.cos(), 0.0);
            let down = DVec3::new(-angle.cos(), -angle.sin(), 0.0);
            scene.obstacles.add_half_space(DVec3::ZERO, normal, surface(mu, 0.0)).unwrap();
            let half = DVec3::new(0.1, 0.05, 0.08);
            let mut body = block(1, half, normal * half.y, surface(mu, 0.0));
            body.orientation = DQuat::from_rotation_z(angle);
            scene.bodies.add(body).unwrap();
            let start = scene.body(1).position;
            scene.run(1.0, dt);
            let way = (scene.body(1).position - start).dot(down);
            let theory = 0.5 * (G * (angle.sin() - mu * angle.cos())).max(0.0);
            println!("| slope {degrees}°, mu {mu}, {:.0} Hz | {theory:.4} m | {way:.4} m |", 1.0 / dt);
            if theory == 0.0 {
                assert!(way.abs() < 1e-4, "sticks: {way}");
            } else {
                assert!((way - theory).abs() < 0.01 * theory + 1e-3, "{way} {theory}");
            }
        }
    }
}

/// A ball rolls down a slope without sliding at 5/7 g sin a; a ball that slides first rolls with 5/7 of its
/// speed.
#[test]
fn balls_roll() {
    let dt = 1.0 / 60.0;
    let angle = 0.2_f64;
    let normal = DVec3::new(-angle.sin(), angle.cos(), 0.0);
    let down = DVec3::new(-angle.cos(), -angle.sin(), 0.0);
    let mut scene = Scene::empty();
    scene.obstacles.add_half_space(DVec3::ZERO, normal, surface(0.8, 0.0)).unwrap();
    scene.bodies.add(ball(1, 0.05, 800.0, normal * 0.05, surface(0.8, 0.0))).unwrap();
    let start = scene.body(1).position;
    scene.run(1.0, dt);
    let way = (scene.body(1).position - start).dot(down);
    let theory = 0.5 * 5.0 / 7.0 * G * angle.sin();
    println!("| ball rolling down 0.2 rad, 1 s | {theory:.4} m | {way:.4} m |");
    assert!((way / theory - 1.0).abs() < 5e-3);

    let mut scene = Scene::with_ground(surface(0.4, 0.0));
    let mut body = ball(1, 0.05, 800.0, DVec3::Y * 0.05, surface(0.4, 0.0));
    body.velocity = DVec3::X * 3.0;
    scene.bodies.add(body).unwrap();
    scene.run(1.5, dt);
    let speed = scene.body(1).velocity.x;
    println!("| sliding ball comes to roll | {:.4} m/s | {speed:.4} m/s |", 15.0 / 7.0);
    assert!((speed - 15.0 / 7.0).abs() < 5e-3);

    // Rolling resistance c reduces the speed by 5/7 c g per second.
    let slow = Surface { friction: 0.8, restitution: 0.0, rolling: 0.05 };
    let mut scene = Scene::with_ground(slow);
    let mut body = ball(1, 0.05, 800.0, DVec3::Y * 0.05, slow);
    body.velocity = DVec3::X;
    body.angular_velocity = DVec3::Z * (-1.0 / 0.05);
    scene.bodies.add(body).unwrap();
    scene.run(1.0, dt);
    let (speed, theory) = (scene.body(1).velocity.x, 1.0 - 5.0 / 7.0 * 0.05 * G);
    println!("| rolling resistance 0.05, 1 s | {theory:.4} m/s | {speed:.4} m/s |");
    assert!((speed - theory).abs() < 5e-3);
}

fn momentum(scene: &Scene) -> (DVec3, DVec3, f64) {
    scene.bodies.iter().fold((DVec3::ZERO, DVec3::ZERO, 0.0), |(p, l, e), b| {
        let spin = b.spin_momentum() + b.position.cross(b.mass * b.velocity);
        (p + b.mass * b.velocity, l + spin, e + b.kinetic_energy())
    })
}

/// Two smooth elastic balls: components along the line of centres change as in one dimension, the others
/// stay.
#[test]
fn balls_collide_elastically() {
    for dt in FRAMES {
        for (ratio, offset) in [(1.0, 0.0), (5.0, 0.0), (0.1, 0.0), (1.0, 0.05), (3.0, 0.08), (50.0, 0.02)] {
            let mut scene = Scene::empty();
            scene.gravity = DVec3::ZERO;
            let smooth = surface(0.0, 1.0);
            let mut a = ball(1, 0.05, 800.0, DVec3::new(-0.5, 0.0, 0.0), smooth);
            a.velocity = DVec3::X * 4.0;
            let mut b = ball(2, 0.06, 800.0 * ratio, DVec3::new(0.0, offset, 0.0), smooth);
            b.velocity = DVec3::X * -1.0;
            scene.bodies.add(a).unwrap();
            scene.bodies.add(b).unwrap();
            let before = momentum(&scene);
            scene.run(0.5, dt);
            let after = momentum(&scene);
            // At contact the distance across is the offset, that between the centres 0.11.
            let across = offset / 0.11;
            let line = DVec3::new((1.0 - across * across).sqrt(), across, 0.0);
            let (ua, ub) = (a.velocity.dot(line), b.velocity.dot(line));
            let exchanged = 2.0 * a.mass * b.mass / (a.mass + b.mass) * (ua - ub);
            let theory = a.velocity - line * (exchanged / a.mass);
            let error = scene.body(1).velocity.distance(theory);
            println!(
                "| elastic balls {ratio}:1, offset {offset}, {:.0} Hz | {theory:.3} | error {error:.1e} m/s |",
                1.0 / dt
            );
            assert!((after.0 - before.0).length() < 1e-10 * before.0.length().max(1.0));
            assert!((after.2 / before.2 - 1.0).abs() < 1e-6, "energy {} {}", after.2, before.2);
            // The time of an oblique touch is found to a hundredth of a millimetre.
            let bound = if offset == 0.0 { 1e-12 } else { 1e-3 };
            assert!(error < bound, "{ratio} {offset} {dt}: {error}");
        }
    }
}

#[test]
fn collisions_keep_momentum() {
    let dt = 1.0 / 60.0;
    let mut scene = Scene::empty();
    scene.gravity = DVec3::ZERO;
    let rough = surface(0.6, 0.3);
    for i in 0..30 {
        let place = DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) * 0.3;
        let shape = match i % 3 {
            0 => Shape::Sphere { radius: 0.1 },
            1 => Shape::Box { half: DVec3::new(0.05, 0.1, 0.08) },
            _ => Shape::Capsule { half_length: 0.1, radius: 0.04 },
        };
        let mut body = FreeBody::thrown(i, shape, 300.0, place, -3.0 * (place - 0.4)).unwrap();
        body.surface = rough;
        body.angular_velocity = DVec3::new(1.0, -2.0, 3.0);
        scene.bodies.add(body).unwrap();
    }
    let before = momentum(&scene);
    let mut energy = before.2;
    for _ in 0..120 {
        scene.step(dt);
        let now = momentum(&scene).2;
        assert!(now <= energy * (1.0 + 1e-3) + 1e-9, "energy {energy} -> {now}");
        energy = now;
    }
    let after = momentum(&scene);
    println!(
        "| thirty bodies collide: momentum | 0 | {:.1e} kg m/s | energy {:.2} -> {:.2} J |",
        (after.0 - before.0).length(),
        before.2,
        after.2
    );
    assert!((after.0 - before.0).length() < 1e-9);
    assert!(after.2 < 0.9 * before.2, "they did collide");
}

/// Without restitution and friction an impact removes the normal velocity and nothing else.
#[test]
fn dead_impacts_take_the_normal_velocity() {
    for dt in FRAMES {
        let mut scene = Scene::with_ground(surface(0.0, 0.0));
        scene.gravity = DVec3::ZERO;
        let mut body = ball(1, 0.05, 800.0, DVec3::Y * 0.5, surface(0.0, 0.0));
        body.velocity = DVec3::new(2.0, -5.0, 1.0);
        scene.bodies.add(body).unwrap();
        scene.run(0.5, dt);
        let v = scene.body(1).velocity;
        assert!(v.distance(DVec3::new(2.0, 0.0, 1.0)) < 1e-9, "{v}");
        assert!((scene.body(1).position.y - 0.05).abs() < 2e-4);
    }
}

#[test]
fn five_boxes_stand() {
    for dt in FRAMES {
        let rough = surface(0.6, 0.0);
        let mut scene = Scene::with_ground(rough);
        let half = DVec3::new(0.1, 0.1, 0.1);
        for i in 0..5 {
            scene.bodies.add(block(i, half, DVec3::Y * (0.1 + 0.2 * f64::from(i)), rough)).unwrap();
        }
        scene.run(10.0, dt);
        let top = scene.body(4).position;
        println!(
            "| five boxes after 10 s at {:.0} Hz: top | 0.9 m | {:.5} m | aside {:.1e} m | awake {} |",
            1.0 / dt,
            top.y,
            top.x.hypot(top.z),
            scene.bodies.awake()
        );
        assert!((top.y - 0.9).abs() < 2e-3 && top.x.hypot(top.z) < 2e-3);
        assert_eq!(scene.bodies.awake(), 0);
        // Removing the lowest one makes the others fall.
        scene.bodies.remove(Name::Thrown(0)).unwrap();
        scene.run(3.0, dt);
        assert!(scene.body(4).position.y < 0.8);
    }
}

/// In no frame is a falling body inside the ground by more than a tenth of a millimetre.
#[test]
fn frames_show_nothing_inside_the_ground() {
    for dt in FRAMES {
        for e in [0.0, 0.5] {
            let mut scene = Scene::with_ground(surface(0.5, e));
            for i in 0..20 {
                scene
                    .bodies
                    .add(ball(
                        i,
                        0.04,
                        800.0,
                        DVec3::new(f64::from(i), 0.5 + 0.083 * f64::from(i), 0.0),
                        surface(0.5, e),
                    ))
                    .unwrap();
            }
            let mut deepest = 0.0_f64;
            while scene.time < 3.0 {
                scene.step(dt);
                deepest = scene.bodies.iter().fold(deepest, |deepest, body| deepest.max(0.04 - body.position.y));
            }
            println!(
                "| twenty balls landing, e = {e}, {:.0} Hz: deepest of any frame | 0 | {deepest:.1e} m |",
                1.0 / dt
            );
            assert!(deepest < 1.1e-4);
        }
    }
}

/// Bodies on the ground do not sink.
#[test]
fn nothing_sinks() {
    let mut scene = Scene::with_ground(Surface::default());
    let shapes = [
        Shape::Sphere { radius: 0.04 },
        Shape::Box { half: DVec3::new(0.1, 0.03, 0.05) },
        Shape::Capsule { half_length: 0.1, radius: 0.03 },
        Shape::Blade { width: 0.06, length: 0.06, petiole: 0.03 },
    ];
    for i in 0..40_u32 {
        let place = DVec3::new(f64::from(i % 7) * 0.3, 0.5 + 0.3 * f64::from(i / 7), f64::from(i % 5) * 0.3);
        let mut body = FreeBody::thrown(i, shapes[i as usize % 4], 500.0, place, DVec3::ZERO).unwrap();
        body.orientation = DQuat::from_scaled_axis(DVec3::new(0.3, 1.1, 0.7) * f64::from(i));
        scene.bodies.add(body).unwrap();
    }
    scene.wind = Some(kit::Steady(DVec3::ZERO));
    scene.run(60.0, 1.0 / 60.0);
    let (mut solid, mut leaf) = (0.0_f64, 0.0_f64);
    for body in scene.bodies.iter() {
        let mut contacts = vec![];
        scene.obstacles.contacts(&body.shape, body.shape_position(), body.orientation, 0.0, &mut contacts);
        let deepest = if body.shape.is_blade() { &mut leaf } else { &mut solid };
        *deepest = contacts.iter().fold(*deepest, |deepest, c| deepest.max(c.depth));
    }
    println!(
        "| forty bodies after 60 s: deepest in the ground | 0 | {solid:.1e} m, leaves {leaf:.1e} m | awake {} |",
        scene.bodies.awake()
    );
    // The tolerated overlap is 0.1 mm; a leaf under a capsule of 940 times its mass is pressed in by about
    // its thickness.
    assert!(solid < 1.1e-4 && leaf < 1e-3);
    assert_eq!(scene.bodies.awake(), 0, "all sleep");
}

/// An apple of 60 m/s against a board of 2 cm, at 30 frames a second.
#[test]
fn fast_bodies_do_not_pass_through_boards() {
    for speed in [5.0, 20.0, 60.0, 300.0, 3000.0] {
        for (i, shape) in [
            Shape::Sphere { radius: 0.04 },
            Shape::Box { half: DVec3::splat(0.03) },
            Shape::Capsule { half_length: 0.05, radius: 0.02 },
            Shape::Blade { width: 0.06, length: 0.06, petiole: 0.0 },
        ]
        .into_iter()
        .enumerate()
        {
            let mut scene = Scene::empty();
            let half = DVec3::new(0.01, 5.0, 5.0);
            scene.obstacles.add(Shape::Box { half }, DVec3::ZERO, DQuat::IDENTITY, Surface::default()).unwrap();
            for k in 0..10 {
                let place = DVec3::new(-1.0 - 0.137 * f64::from(k), 0.0, f64::from(k) * 0.3 - 1.5);
                let body = FreeBody::thrown(k, shape, 500.0, place, DVec3::X * speed).unwrap();
                scene.bodies.add(body).unwrap();
            }
            scene.run(0.5, 1.0 / 30.0);
            for body in scene.bodies.iter() {
                assert!(body.position.x < 0.0, "shape {i} at {speed} m/s: {}", body.position);
            }
        }
    }
}

/// Bodies come to rest on boxes, balls, capsules and meshes as on the ground.
#[test]
fn obstacles_carry() {
    let mut scene = Scene::empty();
    let rough = Surface::default();
    let half = DVec3::new(1.0, 0.2, 1.0);
    scene.obstacles.add(Shape::Box { half }, DVec3::ZERO, DQuat::IDENTITY, rough).unwrap();
    let corner = |x: f64, z: f64| DVec3::new(5.0 + x, 0.2, z);
    let corners = [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
    scene.obstacles.add_mesh(&corners, &[[0, 1, 2], [0, 2, 3]], rough).unwrap();
    // Two capsules side by side make a groove in which a ball lies: its centre is sqrt(0.3² - 0.2²) above
    // theirs.
    let log = Shape::Capsule { half_length: 1.0, radius: 0.2 };
    for x in [9.8, 10.2] {
        scene.obstacles.add(log, DVec3::X * x, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), rough).unwrap();
    }
    for (name, x) in [(0, 0.0), (10, 5.0)] {
        scene.bodies.add(ball(name, 0.1, 500.0, DVec3::new(x, 0.8, 0.1), rough)).unwrap();
        scene.bodies.add(block(name + 1, DVec3::splat(0.1), DVec3::new(x + 0.4, 0.8, 0.4), rough)).unwrap();
        let stick = FreeBody::thrown(
            name + 2,
            Shape::Capsule { half_length: 0.1, radius: 0.1 },
            500.0,
            DVec3::new(x - 0.5, 0.8, 0.0),
            DVec3::ZERO,
        )
        .unwrap();
        scene.bodies.add(FreeBody { orientation: DQuat::from_rotation_x(1.3), ..stick }).unwrap();
        scene.bodies.add(kit::leaf(name + 3, 0.06, 0.06, 2e-4, DVec3::new(x, 0.5, -0.5))).unwrap();
    }
    scene.bodies.add(ball(20, 0.1, 500.0, DVec3::new(10.02, 0.5, 0.0), rough)).unwrap();
    scene.run(8.0, 1.0 / 60.0);
    for base in [0, 10] {
        for (name, height) in [(0, 0.1), (1, 0.1), (2, 0.1), (3, 2e-4)] {
            let y = scene.body(base + name).position.y - 0.2;
            println!(
                "| body {} at rest on {} | {height} m | {y:.5} m |",
                name,
                if base == 0 { "a box" } else { "a mesh" }
            );
            assert!((y - height).abs() < 3e-4, "{base} {name}: {y}");
        }
    }
    let groove = (0.3_f64 * 0.3 - 0.2 * 0.2).sqrt();
    let y = scene.body(20).position.y;
    println!("| ball in a groove of two logs | {groove:.5} m | {y:.5} m |");
    assert!((y - groove).abs() < 3e-4);
    assert_eq!(scene.bodies.awake(), 0);
}

/// A block of apples falls to a heap: its energy only falls, and it sleeps within some seconds.
#[test]
fn heaps_come_to_rest() {
    for (side, seconds) in [(6_u32, 6.0), (10, 7.0), (13, 1.0)] {
        let mut scene = Scene::with_ground(Surface::default());
        for i in 0..side * side * side {
            let aside = DVec3::new(f64::from(i * 37 % 11), 100.0, f64::from(i * 53 % 13)) * 1e-3;
            let place = DVec3::new(f64::from(i % side), f64::from(i / side / side), f64::from(i / side % side)) * 0.09;
            scene.bodies.add(ball(i, 0.035, 850.0, place + aside, Surface::default())).unwrap();
        }
        let energy =
            |scene: &Scene| scene.bodies.iter().map(|b| b.kinetic_energy() + b.mass * G * b.position.y).sum::<f64>();
        let start = energy(&scene);
        let mut last = start;
        while scene.time < seconds {
            scene.step(1.0 / 60.0);
            let now = energy(&scene);
            // Removing overlap lifts bodies a little.
            assert!(now < last + 2e-3 * start, "{last} -> {now} J at {} s", scene.time);
            last = now;
        }
        // A thousand apples on top of each other don't press the lowest into the ground: 5 mm is a seventh
        // of a radius.
        let deepest = scene.bodies.iter().map(|body| 0.035 - body.position.y).fold(0.0, f64::max);
        assert!(deepest < 5e-3, "{deepest} m under the ground");
        let fastest = scene.bodies.iter().map(|b| b.velocity.length()).fold(0.0, f64::max);
        println!(
            "| heap of {} apples after {seconds} s | energy {start:.1} -> {last:.1} J | fastest {fastest:.2} m/s | awake {} | deepest {:.1} mm |",
            side * side * side,
            scene.bodies.awake(),
            1e3 * deepest
        );
        if side == 13 {
            continue;
        }
        assert!(last < 0.6 * start && scene.bodies.awake() < 5, "{last} of {start} J, {} awake", scene.bodies.awake());
        // Every sleeping body rests on something.
        for body in scene.bodies.iter() {
            let near = |other: &&FreeBody| other.name != body.name && other.position.distance(body.position) < 0.0715;
            assert!(
                body.position.y < 0.0365 || scene.bodies.iter().filter(near).any(|o| o.position.y < body.position.y)
            );
        }
    }
}

/// A wall that stands on the ground: leaves that a gale blows along the ground don't get in under it.
#[test]
fn walls_that_stand_on_the_ground_stop_leaves() {
    let mut scene = Scene::with_ground(Surface::default());
    let half = DVec3::new(0.1, 5.0, 20.0);
    scene.obstacles.add(Shape::Box { half }, DVec3::new(4.0, 5.0, 0.0), DQuat::IDENTITY, Surface::default()).unwrap();
    for i in 0..100 {
        let mut body = leaf(i, 0.06, 0.06, 2e-4, DVec3::new(0.2 * f64::from(i % 10), 0.2, 0.2 * f64::from(i / 10)));
        body.orientation = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, 0.1) * (f64::from(i) + 0.1));
        scene.bodies.add(body).unwrap();
    }
    scene.wind = Some(Steady(DVec3::new(15.0, 0.0, 1.0)));
    for _ in 0..300 {
        scene.step(1.0 / 60.0);
        for body in scene.bodies.iter() {
            let front = body.position.x < 3.9 + 0.03 || body.position.z.abs() > 19.9 || body.position.y > 9.9;
            assert!(front, "{:?} is in the wall at {} after {:.2} s", body.name, body.position, scene.time);
        }
    }
    let there = scene.bodies.iter().filter(|body| body.position.x > 3.5).count();
    assert!(there > 90, "{there} came to the wall");
}

/// A body on a pushed body moves with it or falls, however slow the push.
#[test]
fn nothing_hangs_in_the_air_over_what_was_pushed_away() {
    let mut scene = Scene::with_ground(surface(0.0, 0.0));
    scene.bodies.add(block(1, DVec3::splat(0.1), DVec3::new(0.0, 0.1, 0.0), surface(0.0, 0.0))).unwrap();
    scene.bodies.add(ball(2, 0.05, 800.0, DVec3::new(0.0, 0.25, 0.0), surface(0.0, 0.0))).unwrap();
    scene.run(2.0, 1.0 / 60.0);
    assert_eq!(scene.bodies.awake(), 0);
    let (mass, place) = (scene.body(1).mass, scene.body(1).position);
    // Slower than the speed that wakes other bodies.
    scene.bodies.add_impulse(Name::Thrown(1), place, DVec3::X * (0.06 * mass)).unwrap();
    scene.run(5.0, 1.0 / 60.0);
    assert!(scene.body(2).position.y < 0.06, "the ball hangs at {}", scene.body(2).position);
}
