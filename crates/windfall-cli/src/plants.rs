//! Plants by name: a file, a species, a tree of the papers.

use std::path::Path;

use clap::Args;
use windfall::core::Plant;
use windfall::grow::{GrowOptions, Species};

use crate::numbers::parse_count;
use crate::progress;

/// Options for plants that are grown on the spot.
#[derive(Args)]
pub struct GrowArgs {
    /// When the plant is a species: how many rigid bodies (for example 5000, 20k, 3.3M)
    #[arg(long, value_parser = parse_count, allow_hyphen_values = true)]
    bodies: Option<usize>,
    /// When the plant is a species: another seed is another tree of the same kind
    #[arg(long, default_value_t = 0, allow_hyphen_values = true)]
    seed: u64,
}

/// Loads a plant file, or grows a species.
pub fn load_or_grow(name: &str, options: &GrowArgs) -> anyhow::Result<Plant> {
    let ending = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default();
    if ending == "wfp" || ending == "json" || (Path::new(name).is_file() && ending != "toml") {
        return Ok(progress::during(format!("loading {name}"), || windfall::io::load(Path::new(name)))?);
    }
    let (species, bodies) = find_species(name)?;
    let options = GrowOptions { bodies: options.bodies.or(bodies), seed: options.seed };
    Ok(progress::during(format!("growing {name}"), || windfall::grow::grow(&species, &options))?)
}

/// The species of a name, a preset or a file; a preset also has a number of bodies.
pub fn find_species(name: &str) -> anyhow::Result<(Species, Option<usize>)> {
    windfall::scene::plants::find_species(name, Path::new("")).map_err(anyhow::Error::msg)
}
