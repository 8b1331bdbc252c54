//! Measures the time of a step of free bodies: `cargo run --release -p windfall-free --example free_timings`.

use std::time::Instant;

use windfall_core::glam::{DQuat, DVec3};
use windfall_free::{FreeBodies, FreeBody, NoWind, Obstacles, Shape, Surroundings};
use windfall_solver::Wind;
use windfall_solver::params::AirParams;

fn leaf(name: u32, place: DVec3) -> FreeBody {
    let shape = Shape::Blade { width: 0.06, length: 0.06, petiole: 0.03 };
    let mut body = FreeBody::thrown(name, shape, 2e-4 / shape.volume(), place, DVec3::ZERO).expect("a leaf");
    body.orientation = DQuat::from_scaled_axis(DVec3::new(0.31, 0.77, 0.13) * (f64::from(name % 97) + 0.1));
    body
}

fn apple(name: u32, place: DVec3) -> FreeBody {
    FreeBody::thrown(name, Shape::Sphere { radius: 0.035 }, 850.0, place, DVec3::ZERO).expect("an apple")
}

fn place(i: u32, height: f64) -> DVec3 {
    DVec3::new(f64::from(i % 100) * 0.1, height, f64::from(i / 100 % 100) * 0.1)
}

struct Timing {
    bodies: FreeBodies,
    air: AirParams,
    obstacles: Obstacles,
    frame: u32,
}

impl Timing {
    fn step(&mut self) {
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        let (wind, time): (&dyn Wind, f64) = (&NoWind, f64::from(self.frame) / 60.0);
        let around = Surroundings { gravity, wind: Some(wind), time, air: &self.air, obstacles: &self.obstacles };
        self.bodies.step(&around, 1.0 / 60.0).expect("a step");
        self.frame += 1;
    }

    /// Fastest of some steps, ms.
    fn best(&mut self, steps: u32) -> f64 {
        (0..steps)
            .map(|_| {
                let start = Instant::now();
                self.step();
                start.elapsed().as_secs_f64() * 1e3
            })
            .fold(f64::INFINITY, f64::min)
    }
}

impl Timing {
    /// Median and 95th percentile of some steps.
    fn spread(&mut self, steps: u32) -> String {
        let mut times: Vec<f64> = (0..steps).map(|_| self.best(1)).collect();
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times[(part * f64::from(steps)) as usize];
        format!("median {:.2} ms, 95 % below {:.2} ms", at(0.5), at(0.95))
    }
}

fn main() {
    let mut t =
        Timing { bodies: FreeBodies::new(), air: AirParams::default(), obstacles: Obstacles::ground(), frame: 0 };
    println!("60 Hz, {} threads, best of 20 steps", rayon::current_num_threads());
    for i in 0..10_000 {
        t.bodies.add(leaf(i, place(i, 0.3))).expect("a new name");
    }
    t.step();
    println!("| 10,000 leaves landing | {:.2} ms |", t.best(20));
    while t.bodies.awake() > 0 && t.frame < 3_000 {
        t.step();
    }
    println!(
        "| 10,000 leaves asleep on the ground after {:.1} s ({} awake) | {:.3} ms |",
        f64::from(t.frame) / 60.0,
        t.bodies.awake(),
        t.best(20)
    );
    for i in 0..1_000 {
        t.bodies.add(leaf(10_000 + i, place(i * 7, 50.0))).expect("a new name");
    }
    // Until they reach their terminal velocities.
    for _ in 0..90 {
        t.step();
    }
    println!("| and 1,000 leaves falling | {:.3} ms |", t.best(20));
    for i in 0..100 {
        t.bodies.add(apple(20_000 + i, place(i * 13, 40.0))).expect("a new name");
    }
    t.step();
    println!("| and 100 apples falling | {:.3} ms |", t.best(20));
    println!("| the same, 6 s in which the apples land among the leaves | {} |", t.spread(360));
    let mut t =
        Timing { bodies: FreeBodies::new(), air: AirParams::default(), obstacles: Obstacles::ground(), frame: 0 };
    for i in 0..1_000 {
        // Not exactly above each other, or they would stay stacked.
        let aside = DVec3::new(f64::from(i * 37 % 11), 100.0, f64::from(i * 53 % 13)) * 1e-3;
        let place = DVec3::new(f64::from(i % 10), f64::from(i / 100), f64::from(i / 10 % 10)) * 0.09;
        t.bodies.add(apple(i, place + aside)).expect("a new name");
    }
    println!("| 1,000 apples in a block fall to a heap, 2 s | {} |", t.spread(120));
    println!("| the next 4 s | {} | {} awake |", t.spread(240), t.bodies.awake());
}
