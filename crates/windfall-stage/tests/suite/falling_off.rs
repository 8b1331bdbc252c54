//! Leaves and fruit detach at their strength and become free bodies.

use windfall_articulated::Method;
use windfall_core::glam::DVec3;
use windfall_core::{Body, BodyId, JointStrength, Plant};
use windfall_free::Name;
use windfall_solver::Params;
use windfall_solver::{Actions, Load};
use windfall_stage::{CollisionMode, Event};

use super::truth::plants;
use super::{BOTH, kit, stage, weightless};

#[test]
fn an_apple_lets_go_at_the_pull_that_its_stalk_bears() {
    let plant = plants::fruit_on_branch();
    let apple = BodyId(2);
    let JointStrength::Detach { tension, .. } = plant.joint_properties(apple).strength else { panic!("it detaches") };
    for method in BOTH {
        let mut params = weightless();
        params.branches.stiffness = f64::INFINITY;
        params.fruit.damping = 100.0;
        let mut stage = stage::<f64>(&plant, params, method);
        let center = plant.mass_properties(apple).center_of_mass;
        let mut let_go = None;
        for i in 0..2000 {
            let t = f64::from(i) * 1e-3;
            let pull = Load::force(apple, center, DVec3::NEG_Y * tension * t);
            stage.step(1e-3, &Actions { loads: &[pull], ..Actions::default() }).unwrap();
            if let Some(Event::LetGo { body, .. }) = stage.events().first() {
                let_go = Some((t, *body));
                break;
            }
        }
        let (time, body) = let_go.expect("it lets go");
        kit::row("pull that takes an apple off, N", &format!("{tension:.2}"), &format!("{:.2}", tension * time));
        assert_eq!(body, apple);
        assert!((time - 1.0).abs() < 0.01, "{method:?}: {time}");
        assert!(stage.has_let_go(apple) && stage.bodies().get(Name::Plant(apple.into())).is_some());
    }
}

#[test]
fn what_lets_go_keeps_its_place_and_speed_and_weighs_on_the_tree_no_more() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.02));
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, Params::default(), method);
        super::run(&mut stage, 1.0 / 60.0, 0.2);
        let before: Vec<_> = plant.body_ids().map(|id| stage.motion(id)).collect();
        let mass = stage.world().momentum(0).mass;
        let off = [BodyId(9), BodyId(12), BodyId(15)];
        stage.cut(&off).unwrap();
        for id in plant.body_ids() {
            let (a, b) = (&before[id.0 as usize], stage.motion(id));
            assert!(a.joint.distance(b.joint) < 1e-12 && a.velocity.distance(b.velocity) < 1e-9, "{method:?} {id:?}");
        }
        let lost: f64 = off.iter().map(|&id| plant.mass_properties(id).mass).sum();
        assert!((stage.world().momentum(0).mass - (mass - lost)).abs() < 1e-12);
        // A second cut has no effect.
        stage.cut(&off).unwrap();
        assert_eq!(stage.bodies().len(), 3);
        // In a vacuum an apple falls with Galilei's law until it hits the ground.
        let apple = before[15];
        for i in 1..=6 {
            stage.step(1.0 / 60.0, &Actions::default()).unwrap();
            let t = f64::from(i) / 60.0;
            let fall = apple.center + apple.velocity * t + super::GRAVITY * (0.5 * t * t);
            let now = stage.motion(BodyId(15)).center;
            assert!(now.distance(fall) < 1e-9, "{method:?}: {now}, {fall}");
        }
        // The pose shows it at its present place.
        let shown = stage.pose().positions[15].as_dvec3() + plant.trees()[0].origin;
        assert!(shown.distance(stage.motion(BodyId(15)).joint) < 1e-6);
    }
}

#[test]
fn a_tree_without_leaves_moves_as_one_that_never_had_any() {
    // The same wood with and without leaves and apples; the first loses them at the start.
    let wood = kit::damped_wood(1e9, 0.02);
    for method in BOTH {
        let mut bare = stage::<f64>(&plants::forked(&wood), Params::default(), method);
        let mut leafy = stage::<f64>(&plants::leafy(&wood), Params::default(), method);
        let mut apart = *leafy.settings();
        apart.collisions.mode = CollisionMode::Off;
        leafy.set_settings(apart).unwrap();
        leafy.cut(&(9..17).map(BodyId).collect::<Vec<_>>()).unwrap();
        for _ in 0..60 {
            bare.step(1.0 / 60.0, &Actions::default()).unwrap();
            leafy.step(1.0 / 60.0, &Actions::default()).unwrap();
            for id in (0..9).map(BodyId) {
                let off = bare.motion(id).joint.distance(leafy.motion(id).joint);
                assert!(off < 1e-9, "{method:?} {id:?}: {off}");
            }
        }
    }
}

#[test]
fn what_rides_along_can_be_cut_off_too() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.02));
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, Params::default(), method);
        // The trunk alone is simulated.
        stage.world_mut().select(windfall_solver::Selection::Bodies((0..17).map(|i| i < 3).collect()));
        super::run(&mut stage, 1.0 / 60.0, 0.2);
        let (mass, before) = (stage.world().momentum(0).mass, stage.motion(BodyId(15)));
        stage.cut(&[BodyId(15), BodyId(10)]).unwrap();
        let lost: f64 = [15, 10].iter().map(|&i| plant.mass_properties(BodyId(i)).mass).sum();
        assert!((stage.world().momentum(0).mass - (mass - lost)).abs() < 1e-12, "{method:?}");
        assert!(stage.motion(BodyId(15)).joint.distance(before.joint) < 1e-12);
        // And a branch that is not simulated.
        stage.cut(&[BodyId(3)]).unwrap();
        let all = stage.world().momentum(0).mass + stage.world().momentum(1).mass;
        assert!((all - (mass - lost)).abs() < 1e-12, "{method:?}");
        // Later selections leave them in place.
        stage.world_mut().select(windfall_solver::Selection::All);
        let all = stage.world().momentum(0).mass + stage.world().momentum(1).mass;
        assert!((all - (mass - lost)).abs() < 1e-12, "{method:?}");
        super::run(&mut stage, 1.0 / 60.0, 0.2);
        assert!(stage.pose().positions.iter().all(|p| p.is_finite()));
        // An action on a detached body acts on the free body; a touch has no effect.
        let push = Load::force(BodyId(15), DVec3::ZERO, DVec3::X);
        let mass = windfall_core::glam::DMat3::IDENTITY;
        let touch = windfall_solver::Touch {
            body: BodyId(10).into(),
            point: DVec3::ZERO,
            velocity: DVec3::X,
            mass,
            pushes_along: None,
        };
        let speed = stage.motion(BodyId(15)).velocity.x;
        stage.step(1.0 / 60.0, &Actions { loads: &[push], touches: &[touch], ..Actions::default() }).unwrap();
        assert_eq!(stage.touch_impulses()[0], DVec3::ZERO);
        let gained = stage.motion(BodyId(15)).velocity.x - speed;
        let expected = 1.0 / 60.0 / plant.mass_properties(BodyId(15)).mass;
        assert!((gained / expected - 1.0).abs() < 1e-6, "{method:?}: {gained}, {expected}");
    }
}

#[test]
fn strength_zero_lets_go_at_once_and_infinite_never() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.02));
    let mut params = Params::default();
    params.leaves.strength = 0.0;
    params.fruit.strength = f64::INFINITY;
    let mut stage = stage::<f32>(&plant, params, Method::Implicit);
    stage.step(1.0 / 60.0, &Actions::default()).unwrap();
    assert_eq!(stage.events().len(), 6);
    let push = Load::force(BodyId(15), DVec3::ZERO, DVec3::X * 1e4);
    stage.step(1.0 / 60.0, &Actions { loads: &[push], ..Actions::default() }).unwrap();
    assert_eq!(stage.bodies().len(), 6, "apples hold");
}

#[test]
fn what_was_released_by_hand_stays_a_piece_when_it_is_cut() {
    let plant = plants::leafy(&super::truth::rod::wood(1e9));
    for method in super::BOTH {
        let mut stage = super::stage::<f64>(&plant, Params::default(), method);
        stage.world_mut().release(BodyId(10));
        stage.step(0.01, &Actions::default()).unwrap();
        stage.cut(&[BodyId(10), BodyId(11)]).unwrap();
        stage.step(0.01, &Actions::default()).unwrap();
        assert!(!stage.has_let_go(BodyId(10)) && stage.has_let_go(BodyId(11)));
    }
}

#[test]
fn a_hand_holds_a_fallen_leaf_however_strong_and_long_the_step() {
    let plant = plants::leafy(&super::truth::rod::wood(1e9));
    for dt in [1e-3, 1.0 / 60.0, 0.1] {
        for stiffness in [10.0, 1e3, 1e9, f64::INFINITY] {
            let mut stage = super::stage::<f64>(&plant, Params::default(), Method::Implicit);
            let leaf = BodyId(10);
            let start = stage.motion(leaf).joint;
            stage.cut(&[leaf]).unwrap();
            let grab = |t: f64| windfall_solver::Grab {
                body: leaf.into(),
                point: DVec3::ZERO,
                target: start + DVec3::X * t.min(1.0),
                target_velocity: if t < 1.0 { DVec3::X } else { DVec3::ZERO },
                stiffness,
                damping: 1.0,
            };
            for i in 0..(3.0 / dt) as usize {
                stage.step(dt, &Actions { grabs: &[grab(i as f64 * dt)], ..Actions::default() }).unwrap();
            }
            // It swings about the hand, in a vacuum: the tension at the end of a length l is at most 5 m g,
            // if it turns over.
            let weight = plant.mass_properties(leaf).mass * 9.81;
            let most = 2e-3 + 5.0 * weight / stiffness;
            let off = stage.motion(leaf).joint.distance(start + DVec3::X);
            assert!(off < most, "{dt} s, {stiffness} N/m: {off} m off, not {most}");
        }
    }
}

#[test]
fn strengths_that_change_in_every_step_change_no_motion_until_something_lets_go() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.02));
    for method in BOTH {
        let params = Params { keep_shape: true, ..Params::default() };
        let mut stages = [0, 1].map(|_| stage::<f32>(&plant, params.clone(), method));
        let push = Load::force(BodyId(4), DVec3::ZERO, DVec3::X * 0.2);
        for i in 0..60 {
            let mut ripening = params.clone();
            ripening.fruit.strength = 10.0 / f64::from(i + 1);
            stages[1].set_params(ripening).unwrap();
            for stage in &mut stages {
                stage.step(1.0 / 60.0, &Actions { loads: &[push], ..Actions::default() }).unwrap();
            }
            if stages[1].bodies().is_empty() {
                assert_eq!(stages[0].pose(), stages[1].pose(), "{method:?} {i}");
            }
        }
        // The new strengths are in force.
        let mut ripe = params.clone();
        ripe.fruit.strength = 0.0;
        stages[1].set_params(ripe).unwrap();
        stages[1].step(1.0 / 60.0, &Actions::default()).unwrap();
        assert_eq!(stages[1].bodies().len(), 2, "{method:?}");
        assert_eq!(stages[0].bodies().len(), 0, "{method:?}");
    }
}

/// Numbers of leaves and fruit that detach within three seconds.
fn lost(plant: &Plant, wind: &str, change: impl FnOnce(&mut Params)) -> (usize, usize) {
    let mut params = Params { keep_shape: true, ..Params::default() };
    change(&mut params);
    let mut stage = stage::<f32>(plant, params, Method::Implicit);
    let wind = windfall_wind::preset(wind).unwrap().build().unwrap();
    stage.set_wind(Some(std::sync::Arc::new(wind)));
    super::run(&mut stage, 1.0 / 30.0, 3.0);
    let is_fruit = |name| matches!(name, Name::Plant(id) if matches!(plant.body(id.id), Some(Body::Fruit(_))));
    let fruit = stage.bodies().iter().filter(|body| is_fruit(body.name)).count();
    (stage.bodies().len() - fruit, fruit)
}

#[test]
fn green_trees_keep_their_leaves_in_a_breeze() {
    // Vogel (1989) watched leaves at 10 and 20 m/s: they streamed, some tore, few came off. Beaufort 5, 8
    // to 10.7 m/s, is "small trees in leaf begin to sway".
    for species in ["oak", "maple"] {
        let plant = super::grown(species, 3000);
        let ((lost, _), leaves) = (lost(&plant, "fresh-breeze", |_| {}), plant.leaves().len());
        assert!(lost <= leaves / 1000, "{species} lost {lost} of {leaves} leaves");
    }
}

#[test]
fn apples_hang_until_they_are_ripe() {
    let plant = super::grown("apple", 10_000);
    let apples = plant.fruit().len();
    assert!(apples > 20, "{apples}");
    assert_eq!(lost(&plant, "calm", |_| {}), (0, 0));
    // At rest a stalk uses a twelfth of its strength for the weight and a fifth for its bend: a hundredth
    // of the strength holds nothing.
    let (_, ripe) = lost(&plant, "calm", |params| params.fruit.strength = 0.01);
    assert_eq!(ripe, apples);
}
