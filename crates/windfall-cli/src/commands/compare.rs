//! `windfall compare`: Fig. 14 of quigley2017 as a program.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use windfall::core::build::{Attachment, Node};
use windfall::core::glam::DVec3;
use windfall::core::{Plant, PlantBuilder, WoodMaterial};
use windfall::preview::plot::{Plot, Series, panels};
use windfall::scene::{Precision, SolverSpec};
use windfall::solver::{Params, StepInput};

use crate::numbers::{count, short};
use crate::{progress, report};

/// Let a branch sag with each solver, and find how many steps the explicit one needs.
#[derive(Args)]
#[command(after_help = "\
A horizontal branch, clamped at one end, is let go under gravity. The implicit and the analytic solver take one step for
each frame. The explicit one (articulated-body algorithm, forward Euler) takes as many as it needs to stay stable; they are
searched for. The picture shows the height of the tip over time.

Examples:
  windfall compare                              8 segments, 0.1 and 10 GPa
  windfall compare --segments 4,8,16            a table over the number of segments
  windfall compare --youngs 1e8,1e9 --json")]
pub struct Compare {
    /// Numbers of segments; the picture shows the last
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "8", value_parser = clap::value_parser!(u16).range(1..=256))]
    segments: Vec<u16>,
    /// Young's moduli in Pa
    #[arg(long, value_name = "PA,...", value_delimiter = ',', default_value = "1e8,1e10", value_parser = parse_modulus)]
    youngs: Vec<f64>,
    /// Length of the branch, m
    #[arg(long, default_value_t = 1.0, value_parser = parse_measure)]
    length: f64,
    /// Radius of the branch, mm
    #[arg(long, value_name = "MM", default_value_t = 10.0, value_parser = parse_measure)]
    radius: f64,
    /// Stiffness-proportional damping beta, s
    #[arg(long, default_value_t = 0.02, value_parser = parse_measure)]
    damping: f64,
    /// How long, s
    #[arg(long, default_value_t = 2.0, value_parser = parse_seconds)]
    seconds: f64,
    /// Frames in a second
    #[arg(long, default_value_t = 30.0, value_parser = parse_rate)]
    fps: f64,
    /// Where to save the picture: .svg
    #[arg(short, long, value_name = "FILE", default_value = "out/compare.svg")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One line of the table.
#[derive(Debug, Serialize)]
struct Row {
    segments: u16,
    youngs_modulus_pa: f64,
    explicit_steps_per_frame: Option<u32>,
    implicit_sag_m: f64,
    analytic_sag_m: f64,
    explicit_sag_m: Option<f64>,
}

impl Compare {
    pub fn run(self) -> anyhow::Result<()> {
        if !self.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
            bail!(
                "{}: the ending must be .svg; browsers and drawing programs show it and save it in other formats",
                self.output.display()
            );
        }
        windfall::io::atomic::check(&self.output).with_context(|| self.output.display().to_string())?;
        let mut rows = Vec::new();
        let mut plots = Vec::new();
        for &segments in &self.segments {
            for &youngs in &self.youngs {
                let message = format!("{segments} segments of {} GPa", short(youngs * 1e-9));
                let (row, plot) = progress::during(message, || self.case(segments, youngs))?;
                rows.push(row);
                if Some(&segments) == self.segments.last() {
                    plots.push(plot);
                }
            }
        }
        let svg = panels(&plots, 2);
        windfall::io::atomic::write(&self.output, |out| out.write_all(svg.as_bytes()))
            .with_context(|| self.output.display().to_string())?;
        let mut out = std::io::stdout().lock();
        if self.json {
            report::json(&mut out, &rows)?;
        } else {
            print(&mut out, &rows, self.fps)?;
            writeln!(out, "\nsaved as {}", self.output.display())?;
        }
        Ok(())
    }

    fn case(&self, segments: u16, youngs: f64) -> anyhow::Result<(Row, Plot)> {
        let plant = self.branch(segments, youngs)?;
        let steps = self.stable_steps(&plant)?;
        let named = |name: &str| name.parse::<SolverSpec>();
        let (implicit, analytic, explicit) = (named("implicit")?, named("analytic")?, named("explicit")?);
        let run = |solver, steps| self.sag(&plant, solver, steps);
        let implicit = run(implicit, 1)?;
        let analytic = run(analytic, 1)?;
        let explicit = steps.map(|steps| run(explicit, steps)).transpose()?;
        let last = |run: &Run| -run.heights.last().map_or(0.0, |p| p.1);
        let row = Row {
            segments,
            youngs_modulus_pa: youngs,
            explicit_steps_per_frame: steps,
            implicit_sag_m: last(&implicit),
            analytic_sag_m: last(&analytic),
            explicit_sag_m: explicit.as_ref().map(last),
        };
        let mut series = vec![
            Series { name: "implicit, 1 step per frame".into(), points: implicit.heights },
            Series { name: "analytic, 1 step per frame".into(), points: analytic.heights },
        ];
        if let (Some(run), Some(steps)) = (explicit, steps) {
            series.push(Series {
                name: format!("explicit, {} steps per frame", count(steps as usize)),
                points: run.heights,
            });
        }
        let plot = Plot {
            title: format!("{segments} segments, {} GPa", short(youngs * 1e-9)),
            x_label: "time, s".into(),
            y_label: "height of the tip, m".into(),
            series,
            log_y: false,
        };
        Ok((row, plot))
    }

    fn branch(&self, segments: u16, youngs: f64) -> anyhow::Result<Plant> {
        let mut plant = PlantBuilder::new("branch");
        let wood = plant.wood_material(WoodMaterial {
            name: "compared".into(),
            source: "windfall compare".into(),
            density: 800.0,
            youngs_modulus: youngs,
            shear_modulus: youngs / 14.0,
            damping: self.damping,
            modulus_of_rupture: 1e8,
            shear_strength: 1e7,
        });
        let tree = plant.tree("branch", DVec3::ZERO);
        let radius = self.radius * 1e-3;
        let node = |i: u16| Node {
            position: DVec3::X * (self.length * f64::from(i) / f64::from(segments)),
            radius_before: radius,
            radius_after: radius,
        };
        let nodes: Vec<Node> = (0..=segments).map(node).collect();
        plant.branch_of_nodes(Attachment::Root(tree), wood, &nodes)?;
        Ok(plant.finish()?)
    }

    /// The smallest stable number of steps per frame of the explicit solver, to 5 %; none above the limit.
    fn stable_steps(&self, plant: &Plant) -> anyhow::Result<Option<u32>> {
        let stable = |steps: u32| Ok::<bool, anyhow::Error>(self.sag(plant, "explicit".parse()?, steps)?.stable);
        let shortest = most_steps(self.fps);
        let (mut low, mut high) = (0, 1);
        while !stable(high)? {
            low = high;
            high = (high * 2).min(shortest);
            if low == high {
                return Ok(None);
            }
        }
        while high - low > 1 && f64::from(high - low) > 0.05 * f64::from(high) {
            let middle = low + (high - low) / 2;
            if stable(middle)? {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok(Some(high))
    }

    /// Releases the branch; stops when it gains energy.
    fn sag(&self, plant: &Plant, spec: SolverSpec, steps: u32) -> anyhow::Result<Run> {
        let dt = 1.0 / (self.fps * f64::from(steps));
        let spec = spec.with_precision(Precision::F64);
        let mut solver = spec.build(Arc::new(plant.clone()), &Params::default())?;
        let tip = plant.segment_id(plant.segments().len() - 1);
        // The weight of the branch times its length: the energy that its fall can release.
        let available = (0..plant.segments().len())
            .map(|i| plant.mass_properties(plant.segment_id(i)).mass * 9.81 * self.length)
            .sum::<f64>();
        let length = f64::from(plant.segments()[0].length);
        let mut heights = vec![(0.0, 0.0)];
        for _ in 0..(self.seconds * self.fps).round() as usize {
            for _ in 0..steps {
                solver.step(dt, &mut StepInput::new())?;
            }
            // Damped motion only loses energy, and there is none at the beginning.
            let energy = solver.energy().context("the solver knows no energy")?;
            if matches!(spec, SolverSpec::Explicit(_)) && (energy.is_nan() || energy > 0.01 * available) {
                return Ok(Run { heights, stable: false });
            }
            let motion = solver.motion(tip.into());
            let end = motion.joint + motion.orientation * (DVec3::Y * length);
            heights.push((solver.time(), end.y));
        }
        Ok(Run { heights, stable: true })
    }
}

/// The most steps of a frame: none is below a solver's shortest step, a microsecond.
fn most_steps(fps: f64) -> u32 {
    (1.0 / (fps * windfall::solver::SHORTEST_STEP)) as u32
}

struct Run {
    /// Time and height of the tip.
    heights: Vec<(f64, f64)>,
    stable: bool,
}

fn print(out: &mut impl Write, rows: &[Row], fps: f64) -> std::io::Result<()> {
    writeln!(out, "  segments   E, GPa   steps per frame                sag at the end, mm")?;
    writeln!(out, "                      implicit analytic explicit    implicit analytic explicit")?;
    for row in rows {
        let mm = |m: f64| format!("{:.1}", m * 1e3);
        let explicit = row
            .explicit_steps_per_frame
            .map_or_else(|| format!("> {}", count(most_steps(fps) as usize)), |n| count(n as usize));
        let sag = row.explicit_sag_m.map_or_else(|| "-".into(), mm);
        writeln!(
            out,
            "  {:>8} {:>8} {:>13} {:>8} {:>8} {:>11} {:>8} {:>8}",
            row.segments,
            short(row.youngs_modulus_pa * 1e-9),
            1,
            1,
            explicit,
            mm(row.implicit_sag_m),
            mm(row.analytic_sag_m),
            sag
        )?;
    }
    Ok(())
}

fn positive(text: &str, low: f64, high: f64, unit: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (low..=high).contains(&value) { Ok(value) } else { Err(format!("it must be between {low} and {high} {unit}")) }
}

fn parse_modulus(text: &str) -> Result<f64, String> {
    positive(text, 1e4, 1e13, "Pa")
}

fn parse_measure(text: &str) -> Result<f64, String> {
    positive(text, 1e-4, 1e3, "")
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    positive(text, 0.1, 1000.0, "s")
}

fn parse_rate(text: &str) -> Result<f64, String> {
    positive(text, 10.0, 10_000.0, "per second")
}
