//! Winds of the command line.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use windfall::scene::named_wind;
use windfall::solver::Wind;

/// A name or number of the Beaufort scale, a speed, or a file.
pub fn wind(text: &str, from_degrees: Option<f64>) -> anyhow::Result<Arc<dyn Wind>> {
    let spec = named_wind(text, from_degrees, Path::new("")).map_err(anyhow::Error::msg)?;
    Ok(Arc::new(spec.build().with_context(|| format!("the wind {text}"))?))
}
