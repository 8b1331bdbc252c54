//! One rigid body that is not part of a tree.

use windfall_core::glam::{DQuat, DVec3};
use windfall_core::mechanics::{fruit_mass_properties, leaf_mass_properties};
use windfall_core::{Body, BodyRef, MassProperties, Plant};
use windfall_solver::BodyMotion;

use super::error::{FreeError, within};
use super::shape::Shape;

/// Largest initial distance of a body from the origin, m.
pub const FARTHEST: f64 = 1e9;
/// Largest initial speed of a body, m/s.
pub const FASTEST: f64 = 1e7;
/// Largest initial angular speed of a body, rad/s.
pub const FASTEST_SPIN: f64 = 1e9;

/// Name of a free body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// A leaf, petal or fruit that fell off the plant: its body there.
    Plant(BodyRef),
    /// A body thrown in by a user.
    Thrown(u32),
}

/// Contact properties of a surface. For a pair of surfaces, friction and restitution are the geometric
/// means of both (restitution 0 never bounces), and the larger rolling resistance counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Coulomb's mu; 0.6 by default (dry leaves and fruit on soil).
    pub friction: f64,
    /// Speed after over speed before a collision, from 0 to 1; 0.2 by default.
    pub restitution: f64,
    /// Coefficient of rolling resistance: the slope, as a tangent, on which a ball just stays; 0.05 by
    /// default (a ball on short grass).
    pub rolling: f64,
}

impl Default for Surface {
    fn default() -> Self {
        Self { friction: 0.6, restitution: 0.2, rolling: 0.05 }
    }
}

impl Surface {
    /// Whether every number is within its range.
    pub fn check(&self) -> Result<(), FreeError> {
        within("friction", self.friction, 0.0, 1e3, "from 0 to 1000")?;
        within("restitution", self.restitution, 0.0, 1.0, "from 0 to 1")?;
        within("rolling", self.rolling, 0.0, 1e3, "from 0 to 1000")
    }

    /// Contact properties of a pair of surfaces.
    pub fn meets(&self, other: &Self) -> Self {
        Self {
            friction: (self.friction * other.friction).sqrt(),
            restitution: (self.restitution * other.restitution).sqrt(),
            rolling: self.rolling.max(other.rolling),
        }
    }
}

/// A rigid body with its state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeBody {
    /// Its name.
    pub name: Name,
    /// Its shape.
    pub shape: Shape,
    /// Origin of the shape from the centre of mass, body axes, m.
    pub shape_center: DVec3,
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments about the centre of mass, body axes, kg m².
    pub inertia: DVec3,
    /// The centre of mass from the body's origin (the joint of a body that fell off a plant), body axes, m.
    pub center: DVec3,
    /// Its centre of mass, world metres.
    pub position: DVec3,
    /// Rotates body axes to world axes.
    pub orientation: DQuat,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity, world axes, rad/s.
    pub angular_velocity: DVec3,
    /// Its contact properties.
    pub surface: Surface,
}

impl FreeBody {
    /// A leaf or petal that detaches from the plant, with the same placement, velocity and angular velocity.
    pub fn leaf(plant: &Plant, id: impl Into<BodyRef>, motion: &BodyMotion) -> Result<Self, FreeError> {
        let id = id.into();
        let Some(Body::Leaf(leaf)) = plant.body(id.id) else {
            return Err(FreeError::WrongKind { body: id.id.0, kind: "leaf" });
        };
        let shape = Shape::Blade {
            width: f64::from(leaf.width),
            length: f64::from(leaf.length),
            petiole: f64::from(leaf.petiole_length),
        };
        let mass = leaf_mass_properties(leaf, plant.leaf_material(leaf));
        Self::fallen(id, shape, DVec3::ZERO, mass, motion)
    }

    /// A fruit that detaches from the plant, with the same placement, velocity and angular velocity.
    pub fn fruit(plant: &Plant, id: impl Into<BodyRef>, motion: &BodyMotion) -> Result<Self, FreeError> {
        let id = id.into();
        let Some(Body::Fruit(fruit)) = plant.body(id.id) else {
            return Err(FreeError::WrongKind { body: id.id.0, kind: "fruit" });
        };
        let radius = f64::from(fruit.radius);
        let sphere = DVec3::new(0.0, f64::from(fruit.stalk_length) + radius, 0.0);
        let mass = fruit_mass_properties(fruit, plant.fruit_material(fruit));
        Self::fallen(id, Shape::Sphere { radius }, sphere, mass, motion)
    }

    /// A detached body with the origin of its shape at `origin` from the joint.
    fn fallen(
        id: BodyRef,
        shape: Shape,
        origin: DVec3,
        mass: MassProperties,
        motion: &BodyMotion,
    ) -> Result<Self, FreeError> {
        let body = Self {
            name: Name::Plant(id),
            shape,
            shape_center: origin - mass.center_of_mass,
            mass: mass.mass,
            inertia: mass.inertia,
            center: mass.center_of_mass,
            position: motion.joint + motion.orientation * mass.center_of_mass,
            orientation: motion.orientation,
            velocity: motion.velocity,
            angular_velocity: motion.angular_velocity,
            surface: Surface::default(),
        };
        body.check()?;
        Ok(body)
    }

    /// A body of uniform density (kg/m³), not rotating, at the given place; set the fields `orientation`,
    /// `velocity`, `angular_velocity` and `surface` as needed.
    pub fn thrown(name: u32, shape: Shape, density: f64, position: DVec3, velocity: DVec3) -> Result<Self, FreeError> {
        shape.check()?;
        within("density", density, 1e-3, 1e6, "from 1e-3 to 1e6 kg/m³")?;
        let mass = shape.mass_properties(density);
        let body = Self {
            name: Name::Thrown(name),
            shape,
            shape_center: -mass.center_of_mass,
            mass: mass.mass,
            inertia: mass.inertia,
            center: mass.center_of_mass,
            position,
            orientation: DQuat::IDENTITY,
            velocity,
            angular_velocity: DVec3::ZERO,
            surface: Surface::default(),
        };
        body.check()?;
        Ok(body)
    }

    /// Multiplies mass and inertia by the plant's parameter [`windfall_solver::BodyValues::mass_scale`].
    pub fn with_mass_scale(mut self, scale: f64) -> Result<Self, FreeError> {
        self.mass *= scale;
        self.inertia *= scale;
        self.check()?;
        Ok(self)
    }

    /// Checks that every number is within its range.
    pub fn check(&self) -> Result<(), FreeError> {
        self.shape.check()?;
        self.surface.check()?;
        within("mass", self.mass, 1e-12, 1e12, "from 1e-12 to 1e12 kg")?;
        for moment in self.inertia.to_array() {
            within("inertia", moment, 1e-24, 1e24, "from 1e-24 to 1e24 kg m²")?;
        }
        let vector = |what, value: DVec3, longest: f64, rule| {
            // A squared length overflows before the length does.
            let short = value.is_finite() && value.abs().max_element() <= longest;
            if short { Ok(()) } else { Err(FreeError::BadVector { what, value: value.to_string(), rule }) }
        };
        vector("center", self.center, 1e4, "finite and within 1e4 m")?;
        vector("shape_center", self.shape_center, 1e4, "finite and within 1e4 m")?;
        vector("position", self.position, FARTHEST, "finite and within 1e9 m")?;
        vector("velocity", self.velocity, FASTEST, "finite and within 1e7 m/s")?;
        vector("angular_velocity", self.angular_velocity, FASTEST_SPIN, "finite and within 1e9 rad/s")?;
        let q = self.orientation;
        if !q.is_finite() || (q.length_squared() - 1.0).abs() > 1e-3 {
            let (what, value) = ("orientation", q.to_string());
            return Err(FreeError::BadVector { what, value, rule: "a unit quaternion" });
        }
        Ok(())
    }

    /// Its origin in world metres: the joint of a body that fell off a plant, as in a
    /// [`windfall_core::Pose`] (which is relative to the tree).
    pub fn origin(&self) -> DVec3 {
        self.position - self.orientation * self.center
    }

    /// Origin of its shape, world metres.
    pub fn shape_position(&self) -> DVec3 {
        self.position + self.orientation * self.shape_center
    }

    /// Farthest distance of its shape from its centre of mass, m.
    pub fn reach(&self) -> f64 {
        self.shape.reach(-self.shape_center)
    }

    /// Velocity of the body's material at a point in world metres, m/s.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.position)
    }

    /// Inverse inertia in world axes times a vector.
    pub fn inverse_inertia_times(&self, v: DVec3) -> DVec3 {
        self.orientation * ((self.orientation.conjugate() * v) / self.inertia)
    }

    /// Kinetic energy, J.
    pub fn kinetic_energy(&self) -> f64 {
        let w = self.orientation.conjugate() * self.angular_velocity;
        0.5 * self.mass * self.velocity.length_squared() + 0.5 * (self.inertia * w * w).element_sum()
    }

    /// Angular momentum about its centre of mass, world axes, kg m²/s.
    pub fn spin_momentum(&self) -> DVec3 {
        self.orientation * (self.inertia * (self.orientation.conjugate() * self.angular_velocity))
    }

    /// Applies an impulse (N s) at a point in world metres.
    pub fn push(&mut self, point: DVec3, impulse: DVec3) {
        self.velocity += impulse / self.mass;
        self.angular_velocity += self.inverse_inertia_times((point - self.position).cross(impulse));
    }
}
