//! What hangs on the wood: bent cards for leaves, petals and needles, and fruit with stalks, each bound to its body.

mod card;
mod fruit;
mod leaves;

pub use fruit::fruit_mesh;
pub use leaves::leaf_mesh;

/// How finely leaves and fruit are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoliageDetail {
    /// 0 is fine (cards of 3 by 5 vertices), 1 is medium (3 by 3), 2 and more is coarse (4 vertices, no petioles or stalks).
    pub level: u8,
    /// Which part of the leaves to keep, 0 to 1. Those kept are spread evenly and grow so that the leaf area stays; what a
    /// smaller part keeps a larger part keeps too.
    pub keep: f32,
    /// Another seed, other bends and tints.
    pub seed: u64,
}

impl Default for FoliageDetail {
    fn default() -> Self {
        Self { level: 0, keep: 1.0, seed: 1 }
    }
}
