//! The `windfall` program.

mod appearance;
mod bodies;
mod commands;
mod focus;
mod numbers;
mod params;
mod plants;
mod progress;
mod report;
mod signals;
mod solvers;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Parser, Subcommand};

/// Physical animation of trees.
#[derive(Parser)]
#[command(
    name = "windfall",
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  windfall demo                                     grow the default tree into out/
  windfall grow maple --bodies 20k -o maple.wfp     a young maple
  windfall species                                  what can be grown, with its numbers
  windfall import scan.csv --wood oak -o oak.wfp    a laser-scanned tree
  windfall inspect maple.wfp --json                 measure a plant
  windfall preview maple.wfp -o maple.png           draw it
  windfall simulate maple.wfp --push top:50,0,0:0:1 move it
  windfall assess maple.wfp                         its sway, and the wind that breaks it
  windfall run scenes/small/fig08.toml              a whole scene: apples fall
  windfall compare                                  the solvers side by side
  windfall bench --bodies 10k                       how fast steps are on this machine
  windfall export maple.wfp -o maple.glb            for game engines and Blender
  windfall animate rigged.glb --wind breeze         add wind to a rigged tree of another program

Exit codes: 0 done, 1 failed (bad file, impossible request), 2 wrong usage."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(commands::demo::Demo),
    Grow(commands::grow::Grow),
    Species(commands::species::List),
    Import(commands::import::Import),
    Inspect(commands::inspect::Inspect),
    Preview(commands::preview::Preview),
    Simulate(commands::simulate::Simulate),
    Assess(commands::assess::Assess),
    Run(commands::run::Run),
    Compare(commands::compare::Compare),
    Bench(commands::bench::Bench),
    Export(commands::export::Export),
    Animate(commands::animate::Animate),
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // If even this can't be written, the exit code is the only report.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    signals::clean_up().context("handling of signals")?;
    match command {
        Command::Demo(command) => command.run(),
        Command::Grow(command) => command.run(),
        Command::Species(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Inspect(command) => command.run(),
        Command::Preview(command) => command.run(),
        Command::Simulate(command) => command.run(),
        Command::Assess(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Animate(command) => command.run(),
    }
}

/// The reader of the output (`head`, a pager) has closed it: that is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |e: &(dyn std::error::Error + 'static)| {
        let direct = e.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        direct.or_else(|| e.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind))
    };
    error.chain().any(|e| kind(e) == Some(std::io::ErrorKind::BrokenPipe))
}
