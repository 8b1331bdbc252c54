//! Output of `windfall animate`.

use std::io::{self, Write};

use windfall::rig::RigReport;

use super::clip::ClipResult;
use crate::numbers::{count, short};

fn row(out: &mut impl Write, label: &str, value: &str) -> io::Result<()> {
    writeln!(out, "  {label:<16} {value}")
}

/// The recognised tree, as an aligned list.
pub fn rig(out: &mut impl Write, r: &RigReport, frequency: Option<f64>) -> io::Result<()> {
    let units = if r.metres_per_unit == 1.0 {
        String::new()
    } else {
        format!(" ({} units of the file, {} m each)", short(r.height_units), short(r.metres_per_unit))
    };
    row(out, "height", &format!("{} m{units}", short(r.height_m)))?;
    let others = r.joints - r.bones;
    let ride = if others > 0 { format!("; {} joints ride along", count(others)) } else { String::new() };
    let joined = if r.joined_bones > 0 {
        format!("; {} joined to wood that they begin in", count(r.joined_bones))
    } else {
        String::new()
    };
    row(out, "bones", &format!("{} in {} branches{ride}{joined}", count(r.bones), count(r.branches)))?;
    if r.trees > 1 {
        row(out, "trees", &count(r.trees))?;
    }
    // Less than a hundredth is rounding, not twigs.
    let twigs = if r.twig_mass_kg > 0.01 * r.wood_mass_kg {
        format!("; {} kg of it twigs without bones", short(r.twig_mass_kg))
    } else {
        String::new()
    };
    row(
        out,
        "wood",
        &format!(
            "{}, {} cm thick at the foot, {} mm at the thinnest, {} kg{}",
            r.wood,
            short(100.0 * r.base_diameter_m),
            short(1e3 * r.thinnest_diameter_m),
            short(r.wood_mass_kg),
            twigs
        ),
    )?;
    let leaves = format!(
        "{} m2, {} kg, from {} parts of the meshes",
        short(r.leaf_area_m2),
        short(r.leaf_mass_kg),
        count(r.leaf_parts)
    );
    row(out, "leaves", &leaves)?;
    if r.fruit_mass_kg > 0.0 {
        row(out, "fruit", &format!("{} kg", short(r.fruit_mass_kg)))?;
    }
    let sways = frequency
        .map_or_else(|| "unknown: it can't stand under its own weight".to_owned(), |f| format!("at {} Hz", short(f)));
    row(out, "sways", &sways)
}

/// A clip, as an aligned list.
pub fn clip(out: &mut impl Write, result: &ClipResult) -> io::Result<()> {
    let c = &result.clip;
    row(out, "clip", &format!("{}: {} s, {} frames", c.name, short(c.seconds), count(c.frames)))?;
    row(
        out,
        "  motion",
        &format!(
            "{} m and {} degrees at most from the pose of the file",
            short(c.largest_motion_m),
            short(c.largest_turn_deg)
        ),
    )?;
    let share = 100.0 * c.keys_after as f64 / c.keys_before.max(1) as f64;
    let keys = format!("{} of {} ({} %)", count(c.keys_after as usize), count(c.keys_before as usize), short(share));
    row(out, "  keys", &keys)?;
    row(out, "  error", &format!("{} mm at most", short(1e3 * c.largest_error_m)))?;
    if let Some(l) = &result.looped {
        let state = if l.repeats { "repeats" } else { "does not repeat" };
        let seam = format!(
            "{state} after {} periods; {} mm and {} mm/s before closing, closed by {} mm at most",
            l.periods,
            short(l.wood_seam_m * 1e3),
            short(l.seam_m_s * 1e3),
            short(l.wood_correction_m * 1e3)
        );
        row(out, "  loop", &seam)?;
    }
    Ok(())
}
