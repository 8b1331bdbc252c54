//! Performance of the machine itself: rate of fused multiply-adds, and memory bandwidth.
//!
//! Steps of trees are bound by arithmetic or by memory, and divided by these figures they can be compared
//! between machines.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use fearless_simd::{Level, Simd, SimdBase, SimdFloat, dispatch, f32x8};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Serialize;

/// Independent chains of multiply-adds: two units with four or five cycles each need ten; with the two
/// constants they fit into the sixteen registers of AVX2.
const CHAINS: usize = 12;
const LANES: usize = 8;
/// About a millisecond of multiply-adds.
const ROUNDS: usize = 1 << 19;
/// Elements of each of the three arrays: 64 MiB, far more than caches hold.
const ELEMENTS: usize = 1 << 24;
/// Elements of one task.
const CHUNK: usize = 1 << 16;
/// Time of the tries, s. The best try counts, which excludes disturbance by other programs.
const SECONDS: f64 = 0.3;

/// Performance of a number of threads together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Machine {
    /// Number of threads.
    pub threads: usize,
    /// `a * b + c` in f32x8, two operations each, 1/s.
    pub fma_flops: f64,
    /// `a[i] = b[i] + s c[i]` in f32, 12 bytes for each element (the cache's read before the write of `a`
    /// is not counted), bytes/s.
    pub triad_bytes_per_s: f64,
}

/// The instructions of vectors, by their names in `fearless_simd`.
pub fn instructions() -> String {
    let level = format!("{:?}", Level::new());
    level.split('(').next().unwrap_or_default().to_owned()
}

impl Machine {
    /// Measures the machine in less than a second.
    pub fn measure(pool: &ThreadPool) -> Self {
        let threads = pool.current_num_threads();
        Self { threads, fma_flops: fma_flops(pool), triad_bytes_per_s: triad(pool) }
    }
}

/// Seconds of the fastest try; `work` returns the seconds of a try.
fn best(mut work: impl FnMut() -> f64) -> f64 {
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    while begin.elapsed().as_secs_f64() < SECONDS {
        best = best.min(work());
    }
    best
}

fn fma_flops(pool: &ThreadPool) -> f64 {
    pool.install(|| fma_flops_in(best(multiply_and_add)))
}

/// About a millisecond of multiply-adds on all threads of the present pool; returns the seconds from the
/// time at which all of them were awake (waking one may take a thirtieth of that) to the end of the last.
pub fn multiply_and_add() -> f64 {
    let level = Level::new();
    let awake = AtomicUsize::new(0);
    let spans = rayon::broadcast(|context| {
        awake.fetch_add(1, Ordering::Relaxed);
        while awake.load(Ordering::Relaxed) < context.num_threads() {
            // There may be more threads than cores.
            std::thread::yield_now();
        }
        let start = Instant::now();
        // Converges to 1 from any start: never tiny, never infinite.
        let (factor, summand) = black_box((0.999_f32, 0.001_f32));
        black_box(dispatch!(level, simd => chains(simd, factor, summand)));
        (start, Instant::now())
    });
    let start = spans.iter().map(|span| span.0).min();
    let end = spans.iter().map(|span| span.1).max();
    start.zip(end).map_or(0.0, |(start, end)| (end - start).as_secs_f64())
}

/// Operations per second if [`multiply_and_add`] takes this many seconds in this pool.
pub fn fma_flops_in(seconds: f64) -> f64 {
    (2 * LANES * CHAINS * ROUNDS * rayon::current_num_threads()) as f64 / seconds
}

// Functions that are not inlined would be compiled for the least machine.
#[expect(clippy::inline_always, reason = "see above")]
#[inline(always)]
fn chains<S: Simd>(simd: S, factor: f32, summand: f32) -> f32 {
    let (factor, summand) = (f32x8::splat(simd, factor), f32x8::splat(simd, summand));
    let mut sums = [factor; CHAINS];
    let mut start = 0.0;
    for sum in &mut sums {
        start += 0.5;
        *sum = f32x8::splat(simd, start);
    }
    for _ in 0..ROUNDS {
        for sum in &mut sums {
            *sum = sum.mul_add(factor, summand);
        }
    }
    let mut all = summand;
    for sum in sums {
        all += sum;
    }
    all[0]
}

fn triad(pool: &ThreadPool) -> f64 {
    let scale = black_box(3.0_f32);
    let filled = |value: f32| -> Vec<f32> { (0..ELEMENTS).into_par_iter().map(|_| value).collect() };
    let (mut a, b, c) = pool.install(|| (filled(0.0), filled(1.0), filled(2.0)));
    let seconds = best(|| {
        let start = Instant::now();
        pool.install(|| {
            let inputs = b.par_chunks(CHUNK).zip(c.par_chunks(CHUNK));
            a.par_chunks_mut(CHUNK).zip(inputs).for_each(|(a, (b, c))| {
                for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                    *a = b + scale * c;
                }
            });
        });
        black_box(&a);
        start.elapsed().as_secs_f64()
    });
    (12 * ELEMENTS) as f64 / seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_do_the_arithmetic_that_is_counted() {
        // x -> 0.999 x + 0.001 ends at 1 in every chain, and the summand is added once.
        let sum = dispatch!(Level::new(), simd => chains(simd, 0.999, 0.001));
        assert!((sum - 12.001).abs() < 1e-3, "{sum}");
    }
}
