//! Windfall in the runs of `bench/peers`.

use std::path::PathBuf;

use anyhow::ensure;
use clap::Parser;
use windfall_core::glam::DVec3;
use windfall_core::Plant;
use windfall_scene::{Precision, SolverSpec};
use windfall_solver::{Params, Solver, StepInput};
use windfall_solver::params::ClassParams;
use windfall_peers::{Peer, Run};

/// Move a plant under gravity with Windfall, from its rest shape, on one thread.
#[derive(Parser)]
struct Options {
    /// A plant file
    plant: PathBuf,
    /// implicit or analytic
    #[arg(long, default_value = "implicit")]
    method: SolverSpec,
    /// Numbers of 64 bits
    #[arg(long)]
    f64: bool,
    #[command(flatten)]
    run: Run,
}

struct Ours {
    solver: Box<dyn Solver>,
    gravity: DVec3,
    dt: f64,
}

impl Peer for Ours {
    fn step(&mut self) -> anyhow::Result<()> {
        Ok(self.solver.step(self.dt, &mut StepInput::new().gravity(self.gravity))?)
    }

    fn centers(&self, each: &mut dyn FnMut([f64; 3])) {
        for id in self.solver.plant().body_ids() {
            each(self.solver.motion(id.into()).center.to_array());
        }
    }
}

/// What makes the springs of these bodies equal about all axes. One material is assumed, and checked.
fn isotropic(plant: &Plant, kind_is_wood: bool, class: &mut ClassParams) -> anyhow::Result<()> {
    let joints = plant.body_ids().filter(|&id| (plant.kind_name(id) == "wood") == kind_is_wood);
    let mut axes: Option<[f64; 3]> = None;
    for id in joints {
        let k = plant.joint_properties(id).stiffness;
        let own = [1.0, k.x / k.y, k.x / k.z];
        let all = *axes.get_or_insert(own);
        let same = all.iter().zip(own).all(|(a, b)| (a / b - 1.0).abs() < 1e-9);
        ensure!(same, "body {}: springs of different proportions, {all:?} and {own:?}", id.0);
    }
    class.axes = axes.unwrap_or([1.0; 3]);
    Ok(())
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let plant = windfall_io::load(&options.plant)?;
    ensure!(plant.fruit().is_empty(), "a tree with fruit: the model of the peers has wood and leaves");
    let gravity = DVec3::new(0.0, -options.run.gravity, 0.0);
    let mut params = Params { gravity, mass_damping: options.run.alpha, ..Params::default() };
    params.branches.damping = options.run.damping;
    params.leaves.damping = options.run.damping;
    if options.run.isotropic {
        isotropic(&plant, true, &mut params.branches)?;
        isotropic(&plant, false, &mut params.leaves)?;
    }
    let precision = if options.f64 { Precision::F64 } else { Precision::F32 };
    let solver = options.method.with_precision(precision).build(plant.into(), &params)?;
    options.run.play(&mut Ours { solver, gravity, dt: options.run.dt })
}
