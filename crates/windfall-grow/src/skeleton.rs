//! Axes without radii: the output of both growers, and the input for radii, leaves and bodies.

use glam::DVec3;

/// One stem: a trunk, limb, branch or twig, as a line of nodes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stem {
    /// The parent stem and the index of its segment; none for a trunk.
    pub(crate) parent: Option<(u32, u32)>,
    /// Branch order.
    pub(crate) order: u16,
    /// Whether it begins at the end node of that segment, as the arm of a fork, rather than at its side.
    pub(crate) at_node: bool,
    /// Index of its first node.
    pub(crate) first: u32,
    /// Number of its nodes, one more than segments.
    pub(crate) nodes: u32,
    /// Distance from its base at which leaves begin, m; more than its length if it bears none.
    pub(crate) leafy_from: f64,
    /// Its own random key.
    pub(crate) key: u64,
}

impl Stem {
    /// Range of its nodes within the skeleton's list.
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
    /// Radius just above each node, where a segment begins, m; computed by the pipe model.
    pub(crate) base_radii: Vec<f64>,
    /// Radius just below each node, where a segment ends, m; larger where stems leave at the node.
    pub(crate) tip_radii: Vec<f64>,
}

impl Skeleton {
    /// Length of a stem, m.
    pub(crate) fn length(&self, stem: &Stem) -> f64 {
        self.nodes[stem.node_range()].windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    /// Number of segments of all stems.
    pub(crate) fn segments(&self) -> usize {
        self.nodes.len() - self.stems.len()
    }

    /// Appends a separately grown piece: its stems without a parent grow on `root`.
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
