//! Species files: an error names the field, the value and the rule.

use windfall_grow::{ColoniseOptions, CrownProfile, GrowError, GrowOptions, Species, colonise, grow};

fn error(change: impl Fn(String) -> String) -> String {
    let maple = toml::to_string(&Species::named("maple").unwrap()).unwrap();
    let changed = change(maple.clone());
    assert_ne!(changed, maple, "the change must do something");
    Species::from_toml(&changed).unwrap_err().to_string()
}

#[test]
fn a_species_survives_a_trip_through_toml() {
    for species in Species::all() {
        let text = toml::to_string(&species).unwrap();
        assert_eq!(Species::from_toml(&text).unwrap(), species);
    }
}

#[test]
fn mistakes_are_named() {
    // The rest of the line after the new value becomes a comment.
    let cases: [(&str, &str, &[&str]); 10] = [
        ("\nheight = ", "\nheight = -1.0 #", &["size.height = -1", "between"]),
        ("\nheight = ", "\nheight = nan #", &["size.height = NaN", "between"]),
        ("\nheight = ", "\nhight = 15.0 #", &["hight"]),
        ("\nclear = ", "\nclear = 1.0 #", &["crown.clear = 1", "between"]),
        ("\nwhorl = 2", "\nwhorl = 0 #", &["levels[1].whorl = 0", "between 1 and 64"]),
        ("\nper_node = ", "\nper_node = 0 #", &["leaf.per_node = 0", "between"]),
        ("\nspacing = ", "\nspacing = -0.1 #", &["leaf.spacing = -0.1", "between"]),
        ("\nwood = ", "\nwood = \"balsa\" #", &["unknown wood `balsa`"]),
        ("\nshape = ", "\nshape = \"cubic\" #", &["cubic"]),
        ("name = ", "name = = ", &["TOML"]),
    ];
    for (from, to, words) in cases {
        let text = error(|toml| toml.replacen(from, to, 1));
        for word in words {
            assert!(text.contains(word), "`{to}`: `{word}` is missing in: {text}");
        }
    }
}

#[test]
fn every_number_has_a_range() {
    type Change = fn(&mut Species);
    let changes: [(Change, &str); 22] = [
        (|s| s.name = "../escape".into(), "name"),
        (|s| s.name = String::new(), "name"),
        (|s| s.size.most_bodies = Some(0), "size.most_bodies"),
        (|s| s.size.growth = 100.0, "size.growth"),
        (|s| s.trunk.base_splits = 1e9, "trunk.base_splits"),
        (|s| s.trunk.stoutness = f64::INFINITY, "trunk.stoutness"),
        (|s| s.trunk.flare = -1.0, "trunk.flare"),
        (|s| s.trunk.disused = f64::NAN, "trunk.disused"),
        (|s| s.levels[2].segments = 1000, "levels[2].segments"),
        (|s| s.levels[2].least_segments = 0, "levels[2].least_segments"),
        (|s| s.levels[1].length_v = 9.0, "levels[1].length_v"),
        (|s| s.levels[1].attraction = f64::NAN, "levels[1].attraction"),
        (|s| s.leaf.as_mut().unwrap().bare = -1000.0, "leaf.bare"),
        (|s| s.leaf.as_mut().unwrap().droop = f64::NAN, "leaf.droop"),
        (|s| s.leaf.as_mut().unwrap().to_light = 7.0, "leaf.to_light"),
        (|s| s.leaf.as_mut().unwrap().variation = 2.0, "leaf.variation"),
        (|s| s.fruit.as_mut().unwrap().per_shoot = f64::INFINITY, "fruit.per_shoot"),
        (|s| s.fruit.as_mut().unwrap().along = [-50.0, 50.0], "fruit.along[0]"),
        (|s| s.fruit.as_mut().unwrap().along = [0.5, 0.2], "fruit.along[1]"),
        (|s| s.fruit.as_mut().unwrap().along = [f64::NAN, 1.0], "fruit.along[0]"),
        (|s| s.levels.truncate(1), "number of levels"),
        (|s| s.leaf = None, "[leaf] or a [blossom]"),
    ];
    for (change, field) in changes {
        let mut species = Species::named("apple").unwrap();
        change(&mut species);
        let error = grow(&species, &GrowOptions { bodies: Some(500), seed: 0 }).unwrap_err().to_string();
        assert!(error.contains(field), "`{field}` is missing in: {error}");
    }
    let mut species = Species::named("spruce").unwrap();
    species.crown.prune.as_mut().unwrap().ratio = f64::NAN;
    assert!(species.check().unwrap_err().to_string().contains("crown.prune.ratio"));
}

#[test]
fn extreme_but_allowed_numbers_give_a_tree_or_an_error_in_time() {
    let changes: [fn(&mut Species); 12] = [
        |s| s.levels.iter_mut().skip(1).for_each(|level| level.branches = 10_000.0),
        |s| s.levels.iter_mut().for_each(|level| (level.segments, level.seg_splits) = (200, 3.0)),
        |s| s.levels[2].curve_v = 3600.0,
        |s| s.levels[1].attraction = -100.0,
        |s| s.crown.clear = 0.99,
        |s| s.trunk.dbh_ratio = 1.0,
        |s| s.trunk.twig_radius = 1.0,
        |s| s.trunk.base_splits = 8.0,
        |s| s.size.shoot = 100.0,
        |s| s.leaf.as_mut().unwrap().spacing = 1e-3,
        |s| s.levels.iter_mut().for_each(|level| (level.length, level.length_v) = (5.0, 4.5)),
        |s| s.levels.iter_mut().for_each(|level| (level.length, level.length_v) = (1e-3, 0.0)),
    ];
    for (i, change) in changes.iter().enumerate() {
        let mut species = Species::named("maple").unwrap();
        change(&mut species);
        match grow(&species, &GrowOptions { bodies: Some(20_000), seed: 1 }) {
            Ok(plant) => assert_eq!(plant.body_count(), 20_000, "change {i}"),
            Err(GrowError::OutOfReach { asked: 20_000, .. } | GrowError::Invalid(_)) => {}
            Err(other) => panic!("change {i}: {other}"),
        }
    }
}

#[test]
fn extreme_crowns_give_a_tree_or_an_error_in_time() {
    let oak = Species::named("oak").unwrap();
    for crown in [
        "0:0,50:0,50.001:100,50.002:0,100:0",
        "5:200,5.1:200",
        "0:0.05,0.05:0.05",
        "0:0.05,200:0.05",
        "2:0,20:0,22:5,25:0",
        "199:1,200:1",
        "10:0,12:0.3,18:0.3,20:6,24:0",
    ] {
        let crown: CrownProfile = crown.parse().unwrap();
        for bodies in [300, 5000] {
            let options = ColoniseOptions { crown: crown.clone(), bodies: Some(bodies), seed: 1 };
            match colonise(&oak, &options) {
                Ok(plant) => assert_eq!(plant.body_count(), bodies, "{crown}"),
                Err(GrowError::OutOfReach { .. } | GrowError::Invalid(_)) => {}
                Err(other) => panic!("{crown}: {other}"),
            }
        }
    }
    // A neck or a gap below the crown is no obstacle.
    for crown in ["2:0,20:0,22:5,25:0", "10:0,12:0.3,18:0.3,20:6,24:0"] {
        let options = ColoniseOptions { crown: crown.parse().unwrap(), bodies: Some(5000), seed: 1 };
        let plant = colonise(&oak, &options).unwrap();
        let top = plant.segments().iter().map(|s| s.tip().y).fold(0.0, f32::max);
        assert!(top > 22.0, "{crown}: {top}");
    }
}
