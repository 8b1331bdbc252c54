//! Winds of the command line.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use windfall::scene::named_wind;
use windfall::solver::Wind;

/// The wind of no air at all.
const VACUUM: &str = "none";

/// A name or number of the Beaufort scale, a speed, or a file; still air if nothing is given, and `none` for
/// a vacuum.
pub fn air(text: Option<&str>, from_degrees: Option<f64>) -> anyhow::Result<Option<Arc<dyn Wind>>> {
    match text {
        Some(VACUUM) if from_degrees.is_some() => bail!("--wind-from: a vacuum has no direction"),
        Some(VACUUM) => Ok(None),
        Some(text) => wind(text, from_degrees).map(Some),
        None => wind("0m/s", None).map(Some),
    }
}

fn wind(text: &str, from_degrees: Option<f64>) -> anyhow::Result<Arc<dyn Wind>> {
    let spec = named_wind(text, from_degrees, Path::new("")).map_err(anyhow::Error::msg)?;
    Ok(Arc::new(spec.build().with_context(|| format!("the wind {text}"))?))
}
