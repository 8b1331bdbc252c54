//! `windfall bench`: how fast steps are, on this machine and beside the paper.

mod machine;
mod measure;
mod memory;
mod table;

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use windfall::core::glam::DVec3;
use windfall::core::{Plant, Summary};
use windfall::grow::{GrowError, GrowOptions, LEAST_BODIES, MOST_BODIES, PRESETS, Species};

use windfall::scene::{SOLVERS, Simd, SolverSpec};

use self::machine::Machine;
use self::measure::Run;
use self::table::Row;
use crate::numbers::{count, parse_count};
use crate::plants::find_species;
use crate::{progress, report};

/// Time the steps of trees in the wind, beside what the machine can do and what the paper took.
#[derive(Args)]
#[command(after_help = "\
A step is 1/30 s with all that belongs to it: gravity, the wind grid of the paper, drag on wood, leaves and fruit, joints,
joint loads, and the tests of what breaks and lets go (nothing does: strengths are infinite). All bodies move; f32; nothing
is drawn or saved. It is measured after a second in which the wind has risen. docs/performance.md explains the columns.

Examples:
  windfall bench                                the trees of the paper
  windfall bench --bodies 138965 --threads 2    the maple of the paper alone
  windfall bench --bodies 1k,10k,100k --solver implicit
  windfall bench quigley-stress --seconds 10    the largest tree, 3,267,482 bodies
  windfall bench --scaling                      cost of a body from 1,000 to 1,000,000 of them
  windfall bench --grove 200 --bodies 1k        two hundred maples of 1,000 bodies in one world
  windfall bench --json > bench.json")]
pub struct Bench {
    /// Species, trees of the papers, or species files; without any the trees of the paper, or maples if
    /// --bodies is given
    #[arg(value_name = "TREE")]
    trees: Vec<String>,
    /// Sizes: numbers of bodies (for example 1000,20k,1M)
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = parse_count)]
    bodies: Vec<usize>,
    /// So many trees of each size side by side in one world, from eight seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_grove)]
    grove: usize,
    /// Which solver
    #[arg(long, value_name = "NAME", default_value = BOTH, value_parser = parse_solvers())]
    solver: String,
    /// Numbers of threads; one and as many as there are cores if left out
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = parse_threads)]
    threads: Vec<usize>,
    /// How long each measurement lasts, s; ten steps at least are taken
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = parse_seconds)]
    seconds: f64,
    /// Which vector instructions the solvers use: the best of this machine, AVX2 at most, the least that any
    /// of its kind has, or none
    #[arg(long, value_enum, default_value_t = SimdArg::Best)]
    simd: SimdArg,
    /// A second table: what a body costs in trees of different size, and what threads gain
    #[arg(long)]
    scaling: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Name of the two solvers that the paper compares.
const BOTH: &str = "both";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SimdArg {
    Best,
    Avx2,
    Least,
    None,
}

impl From<SimdArg> for Simd {
    fn from(simd: SimdArg) -> Self {
        match simd {
            SimdArg::Best => Self::Best,
            SimdArg::Avx2 => Self::Avx2,
            SimdArg::Least => Self::Least,
            SimdArg::None => Self::None,
        }
    }
}

fn parse_solvers() -> PossibleValuesParser {
    let names = SOLVERS.iter().map(|info| PossibleValue::new(info.name).help(info.about));
    PossibleValuesParser::new(names.chain([PossibleValue::new(BOTH).help("implicit and analytic")]))
}

/// Milliseconds of a step in quigley2017 (15 threads, machine not named): 83 frames/s of Fig. 3, and the
/// captions of Figs. 4, 8 (a tenth of a frame of ten sub-steps), 9, 10 and 13.
const PAPER: [(&str, f64); 6] = [
    ("quigley-fig3", 12.0),
    ("quigley-apple", 77.0),
    ("quigley-maple", 200.0),
    ("quigley-cherry", 300.0),
    ("quigley-willow", 1600.0),
    ("quigley-stress", 2300.0),
];

/// Trees from this size on are left out by default where memory is short.
const LARGE: usize = 1_000_000;
/// The sizes of `--scaling`.
const LADDER: [usize; 7] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

/// Number of seeds of the trees of a grove.
const SEEDS: usize = 8;

/// A measured tree, or a grove of its kind.
struct Tree {
    name: String,
    species: Species,
    /// Bodies of each tree.
    bodies: usize,
    /// Number of trees.
    grove: usize,
}

#[derive(Serialize)]
struct Report {
    step_s: f64,
    instructions: String,
    machine: Vec<Machine>,
    rows: Vec<Row>,
    left_out: Vec<String>,
}

impl Bench {
    pub fn run(self) -> anyhow::Result<()> {
        let (trees, left_out) = self.trees()?;
        let pools = self.pools()?;
        let solvers: Vec<SolverSpec> = match &*self.solver {
            BOTH => SOLVERS[..2].iter().map(|info| info.spec).collect(),
            name => vec![name.parse()?],
        };
        let mut out = std::io::stdout().lock();
        let bar = progress::bar("the machine itself", trees.len() * solvers.len() * pools.len() + 1);
        let machines: Vec<Machine> = pools.iter().map(Machine::measure).collect();
        bar.inc(1);
        let instructions = machine::instructions();
        if !self.json {
            bar.suspend(|| table::machines(&mut out, &instructions, &machines).and_then(|()| table::head(&mut out)))?;
        }
        let mut rows = Vec::new();
        for tree in &trees {
            bar.set_message(format!("growing {} ({} bodies)", tree.name, count(tree.all_bodies())));
            let plant = Arc::new(tree.grow()?);
            for &solver in &solvers {
                for row in self.rows(tree, &plant, solver, &pools, &machines, &bar)? {
                    if !self.json {
                        // Printed at once: large trees take their time.
                        bar.suspend(|| table::row(&mut out, &row).and_then(|()| out.flush()))?;
                    }
                    rows.push(row);
                }
            }
        }
        bar.finish_and_clear();
        if self.json {
            let report = Report { step_s: measure::STEP, instructions, machine: machines, rows, left_out };
            return report::json(&mut out, &report);
        }
        if self.scaling {
            table::scaling(&mut out, &rows)?;
        }
        if rows.iter().any(Row::is_disturbed) {
            writeln!(
                out,
                "\nsome medians are far above the best step: other programs were working, measure again when they rest"
            )?;
        }
        for name in left_out {
            writeln!(
                out,
                "\n{name} was left out, because memory is short; to measure it all the same: windfall bench {name}"
            )?;
        }
        Ok(())
    }

    /// One tree and solver with every number of threads.
    fn rows(
        &self,
        tree: &Tree,
        plant: &Arc<Plant>,
        spec: SolverSpec,
        pools: &[ThreadPool],
        machines: &[Machine],
        bar: &ProgressBar,
    ) -> anyhow::Result<Vec<Row>> {
        let (mut rows, solver) = (Vec::new(), spec.name());
        let most = pools.iter().max_by_key(|pool| pool.current_num_threads()).context("no threads")?;
        bar.set_message(format!("{}, {solver}, the wind rises", tree.name));
        let mut run = Run::new(plant, spec.with_simd(self.simd.into()), most)?;
        for (pool, machine) in pools.iter().zip(machines) {
            let plural = if machine.threads == 1 { "" } else { "s" };
            bar.set_message(format!("{}, {solver}, {} thread{plural}", tree.name, machine.threads));
            let times = run.time(self.seconds, pool)?;
            let bodies = tree.all_bodies();
            let rate = bodies as f64 / times.median;
            rows.push(Row {
                tree: tree.name.clone(),
                trees: tree.grove,
                bodies,
                moving_bodies: run.moving,
                solver,
                threads: machine.threads,
                steps: times.steps,
                best_ms: times.best * 1e3,
                median_ms: times.median * 1e3,
                body_steps_per_s: rate,
                bytes_per_body: run.bytes() as f64 / bodies as f64,
                body_steps_per_fma_flop: rate / times.median_fma_flops,
                best_body_steps_per_fma_flop: bodies as f64 / times.best / times.best_fma_flops,
                fma_flops: times.median_fma_flops,
                best_fma_flops: times.best_fma_flops,
                body_steps_per_triad_byte: rate / machine.triad_bytes_per_s,
                paper_ms: tree.paper_ms(),
            });
            bar.inc(1);
        }
        Ok(rows)
    }

    /// The trees to measure, and those that are left out.
    fn trees(&self) -> anyhow::Result<(Vec<Tree>, Vec<String>)> {
        let sizes: &[usize] = if self.bodies.is_empty() && self.scaling { &LADDER } else { &self.bodies };
        if let Some(&asked) = sizes.iter().find(|&n| !(LEAST_BODIES..=MOST_BODIES).contains(n)) {
            return Err(GrowError::Bodies { asked }.into());
        }
        ensure!(
            self.grove == 1 || !(self.trees.is_empty() && sizes.is_empty()),
            "--grove needs a tree or --bodies: what it is a grove of (for example --grove 200 --bodies 1k)"
        );
        let mut left_out = Vec::new();
        let names: Vec<String> = if !self.trees.is_empty() {
            self.trees.clone()
        } else if !sizes.is_empty() {
            vec!["maple".to_owned()]
        } else {
            let mut presets = PRESETS;
            presets.sort_by_key(|preset| preset.bodies);
            let fits = |bodies| bodies < LARGE || memory::suffices(bodies);
            left_out.extend(presets.iter().filter(|p| !fits(p.bodies)).map(|p| p.name.to_owned()));
            presets.iter().filter(|p| fits(p.bodies)).map(|p| p.name.to_owned()).collect()
        };
        let mut trees = Vec::new();
        for name in names {
            let (species, of_preset) = find_species(&name)?;
            let own = [of_preset.unwrap_or(species.size.bodies)];
            for &bodies in if sizes.is_empty() { &own } else { sizes } {
                let all = bodies.saturating_mul(self.grove);
                ensure!(all <= MOST_BODIES, "{} trees of {bodies} bodies: more than {MOST_BODIES} in all", self.grove);
                trees.push(Tree { name: name.clone(), species: species.clone(), bodies, grove: self.grove });
            }
        }
        Ok((trees, left_out))
    }

    fn pools(&self) -> anyhow::Result<Vec<ThreadPool>> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut counts = if self.threads.is_empty() { vec![1, cores] } else { self.threads.clone() };
        counts.sort_unstable();
        counts.dedup();
        let pool = |n| ThreadPoolBuilder::new().num_threads(n).build().with_context(|| format!("{n} threads"));
        counts.into_iter().map(pool).collect()
    }
}

impl Tree {
    fn all_bodies(&self) -> usize {
        self.bodies * self.grove
    }

    fn grow(&self) -> anyhow::Result<Plant> {
        if self.grove == 1 {
            return self.grow_one(0);
        }
        let kinds: Vec<Plant> =
            (0..self.grove.min(SEEDS)).map(|seed| self.grow_one(seed as u64)).collect::<anyhow::Result<_>>()?;
        let width =
            kinds.iter().flat_map(|kind| Summary::of(kind).trees).fold(1.0, |most, tree| tree.crown_width_m.max(most));
        // In a square, crown beside crown.
        let side = self.grove.isqrt();
        let place = |i: usize| DVec3::new((i % side) as f64, 0.0, (i / side) as f64) * width;
        let all: Vec<(&Plant, DVec3)> = (0..self.grove).map(|i| (&kinds[i % kinds.len()], place(i))).collect();
        Ok(Plant::together(&self.name, &all)?)
    }

    fn grow_one(&self, seed: u64) -> anyhow::Result<Plant> {
        let plant = windfall::grow::grow(&self.species, &GrowOptions { bodies: Some(self.bodies), seed })?;
        ensure!(plant.body_count() == self.bodies, "{} grew {} bodies", self.name, plant.body_count());
        Ok(plant)
    }

    /// Time of the paper for this very tree, ms.
    fn paper_ms(&self) -> Option<f64> {
        let is_this = |bodies| self.grove == 1 && self.bodies == bodies;
        let preset = PRESETS.iter().find(|p| p.species == self.species.name && is_this(p.bodies))?;
        PAPER.iter().find(|(name, _)| *name == preset.name).map(|&(_, ms)| ms)
    }
}

fn parse_grove(text: &str) -> Result<usize, String> {
    match parse_count(text) {
        Ok(n) if (1..=100_000).contains(&n) => Ok(n),
        _ => Err("it must be a number from 1 to 100,000".into()),
    }
}

fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=1024).contains(&n) => Ok(n),
        _ => Err("it must be a number from 1 to 1024".into()),
    }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (0.001..=3600.0).contains(&value) { Ok(value) } else { Err("it must be between 0.001 and 3600 s".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tree_of_the_paper_has_its_time() {
        for preset in PRESETS {
            let species = Species::named(preset.species).unwrap();
            let tree = Tree { name: preset.species.into(), species, bodies: preset.bodies, grove: 1 };
            assert!(tree.paper_ms().is_some(), "{}", preset.name);
            assert_eq!(Tree { bodies: preset.bodies + 1, ..tree }.paper_ms(), None);
        }
    }

    #[test]
    fn a_grove_has_all_of_its_trees_apart_and_no_time_of_the_paper() {
        let species = Species::named("maple").unwrap();
        let grove = Tree { name: "maple".into(), species, bodies: 200, grove: 11 };
        let plant = grove.grow().unwrap();
        assert_eq!((plant.trees().len(), plant.body_count()), (11, grove.all_bodies()));
        let places: Vec<DVec3> = plant.trees().iter().map(|tree| tree.origin).collect();
        let apart = |i: usize| places[..i].iter().all(|place| place.distance(places[i]) > 0.5);
        assert!((0..11).all(apart), "{places:?}");
        assert_eq!(Tree { bodies: 138_965, ..grove }.paper_ms(), None);
    }
}
