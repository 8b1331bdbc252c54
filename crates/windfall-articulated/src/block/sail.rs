//! The aerodynamic properties of each body.

use windfall_core::{Body, BodyId, Plant};

use super::Lumped;
use super::bytes::held;
use super::rows::{Row, lanes};
use super::wood_and_leaves::{One, WoodAndLeaves};
use crate::math::{Family, Mat3, Quat, Real, Sym3, Vec3};
use windfall_solver::params::AirParams;

/// The drag law of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// quigley2017, eq. 21.
    Wood,
    /// quigley2017, eq. 22.
    Fruit,
    /// quigley2017, eq. 23 and 24.
    Leaf,
}

/// The aerodynamic properties of one body.
#[derive(Debug, Clone, Copy)]
pub struct Sail<T> {
    /// The drag law.
    pub kind: Kind,
    /// Centre of mass, from the joint, body axes, m.
    pub center: Vec3<T>,
    /// `kappa rho A`, kg/m.
    pub drag: T,
    /// `kappa rho A/2 sqrt(A / pi)`, kg; leaves only, as are the following fields.
    pub torque: T,
    /// Inertia I about the centre, kg m².
    pub inertia: Vec3<T>,
    /// nu, 1/s.
    pub friction: T,
    /// `s kappa rho A / m`, 1/m.
    pub spin_drag: T,
}

/// The stored part of the sail of wood or fruit.
#[derive(Debug, Clone, Copy)]
pub struct WoodSail<T> {
    /// As [`Sail::center`].
    pub center: Vec3<T>,
    /// As [`Sail::drag`].
    pub drag: T,
    /// One for wood, on which only the wind across its axis acts; zero for fruit.
    pub axial: T,
}

/// The stored part of the sail of a leaf: the rest is derived from its mass and from [`LeafAir`].
#[derive(Debug, Clone, Copy)]
pub struct LeafSail<T> {
    /// Centre of mass along y, m.
    pub center: T,
    /// As [`Sail::drag`].
    pub drag: T,
    /// As [`Sail::torque`].
    pub torque: T,
}

lanes!(WoodSail { center, drag, axial });
lanes!(LeafSail { center, drag, torque });

/// The sails of the bodies of a block; leaves come last.
pub(crate) type OwnSails<T> = WoodAndLeaves<WoodSail<Row<T>>, LeafSail<Row<T>>>;

/// Sails of either precision.
pub(crate) struct AnySails;

impl Family for AnySails {
    type Of<T: Real> = OwnSails<T>;
}

impl<T: Real> OwnSails<T> {
    /// For `count` bodies, of which those from `woods` on are leaves.
    pub fn of(bodies: (usize, usize), sail: impl Fn(usize) -> Sail<T>) -> Self {
        let wood = |i| {
            let Sail { kind, center, drag, .. } = sail(i);
            WoodSail { center, drag, axial: if kind == Kind::Wood { T::one() } else { T::zero() } }
        };
        let leaf = |i| {
            let Sail { center, drag, torque, .. } = sail(i);
            LeafSail { center: center.y, drag, torque }
        };
        Self::new(bodies, wood, leaf)
    }

    /// Centre of a body, from the joint, body axes, m.
    pub fn center(&self, i: usize) -> Vec3<T> {
        match self.one(i) {
            One::Wood(sail) => sail.center,
            One::Leaf(sail) => Vec3::new(T::zero(), sail.center, T::zero()),
        }
    }

    /// The sail of a body of this mass.
    pub fn get(&self, i: usize, mass: &Lumped<T>, leaves: &LeafAir<T>) -> Sail<T> {
        match self.one(i) {
            One::Wood(WoodSail { center, drag, axial }) => {
                let kind = if axial > T::zero() { Kind::Wood } else { Kind::Fruit };
                Sail { kind, center, drag, ..Sail::none() }
            }
            One::Leaf(LeafSail { center, drag, torque }) => {
                let lever = mass.moment.y * center;
                let Sym3 { xx, yy, zz, .. } = mass.inertia;
                Sail {
                    kind: Kind::Leaf,
                    center: Vec3::new(T::zero(), center, T::zero()),
                    drag,
                    torque,
                    inertia: Vec3::new(xx - lever, yy, zz - lever),
                    friction: leaves.friction,
                    spin_drag: leaves.spin_drag * drag / mass.mass,
                }
            }
        }
    }
}

/// Parameters that all leaves share.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeafAir<T> {
    /// Cosine and sine of phi.
    pub spiral: [T; 2],
    /// `1 / xi`.
    pub slip: T,
    /// nu, 1/s.
    pub friction: T,
    /// s of [`Sail::spin_drag`].
    pub spin_drag: T,
}

impl<T: Real> LeafAir<T> {
    /// From these parameters.
    pub fn of(air: &AirParams) -> Self {
        let phi = air.leaves.spiral_degrees.to_radians();
        Self {
            spiral: [T::of(phi.cos()), T::of(phi.sin())],
            slip: T::of(air.leaves.friction_ratio.recip()),
            friction: T::of(air.leaves.friction),
            spin_drag: T::of(air.leaves.spin_drag),
        }
    }
}

/// Aerodynamics of all bodies that ride on a body and are not simulated: `F = |v| T v + L v` at their
/// centre, in the axes of the body.
#[derive(Debug, Clone, Copy)]
pub struct RiderDrag<T> {
    /// The mean of the riders' centres, weighted with their drag, from the joint, m.
    pub center: Vec3<T>,
    /// T, kg/m.
    pub quadratic: Sym3<T>,
    /// L, kg/s.
    pub linear: Sym3<T>,
}

impl<T: Real> Sail<T> {
    /// A body on which no air acts.
    pub fn none() -> Self {
        let o = T::zero();
        Self {
            kind: Kind::Wood,
            center: Vec3::zero(),
            drag: o,
            torque: o,
            inertia: Vec3::zero(),
            friction: o,
            spin_drag: o,
        }
    }

    /// The sail of a body of a plant, with this multiplier of mass
    /// ([`BodyValues::mass_scale`](windfall_solver::BodyValues::mass_scale)).
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn new(plant: &Plant, id: BodyId, air: &AirParams, mass_scale: f64) -> Self {
        let area = plant.drag_area(id);
        let properties = plant.mass_properties(id);
        let (kind, kappa) = match plant.body(id).expect("ids go from 0 to the number of bodies") {
            Body::Wood(_) => (Kind::Wood, air.branches),
            Body::Fruit(_) => (Kind::Fruit, air.fruit),
            Body::Leaf(_) => (Kind::Leaf, air.leaves.drag),
        };
        let drag = kappa * air.density * area;
        let leaf = &air.leaves;
        Self {
            kind,
            center: Vec3::of(properties.center_of_mass),
            drag: T::of(drag),
            torque: T::of(leaf.torque * drag * 0.5 * (area / std::f64::consts::PI).sqrt()),
            inertia: Vec3::of(properties.inertia * mass_scale),
            friction: T::of(if kind == Kind::Leaf { leaf.friction } else { 0.0 }),
            spin_drag: T::of(leaf.spin_drag * drag / (properties.mass * mass_scale)),
        }
    }
}

/// Sums up the drag of the riders of one body.
#[derive(Debug, Clone, Copy)]
pub struct RiderDragSum<T> {
    moment: Vec3<T>,
    weight: T,
    rider_drag: RiderDrag<T>,
}

impl<T: Real> RiderDragSum<T> {
    /// An empty sum.
    pub fn none() -> Self {
        let rider_drag = RiderDrag { center: Vec3::zero(), quadratic: Sym3::zero(), linear: Sym3::zero() };
        Self { moment: Vec3::zero(), weight: T::zero(), rider_drag }
    }

    /// Adds a body of this mass (kg) that sits at `position`, turned by `orientation`.
    pub fn add(&mut self, (sail, leaf): (&Sail<T>, &LeafAir<T>), mass: T, position: Vec3<T>, orientation: Quat<T>) {
        let turn: Mat3<T> = orientation.matrix();
        let one = Sym3::diagonal(Vec3::splat(T::one()));
        let quadratic = match sail.kind {
            Kind::Fruit => one,
            // In the mean over the directions of the wind |v_n| is 3 pi / 16 over 2 / 3 of |v|.
            Kind::Wood => (one + Sym3::outer(turn.column(1), -T::one())) * T::of(0.884),
            Kind::Leaf => Sym3::outer(turn.column(2), T::one()),
        };
        self.rider_drag.quadratic += quadratic * sail.drag;
        let n = Sym3::outer(turn.column(2), T::one() - leaf.slip);
        self.rider_drag.linear += (n + one * leaf.slip) * (sail.friction * mass);
        let weight = sail.drag;
        self.moment += (position + orientation.rotate(sail.center)) * weight;
        self.weight += weight;
    }

    /// The sum.
    pub fn sum(&self) -> RiderDrag<T> {
        let center = if self.weight > T::zero() { self.moment / self.weight } else { Vec3::zero() };
        RiderDrag { center, ..self.rider_drag }
    }
}
/// The sails of a block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sails<T> {
    /// Sails of all bodies of the block.
    pub own: OwnSails<T>,
    pub leaf: LeafAir<T>,
    /// Bodies that carry bodies that are not simulated: index in the block, and the drag of these riders.
    pub rider_drags: Vec<(u32, RiderDrag<T>)>,
}

impl<T> Sails<T> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        let Self { own, leaf: _, rider_drags } = self;
        own.bytes() + held(rider_drags)
    }
}
