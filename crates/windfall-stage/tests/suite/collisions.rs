//! Free bodies and trees: momentum, bending, bouncing, no tunnelling.

use windfall_articulated::Method;
use windfall_core::BodyId;
use windfall_core::glam::DVec3;
use windfall_free::{FreeBody, Name, Obstacles, Shape, Surface};
use windfall_solver::Actions;
use windfall_solver::Params;
use windfall_stage::CollisionMode;
use windfall_testkit::Stage;

use super::truth::plants;
use super::truth::rod::wood;
use super::{BOTH, kit, rod, stage, weightless};

fn ball(radius: f64, density: f64, at: DVec3, velocity: DVec3) -> FreeBody {
    FreeBody::thrown(1, Shape::Sphere { radius }, density, at, velocity).unwrap()
}

fn with_mode(stage: &mut Stage<f64>, mode: CollisionMode, restitution: f64) {
    let mut settings = *stage.settings();
    settings.collisions.mode = mode;
    settings.collisions.restitution = restitution;
    stage.set_settings(settings).unwrap();
    stage.set_obstacles(Obstacles::none());
}

fn thrown(stage: &Stage<f64>) -> FreeBody {
    *stage.bodies().get(Name::Thrown(1)).unwrap()
}

/// Linear momentum, and angular momentum about the origin, of a piece and the ball.
fn momentum(stage: &Stage<f64>) -> (DVec3, DVec3) {
    let (piece, ball) = (stage.world().momentum(1), thrown(stage));
    let linear = piece.linear + ball.mass * ball.velocity;
    let angular = piece.angular
        + piece.center.cross(piece.linear)
        + ball.spin_momentum()
        + ball.position.cross(ball.mass * ball.velocity);
    (linear, angular)
}

#[test]
fn a_ball_and_a_floating_branch_exchange_momentum_and_lose_none() {
    for (method, restitution) in [(Method::Implicit, 0.0), (Method::Implicit, 0.8), (Method::Analytic, 0.0)] {
        let plant = plants::forked(&kit::damped_wood(1e9, 0.01));
        let mut stage = stage::<f64>(&plant, weightless(), method);
        with_mode(&mut stage, CollisionMode::Coupled, restitution);
        stage.cut(&[BodyId(0)]).unwrap();
        let target = stage.motion(BodyId(2)).center;
        let mut ball = ball(0.04, 600.0, target + DVec3::new(-0.3, 0.01, 0.02), DVec3::X * 3.0);
        ball.surface = Surface { restitution, ..Surface::default() };
        stage.throw(ball).unwrap();
        let (linear, angular) = momentum(&stage);
        let energy = |stage: &Stage<f64>| stage.world().energy().total() + thrown(stage).kinetic_energy();
        let before = energy(&stage);
        for _ in 0..60 {
            stage.step(1.0 / 240.0, &Actions::default()).unwrap();
        }
        assert!((thrown(&stage).velocity - ball.velocity).length() > 0.5, "{method:?}: it was hit");
        let (now, turning) = momentum(&stage);
        let scale = linear.length();
        assert!((now - linear).length() < 1e-9 * scale, "{method:?}: {linear} became {now}");
        let off = (turning - angular).length();
        kit::row("angular momentum lost when a ball hits a branch, of m v L", "0", &format!("{:.1e}", off / scale));
        assert!(off < 1e-9 * scale, "{method:?}: {angular} became {turning}");
        assert!(energy(&stage) < before * 1.001, "{method:?}: {before} J became {}", energy(&stage));
    }
}

#[test]
fn a_ball_that_lies_on_a_branch_bends_it_as_its_weight_does() {
    // A horizontal branch of 1 m, damped; the ball sits near its tip.
    let rod = super::truth::rod::Rod { material: kit::damped_wood(1e10, 0.05), ..rod(1.0, 0.01) };
    let plant = plants::cantilever(&rod, 8, DVec3::X);
    for method in BOTH {
        let mut params = Params { keep_shape: true, ..Params::default() };
        params.mass_damping = 2.0;
        let mut stage = stage::<f64>(&plant, params, method);
        with_mode(&mut stage, CollisionMode::Coupled, 0.0);
        let ball = ball(0.05, 955.0, DVec3::new(0.8, 0.065, 0.0), DVec3::ZERO);
        stage.throw(ball).unwrap();
        super::run(&mut stage, 1.0 / 60.0, 1.0);
        // It rolls down the slope F x^2 / (2 E I) = 0.02 with 5/7 g times that; while it rests there the
        // branch carries its weight, and it does not hop (with g h / 2, 0.08 m/s).
        let now = thrown(&stage);
        assert!(now.velocity.length() < 0.2 && now.velocity.y.abs() < 0.04, "{method:?}: {now:?}");
        // F x^2 (3 L - x) / (6 E I) at the tip for a force at x; the ball is 0.5 kg.
        let x = now.position.x;
        let ei = 1e10 * std::f64::consts::PI * 1e-8 / 4.0;
        let sag = ball.mass * 9.81 * x * x * (3.0 - x) / (6.0 * ei);
        let tip = stage.motion(BodyId(7));
        let ours = -(tip.joint + tip.orientation * (DVec3::Y / 8.0)).y;
        kit::row(
            "sag of a branch under a ball that lies on it, mm",
            &format!("{:.1}", sag * 1e3),
            &format!("{:.1}", ours * 1e3),
        );
        assert!((ours / sag - 1.0).abs() < 0.03, "{method:?}: {ours} m, not {sag}");
    }
}

#[test]
fn nothing_passes_through_a_twig_however_fast() {
    for method in BOTH {
        for mode in [CollisionMode::Coupled, CollisionMode::Penalty] {
            for speed in [1.0, 10.0, 60.0] {
                let plant = plants::cantilever(&rod(1.0, 0.005), 8, DVec3::Y);
                let mut stage = stage::<f64>(&plant, weightless(), method);
                with_mode(&mut stage, mode, 0.2);
                stage.throw(ball(0.03, 100.0, DVec3::new(-0.5, 0.3, 0.0), DVec3::X * speed)).unwrap();
                let mut hit = false;
                for _ in 0..30 {
                    stage.step(1.0 / 30.0, &Actions::default()).unwrap();
                    let bend = stage.motion(BodyId(4)).joint.x;
                    hit |= thrown(&stage).velocity.x < 0.9 * speed && bend.abs() > 1e-6;
                }
                assert!(hit, "{method:?} {mode:?} {speed} m/s");
            }
        }
    }
}

#[test]
fn a_ball_bounces_off_a_rigid_branch_by_its_restitution() {
    let plant = plants::cantilever(&rod(1.0, 0.05), 2, DVec3::X);
    let mut params = weightless();
    params.branches.stiffness = f64::INFINITY;
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, params.clone(), method);
        with_mode(&mut stage, CollisionMode::Coupled, 0.64);
        let mut ball = ball(0.1, 1.0, DVec3::new(0.5, 0.8, 0.0), DVec3::NEG_Y * 2.0);
        ball.surface = Surface { restitution: 0.36, friction: 0.0, rolling: 0.0 };
        stage.throw(ball).unwrap();
        super::run(&mut stage, 1.0 / 60.0, 0.6);
        // The geometric mean of both: 0.48.
        let speed = thrown(&stage).velocity.y;
        assert!((speed - 0.96).abs() < 0.02, "{method:?}: {speed}");
    }
}

#[test]
fn the_penalty_force_is_that_of_the_paper() {
    // The first step in which they meet: the branch gets zeta v in the direction of the ball.
    let plant = plants::cantilever(&rod(1.0, 0.02), 1, DVec3::Y);
    let mut params = weightless();
    params.branches.stiffness = 0.0;
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, params.clone(), method);
        with_mode(&mut stage, CollisionMode::Penalty, 0.0);
        let mut settings = *stage.settings();
        settings.collisions.zeta = 0.5;
        stage.set_settings(settings).unwrap();
        // The first step of a run kicks by half a step only.
        stage.step(1e-4, &Actions::default()).unwrap();
        stage.throw(ball(0.05, 1000.0, DVec3::new(-0.0699, 0.8, 0.0), DVec3::X * 2.0)).unwrap();
        let h = 1e-4;
        stage.step(h, &Actions::default()).unwrap();
        stage.step(h, &Actions::default()).unwrap();
        let inertia = plant.mass_properties(BodyId(0)).mass * (1.0 / 3.0 + 0.02 * 0.02 / 4.0);
        let omega = -stage.motion(BodyId(0)).angular_velocity.z;
        // zeta v d h / I in one step; the ball takes over the velocity of the branch at its end.
        let expected = 0.5 * 2.0 * 0.8 * h / inertia;
        assert!((omega / expected - 1.0).abs() < 0.02, "{method:?}: {omega}, {expected}");
        assert!((thrown(&stage).velocity.x - omega * 0.8).abs() < 1e-3, "{method:?}: {:?}", thrown(&stage).velocity);
    }
}

#[test]
fn a_stage_gives_the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon_pool(threads);
        pool.install(|| {
            let plant = super::grown("apple", 6000);
            let mut params = Params { keep_shape: true, seed: 3, ..Params::default() };
            params.fruit.strength_spread = 0.3;
            params.fruit.strength = 0.05;
            params.leaves.strength = 0.01;
            params.branches.strength = 0.5;
            let mut stage = stage::<f64>(&plant, params, Method::Implicit);
            for i in 0..8 {
                let at = DVec3::new(0.3 * f64::from(i) - 1.0, 4.0 + 0.2 * f64::from(i), 0.1 * f64::from(i));
                stage
                    .throw(
                        FreeBody::thrown(i as u32, Shape::Sphere { radius: 0.1 }, 800.0, at, DVec3::NEG_Y * 3.0)
                            .unwrap(),
                    )
                    .unwrap();
            }
            super::run(&mut stage, 1.0 / 30.0, 0.5);
            (
                stage.pose(),
                stage.bodies().iter().map(|b| (b.name, b.position)).collect::<Vec<_>>(),
                stage.world().pieces().to_vec(),
            )
        })
    };
    let (one, two) = (run(1), run(2));
    assert!(one.1.len() > 8, "something fell off: {}", one.1.len());
    assert_eq!(one.0.positions, two.0.positions);
    assert_eq!(one.1, two.1);
    assert_eq!(one.2, two.2);
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn leaves_that_are_hit_give_way() {
    let plant = plants::leafy(&wood(1e9));
    let mut stage = stage::<f64>(&plant, Params { keep_shape: true, ..Params::default() }, Method::Implicit);
    stage.set_obstacles(Obstacles::none());
    let leaf = stage.motion(BodyId(10)).center;
    stage.throw(ball(0.03, 800.0, leaf + DVec3::Y * 0.2, DVec3::NEG_Y)).unwrap();
    let before = stage.motion(BodyId(10)).center;
    let mut moved = 0.0_f64;
    for _ in 0..15 {
        stage.step(1.0 / 60.0, &Actions::default()).unwrap();
        moved = moved.max(before.distance(stage.motion(BodyId(10)).center));
    }
    assert!(moved > 0.01, "{moved}");
}

#[test]
fn a_ball_that_grips_a_branch_rolls_on_at_five_sevenths_of_its_speed() {
    // A solid ball that stops slipping at once keeps 1 - (2/7) of its speed, whatever the friction: its
    // angular momentum about the point of contact is conserved.
    let plant = plants::cantilever(&rod(1.0, 0.05), 2, DVec3::X);
    let mut params = weightless();
    params.branches.stiffness = f64::INFINITY;
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, params.clone(), method);
        with_mode(&mut stage, CollisionMode::Coupled, 0.0);
        let mut settings = *stage.settings();
        settings.collisions.friction = 10.0;
        stage.set_settings(settings).unwrap();
        let mut ball = ball(0.05, 500.0, DVec3::new(0.2, 0.15, 0.0), DVec3::new(0.7, -1.0, 0.0));
        ball.surface = Surface { restitution: 0.0, friction: 10.0, rolling: 0.0 };
        stage.throw(ball).unwrap();
        super::run(&mut stage, 1.0 / 240.0, 0.2);
        let now = thrown(&stage);
        kit::row("speed of a ball that begins to roll, m/s", "0.500", &format!("{:.3}", now.velocity.x));
        assert!((now.velocity.x - 0.5).abs() < 0.005, "{method:?}: {now:?}");
        assert!((now.angular_velocity.z + 0.5 / 0.05).abs() < 0.1, "{method:?}: {now:?}");
        assert!(now.velocity.y.abs() < 0.04, "{method:?}: {now:?}");
    }
}

/// A fast body near a tree, which makes the stage take sub-steps. It flies past without any other effect.
fn fly_by() -> FreeBody {
    ball(0.01, 1.0, DVec3::new(-0.9, 0.1, 0.2), DVec3::X * 10.0)
}

#[test]
fn a_hand_moves_on_within_a_divided_step() {
    let plant = plants::cantilever(&rod(1.0, 0.005), 8, DVec3::Y);
    for method in BOTH {
        let lag = |fast: bool| {
            let mut params = weightless();
            params.branches.strength = f64::INFINITY;
            let mut stage = stage::<f64>(&plant, params, method);
            stage.set_obstacles(Obstacles::none());
            if fast {
                stage.throw(fly_by()).unwrap();
            }
            let (start, dt) = (stage.motion(BodyId(7)).joint, 1.0 / 60.0);
            let mut lag = 0.0_f64;
            for i in 0..9 {
                let t = f64::from(i) * dt;
                let grab = windfall_solver::Grab {
                    body: BodyId(7).into(),
                    point: DVec3::ZERO,
                    target: start + DVec3::X * t,
                    target_velocity: DVec3::X,
                    stiffness: 1e5,
                    damping: 10.0,
                };
                stage.step(dt, &Actions { grabs: &[grab], ..Actions::default() }).unwrap();
                lag = lag.max((stage.motion(BodyId(7)).joint.x - t - dt).abs());
            }
            lag
        };
        let (whole, divided) = (lag(false), lag(true));
        // A hand that stood still within the step would lag by a whole step: 17 mm.
        assert!(divided < 1.5 * whole.max(2e-3), "{method:?}: {divided} m, not {whole}");
    }
}

#[test]
fn what_hits_a_branch_does_so_once_in_a_divided_step() {
    let plant = plants::forked(&wood(1e9));
    let tree = plant.trees()[0].origin;
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, weightless(), method);
        stage.set_obstacles(Obstacles::none());
        stage.cut(&[BodyId(0)]).unwrap();
        stage.throw(FreeBody { position: tree + fly_by().position, ..fly_by() }).unwrap();
        stage.step(1.0 / 60.0, &Actions::default()).unwrap();
        let before = stage.world().momentum(1).linear;
        let mass = windfall_core::glam::DMat3::IDENTITY * 0.01;
        let touch = windfall_solver::Touch {
            body: BodyId(1).into(),
            point: DVec3::ZERO,
            velocity: DVec3::Z * 5.0,
            mass,
            pushes_along: None,
        };
        stage.step(1.0 / 60.0, &Actions { touches: &[touch], ..Actions::default() }).unwrap();
        let given = stage.touch_impulses()[0];
        // A step later the velocities of the pose have caught up.
        stage.step(1.0 / 60.0, &Actions::default()).unwrap();
        let gained = stage.world().momentum(1).linear - before;
        assert!(given.z > 0.01 && given.z < 0.05, "{method:?}: {given}");
        assert!((gained - given).length() < 1e-6, "{method:?}: {gained}, {given}");
    }
}

#[test]
fn a_ball_never_leaves_with_more_energy_than_it_brought() {
    let mut worst = [0.0_f64; 3];
    for method in BOTH {
        for dt in [1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0] {
            for (k, e) in [0.0, 0.5, 1.0].into_iter().enumerate() {
                for thickness in [0.003, 0.01, 0.03, 0.1] {
                    for mass in [0.001, 0.03, 1.0, 30.0, 1000.0] {
                        let plant = plants::cantilever(&rod(1.0, thickness), 8, DVec3::X);
                        let mut params = weightless();
                        params.branches.strength = f64::INFINITY;
                        let mut stage = stage::<f64>(&plant, params, method);
                        with_mode(&mut stage, CollisionMode::Coupled, e);
                        let radius = 0.1_f64;
                        let density = mass / (4.0 / 3.0 * std::f64::consts::PI * radius.powi(3));
                        let at = DVec3::new(0.8, thickness + 0.2, 0.01);
                        let mut ball = ball(radius, density, at, DVec3::NEG_Y * 3.0);
                        ball.surface = Surface { friction: 0.0, restitution: e, rolling: 0.0 };
                        stage.throw(ball).unwrap();
                        let mut fastest = 0.0_f64;
                        for _ in 0..(1.0 / dt) as usize {
                            stage.step(dt, &Actions::default()).unwrap();
                            fastest = fastest.max(thrown(&stage).velocity.length());
                        }
                        worst[k] = worst[k].max(fastest / 3.0);
                        // A ton that bounces fully, again and again, is 3 % off.
                        let most = if e < 1.0 { 3.003 } else { 3.09 };
                        assert!(fastest < most, "{method:?} {dt} s, e {e}, {thickness} m, {mass} kg: {fastest} m/s");
                    }
                }
            }
        }
    }
    for (e, worst) in ["0", "0.5", "1"].into_iter().zip(worst) {
        let what = format!("fastest ball after hits with restitution {e}, over its first speed");
        kit::row(&what, "<= 1", &format!("{worst:.3}"));
    }
}

#[test]
fn the_shortest_step_is_not_divided() {
    let plant = plants::cantilever(&rod(1.0, 0.01), 4, DVec3::Y);
    let mut stage = stage::<f64>(&plant, Params::default(), Method::Implicit);
    stage.throw(ball(1e-4, 1e3, DVec3::new(-0.011, 0.5, 0.0), DVec3::X * 1e4)).unwrap();
    for dt in [1e-6, 1.5e-6, 3e-6] {
        stage.step(dt, &Actions::default()).unwrap();
    }
}
