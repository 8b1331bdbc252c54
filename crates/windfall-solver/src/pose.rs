//! The requested part of a pose.

/// Level of detail of a pose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PoseDetail {
    /// All bodies.
    #[default]
    All,
    /// Wood alone.
    Wood,
    /// Wood of branches up to this order; 0 is the trunk.
    Orders(u16),
}

/// The requested bodies of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoseRequest<'a> {
    /// Index of the instance of the plant.
    pub instance: u32,
    /// Only these trees of the plant; none is all.
    pub trees: Option<&'a [usize]>,
    /// Level of detail.
    pub detail: PoseDetail,
}

impl PoseRequest<'_> {
    /// Whether all bodies are requested.
    pub fn is_whole(&self) -> bool {
        self.trees.is_none() && self.detail == PoseDetail::All
    }

    /// Whether a body of the plant is requested.
    pub fn asks_for(&self, plant: &windfall_core::Plant, body: windfall_core::BodyId) -> bool {
        let is_wood = (body.0 as usize) < plant.segments().len();
        let fits = match self.detail {
            PoseDetail::All => true,
            PoseDetail::Wood => is_wood,
            PoseDetail::Orders(highest) => is_wood && plant.branches()[plant.branch_index(body)].order <= highest,
        };
        fits && self.trees.is_none_or(|trees| trees.contains(&plant.tree_index(body)))
    }
}
