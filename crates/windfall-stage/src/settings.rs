//! Settings of a stage.

use serde::{Deserialize, Serialize};

use windfall_free::{FreeError, Surface};
use windfall_solver::{Solver, Unsupported};

/// Settings of a [`super::Stage`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether wood breaks where the load exceeds its strength; true by default.
    pub fracture: bool,
    /// Whether leaves and fruit detach where the load exceeds their strength; true by default.
    pub detachment: bool,
    /// Collisions of free bodies with trees, and of broken-off pieces.
    pub collisions: Collisions,
}

/// Collisions of free bodies with trees, and of broken-off pieces.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each switches one thing on in a file")]
pub struct Collisions {
    /// The collision model; coupled by default.
    pub mode: CollisionMode,
    /// zeta of the penalty force (quigley2017, section 6), N s/m; 20 by default. For
    /// [`CollisionMode::Penalty`] only.
    pub zeta: f64,
    /// Whether free bodies collide with the leaves of trees, too; true by default.
    pub foliage: bool,
    /// Whether fallen leaves and petals collide with trees; false by default, because they are many and the
    /// difference is hard to see.
    pub falling_leaves: bool,
    /// Whether broken-off wood collides with the wood of standing trees; true by default.
    pub pieces: bool,
    /// Whether standing trees touch the ground and obstacles, as broken-off pieces always do; false by
    /// default.
    pub trees_touch_obstacles: bool,
    /// Friction of wood, leaves and fruit: see [`Surface::friction`]; 0.6 by default.
    pub friction: f64,
    /// Speed after over speed before a collision with wood, leaves and fruit; 0.2 by default.
    pub restitution: f64,
    /// Most sub-steps of a step; 10 by default. They are taken only while something fast is about to hit a
    /// tree.
    pub most_substeps: u32,
}

/// Collision model of free bodies and trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CollisionMode {
    /// No collisions.
    Off,
    /// quigley2017, section 6: a penalty force on the tree, then the free body takes over the velocity of
    /// the tree along the normal, if that pushes it away. Momentum is not conserved.
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
        windfall_free::within("zeta", zeta, 0.0, 1e9, "from 0 to 1e9 N s/m")?;
        windfall_free::within("most_substeps", f64::from(most_substeps), 1.0, 1000.0, "from 1 to 1000")?;
        self.collisions.surface().check()
    }
}

impl Settings {
    /// Whether a solver has the capabilities that these settings need.
    pub fn needs(&self, solver: &dyn Solver) -> Result<(), Unsupported> {
        let (breaks, collides) = (self.fracture || self.detachment, self.collisions.mode != CollisionMode::Off);
        let unsupported = |what| Err(Unsupported { solver: solver.name(), what });
        if breaks && solver.breakable().is_none() {
            return unsupported("breaking (set fracture and detachment to false to do without)");
        }
        let meets = breaks && collides || self.collisions.trees_touch_obstacles;
        if meets && solver.contact().is_none() {
            return unsupported(
                "collisions (set collisions.mode to off and trees_touch_obstacles to false to do without)",
            );
        }
        Ok(())
    }
}

impl Collisions {
    /// The contact surface of trees.
    pub fn surface(&self) -> Surface {
        Surface { friction: self.friction, restitution: self.restitution, ..Surface::default() }
    }
}
