//! The report of a loop in words.

use std::io::{self, Write};

use windfall::scene::looping::LoopReport;

use crate::numbers::short;

/// Warns about bodies whose motion does not close by itself.
pub fn warn(report: &LoopReport) {
    if !report.repeats {
        let (gap, moved) = (short(report.seam_m), short(report.correction_m));
        eprintln!(
            "note: after {} periods the plant does not repeat itself (the ends are {gap} m apart); they are closed by turning \
             joints over the whole loop, which moves no leaf by more than {moved} m and no wood by more than {} m",
            report.periods,
            short(report.wood_correction_m)
        );
    }
}

/// Writes the report as an aligned list.
pub fn print(out: &mut impl Write, l: &LoopReport) -> io::Result<()> {
    let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
    let state = if l.repeats { "repeats" } else { "does not repeat" };
    row("loop", format!("{} s; {state} after {} periods", short(l.seconds), l.periods))?;
    if l.guided_periods > 0 {
        let (all, wood) = (short(l.guided_m * 1e3), short(l.wood_guided_m * 1e3));
        row("led", format!("for {} of them; at last by {all} mm in a frame, wood by {wood} mm", l.guided_periods))?;
    }
    row(
        "seam",
        format!(
            "{} mm and {} mm/s before closing ({} % of the motion's {} m, {} % of its {} m/s)",
            short(l.seam_m * 1e3),
            short(l.seam_m_s * 1e3),
            short(l.seam_of_amplitude * 100.0),
            short(l.amplitude_m),
            short(l.seam_of_speed * 100.0),
            short(l.speed_m_s)
        ),
    )?;
    let (all, wood) = (short(l.correction_m * 1e3), short(l.wood_correction_m * 1e3));
    row("closed by", format!("{all} mm at most, wood by {wood} mm"))
}
