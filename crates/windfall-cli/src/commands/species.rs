//! `windfall species`.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use windfall::core::Summary;
use windfall::grow::{GrowOptions, PRESETS, Species};

use crate::numbers::{count, short};
use crate::{progress, report};

/// List the species, each with what its standard tree and real trees measure.
#[derive(Args)]
#[command(after_help = "\
Examples:
  windfall species             grows every standard tree and shows it beside ranges of real trees
  windfall species maple       one species
  windfall species --json      the same for programs")]
pub struct List {
    /// Only this species
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Measure {
    name: &'static str,
    value: f64,
    reference: [f64; 2],
}

#[derive(Serialize)]
struct Row {
    name: String,
    latin: String,
    about: String,
    bodies: usize,
    source: String,
    measures: Vec<Measure>,
}

impl List {
    pub fn run(self) -> anyhow::Result<()> {
        let all = Species::all();
        let chosen: Vec<&Species> = all.iter().filter(|s| self.name.as_ref().is_none_or(|n| *n == s.name)).collect();
        if let (Some(name), true) = (&self.name, chosen.is_empty()) {
            let known: Vec<&str> = all.iter().map(|s| s.name.as_str()).collect();
            anyhow::bail!("no species called `{name}`; there are {}", known.join(", "));
        }
        let mut rows = Vec::new();
        for species in chosen {
            let plant = progress::during(format!("measuring {}", species.name), || {
                windfall::grow::grow(species, &GrowOptions::default())
            })?;
            rows.push(row(species, &Summary::of(&plant)));
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            report::json(&mut out, &rows)?;
            return Ok(());
        }
        for row in &rows {
            writeln!(out, "{} ({}): {}", row.name, row.latin, row.about)?;
            writeln!(out, "  {:<24} {}", "standard tree", format_args!("{} bodies", count(row.bodies)))?;
            for m in &row.measures {
                let [low, high] = m.reference;
                let value = short(m.value);
                writeln!(out, "  {:<24} {value:<8} real trees {} to {}", m.name, short(low), short(high))?;
            }
            writeln!(out, "  sources: {}\n", row.source)?;
        }
        writeln!(out, "Trees of the papers:")?;
        for preset in PRESETS {
            let bodies = count(preset.bodies);
            writeln!(out, "  {:<16} {bodies:>10} bodies, {} ({})", preset.name, preset.species, preset.about)?;
        }
        Ok(())
    }
}

fn row(species: &Species, summary: &Summary) -> Row {
    let tree = &summary.trees[0];
    let p = &species.reference;
    let measure = |name, value, reference| Measure { name, value, reference };
    Row {
        name: species.name.clone(),
        latin: species.latin.clone(),
        about: species.about.clone(),
        bodies: summary.bodies,
        source: p.source.clone(),
        measures: vec![
            measure("height (m)", tree.height_m, p.height),
            measure("DBH / height", tree.dbh_m.unwrap_or(f64::NAN) / tree.height_m, p.dbh_ratio),
            measure("crown width / height", tree.crown_width_m / tree.height_m, p.crown_ratio),
            measure("clear trunk / height", tree.clear_trunk_m.unwrap_or(f64::NAN) / tree.height_m, p.clear_trunk),
            measure("insertion angle (deg)", tree.insertion_angle_deg.unwrap_or(f64::NAN), p.insertion_angle),
            measure("branch orders", summary.orders as f64, p.orders),
            measure("leaf area index", tree.leaf_area_index, p.leaf_area_index),
        ],
    }
}
