//! Intermediate results of the joints of the analytic solver.

use super::drag_share::DragShare;
use super::rows::{Row, Rows, lanes};
use crate::math::{Mat3, Real, Sym3, Vec3};

/// Intermediate results of the joints of a block.
pub(crate) type Works<T> = Rows<Work<Row<T>>>;

/// Intermediate results of one joint, kept between the sweeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work<T> {
    /// Of the composite, kg.
    pub mass: T,
    /// Its mass times centre, world axes, kg m.
    pub moment: Vec3<T>,
    /// Its inertia, the child's axes, kg m².
    pub inertia: Sym3<T>,
    /// Change of the torque of weight and other forces as it turns, the child's axes, N m/rad.
    pub hanging: Sym3<T>,
    /// Torque about the joint over the step, the child's axes, N m: external and fictitious.
    pub torque: Vec3<T>,
    /// Zero where nothing but weight acts.
    pub pushed: Pushed<T>,
}

/// The part of forces other than weight in a composite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pushed<T> {
    /// Their sum, world axes, N.
    pub force: Vec3<T>,
    /// See [`composite::Composite`]; the last in the child's axes.
    pub drag: Sym3<T>,
    pub drag_moment: Mat3<T>,
    pub drag_inertia: Sym3<T>,
    /// The joints that drag moves, itself included. First this one alone, and after the sweep down all
    /// from here to the root; then all from here to the tip.
    pub inward: DragShare<T>,
    pub outward: DragShare<T>,
}

/// The same of a leaf with no loads but air and weight: its composite is itself, and of the resistance
/// only the diagonals count (`wide/analytic/leaf.rs`).
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafWork<T> {
    /// Diagonal of [`Work::hanging`].
    pub hanging: Vec3<T>,
    /// As [`Work::torque`].
    pub torque: Vec3<T>,
    /// Diagonal of [`Pushed::drag_inertia`].
    pub drag_inertia: Vec3<T>,
    /// As those of [`Pushed`], in the axes of the leaf; of drag the diagonal.
    pub force: Vec3<T>,
    pub drag: Vec3<T>,
    /// Of this joint alone.
    pub drag_share: DragShare<T>,
}

impl<T: Real> LeafWork<T> {
    pub fn zero() -> Self {
        let o = Vec3::zero();
        Self { hanging: o, torque: o, drag_inertia: o, force: o, drag: o, drag_share: DragShare::none() }
    }
}

lanes!(LeafWork { hanging, torque, drag_inertia, force, drag, drag_share });
lanes!(Work { mass, moment, inertia, hanging, torque, pushed });
lanes!(Pushed { force, drag, drag_moment, drag_inertia, inward, outward });

impl<T: Real> Work<T> {
    pub fn zero() -> Self {
        Self {
            mass: T::zero(),
            moment: Vec3::zero(),
            inertia: Sym3::zero(),
            hanging: Sym3::zero(),
            torque: Vec3::zero(),
            pushed: Pushed {
                force: Vec3::zero(),
                drag: Sym3::zero(),
                drag_moment: Mat3::zero(),
                drag_inertia: Sym3::zero(),
                inward: DragShare::none(),
                outward: DragShare::none(),
            },
        }
    }
}
