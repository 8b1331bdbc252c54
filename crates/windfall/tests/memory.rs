//! What a world says of its memory, held against what the allocator and large pages gave out.

use std::sync::Arc;

use peak_alloc::PeakAlloc;
use windfall::dynamics::bytes_in_large_pages;
use windfall::prelude::*;
use windfall::wind::preset;

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

// One test: other threads would allocate in between. And one thread: of several, one that has seen only small blocks before would grow the room that it lends.
#[test]
fn a_world_counts_its_memory() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(count_all);
}

fn count_all() {
    let maple = Species::named("maple").unwrap();
    let plant = Arc::new(grow(&maple, &GrowOptions { bodies: Some(20_000), seed: 0 }).unwrap());
    let air = Arc::new(preset("breeze").unwrap().build().unwrap());
    let methods = [Method::Implicit, Method::Analytic, Method::Explicit];
    // The room that the thread lends to blocks, and what else is made once.
    for method in methods {
        moved(&plant, &air, method);
    }
    for method in methods {
        let given_out = || COUNTED.current_usage() + bytes_in_large_pages();
        let before = given_out();
        let world = moved(&plant, &air, method);
        let given = (given_out() - before) as f64;
        let share = world.bytes() as f64 / given;
        println!("| {method:?} | {} bytes counted | {given} given out | {share:.4} |", world.bytes());
        assert!((0.98..=1.0).contains(&share), "{method:?}: {} of {given} bytes", world.bytes());
    }
}

fn moved(plant: &Arc<Plant>, air: &Arc<windfall::wind::Air>, method: Method) -> World<f32> {
    let mut world = World::<f32>::new(Arc::clone(plant), Params::default(), method).unwrap();
    world.set_wind(Some(Arc::clone(air) as _));
    // Some arrays are made when they are needed.
    for _ in 0..3 {
        world.step(1e-4, &Actions::default()).unwrap();
    }
    world
}
