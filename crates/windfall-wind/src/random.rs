//! Seeded random streams that split: every part of a wind has its own, so that adding a part leaves the others alone.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;
use windfall_core::random::mix;

/// A stream of random numbers.
pub(crate) struct Stream {
    key: u64,
    rng: Pcg32,
}

impl Stream {
    /// The stream of a seed.
    pub(crate) fn new(seed: i64) -> Self {
        Self::of_key(mix((seed as u64).wrapping_add(0x9e37_79b9_7f4a_7c15)))
    }

    fn of_key(key: u64) -> Self {
        Self { key, rng: Pcg32::seed_from_u64(key) }
    }

    /// An independent stream; the same index gives the same stream, whatever was drawn from this one.
    pub(crate) fn fork(&self, index: u64) -> Self {
        Self::of_key(mix(self.key ^ mix(index.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    /// Any 32 bits.
    pub(crate) fn bits(&mut self) -> u32 {
        self.rng.next_u32()
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        f64::from(self.bits()) * (1.0 / 4_294_967_296.0)
    }
}
