//! Time and memory of growing, saving and loading plants, as the table of `docs/plants-measured.md`.
//!
//! `cargo run --release -p windfall --example plant_timings [-- BODIES ...]`
//!
//! Each plant is grown in one process and loaded in another, so that peak memory is that of the step alone.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use windfall::prelude::*;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Trees of the table: species and number of bodies.
const TREES: [(&str, usize); 4] = [("oak", 10_000), ("oak", 1_000_000), ("willow", 970_748), ("oak", 3_267_482)];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("grow-and-save") => grow_and_save(&arguments[1], arguments[2].parse()?, Path::new(&arguments[3])),
        Some("load") => load_and_count(Path::new(&arguments[1])),
        _ => table(&arguments),
    }
}

fn table(sizes: &[String]) -> Outcome<()> {
    let mut trees: Vec<(&str, usize)> = TREES.to_vec();
    if !sizes.is_empty() {
        trees = sizes.iter().map(|n| n.parse().map(|n| ("oak", n))).collect::<Result<_, _>>()?;
    }
    println!("| tree | bodies | grow s | save s | load s | file MB | B/body | peak MB grow + save | peak MB load |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (species, bodies) in trees {
        let file = std::env::temp_dir().join(format!("windfall-timings-{}.wfp", std::process::id()));
        let [grow, save, grow_peak] = step(&["grow-and-save", species, &bodies.to_string(), &file.to_string_lossy()])?;
        let [load, load_peak, _] = step(&["load", &file.to_string_lossy()])?;
        let bytes = std::fs::metadata(&file)?.len() as f64;
        std::fs::remove_file(&file)?;
        println!(
            "| {species} | {bodies} | {grow:.2} | {save:.2} | {load:.2} | {:.1} | {:.1} | {grow_peak:.0} | {load_peak:.0} |",
            bytes / 1e6,
            bytes / bodies as f64
        );
    }
    Ok(())
}

/// Runs this program again for one step and reads its three numbers.
fn step(arguments: &[&str]) -> Outcome<[f64; 3]> {
    let program: PathBuf = std::env::current_exe()?;
    let output = Command::new(program).args(arguments).output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|_| format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
}

fn grow_and_save(species: &str, bodies: usize, file: &Path) -> Outcome<()> {
    let species = Species::named(species).ok_or("no such species")?;
    let start = Instant::now();
    let plant = grow(&species, &GrowOptions { bodies: Some(bodies), seed: 0 })?;
    let grown = start.elapsed().as_secs_f64();
    let start = Instant::now();
    save(&plant, file)?;
    println!("{grown} {} {}", start.elapsed().as_secs_f64(), peak_megabytes());
    Ok(())
}

fn load_and_count(file: &Path) -> Outcome<()> {
    let start = Instant::now();
    let plant = load(file)?;
    println!("{} {} {}", start.elapsed().as_secs_f64(), peak_megabytes(), plant.body_count());
    Ok(())
}

/// Largest resident memory of this process so far, from the Linux kernel; NaN elsewhere.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |k| k / 1024.0)
}
