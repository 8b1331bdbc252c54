//! Species files: what is wrong is said with the field, the value and the rule.

use windfall_grow::{GrowOptions, Species, grow};

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
    // What stands behind the new value on the line becomes a comment.
    let cases: [(&str, &str, &[&str]); 10] = [
        ("\nheight = ", "\nheight = -1.0 #", &["size.height = -1", "above zero"]),
        ("\nheight = ", "\nheight = nan #", &["size.height = NaN", "above zero"]),
        ("\nheight = ", "\nhight = 15.0 #", &["hight"]),
        ("\nclear = ", "\nclear = 1.0 #", &["crown.clear = 1", "below 1"]),
        ("\nwhorl = 2", "\nwhorl = 0 #", &["levels[1].whorl = 0", "1 to 64"]),
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
fn absurd_but_allowed_numbers_give_a_tree_or_an_error() {
    let maple = Species::named("maple").unwrap();
    let changes: [fn(&mut Species); 8] = [
        |s| s.levels[1].branches = 5000.0,
        |s| s.levels[2].curve_v = 3600.0,
        |s| s.levels[1].attraction = -50.0,
        |s| s.levels[0].seg_splits = 3.0,
        |s| s.crown.clear = 0.999,
        |s| s.trunk.dbh_ratio = 100.0,
        |s| s.trunk.twig_radius = 50.0,
        |s| s.size.shoot = 1000.0,
    ];
    for change in changes {
        let mut species = maple.clone();
        change(&mut species);
        match grow(&species, &GrowOptions { bodies: Some(2000), seed: 1 }) {
            Ok(plant) => assert_eq!(plant.body_count(), 2000),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
