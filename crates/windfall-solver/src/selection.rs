//! Selection of the simulated bodies (quigley2017, section 9); the others move rigidly with them, with
//! their mass and load.

use windfall_core::{Body, BodyId, Plant};

/// Selection of the simulated bodies.
///
/// A body that is not selected keeps its present joint angle and moves with the nearest simulated body
/// towards the root, or with the ground. Its mass, and forces on it, act through that body; its own joint
/// reports no load.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Selection {
    /// All bodies.
    #[default]
    All,
    /// Wood of branches up to this order (0 is the trunk), with or without the leaves and fruit on it.
    Orders {
        /// The highest simulated order.
        highest: u16,
        /// Whether leaves and fruit on that wood are simulated too.
        foliage: bool,
    },
    /// Wood at least this thick at its base, m; no leaves and fruit.
    Thicker {
        /// Smallest simulated radius, m.
        radius: f64,
    },
    /// These bodies and their subtrees.
    Subtrees(Vec<BodyId>),
    /// The bodies with `true`, in the order of ids.
    Bodies(Vec<bool>),
}

impl Selection {
    /// Whether each body is simulated; none if all are.
    pub fn bodies(&self, plant: &Plant) -> Option<Vec<bool>> {
        let wood = plant.segments().len();
        Some(match self {
            Self::All => return None,
            Self::Orders { highest, foliage } => plant
                .body_ids()
                .map(|id| {
                    let order = plant.branches()[plant.branch_index(id)].order;
                    order <= *highest && (*foliage || (id.0 as usize) < wood)
                })
                .collect(),
            Self::Thicker { radius } => plant
                .body_ids()
                .map(|id| match plant.body(id) {
                    Some(Body::Wood(segment)) => f64::from(segment.base_radius) >= *radius,
                    _ => false,
                })
                .collect(),
            Self::Subtrees(roots) => {
                let mut chosen = vec![false; plant.body_count()];
                for root in roots {
                    // Unknown bodies select nothing.
                    if let Some(c) = chosen.get_mut(root.0 as usize) {
                        *c = true;
                    }
                }
                for id in plant.body_ids() {
                    if let Some(p) = plant.parent(id) {
                        chosen[id.0 as usize] |= chosen[p.0 as usize];
                    }
                }
                chosen
            }
            Self::Bodies(chosen) => {
                let mut chosen = chosen.clone();
                chosen.resize(plant.body_count(), false);
                chosen
            }
        })
    }
}
