//! Winds by name.

use std::path::Path;

use windfall_wind::{BEAUFORT, Model, Uniform, WindSpec, beaufort, preset};

/// A name or number of the Beaufort scale, a speed such as `7.5m/s`, or a file ending in `.toml`, relative
/// to `folder`.
///
/// `from_degrees` is where a named wind comes from, compass degrees; files have their own directions.
pub fn named_wind(text: &str, from_degrees: Option<f64>, folder: &Path) -> Result<WindSpec, String> {
    if Path::new(text).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
        if from_degrees.is_some() {
            return Err(format!("the direction is for named winds; write from_degrees into {text}"));
        }
        return read(&folder.join(text));
    }
    let named = preset(text).or_else(|| text.parse::<u8>().ok().filter(|&n| n <= 12).map(beaufort));
    let speed = text.strip_suffix("m/s").and_then(|number| number.trim().parse::<f64>().ok());
    let mut spec = match (named, speed) {
        (Some(spec), _) => spec,
        (None, Some(speed)) => uniform(speed),
        (None, None) => {
            let names: Vec<&str> = BEAUFORT.iter().map(|(name, ..)| *name).collect();
            return Err(format!(
                "no wind {text}: a name ({}), 0 to 12, a speed such as 7.5m/s, or a file ending in .toml",
                names.join(", ")
            ));
        }
    };
    if let Some(degrees) = from_degrees {
        turn(&mut spec.model, degrees);
    }
    Ok(spec)
}

fn uniform(speed: f64) -> WindSpec {
    Model::Uniform(Uniform { speed, ..Uniform::default() }).into()
}

/// Changes the direction that a wind comes from. Presets consist of these kinds.
fn turn(model: &mut Model, degrees: f64) {
    match model {
        Model::Uniform(wind) => wind.from_degrees = degrees,
        Model::Turbulence(wind) => wind.from_degrees = degrees,
        Model::Profile(wind) => turn(&mut wind.wind, degrees),
        Model::Sum(sum) => sum.winds.iter_mut().for_each(|wind| turn(wind, degrees)),
        _ => unreachable!("presets have no other kinds"),
    }
}

fn read(path: &Path) -> Result<WindSpec, String> {
    let named = |reason: String| format!("{}: {reason}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| named(e.to_string()))?;
    let mut spec = WindSpec::from_toml(&text).map_err(|e| named(e.to_string()))?;
    read_records(&mut spec, path.parent().unwrap_or(Path::new(""))).map_err(named)?;
    Ok(spec)
}

/// Reads the measurement records named in a description; they are in `folder`.
pub(crate) fn read_records(spec: &mut WindSpec, folder: &Path) -> Result<(), String> {
    spec.read_files(|file| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string()))
        .map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use windfall_core::glam::DVec3;
    use windfall_solver::Wind;

    use super::*;

    fn wind(text: &str, from: Option<f64>) -> Result<windfall_wind::WindField, String> {
        named_wind(text, from, Path::new(""))?.build().map_err(|e| e.to_string())
    }

    fn at_ten_metres(text: &str, from: Option<f64>) -> DVec3 {
        wind(text, from).unwrap().velocity(DVec3::Y * 10.0, 0.0)
    }

    #[test]
    fn every_name_of_the_scale_blows_from_where_it_is_told() {
        for (name, ..) in BEAUFORT.iter().skip(1) {
            let mut to_south = 0.0;
            for i in 0..200 {
                to_south += wind(name, Some(0.0)).unwrap().velocity(DVec3::Y * 10.0, f64::from(i) * 3.0).z / 200.0;
            }
            assert!(to_south > 0.2, "{name} from the north blows to the south, +z: {to_south} m/s");
        }
        assert!((at_ten_metres("7.5m/s", None) - DVec3::X * 7.5).length() < 1e-12);
        assert!((at_ten_metres("7.5m/s", Some(90.0)) + DVec3::X * 7.5).length() < 1e-12);
    }

    #[test]
    fn what_is_no_wind_is_refused() {
        for text in ["", "13", "-1", "zephyr", "m/s", "nanm/s", "-5m/s", "1e9m/s", "no-such-file.toml"] {
            assert!(wind(text, None).is_err(), "{text}");
        }
        assert!(wind("gale", Some(f64::NAN)).is_err());
        assert!(wind("x.toml", Some(0.0)).is_err());
    }
}
