//! Output of commands.

use std::io::{self, Write};

use serde::Serialize;
use windfall::core::Summary;

use crate::numbers::{count, short};

/// Writes a value as JSON, all or nothing.
pub fn json(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    writeln!(out, "{text}")?;
    Ok(())
}

/// Writes the summary as an aligned list.
pub fn summary(out: &mut impl Write, s: &Summary) -> io::Result<()> {
    let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
    row("name", printable(&s.name))?;
    row("from", printable(&s.provenance))?;
    row("bodies", count(s.bodies))?;
    row("  wood", format!("{} in {} branches of {} orders", count(s.wood), count(s.branches), s.orders))?;
    for (kind, n) in &s.leaves {
        row(&format!("  {kind}"), count(*n))?;
    }
    if s.fruit > 0 {
        row("  fruit", count(s.fruit))?;
    }
    row("depth", format!("{} bodies from root to tip", count(s.depth)))?;
    let masses = format!(
        "{} kg (wood {}, leaves {}, fruit {})",
        short(s.mass_kg),
        short(s.wood_mass_kg),
        short(s.leaf_mass_kg),
        short(s.fruit_mass_kg)
    );
    row("mass", masses)?;
    if let (Some(r), Some(l)) = (s.wood_radius_m, s.segment_length_m) {
        row("wood radius", format!("{} to {} mm", short(r.min * 1e3), short(r.max * 1e3)))?;
        row("segment length", format!("{} to {} mm", short(l.min * 1e3), short(l.max * 1e3)))?;
    }
    for (i, tree) in s.trees.iter().enumerate().take(MOST_TREES) {
        if s.trees.len() > 1 {
            row("tree", format!("{i} ({})", printable(&tree.name)))?;
        }
        let dbh = tree
            .dbh_m
            .map_or_else(|| "none (the trunk ends below 1.3 m)".to_owned(), |d| format!("{} cm", short(d * 100.0)));
        row("height", format!("{} m", short(tree.height_m)))?;
        row("DBH", format!("{dbh}, {} cm at the base", short(tree.base_diameter_m * 100.0)))?;
        row("crown", format!("{} m wide, {} m2", short(tree.crown_width_m), short(tree.crown_area_m2)))?;
        if let (Some(clear), Some(angle)) = (tree.clear_trunk_m, tree.insertion_angle_deg) {
            row("clear trunk", format!("{} m; branches leave it at {} degrees", short(clear), short(angle)))?;
        }
        let index = format!("{} m2, {} times the crown's", short(tree.leaf_area_m2), short(tree.leaf_area_index));
        row("leaf area", index)?;
    }
    if s.trees.len() > MOST_TREES {
        row("", format!("and {} more trees (all with --json)", s.trees.len() - MOST_TREES))?;
    }
    Ok(())
}

/// Largest number of trees of a grove that are listed one by one.
const MOST_TREES: usize = 5;

/// Text from a file as one line without control characters, which could change the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
