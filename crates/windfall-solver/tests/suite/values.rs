//! Values of every body, on a plant small enough to work them out by hand.

use std::f64::consts::PI;

use crate::common::forked;
use proptest::prelude::*;
use windfall_core::glam::DVec3;
use windfall_core::{BodyId, JointStrength};
use windfall_solver::params::{ClassParams, CurveKind, ForkStiffening, LIGHTEST_MASS_SCALE, Limit, Override};
use windfall_solver::{BodyValues, Curve, Params};

const LEAF: usize = 7;
const FRUIT: usize = 8;

/// E I / l for a cylinder, or twice that where half a segment bends alone; E = 10 GPa.
fn bending(radius: f64, length: f64) -> f64 {
    1e10 * PI * radius.powi(4) / 4.0 / length
}

/// Bending stiffness of the wood of [`forked`] with default parameters.
fn physical() -> [f64; 7] {
    let (trunk, twig) = (bending(0.1, 1.0), bending(0.02, 0.5));
    [2.0 * trunk, trunk, trunk, 2.0 * twig, twig, 2.0 * bending(0.01, 0.2), 2.0 * twig]
}

fn values(params: &Params) -> Vec<BodyValues> {
    let plant = forked();
    params.check(&plant).unwrap();
    params.values(&plant)
}

/// Measures of a plant are f32.
fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-6 * b.abs(), "{a} is not {b}");
}

#[test]
fn default_parameters_are_the_physics() {
    let plant = forked();
    let values = values(&Params::default());
    assert_eq!(values.len(), plant.body_count());
    for (id, of) in plant.body_ids().zip(&values) {
        let joint = plant.joint_properties(id);
        assert_eq!((of.stiffness, of.damping, of.strength), (joint.stiffness, joint.damping, joint.strength));
        assert_eq!((of.mass_scale, of.bend_limit, of.twist_limit), (1.0, f64::INFINITY, f64::INFINITY));
    }
    for (of, bend) in values.iter().zip(physical()) {
        // G J / (E I) = 2 G / E = 0.2.
        close(of.stiffness.x, bend);
        close(of.stiffness.y, 0.2 * bend);
        close(of.damping.z, 0.01 * bend);
    }
}

#[test]
fn curves_and_overrides_within_overrides() {
    let stiffness = |branch, curve| Override { branch, stiffness: Some(curve), damping: None };
    let params = Params {
        // 4 at the trunk's 0.1 m; at 0.02 m a ninth of the way from 2 to 4; at 0.01 m 2.
        stiffness: Curve::multiply(&[[0.01, 2.0], [0.1, 4.0]]),
        overrides: vec![
            // The inner one stands first: order does not matter.
            stiffness(2, Curve::multiply(&[[0.5, 5.0]])),
            Override {
                damping: Some(Curve { kind: CurveKind::Absolute, ..Curve::multiply(&[[0.02, 0.05]]) }),
                ..stiffness(1, Curve::absolute(&[[0.02, 30.0]]))
            },
        ],
        ..Params::default()
    };
    let values = values(&params);
    let k = physical();
    let ninth = 2.0 + 2.0 / 9.0;
    let bend = [4.0 * k[0], 4.0 * k[1], 4.0 * k[2], 30.0, 30.0, 5.0 * k[5], ninth * k[6]];
    // Branch 2 has no damping of its own: it has that of branch 1, on which it grows.
    let beta = [0.01, 0.01, 0.01, 0.05, 0.05, 0.05, 0.01];
    for i in 0..7 {
        close(values[i].stiffness.x, bend[i]);
        close(values[i].stiffness.z, bend[i]);
        close(values[i].stiffness.y, 0.2 * bend[i]);
        close(values[i].damping.x, beta[i] * bend[i]);
        close(values[i].damping.y, 0.2 * beta[i] * bend[i]);
    }
    // Curves are for wood.
    let default = Params::default().values(&forked());
    assert_eq!(values[LEAF..], default[LEAF..]);
}

#[test]
fn an_override_of_the_root_branch_is_for_the_whole_tree() {
    let curve = Curve::multiply(&[[0.01, 7.0]]);
    let whole = Override { branch: 0, stiffness: Some(curve.clone()), damping: Some(curve.clone()) };
    let overridden = values(&Params { overrides: vec![whole], ..Params::default() });
    let everywhere = values(&Params { stiffness: curve.clone(), damping: curve, ..Params::default() });
    assert_eq!(overridden, everywhere);
    close(overridden[0].damping.x, 49.0 * 0.01 * physical()[0]);
}

#[test]
fn multipliers_of_kinds_reach_their_kind_only() {
    let class = |density, stiffness, damping, strength, axes| ClassParams {
        density,
        stiffness,
        damping,
        strength,
        strength_spread: 0.0,
        axes,
    };
    let params = Params {
        branches: class(2.0, 3.0, 5.0, 7.0, [1.0, 11.0, 1.0]),
        leaves: class(0.5, 2.0, 4.0, 8.0, [1.0, 3.0, 9.0]),
        fruit: class(0.0, 1.0, 0.0, f64::INFINITY, [1.0; 3]),
        ..Params::default()
    };
    let (values, plant) = (values(&params), forked());
    let joints: Vec<_> = plant.body_ids().map(|id| plant.joint_properties(id)).collect();
    let each = |i: usize, by: [f64; 3]| joints[i].stiffness * DVec3::from_array(by);
    let near = |a: DVec3, b: DVec3| assert!((a - b).abs().max_element() <= 1e-12 * b.max_element(), "{a} is not {b}");

    near(values[4].stiffness, each(4, [3.0, 33.0, 3.0]));
    near(values[4].damping, 0.05 * each(4, [3.0, 33.0, 3.0]));
    assert_eq!(values[4].mass_scale, 2.0);
    let JointStrength::Wood { bending, twist, .. } = values[4].strength else { panic!("wood breaks") };
    // 7 * 50 MPa pi r^3 / 4 and 7 * 10 MPa pi r^3 / 2.
    close(bending, 7.0 * 5e7 * PI * 8e-6 / 4.0);
    close(twist, 7.0 * 1e7 * PI * 8e-6 / 2.0);

    near(values[LEAF].stiffness, each(LEAF, [2.0, 6.0, 18.0]));
    near(values[LEAF].damping, 0.04 * each(LEAF, [2.0, 6.0, 18.0]));
    assert_eq!(values[LEAF].mass_scale, 0.5);
    let (JointStrength::Detach { torque, .. }, JointStrength::Detach { torque: one, .. }) =
        (values[LEAF].strength, joints[LEAF].strength)
    else {
        panic!("leaves detach")
    };
    near(torque, 8.0 * one);

    assert_eq!(values[FRUIT].stiffness, joints[FRUIT].stiffness);
    assert_eq!(values[FRUIT].damping, DVec3::ZERO);
    assert_eq!(values[FRUIT].mass_scale, LIGHTEST_MASS_SCALE);
    assert_eq!(values[FRUIT].strength, JointStrength::Detach { torque: DVec3::INFINITY, tension: f64::INFINITY });
}

#[test]
fn joints_may_be_free_or_rigid_and_free_wins() {
    let with = |stiffness, curve, damping| {
        let branches = ClassParams { stiffness, damping, ..ClassParams::default() };
        values(&Params { branches, stiffness: Curve::multiply(&[[0.01, curve]]), ..Params::default() })[0]
    };
    let infinite = DVec3::INFINITY;
    for (class, curve, damping, k, c) in [
        (0.0, 1.0, 1.0, DVec3::ZERO, DVec3::ZERO),
        (f64::INFINITY, 1.0, 1.0, infinite, infinite),
        (1.0, f64::INFINITY, 0.0, infinite, DVec3::ZERO),
        (0.0, f64::INFINITY, 1.0, DVec3::ZERO, DVec3::ZERO),
        (f64::INFINITY, 0.0, 1.0, DVec3::ZERO, DVec3::ZERO),
    ] {
        let of = with(class, curve, damping);
        assert_eq!((of.stiffness, of.damping), (k, c), "{class} {curve} {damping}");
    }
}

#[test]
fn limits_are_radians() {
    let mut params = Params::default();
    params.limits.branches = Limit { bend_degrees: Some(60.0), twist_degrees: None };
    params.limits.leaves = Limit { bend_degrees: None, twist_degrees: Some(90.0) };
    let values = values(&params);
    close(values[3].bend_limit, PI / 3.0);
    assert_eq!(values[3].twist_limit, f64::INFINITY);
    close(values[LEAF].twist_limit, PI / 2.0);
    assert_eq!(values[FRUIT].bend_limit, f64::INFINITY);
}

/// Multipliers of stiffness that fork stiffening gives to the wood.
fn stiffening(factor: f64, reach: f64) -> Vec<f64> {
    let values = values(&Params { fork_stiffening: ForkStiffening { factor, reach }, ..Params::default() });
    values.iter().zip(physical()).map(|(of, physical)| of.stiffness.y / (0.2 * physical)).collect()
}

#[test]
fn wood_is_stiffer_near_forks() {
    // Ten radii: 0.2 m for branches 1 and 3, 0.1 m for branch 2. Joint 2 is 0.05 m from the foot of branch 3:
    // t = 1/4, (3/4)^2 * 3/2 = 27/32. Joint 4 is 0.05 m from that of branch 2: t = 1/2, 1/4 * 2 = 1/2.
    for (of, expected) in stiffening(3.0, 10.0).into_iter().zip([1.0, 1.0, 1.0 + 2.0 * 27.0 / 32.0, 3.0, 2.0, 3.0, 3.0])
    {
        assert!((of - expected).abs() < 1e-5, "{of} {expected}");
    }
    // Fifty radii: 1 m. Joint 1 is 0.5 m from branch 1 and 0.95 m from branch 3: the nearer counts, 1/2.
    // Joint 2: 0.05 m from branch 3, 0.95^2 * 1.1. Joint 0 is 1.5 m from branch 1. Joint 4: 0.05 m of 0.5 m
    // from branch 2, 0.9^2 * 1.2, more than the 0.5 m of 1 m from its own base.
    let expected = [1.0, 2.0, 1.0 + 2.0 * 0.95_f64.powi(2) * 1.1, 3.0, 1.0 + 2.0 * 0.81 * 1.2, 3.0, 3.0];
    for (of, expected) in stiffening(3.0, 50.0).into_iter().zip(expected) {
        assert!((of - expected).abs() < 1e-5, "{of} {expected}");
    }
}

#[test]
fn fork_stiffening_can_be_off_or_rigid() {
    for (factor, reach) in [(1.0, 10.0), (3.0, 0.0)] {
        for of in stiffening(factor, reach) {
            close(of, 1.0);
        }
    }
    let rigid = stiffening(f64::INFINITY, 10.0);
    close(rigid[0], 1.0);
    assert_eq!(rigid[3..], [f64::INFINITY; 4]);
}

#[test]
fn a_plant_of_one_segment() {
    let mut parts = forked().into_parts();
    parts.branches.truncate(1);
    parts.branches[0].segment_count = 1;
    parts.segments.truncate(1);
    parts.leaves.clear();
    parts.fruit.clear();
    let plant = windfall_core::Plant::new(parts).unwrap();
    let fork_stiffening = ForkStiffening { factor: 5.0, reach: 10.0 };
    let values = Params { fork_stiffening, ..Params::default() }.values(&plant);
    assert_eq!(values.len(), 1);
    close(values[0].stiffness.x, physical()[0]);
}

/// Extreme values, from 0 to infinity.
fn extreme() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(f64::MIN_POSITIVE),
        1e-12..1e-6_f64,
        0.1..10.0_f64,
        1e9..1e15_f64,
        Just(1e30),
        Just(f64::INFINITY)
    ]
}

fn extreme_curve() -> impl Strategy<Value = Curve> {
    (prop::collection::vec(extreme(), 0..4), any::<bool>()).prop_map(|(values, absolute)| Curve {
        kind: if absolute { CurveKind::Absolute } else { CurveKind::Multiply },
        ..Curve::multiply(&values.iter().zip([0.005, 0.01, 0.05]).map(|(&v, r)| [r, v]).collect::<Vec<_>>())
    })
}

proptest! {
    /// Parameters that pass the check give numbers that are not negative and no NaN.
    #[test]
    fn allowed_extremes_give_usable_values(
        multipliers in prop::array::uniform7(extreme()),
        stiffness in extreme_curve(),
        mut damping in extreme_curve(),
        inner in extreme_curve(),
        fork in (extreme(), 0.0..100.0_f64),
    ) {
        let [all, beta, strength, x, y, z, density] = multipliers;
        // Mass and damping must be finite.
        damping.points.iter_mut().for_each(|point| point[1] = point[1].min(1e30));
        let (density, beta) = (density.min(1e6), beta.min(1e30));
        let class = ClassParams { density, stiffness: all, damping: beta, strength, strength_spread: 0.3, axes: [x, y, z] };
        let params = Params {
            branches: class,
            leaves: class,
            fruit: class,
            stiffness,
            damping,
            fork_stiffening: ForkStiffening { factor: fork.0, reach: fork.1 },
            overrides: vec![Override { branch: 1, stiffness: Some(inner), damping: None }],
            ..Params::default()
        };
        let plant = forked();
        params.check(&plant).unwrap();
        for of in params.values(&plant) {
            prop_assert!(of.stiffness.min_element() >= 0.0 && !of.stiffness.is_nan(), "{:?}", of);
            prop_assert!(of.damping.min_element() >= 0.0 && !of.damping.is_nan(), "{:?}", of);
            prop_assert!(of.mass_scale >= LIGHTEST_MASS_SCALE && of.mass_scale.is_finite());
            let moment = match of.strength {
                JointStrength::Detach { torque, .. } => torque.min_element(),
                JointStrength::Wood { bending, .. } => bending,
            };
            prop_assert!(moment >= 0.0);
        }
    }
}

#[test]
fn strengths_have_the_mean_and_the_spread_that_is_asked_for() {
    let plant = forked();
    let mut params = Params::default();
    params.leaves.strength_spread = 0.5;
    let one = |seed: i64| {
        let values = Params { seed, ..params.clone() }.values(&plant);
        let JointStrength::Detach { torque, tension } = values[LEAF].strength else { panic!("leaves detach") };
        let JointStrength::Detach { torque: mean, tension: whole } =
            plant.joint_properties(BodyId(LEAF as u32)).strength
        else {
            panic!("leaves detach")
        };
        close(torque.x / mean.x, tension / whole);
        torque.x / mean.x
    };
    let n = 20_000_i64;
    let all: Vec<f64> = (0..n).map(one).collect();
    let mean = all.iter().sum::<f64>() / n as f64;
    let deviation = (all.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
    // Standard errors: 0.5 / sqrt(n) = 0.0035, and for the deviation of this log-normal about 0.007.
    assert!((mean - 1.0).abs() < 0.014, "{mean}");
    assert!((deviation - 0.5).abs() < 0.03, "{deviation}");
    assert_eq!(one(7), one(7));
    assert_ne!(one(7), one(8));
}
