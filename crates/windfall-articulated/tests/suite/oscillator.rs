//! The closed forms of `Analytic`: the oscillator of one mode, the eigenvectors of one joint, and a whole
//! joint composed of them.

use nalgebra::{Matrix3, SymmetricEigen};
use proptest::prelude::*;
use windfall_articulated::Method;
use windfall_articulated::analytic::eigen;
use windfall_articulated::analytic::oscillator::Response;
use windfall_articulated::math::{Real, Sym3};
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, Plant};
use windfall_solver::Params;
use windfall_solver::{Actions, Load};
use windfall_testkit::World;

use crate::kit;

use crate::truth::{Rod, plants, rod};

/// A number as the sum of two: 32 digits (Dekker 1971, with the product error by a fused multiply-add).
#[derive(Clone, Copy)]
struct Double(f64, f64);

impl Double {
    fn plus(self, o: Self) -> Self {
        let s = self.0 + o.0;
        let b = s - self.0;
        let error = (self.0 - (s - b)) + (o.0 - b) + self.1 + o.1;
        let high = s + error;
        Self(high, error - (high - s))
    }

    fn times(self, o: Self) -> Self {
        let p = self.0 * o.0;
        let error = self.0.mul_add(o.0, -p) + self.0 * o.1 + self.1 * o.0;
        let high = p + error;
        Self(high, error - (high - p))
    }
}

type Square = [[Double; 3]; 3];

fn product(a: &Square, b: &Square) -> Square {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..3).fold(Double(0.0, 0.0), |sum, k| sum.plus(a[i][k].times(b[k][j]))))
    })
}

/// exp(A t) of (y, t y', r) with y'' = -2 p y' - o2 y + o2 r, by scaling, Taylor and squaring in 32
/// digits: the reference for the closed forms, from the differential equation alone.
fn exact(p: f64, o2: f64, t: f64) -> [f64; 5] {
    let o = Double(0.0, 0.0);
    let square = |x: f64| Double(x, 0.0).times(Double(t, 0.0)).times(Double(t, 0.0));
    let two_pt = Double(2.0 * p, 0.0).times(Double(t, 0.0));
    let o2 = square(o2);
    let minus = |d: Double| Double(-d.0, -d.1);
    let largest = o2.0.max(two_pt.0).max(1.0);
    let halvings = largest.log2().ceil() as i32 + 4;
    let scale = |d: Double| Double(d.0 * 0.5_f64.powi(halvings), d.1 * 0.5_f64.powi(halvings));
    let a: Square = [[o, scale(Double(1.0, 0.0)), o], [scale(minus(o2)), scale(minus(two_pt)), scale(o2)], [o, o, o]];
    let one = Double(1.0, 0.0);
    let identity: Square = [[one, o, o], [o, one, o], [o, o, one]];
    // exp(A) - 1, which keeps its digits where exp(A) is nearly one: (1 + e)^2 - 1 = 2 e + e^2.
    let (mut sum, mut term) = (a, a);
    for n in 2..40 {
        term = product(&term, &a);
        let inverse = {
            let high = 1.0 / f64::from(n);
            Double(high, (-high).mul_add(f64::from(n), 1.0) / f64::from(n))
        };
        term = term.map(|row| row.map(|x| x.times(inverse)));
        sum = std::array::from_fn(|i| std::array::from_fn(|j| sum[i][j].plus(term[i][j])));
    }
    for _ in 0..halvings {
        let squared = product(&sum, &sum);
        sum = std::array::from_fn(|i| std::array::from_fn(|j| squared[i][j].plus(sum[i][j]).plus(sum[i][j])));
    }
    let full = |i: usize, j: usize| {
        let d = sum[i][j].plus(identity[i][j]);
        d.0 + d.1
    };
    [full(0, 0), full(0, 1) * t, sum[0][2].0, full(1, 0) / t, full(1, 1)]
}

fn closed<T: Real>(p: f64, o2: f64, t: f64) -> [f64; 5] {
    let r = Response::<T>::new(T::of(p), T::of(o2), T::of(t));
    [r.place_of_place, r.place_of_rate, r.place_of_push, r.rate_of_place, r.rate_of_rate].map(Real::f64)
}

/// Error in units of the largest that each may be: c and y'/y'0 of 1, s of t, y' over y0 of 1/t or omega;
/// and of the push of itself. The error that no method can avoid is allowed: the phase of many turns,
/// omega t times the rounding of omega.
fn error<T: Real>(p: f64, o2: f64, t: f64) -> f64 {
    // The actual inputs of the closed form.
    let (p, o2, t) = (T::of(p).f64(), T::of(o2).f64(), T::of(t).f64());
    let (e, c) = (exact(p, o2, t), closed::<T>(p, o2, t));
    let omega = o2.sqrt();
    let turns = 1.0 + omega * t;
    // 1 - c passes through zero repeatedly where it oscillates.
    let push = if omega * t > 1.0 && p < omega { 1.0 } else { e[2].abs() };
    let units = [turns, turns * t.min(1.0 / omega), turns * push, turns * omega.max(o2 * t.min(1.0 / omega)), turns];
    (0..5).map(|i| (c[i] - e[i]).abs() / units[i]).fold(0.0, f64::max)
}

/// At |d t| = 0.1, where the series takes over, 1 - c cancels to (d t)²/2: 200 roundings of f64 and of f32.
const SHARP: [f64; 2] = [200.0 * f64::EPSILON, 200.0 * f32::EPSILON as f64];

#[test]
fn all_three_cases_solve_the_differential_equation() {
    kit::title("oscillator, closed form against matrix exponential in 32 digits");
    for (name, omega, ratio) in [
        ("underdamped", 7.0, 0.05),
        ("nearly critical, below", 7.0, 0.999),
        ("critical", 7.0, 1.0),
        ("nearly critical, above", 7.0, 1.001),
        ("overdamped", 7.0, 3.0),
        ("heavily overdamped", 7.0, 3000.0),
        ("undamped", 7.0, 0.0),
        ("stiff", 1e6, 0.3),
        ("stiff and overdamped", 1e6, 40.0),
        ("weak", 1e-6, 0.5),
        ("weak and overdamped", 1e-6, 1e6),
    ] {
        let (mut double, mut single) = (0.0_f64, 0.0_f64);
        for t in [1e-6, 1e-3, 1.0 / 60.0, 1.0 / 30.0, 0.1] {
            double = double.max(error::<f64>(ratio * omega, omega * omega, t));
            single = single.max(error::<f32>(ratio * omega, omega * omega, t));
        }
        kit::row(name, &format!("omega {omega:e}, zeta {ratio}"), &format!("f64 {double:.1e}, f32 {single:.1e}"));
        assert!(double < SHARP[0], "{name}: {double:.2e}");
        assert!(single < SHARP[1], "{name}: {single:.2e}");
    }
}

#[test]
fn nothing_happens_at_the_critical_damping() {
    let mut worst = [0.0_f64; 2];
    for exponent in -24..=-4 {
        let near = 10.0_f64.powf(0.5 * f64::from(exponent));
        for side in [1.0 - near, 1.0 + near] {
            for (omega, t) in [(7.0, 1.0 / 30.0), (60.0, 1.0 / 30.0), (600.0, 1.0 / 30.0), (0.01, 0.1), (3.0, 1e-6)] {
                worst[0] = worst[0].max(error::<f64>(side * omega, omega * omega, t));
                worst[1] = worst[1].max(error::<f32>(side * omega, omega * omega, t));
            }
        }
    }
    println!(
        "| near-critical damping, 1e-12 to 1e-2 on both sides | exact | f64 {:.1e}, f32 {:.1e} |",
        worst[0], worst[1]
    );
    assert!(worst[0] < 1e-14, "{worst:?}");
    assert!(worst[1] < 5e-6, "{worst:?}");
}

#[test]
fn the_closed_form_is_continuous_where_its_cases_meet() {
    // The series takes over at |d t| = 0.1: from either side the numbers must be the same up to the
    // change of the function.
    for p in [0.0, 1.0, 30.0] {
        for side in [-1.0, 1.0] {
            let t = 1.0 / 30.0;
            let at = |x2: f64| closed::<f64>(p, p * p + side * x2 / (t * t), t);
            if p * p + side * 0.01 / (t * t) <= 0.0 {
                continue;
            }
            let (a, b) = (at(0.01 * (1.0 - 1e-13)), at(0.01 * (1.0 + 1e-13)));
            for i in 0..5 {
                assert!((a[i] - b[i]).abs() < 1e-13 * (1.0 + a[i].abs()), "p {p}, {side}: {} {}", a[i], b[i]);
            }
        }
    }
}

#[test]
fn numbers_near_the_end_of_the_range_stay_finite() {
    for p in [0.0, 1e-20, 1.0, 1e10, 1e18, 1e19, 3e19, 1e25, 1e36] {
        for o2 in [1e-30, 1e-10, 1.0, 1e10, 1e20, 1e30, 1e37] {
            for t in [1e-6, 1.0 / 30.0, 0.1] {
                let c = closed::<f32>(p, o2, t);
                assert!(c.iter().all(|x| x.is_finite()), "p {p:e}, o2 {o2:e}, t {t}: {c:?}");
                let (place, push) = (c[0], c[2]);
                assert!(place.abs() <= 1.0 + 1e-6, "p {p:e}, o2 {o2:e}, t {t}: {c:?}");
                assert!((-1e-6..=2.0 + 1e-6).contains(&push), "p {p:e}, o2 {o2:e}, t {t}: {c:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_oscillator(log_p in -8.0..8.0_f64, log_o2 in -14.0..14.0_f64, log_t in -6.0..-1.0_f64) {
        let (p, o2, t) = (10.0_f64.powf(log_p), 10.0_f64.powf(log_o2), 10.0_f64.powf(log_t));
        let (double, single) = (error::<f64>(p, o2, t), error::<f32>(p, o2, t));
        prop_assert!(double < SHARP[0], "f64: {double:.2e} at p {p:e}, o2 {o2:e}, t {t:e}");
        prop_assert!(single < SHARP[1], "f32: {single:.2e} at p {p:e}, o2 {o2:e}, t {t:e}");
    }

    #[test]
    fn eigenvectors_are_those_of_nalgebra(
        a in prop::array::uniform3(-6.0..6.0_f64),
        turn in prop::array::uniform3(-3.0..3.0_f64),
        equal in any::<bool>(),
        scale in -30.0..10.0_f64,
    ) {
        // Graded over twelve decades, a degenerate pair in half of the cases, entries down to 1e-30.
        let mut values = a.map(|e| 10.0_f64.powf(e + scale));
        if equal {
            values[1] = values[0];
        }
        let q = DQuat::from_scaled_axis(DVec3::from(turn));
        check_eigen::<f64>(values, q, 1e-14);
        check_eigen::<f32>(values, q, 3e-6);
    }
}

/// S = Q diag(mu) Q^T with these values, decomposed again: Q orthogonal, S Q = Q mu, values as
/// nalgebra's.
fn check_eigen<T: Real>(values: [f64; 3], q: DQuat, tolerance: f64) {
    let r = windfall_core::glam::DMat3::from_quat(q);
    let s = r * windfall_core::glam::DMat3::from_diagonal(DVec3::from(values)) * r.transpose();
    let entries = [s.x_axis.x, s.y_axis.y, s.z_axis.z, s.y_axis.x, s.z_axis.x, s.z_axis.y].map(T::of);
    if entries[0].f64() + entries[1].f64() + entries[2].f64() < 1e-36 {
        return;
    }
    let [xx, yy, zz, xy, xz, yz] = entries;
    let sym = Sym3 { xx, yy, zz, xy, xz, yz };
    let given = Matrix3::from_fn(|i, j| sym.full().rows[i].f64()[j]);
    let (mu, vectors) = eigen(sym);
    let (mu, vectors) = (mu.f64(), Matrix3::from_fn(|i, j| vectors.rows[i].f64()[j]));
    let scale = given.trace();
    let orthogonal = (vectors.transpose() * vectors - Matrix3::identity()).amax();
    assert!(orthogonal < tolerance, "orthogonal to {orthogonal:e}");
    let rebuilt = vectors * Matrix3::from_diagonal(&nalgebra::Vector3::new(mu.x, mu.y, mu.z)) * vectors.transpose();
    let apart = (rebuilt - given).amax() / scale;
    assert!(apart < tolerance, "rebuilt to {apart:e}: {given} {rebuilt}");
    let sorted = |mut v: [f64; 3]| {
        v.sort_by(f64::total_cmp);
        v
    };
    let theirs = sorted(SymmetricEigen::new(given / scale).eigenvalues.into()).map(|v| v * scale);
    for (ours, theirs) in sorted(mu.to_array()).into_iter().zip(theirs) {
        assert!((ours - theirs).abs() < tolerance * scale, "{ours:e} is not {theirs:e}");
    }
}

#[test]
fn eigenvectors_of_special_matrices() {
    for values in [[1.0, 1.0, 1.0], [1.0, 1.0, 1e-12], [1e-30, 2e-30, 2e-30], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]] {
        for q in [DQuat::IDENTITY, DQuat::from_rotation_x(1e-9), DQuat::from_scaled_axis(DVec3::new(0.3, -1.0, 0.7))] {
            check_eigen::<f64>(values, q, 1e-14);
            check_eigen::<f32>(values, q, 3e-6);
        }
    }
    let (mu, q) = eigen(Sym3::<f64>::zero());
    assert_eq!((mu.f64(), q), (DVec3::ZERO, windfall_articulated::math::Mat3::identity()));
}

/// One upright segment whose joint has this angular frequency and damping ratio about x: the plant, I, K
/// and C.
///
/// Only planar motion is exact: the equation that the method solves is that of the rotation vector with a
/// constant inertia in the child's axes, theta'' = (tau - ...) / I, and takes the joint's angular
/// velocity for theta'. About a fixed principal axis the two are the same; otherwise omega = `J_r(theta)`
/// theta'.
fn one_joint(omega: f64, ratio: f64) -> (Plant, f64, f64, f64) {
    let rod = Rod { length: 1.0, base_radius: 0.05, tip_radius: 0.05, material: rod::wood(1e3) };
    let plant = plants::cantilever(&rod, 1, DVec3::Y);
    let mass = plant.mass_properties(BodyId(0));
    let inertia = mass.inertia.x + mass.mass * mass.center_of_mass.y.powi(2);
    let k1 = plant.joint_properties(BodyId(0)).stiffness.x;
    let k = omega * omega * inertia;
    let mut material = rod.material.clone();
    material.youngs_modulus = 1e3 * k / k1;
    material.shear_modulus = 70.0 * k / k1;
    material.damping = 2.0 * ratio / omega;
    (plants::cantilever(&Rod { material, ..rod }, 1, DVec3::Y), inertia, k, 2.0 * ratio * omega * inertia)
}

/// Angle and velocity about x after `seconds` in steps of `dt`, from theta0 and w0, under a constant torque.
fn swing<T: Real>(plant: &Plant, start: [f64; 2], torque: f64, dt: f64, steps: usize) -> [f64; 2] {
    let params = Params { gravity: DVec3::ZERO, ..Params::default() };
    let mut world = World::<T>::new(plant.clone(), params, Method::Analytic).unwrap();
    world.set_joint(BodyId(0), DQuat::from_rotation_x(start[0]), DVec3::X * start[1]);
    let loads = [Load::torque(BodyId(0), DVec3::X * torque)];
    for _ in 0..steps {
        world.step(dt, &Actions { loads: &loads, grabs: &[], touches: &[], ..Actions::default() }).unwrap();
    }
    [world.joint_rotation(BodyId(0)).to_scaled_axis().x, world.motion(BodyId(0)).angular_velocity.x]
}

#[test]
fn one_joint_is_exact_for_any_step() {
    kit::title("one joint in a plane, `Analytic` against the exact oscillator after 0.1 s");
    for (name, ratio) in [("undamped", 0.0), ("underdamped", 0.1), ("critical", 1.0), ("overdamped", 5.0)] {
        let omega = 9.0;
        let (plant, inertia, k, c) = one_joint(omega, ratio);
        for (torque, case) in [(0.0, "free"), (0.2 * k, "constant torque")] {
            let start = [0.3, -1.0];
            let seconds = 0.1;
            let [a, b, push, d, e] = exact(0.5 * c / inertia, k / inertia, seconds);
            let theta = a * start[0] + b * start[1] + push * torque / k;
            let rate = d * (start[0] - torque / k) + e * start[1];
            let scale = 0.3_f64.hypot(1.0 / omega);
            let mut worst = [0.0_f64; 2];
            for steps in [1, 2, 3, 6, 100, 10_000] {
                let dt = seconds / steps as f64;
                let miss = |[t, r]: [f64; 2]| ((t - theta).abs().max((r - rate).abs() / omega)) / scale;
                worst[0] = worst[0].max(miss(swing::<f64>(&plant, start, torque, dt, steps)));
                if steps <= 100 {
                    worst[1] = worst[1].max(miss(swing::<f32>(&plant, start, torque, dt, steps)));
                }
            }
            kit::row(
                &format!("{name}, {case}"),
                "1 step to 10,000",
                &format!("f64 {:.1e}, f32 {:.1e}", worst[0], worst[1]),
            );
            // Rounding: 1e4 steps of 1e-16 in f64, 100 of 1e-7 in f32, with a few operations each.
            assert!(worst[0] < 1e-11, "{name}, {case}: {worst:?}");
            assert!(worst[1] < 5e-5, "{name}, {case}: {worst:?}");
        }
    }
    // The shortest step.
    let (plant, inertia, k, c) = one_joint(9.0, 0.1);
    let [a, b, push, ..] = exact(0.5 * c / inertia, k / inertia, 1e-3);
    let [theta, _] = swing::<f64>(&plant, [0.3, -1.0], 0.2 * k, 1e-6, 1000);
    assert!((theta - (0.3 * a - b + 0.2 * push)).abs() < 1e-13);
}

#[test]
fn a_free_joint_and_a_weak_one_turn_as_newton_says() {
    // K = 0 (params) and K tiny: theta = theta0 + w0 t + tau t^2 / (2 I).
    for weak in [0.0, 1e-18] {
        let (plant, inertia, ..) = one_joint(9.0, 0.0);
        let mut params = Params { gravity: DVec3::ZERO, ..Params::default() };
        params.branches.stiffness = weak;
        let run = |dt: f64, steps: usize| {
            let mut world = World::<f64>::new(plant.clone(), params.clone(), Method::Analytic).unwrap();
            world.set_joint(BodyId(0), DQuat::from_rotation_x(0.1), DVec3::X * 0.5);
            let loads = [Load::torque(BodyId(0), DVec3::X * inertia)];
            for _ in 0..steps {
                world.step(dt, &Actions { loads: &loads, grabs: &[], touches: &[], ..Actions::default() }).unwrap();
            }
            world.joint_rotation(BodyId(0)).to_scaled_axis().x
        };
        for (dt, steps) in [(0.1, 10), (0.01, 100), (1e-3, 1000)] {
            let theta = run(dt, steps);
            assert!((theta - (0.1 + 0.5 + 0.5)).abs() < 1e-11, "K {weak}, dt {dt}: {theta}");
        }
    }
}

#[test]
fn joints_too_stiff_for_the_precision_stay_straight() {
    fn check<T: Real>(modulus: f64, stiffness: f64, damping: f64) {
        let mut material = rod::wood(modulus);
        material.damping = damping;
        let rod = Rod { length: 1.0, base_radius: 0.05, tip_radius: 0.05, material };
        let plant = plants::cantilever(&rod, 3, DVec3::X);
        let mut params = Params::default();
        params.branches.stiffness = stiffness;
        for dt in [1e-6, 1.0 / 30.0, 0.1] {
            let mut world = World::<T>::new(plant.clone(), params.clone(), Method::Analytic).unwrap();
            // Standing still for rigid wood; a kick must be forgotten or tiny.
            world.set_joint(BodyId(1), DQuat::IDENTITY, DVec3::new(0.01, 0.02, -0.01));
            for _ in 0..100 {
                world.step(dt, &Actions::default()).unwrap();
            }
            for id in plant.body_ids() {
                let angle = world.joint_rotation(id).to_scaled_axis().length();
                // The kick may keep oscillating: at most w h, as in a joint of the stiffness that a step
                // resolves.
                assert!(angle <= 0.03 * dt + 1e-6, "E {modulus:e} x {stiffness}, dt {dt}: {angle:e}");
                let load = world.joint_load(id);
                assert!(load.torque.is_finite() && load.force.is_finite());
            }
        }
    }
    for damping in [0.0, 0.01, 1.0] {
        for (modulus, stiffness) in [(1e16, 1.0), (1e16, 1e20), (1e10, f64::INFINITY)] {
            check::<f64>(modulus, stiffness, damping);
            check::<f32>(modulus, stiffness, damping);
        }
    }
}
