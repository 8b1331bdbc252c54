//! The masses of a block: of wood and fruit with their riders, and in half the memory those of leaves,
//! whose centre and axes of inertia lie along their own axes.

use super::Lumped;
use super::rows::{Row, lanes};
use super::wood_and_leaves::{One, WoodAndLeaves};
use crate::math::{Real, Sym3, Vec3};

/// Mass of a leaf about its joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blade<T> {
    /// Mass, kg.
    pub mass: T,
    /// Mass times centre of mass, along y, kg m.
    pub moment: T,
    /// Inertia about the joint, kg m².
    pub inertia: Vec3<T>,
}

lanes!(Blade { mass, moment, inertia });

/// See the head of the module.
pub(crate) type Masses<T> = WoodAndLeaves<Lumped<Row<T>>, Blade<Row<T>>>;

impl<T: Real> Masses<T> {
    /// For `count` bodies, of which those from `woods` on are leaves.
    pub fn of(bodies: (usize, usize), mass: impl Fn(usize) -> Lumped<T>) -> Self {
        Self::new(bodies, &mass, |i| {
            let Lumped { mass, moment, inertia: Sym3 { xx, yy, zz, .. } } = mass(i);
            Blade { mass, moment: moment.y, inertia: Vec3::new(xx, yy, zz) }
        })
    }

    pub fn get(&self, i: usize) -> Lumped<T> {
        match self.one(i) {
            One::Wood(lumped) => lumped,
            One::Leaf(Blade { mass, moment, inertia }) => {
                Lumped { mass, moment: Vec3::new(T::zero(), moment, T::zero()), inertia: Sym3::diagonal(inertia) }
            }
        }
    }
}
