//! The same bits in every run, on any number of threads.

use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Pose};

use crate::plants::{grove, leafy_branch, symmetric_tree};
use crate::{Checked, DOWN, Steady, Subject, ensure, local_tip, pose, tier};
use windfall_solver::{Actions, Grab, Load, StepInput, Wind};

tier! {
    []
    same_run_gives_same_bits,
    threads_do_not_matter,
}

/// Trees of the largest plant: some 6,000 bodies, so that solvers have work for several threads.
const TREES: usize = 1500;

/// All poses of a run with many events.
fn poses(subject: &Subject<'_>) -> Vec<Pose> {
    let mut poses = Vec::new();
    let wind: Arc<dyn Wind> = Arc::new(Steady(DVec3::new(6.0, 0.0, 3.0)));
    for (plant, steps) in [(symmetric_tree(), 50), (leafy_branch(), 50), (grove(TREES), 25)] {
        let mut solver = subject.solver(&plant);
        let wood = plant.segments().len() as u32;
        for i in 0..steps {
            let body = BodyId(i % wood);
            let loads = [Load::force(body, local_tip(&plant, body), DVec3::new(1.0, f64::from(i % 3), -2.0))];
            let grabs = [Grab {
                body: BodyId(wood - 1 - i % wood).into(),
                point: DVec3::ZERO,
                target: DVec3::new(0.1, 1.0, 0.1),
                target_velocity: DVec3::ZERO,
                stiffness: 100.0,
                damping: 1.0,
            }];
            let actions = Actions { loads: &loads, grabs: &grabs, ..Actions::default() };
            let wind = Some(&wind).filter(|_| i > 20);
            solver
                .step(subject.tolerances.step, &mut StepInput::new().gravity(DOWN).wind(wind).actions(actions))
                .expect("a step");
            poses.push(pose(&*solver));
        }
    }
    poses
}

/// The same run twice gives the same bits.
pub fn same_run_gives_same_bits(subject: &Subject<'_>) -> Checked {
    ensure!(poses(subject) == poses(subject), "two equal runs differ");
    Ok(())
}

/// One, two and five threads give the same bits.
pub fn threads_do_not_matter(subject: &Subject<'_>) -> Checked {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| poses(subject))
    };
    let one = on(1);
    for threads in [2, 5] {
        ensure!(on(threads) == one, "{threads} threads give other bits than one");
    }
    Ok(())
}
