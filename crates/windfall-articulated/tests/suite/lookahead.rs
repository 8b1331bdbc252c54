//! One pass over memory in a step: sweeping a block up for the next step at once changes no bit.

use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Pose};
use windfall_solver::input::EARTH;
use windfall_solver::{Base, Breakable, Grab, Load, MovingBases, Solver, StepInput};

use windfall_articulated::{Method, World};
use windfall_solver::Params;

fn maple() -> World<f32> {
    let species = windfall_grow::Species::named("maple").expect("a species");
    let plant = windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(16_000), seed: 1 });
    World::new(plant.expect("it grows"), Params::default(), Method::Implicit).expect("fine parameters")
}

fn wind(speed: f64) -> Arc<dyn windfall_solver::Wind> {
    let text = format!("kind = 'grid'\nspeed = {speed}");
    Arc::new(windfall_wind::WindSpec::from_toml(&text).expect("a wind").build().expect("it builds"))
}

/// The environment of a world.
#[derive(Clone)]
struct Around {
    wind: Option<Arc<dyn windfall_solver::Wind>>,
    gravity: DVec3,
    bases: MovingBases,
}

/// The changes before step n, and the actions in it: all kinds that a caller may make between steps.
fn happens(world: &mut World<f32>, around: &mut Around, n: usize) -> (f64, Vec<Load>, Vec<Grab>) {
    let last = BodyId(world.plant().body_count() as u32 - 1);
    match n {
        2 => around.wind = Some(wind(6.0)),
        12 => around.wind = Some(wind(9.0)),
        15 => around.gravity = DVec3::new(0.5, -9.0, 0.0),
        18 => world.set_params(Params { mass_damping: 0.1, ..world.params().clone() }).expect("fine"),
        22 => drop(world.release(BodyId(900))),
        25 => Breakable::remove(world, &[last.into()]),
        30..36 => around.bases.set(0, Base { position: DVec3::X * 0.01 * n as f64, ..Base::default() }),
        40 => world.set_method(Method::Analytic),
        52 => around.wind = None,
        56 => around.wind = Some(wind(7.0)),
        60 => world.set_method(Method::Implicit),
        // The uppermost of the boughs of the top block: the other blocks stay in place.
        64 => {
            let top = world.inspect().remove(0);
            let ids = top.rows.iter().flat_map(|row| row.bodies).flatten().map(|(id, _)| id);
            world.release(ids.max().expect("some"));
        }
        _ => {}
    }
    let loads = if n % 10 == 7 { vec![Load::force(BodyId(500), DVec3::ZERO, DVec3::X * 0.1)] } else { vec![] };
    let grab = Grab {
        body: BodyId(300).into(),
        point: DVec3::ZERO,
        target: DVec3::new(0.3, 2.0, 0.1),
        target_velocity: DVec3::ZERO,
        stiffness: 5.0,
        damping: 0.1,
    };
    let grabs = if (44..47).contains(&n) || n == 5 { vec![grab] } else { vec![] };
    (if n == 10 { 0.02 } else { 1.0 / 30.0 }, loads, grabs)
}

#[test]
fn what_was_swept_ahead_is_what_would_have_been_swept_later() {
    let (mut ahead, mut plain) = (maple(), maple());
    let mut looked_ahead = 0;
    let around = Around { wind: None, gravity: EARTH, bases: MovingBases::at_rest(1) };
    let mut arounds = [around.clone(), around];
    for n in 0..90 {
        let mut poses = [Pose::default(), Pose::default()];
        for ((world, around), pose) in [&mut ahead, &mut plain].into_iter().zip(&mut arounds).zip(&mut poses) {
            let (dt, loads, grabs) = happens(world, around, n);
            around.bases.end_at(world.time() + dt);
            let input = StepInput::new().gravity(around.gravity).wind(around.wind.as_ref()).bases(&around.bases);
            world.step(dt, &mut input.loads(&loads).grabs(&grabs)).expect("a step");
            around.bases.go_on();
            *pose = world.pose();
        }
        looked_ahead += usize::from(ahead.inspect().iter().any(|block| block.is_swept_ahead));
        plain.forget_sweeps();
        let [a, b] = poses;
        assert!(a.positions == b.positions && a.orientations == b.orientations, "step {n}");
        for body in (0..ahead.plant().body_count() as u32).step_by(37).map(BodyId) {
            assert_eq!(ahead.joint_load(body), plain.joint_load(body), "step {n}, body {}", body.0);
        }
    }
    assert!(looked_ahead > 40, "{looked_ahead} of 90 steps");
}
