//! The summary of a simulation.

use std::io::Write;

use serde::Serialize;

use crate::numbers::{count, short};

/// The printed summary.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub bodies: usize,
    pub simulated_bodies: usize,
    pub solver: &'static str,
    pub step_s: f64,
    pub steps: usize,
    pub simulated_s: f64,
    pub wall_s: f64,
    pub body_steps_per_s: f64,
    pub largest_deflection_m: f64,
    pub largest_deflection_body: u32,
    pub largest_deflection_time_s: f64,
    pub motion: Option<String>,
    pub probes: Vec<String>,
}

pub fn print(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
    let riding = s.bodies - s.simulated_bodies;
    let rest = if riding > 0 { format!(", {} ride along", count(riding)) } else { String::new() };
    row("bodies", format!("{} simulated{rest}", count(s.simulated_bodies)))?;
    row("solver", s.solver.into())?;
    row("steps", format!("{} of {} ms: {} s", count(s.steps), short(s.step_s * 1e3), short(s.simulated_s)))?;
    row("speed", format!("{} body-steps/s, {} s for the steps", short(s.body_steps_per_s), short(s.wall_s)))?;
    let (d, body, time) =
        (short(s.largest_deflection_m), s.largest_deflection_body, short(s.largest_deflection_time_s));
    row("deflection", format!("{d} m at most (body {body}, after {time} s)"))?;
    if let Some(motion) = &s.motion {
        row("motion", motion.clone())?;
    }
    for probe in &s.probes {
        row("probe", probe.clone())?;
    }
    Ok(())
}
