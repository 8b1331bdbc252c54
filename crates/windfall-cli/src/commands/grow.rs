//! `windfall grow`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use windfall::core::Summary;
use windfall::grow::{ColoniseOptions, CrownProfile, GrowOptions, Species, colonise};

use crate::numbers::{count, parse_count};
use crate::plants::find_species;
use crate::{progress, report};

/// Grow a tree from a species and a seed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  windfall grow oak                                 the standard oak, saved as out/oak.wfp
  windfall grow willow --bodies 5k --seed 3         a small willow, another one than seed 0
  windfall grow quigley-stress -o stress.wfp        the 3,267,482-body tree of the paper
  windfall grow oak --crown 2:1,4:4,7:4,9:0         fill a crown of your own
  windfall grow my-elm.toml -o elm.json             a species of your own, saved as readable JSON")]
pub struct Grow {
    /// A species or a tree of the papers (`windfall species` lists both), or a species file ending in .toml
    species: String,
    /// How many rigid bodies: wood segments, leaves and fruit (for example 5000, 20k, 3.3M)
    #[arg(long, value_parser = parse_count, allow_hyphen_values = true)]
    bodies: Option<usize>,
    /// Another seed is another tree of the same kind
    #[arg(long, default_value_t = 0, allow_hyphen_values = true)]
    seed: u64,
    /// Grow by space colonisation inside this crown: sphere, cone, column, dome or vase in the size of the
    /// species, or height:radius pairs in metres such as 2:0,4:3,8:0
    #[arg(long, value_name = "SHAPE")]
    crown: Option<String>,
    /// Where to save it: .wfp (compact) or .json (readable)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

impl Grow {
    pub fn run(self) -> anyhow::Result<()> {
        let (species, bodies) = find_species(&self.species)?;
        let bodies = self.bodies.or(bodies);
        let crown = self.crown.as_deref().map(|shape| crown_of(shape, &species, bodies)).transpose()?;
        let path = self.output.unwrap_or_else(|| PathBuf::from(format!("out/{}.wfp", species.name)));
        // Before growing: a wrong ending or folder should not cost minutes.
        windfall::io::check_destination(&path)?;
        let size = bodies.map_or_else(String::new, |n| format!(" ({} bodies)", count(n)));
        let plant = progress::during(format!("growing {}{size}", species.name), || match crown {
            Some(crown) => colonise(&species, &ColoniseOptions { crown, bodies, seed: self.seed }),
            None => windfall::grow::grow(&species, &GrowOptions { bodies, seed: self.seed }),
        })?;
        progress::during("saving", || windfall::io::save(&plant, &path))?;
        let summary = Summary::of(&plant);
        let mut out = std::io::stdout().lock();
        if self.json {
            report::json(&mut out, &summary)?;
        } else {
            report::summary(&mut out, &summary)?;
            writeln!(out, "\nsaved as {}", path.display())?;
        }
        Ok(())
    }
}

/// A crown from height:radius pairs, or a named shape with the height and width of the species at this size.
fn crown_of(shape: &str, species: &Species, bodies: Option<usize>) -> anyhow::Result<CrownProfile> {
    if shape.contains(':') {
        return Ok(shape.parse()?);
    }
    let height = windfall::grow::natural_height(species, bodies.unwrap_or(species.size.bodies));
    let [low, high] = species.reference.crown_ratio;
    Ok(CrownProfile::named(shape, height, 0.5 * (low + high) * height, species.crown.clear)?)
}
