//! `windfall demo`: the first thing a stranger runs.

use std::io::Write;
use std::path::Path;

use clap::Args;
use windfall::core::Summary;
use windfall::grow::{GrowOptions, Species};

use crate::{progress, report};

/// Grow the default tree and save it into out/.
#[derive(Args)]
#[command(after_help = "Example:\n  windfall demo")]
pub struct Demo {
    /// Another seed is another tree
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Demo {
    pub fn run(&self) -> anyhow::Result<()> {
        let species = Species::named("maple").expect("maple is built in");
        let path = Path::new("out/maple.wfp");
        let options = GrowOptions { bodies: None, seed: self.seed };
        let plant = progress::during("growing a maple", || windfall::grow::grow(&species, &options))?;
        progress::during("saving", || windfall::io::save(&plant, path))?;
        let mut out = std::io::stdout().lock();
        report::summary(&mut out, &Summary::of(&plant))?;
        writeln!(out, "\nsaved as {}; look inside with: windfall inspect {}", path.display(), path.display())?;
        Ok(())
    }
}
