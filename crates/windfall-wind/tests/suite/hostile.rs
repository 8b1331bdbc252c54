//! For any description, point or time: a clear error or a finite wind.

use crate::common::{all, batch};
use proptest::prelude::*;
use windfall_core::glam::DVec3;
use windfall_wind::{Grid, Mask, Model, Profile, Region, Scale, Sum, Uniform, Wind, WindError, WindSpec};

fn refused(text: &str) -> String {
    let built = WindSpec::from_toml(text).and_then(|spec| spec.build().map(drop));
    built.expect_err(text).to_string()
}

#[test]
fn errors_name_the_key_the_value_and_what_is_allowed() {
    let uniform = "wind = { kind = 'uniform' }";
    for (text, parts) in [
        ("kind = 'uniform'\nspeed = -1", vec!["speed = -1", "0 to 500"]),
        ("kind = 'uniform'\nspeed = nan", vec!["speed = NaN"]),
        ("kind = 'uniform'\nspeed = inf", vec!["speed = inf"]),
        ("kind = 'uniform'\nspeed = 'fast'", vec!["speed", "fast", "f64"]),
        ("kind = 'uniform'\nsped = 3", vec!["sped", "speed"]),
        ("kind = 'storm'", vec!["storm", "uniform, gust"]),
        ("speed = 3", vec!["kind"]),
        ("kind = 3", vec!["kind = 3", "uniform"]),
        ("kind = ", vec!["line 1"]),
        ("period = 0\nkind = 'uniform'", vec!["period = 0", "0.1 to"]),
        ("period = 'long'\nkind = 'uniform'", vec!["period", "long"]),
        ("kind = 'profile'\nroughness = 0", vec!["roughness = 0", "0.000001 to 10"]),
        ("kind = 'profile'\ndisplacement = 20", vec!["reference_height = 10", "20.033"]),
        ("kind = 'perlin'\noctaves = -1", vec!["octaves = -1", "1 to 10"]),
        ("kind = 'perlin'\noctaves = 1000000", vec!["octaves = 1000000"]),
        ("kind = 'perlin'\nsize = 0", vec!["size = 0"]),
        ("kind = 'turbulence'\nlength = 1\nsmallest = 2", vec!["smallest = 2", "at most the length, 1"]),
        ("kind = 'turbulence'\nmodes = 0", vec!["modes = 0", "3 to 600"]),
        ("kind = 'grid'\ncolumns = 0", vec!["columns = 0", "1 to 1000000"]),
        ("kind = 'grid'\ncolumns = 1000000000\nrows = 1000000000", vec!["columns times rows"]),
        ("kind = 'grid'\ncells = [{ column = 9, row = -1 }]", vec!["cells[0]", "column = 9", "0 to 7", "row = -1"]),
        ("kind = 'grid'\ncells = [{ column = 1, row = 1 }, { column = 1, row = 1 }]", vec!["cells[1]", "given before"]),
        ("kind = 'grid'\ncells = [{ column = 1, row = 1, octaves = 99 }]", vec!["cells[0]: octaves = 99"]),
        (&format!("kind = 'wiggle'\naxes = []\n{uniform}"), vec!["0 axes"]),
        (&format!("kind = 'wiggle'\nswing = []\n{uniform}"), vec!["0 points"]),
        (&format!("kind = 'wiggle'\nswing = [[2, 1], [1, 1]]\n{uniform}"), vec!["swing[1][0] = 1", "larger"]),
        (&format!("kind = 'scale'\nfactor = []\n{uniform}"), vec!["0 points"]),
        (&format!("kind = 'scale'\nfactor = nan\n{uniform}"), vec!["factor = NaN"]),
        (&format!("kind = 'scale'\nfactor = [[0, 1], [0, 2]]\n{uniform}"), vec!["factor[1][0] = 0"]),
        (&format!("kind = 'mask'\nregion = {{ shape = 'cone' }}\n{uniform}"), vec!["cone", "sphere"]),
        (
            &format!("kind = 'mask'\nregion = {{ shape = 'box', min = [0, 0, 0], max = [1, -1, 1] }}\n{uniform}"),
            vec!["region: max", "above min"],
        ),
        ("kind = 'mask'\nregion = { shape = 'above', height = 1 }", vec!["wind"]),
        (
            "kind = 'sum'\nwinds = [{ kind = 'uniform', speed = -1 }, { kind = 'profile', wind = { kind = 'gust', duration = 0 } }]",
            vec!["2 rules", "winds[0]: speed = -1", "winds[1].wind: duration = 0"],
        ),
    ] {
        let message = refused(text);
        assert!(parts.iter().all(|part| message.contains(part)), "{text}\n{message}");
    }
}

#[test]
fn depth_and_width_have_limits() {
    let mut model = Model::Uniform(Uniform::default());
    for _ in 0..200 {
        model = Model::Profile(Profile { wind: Box::new(model), ..Profile::default() });
    }
    let message = WindSpec::from(model).build().unwrap_err().to_string();
    assert!(message.contains("nest at most 16"), "{message}");
    let crowd = Sum { winds: vec![Model::Uniform(Uniform::default()); 300] };
    assert!(WindSpec::from(Model::Sum(crowd)).build().unwrap_err().to_string().contains("300 winds"));
    // Sums of sums grow exponentially: the limit applies to the total number of winds.
    let mut tree = Model::Uniform(Uniform::default());
    for _ in 0..3 {
        tree = Model::Sum(Sum { winds: vec![tree; 20] });
    }
    let message = WindSpec::from(tree).build().unwrap_err().to_string();
    assert!(message.contains("at most"), "{message}");
    // Many wrong values are counted, not listed.
    let wrong = Sum { winds: vec![Model::Uniform(Uniform { speed: -1.0, ..Uniform::default() }); 200] };
    let message = WindSpec::from(Model::Sum(wrong)).build().unwrap_err().to_string();
    assert!(message.contains("200 rules") && message.contains("and 180 more"), "{message}");
}

#[test]
fn points_and_times_may_be_anything() {
    let odd = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, f64::MAX, -1e12, 1e-300, 123_456.789];
    let mut points = Vec::new();
    for x in odd {
        for y in odd {
            points.extend(odd.map(|z| DVec3::new(x, y, z)));
        }
    }
    for (name, size, spec) in all() {
        for period in [None, Some(12.0)] {
            let air = WindSpec { period, ..spec.clone() }.build().unwrap();
            for time in odd.into_iter().chain([-1e15, 1e18]) {
                for (p, fast) in points.iter().zip(batch(&air, time, &points)) {
                    let v = air.velocity(*p, time);
                    // A logarithmic profile is unbounded but grows slowly: ln(1e6 / z0) is three times
                    // that at 10 m.
                    assert!(v.is_finite() && v.length() < 8.0 * size, "{name} at {p}, {time}: {v}");
                    assert!(fast.is_finite() && fast.length() < 8.0 * size, "{name} at {p}, {time}: {fast}");
                }
            }
        }
    }
}

/// Every grid alone is allowed; together they would take gigabytes.
#[test]
fn grids_have_a_limit_together() {
    let grid = Grid { columns: 1000, rows: 900, ..Grid::default() };
    let grids = Sum { winds: vec![Model::Grid(grid); 200] };
    let message = WindSpec::from(Model::Sum(grids)).build().unwrap_err().to_string();
    assert!(message.contains("winds[1]: columns = 1000, rows = 900") && message.contains("all grids"), "{message}");
}

/// Nested tables in any notation must not overflow the stack.
#[test]
fn deep_texts_are_refused() {
    let nested = format!("kind = 'profile'\nwind = {}{}", "{ kind = 'profile', wind = ".repeat(5000), "}".repeat(5000));
    let dotted = format!("kind = 'profile'\n{}kind = 'uniform'", "wind.".repeat(20_000));
    let heads = format!("kind = 'profile'\n[wind{}]\nkind = 'uniform'", ".wind".repeat(20_000));
    for text in [nested, dotted, heads] {
        assert!(WindSpec::from_toml(&text).and_then(|spec| spec.build().map(drop)).is_err());
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..600.0_f64,
        2 => 0.0..1.0_f64,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(0.0),
        1 => Just(1e-300),
        1 => Just(-1e300),
        1 => Just(1e9),
    ]
}

fn count() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -1..12_i64, 1 => any::<i64>(), 1 => Just(1_000_000)]
}

fn model() -> impl Strategy<Value = Model> {
    let leaf = prop_oneof![
        [number(), number(), number(), number(), number()].prop_map(
            |[speed, from_degrees, elevation_degrees, gusts, gust_period]| {
                Model::Uniform(Uniform { speed, from_degrees, elevation_degrees, gusts, gust_period, seed: 1 })
            }
        ),
        ([number(), number(), number(), number(), number(), number()], [count(), count(), count()]).prop_map(
            |([speed, intensity, size, duration, persistence, length], [octaves, modes, seed])| {
                if seed % 2 == 0 {
                    Model::Perlin(windfall_wind::Perlin {
                        speed,
                        intensity,
                        size,
                        duration,
                        persistence,
                        octaves,
                        seed,
                        ..Default::default()
                    })
                } else {
                    Model::Turbulence(windfall_wind::Turbulence {
                        speed,
                        intensity,
                        length,
                        smallest: size,
                        modes,
                        seed,
                        ..Default::default()
                    })
                }
            }
        ),
        ([number(), number(), number(), number()], [count(), count(), count()]).prop_map(
            |([cell_size, speed, gusts, persistence], [columns, rows, octaves])| {
                Model::Grid(Grid { cell_size, speed, gusts, persistence, columns, rows, octaves, ..Grid::default() })
            }
        ),
        [number(), number(), number(), number()].prop_map(|[speed, from_degrees, start, duration]| Model::Gust(
            windfall_wind::Gust { speed, from_degrees, start, duration, ..Default::default() }
        )),
        prop::collection::vec([number(), number(), number(), number()], 0..4)
            .prop_map(|rows| Model::Measured(windfall_wind::Measured { rows, ..Default::default() })),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|winds| Model::Sum(Sum { winds })),
            (inner.clone(), number(), number(), number()).prop_map(
                |(wind, roughness, displacement, reference_height)| {
                    Model::Profile(Profile {
                        roughness,
                        displacement,
                        reference_height,
                        ground: 0.0,
                        wind: Box::new(wind),
                    })
                }
            ),
            (inner.clone(), prop::collection::vec([number(), number()], 0..4)).prop_map(|(wind, points)| {
                Model::Scale(Scale { factor: windfall_wind::Factor::Curve(points), wind: Box::new(wind) })
            }),
            (inner.clone(), [number(), number(), number()], number(), any::<bool>()).prop_map(
                |(wind, center, radius, invert)| {
                    Model::Mask(Mask {
                        region: Region::Sphere { center, radius, edge: radius },
                        invert,
                        wind: Box::new(wind),
                    })
                }
            ),
            (inner, prop::collection::vec([number(), number()], 0..3), number(), number()).prop_map(
                |(wind, swing, wavelength, swing_period)| {
                    let axes = vec![[0.0, 1.0]];
                    Model::Wiggle(windfall_wind::Wiggle { axes, swing, wavelength, swing_period, wind: Box::new(wind) })
                }
            ),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_description_is_refused_or_gives_a_finite_wind(model in model(), period in prop::option::of(number()), t in number()) {
        match (WindSpec { period, model }).build() {
            Err(WindError::Invalid(broken)) => prop_assert!(!broken.listed.is_empty() && broken.total >= broken.listed.len()),
            Err(other) => prop_assert!(false, "{other}"),
            Ok(air) => {
                let points = [DVec3::new(1.0, 5.0, -3.0), DVec3::new(-1e5, 1e5, 0.0), DVec3::ZERO];
                for time in [0.0, t, 1e6] {
                    for (p, fast) in points.iter().zip(batch(&air, time, &points)) {
                        prop_assert!(air.velocity(*p, time).is_finite() && fast.is_finite());
                    }
                }
            }
        }
    }

    #[test]
    fn any_text_is_refused_or_read(text in "\\PC{0,200}", csv in "[-0-9a-z,;.#\n \t]{0,200}") {
        let _ = WindSpec::from_toml(&text);
        let _ = windfall_wind::Measured::from_csv(&text);
        let _ = windfall_wind::Measured::from_csv(&csv).map(|m| WindSpec::from(Model::Measured(m)).build());
    }
}
