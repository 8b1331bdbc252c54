//! Rows of two sorts: wood and fruit first, then leaves, which need less data.

use super::rows::{LANES, Lanes, Rows};

/// Data of the bodies of a block: a W for each row of wood and fruit, an L for each row of leaves.
#[derive(Debug, Clone)]
pub(crate) struct WoodAndLeaves<W, L> {
    wood: Rows<W>,
    leaves: Rows<L>,
}

impl<W, L> Default for WoodAndLeaves<W, L> {
    fn default() -> Self {
        Self { wood: Rows::default(), leaves: Rows::default() }
    }
}

/// One body of either sort.
pub(crate) enum One<W, L> {
    Wood(W),
    Leaf(L),
}

impl<W, L> WoodAndLeaves<W, L> {
    /// The rows of wood and fruit.
    pub fn wood(&self) -> &[W] {
        self.wood.rows()
    }

    /// The rows of leaves, counted from the first of them.
    pub fn leaves(&self) -> &[L] {
        self.leaves.rows()
    }

    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        self.wood.bytes() + self.leaves.bytes()
    }
}

impl<W: Lanes, L: Lanes> WoodAndLeaves<W, L> {
    /// For `count` bodies, of which those from `woods` on are leaves.
    pub fn new(
        (woods, count): (usize, usize),
        wood: impl FnMut(usize) -> W::One,
        leaf: impl FnMut(usize) -> L::One,
    ) -> Self {
        Self { wood: (0..woods).map(wood).collect(), leaves: (woods..count).map(leaf).collect() }
    }

    pub fn is_leaf(&self, i: usize) -> bool {
        i >= self.wood.rows().len() * LANES
    }

    pub fn one(&self, i: usize) -> One<W::One, L::One> {
        match i.checked_sub(self.wood.rows().len() * LANES) {
            None => One::Wood(self.wood.get(i)),
            Some(leaf) => One::Leaf(self.leaves.get(leaf)),
        }
    }
}
