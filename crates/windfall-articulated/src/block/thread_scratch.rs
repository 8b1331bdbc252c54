//! Scratch that a thread lends to one block after the other: data that is needed only during the sweep of
//! a block takes no memory of its own, and stays in the caches.

use std::cell::RefCell;

use super::Block;
use super::air_samples::AirSamples;
use super::composite_accumulator::CompositeAccumulator;
use super::exchange::{ArticulatedAccumulator, LeafPose, ParentKinematics, RowKinematics, RowLoad};
use super::rows::Row;
use crate::math::{Family, Real};

/// The lists of one precision.
pub(crate) struct Lists<T> {
    accumulators: Vec<ArticulatedAccumulator<T>>,
    composites: Vec<CompositeAccumulator<T>>,
    parent_kinematics: Vec<ParentKinematics<T>>,
    leaf_poses: Vec<LeafPose<Row<T>>>,
    row_kinematics: Vec<RowKinematics<Row<T>>>,
    row_loads: Vec<RowLoad<T>>,
}

impl<T> Lists<T> {
    const EMPTY: Self = Self {
        accumulators: Vec::new(),
        composites: Vec::new(),
        parent_kinematics: Vec::new(),
        leaf_poses: Vec::new(),
        row_kinematics: Vec::new(),
        row_loads: Vec::new(),
    };
}

/// Lists of either precision.
struct AnyLists;

impl Family for AnyLists {
    type Of<T: Real> = Lists<T>;
}

struct Scratch {
    single: Lists<f32>,
    double: Lists<f64>,
    air: [Vec<f32>; 6],
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch { single: Lists::EMPTY, double: Lists::EMPTY, air: [const { Vec::new() }; 6] })
    };
}

/// An element of a list that threads lend.
pub(crate) trait Lent: Sized + 'static {
    /// The type of its numbers.
    type Number: Real;
    /// The list of such elements.
    fn list(lists: &mut Lists<Self::Number>) -> &mut Vec<Self>;
}

macro_rules! lent {
    ($($element:ty: $list:ident),+ $(,)?) => {$(
        impl<T: Real> Lent for $element {
            type Number = T;

            fn list(lists: &mut Lists<T>) -> &mut Vec<Self> {
                &mut lists.$list
            }
        }
    )+};
}

lent! {
    ArticulatedAccumulator<T>: accumulators,
    CompositeAccumulator<T>: composites,
    ParentKinematics<T>: parent_kinematics,
    LeafPose<Row<T>>: leaf_poses,
    RowKinematics<Row<T>>: row_kinematics,
    RowLoad<T>: row_loads,
}

/// Exchanges a list with the list of this thread.
pub fn swap<E: Lent>(own: &mut Vec<E>) {
    SCRATCH.with_borrow_mut(|scratch| {
        let lists = E::Number::pick::<AnyLists>(&mut scratch.single, &mut scratch.double);
        std::mem::swap(own, E::list(lists));
    });
}

/// The same for the arrays of the air.
pub fn swap_air(AirSamples { points, velocities }: &mut AirSamples) {
    SCRATCH.with_borrow_mut(|scratch| {
        for (own, list) in points.iter_mut().chain(velocities).zip(&mut scratch.air) {
            std::mem::swap(own, list);
        }
    });
}

impl<T: Real> Block<T> {
    /// Sweeps the block with the scratch of this thread.
    pub fn with_thread_scratch(&mut self, sweep: impl FnOnce(&mut Self)) {
        self.scratch.accumulators.borrow_scratch();
        self.scratch.composites.borrow_scratch();
        self.scratch.wood_kinematics.borrow_scratch();
        swap_air(&mut self.scratch.air);
        sweep(self);
        swap_air(&mut self.scratch.air);
        self.scratch.accumulators.return_scratch();
        self.scratch.composites.return_scratch();
        self.scratch.wood_kinematics.return_scratch();
    }
}
