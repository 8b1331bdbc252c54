//! Wood breaks once, at the place and load of beam theory.

use std::f64::consts::PI;

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant};
use windfall_solver::Params;
use windfall_solver::{Actions, Load, Solver};
use windfall_stage::Event;
use windfall_testkit::Stage;

use super::truth::plants;
use super::truth::rod::{Rod, wood};
use super::{BOTH, kit, rod, stage, weightless};

const RUPTURE: f64 = 50e6;
const SHEAR: f64 = 10e6;

/// Stiff so that it breaks before it bends.
fn brittle(mut rod: Rod) -> Rod {
    rod.material =
        windfall_core::WoodMaterial { modulus_of_rupture: RUPTURE, shear_strength: SHEAR, damping: 0.01, ..wood(1e11) };
    rod
}

/// Raises a load at the tip until something breaks: the factor, and the body.
fn raise(stage: &mut Stage<f64>, per_second: &dyn Fn(f64) -> Load, seconds: f64, dt: f64) -> Option<(f64, BodyId)> {
    for i in 0..(seconds / dt) as usize {
        let t = i as f64 * dt;
        stage.step(dt, &Actions { loads: &[per_second(t)], ..Actions::default() }).unwrap();
        if let Some(Event::Broke { body, used, .. }) = stage.events().first() {
            assert!(*used > 1.0 && *used < 1.02, "raised too fast: {used}");
            assert_eq!(stage.events().len(), 1);
            return Some((t, body.id));
        }
    }
    None
}

#[test]
fn a_cantilever_breaks_at_its_foot_at_the_load_of_beam_theory() {
    let rod = brittle(rod(1.0, 0.01));
    let plant = plants::cantilever(&rod, 16, DVec3::Y);
    let tip = BodyId(15);
    // F L = MOR pi r^3 / 4, and 1 s to get there.
    let force = RUPTURE * PI * 1e-6 / 4.0 / 1.0;
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, weightless(), method);
        let load = |t: f64| Load::force(tip, DVec3::Y / 16.0, DVec3::X * force * t);
        let (time, body) = raise(&mut stage, &load, 2.0, 1e-3).expect("it breaks");
        kit::row("breaking load of a cantilever, N", &format!("{force:.2}"), &format!("{:.2}", force * time));
        assert_eq!(body, BodyId(0), "{method:?}");
        assert!((time - 1.0).abs() < 0.015, "{method:?}: {time}");
    }
}

#[test]
fn a_tapered_pole_breaks_where_the_stress_is_largest() {
    let rod = brittle(Rod { tip_radius: 0.002, ..rod(1.0, 0.02) });
    let n = 40;
    let plant = plants::cantilever(&rod, n, DVec3::Y);
    // M / W = F (L - s) / (pi r(s)^3 / 4), largest where r = 3 (L - s) |dr/ds|: r0 - k s = 3 k (L - s),
    // k = 0.018: s = 0.944 m.
    let s = (3.0 * 0.018 - 0.02) / (2.0 * 0.018);
    let stress = |s: f64| (1.0 - s) / (PI * rod.radius(s).powi(3) / 4.0);
    let force = RUPTURE / stress(s);
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, weightless(), method);
        let load = |t: f64| Load::force(BodyId(n as u32 - 1), DVec3::Y / n as f64, DVec3::X * force * t);
        let (time, body) = raise(&mut stage, &load, 2.0, 1e-3).expect("it breaks");
        let place = plant.rest_position(body).y;
        kit::row("where a tapered pole breaks, m", &format!("{s:.3}"), &format!("{place:.3}"));
        kit::row("breaking load of a tapered pole, N", &format!("{force:.3}"), &format!("{:.3}", force * time));
        assert!((place - s).abs() <= 1.0 / n as f64, "{method:?}: {place} m, not {s}");
        assert!((time - 1.0).abs() < 0.02, "{method:?}: {time}");
    }
}

#[test]
fn twist_splits_wood_at_its_shear_strength() {
    let rod = brittle(rod(0.5, 0.01));
    let plant = plants::cantilever(&rod, 8, DVec3::Y);
    let torque = SHEAR * PI * 1e-6 / 2.0;
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, weightless(), method);
        let load = |t: f64| Load::torque(BodyId(7), DVec3::Y * torque * t);
        let (time, _) = raise(&mut stage, &load, 2.0, 1e-3).expect("it breaks");
        kit::row("twist that splits a rod, N m", &format!("{torque:.3}"), &format!("{:.3}", torque * time));
        assert!((time - 1.0).abs() < 0.015, "{method:?}: {time}");
    }
}

#[test]
fn what_is_overloaded_at_once_breaks_once() {
    let rod = brittle(rod(1.0, 0.01));
    let plant = plants::cantilever(&rod, 16, DVec3::Y);
    let force = RUPTURE * PI * 1e-6 / 4.0;
    for method in BOTH {
        for dt in [1.0 / 30.0, 1e-3] {
            let mut stage = stage::<f64>(&plant, Params::default(), method);
            // On the ground it may break again.
            stage.set_obstacles(windfall_free::Obstacles::none());
            let mut breaks = 0;
            for i in 0..(2.0 / dt) as usize {
                // Five times its strength, for a tenth of a second or until it breaks.
                let push = Load::force(BodyId(15), DVec3::Y / 16.0, DVec3::X * force * 5.0);
                let loads: &[Load] = if breaks == 0 && i as f64 * dt < 0.1 { &[push] } else { &[] };
                stage.step(dt, &Actions { loads, ..Actions::default() }).unwrap();
                breaks += stage.events().len();
            }
            assert_eq!(breaks, 1, "{method:?} {dt}");
        }
    }
}

#[test]
fn the_mother_tree_recoils_and_the_piece_flies_a_parabola() {
    let rod = brittle(rod(2.0, 0.01));
    let plant = plants::cantilever(&rod, 16, DVec3::Y);
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, Params::default(), method);
        stage.set_obstacles(windfall_free::Obstacles::none());
        // Otherwise it falls onto its stump.
        let mut settings = *stage.settings();
        settings.collisions.pieces = false;
        stage.set_settings(settings).unwrap();
        // Pulled aside, then cut in the middle.
        let pull = Load::force(BodyId(15), DVec3::Y / 8.0, DVec3::X * 10.0);
        for _ in 0..200 {
            stage.step(1.0 / 60.0, &Actions { loads: &[pull], ..Actions::default() }).unwrap();
        }
        let bent = stage.motion(BodyId(7)).joint.x;
        stage.cut(&[BodyId(8)]).unwrap();
        assert!(matches!(stage.events(), [Event::Broke { body: windfall_core::BodyRef { id: BodyId(8), .. }, .. }]));
        let start = stage.world().momentum(1);
        let mut farthest = bent;
        for i in 1..=30 {
            stage.step(1.0 / 60.0, &Actions::default()).unwrap();
            let t = f64::from(i) / 60.0;
            let parabola = start.center + start.velocity() * t + super::GRAVITY * (0.5 * t * t);
            let off = stage.world().momentum(1).center.distance(parabola);
            assert!(off < 2e-3, "{method:?}: {off} m beside its parabola");
            farthest = farthest.min(stage.motion(BodyId(7)).joint.x);
        }
        assert!(farthest < 0.2 * bent, "{method:?}: {bent} m before, {farthest} m after");
    }
}

/// Mass of every body once, in a tree, a piece or free: none is lost or doubled.
fn mass_on(stage: &Stage<f64>) -> f64 {
    let pieces = stage.plant().trees().len() + stage.world().pieces().len();
    (0..pieces).map(|i| stage.world().momentum(i).mass).sum::<f64>()
        + stage.bodies().iter().map(|b| b.mass).sum::<f64>()
}

fn mass_of(plant: &Plant) -> f64 {
    plant.body_ids().map(|id| plant.mass_properties(id).mass).sum()
}

#[test]
fn a_thousand_breaks_in_one_step_lose_nothing() {
    let plant = super::grown("apple", 6000);
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, Params::default(), method);
        super::run(&mut stage, 1.0 / 30.0, 0.1);
        let wood: Vec<BodyId> = (0..plant.segments().len() as u32).map(BodyId).collect();
        let every = wood.len() / 1000;
        let cut: Vec<BodyId> = wood.iter().copied().skip(1).step_by(every).take(1000).collect();
        stage.cut(&cut).unwrap();
        assert_eq!(stage.world().pieces(), &cut[..]);
        assert!((mass_on(&stage) / mass_of(&plant) - 1.0).abs() < 1e-9, "{method:?}");
        for _ in 0..10 {
            stage.step(1.0 / 30.0, &Actions::default()).unwrap();
            assert!((mass_on(&stage) / mass_of(&plant) - 1.0).abs() < 1e-9, "{method:?}");
        }
        assert!(stage.pose().positions.iter().all(|p| p.is_finite()));
    }
}

#[test]
fn wood_without_strength_falls_to_pieces_from_one_step_to_the_next() {
    let plant = plants::cantilever(&rod(1.0, 0.01), 4, DVec3::Y);
    let mut params = Params::default();
    params.branches.strength = 0.0;
    for method in BOTH {
        let mut stage = stage::<f64>(&plant, params.clone(), method);
        stage.set_obstacles(windfall_free::Obstacles::none());
        super::run(&mut stage, 1.0 / 60.0, 0.1);
        assert_eq!(stage.world().pieces().len(), 4, "{method:?}");
    }
}

/// A stored world that is restored has no strengths, or those of other parameters: it breaks as in a stage
/// of its own.
#[test]
fn a_world_that_is_put_back_breaks_as_before() {
    let load = |world: &windfall_articulated::World<f64>| {
        let tip = BodyId(world.plant().segments().len() as u32 - 1);
        Load::force(tip, DVec3::ZERO, DVec3::X * 300.0)
    };
    let breaks = |stage: &mut Stage<f64>| {
        let loads = [load(stage.world())];
        (0..20).find_map(|_| {
            stage.step(1.0 / 60.0, &Actions { loads: &loads, ..Actions::default() }).unwrap();
            (!stage.events().is_empty()).then(|| stage.events().to_vec())
        })
    };
    let plant = plants::cantilever(&brittle(rod(1.0, 0.01)), 16, DVec3::Y);
    let weaker = |strength: f64| {
        let mut params = weightless();
        params.branches.strength = strength;
        params
    };
    for method in BOTH {
        let mut alone = stage::<f64>(&plant, weaker(1.0), method);
        let kept = alone.world().clone();
        let truth = breaks(&mut alone).expect("it breaks");
        let mut stage = stage::<f64>(&plant, weaker(1.0), method);
        super::run(&mut stage, 1.0 / 60.0, 0.1);
        *stage.world_mut() = kept.clone();
        assert_eq!(breaks(&mut stage), Some(truth.clone()), "{method:?}: never told");
        // A stage with strengths that never break.
        let mut stage = super::stage::<f64>(&plant, weaker(1e6), method);
        super::run(&mut stage, 1.0 / 60.0, 0.1);
        let kept = stage.world().clone();
        stage.set_params(weaker(1.0)).unwrap();
        super::run(&mut stage, 1.0 / 60.0, 0.1);
        *stage.world_mut() = kept;
        assert!(breaks(&mut stage).is_some(), "{method:?}: told of other strengths");
    }
}

/// Also after many bodies have broken off.
#[test]
fn a_world_may_be_put_back_in_a_storm() {
    let plant = super::grown("maple", 3000);
    let gale = std::sync::Arc::new(windfall_wind::preset("gale").unwrap().build().unwrap());
    let mut params = Params::default();
    for class in [&mut params.branches, &mut params.leaves] {
        class.strength = 0.3;
    }
    for method in BOTH {
        let mut stage = stage::<f32>(&plant, params.clone(), method);
        stage.set_wind(Some(gale.clone()));
        let kept = stage.world().clone();
        for round in 0..3 {
            let mut events = 0;
            for _ in 0..30 {
                stage.step(1.0 / 30.0, &Actions::default()).unwrap();
                events += stage.events().len();
            }
            assert!(events > 20, "{method:?}, round {round}: {events} events");
            assert!(stage.pose().positions.iter().all(|p| p.is_finite()), "{method:?}, round {round}");
            *stage.world_mut() = kept.clone();
        }
    }
}
