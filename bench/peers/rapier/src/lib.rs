//! One run of one engine on one tree: the clock, and where every body was.
//!
//! Every program of `bench/peers` (those here, and `mujoco_run.py`) takes the options of [`Run`], writes the
//! centres of mass of all bodies every [`Run::sample`] seconds into a file, and prints one line of JSON with
//! the time of a step.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

/// What to run.
#[derive(Args, Debug, Clone)]
pub struct Run {
    /// Length of a step, s
    #[arg(long)]
    pub dt: f64,
    /// Simulated time, s
    #[arg(long, default_value_t = 2.0)]
    pub seconds: f64,
    /// Time between two samples, s: a multiple of the step
    #[arg(long, default_value_t = 0.05)]
    pub sample: f64,
    /// Mass-proportional damping alpha, 1/s: to let a tree settle
    #[arg(long, default_value_t = 0.0)]
    pub alpha: f64,
    /// Multiplier of the damping of all joints
    #[arg(long, default_value_t = 1.0)]
    pub damping: f64,
    /// Downwards, m/s²
    #[arg(long, default_value_t = 9.81)]
    pub gravity: f64,
    /// Every joint is as stiff, and as damped, about y and z as about x
    #[arg(long)]
    pub isotropic: bool,
    /// Where the centres of mass go: f64, little endian, samples x bodies x 3; the first sample is the
    /// beginning
    #[arg(long)]
    pub out: PathBuf,
}

/// An engine with a tree in it.
pub trait Peer {
    /// One step.
    fn step(&mut self) -> anyhow::Result<()>;
    /// The centre of mass of every body in the order of their ids, world metres.
    fn centers(&self, each: &mut dyn FnMut([f64; 3]));
}

impl Run {
    /// Runs an engine and prints how long a step takes: the mean over one sample, of the fastest sample.
    pub fn play(&self, peer: &mut dyn Peer) -> anyhow::Result<()> {
        let per_sample = (self.sample / self.dt).round();
        let off = (per_sample * self.dt / self.sample - 1.0).abs();
        anyhow::ensure!(off < 1e-6, "samples every {} s are no multiple of the step {} s", self.sample, self.dt);
        let samples = (self.seconds / self.sample).round() as usize;
        let mut out = BufWriter::new(File::create(&self.out)?);
        let mut best = f64::INFINITY;
        write_sample(&mut out, peer)?;
        for sample in 0..samples {
            let start = Instant::now();
            for _ in 0..per_sample as u64 {
                peer.step()?;
            }
            let wall = start.elapsed().as_secs_f64();
            // The first steps fill caches and allocate.
            if sample > 0 || samples == 1 {
                best = best.min(wall / per_sample);
            }
            write_sample(&mut out, peer)?;
        }
        out.flush()?;
        println!("{}", serde_json::json!({ "step_s": best }));
        Ok(())
    }
}

fn write_sample(out: &mut impl Write, peer: &dyn Peer) -> std::io::Result<()> {
    let mut result = Ok(());
    peer.centers(&mut |center| {
        for x in center {
            if result.is_ok() {
                result = out.write_all(&x.to_le_bytes());
            }
        }
    });
    result
}
