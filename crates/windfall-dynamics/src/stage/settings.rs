//! What may happen on a stage, and how.

use serde::{Deserialize, Serialize};

use crate::free::{FreeError, Surface};

/// What may happen on a [`super::Stage`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether wood breaks where a load passes its strength; true by default.
    pub fracture: bool,
    /// Whether leaves and fruit let go where a load passes their strength; true by default.
    pub detachment: bool,
    /// How free bodies meet trees, and pieces that broke off the ground.
    pub collisions: Collisions,
}

/// How free bodies meet trees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each switches one thing on in a file")]
pub struct Collisions {
    /// By which rule; coupled by default.
    pub mode: CollisionMode,
    /// zeta of the penalty force (quigley2017, section 6), N s/m; 20 by default. For [`CollisionMode::Penalty`] only.
    pub zeta: f64,
    /// Whether the leaves of trees are hit, too; true by default.
    pub foliage: bool,
    /// Whether leaves and petals that fell off hit trees on their way; false by default, because they are many and nobody sees it.
    pub falling_leaves: bool,
    /// Whether wood that broke off hits the wood of standing trees; true by default.
    pub pieces: bool,
    /// Whether trees that stand touch the ground and obstacles, as pieces that broke off always do; false by default.
    pub trees_touch_obstacles: bool,
    /// Friction of wood, leaves and fruit: see [`Surface::friction`]; 0.6 by default.
    pub friction: f64,
    /// Speed after over speed before a collision with wood, leaves and fruit; 0.2 by default.
    pub restitution: f64,
    /// Most sub-steps of a step; 10 by default. They are taken only while something fast is about to hit a tree.
    pub most_substeps: u32,
}

/// By which rule free bodies meet trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CollisionMode {
    /// They pass through each other.
    Off,
    /// quigley2017, section 6: a penalty force on the tree, then the free body takes over the velocity of the tree along the normal, if that
    /// pushes it away. Momentum is not kept.
    Penalty,
    /// Equal and opposite impulses: the tree moves with the free body's mass at the point of contact.
    #[default]
    Coupled,
}

impl Default for Settings {
    fn default() -> Self {
        Self { fracture: true, detachment: true, collisions: Collisions::default() }
    }
}

impl Default for Collisions {
    fn default() -> Self {
        let Surface { friction, restitution, .. } = Surface::default();
        Self {
            mode: CollisionMode::default(),
            zeta: 20.0,
            foliage: true,
            falling_leaves: false,
            pieces: true,
            trees_touch_obstacles: false,
            friction,
            restitution,
            most_substeps: 10,
        }
    }
}

impl Settings {
    /// Whether every number is within its range.
    pub fn check(&self) -> Result<(), FreeError> {
        let Collisions { zeta, most_substeps, .. } = self.collisions;
        crate::free::within("zeta", zeta, 0.0, 1e9, "from 0 to 1e9 N s/m")?;
        crate::free::within("most_substeps", f64::from(most_substeps), 1.0, 1000.0, "from 1 to 1000")?;
        self.collisions.surface().check()
    }
}

impl Collisions {
    /// How the surface of a tree meets others.
    pub fn surface(&self) -> Surface {
        Surface { friction: self.friction, restitution: self.restitution, ..Surface::default() }
    }
}
