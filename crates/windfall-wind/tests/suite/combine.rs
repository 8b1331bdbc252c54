//! Sum, mask and scale.

use crate::common;
use crate::common::{Dice, build};
use windfall_core::glam::DVec3;
use windfall_wind::{Wind, WindSpec};

fn x_at(text: &str, point: [f64; 3], time: f64) -> f64 {
    build(text).velocity(DVec3::from(point), time).x
}

#[test]
fn a_sum_adds() {
    let (a, b) = ("kind = 'perlin'\nseed = 3", "kind = 'uniform'\ngusts = 0.3\nfrom_degrees = 20");
    let sum = build(&format!("kind = 'sum'\n[[winds]]\n{a}\n[[winds]]\n{b}"));
    let (a, b) = (build(a), build(b));
    let mut dice = Dice(1);
    for _ in 0..100 {
        let (p, t) = (dice.place(100.0), 100.0 * dice.roll());
        assert!((sum.velocity(p, t) - a.velocity(p, t) - b.velocity(p, t)).length() < 1e-12);
    }
    assert_eq!(WindSpec::calm().build().unwrap().velocity(DVec3::ONE, 1.0), DVec3::ZERO);
}

#[test]
fn masks_are_one_inside_zero_outside_and_a_half_on_the_border() {
    let of = |region: &str| format!("kind = 'mask'\nregion = {{ {region} }}\nwind = {{ kind = 'uniform', speed = 1 }}");
    let check = |region: &str, cases: &[([f64; 3], f64, f64)]| {
        for &(point, time, weight) in cases {
            let found = x_at(&of(region), point, time);
            assert!((found - weight).abs() < 1e-9, "{region} at {point:?}, {time} s: {found}");
            let inverted = x_at(&format!("invert = true\n{}", of(region)), point, time);
            assert!((inverted - (1.0 - weight)).abs() < 1e-9, "{region} inverted: {inverted}");
        }
    };
    // 3 q² - 2 q³ at a quarter of the edge is 5/32.
    let quarter = 5.0 / 32.0;
    check(
        "shape = 'box', min = [0, 0, 0], max = [10, 20, 30], edge = 2",
        &[
            ([5.0, 5.0, 5.0], 0.0, 1.0),
            ([0.0, 5.0, 5.0], 0.0, 0.5),
            ([10.0, 20.0, 15.0], 9.0, 0.25),
            ([5.0, -0.5, 5.0], 0.0, quarter),
            ([5.0, 5.0, 31.0], 0.0, 0.0),
            ([5.0, 5.0, 29.0], 0.0, 1.0),
        ],
    );
    check(
        "shape = 'sphere', center = [1, 2, 3], radius = 5, edge = 2",
        &[
            ([1.0, 2.0, 3.0], 0.0, 1.0),
            ([6.0, 2.0, 3.0], 0.0, 0.5),
            ([1.0, 2.0, 8.5], 0.0, quarter),
            ([9.0; 3], 0.0, 0.0),
        ],
    );
    check(
        "shape = 'above', height = 4, edge = 2",
        &[
            ([9.0, 4.0, 9.0], 0.0, 0.5),
            ([0.0, 5.0, 0.0], 0.0, 1.0),
            ([0.0, 3.5, 0.0], 0.0, quarter),
            ([0.0; 3], 0.0, 0.0),
        ],
    );
    check(
        "shape = 'time', from = 3, to = 9, edge = 2",
        &[
            ([0.0; 3], 1.0, 0.0),
            ([0.0; 3], 2.5, quarter),
            ([0.0; 3], 3.0, 0.5),
            ([7.0; 3], 6.0, 1.0),
            ([0.0; 3], 10.5, 0.0),
        ],
    );
    // A hard edge, and the default of one metre.
    check("shape = 'above', height = 4, edge = 0", &[([0.0, 4.001, 0.0], 0.0, 1.0), ([0.0, 3.999, 0.0], 0.0, 0.0)]);
    check("shape = 'above', height = 4", &[([0.0, 3.75, 0.0], 0.0, quarter)]);
}

#[test]
fn a_scale_follows_its_points() {
    let text = "kind = 'scale'\nfactor = [[2, 1], [4, 3], [5, 0]]\nwind = { kind = 'uniform', speed = 2 }";
    for (time, factor) in [(-5.0, 1.0), (2.0, 1.0), (3.0, 2.0), (4.0, 3.0), (4.5, 1.5), (5.0, 0.0), (99.0, 0.0)] {
        assert!((x_at(text, [0.0; 3], time) - 2.0 * factor).abs() < 1e-9, "{time}");
    }
    assert!(
        (x_at("kind = 'scale'\nfactor = -0.5\nwind = { kind = 'uniform', speed = 2 }", [0.0; 3], 0.0) + 1.0).abs()
            < 1e-9
    );
}

/// Phases count from time zero, so an edit changes only the edited quantity.
#[test]
fn an_edit_makes_no_jump_but_its_own() {
    let air = |speed: f64, gusts: f64| {
        build(&format!(
            "kind = 'sum'\n[[winds]]\nkind = 'uniform'\nspeed = {speed}\ngusts = {gusts}\n[[winds]]\nkind = 'perlin'\nmean = false\n\
             [[winds]]\nkind = 'turbulence'\nmean = false"
        ))
    };
    let p = DVec3::new(1.0, 5.0, 2.0);
    for time in [0.0, 777.7, 86_400.0] {
        let before = air(8.0, 0.2).velocity(p, time);
        assert_eq!(air(8.0, 0.2).velocity(p, time), before, "built again");
        let change = air(8.008, 0.2).velocity(p, time) - before;
        assert!(change.length() < 0.008 * 2.0 && change.length() > 0.0, "{change}");
        let change = air(8.0, 0.201).velocity(p, time) - before;
        assert!(change.length() < 8.0 * 0.001 * 4.0, "{change}");
    }
}

#[test]
fn fades_lead_from_one_wind_to_the_next() {
    let (a, b) = (build("kind = 'turbulence'\nspeed = 5"), build("kind = 'turbulence'\nspeed = 6\nperiod = 9"));
    let both = a.fade_to(&b, 100.0, 2.0);
    let p = DVec3::new(1.0, 5.0, 2.0);
    for time in [-5.0, 99.0, 100.0] {
        assert_eq!(both.velocity(p, time), a.velocity(p, time));
    }
    assert!((both.velocity(p, 101.0) - 0.5 * (a.velocity(p, 101.0) + b.velocity(p, 101.0))).length() < 1e-12);
    for time in [102.0, 500.0] {
        assert!((both.velocity(p, time) - b.velocity(p, time)).length() < 1e-12);
    }
    for time in [50.0, 100.3, 101.7, 103.0] {
        let batch = common::batch(&both, time, &[p])[0];
        assert!((batch - both.velocity(p, time)).length() < 1e-4);
    }
}

/// A dragged slider: a new wind in every frame, each faded in over a second.
#[test]
fn many_fades_stay_continuous_and_bounded() {
    let mut air = build("kind = 'turbulence'\nspeed = 5\nmodes = 9");
    let p = DVec3::new(1.0, 5.0, 2.0);
    for edit in 0..6 {
        let now = 1000.0 + 0.3 * f64::from(edit);
        let next = build(&format!("kind = 'turbulence'\nspeed = {}\nmodes = 9", 5.0 + 0.1 * f64::from(edit)));
        let faded = air.fade_to(&next, now, 1.0);
        assert!((faded.velocity(p, now) - air.velocity(p, now)).length() < 1e-9, "edit {edit}");
        air = faded;
    }
    // Thousands of edits cost no more than eight winds.
    for edit in 0..5000 {
        let next = build("kind = 'uniform'");
        air = air.fade_to(&next, 2000.0 + 1e-4 * f64::from(edit), 1.0);
    }
    assert!((air.velocity(p, 2000.6) - DVec3::new(5.0, 0.0, 0.0)).length() < 1e-9);
    let odd = air.fade_to(&air, f64::NAN, f64::NAN).fade_to(&air, f64::INFINITY, -1.0);
    assert!(odd.velocity(p, 3000.0).is_finite());
}
