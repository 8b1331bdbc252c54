//! Steps of different lengths in one run, and the limits of joints and of damping, which must not depend
//! on the steps.

use crate::kit::{apart, damped_wood, joints, run};
use crate::truth::{Rod, plants};
use proptest::prelude::*;
use windfall_articulated::Method;
use windfall_core::BodyId;
use windfall_core::glam::{DQuat, DVec3};
use windfall_solver::Params;
use windfall_solver::{Actions, Load};
use windfall_testkit::World;

const BOTH: [Method; 2] = [Method::Implicit, Method::Analytic];

/// Remaining kinetic energy after a push of 0.1 N, and the largest displacement of any joint, over 20 s
/// in steps from `lengths`.
fn after_push(method: Method, damping: f64, mut lengths: impl FnMut(usize) -> f64) -> (f64, f64) {
    let plant = plants::forked(&damped_wood(1e10, damping));
    let mut world = World::<f64>::new(plant, Params { keep_shape: true, ..Params::default() }, method).unwrap();
    let rest = joints(&world);
    let push = [Load::force(BodyId(3), DVec3::Y * 0.1, DVec3::X * 0.1)];
    let (mut farthest, mut energy, mut i) = (0.0_f64, 0.0_f64, 0);
    while world.time() < 20.0 && i < 5000 {
        let loads: &[Load] = if world.time() < 0.2 { &push } else { &[] };
        world.step(lengths(i), &Actions { loads, grabs: &[], touches: &[], ..Actions::default() }).unwrap();
        farthest = farthest.max(apart(&rest, &joints(&world)));
        if world.time() > 10.0 {
            energy = energy.max(world.energy().kinetic);
        }
        i += 1;
    }
    (energy, farthest)
}

#[test]
fn steps_may_change_in_length() {
    let sequences: [&[f64]; 7] = [
        &[1.0 / 60.0, 1.0 / 55.0],
        &[1.0 / 60.0, 1.0 / 45.0],
        &[1.0 / 60.0, 1.0 / 30.0],
        &[1.0 / 120.0, 1.0 / 30.0],
        &[1e-3, 0.1],
        &[1e-6, 0.1],
        &[0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.05],
    ];
    for method in BOTH {
        let (_, reach) = after_push(method, 0.0, |_| 1.0 / 60.0);
        for lengths in sequences {
            for damping in [0.0, 0.002] {
                let (energy, farthest) = after_push(method, damping, |i| lengths[i % lengths.len()]);
                // The push does at most this much work.
                assert!(energy < 0.1 * reach, "{method:?}, {lengths:?} s, beta {damping}: {energy} J");
                assert!(farthest < 2.0 * reach, "{method:?}, {lengths:?} s, beta {damping}: {farthest} m");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]
    /// With random steps over all five decades `Implicit` trembles by centimetres, a decimetre in the
    /// worst of thousands of sequences; it does not grow.
    #[test]
    fn the_wildest_sequence_of_steps_is_bounded(
        logs in prop::collection::vec(-6.0..-1.0_f64, 50..300),
        method in prop::sample::select(BOTH.to_vec()),
    ) {
        let (energy, farthest) = after_push(method, 0.0, |i| 10_f64.powf(logs[i % logs.len()]));
        prop_assert!(energy < 10.0 && farthest < 0.3, "{:?}: {} J, {} m", method, energy, farthest);
    }

    #[test]
    fn any_sequence_of_steps_is_calm(
        logs in prop::collection::vec(-3.0..-1.0_f64, 50..300),
        method in prop::sample::select(BOTH.to_vec()),
    ) {
        let (energy, farthest) = after_push(method, 0.0, |i| 10_f64.powf(logs[i % logs.len()]));
        let (_, reach) = after_push(method, 0.0, |_| 1.0 / 60.0);
        prop_assert!(energy < 0.1 * reach && farthest < 2.0 * reach, "{:?}: {} J, {} m of {}", method, energy, farthest, reach);
    }
}

/// Steps that vary by a tenth hardly damp the motion that they resolve.
#[test]
fn jitter_hardly_damps() {
    let plant = plants::forked(&damped_wood(1e8, 0.0));
    let swing = |jitter: f64| {
        let params = Params { gravity: DVec3::ZERO, ..Params::default() };
        let mut world = World::<f64>::new(plant.clone(), params, Method::Implicit).unwrap();
        world.set_joint(BodyId(0), DQuat::IDENTITY, DVec3::X * 0.5);
        let start = world.energy().total();
        let mut most = 0.0_f64;
        for i in 0..600_u32 {
            let dt = (1.0 / 120.0) * (1.0 + jitter * f64::from(i * 7919 % 1000) / 1000.0);
            world.step(dt, &Actions::default()).unwrap();
            if i >= 570 {
                most = most.max(world.energy().total());
            }
        }
        most / start
    };
    let (steady, jittery) = (swing(0.0), swing(0.1));
    println!("energy left after 5 s: {steady:.3} in equal steps, {jittery:.3} in steps that jitter by a tenth");
    assert!(jittery > 0.9 * steady, "{jittery} of {steady}");
}

/// A horizontal rod that rests on its limits: its foot carries all its weight, and its shape is that of
/// the limits, an arc.
#[test]
fn limits_carry_what_leans_on_them() {
    let rod = Rod { length: 1.0, base_radius: 0.01, tip_radius: 0.01, material: damped_wood(1e8, 0.05) };
    let plant = plants::cantilever(&rod, 8, DVec3::X);
    let weight: f64 = plant.body_ids().map(|id| plant.mass_properties(id).mass).sum::<f64>() * 9.81;
    for method in BOTH {
        for dt in [1.0 / 30.0, 1e-3] {
            for degrees in [0.0, 1.0, 3.0] {
                let mut params = Params::default();
                params.limits.branches.bend_degrees = Some(degrees);
                let mut world = World::<f64>::new(plant.clone(), params, method).unwrap();
                run(&mut world, dt, (10.0 / dt) as usize);
                let foot = world.joint_load(BodyId(0)).force.length();
                assert!((foot / weight - 1.0).abs() < 1e-3, "{method:?}, {dt} s, {degrees} degrees: {foot} N");
                // The inner joints are at their limits; those near the tip carry too little to get there.
                let mut at_limit = 0;
                for id in plant.body_ids() {
                    let bend = world.joint_rotation(id).to_scaled_axis().length().to_degrees();
                    assert!(bend < degrees + 0.06, "{method:?}, {dt} s: body {} bends by {bend} degrees", id.0);
                    at_limit += usize::from(bend > degrees - 0.06);
                }
                assert!(at_limit >= 4, "{method:?}, {dt} s, {degrees} degrees: {at_limit} joints at their limits");
                assert!(world.energy().kinetic < 1e-8, "{method:?}, {dt} s, {degrees} degrees: it still moves");
            }
        }
    }
}

/// Limits count from the drawn shape of the tree, not from that in which its springs are relaxed.
#[test]
fn limits_do_not_move_a_tree_that_keeps_its_shape() {
    let plant = plants::leafy(&damped_wood(1e9, 0.02));
    for method in BOTH {
        for degrees in [0.0, 0.5, 2.0] {
            let mut params = Params { keep_shape: true, ..Params::default() };
            for limit in [&mut params.limits.branches, &mut params.limits.leaves, &mut params.limits.fruit] {
                limit.bend_degrees = Some(degrees);
            }
            let mut world = World::<f64>::new(plant.clone(), params, method).unwrap();
            let rest = joints(&world);
            run(&mut world, 1.0 / 60.0, 300);
            let moved = apart(&rest, &joints(&world));
            assert!(moved < 1e-5, "{method:?}, limits of {degrees} degrees: moved by {moved} m");
        }
    }
}

/// One joint of 10 rad/s, deflected by 0.1 rad, under mass-proportional damping far beyond critical: it
/// creeps back by the closed form.
#[test]
fn strong_mass_damping_creeps_at_the_right_speed() {
    let rod = Rod { length: 1.0, base_radius: 0.01, tip_radius: 0.01, material: damped_wood(1e9, 0.0) };
    let plant = plants::cantilever(&rod, 1, DVec3::Y);
    for method in BOTH {
        for alpha in [100.0, 200.0, 1000.0] {
            let mut params = Params { gravity: DVec3::ZERO, mass_damping: alpha, ..Params::default() };
            let properties = plant.mass_properties(BodyId(0));
            let inertia = properties.inertia.x + properties.mass * properties.center_of_mass.length_squared();
            params.branches.stiffness = 100.0 * inertia / params.values(&plant)[0].stiffness.x;
            let mut world = World::<f64>::new(plant.clone(), params, method).unwrap();
            world.set_joint(BodyId(0), DQuat::from_rotation_x(0.1), DVec3::ZERO);
            run(&mut world, 1.0 / 60.0, 60);
            let angle = world.joint_rotation(BodyId(0)).to_scaled_axis().x;
            let (d, s) = (alpha / 2.0, (alpha * alpha / 4.0 - 100.0).sqrt());
            let exact = 0.1 * ((s - d).exp() * (d + s) - (-d - s).exp() * (d - s)) / (2.0 * s);
            assert!((angle / exact - 1.0).abs() < 0.02, "{method:?}, alpha {alpha}: {angle} rad instead of {exact}");
        }
    }
}

#[test]
fn a_push_within_its_window_gives_its_impulse_in_steps_of_any_length() {
    // F for 0.1 s: a free piece gains the impulse F 0.1 s, whatever the steps, even if the method changes
    // in the middle of it.
    let plant = plants::forked(&damped_wood(1e10, 0.01));
    let force = DVec3::new(0.3, 0.1, -0.2);
    for method in BOTH {
        for switch in [false, true] {
            let params = Params { gravity: DVec3::ZERO, ..Params::default() };
            let mut world = World::<f64>::new(plant.clone(), params, method).unwrap();
            let piece = world.release(BodyId(0));
            let pushed = 0.1003_f64..0.2003;
            for i in 0..60 {
                let dt = [0.004, 0.011, 0.002, 0.007][i % 4];
                if switch && i == 25 {
                    world.set_method(if method == Method::Implicit { Method::Analytic } else { Method::Implicit });
                }
                let window = world.force_window(BodyId(0), dt);
                let overlap = pushed.end.min(window.end) - pushed.start.max(window.start);
                let share = overlap.max(0.0) / (window.end - window.start);
                let load = Load::force(BodyId(0), DVec3::ZERO, force * share);
                world.step(dt, &Actions { loads: &[load], grabs: &[], touches: &[], ..Actions::default() }).unwrap();
            }
            let ours = world.momentum(piece).linear;
            assert!((ours - 0.1 * force).length() < 1e-9, "{method:?} {switch}: {ours}, not {}", 0.1 * force);
        }
    }
}
