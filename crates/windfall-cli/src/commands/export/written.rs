//! Reports of written files.

use std::io::{self, Write};

use serde::Serialize;
use windfall::io::{AnimationReport, ErrorReport, PointReport, PoseReport, UsdReport, VatReport};

use super::textures;
use crate::numbers::{count, short};

/// Smallest rounding that is reported, m.
const SEEN: f64 = 1e-4;

/// The report of a format.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// Bones and keys.
    Animation(AnimationReport),
    /// A point cache.
    Points(PointReport),
    /// A table of poses.
    Poses(PoseReport),
    /// Vertices or bones in USD.
    Usd(UsdReport),
    /// A texture.
    Vat(VatReport),
}

impl Written {
    /// Size of the file; none if there are several.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Animation(report) => Some(report.bytes),
            Self::Points(report) => Some(report.bytes),
            Self::Poses(report) => Some(report.bytes),
            Self::Usd(report) => Some(report.bytes),
            Self::Vat(_) => None,
        }
    }

    /// Writes the report as an aligned list.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        if let Self::Vat(report) = self {
            return textures::print_vat(out, report);
        }
        let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
        let length = |frames: usize, seconds: f64, rate: f64| {
            format!("{}, {} in a second, {} s", count(frames), short(rate), short(seconds))
        };
        match self {
            Self::Animation(report) => print_animation(&mut row, report),
            Self::Points(report) => {
                row("points", count(report.points))?;
                row("frames", length(report.frames, report.seconds, report.frames_per_second))?;
                row("mesh", report.mesh.clone())?;
                if report.rounding_m > SEEN {
                    let rounding = short(report.rounding_m * 1e3);
                    row("rounding", format!("{rounding} mm at most: f32, far from the first tree"))?;
                }
                Ok(())
            }
            Self::Usd(report) => {
                row("points", format!("{} in {} meshes", count(report.points), count(report.meshes)))?;
                row("frames", length(report.frames, report.seconds, report.frames_per_second))?;
                if let Some(skeleton) = &report.skeleton {
                    row("bones", format!("{}{}", count(skeleton.bones), let_go(skeleton.loose)))?;
                    print_error(&mut row, &skeleton.error)?;
                }
                row("images", count(report.images))
            }
            Self::Poses(report) => {
                row("bodies", count(report.bodies))?;
                row("frames", length(report.frames, report.seconds, report.frames_per_second))?;
                row("rows", count(report.rows as usize))
            }
            Self::Vat(_) => Ok(()),
        }
    }
}

fn print_animation(row: &mut impl FnMut(&str, String) -> io::Result<()>, a: &AnimationReport) -> io::Result<()> {
    row("bones", format!("{} for {} bodies{}", count(a.bones), count(a.bodies), let_go(a.loose)))?;
    if a.leaf_nodes > 0 {
        row("leaves", format!("{} with nodes of their own", count(a.leaf_nodes)))?;
    }
    let most = a.joints.iter().max().copied().unwrap_or(0);
    row("skins", format!("{} of at most {} joints", count(a.joints.len()), count(most)))?;
    for clip in &a.clips {
        row("clip", format!("{}: {} s, {} frames", clip.name, short(clip.seconds), count(clip.frames)))?;
        let share = 100.0 * clip.keys_after as f64 / clip.keys_before.max(1) as f64;
        row(
            "keys",
            format!("{} of {} ({} %)", count(clip.keys_after as usize), count(clip.keys_before as usize), short(share)),
        )?;
        print_error(row, &clip.error)?;
    }
    Ok(())
}

fn let_go(loose: usize) -> String {
    if loose > 0 { format!(", {} of them let go", count(loose)) } else { String::new() }
}

fn print_error(row: &mut impl FnMut(&str, String) -> io::Result<()>, e: &ErrorReport) -> io::Result<()> {
    row(
        "error",
        format!(
            "{} mm at most, {} mm on average ({} % and {} % of the height), in {} frames",
            short(e.largest_m * 1e3),
            short(e.mean_m * 1e3),
            short(e.largest_of_height * 100.0),
            short(e.mean_of_height * 100.0),
            count(e.frames)
        ),
    )?;
    row(
        "  wood",
        format!("{} mm at most, {} mm on average", short(e.wood_largest_m * 1e3), short(e.wood_mean_m * 1e3)),
    )?;
    if e.foliage_largest_m > 0.0 {
        let (largest, mean) = (short(e.foliage_largest_m * 1e3), short(e.foliage_mean_m * 1e3));
        row("  leaves, fruit", format!("{largest} mm at most, {mean} mm on average"))?;
    }
    Ok(())
}
