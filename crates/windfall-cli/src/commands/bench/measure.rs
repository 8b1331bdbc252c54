//! The measurement: whole steps of a stage.

use std::sync::Arc;
use std::time::Instant;

use anyhow::ensure;
use rayon::ThreadPool;
use windfall::core::glam::DVec3;
use windfall::core::{BodyId, Plant};
use windfall::scene::SolverSpec;
use windfall::solver::{Params, Solver, StepInput, Wind};
use windfall::stage::{Settings, Stage};
use windfall::wind::WindSpec;

use super::machine;

/// One frame of a film, s.
pub const STEP: f64 = 1.0 / 30.0;
/// Steps before the clock runs: the wind rises in the first half of them.
const WARM_UP: usize = 30;
/// Fewer steps have no median.
const FEWEST_STEPS: usize = 10;
/// Seconds of steps between measurements of the machine, which take a millisecond each.
const BETWEEN_LOOKS: f64 = 0.02;

/// The wind grid of quigley2017, section 7, with its wiggle, at a fresh breeze; it rises in half a second.
const WIND: &str = "
kind = 'scale'
factor = [[0, 0], [0.5, 1]]
[wind]
kind = 'wiggle'
swing = [[0, 0], [5, 2], [20, 1]]
wind = { kind = 'grid', speed = 8 }
";

/// A tree in the wind, prepared for timing.
pub struct Run {
    stage: Stage,
    air: Arc<dyn Wind>,
    gravity: DVec3,
    /// Number of moving bodies of the tree.
    pub moving: usize,
}

/// Times of steps, s, and rates of multiply-adds of the machine between them, 1/s.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    pub steps: usize,
    pub best: f64,
    pub median: f64,
    pub best_fma_flops: f64,
    pub median_fma_flops: f64,
}

impl Run {
    /// A plant on a stage, swaying. Breaking and detachment are tested in every step, but no joint breaks:
    /// its strength is infinite.
    pub fn new(plant: &Arc<Plant>, spec: SolverSpec, pool: &ThreadPool) -> anyhow::Result<Self> {
        let mut params = Params { keep_shape: true, ..Params::default() };
        for class in [&mut params.branches, &mut params.leaves, &mut params.fruit] {
            class.strength = f64::INFINITY;
        }
        let settings = Settings { fracture: true, detachment: true, ..Settings::default() };
        let air = WindSpec::from_toml(WIND)?.build()?;
        let stage = pool
            .install(|| -> anyhow::Result<_> { Ok(Stage::new(spec.build(Arc::clone(plant), &params)?, settings)?) })?;
        let mut run = Self { stage, air: Arc::new(air), gravity: params.gravity, moving: 0 };
        pool.install(|| (0..WARM_UP).try_for_each(|_| run.step()))?;
        let moves = |id: BodyId| {
            let velocity = run.stage.motion(id.into()).velocity;
            velocity.is_finite() && velocity.length_squared() > 0.0
        };
        run.moving = plant.body_ids().filter(|&id| moves(id)).count();
        Ok(run)
    }

    fn step(&mut self) -> anyhow::Result<()> {
        let input = &mut StepInput::new().gravity(self.gravity).wind(Some(&self.air));
        self.stage.step(STEP, input)?;
        ensure!(self.stage.events().is_empty(), "a body came off although nothing can break it");
        Ok(())
    }

    /// Times steps for this many seconds, and the peak rate of the machine between them: on a shared
    /// machine both slow down at the same time. The tree keeps swaying from one call to the next.
    pub fn time(&mut self, seconds: f64, pool: &ThreadPool) -> anyhow::Result<Times> {
        pool.install(|| {
            let (mut times, mut of_machine) = (Vec::new(), Vec::new());
            let (begin, mut since) = (Instant::now(), f64::INFINITY);
            while times.len() < FEWEST_STEPS || begin.elapsed().as_secs_f64() < seconds {
                if since > BETWEEN_LOOKS {
                    of_machine.push(machine::multiply_and_add());
                    since = 0.0;
                }
                let start = Instant::now();
                self.step()?;
                times.push(start.elapsed().as_secs_f64());
                since += times[times.len() - 1];
            }
            let (best, median) = best_and_median(&mut times);
            let [best_fma_flops, median_fma_flops] =
                <[f64; 2]>::from(best_and_median(&mut of_machine)).map(machine::fma_flops_in);
            Ok(Times { steps: times.len(), best, median, best_fma_flops, median_fma_flops })
        })
    }

    /// Memory of the solver, bytes.
    pub fn bytes(&self) -> usize {
        self.stage.bytes()
    }
}

/// The shortest time and the median.
fn best_and_median(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_time_and_the_one_in_the_middle() {
        assert_eq!(best_and_median(&mut [3.0, 9.0, 2.0, 4.0, 5.0]), (2.0, 4.0));
        assert_eq!(best_and_median(&mut [7.0]), (7.0, 7.0));
    }
}
