//! The memory that a world reports, compared with that of the allocator and large pages.

use std::sync::Arc;

use peak_alloc::PeakAlloc;
use windfall::articulated::bytes_in_huge_pages;
use windfall::prelude::*;
use windfall::solver::Wind;
use windfall::wind::preset;

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

// One test: other threads would allocate during the measurement. And one thread: with several, a thread
// that has processed only small blocks before would enlarge its scratch memory.
#[test]
fn a_world_counts_its_memory() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(count_all);
}

fn count_all() {
    let maple = Species::named("maple").unwrap();
    let plant = Arc::new(grow(&maple, &GrowOptions { bodies: Some(20_000), seed: 0 }).unwrap());
    let air = Arc::new(preset("breeze").unwrap().build().unwrap());
    let air = Arc::clone(&air) as Arc<dyn Wind>;
    let specs = SOLVERS.map(|info| info.spec);
    // Creates the scratch memory of the thread for blocks, and all other one-time allocations.
    for spec in specs {
        drop(moved(&plant, &air, spec));
    }
    for spec in specs {
        let given_out = || COUNTED.current_usage() + bytes_in_huge_pages();
        let before = given_out();
        let solver = moved(&plant, &air, spec);
        let given = (given_out() - before) as f64;
        let share = solver.bytes() as f64 / given;
        println!("| {spec:?} | {} bytes counted | {given} given out | {share:.4} |", solver.bytes());
        assert!((0.98..=1.0).contains(&share), "{spec:?}: {} of {given} bytes", solver.bytes());
    }
}

fn moved(plant: &Arc<Plant>, air: &Arc<dyn Wind>, spec: SolverSpec) -> Box<dyn Solver> {
    let mut solver = spec.build(Arc::clone(plant), &Params::default()).unwrap();
    // Some arrays are allocated at their first use.
    for _ in 0..3 {
        solver.step(1e-4, &mut StepInput::new().wind(Some(air))).unwrap();
    }
    solver
}
