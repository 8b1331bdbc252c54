//! Presets: trees with the names and sizes of the papers.

/// A named tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// Name of the species.
    pub species: &'static str,
    /// Number of bodies.
    pub bodies: usize,
    /// Description.
    pub about: &'static str,
}

/// The trees of quigley2017, with their numbers of bodies.
pub const PRESETS: [Preset; 6] = [
    Preset { name: "quigley-willow", species: "willow", bodies: 970_748, about: "the willow of Figs. 1 and 4" },
    Preset { name: "quigley-cherry", species: "cherry", bodies: 246_979, about: "the cherry of Figs. 1 and 10" },
    Preset { name: "quigley-apple", species: "apple", bodies: 42_212, about: "the apple tree of Figs. 1 and 8" },
    Preset { name: "quigley-maple", species: "maple", bodies: 138_965, about: "the maple of Figs. 1 and 9" },
    Preset { name: "quigley-stress", species: "oak", bodies: 3_267_482, about: "the largest tree, Figs. 1 and 13" },
    Preset { name: "quigley-fig3", species: "oak", bodies: 9_500, about: "the real-time tree of Fig. 3" },
];
