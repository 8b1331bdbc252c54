//! Measured wind.

use crate::common::build;
use windfall_core::glam::DVec3;
use windfall_wind::{Measured, Model, Wind, WindError, WindSpec};

fn error(text: &str) -> String {
    let built = Measured::from_csv(text).and_then(|m| WindSpec::from(Model::Measured(m)).build().map(drop));
    built.expect_err(text).to_string()
}

#[test]
fn rows_are_east_north_up_and_interpolated() {
    let csv = "\u{feff}time,u,v,w\r\n# a sonic anemometer\r\n\r\n1700000000.0,1,2,3\r\n1700000001.0,3,2,1\r\n1700000003.0,3,-2,0\r\n";
    let measured = Measured { start: 10.0, ..Measured::from_csv(csv).unwrap() };
    let air = WindSpec::from(Model::Measured(measured)).build().unwrap();
    // World axes: x east, y up, z south.
    for (time, [u, v, w]) in [
        (10.0, [1.0, 2.0, 3.0]),
        (10.5, [2.0, 2.0, 2.0]),
        (12.0, [3.0, 0.0, 0.5]),
        (-100.0, [1.0, 2.0, 3.0]),
        (1e6, [3.0, -2.0, 0.0]),
    ] {
        let found = air.velocity(DVec3::new(5.0, 6.0, 7.0), time);
        assert!((found - DVec3::new(u, w, -v)).length() < 1e-9, "{time}: {found}");
    }
}

#[test]
fn separators_may_be_semicolons_tabs_or_blanks() {
    for text in ["0;1;2;3\n1;1;2;3", "0\t1\t2\t3\n1\t1\t2\t3", "0 1  2 3\n1 1 2 3\n", "t u v w\n0, 1, 2, 3\n1, 1, 2, 3"]
    {
        let rows = Measured::from_csv(text).unwrap().rows;
        assert_eq!(rows, [[0.0, 1.0, 2.0, 3.0], [1.0, 1.0, 2.0, 3.0]], "{text}");
    }
}

#[test]
fn one_row_is_a_steady_wind_and_none_an_error() {
    let air = build("kind = 'measured'\nrows = [[0, 4, 0, 0]]\nperiod = 7");
    assert_eq!(air.velocity(DVec3::ZERO, 55.0).x, 4.0);
    assert!(error("").contains("0 rows: must be 1 to"), "{}", error(""));
    assert!(error("time,u,v,w\n").contains("0 rows"));
}

#[test]
fn errors_name_the_line_and_what_is_wrong() {
    for (text, parts) in [
        ("time,u,v,w\n0,1,2,3\n1,1,2\n2,x,2,3\n", vec!["line 3", "`1,1,2`", "four numbers", "line 4", "2 rules"]),
        ("0,1,2,3\n2,1,2,3\n1.5,1,2,3\n", vec!["rows[2][0] = 1.5", "later than the row before, 2"]),
        ("0,1,2,3\n0,1,2,3\n", vec!["rows[1][0] = 0", "later"]),
        ("0,1,NaN,3\n", vec!["rows[0]", "NaN", "-500 to 500"]),
        ("0,1,inf,3\n", vec!["rows[0]", "inf"]),
        ("inf,1,1,3\n", vec!["rows[0][0] = inf"]),
        ("0,1,900,3\n", vec!["900", "-500 to 500 m/s"]),
        ("u,v\nw,x\n", vec!["line 2"]),
        // Decimal commas, and the temperature column of sonic anemometers.
        ("0,0;3,1;0,2;0,0\n", vec!["line 1", "decimals with a point"]),
        ("t,u,v,w,T\n0,1,2,3,18.5\n", vec!["line 2", "nothing else"]),
        ("\0\u{1}", vec!["0 rows"]),
    ] {
        let message = error(text);
        assert!(parts.iter().all(|part| message.contains(part)), "{text}: {message}");
    }
}

#[test]
fn files_are_read_by_the_caller() {
    let text =
        "kind = 'sum'\nwinds = [{ kind = 'scale', factor = 2, wind = { kind = 'measured', file = 'tower.csv' } }]";
    let mut spec = WindSpec::from_toml(text).unwrap();
    let message = spec.build().unwrap_err().to_string();
    assert!(message.contains("winds[0].wind: file = tower.csv: has not been read"), "{message}");
    let missing = spec.clone().read_files(|name| Err(format!("{name} is not there"))).unwrap_err().to_string();
    assert!(missing.contains("tower.csv is not there"), "{missing}");
    spec.read_files(|name| {
        assert_eq!(name, "tower.csv");
        Ok("0,1,0,0\n1,1,0,0".to_owned())
    })
    .unwrap();
    assert_eq!(spec.build().unwrap().velocity(DVec3::ZERO, 0.5).x, 2.0);
    let both = WindSpec::from_toml("kind = 'measured'\nfile = 'a'\nrows = [[0, 1, 2, 3]]").unwrap().build();
    assert!(matches!(both, Err(WindError::Invalid { .. })));
}

#[test]
fn errors_of_files_name_the_file_and_where_it_was_asked_for() {
    let text = "kind = 'sum'\nwinds = [{ kind = 'measured', file = 'a.csv' }, { kind = 'measured', file = 'b.csv' }, { kind = 'measured', file = 'c.csv', rows = [[0, 1, 0, 0]] }]";
    let mut spec = WindSpec::from_toml(text).unwrap();
    let broken = |name: &str| match name {
        "a.csv" => Ok("0,1,0\n".to_owned()),
        "b.csv" => Err("permission denied".to_owned()),
        _ => panic!("{name} must not be read: it has rows"),
    };
    let message = spec.read_files(broken).unwrap_err().to_string();
    for part in ["winds[0].file a.csv.line 1: row = `0,1,0`", "winds[1]: file = b.csv: permission denied", "2 rules"] {
        assert!(message.contains(part), "{part}\n{message}");
    }
    // The names are kept, so the files can be read once they are valid.
    spec.read_files(|_| Ok("0,1,0,0\n".to_owned())).unwrap();
    let message = spec.build().unwrap_err().to_string();
    assert!(
        message.contains("winds[2]: file = c.csv: give either a file or rows") && message.contains("1 rule"),
        "{message}"
    );
}
