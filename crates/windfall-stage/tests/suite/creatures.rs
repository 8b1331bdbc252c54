//! A squirrel: its weight, leap and landing.

use windfall_articulated::Method;
use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant};
use windfall_solver::Actions;
use windfall_solver::Params;
use windfall_stage::creature::Way;
use windfall_stage::{Creature, CreatureError, Stop};

use super::truth::plants;
use super::{BOTH, kit, rod, stage};

/// Two horizontal branches, one behind the other.
fn two_branches() -> Plant {
    let rod = super::truth::rod::Rod { material: kit::damped_wood(1e10, 0.05), ..rod(1.0, 0.015) };
    let one = plants::cantilever(&rod, 8, DVec3::X);
    Plant::together("two branches", &[(&one, DVec3::ZERO), (&one, DVec3::new(0.0, -0.4, 0.8))]).unwrap()
}

fn tip_of(stage: &windfall_testkit::Stage<f64>, body: BodyId) -> DVec3 {
    let motion = stage.motion(body);
    motion.joint + motion.orientation * (DVec3::Y / 8.0)
}

#[test]
fn at_rest_it_bends_the_branch_as_its_weight_does() {
    let plant = two_branches();
    for method in BOTH {
        let mut stage =
            stage::<f64>(&plant, Params { keep_shape: true, mass_damping: 2.0, ..Params::default() }, method);
        let stop = Stop { body: BodyId(7).into(), at: 1.0, by: Way::Rest(0.0) };
        stage.add_creature(Creature::new(0.4, 0.06, vec![stop]).unwrap()).unwrap();
        super::run(&mut stage, 1.0 / 60.0, 5.0);
        let ei = 1e10 * std::f64::consts::PI * 0.015_f64.powi(4) / 4.0;
        let sag = 0.4 * 9.81 / (3.0 * ei);
        let ours = -tip_of(&stage, BodyId(7)).y;
        kit::row("sag under a squirrel at the tip, mm", &format!("{:.2}", sag * 1e3), &format!("{:.2}", ours * 1e3));
        assert!((ours / sag - 1.0).abs() < 0.02, "{method:?}: {ours}, {sag}");
        assert!(stage.creatures()[0].is_done());
    }
}

#[test]
fn it_runs_out_leaps_and_lands_on_the_other_tree() {
    let plant = two_branches();
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, Params { keep_shape: true, ..Params::default() }, method);
        let stops = vec![
            Stop { body: BodyId(0).into(), at: 0.5, by: Way::Rest(0.0) },
            Stop { body: BodyId(7).into(), at: 0.9, by: Way::Run(1.5) },
            Stop { body: BodyId(15).into(), at: 0.8, by: Way::Leap(0.4) },
            Stop { body: BodyId(8).into(), at: 0.2, by: Way::Run(2.0) },
        ];
        stage.add_creature(Creature::new(0.4, 0.05, stops).unwrap()).unwrap();
        let (mut in_air, mut landed) = (0.0, false);
        let mut largest = [0.0_f64; 2];
        let dt = 1.0 / 120.0;
        let mut last = DVec3::ZERO;
        for i in 0..(4.0 / dt) as usize {
            stage.step(dt, &Actions::default()).unwrap();
            let creature = &stage.creatures()[0];
            match creature.sits_on() {
                None => in_air += dt,
                Some(body) => landed |= body.id.0 >= 8,
            }
            // It never jumps from place to place.
            if i > 0 {
                assert!(
                    creature.position().distance(last) < 8.0 * dt + 0.05,
                    "{method:?} {i}: {last} to {}",
                    creature.position()
                );
            }
            last = creature.position();
            largest[0] = largest[0].max(tip_of(&stage, BodyId(7)).y.abs());
            largest[1] = largest[1].max((tip_of(&stage, BodyId(15)).y + 0.4).abs());
        }
        assert!((in_air - 0.4).abs() < 2.5 * dt, "{method:?}: {in_air} s in the air");
        assert!(landed && stage.creatures()[0].is_done(), "{method:?}");
        assert_eq!(stage.creatures()[0].sits_on(), Some(BodyId(8).into()));
        assert!(largest.iter().all(|&l| l > 0.005 && l < 0.3), "{method:?}: {largest:?}");
    }
}

#[test]
fn what_the_branch_gets_is_what_the_creature_gives() {
    // Over the whole leap from a rigid branch: impulse on the branch = m g t + m (start - take-off velocity).
    let plant = two_branches();
    let mut params = Params::default();
    params.branches.stiffness = f64::INFINITY;
    let mut stage = stage::<f64>(&plant, params, Method::Implicit);
    let stops = vec![
        Stop { body: BodyId(7).into(), at: 0.5, by: Way::Rest(0.0) },
        Stop { body: BodyId(7).into(), at: 0.5, by: Way::Rest(0.5) },
        Stop { body: BodyId(15).into(), at: 0.5, by: Way::Leap(0.5) },
    ];
    stage.add_creature(Creature::new(0.4, 0.05, stops).unwrap()).unwrap();
    let dt = 1.0 / 240.0;
    let mut held = DVec3::ZERO;
    while stage.creatures()[0].sits_on().is_some() || stage.time() == 0.0 {
        stage.step(dt, &Actions::default()).unwrap();
        // Force on the foot of the first tree, less that of its own weight.
        let load = stage.joint_load(BodyId(0));
        held += stage.motion(BodyId(0)).orientation * load.force * dt;
        assert!(stage.time() < 2.0);
    }
    let weight: f64 = (0..8).map(|i| plant.mass_properties(BodyId(i)).mass).sum();
    let own = held - DVec3::Y * weight * 9.81 * stage.time();
    let creature = &stage.creatures()[0];
    // Its velocity at take-off: one step of falling ago.
    let takeoff = creature.velocity() - super::GRAVITY * dt;
    let expected = 0.4 * (takeoff - super::GRAVITY * (stage.time() - dt));
    assert!((own - expected).length() < 0.02 * expected.length(), "{own}, {expected}");
}

#[test]
fn impossible_creatures_are_refused() {
    let plant = plants::leafy(&super::truth::rod::wood(1e9));
    let mut stage = stage::<f32>(&plant, Params::default(), Method::Implicit);
    let stop = |body, by| Stop { body: BodyId(body).into(), at: 0.5, by };
    assert_eq!(Creature::new(0.3, 0.1, vec![]).unwrap_err(), CreatureError::NoStop);
    assert!(Creature::new(-0.3, 0.1, vec![stop(0, Way::Rest(0.0))]).is_err());
    let on_leaf = Creature::new(0.3, 0.1, vec![stop(10, Way::Rest(0.0))]).unwrap();
    assert_eq!(stage.add_creature(on_leaf).unwrap_err(), CreatureError::NotWood { stop: 0, body: 10 }.into());
    let nowhere = Creature::new(0.3, 0.1, vec![stop(999, Way::Rest(0.0))]).unwrap();
    assert!(stage.add_creature(nowhere).is_err());
}
