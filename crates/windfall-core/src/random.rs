//! Pseudorandom numbers that are the same on every platform.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;

/// Steele, Lea and Flood's splitmix64 finaliser: spreads neighbouring keys over all 64 bits.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A seeded stream of pseudorandom numbers (PCG32) that splits. Every stem of a tree and every part of a
/// wind has its own stream, so that neither the order of the work nor added parts change the others.
#[derive(Debug, Clone)]
pub struct Stream {
    key: u64,
    rng: Pcg32,
}

impl Stream {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        let key = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
        Self { key, rng: Pcg32::seed_from_u64(key) }
    }

    /// An independent stream. The same index gives the same stream, no matter how many numbers were
    /// drawn from this one.
    pub fn fork(&self, index: u64) -> Self {
        Self::new(self.key ^ mix(index.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1)))
    }

    /// The key that this stream was made from.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// 32 uniform bits.
    pub fn bits(&mut self) -> u32 {
        self.rng.next_u32()
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        f64::from(self.bits()) * (1.0 / 4_294_967_296.0)
    }

    /// Uniform in [-spread, spread).
    pub fn around(&mut self, spread: f64) -> f64 {
        (2.0 * self.unit() - 1.0) * spread
    }

    /// A random integer with the mean `value`.
    pub fn round(&mut self, value: f64) -> usize {
        let whole = value.max(0.0).floor();
        whole as usize + usize::from(self.unit() < value - whole)
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    #[test]
    fn forks_do_not_depend_on_what_was_drawn() {
        let fresh = Stream::new(7);
        let mut used = Stream::new(7);
        for _ in 0..10 {
            used.unit();
        }
        assert_eq!(fresh.fork(3).unit(), used.fork(3).unit());
        assert_ne!(fresh.fork(3).unit(), fresh.fork(4).unit());
    }

    #[test]
    fn numbers_are_uniform_and_round_keeps_the_mean() {
        let mut stream = Stream::new(1);
        let n = 100_000;
        let mean = (0..n).map(|_| stream.unit()).sum::<f64>() / f64::from(n);
        // Standard error of the mean is 0.2887 / sqrt(n) = 0.0009.
        assert!((mean - 0.5).abs() < 0.004, "{mean}");
        let mean = (0..n).map(|_| stream.round(2.3) as f64).sum::<f64>() / f64::from(n);
        assert!((mean - 2.3).abs() < 0.006, "{mean}");
    }
}
