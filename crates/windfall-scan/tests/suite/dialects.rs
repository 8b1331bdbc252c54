//! Every dialect gives the same list.

use crate::common;
use std::fmt::Write as _;

use crate::common::mat::{self, Style};
use crate::common::{expected, samples};
use windfall_scan::{Cylinder, Dialect, FaultKind, ImportOptions, ReadOptions, Scan, ScanError, detect, import, read};

fn parsed(bytes: &[u8], dialect: Dialect) -> Scan {
    read(bytes, dialect, ReadOptions::default()).unwrap()
}

fn assert_same(found: &[Cylinder], expected: &[Cylinder], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!(a.start.distance(b.start) < tolerance, "{i}: {a:?} {b:?}");
        assert!(a.end.distance(b.end) < tolerance, "{i}: {a:?} {b:?}");
        assert!((a.base_radius - b.base_radius).abs() < tolerance, "{i}: {a:?} {b:?}");
        assert!((a.tip_radius - b.tip_radius).abs() < tolerance, "{i}: {a:?} {b:?}");
        assert_eq!((a.parent, a.continues, a.tree), (b.parent, b.continues, b.tree), "{i}");
    }
}

#[test]
fn content_says_the_dialect() {
    for (dialect, bytes) in samples() {
        assert_eq!(detect(&bytes), Some(dialect), "{dialect}");
        let marked = [b"\xef\xbb\xbf".as_slice(), &bytes].concat();
        assert_eq!(detect(&marked), Some(dialect), "{dialect} with a mark");
    }
    let others: [&[u8]; 6] = [b"", b"\n\n", b"hello", b"{\"format\":1}", b"x,y,z\n1,2,3\n", b"\x00\x01\x02\x03"];
    for other in others {
        assert_eq!(detect(other), None, "{other:?}");
    }
    let error = import(b"hello", &ImportOptions::default()).unwrap_err().to_string();
    assert!(error.contains("TreeQSM") && error.contains("start_x"), "{error}");
    assert_eq!(import(b"", &ImportOptions::default()).unwrap_err(), ScanError::Empty);
}

#[test]
fn names_of_dialects_are_found() {
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::named(dialect.name()), Some(dialect));
    }
    assert_eq!(Dialect::named("auto"), None);
}

#[test]
fn tables_with_branches_say_what_continues() {
    for (dialect, text) in [
        (Dialect::TreeQsmText, common::treeqsm_24()),
        (Dialect::TreeQsmText, common::treeqsm_23()),
        (Dialect::TreeQsmText, common::treeqsm_23_branch_first()),
        (Dialect::SimpleForest, common::simpleforest()),
        (Dialect::Archi, common::archi()),
        (Dialect::Plain, common::plain()),
    ] {
        assert_same(&parsed(text.as_bytes(), dialect).cylinders, &expected(true), 1e-9);
        let windows = text.replace('\n', "\r\n");
        assert_same(&parsed(windows.as_bytes(), dialect).cylinders, &expected(true), 1e-9);
    }
}

#[test]
fn spreadsheets_of_all_countries_are_read() {
    // Semicolons with decimal commas (R's write.csv2), quotes and row names (write.csv), and a header
    // without a name for these (write.table).
    let csv2: String = common::plain().lines().map(|l| l.replace(',', ";").replace('.', ",") + "\n").collect();
    assert_same(&parsed(csv2.as_bytes(), Dialect::Plain).cylinders, &expected(true), 1e-9);
    for text in [common::treeqsm_24(), common::treeqsm_23()] {
        let commas = text.replace('.', ",");
        for text in [commas.replace('\t', ";"), commas, text.replace('\t', ","), text.replace('\t', " ")] {
            assert_eq!(detect(text.as_bytes()), Some(Dialect::TreeQsmText), "{text}");
            assert_same(&parsed(text.as_bytes(), Dialect::TreeQsmText).cylinders, &expected(true), 1e-9);
        }
    }
    let quoted: String = common::archi()
        .lines()
        .enumerate()
        .map(|(i, line)| match i {
            0 => "\"\",".to_owned() + &line.split(',').map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(",") + "\n",
            _ => format!("\"{i}\",{line}\n"),
        })
        .collect();
    assert_same(&parsed(quoted.as_bytes(), Dialect::Archi).cylinders, &expected(true), 1e-9);
    let named: String = common::archi()
        .lines()
        .enumerate()
        .map(|(i, line)| if i == 0 { format!("{line}\n") } else { format!("{i},{line}\n") })
        .collect();
    assert_same(&parsed(named.as_bytes(), Dialect::Archi).cylinders, &expected(true), 1e-9);
}

/// A header that ends with a delimiter, with rows that do and rows that do not.
#[test]
fn delimiters_at_the_end_of_lines_name_no_column() {
    for ends in [[",", ""], [",", ","], ["", ","]] {
        let lines = common::plain();
        let lines: Vec<_> = lines.lines().enumerate().map(|(i, l)| l.to_owned() + ends[usize::from(i > 0)]).collect();
        let text = lines.join("\n");
        assert_same(&parsed(text.as_bytes(), Dialect::Plain).cylinders, &expected(true), 1e-9);
    }
}

/// The rows of a table with text before and after each, counted from 1; the header stays.
fn around(text: &str, row: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(i, l)| if i == 0 { l.to_owned() } else { row(i, l) } + "\n").collect()
}

/// R's `write.table` names rows but not their column. A row whose last field is empty looks like one
/// that ends with a delimiter.
#[test]
fn rows_with_names_may_end_with_an_empty_field() {
    let plain = common::plain();
    let some = around(&plain, |i, l| format!("{i},{}", if i % 2 == 1 { l.replace("green", "") } else { l.to_owned() }));
    // An empty last column: the quotes are those of a name.
    let all = around(&plain, |i, l| format!("\"{i}\",{}", l.replace("green", "")));
    let both = around(&plain, |i, l| format!("{i},{l},"));
    for text in [&some, &all, &both] {
        assert_same(&parsed(text.as_bytes(), Dialect::Plain).cylinders, &expected(true), 1e-9);
        let tabs = text.replace(',', "\t");
        assert_same(&parsed(tabs.as_bytes(), Dialect::Plain).cylinders, &expected(true), 1e-9);
    }
    // A last row without its last field is truncated, not one without a name.
    let named = around(&plain, |i, l| format!("{i},{l}"));
    let cut = named.trim_end().strip_suffix(",green").unwrap();
    let error = read(cut.as_bytes(), Dialect::Plain, ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("line 6 has 11 fields") && error.contains("cut off"), "{error}");
}

/// Many functions treat tabs as spaces, but here they end fields; quoted text is one field.
#[test]
fn tabs_at_the_end_and_delimiters_in_quotes_shift_nothing() {
    let plain = common::plain();
    let tabs = around(&plain, |_, l| l.to_owned() + ",").replace(',', "\t");
    let quotes = around(&plain, |i, l| if i == 2 { l.replace("green", "\"green, dark\"") } else { l.to_owned() });
    let unquoted = around(&plain, |i, l| if i == 5 { l.replace("green", "green, dark") } else { l.to_owned() });
    for text in [tabs, quotes] {
        assert_same(&parsed(text.as_bytes(), Dialect::Plain).cylinders, &expected(true), 1e-9);
    }
    let cylinders = parsed(unquoted.as_bytes(), Dialect::Plain).cylinders;
    assert_eq!((cylinders[4].end, cylinders[4].parent), (expected(true)[4].end, Some(1)));
}

/// Without quotes names of rows look like values: those of R are often the ids, so that each row would
/// be its own parent. The last column is empty, which looks like a delimiter at the end.
#[test]
fn names_without_quotes_are_told_by_what_makes_sense() {
    let empty = around(&common::plain(), |_, l| l.replace("green", ""));
    for first in [0, 1, 10] {
        let named = around(&empty, |i, l| format!("{},{l}", i - 1 + first));
        assert_same(&parsed(named.as_bytes(), Dialect::Plain).cylinders, &expected(true), 1e-9);
    }
    // A value without a name in all rows; its column after the radius is ambiguous.
    let unnamed = around(&common::plain(), |_, l| l.to_owned() + ",dark");
    assert_same(&parsed(unnamed.as_bytes(), Dialect::Plain).cylinders, &expected(false), 1e-9);
}

/// Decimal commas between commas: every number is two fields.
#[test]
fn commas_that_mean_two_things_are_refused() {
    let commas = around(&common::plain(), |_, l| l.replace('.', ","));
    let error = import(commas.as_bytes(), &ImportOptions::default()).unwrap_err().to_string();
    assert!(error.contains("line 4 has more fields") && error.contains("decimal commas"), "{error}");
}

/// Lines that end with `\r` alone, indented comments and headers, aligned columns.
#[test]
fn white_space_does_not_matter() {
    for (dialect, bytes) in samples() {
        let Ok(text) = String::from_utf8(bytes) else { continue };
        if matches!(dialect, Dialect::AdTree | Dialect::TreeQsmMat) {
            continue;
        }
        let expected = parsed(text.as_bytes(), dialect).cylinders;
        for text in [text.replace('\n', "\r"), format!("  # a note\n\t# another\n{text}"), text.replace('\n', "\r\r\n")]
        {
            assert_eq!(detect(text.as_bytes()), Some(dialect), "{text}");
            assert_same(&parsed(text.as_bytes(), dialect).cylinders, &expected, 1e-12);
        }
    }
    // Every line is indented; tabs there would be columns.
    for text in [common::treeqsm_24(), common::treeqsm_23()] {
        let moved = format!("  {}", text.trim_end().replace('\n', "\n  "));
        assert_same(&parsed(moved.as_bytes(), Dialect::TreeQsmText).cylinders, &expected(true), 1e-9);
    }
    let filled = common::plain().replacen(",,", ",-1,", 1);
    let aligned: String =
        filled.lines().map(|l| l.split(',').map(|f| format!("{f:>9}")).collect::<Vec<_>>().join("  ") + "\n").collect();
    assert_eq!(detect(aligned.as_bytes()), Some(Dialect::Plain));
    assert_same(&parsed(aligned.as_bytes(), Dialect::Plain).cylinders, &expected(true), 1e-9);
}

/// The mark of a MATLAB file may occur in any text.
#[test]
fn letters_do_not_make_a_matlab_file() {
    for mark in ["IM", "MI"] {
        let text = format!("#{:125}{mark}\n{}", "", common::plain());
        assert_eq!(&text.as_bytes()[126..128], mark.as_bytes());
        assert_eq!(detect(text.as_bytes()), Some(Dialect::Plain));
    }
}

/// Without ids the rows count. Where the first one would be its own parent, they count from 1.
#[test]
fn rows_count_from_nought_or_one() {
    let without_ids = |from: usize| {
        let row = |row: &common::Row| {
            let ends: Vec<String> = row.start.iter().chain(&row.end).map(ToString::to_string).collect();
            let parent = row.parent.map_or(from as i64 - 1, |p| (p + from) as i64);
            format!("{parent},{},{}\n", ends.join(","), row.radius)
        };
        let rows: String = common::tree().iter().map(row).collect();
        parsed(format!("parent,start_x,start_y,start_z,end_x,end_y,end_z,radius\n{rows}").as_bytes(), Dialect::Plain)
    };
    for from in [0, 1] {
        assert_same(&without_ids(from).cylinders, &expected(false), 1e-12);
    }
    assert!(without_ids(1).notes[0].contains("from 1"));
}

/// A parent that is not a number does not exist; it does not mean "no parent".
#[test]
fn parents_that_are_no_numbers_are_missed() {
    let parents = ["", "NA", "nan", "-1", "trunk", "1.5", "7"];
    let mut text = "parent,start_x,start_y,start_z,end_x,end_y,end_z,radius\n".to_owned();
    for (i, parent) in parents.iter().enumerate() {
        let _ = writeln!(text, "{parent},0,0,{i},0,0,{},0.1", i + 1);
    }
    let report = import(text.as_bytes(), &ImportOptions::default()).unwrap().report;
    assert_eq!(report.count(FaultKind::UnknownParent), 3, "{report}");
}

/// Two concatenated trees: the ids of the second are those of the first again, and none of its parents
/// is in the first.
#[test]
fn tables_put_together_are_told_apart() {
    let text = common::simpleforest();
    let (head, rows) = text.split_once('\n').unwrap();
    let scan = parsed(format!("{head}\n{rows}{rows}").as_bytes(), Dialect::SimpleForest);
    let count = scan.cylinders.len() / 2;
    assert_eq!(count, expected(true).len());
    for (i, cylinder) in scan.cylinders.iter().enumerate() {
        let first = scan.cylinders[i % count].parent;
        assert_eq!(cylinder.parent, first.map(|p| p + i / count * count), "{i}");
    }
    assert!(scan.notes.iter().any(|note| note.contains(&format!("{count} rows have an id"))), "{:?}", scan.notes);
    assert!(parsed(text.as_bytes(), Dialect::SimpleForest).notes.is_empty());
}

/// Early versions write the length of a segment, but have no name for it in the header.
#[test]
fn early_simpleforest_has_a_value_without_a_name() {
    let text: String = common::simpleforest()
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let mut fields: Vec<&str> = line.split(',').collect();
            if i > 0 {
                fields.insert(11, " 1.25");
            }
            fields.join(",") + "\n"
        })
        .collect();
    assert_same(&parsed(text.as_bytes(), Dialect::SimpleForest).cylinders, &expected(false), 1e-9);
}

#[test]
fn matlab_files_of_all_widths_and_orders_are_read() {
    for parents in [1, 2, 3, 4, 5, 6, 7, 9, 12, 13] {
        for reals in [7, 9] {
            for (big_endian, compressed) in [(false, false), (false, true), (true, false), (true, true)] {
                let style = Style { big_endian, compressed, parents, reals, models: 1 };
                let tolerance = if reals == 7 { 1e-5 } else { 1e-9 };
                let bytes = mat::treeqsm(&style);
                assert_eq!(detect(&bytes), Some(Dialect::TreeQsmMat));
                assert_same(&parsed(&bytes, Dialect::TreeQsmMat).cylinders, &expected(true), tolerance);
                let bytes = mat::treeqsm_20(&style);
                assert_same(&parsed(&bytes, Dialect::TreeQsmMat).cylinders, &expected(true), 1e-9);
            }
        }
    }
    let bytes = mat::treeqsm(&Style { models: 3, ..Style::default() });
    for model in 0..3 {
        let several = read(&bytes, Dialect::TreeQsmMat, ReadOptions { model, ..ReadOptions::default() }).unwrap();
        let mut expected = expected(true);
        // The radius of each model increases with its number.
        for cylinder in &mut expected {
            cylinder.base_radius += model as f64;
            cylinder.tip_radius += model as f64;
        }
        assert_same(&several.cylinders, &expected, 1e-9);
        assert!(several.notes[0].contains("3 models"), "{:?}", several.notes);
    }
    let error = read(&bytes, Dialect::TreeQsmMat, ReadOptions { model: 3, ..ReadOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("no model 4"), "{error}");
    let bytes = mat::treeqsm_after(&Style { models: 4, ..Style::default() }, 2);
    for (model, empty) in [(0, true), (1, true), (2, false), (3, false)] {
        match read(&bytes, Dialect::TreeQsmMat, ReadOptions { model, ..ReadOptions::default() }) {
            Ok(scan) => assert!(!empty && scan.cylinders.len() == 5),
            Err(error) => assert!(empty && error.to_string().contains("is not is model 3"), "{error}"),
        }
    }
}

#[test]
fn matlab_files_of_an_independent_writer_are_read() {
    use matrw::{matfile, matvar, save_matfile_v7};
    let folder = std::env::temp_dir().join(format!("windfall-scan-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("tree.mat");
    for compressed in [false, true] {
        let file = matfile!(OptQSM: matvar!({
            cylinder: matvar!({
                radius: [0.5, 0.25],
                length: [2.0, 3.0],
                start: [[1.0, 2.0, 3.0], [1.0, 2.0, 5.0]],
                axis: [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
                parent: [0_u16, 1_u16],
                branch: [1_u8, 2_u8],
            }),
            name: "oak",
        }));
        save_matfile_v7(path.to_str().unwrap(), file, compressed).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(detect(&bytes), Some(Dialect::TreeQsmMat));
        let found = parsed(&bytes, Dialect::TreeQsmMat).cylinders;
        let cylinder = |start: [f64; 3], end: [f64; 3], radius, parent, continues| Cylinder {
            start: start.into(),
            end: end.into(),
            base_radius: radius,
            tip_radius: radius,
            parent,
            continues,
            tree: 0,
        };
        let expected = [
            cylinder([1.0, 2.0, 3.0], [1.0, 2.0, 5.0], 0.5, None, None),
            cylinder([1.0, 2.0, 5.0], [1.0, 5.0, 5.0], 0.25, Some(0), Some(false)),
        ];
        assert_same(&found, &expected, 1e-12);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn matlab_files_that_cannot_be_read_say_why() {
    let newer = format!("{:<124}\x00\x02IM", "MATLAB 7.3 MAT-file, Platform: GLNXA64");
    let error = import(newer.as_bytes(), &ImportOptions::default()).unwrap_err().to_string();
    assert!(error.contains("-v7"), "{error}");
    let error = import(&mat::nested(100), &ImportOptions::default()).unwrap_err().to_string();
    assert!(error.contains("nested"), "{error}");
    let error = import(&mat::nested(1), &ImportOptions::default()).unwrap_err().to_string();
    assert!(error.contains("found: QSM"), "{error}");
}

#[test]
fn treefiles_have_several_trees_and_points_as_roots() {
    let scan = parsed(common::raycloud().as_bytes(), Dialect::Raycloud);
    assert_eq!(scan.trees, ["tree 1", "tree 2"]);
    let one = expected(false);
    let two: Vec<Cylinder> = one
        .iter()
        .copied()
        .chain(one.iter().map(|c| Cylinder { tree: 1, parent: c.parent.map(|p| p + one.len()), ..*c }))
        .collect();
    assert_same(&scan.cylinders, &two, 1e-12);
    assert_same(&parsed(common::raycloud_old().as_bytes(), Dialect::Raycloud).cylinders, &one, 1e-12);
    // raycloudtools writes a tree of a single point without its parent, between others.
    let lines = common::raycloud().replace("# a comment", "1,1, 9,9,0,0.1,7");
    let scan = parsed(lines.as_bytes(), Dialect::Raycloud);
    assert_eq!(scan.trees, ["tree 1", "tree 2", "tree 3"]);
    let third: Vec<Cylinder> = two.iter().map(|c| Cylinder { tree: 2 * c.tree, ..*c }).collect();
    assert_same(&scan.cylinders, &third, 1e-12);
    let trunks = "# trunks\nx,y,z,radius\n1,2,3,0.1\n";
    assert!(import(trunks.as_bytes(), &ImportOptions::default()).unwrap_err().to_string().contains("rayextract trees"));
}

#[test]
fn skeletons_grow_from_their_foot() {
    // The edges in the order of the traversal.
    let rows = expected(false);
    let order = [0, 1, 2, 4, 3];
    let place = |i: usize| order.iter().position(|&o| o == i);
    let skeleton: Vec<Cylinder> =
        order.iter().map(|&i| Cylinder { parent: rows[i].parent.and_then(place), ..rows[i] }).collect();
    for bytes in [common::adtree_ascii(), common::adtree_binary(false), common::adtree_binary(true)] {
        let mut found = parsed(&bytes, Dialect::AdTree).cylinders;
        // Radii of a vertex belong to both sides; only the tips are compared here.
        for cylinder in &mut found {
            cylinder.base_radius = cylinder.tip_radius;
        }
        assert_same(&found, &skeleton, 1e-6);
    }
    // A hanging loose branch begins at its thick upper end.
    let hanging = "ply\nformat ascii 1.0\nelement vertex 5\nproperty double x\nproperty double y\nproperty double z\n\
                   property double radius\nelement edge 3\nproperty int vertex1\nproperty int vertex2\nend_header\n\
                   0 0 0 0.2\n0 0 2 0.2\n0 0 4 0.1\n1 0 1 0.01\n0.3 0 3.9 0.05\n0 1\n1 2\n3 4\n";
    let found = parsed(hanging.as_bytes(), Dialect::AdTree).cylinders;
    assert_eq!((found[2].start.to_array(), found[2].end.to_array()), ([0.3, 0.0, 3.9], [1.0, 0.0, 1.0]));
    // Edges to vertices that do not exist are dropped and reported.
    let wrong = hanging.replace("\n3 4\n", "\n3 9\n");
    let scan = parsed(wrong.as_bytes(), Dialect::AdTree);
    assert_eq!(scan.cylinders.len(), 2);
    assert!(scan.notes.iter().any(|note| note.starts_with("1 edges name vertices")), "{:?}", scan.notes);
    let mesh = b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n";
    assert!(import(mesh, &ImportOptions::default()).unwrap_err().to_string().contains("skeleton"));
}

#[test]
fn graphs_follow_columns_and_signs() {
    let scan = parsed(common::mtg().as_bytes(), Dialect::Mtg);
    assert_eq!(scan.trees, ["P1"]);
    // The limb is listed before the continuation of the trunk.
    let rows = expected(true);
    let order = [0, 2, 3, 1, 4];
    let place = |i: usize| order.iter().position(|&o| o == i);
    let listed: Vec<Cylinder> = order
        .iter()
        .map(|&i| Cylinder {
            parent: rows[i].parent.and_then(place),
            continues: rows[i].continues.or(Some(true)),
            ..rows[i]
        })
        .collect();
    assert_same(&scan.cylinders, &listed, 1e-12);
}

/// `OpenAlea`'s own writer lists branches in the column of the wood that bears them, where `^` would
/// stand for the branch.
#[test]
fn wood_goes_on_after_branches_in_the_same_column() {
    let header = &common::mtg()[..common::mtg().find("/P1").unwrap()];
    let body = "\
/P1\t\t\t\t\t\t
\t/A1\t\t\t\t\t
\t^/E1\t\t0\t0\t0\t0.2
\t^<E2\t\t0\t0\t1\t0.2
\t^+A2\t\t\t\t\t
\t\t/E1\t1\t0\t1\t0.1
\t^+A3\t\t\t\t\t
\t\t/E1\t-1\t0\t1\t0.1
\t^<E3\t\t0\t0\t2\t0.1
";
    let scan = parsed(format!("{header}{body}").as_bytes(), Dialect::Mtg);
    let ends: Vec<([f64; 3], [f64; 3], Option<bool>)> =
        scan.cylinders.iter().map(|c| (c.start.to_array(), c.end.to_array(), c.continues)).collect();
    let top = [0.0, 0.0, 1.0];
    assert_eq!(
        ends,
        [
            ([0.0; 3], top, Some(true)),
            (top, [1.0, 0.0, 1.0], Some(false)),
            (top, [-1.0, 0.0, 1.0], Some(false)),
            (top, [0.0, 0.0, 2.0], Some(true)),
        ]
    );
}

/// As `OpenAlea` reads them: a line may skip columns, and `<` without `^` follows the last of its
/// column.
#[test]
fn columns_may_be_skipped_and_signs_left_out() {
    let common = common::mtg();
    let header = &common[..common.find("/P1").unwrap()];
    let body = "\
/P1/A1\t\t\t5\t7\t1\t0.2
\t\t/E1\t5\t7\t2\t0.2
\t\t<E2\t5\t7\t3\t0.16
\t\t<E3\t5\t7.5\t4\t0.1
";
    let scan = parsed(format!("{header}{body}").as_bytes(), Dialect::Mtg);
    let rows = expected(true);
    let trunk = [0, 1, 4];
    let place = |i: usize| trunk.iter().position(|&t| t == i);
    let trunk: Vec<Cylinder> = trunk
        .iter()
        .map(|&i| Cylinder { parent: rows[i].parent.and_then(place), continues: Some(true), ..rows[i] })
        .collect();
    assert_same(&scan.cylinders, &trunk, 1e-12);
}

#[test]
fn cut_off_tables_say_where() {
    for (dialect, bytes) in samples() {
        if matches!(dialect, Dialect::TreeQsmMat | Dialect::AdTree | Dialect::Mtg) {
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        let cut = &text.trim_end()[..text.trim_end().rfind([',', '\t', ' ']).unwrap()];
        let cut = &cut[..cut.rfind([',', '\t']).unwrap()];
        let error = read(cut.as_bytes(), dialect, ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("cut off") && error.contains("line"), "{dialect}: {error}");
    }
}
