//! Axes without wood yet: what both growers make, and what radii, leaves and bodies are then put on.

use glam::DVec3;

/// One stem: a trunk, limb, branch or twig, as a line of nodes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stem {
    /// The stem that it grows on and the segment of that stem; none for a trunk.
    pub(crate) parent: Option<(u32, u32)>,
    /// Branch order.
    pub(crate) order: u16,
    /// Whether it leaves at the node at the end of that segment, as the arm of a fork, rather than at its side.
    pub(crate) at_node: bool,
    /// First of its nodes.
    pub(crate) first: u32,
    /// How many nodes it has, one more than segments.
    pub(crate) nodes: u32,
    /// Distance from its base at which leaves begin, m; beyond its length: it bears none.
    pub(crate) leafy_from: f64,
    /// Its own random key.
    pub(crate) key: u64,
}

impl Stem {
    /// Its nodes within the skeleton's list.
    pub(crate) fn node_range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.nodes) as usize
    }
}

/// All stems of one tree, a parent before its children.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Skeleton {
    pub(crate) stems: Vec<Stem>,
    /// Nodes of all stems, relative to the foot of the tree, m.
    pub(crate) nodes: Vec<DVec3>,
    /// Radius just above each node, where a segment begins, m; filled by the pipe model.
    pub(crate) base_radii: Vec<f64>,
    /// Radius just below each node, where a segment ends, m; larger where stems leave at the node.
    pub(crate) tip_radii: Vec<f64>,
}

impl Skeleton {
    /// Length of a stem, m.
    pub(crate) fn length(&self, stem: &Stem) -> f64 {
        self.nodes[stem.node_range()].windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    /// How many segments all stems have.
    pub(crate) fn segments(&self) -> usize {
        self.nodes.len() - self.stems.len()
    }

    /// Appends a piece that was grown apart: its stems without a parent grow on `root`.
    pub(crate) fn append(&mut self, piece: Skeleton, root: (u32, u32)) {
        let (stems, nodes) = (self.stems.len() as u32, self.nodes.len() as u32);
        self.nodes.extend_from_slice(&piece.nodes);
        self.stems.extend(piece.stems.into_iter().map(|stem| Stem {
            parent: Some(stem.parent.map_or(root, |(parent, segment)| (parent + stems, segment))),
            first: stem.first + nodes,
            ..stem
        }));
    }
}
