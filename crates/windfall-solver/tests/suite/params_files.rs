//! Parameters as TOML, and refused files.

use crate::common::forked;
use windfall_core::glam::DVec3;
use windfall_solver::params::{CurveKind, CurveScale, ForkStiffening, Limit, Override};
use windfall_solver::{Curve, Params};

fn error(text: &str) -> String {
    Params::from_toml(text).expect_err(text).to_string()
}

#[test]
fn an_empty_file_is_the_default() {
    assert_eq!(Params::from_toml("").unwrap(), Params::default());
    assert_eq!(Params::default().gravity, DVec3::new(0.0, -9.81, 0.0));
}

#[test]
fn parameters_come_back_from_toml() {
    let mut params = Params::default();
    assert_eq!(Params::from_toml(&params.to_toml()).unwrap(), params);
    params.gravity = DVec3::new(0.1, -1.62, 1e-7);
    params.mass_damping = 0.1 + 0.2;
    params.keep_shape = true;
    params.branches.stiffness = f64::INFINITY;
    params.leaves.axes = [0.5, 0.0, 2.0];
    params.fruit.strength = 0.0;
    params.fork_stiffening = ForkStiffening { factor: 3.0, reach: 6.5 };
    params.stiffness = Curve::absolute(&[[0.001, 0.2], [0.1, 1e7]]);
    params.damping = Curve::multiply(&[[0.01, 1.0 / 3.0]]);
    params.limits.fruit = Limit { bend_degrees: Some(80.0), twist_degrees: None };
    params.fictitious.linear = 0.25;
    params.overrides = vec![
        Override { branch: 3, stiffness: Some(Curve::multiply(&[[0.01, f64::INFINITY]])), damping: None },
        Override { branch: 0, stiffness: None, damping: Some(Curve::default()) },
    ];
    assert_eq!(Params::from_toml(&params.to_toml()).unwrap(), params, "{}", params.to_toml());
}

#[test]
fn the_example_says_what_its_comments_say() {
    let params = Params::from_toml(include_str!("../../../../docs/params.toml")).unwrap();
    params.check(&forked()).unwrap();
    let mut expected = Params::default();
    expected.branches.stiffness = 0.5;
    expected.leaves.axes = [1.0, 1.0, 2.0];
    expected.fork_stiffening = ForkStiffening { factor: 2.0, reach: 4.0 };
    expected.stiffness = Curve::multiply(&[[0.002, 0.3], [0.02, 1.0], [0.1, 1.5]]);
    expected.damping =
        Curve { kind: CurveKind::Absolute, scale: CurveScale::Log, points: vec![[0.001, 0.05], [0.1, 0.01]] };
    expected.limits.leaves = Limit { bend_degrees: Some(100.0), twist_degrees: Some(90.0) };
    expected.overrides =
        vec![Override { branch: 1, stiffness: Some(Curve::multiply(&[[0.01, f64::INFINITY]])), damping: None }];
    assert_eq!(params, expected);
}

#[test]
fn unknown_fields_are_refused_by_name() {
    for (text, name) in [
        ("gravty = [0, -9.81, 0]", "gravty"),
        ("[branches]\nstiffnes = 2", "stiffnes"),
        ("[stiffness]\npoint = []", "point"),
        ("[[overrides]]\nbranch = 0\nfactor = 2", "factor"),
        ("[limits]\nbend_degrees = 3", "bend_degrees"),
        ("[limits.leaves]\nbend = 3", "bend"),
        ("[fork_stiffening]\nradius = 3", "radius"),
        ("[fictitious]\neuler = 3", "euler"),
    ] {
        let error = error(text);
        assert!(error.contains(&format!("unknown field `{name}`")), "{error}");
    }
    assert!(error("[[overrides]]\nstiffness = {}").contains("missing field `branch`"));
    assert!(error("[stiffness]\nkind = \"add\"").contains("unknown variant `add`"));
    assert!(error("gravity = [0, 1]").contains("line 1"));
}

#[test]
fn broken_rules_name_field_value_and_rule() {
    for (text, parts) in [
        ("gravity = [0, nan, 0]", ["params", "gravity = [0, NaN, 0]", "must be finite"]),
        ("gravity = [0, -inf, 0]", ["params", "gravity = [0, -inf, 0]", "must be finite"]),
        ("mass_damping = -1", ["params", "mass_damping = -1", "between 0 and 1e6"]),
        ("[branches]\ndensity = inf", ["branches", "density = inf", "between 0 and 1e6"]),
        ("[leaves]\nstiffness = nan", ["leaves", "stiffness = NaN", "between 0 and 1e30, or inf"]),
        ("[fruit]\nstrength = -2", ["fruit", "strength = -2", "between 0 and 1e30, or inf"]),
        ("[leaves]\naxes = [1, -1, 1]", ["leaves", "axes[1] = -1", "between 0"]),
        ("[branches]\ndamping = inf", ["branches", "damping = inf", "between 0 and 1e30"]),
        ("[fork_stiffening]\nreach = 1000", ["fork_stiffening", "reach = 1000", "between 0 and 1e2"]),
        ("[limits.fruit]\ntwist_degrees = 181", ["limits.fruit", "twist_degrees = 181", "between 0 and 180"]),
        ("[fictitious]\ncoriolis = -0.1", ["fictitious", "coriolis = -0.1", "between 0"]),
        ("[stiffness]\npoints = [[0.1, 1], [0.1, 2]]", ["stiffness.points[1]", "radius = 0.1", "larger than"]),
        ("[damping]\npoints = [[0.2, 1], [0.1, 2]]", ["damping.points[1]", "radius = 0.1", "before, 0.2"]),
        ("[damping]\npoints = [[0.2, inf]]", ["damping.points[0]", "value = inf", "between 0 and 1e30"]),
        ("[stiffness]\npoints = [[-0.1, 1]]", ["stiffness.points[0]", "radius = -0.1", "between 0 and 1e4"]),
        ("[stiffness]\npoints = [[nan, 1]]", ["stiffness.points[0]", "radius = NaN", "between 0 and 1e4"]),
        ("[stiffness]\nscale = \"log\"\npoints = [[0.1, 0]]", ["stiffness.points[0]", "value = 0", "above 0 on a log"]),
        ("[stiffness]\nscale = \"log\"\npoints = [[0, 1]]", ["stiffness.points[0]", "radius = 0", "above 0 on a log"]),
        (
            "[[overrides]]\nbranch = 2\ndamping = { points = [[0.1, -1]] }",
            ["overrides[0].damping.points[0]", "value = -1", "between 0"],
        ),
        ("[[overrides]]\nbranch = 2\n[[overrides]]\nbranch = 2", ["overrides[1]", "branch = 2", "an earlier override"]),
    ] {
        let error = error(text);
        assert!(error.contains("1 rule is broken"), "{error}");
        for part in parts {
            assert!(error.contains(part), "{part} in {error}");
        }
    }
}

#[test]
fn an_override_of_a_branch_that_is_not_there_is_refused() {
    let params = Params::from_toml("[[overrides]]\nbranch = 4").unwrap();
    let error = params.check(&forked()).unwrap_err().to_string();
    assert!(error.contains("overrides[0]: branch = 4: must be the index of one of the 4 branches"), "{error}");
    Params::from_toml("[[overrides]]\nbranch = 3").unwrap().check(&forked()).unwrap();
}

#[test]
fn a_flood_of_broken_rules_is_counted() {
    let params = Params { stiffness: Curve::multiply(&vec![[-1.0, -1.0]; 1000]), ..Params::default() };
    let error = params.check(&forked()).unwrap_err().to_string();
    // Each point breaks two rules, and all but the first one more.
    assert!(error.contains("2999 rules are broken") && error.contains("and 2979 more"), "{error}");
}
