//! Foliage and fruit: bent cards for leaves, petals and needles, and fruit with stalks, each bound to
//! its body.

mod card;
mod fruit;
mod leaves;

pub use fruit::fruit_mesh;
pub use leaves::leaf_mesh;

/// Level of detail of leaves and fruit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoliageDetail {
    /// 0 is fine (cards of 3 by 5 vertices), 1 is medium (3 by 3), 2 and more is coarse (4 vertices, no
    /// petioles or stalks).
    pub level: u8,
    /// Fraction of the leaves to keep, 0 to 1. Those kept are spread evenly and enlarged so that the
    /// leaf area stays; a larger fraction contains all leaves of a smaller one.
    pub keep: f32,
    /// Seed of bends and tints.
    pub seed: u64,
}

impl Default for FoliageDetail {
    fn default() -> Self {
        Self { level: 0, keep: 1.0, seed: 1 }
    }
}
