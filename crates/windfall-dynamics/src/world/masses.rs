//! The masses of a block: of wood and fruit with what rides on them, and in half the room of leaves, which have their centre and the axes of their inertia along their own axes.

use super::block::Lumped;
use super::rows::{LANES, Row, Rows, lanes};
use crate::math::{Real, Sym3, Vec3};

/// Mass of a leaf about its joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blade<T> {
    /// kg.
    pub mass: T,
    /// Mass times centre of mass, along y, kg m.
    pub moment: T,
    /// About the joint, kg m².
    pub inertia: Vec3<T>,
}

lanes!(Blade { mass, moment, inertia });

/// See the head of the module.
#[derive(Debug, Clone)]
pub(crate) struct Masses<T> {
    wood: Rows<Lumped<Row<T>>>,
    leaves: Rows<Blade<Row<T>>>,
}

impl<T> Default for Masses<T> {
    fn default() -> Self {
        Self { wood: Rows::default(), leaves: Rows::default() }
    }
}

impl<T> Masses<T> {
    /// Of rows of wood and fruit.
    pub fn wood(&self) -> &[Lumped<Row<T>>] {
        self.wood.rows()
    }

    /// Of rows of leaves, counted from the first of them.
    pub fn leaves(&self) -> &[Blade<Row<T>>] {
        self.leaves.rows()
    }

    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        self.wood.bytes() + self.leaves.bytes()
    }
}

impl<T: Real> Masses<T> {
    /// Of bodies the last of which, from this one on, are leaves.
    pub fn new(all: impl Iterator<Item = Lumped<T>> + Clone, woods: usize) -> Self {
        let blade = |l: Lumped<T>| Blade {
            mass: l.mass,
            moment: l.moment.y,
            inertia: Vec3::new(l.inertia.xx, l.inertia.yy, l.inertia.zz),
        };
        Self { wood: all.clone().take(woods).collect(), leaves: all.skip(woods).map(blade).collect() }
    }

    pub fn get(&self, i: usize) -> Lumped<T> {
        let woods = self.wood.rows().len() * LANES;
        if i < woods {
            return self.wood.get(i);
        }
        let Blade { mass, moment, inertia } = self.leaves.get(i - woods);
        Lumped { mass, moment: Vec3::new(T::zero(), moment, T::zero()), inertia: Sym3::diagonal(inertia) }
    }
}
