//! `windfall assess`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use windfall::assess::{AssessOptions, Assessment, Break, InWind, Sway, assess_with};
use windfall::core::glam::DVec3;
use windfall::preview::plot::{Plot, Series, panels};
use windfall::scene::{Precision, SOLVERS, SolverSpec};

use crate::bodies::gravity;
use crate::numbers::{count, short};
use crate::plants::{GrowArgs, load_or_grow};
use crate::{params, progress, report, solvers};

/// How a tree sways by itself, how far wind bends it, and which wind breaks it.
#[derive(Args)]
#[command(after_help = "\
Natural frequencies and damping come from the masses and springs of the solver; sway and breaking from its equilibrium in
steady wind. The trunk is wood of order 0 that is at least a quarter as thick as at breast height. Damping is that of
the wood, not of the air. docs/assess.md tells what is computed and what is left out.

Examples:
  windfall assess oak.wfp                            wind from the west, given at 10 m over a meadow
  windfall assess oak.wfp --from 0,90,180,270        from four sides
  windfall assess oak.wfp --gust 1.6 --roughness 0.5 mean winds over bushes whose gusts are 1.6 times as fast
  windfall assess oak.wfp --height top               wind speeds at the height of its top
  windfall assess pole.json --uniform --min-diameter 0
  windfall assess oak.wfp --plot oak.svg --json > oak.json")]
pub struct Assess {
    /// A .wfp or .json plant, or a species that is grown on the spot
    plant: String,
    /// What moves it
    #[arg(long, value_name = "NAME", default_value = SOLVERS[0].name, value_parser = solvers::parser())]
    solver: SolverSpec,
    /// Which tree of the plant, counted from 0
    #[arg(long, default_value_t = 0)]
    tree: usize,
    /// Where the wind comes from, compass degrees: 0 is north (-z), 90 east (+x)
    #[arg(long, value_name = "DEGREES,...", value_delimiter = ',', default_value = "270", allow_hyphen_values = true)]
    from: Vec<f64>,
    /// Height above the foot of the tree at which wind speeds are given, m, or `top`
    #[arg(long, value_name = "M", default_value = "10", value_parser = parse_height)]
    height: Height,
    /// Roughness length of the ground, m: 0.03 meadow, 0.1 crops, 0.5 bushes, 1 forest and town
    #[arg(long, value_name = "M", default_value_t = 0.03)]
    roughness: f64,
    /// The same wind at all heights
    #[arg(long, conflicts_with_all = ["roughness", "height"])]
    uniform: bool,
    /// Speed of gusts over the speed that is given
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    gust: f64,
    /// Wind speeds are multiples of this, m/s
    #[arg(long, value_name = "M/S", default_value_t = 5.0)]
    step: f64,
    /// The greatest wind speed, m/s
    #[arg(long, value_name = "M/S", default_value_t = 80.0)]
    most: f64,
    /// Branches thinner than this don't count, cm
    #[arg(long, value_name = "CM", default_value_t = 2.0)]
    min_diameter: f64,
    /// How many natural frequencies
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=20))]
    modes: u8,
    /// Stiffness, damping, strength, drag: a file ending in .toml
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Gravity in m/s²: a number (downwards) or X,Y,Z [default: that of the parameters, 9.81]
    #[arg(long, value_parser = gravity, allow_hyphen_values = true)]
    gravity: Option<DVec3>,
    /// The plant was modelled without gravity and sags under it
    #[arg(long)]
    sag: bool,
    /// Draw displacement and use of strength over the wind speed: .svg
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    grow: GrowArgs,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Height {
    Metres(f64),
    Top,
}

/// The assessment and its options.
#[derive(Debug, Serialize)]
struct Record<'a> {
    plant: &'a str,
    trees: usize,
    roughness_m: Option<f64>,
    gust_factor: f64,
    greatest_wind_m_s: f64,
    min_diameter_m: f64,
    #[serde(flatten)]
    assessment: &'a Assessment,
}

impl Assess {
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(path) = &self.plot {
            if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
                bail!("{}: the ending of a plot must be .svg", path.display());
            }
            windfall::io::atomic::check(path).with_context(|| path.display().to_string())?;
        }
        let params = params::read(self.params.as_deref(), self.gravity, self.sag)?;
        let options = self.options();
        let plant = load_or_grow(&self.plant, &self.grow)?;
        let bar = progress::bar("assessing", 1000);
        let spec = self.solver.with_precision(Precision::F64);
        let make = |plant, params: &_| spec.build(plant, params);
        let seen = &mut |share| bar.set_position((1000.0 * share) as u64);
        let found = assess_with(&make, &plant, &params, &options, seen)?;
        bar.finish_and_clear();
        if let Some(path) = &self.plot {
            draw(path, plant.name(), &found).with_context(|| path.display().to_string())?;
        }
        let record = Record {
            plant: plant.name(),
            trees: plant.trees().len(),
            roughness_m: options.roughness,
            gust_factor: options.gust_factor,
            greatest_wind_m_s: options.max_speed,
            min_diameter_m: options.min_diameter,
            assessment: &found,
        };
        let mut out = std::io::stdout().lock();
        if self.json {
            report::json(&mut out, &record)?;
        } else {
            print(&mut out, &record)?;
            if let Some(path) = &self.plot {
                writeln!(out, "\ndrawn as {}", path.display())?;
            }
        }
        Ok(())
    }

    fn options(&self) -> AssessOptions {
        AssessOptions {
            tree: self.tree,
            modes: self.modes.into(),
            from_degrees: self.from.clone(),
            reference_height: match self.height {
                Height::Metres(height) => Some(height),
                Height::Top => None,
            },
            roughness: (!self.uniform).then_some(self.roughness),
            gust_factor: self.gust,
            speed_step: self.step,
            max_speed: self.most,
            min_diameter: self.min_diameter * 0.01,
        }
    }
}

fn print(out: &mut impl Write, record: &Record<'_>) -> std::io::Result<()> {
    let found = record.assessment;
    let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
    if record.trees > 1 {
        row("tree", format!("{} of {}; --tree chooses another", found.tree, count(record.trees)))?;
    }
    row("height", format!("{} m", short(found.height_m)))?;
    row("mass", format!("{} kg in {} moving bodies", short(found.mass_kg), count(found.moving_bodies)))?;
    let given = match record.roughness_m {
        Some(roughness) => {
            format!("given at {} m, roughness of the ground {} m", short(found.reference_height_m), short(roughness))
        }
        None => "the same at all heights".into(),
    };
    let gusts =
        if record.gust_factor == 1.0 { String::new() } else { format!(", gusts {} times as fast", record.gust_factor) };
    row("wind", format!("{given}{gusts}"))?;
    writeln!(
        out,
        "\n  {:<8} {:>13} {:>9} {:>10} {:>14} {:>14}",
        "mode", "frequency Hz", "period s", "damping %", "share of mass", "sways towards"
    )?;
    for (i, mode) in found.modes.iter().enumerate() {
        let (hertz, share) = (mode.frequency_hz, format!("{:.1} %", 100.0 * mode.mass_share));
        writeln!(
            out,
            "  {:<8} {:>13} {:>9} {:>10.2} {share:>14} {:>14}",
            i + 1,
            format!("{hertz:.3}"),
            format!("{:.2}", 1.0 / hertz),
            100.0 * mode.damping_ratio,
            format!("{:.0} degrees", mode.sways_degrees)
        )?;
    }
    for wind in &found.winds {
        writeln!(out, "\n  wind from {} degrees", short(wind.from_degrees))?;
        writeln!(
            out,
            "  {:>8} {:>10} {:>17} {:>13} {:>13}",
            "m/s", "top, m", "foot, kN m", "trunk uses", "branches use"
        )?;
        for sway in &wind.sway {
            writeln!(
                out,
                "  {:>8} {:>10} {:>17} {:>13} {:>13}{}",
                short(sway.wind_m_s),
                format!("{:.3}", sway.top_displacement_m),
                short(sway.base_moment_n_m * 1e-3),
                format!("{:.1} %", 100.0 * sway.trunk_used),
                format!("{:.1} %", 100.0 * sway.branches_used),
                unsteady(sway)
            )?;
        }
        let branch = if found.branch_joints > 0 {
            place(wind.first_branch.as_ref(), wind)
        } else {
            format!("there is none of {} cm or more", short(100.0 * record.min_diameter_m))
        };
        writeln!(out, "  {:<16} {branch}", "first branch")?;
        writeln!(out, "  {:<16} {}", "trunk", place(wind.trunk.as_ref(), wind))?;
    }
    Ok(())
}

/// Spread of the numbers of a row: of the moment at the foot, of the use of trunk and branches.
fn unsteady(sway: &Sway) -> String {
    if sway.at_rest {
        return String::new();
    }
    let share = |spread: f64, of: f64| if of > 0.0 { 100.0 * spread / of } else { 0.0 };
    format!(
        "  +- {:.0}, {:.0}, {:.0} %",
        share(sway.base_moment_spread_n_m, sway.base_moment_n_m),
        share(sway.trunk_used_spread, sway.trunk_used),
        share(sway.branches_used_spread, sway.branches_used)
    )
}

/// Place and wind of a break; speeds above that which breaks the trunk were not examined.
fn place(broken: Option<&Break>, wind: &InWind) -> String {
    let Some(broken) = broken else {
        let last = wind.sway.last().map_or(0.0, |sway| sway.wind_m_s);
        return format!("does not break up to {} m/s", short(last));
    };
    let when = if broken.wind_m_s > 0.0 {
        format!("breaks at {:.1} m/s", broken.wind_m_s)
    } else {
        "breaks under its own weight".into()
    };
    format!(
        "{when}: {:.2} m above its foot, {:.1} cm thick, {:.2} m along branch {} of order {} (body {})",
        broken.height_m,
        100.0 * broken.diameter_m,
        broken.along_branch_m,
        broken.branch,
        broken.order,
        broken.body
    )
}

fn draw(path: &Path, name: &str, found: &Assessment) -> std::io::Result<()> {
    let series = |wind: &InWind, what: &str, value: &dyn Fn(usize) -> f64| {
        let points = wind.sway.iter().enumerate().map(|(i, sway)| (sway.wind_m_s, value(i))).collect();
        let from = format!("from {} degrees", short(wind.from_degrees));
        Series { name: if what.is_empty() { from } else { format!("{what}, {from}") }, points }
    };
    let top = found.winds.iter().map(|wind| series(wind, "", &|i| wind.sway[i].top_displacement_m)).collect();
    let mut used: Vec<Series> = found
        .winds
        .iter()
        .flat_map(|wind| {
            [
                series(wind, "trunk", &|i| 100.0 * wind.sway[i].trunk_used),
                series(wind, "branches", &|i| 100.0 * wind.sway[i].branches_used),
            ]
        })
        .collect();
    // Above the breaking wind a curve has no meaning.
    for series in &mut used {
        let shown = series.points.iter().position(|point| point.1 > 100.0).map_or(series.points.len(), |i| i + 1);
        series.points.truncate(shown);
    }
    let most = used.iter().flat_map(|series| &series.points).map(|point| point.1).fold(0.0, f64::max);
    // A line where wood breaks, unless it would press the curves flat.
    if most > 50.0 {
        let last = found.winds.iter().flat_map(|wind| &wind.sway).map(|sway| sway.wind_m_s).fold(0.0, f64::max);
        used.push(Series { name: "breaks".into(), points: vec![(0.0, 100.0), (last, 100.0)] });
    }
    let plot = |title: String, y_label: &str, series| Plot {
        title,
        x_label: "wind speed, m/s".into(),
        y_label: y_label.into(),
        series,
        log_y: false,
    };
    let svg = panels(
        &[
            plot(format!("{name}: sway of the top"), "displacement, m", top),
            plot(format!("{name}: strength in use"), "share of strength, %", used),
        ],
        2,
    );
    windfall::io::atomic::write(path, |out| out.write_all(svg.as_bytes()))?;
    Ok(())
}

fn parse_height(text: &str) -> Result<Height, String> {
    if text == "top" {
        return Ok(Height::Top);
    }
    match text.parse::<f64>() {
        Ok(metres) if metres > 0.0 && metres.is_finite() => Ok(Height::Metres(metres)),
        _ => Err(format!("`{text}` is neither a height in metres nor `top`")),
    }
}
