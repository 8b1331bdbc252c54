//! Shapes of free bodies for collisions and aerodynamics.

use std::f64::consts::PI;

use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::shape as parry;
use windfall_core::MassProperties;
use windfall_core::glam::{DQuat, DVec3};

use super::error::{FreeError, within};

/// Smallest measure of a shape, m.
pub const SMALLEST: f64 = 1e-5;
/// Largest measure of a shape, m.
pub const LARGEST: f64 = 1e4;
/// Thickness of leaves and petals in collisions, m: half of it on either side of the blade.
pub const BLADE_THICKNESS: f64 = 4e-4;

/// A shape in its own axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A ball about the origin.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box about the origin.
    Box {
        /// Half of its edges, m.
        half: DVec3,
    },
    /// A cylinder along y with half a ball at either end, about the origin.
    Capsule {
        /// From the origin to the centre of either end, m.
        half_length: f64,
        /// Radius, m.
        radius: f64,
    },
    /// A leaf or petal: the petiole along +y from the origin, then a thin triangle whose base edge lies
    /// along x; z is its normal (see [`windfall_core::Leaf`]).
    Blade {
        /// Base edge, m.
        width: f64,
        /// Height of the triangle, m.
        length: f64,
        /// Length of the petiole, m; may be zero.
        petiole: f64,
    },
}

impl Shape {
    /// Whether every measure is a number within the limits.
    pub fn check(&self) -> Result<(), FreeError> {
        const RULE: &str = "from 1e-5 to 1e4 m";
        let measure = |what, value| within(what, value, SMALLEST, LARGEST, RULE);
        match *self {
            Self::Sphere { radius } => measure("radius", radius),
            Self::Box { half } => half.to_array().into_iter().try_for_each(|edge| measure("half edge", edge)),
            Self::Capsule { half_length, radius } => {
                measure("radius", radius)?;
                within("half_length", half_length, 0.0, LARGEST, "from 0 to 1e4 m")
            }
            Self::Blade { width, length, petiole } => {
                measure("width", width)?;
                measure("length", length)?;
                within("petiole", petiole, 0.0, LARGEST, "from 0 to 1e4 m")
            }
        }
    }

    /// Volume, m³; of a blade with its collision thickness.
    pub fn volume(&self) -> f64 {
        match *self {
            Self::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::Box { half } => 8.0 * half.x * half.y * half.z,
            Self::Capsule { half_length, radius } => PI * radius * radius * (2.0 * half_length + 4.0 / 3.0 * radius),
            Self::Blade { width, length, .. } => 0.5 * width * length * BLADE_THICKNESS,
        }
    }

    /// Mass, centre and principal moments of inertia for a uniform density in kg/m³; the petiole of a blade
    /// has no mass.
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        let mass = density * self.volume();
        let (center_of_mass, squares) = match *self {
            Self::Sphere { radius } => (DVec3::ZERO, DVec3::splat(0.4 * radius * radius)),
            Self::Box { half } => {
                let s = half * half / 3.0;
                (DVec3::ZERO, DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y))
            }
            Self::Capsule { half_length: l, radius: r } => {
                // A cylinder of length 2 l and two half balls, whose centres of mass are 3/8 r from their
                // flat faces.
                let cylinder = 2.0 * l / (2.0 * l + 4.0 / 3.0 * r);
                let balls = 1.0 - cylinder;
                let across = cylinder * (r * r / 4.0 + l * l / 3.0) + balls * (0.4 * r * r + l * l + 0.75 * l * r);
                let along = cylinder * r * r / 2.0 + balls * 0.4 * r * r;
                (DVec3::ZERO, DVec3::new(across, along, across))
            }
            Self::Blade { width, length, petiole } => {
                let (along, across) = (length * length / 18.0, width * width / 24.0);
                let thick = BLADE_THICKNESS * BLADE_THICKNESS / 12.0;
                let center = DVec3::new(0.0, petiole + length / 3.0, 0.0);
                (center, DVec3::new(along + thick, across + thick, along + across))
            }
        };
        MassProperties { mass, center_of_mass, inertia: mass * squares }
    }

    /// Farthest distance of the shape from a point in its axes, m.
    pub fn reach(&self, from: DVec3) -> f64 {
        match *self {
            Self::Sphere { radius } => from.length() + radius,
            Self::Box { half } => (from.abs() + half).length(),
            Self::Capsule { half_length, radius } => {
                DVec3::new(from.x, from.y.abs() + half_length, from.z).length() + radius
            }
            Self::Blade { .. } => {
                self.corners().iter().map(|c| c.distance(from)).fold(0.0, f64::max) + 0.5 * BLADE_THICKNESS
            }
        }
    }

    /// Half of the least thickness, m: a body that moves less than this in a sub-step can't pass through
    /// another.
    pub fn half_thickness(&self) -> f64 {
        match *self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => radius,
            Self::Box { half } => half.min_element(),
            Self::Blade { .. } => 0.5 * BLADE_THICKNESS,
        }
    }

    /// Whether it is a leaf or petal.
    pub fn is_blade(&self) -> bool {
        matches!(self, Self::Blade { .. })
    }

    /// The corners of the blade and the foot of its petiole (which is a corner of nothing else); for a
    /// blade only.
    pub fn corners(&self) -> [DVec3; 4] {
        let Self::Blade { width, length, petiole } = *self else { return [DVec3::ZERO; 4] };
        let base = |x: f64| DVec3::new(x, petiole, 0.0);
        [base(-0.5 * width), base(0.5 * width), DVec3::new(0.0, petiole + length, 0.0), DVec3::ZERO]
    }

    /// The shape for the collision library.
    pub fn proxy(&self) -> Proxy {
        match *self {
            Self::Sphere { radius } => Proxy::Ball(parry::Ball::new(radius)),
            Self::Box { half } => Proxy::Cuboid(parry::Cuboid::new(vector(half))),
            Self::Capsule { half_length, radius } => Proxy::Capsule(parry::Capsule::new_y(half_length, radius)),
            Self::Blade { .. } => {
                let [a, b, c, _] = self.corners().map(vector);
                let inner_shape = parry::Triangle::new(a, b, c);
                Proxy::Blade(parry::RoundTriangle { inner_shape, border_radius: 0.5 * BLADE_THICKNESS })
            }
        }
    }
}

/// A shape of the collision library, on the stack.
pub enum Proxy {
    /// A sphere.
    Ball(parry::Ball),
    /// A box.
    Cuboid(parry::Cuboid),
    /// A capsule about y.
    Capsule(parry::Capsule),
    /// A leaf: a triangle with a skin.
    Blade(parry::RoundTriangle),
}

impl Proxy {
    /// The shape as parry3d's trait.
    pub fn shape(&self) -> &dyn parry::Shape {
        match self {
            Self::Ball(shape) => shape,
            Self::Cuboid(shape) => shape,
            Self::Capsule(shape) => shape,
            Self::Blade(shape) => shape,
        }
    }
}

/// A vector for the collision library, which has its own version of glam.
pub fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// A vector of the collision library.
pub fn from_vector(v: Vector) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// A place for the collision library.
pub fn pose(position: DVec3, q: DQuat) -> Pose {
    Pose::from_parts(vector(position), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}
