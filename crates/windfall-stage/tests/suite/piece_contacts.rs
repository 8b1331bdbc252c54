//! Broken-off branches and standing trees: momentum, weight, energy, no tunnelling and no explosions.

use windfall_articulated::Method;
use windfall_core::build::{Attachment, Node, PlantBuilder};
use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{BodyId, Plant, WoodMaterial};
use windfall_free::{FreeBody, Name, Obstacles, Shape};
use windfall_solver::Params;
use windfall_solver::{Actions, Touch};
use windfall_testkit::Stage;

use super::{BOTH, kit, stage, weightless};

/// A straight branch: from, to, radius, segments.
type Stick = (DVec3, DVec3, f64, usize);

/// Each stick is a tree of its own; bodies are numbered one stick after the other.
fn sticks(wood: &WoodMaterial, all: &[Stick]) -> Plant {
    let mut plant = PlantBuilder::new("sticks");
    let wood = plant.wood_material(wood.clone());
    for &(from, to, radius, count) in all {
        let tree = plant.tree("stick", from);
        let node = |i: usize| Node {
            position: (to - from) * (i as f64 / count as f64),
            radius_before: radius,
            radius_after: radius,
        };
        let nodes: Vec<Node> = (0..=count).map(node).collect();
        plant.branch_of_nodes(Attachment::Root(tree), wood, &nodes).unwrap();
    }
    plant.finish().unwrap()
}

fn without_ground(stage: &mut Stage<f64>, restitution: f64, friction: f64) {
    let mut settings = *stage.settings();
    settings.fracture = false;
    (settings.collisions.restitution, settings.collisions.friction) = (restitution, friction);
    stage.set_settings(settings).unwrap();
    stage.set_obstacles(Obstacles::none());
}

#[test]
fn a_log_that_hits_a_hinged_rod_turns_it_as_momentum_demands() {
    // A rod on a free hinge at the origin and a rigid log that flies into it, without weight: about the
    // hinge no angular momentum is lost.
    let wood = kit::damped_wood(1e10, 0.0);
    let (v, h) = (2.0, 1.0 / 240.0);
    for method in BOTH {
        for (restitution, friction) in [(0.0, 0.0), (0.5, 0.0), (0.2, 0.6)] {
            let log = (DVec3::new(0.7, 0.1, -0.3), DVec3::new(0.7, 0.1, 0.3), 0.02, 1);
            let plant = sticks(&wood, &[(DVec3::ZERO, DVec3::X, 0.02, 1), log]);
            let mut params = weightless();
            params.branches.stiffness = 0.0;
            let mut stage = stage::<f64>(&plant, params, method);
            without_ground(&mut stage, restitution, friction);
            stage.set_base(1, windfall_solver::Base { velocity: DVec3::NEG_Y * v, ..Default::default() });
            stage.step(1e-6, &Actions::default()).unwrap();
            stage.cut(&[BodyId(1)]).unwrap();
            super::run(&mut stage, h, 0.005);
            let start = stage.world().momentum(2);
            let about_hinge = |stage: &Stage<f64>| {
                let [rod, log] = [0, 2].map(|piece| stage.world().momentum(piece));
                [rod, log].iter().map(|m| m.angular + m.center.cross(m.linear)).sum::<DVec3>()
            };
            let before = about_hinge(&stage);
            let energy = stage.world().energy().kinetic;
            super::run(&mut stage, h, 0.1);
            let after = about_hinge(&stage);
            let scale = start.linear.length();
            let lost = (after - before).length() / scale;
            kit::row("angular momentum lost when a log hits a rod, of m v L", "0", &format!("{lost:.1e}"));
            assert!(lost < 1e-4, "{method:?}: {before} became {after}");
            // Centre on centre of the log: omega (I + m d^2) = (1 + e) m v d, with the log a point.
            let rod = plant.mass_properties(BodyId(0)).mass;
            let (inertia, m, d) = (rod * (1.0 / 3.0 + 0.02 * 0.02 / 4.0), start.mass, 0.7);
            let omega = (1.0 + restitution) * m * v * d / (inertia + m * d * d);
            let ours = -stage.motion(BodyId(0)).angular_velocity.z;
            kit::row("angular velocity of a rod that a log hits, rad/s", &format!("{omega:.3}"), &format!("{ours:.3}"));
            assert!((ours / omega - 1.0).abs() < 0.02, "{method:?} {restitution} {friction}: {ours}, not {omega}");
            let now = stage.world().energy().kinetic;
            let rest = start.mass * v * v / 2.0;
            let left = rest - (1.0 - restitution * restitution) * 0.5 * v * v / (1.0 / m + d * d / inertia);
            assert!(
                now < energy * 1.001 && (now / left - 1.0).abs() < 0.02,
                "{method:?}: {energy} J, {now} J, {left} J"
            );
        }
    }
}

#[test]
fn a_log_across_two_branches_lies_there_and_bends_both_by_its_weight() {
    // Two branches of 1 m side by side, damped; a log of 0.6 m across them at 0.8 m: each carries half of it.
    let wood = kit::damped_wood(1e10, 0.05);
    let branch = |z: f64| (DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), 0.015, 8);
    for method in BOTH {
        for dt in [1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0] {
            let log = (DVec3::new(0.8, 0.036, -0.3), DVec3::new(0.8, 0.036, 0.3), 0.02, 3);
            let plant = sticks(&wood, &[branch(-0.2), branch(0.2), log]);
            let params = Params { keep_shape: true, mass_damping: 2.0, ..Params::default() };
            let mut stage = stage::<f64>(&plant, params, method);
            without_ground(&mut stage, 0.0, 0.6);
            stage.step(1e-6, &Actions::default()).unwrap();
            stage.cut(&[BodyId(16)]).unwrap();
            super::run(&mut stage, dt, 1.5);
            let log = stage.world().momentum(3);
            // It rolls down the sagging branches; while it rests on them they carry its weight.
            let velocity = log.velocity();
            assert!(velocity.y.abs() < 2e-3 && velocity.length() < 0.05, "{method:?} {dt}: {velocity}");
            let x = log.center.x;
            let ei = 1e10 * std::f64::consts::PI * 0.015f64.powi(4) / 4.0;
            let sag = 0.5 * log.mass * 9.81 * x * x * (3.0 - x) / (6.0 * ei);
            for tip in [7, 15] {
                let tip = stage.motion(BodyId(tip));
                let ours = -(tip.joint + tip.orientation * (DVec3::Y / 8.0)).y;
                kit::row("sag under half a log, mm", &format!("{:.2}", sag * 1e3), &format!("{:.2}", ours * 1e3));
                assert!((ours / sag - 1.0).abs() < 0.03, "{method:?} {dt}: {ours} m, not {sag}");
            }
        }
    }
}

#[test]
fn a_log_that_falls_onto_branches_is_caught_and_gains_no_energy() {
    let wood = kit::damped_wood(1e10, 0.001);
    let branch = |z: f64| (DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), 0.02, 8);
    for method in BOTH {
        for dt in [1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0] {
            for height in [0.2, 1.0, 5.0] {
                let log = (DVec3::new(0.5, height, -0.4), DVec3::new(0.52, height, 0.4), 0.02, 4);
                let plant = sticks(&wood, &[branch(-0.2), branch(0.2), log]);
                let mut stage = stage::<f64>(&plant, Params { keep_shape: true, ..Params::default() }, method);
                without_ground(&mut stage, 0.2, 0.6);
                stage.cut(&[BodyId(16)]).unwrap();
                // In `Analytic` every joint swings as if the others were rigid: the tree has no energy
                // consistent with its motion, but the log has.
                let energy = |stage: &Stage<f64>| {
                    let log = stage.world().momentum(3);
                    let turning = log.angular.dot(log.inertia.inverse() * log.angular);
                    let own = 0.5 * (log.mass * log.velocity().length_squared() + turning);
                    let own = own + log.mass * 9.81 * log.center.y;
                    if method == Method::Implicit { stage.world().energy().total() } else { own }
                };
                let all = energy(&stage);
                let scale = stage.world().momentum(3).mass * 9.81 * height;
                let (mut most, mut lowest) = (all, height);
                let fall = (2.0 * height / 9.81).sqrt();
                for _ in 0..((fall + 0.15) / dt) as usize {
                    stage.step(dt, &Actions::default()).unwrap();
                    most = most.max(energy(&stage));
                    lowest = lowest.min(stage.world().momentum(3).center.y);
                }
                let gained = (most - all) / scale;
                kit::row("energy gained by a log that falls onto branches, of m g h", "0", &format!("{gained:.3}"));
                assert!(gained < 0.02, "{method:?} {dt} {height}: {gained}");
                assert!(lowest > -0.25, "{method:?} {dt} {height}: it fell through to {lowest} m");
            }
        }
    }
}

#[test]
fn a_log_lands_on_a_branch_and_not_above_it() {
    // It falls by 2 m onto a thick branch: at 30 steps per second it is up to 20 cm above it at the
    // beginning of the step with the impact.
    let wood = kit::damped_wood(1e10, 0.01);
    let log = (DVec3::new(0.5, 2.0, -0.3), DVec3::new(0.5, 2.0, 0.3), 0.02, 1);
    let plant = sticks(&wood, &[(DVec3::ZERO, DVec3::X, 0.05, 4), log]);
    for method in BOTH {
        for restitution in [0.0, 0.5] {
            for dt in [1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0] {
                let mut stage = stage::<f64>(&plant, Params { keep_shape: true, ..Params::default() }, method);
                without_ground(&mut stage, restitution, 0.6);
                stage.cut(&[BodyId(4)]).unwrap();
                let drop = 2.0 - 0.07;
                let fall = (2.0 * drop / 9.81_f64).sqrt();
                let (mut lowest, mut bounced) = (f64::INFINITY, 0.0_f64);
                for i in 1..=((fall * (1.0 + restitution) + dt) / dt).ceil() as usize {
                    stage.step(dt, &Actions::default()).unwrap();
                    let y = stage.world().momentum(2).center.y;
                    lowest = lowest.min(y);
                    bounced = if i as f64 * dt > fall + 2.0 * dt { bounced.max(y) } else { 0.0 };
                }
                kit::row("height at which a log meets a branch, m", "0.070", &format!("{lowest:.3}"));
                assert!((lowest - 0.07).abs() < 3e-3, "{method:?} {restitution} {dt}: {lowest} m");
                // e² of the height, less the energy kept by the branch: the log weighs a tenth of it.
                let highest = 0.07 + restitution * restitution * drop;
                assert!(bounced < highest + 0.01, "{method:?} {restitution} {dt}: {bounced} m");
                assert!(restitution > 0.0 || bounced < 0.075, "{method:?} {dt}: {bounced} m");
            }
        }
    }
}

#[test]
fn sticks_that_hit_branches_gain_no_energy() {
    // 13 g to 33 kg from 4 m onto wood of 4 mm to 10 cm.
    let wood = kit::damped_wood(1e10, 0.002);
    for method in BOTH {
        for dt in [1.0 / 60.0, 1.0 / 30.0, 0.1] {
            let mut worst = 0.0_f64;
            for (branch, log) in
                [(0.002, 0.002), (0.01, 0.002), (0.05, 0.002), (0.002, 0.02), (0.01, 0.02), (0.05, 0.1)]
            {
                for (restitution, friction) in [(0.0, 0.6), (0.5, 0.0)] {
                    let falls = (DVec3::new(0.6, 4.0, -0.5), DVec3::new(0.63, 4.3, 0.5), log, 3);
                    let plant = sticks(&wood, &[(DVec3::ZERO, DVec3::X, branch, 6), falls]);
                    let mut stage = stage::<f64>(&plant, Params { keep_shape: true, ..Params::default() }, method);
                    without_ground(&mut stage, restitution, friction);
                    stage.cut(&[BodyId(6)]).unwrap();
                    let energy = |stage: &Stage<f64>| {
                        let log = stage.world().momentum(2);
                        let own = 0.5 * log.mass * log.velocity().length_squared() + log.mass * 9.81 * log.center.y;
                        if method == Method::Implicit { stage.world().energy().total() } else { own }
                    };
                    let before = energy(&stage);
                    let scale = stage.world().momentum(2).mass * 9.81 * 4.0;
                    // At the time of the pose velocities overshoot by half of their change in the step: the
                    // least of three steps is the actual energy.
                    let mut last = [f64::NEG_INFINITY; 3];
                    for _ in 0..(1.5 / dt) as usize {
                        stage.step(dt, &Actions::default()).unwrap();
                        last = [last[1], last[2], energy(&stage)];
                        worst = worst.max((last.into_iter().fold(f64::INFINITY, f64::min) - before) / scale);
                    }
                }
            }
            kit::row("energy gained by a stick that hits a branch, of m g h", "0", &format!("{worst:.3}"));
            assert!(worst < 0.02, "{method:?} {dt}: {worst}");
        }
    }
}

#[test]
fn touches_that_do_not_settle_let_no_log_through() {
    // With 4,000 touches there is only one sweep over them, which does not converge.
    let wood = kit::damped_wood(1e10, 0.01);
    let log = (DVec3::new(0.5, 0.3, -0.3), DVec3::new(0.5, 0.3, 0.3), 0.02, 1);
    let other = (DVec3::new(5.0, 0.0, 0.0), DVec3::new(6.0, 0.0, 0.0), 0.02, 1);
    let plant = sticks(&wood, &[(DVec3::ZERO, DVec3::X, 0.05, 4), other, log]);
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, Params { keep_shape: true, ..Params::default() }, method);
        without_ground(&mut stage, 0.0, 0.6);
        stage.cut(&[BodyId(5)]).unwrap();
        for i in 0..30 {
            let velocity = DVec3::Y * if i % 2 == 0 { 0.1 } else { -0.1 };
            let touch = Touch {
                body: BodyId(4).into(),
                point: DVec3::Y,
                velocity,
                mass: DMat3::IDENTITY * 1e-4,
                pushes_along: None,
            };
            let touches = vec![touch; 4000];
            stage.step(1.0 / 60.0, &Actions { touches: &touches, ..Actions::default() }).unwrap();
        }
        let y = stage.world().momentum(3).center.y;
        assert!(y > 0.0, "{method:?}: the log is at {y} m");
    }
}

#[test]
fn what_breaks_off_is_not_blown_off_its_stump() {
    let plant = super::grown("oak", 1500);
    for method in BOTH {
        for dt in [1.0 / 240.0, 1.0 / 30.0] {
            let mut params = weightless();
            params.branches.strength = f64::INFINITY;
            let mut stage = stage::<f64>(&plant, params, method);
            without_ground(&mut stage, 0.2, 0.6);
            let off: Vec<BodyId> = (0..plant.segments().len() as u32).step_by(17).map(BodyId).collect();
            stage.cut(&off).unwrap();
            super::run(&mut stage, dt, 0.5);
            // No motion before and no actions: no motion after.
            assert!(stage.world().energy().kinetic < 1e-9, "{method:?} {dt}: {} J", stage.world().energy().kinetic);
        }
    }
}

#[test]
fn pieces_pass_through_trees_where_that_is_switched_off() {
    let wood = kit::damped_wood(1e10, 0.01);
    let log = (DVec3::new(0.5, 0.3, -0.3), DVec3::new(0.5, 0.3, 0.3), 0.02, 1);
    let plant = sticks(&wood, &[(DVec3::ZERO, DVec3::X, 0.05, 4), log]);
    let fall = |pieces: bool| {
        let mut stage = stage::<f64>(&plant, Params { keep_shape: true, ..Params::default() }, Method::Implicit);
        without_ground(&mut stage, 0.0, 0.6);
        let mut settings = *stage.settings();
        settings.collisions.pieces = pieces;
        stage.set_settings(settings).unwrap();
        stage.cut(&[BodyId(4)]).unwrap();
        super::run(&mut stage, 1.0 / 60.0, 0.5);
        stage.world().momentum(2).center.y
    };
    // 0.3 - g t^2 / 2
    assert!((fall(false) - (0.3 - 0.5 * 9.81 * 0.25)).abs() < 1e-6);
    assert!(fall(true) > 0.0);
}

#[test]
fn a_limb_that_falls_through_its_crown_is_caught_with_the_same_bits_on_any_number_of_threads() {
    let plant = super::grown("oak", 3000);
    let mut sizes = vec![1_i64; plant.body_count()];
    for id in plant.body_ids().rev() {
        if let Some(parent) = plant.parent(id) {
            sizes[parent.0 as usize] += sizes[id.0 as usize];
        }
    }
    let on_tree = plant.body_ids().filter(|id| plant.parent(*id).is_some());
    let limb = on_tree.min_by_key(|id| (sizes[id.0 as usize] - 500).abs()).unwrap();
    for method in BOTH {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut params = Params { keep_shape: true, ..Params::default() };
                for kind in [&mut params.branches.strength, &mut params.leaves.strength, &mut params.fruit.strength] {
                    *kind = f64::INFINITY;
                }
                let mut stage = stage::<f32>(&plant, params, method);
                let before = stage.world().energy().total();
                stage.cut(&[limb]).unwrap();
                for _ in 0..45 {
                    stage.step(1.0 / 30.0, &Actions::default()).unwrap();
                    let gained = stage.world().energy().total() - before;
                    // In `Analytic` the energy of a tree is not consistent with its motion.
                    let most = 0.02 * stage.world().momentum(1).mass * 9.81;
                    assert!(method == Method::Analytic || gained < most, "{method:?}: {gained} J");
                }
                (stage.pose(), stage.world().momentum(1).center.y)
            })
        };
        let (one, two) = (run(1), run(2));
        assert!(one.0.positions.iter().all(|p| p.is_finite()));
        assert_eq!(one, two, "{method:?}");
    }
}

#[test]
fn a_ball_that_sleeps_wakes_up_where_a_log_falls_onto_it() {
    let wood = kit::damped_wood(1e10, 0.01);
    let log = (DVec3::new(-0.5, 1.5, 0.0), DVec3::new(0.5, 1.5, 0.02), 0.03, 2);
    let plant = sticks(&wood, &[log]);
    for method in BOTH {
        for dt in [1.0 / 240.0, 1.0 / 30.0] {
            let mut stage = stage::<f64>(&plant, Params { keep_shape: true, ..Params::default() }, method);
            let radius = 0.2;
            let at = DVec3::new(0.05, radius, 0.0);
            let ball = FreeBody::thrown(1, Shape::Sphere { radius }, 2000.0, at, DVec3::ZERO).unwrap();
            stage.throw(ball).unwrap();
            super::run(&mut stage, dt, 1.5);
            assert!(stage.bodies().is_asleep(Name::Thrown(1)), "{method:?} {dt}");
            stage.cut(&[BodyId(0)]).unwrap();
            let mut awake = false;
            let mut nearest = f64::INFINITY;
            for _ in 0..(0.7 / dt) as usize {
                stage.step(dt, &Actions::default()).unwrap();
                awake |= !stage.bodies().is_asleep(Name::Thrown(1));
                let (joint, ball) =
                    (stage.motion(BodyId(1)).joint, stage.bodies().get(Name::Thrown(1)).unwrap().position);
                nearest = nearest.min(joint.distance(ball));
            }
            // The middle of the log hits the ball, 0.23 m from its centre. In `Analytic` it moves on with
            // the mean of both velocities for the rest of the step.
            let speed = (2.0 * 9.81 * (1.5 - 0.43f64)).sqrt();
            let least = 0.23 - if method == Method::Implicit { 0.03 } else { 0.01 + 0.5 * speed * dt };
            assert!(awake && nearest > least, "{method:?} {dt}: awake {awake}, {nearest} m");
        }
    }
}
