//! Surroundings of trees: ground, obstacles, thrown bodies, creatures.

use serde::Deserialize;
use windfall_core::glam::DVec3;
use windfall_free::Surface;

use super::pick::Pick;

/// Level ground.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ground {
    /// Whether the ground is solid; true by default. Pictures show it in any case.
    pub solid: bool,
    /// Height, m; 0 by default.
    pub height: f64,
    /// Coulomb's mu; 0.6 by default.
    pub friction: f64,
    /// Speed after over speed before a collision; 0.2 by default.
    pub restitution: f64,
    /// Rolling resistance: the slope on which a ball just stays; 0.05 by default.
    pub rolling: f64,
}

impl Default for Ground {
    fn default() -> Self {
        let Surface { friction, restitution, rolling } = Surface::default();
        Self { solid: true, height: 0.0, friction, restitution, rolling }
    }
}

impl Ground {
    pub(crate) fn surface(&self) -> Surface {
        Surface { friction: self.friction, restitution: self.restitution, rolling: self.rolling }
    }
}

/// A shape in its own axes.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Solid {
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box about its centre.
    Box {
        /// Whole edges, m.
        size: DVec3,
    },
    /// A cylinder along y with half a ball at either end.
    Capsule {
        /// Length of the cylinder, m.
        length: f64,
        /// Radius, m.
        radius: f64,
    },
    /// A half-space, solid on one side of a plane through `at`; for obstacles only.
    HalfSpace {
        /// Normal, out of the solid side.
        normal: DVec3,
    },
}

/// A static obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Its shape, such as `shape.box.size = [1, 1, 1]`.
    pub shape: Solid,
    /// Position of its centre, m; the origin by default.
    #[serde(default)]
    pub at: DVec3,
    /// Its rotation: the axis times the angle, degrees.
    #[serde(default)]
    pub rotation_degrees: DVec3,
    /// Coulomb's mu; 0.6 by default.
    #[serde(default = "friction")]
    pub friction: f64,
    /// Speed after over speed before a collision; 0.2 by default.
    #[serde(default = "restitution")]
    pub restitution: f64,
    /// Colour in pictures.
    #[serde(default)]
    pub color: Option<Rgb>,
}

/// One or more thrown bodies.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Throw {
    /// Its shape, such as `shape.sphere.radius = 0.1`.
    pub shape: Solid,
    /// Density, kg/m³; 500 by default. Not together with `mass`.
    #[serde(default)]
    pub density: Option<f64>,
    /// Mass, kg.
    #[serde(default)]
    pub mass: Option<f64>,
    /// Position of its centre, m.
    pub at: DVec3,
    /// Velocity, m/s; at rest by default.
    #[serde(default)]
    pub velocity: DVec3,
    /// Angular velocity, rad/s, world axes.
    #[serde(default)]
    pub spin: DVec3,
    /// Its rotation: the axis times the angle, degrees.
    #[serde(default)]
    pub rotation_degrees: DVec3,
    /// Time of the throw, s; at the beginning by default.
    #[serde(default)]
    pub time: f64,
    /// Number of bodies; 1 by default.
    #[serde(default = "one")]
    pub count: u32,
    /// With `count`: largest random offset of their starts from `at`, along each axis, m.
    #[serde(default)]
    pub spread: DVec3,
    /// With `count`: time between two throws, s.
    #[serde(default)]
    pub every: f64,
    /// Coulomb's mu; 0.6 by default.
    #[serde(default = "friction")]
    pub friction: f64,
    /// Speed after over speed before a collision; 0.2 by default.
    #[serde(default = "restitution")]
    pub restitution: f64,
    /// Colour in pictures.
    #[serde(default)]
    pub color: Option<Rgb>,
}

/// A colour: red, green and blue from 0 to 1 as screens show them (sRGB).
pub type Rgb = [f32; 3];

/// A creature that runs along branches and leaps.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreatureEntry {
    /// Mass, kg.
    pub mass: f64,
    /// Its size, m; it sits this far above the wood.
    pub radius: f64,
    /// Its first place.
    pub at: Pick,
    /// Its actions, one after the other.
    #[serde(default)]
    pub way: Vec<WayEntry>,
    /// Colour in pictures.
    #[serde(default)]
    pub color: Option<Rgb>,
}

/// An action of a creature: exactly one of `run`, `leap` and `rest`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WayEntry {
    /// Runs along the wood at this speed, m/s.
    pub run: Option<f64>,
    /// Leaps through the air in this time, s.
    pub leap: Option<f64>,
    /// Stays for this time, s.
    pub rest: Option<f64>,
    /// Destination of a run or leap.
    pub to: Option<Pick>,
}

fn one() -> u32 {
    1
}

fn friction() -> f64 {
    Surface::default().friction
}

fn restitution() -> f64 {
    Surface::default().restitution
}
