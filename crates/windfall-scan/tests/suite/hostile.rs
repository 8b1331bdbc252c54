//! Any content gives a plant or an error, never a panic.

use crate::common;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::common::samples;
use proptest::prelude::*;
use windfall_scan::{Dialect, ImportOptions, import};

/// Tries every dialect, independent of the content.
fn survives(bytes: &[u8]) {
    let _ = import(bytes, &ImportOptions::default());
    for dialect in Dialect::ALL {
        let _ = import(bytes, &ImportOptions { dialect: Some(dialect), ..ImportOptions::default() });
    }
}

#[test]
fn every_sample_is_imported() {
    for (dialect, bytes) in samples() {
        let scan = import(&bytes, &ImportOptions::default()).unwrap();
        let trees = if dialect == Dialect::Raycloud { scan.plant.trees().len() } else { 1 };
        assert_eq!(scan.report.cylinders_read, 5 * trees, "{dialect}");
        assert_eq!(scan.plant.branches().len(), 2 * trees, "{dialect}: {}", scan.report);
    }
}

#[test]
fn every_cut_of_every_sample_survives() {
    for (dialect, bytes) in samples() {
        for end in 0..bytes.len() {
            let _ = import(&bytes[..end], &ImportOptions { dialect: Some(dialect), ..ImportOptions::default() });
        }
    }
}

/// A tree may be so far away that its cells cannot be distinguished. Each row is loose.
#[test]
fn places_beyond_all_numbers_survive() {
    for far in [1e19, 1e300, -1e300, 1.5e308] {
        let mut text = "parent,start_x,start_y,start_z,end_x,end_y,end_z,radius\n".to_owned();
        for i in 0..40 {
            let _ = writeln!(text, "-1,{far:e},0,{i},{far:e},0,{},0.01", i + 1);
        }
        survives(text.as_bytes());
    }
}

/// With one dimension zero, an array is empty for any other dimension.
#[test]
fn dimensions_that_overflow_survive() {
    let most = u32::MAX;
    for dims in [&[0, most, most, most][..], &[most, 0, most, most], &[most, most, most, 0], &[0, 0]] {
        let error = import(&common::mat::shaped(dims), &ImportOptions::default()).unwrap_err().to_string();
        assert!(!error.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        survives(&bytes);
    }

    #[test]
    fn any_text_survives(text in "[-0-9.,;eE\t\n /<+^#a-z]{0,400}") {
        survives(text.as_bytes());
    }

    #[test]
    fn changed_samples_survive(
        which in 0_usize..13,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (_, mut bytes) = samples().swap_remove(which);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        survives(&bytes);
    }

    #[test]
    fn changed_matlab_files_survive(
        compressed in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = common::mat::treeqsm(&common::mat::Style { compressed, ..Default::default() });
        for (place, value) in changes {
            // After the header, because changes there would only be refused.
            let place = 128 + place.index(bytes.len() - 128);
            bytes[place] = value;
        }
        survives(&bytes);
    }

    /// Well-formed tables with senseless content: any numbers, any parents.
    #[test]
    fn senseless_trees_become_plants(
        rows in prop::collection::vec(
            (
                -1_i32..12,
                prop::array::uniform6(prop_oneof![
                    4 => -3.0_f64..3.0,
                    2 => (-2_i32..3).prop_map(f64::from),
                    1 => prop::num::f64::ANY,
                ]),
                prop_oneof![4 => 0.001_f64..0.3, 1 => prop::num::f64::ANY],
                0_u8..3,
                0_u8..2,
            ),
            1..12,
        ),
        leaves in any::<bool>(),
    ) {
        let mut text = "parent,start_x,start_y,start_z,end_x,end_y,end_z,radius,branch,tree\n".to_owned();
        for (parent, ends, radius, branch, tree) in &rows {
            let ends = ends.map(|v| v.to_string()).join(",");
            let _ = writeln!(text, "{parent},{ends},{radius},{branch},{tree}");
        }
        let foliage = windfall_scan::Foliage::of(
            &windfall_grow::Species::named("oak").unwrap(),
            windfall_scan::LeafArea::Total(0.1),
            1,
        ).unwrap();
        let options = ImportOptions { leaves: leaves.then_some(foliage), ..ImportOptions::default() };
        match import(text.as_bytes(), &options) {
            Ok(scan) => prop_assert!(scan.report.volume_after_m3 > 0.0),
            // The rules of a plant hold for every file: the only allowed error is "no wood".
            Err(error) => prop_assert!(error.to_string().contains("no wood is left"), "{error}\n{text}"),
        }
    }
}

/// A tree of `n` cylinders: a trunk, and branches of twenty cylinders on it.
fn large(n: usize) -> String {
    let mut text = "id,parent,start_x,start_y,start_z,end_x,end_y,end_z,radius,branch\n".to_owned();
    let trunk = n / 21;
    for i in 0..trunk {
        let (z, step) = (20.0 * i as f64 / trunk as f64, 20.0 / trunk as f64);
        let parent = if i == 0 { -1 } else { i as i64 - 1 };
        let _ = writeln!(text, "{i},{parent},0,0,{z},0,0,{},0.2,0", z + step);
    }
    let mut id = trunk;
    while id < n {
        let branch = (id - trunk) / 20;
        let turn = 2.4 * branch as f64;
        let (on, k) = (branch % trunk, (id - trunk) % 20);
        let parent = if k == 0 { on } else { id - 1 };
        let z = 20.0 * on as f64 / trunk as f64;
        let at = |k: usize| 0.2 * k as f64;
        let _ = writeln!(
            text,
            "{id},{parent},{:.5},{:.5},{z:.5},{:.5},{:.5},{z:.5},0.02,{}",
            at(k) * turn.cos(),
            at(k) * turn.sin(),
            at(k + 1) * turn.cos(),
            at(k + 1) * turn.sin(),
            branch + 1
        );
        id += 1;
    }
    text
}

/// Duration of `import` of this text. The limits are far above the needed time (a second or two on an
/// idle machine), because tests share theirs with others; a quadratic algorithm would still exceed them.
fn timed(text: &str) -> Duration {
    let begin = Instant::now();
    let _ = import(text.as_bytes(), &ImportOptions::default());
    begin.elapsed()
}

#[test]
fn a_hundred_thousand_cylinders_take_little_time() {
    let text = large(100_000);
    let took = timed(&text);
    println!("100,000 cylinders: {took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn hostile_trees_take_little_time() {
    let head = "id,parent,start_x,start_y,start_z,end_x,end_y,end_z,radius,branch\n";
    let n = 100_000;
    let rows = |f: &dyn Fn(usize) -> String| head.to_owned() + &(0..n).map(f).collect::<String>();
    let trees = [
        ("all loose in one spot", rows(&|i| format!("{i},-1,0,0,{},0,0,1,0.1,\n", 1e-6 * i as f64))),
        (
            "a trunk in slices",
            rows(&|i| format!("{i},-1,0,0,{},0,0,{},0.1,\n", 1e-3 * i as f64, 1e-3 * (i + 1) as f64)),
        ),
        ("one long loop", rows(&|i| format!("{i},{},0,0,{i},0,0,{},0.1,\n", (i + 1) % n, i + 1))),
        (
            "one long chain backwards",
            rows(&|i| format!("{i},{},0,0,{},0,0,{},0.1,\n", i as i64 - 1, -1e-3 * i as f64, 1e-3 * i as f64)),
        ),
        (
            "everything on the last of a long chain",
            rows(&|i| {
                format!(
                    "{i},{},0,0,{},0,0,{},0.1,{}\n",
                    (i as i64 - 1).min(n as i64 / 2),
                    0.01 * i as f64,
                    0.01 * (i + 1) as f64,
                    i / (n / 2)
                )
            }),
        ),
        ("kilometres long", rows(&|i| format!("{i},-1,{i},0,0,0,0,1900,0.1,\n"))),
        ("kilometres long side by side", rows(&|i| format!("{i},-1,{},0,0,0,0,1900,0.1,\n", 1e-3 * i as f64))),
        ("none with a place, each its own parent", rows(&|i| format!("{i},{i},NaN,0,0,0,0,1,0.1,\n"))),
        ("all without length", rows(&|i| format!("{i},{},0,0,1,0,0,1,0.1,\n", i as i64 - 1))),
    ];
    for (name, text) in trees {
        let took = timed(&text);
        println!("{name}: {took:?}");
        assert!(took < Duration::from_secs(10), "{name}: {took:?}");
        // No part is joined: the search examines points millimetre by millimetre, up to its limit of
        // steps.
        let mut options = ImportOptions::default();
        options.repair.join = 0.0;
        let begin = Instant::now();
        let _ = import(text.as_bytes(), &options);
        let took = begin.elapsed();
        println!("{name}, join 0: {took:?}");
        assert!(took < Duration::from_secs(10), "{name}, join 0: {took:?}");
    }
}
