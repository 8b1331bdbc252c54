//! Exchange between parents and children: one row of numbers for each body, so that it is moved eight
//! numbers at a time (`wide/exchange.rs`).

use super::Motion;
use super::articulated::Articulated;
use super::bytes::held;
use super::guard;
use super::rows::{LANES, Row, lanes};
use super::thread_scratch::{self, Lent};
use crate::math::{Mat3, Quat, Real, Sym3, Vec3};

/// Contribution of actions and children to a body before it is swept up.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct ArticulatedAccumulator<T>(pub [[T; 8]; 4]);

/// The accumulators of a block, each a B. Leaves, which come last, have no children: they get one only
/// when a load acts on them. Those of wood and fruit are scratch of the thread that sweeps the block
/// (`thread_scratch.rs`), unless a load acts on one of them before.
#[derive(Debug, Clone, Default)]
pub(crate) struct Accumulators<B> {
    /// Of wood and fruit; empty between the steps, or not allocated.
    wood: Vec<B>,
    /// The number of these; and whether they are lent.
    woods: usize,
    are_lent: bool,
    /// Whether anything but contributions of children was added since the last sweep up to an accumulator
    /// that its body need not read.
    is_filled: bool,
    /// Of leaves on which loads act: index of the leaf, and contribution.
    given: Vec<(u32, B)>,
    /// For every leaf the number of its accumulator, if it has one; empty until one is needed.
    slots: Vec<u32>,
    leaves: usize,
}

/// No accumulator.
const NONE: u32 = u32::MAX;

impl<B: Copy + Default + PartialEq + Lent> Accumulators<B> {
    /// For `count` bodies, of which the last `leaves` are leaves.
    pub fn new(count: usize, leaves: usize) -> Self {
        Self { woods: count - leaves, leaves, ..Self::default() }
    }

    /// Borrows scratch of this thread, if it has no memory of its own.
    pub fn borrow_scratch(&mut self) {
        if self.wood.is_empty() && self.woods > 0 {
            thread_scratch::swap(&mut self.wood);
            self.are_lent = true;
        }
        self.make_room();
    }

    /// Returns the scratch, empty.
    pub fn return_scratch(&mut self) {
        if std::mem::take(&mut self.are_lent) {
            debug_assert!(
                self.wood.iter().all(|accumulator| *accumulator == B::default()),
                "all accumulators are read in a sweep"
            );
            thread_scratch::swap(&mut self.wood);
        }
    }

    fn make_room(&mut self) {
        if self.wood.len() < self.woods {
            self.wood.resize(self.woods, B::default());
        }
    }

    /// The accumulator of a body, to add to it.
    #[inline]
    pub fn of(&mut self, i: usize) -> &mut B {
        self.is_filled |= i < self.woods;
        self.of_known(i)
    }

    /// The same for a body that reads its accumulator in any case: it is swept by itself, or has children
    /// that are.
    #[inline]
    pub fn of_known(&mut self, i: usize) -> &mut B {
        if i < self.woods {
            self.make_room();
            return &mut self.wood[i];
        }
        self.slots.resize(self.leaves, NONE);
        let slot = &mut self.slots[i - self.woods];
        if *slot == NONE {
            *slot = self.given.len() as u32;
            self.given.push((i as u32, B::default()));
        }
        &mut self.given[*slot as usize].1
    }

    /// Announces a load on a body: if it is a leaf, it gets an accumulator.
    pub fn expect(&mut self, i: usize) {
        if i >= self.woods {
            self.of(i);
        }
    }

    /// The accumulator of a body that is not a leaf, in a sweep.
    #[inline]
    pub fn of_wood(&mut self, i: usize) -> &mut B {
        &mut self.wood[i]
    }

    /// The accumulators of a row of wood, in a sweep.
    pub fn row(&mut self, row: usize) -> &mut [B; LANES] {
        (&mut self.wood[row * LANES..][..LANES]).try_into().expect("eight")
    }

    /// Whether an accumulator of any row may be other than zero; rows without contributions of single
    /// children read theirs only then.
    pub fn is_filled(&self) -> bool {
        self.is_filled
    }

    /// The contribution to a leaf, if any.
    pub fn of_leaf(&self, i: usize) -> Option<&B> {
        let slot = *self.slots.get(i - self.woods)?;
        (slot != NONE).then(|| &self.given[slot as usize].1)
    }

    /// Whether no load acts on any leaf.
    pub fn leaves_are_free(&self) -> bool {
        self.given.is_empty()
    }

    /// Whether no load acts on the leaves of a row.
    pub fn row_is_free(&self, row: usize) -> bool {
        self.given.is_empty() || (row * LANES..(row + 1) * LANES).all(|i| self.of_leaf(i).is_none())
    }

    /// Takes the contents of the accumulator of a body, and leaves it empty.
    pub fn take(&mut self, i: usize) -> B {
        if i < self.woods || self.of_leaf(i).is_some() { std::mem::take(self.of_known(i)) } else { B::default() }
    }

    /// After the sweep up: frees the accumulators of leaves; those of the others are empty.
    pub fn forget(&mut self) {
        self.is_filled = false;
        for (i, _) in self.given.drain(..) {
            self.slots[i as usize - self.woods] = NONE;
        }
    }
}

impl<B> Accumulators<B> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        held(&self.wood) + held(&self.given) + held(&self.slots)
    }
}

/// Contents of an [`ArticulatedAccumulator`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accumulated<T> {
    pub body: Articulated<T>,
    /// How strongly children pull it taut, N m, and the sum of their pulls, N: see [`guard`].
    pub taut: T,
    pub pulled: Vec3<T>,
}

impl<T: Real> ArticulatedAccumulator<T> {
    pub fn read(&self) -> Accumulated<T> {
        let [a, b, c, d] = self.0;
        Accumulated {
            body: Articulated {
                inertia: Sym3 { xx: a[0], yy: a[1], zz: a[2], xy: a[3], xz: a[4], yz: a[5] },
                mass: Sym3 { xx: a[6], yy: a[7], zz: b[0], xy: b[1], xz: b[2], yz: b[3] },
                coupling: Mat3::from_rows(
                    Vec3::new(b[4], b[5], b[6]),
                    Vec3::new(b[7], c[0], c[1]),
                    Vec3::new(c[2], c[3], c[4]),
                ),
                torque: Vec3::new(c[5], c[6], c[7]),
                force: Vec3::new(d[0], d[1], d[2]),
            },
            taut: d[3],
            pulled: Vec3::new(d[4], d[5], d[6]),
        }
    }

    fn write(&mut self, given: &Accumulated<T>) {
        let Articulated { inertia: i, mass: m, coupling: Mat3 { rows: [p, q, r] }, torque: t, force: f } = given.body;
        let pulled = given.pulled;
        self.0 = [
            [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz, m.xx, m.yy],
            [m.zz, m.xy, m.xz, m.yz, p.x, p.y, p.z, q.x],
            [q.y, q.z, r.x, r.y, r.z, t.x, t.y, t.z],
            [f.x, f.y, f.z, given.taut, pulled.x, pulled.y, pulled.z, T::zero()],
        ];
    }

    /// Changes the articulated body.
    pub fn edit(&mut self, change: impl FnOnce(&mut Articulated<T>)) {
        let mut given = self.read();
        change(&mut given.body);
        self.write(&given);
    }

    /// Adds the contents of another accumulator.
    pub fn add(&mut self, other: &Self) {
        for (own, more) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *own += *more;
        }
    }

    /// Adds a child whose joint is at `arm`, and the force with which it pulls.
    pub fn add_child(&mut self, child: &Articulated<T>, arm: Vec3<T>, pull: Vec3<T>) {
        let mut given = self.read();
        given.body.add_child(child, arm);
        given.taut += guard::taut(arm, pull);
        given.pulled += pull;
        self.write(&given);
    }
}

/// Parent kinematics, the input of the children: orientation, place, velocities and accelerations of the
/// parent; and accelerations and angular velocity in the parent's own axes, for leaves in the sweep down:
/// in `Implicit` those of the beginning of the step, in `Analytic` of its end.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct ParentKinematics<T>(pub [[T; 8]; 4]);

impl<T: Real> ParentKinematics<T> {
    pub fn of(motion: &Motion<T>) -> Self {
        let Motion {
            orientation: Quat { v: q, w }, position: p, velocity: v, omega, alpha, proper_acceleration, ..
        } = *motion;
        let o = T::zero();
        Self([
            [q.x, q.y, q.z, w, p.x, p.y, p.z, o],
            [v.x, v.y, v.z, omega.x, omega.y, omega.z, alpha.x, alpha.y],
            [alpha.z, proper_acceleration.x, proper_acceleration.y, proper_acceleration.z, o, o, o, o],
            [o; 8],
        ])
    }

    /// With accelerations and angular velocity in its own axes, for this orientation.
    pub fn with_own(mut self, motion: &Motion<T>, orientation: Quat<T>) -> Self {
        let back = orientation.inverse();
        let [alpha, proper_acceleration, omega] =
            [motion.alpha, motion.proper_acceleration, motion.omega].map(|v| back.rotate(v));
        self.0[2][4..7].copy_from_slice(&[omega.x, omega.y, omega.z]);
        self.0[3][..6].copy_from_slice(&[
            alpha.x,
            alpha.y,
            alpha.z,
            proper_acceleration.x,
            proper_acceleration.y,
            proper_acceleration.z,
        ]);
        self
    }

    /// Without a parent: at rest, and without weight.
    pub fn nothing() -> Self {
        let (o, i) = (T::zero(), T::one());
        Self([[o, o, o, i, o, o, o, o], [o; 8], [o; 8], [o; 8]])
    }
}

/// The pose of a leaf whose motion is derived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafPose<T> {
    /// Rotation from leaf to world axes.
    pub orientation: Quat<T>,
    /// From the parent's joint to the leaf's joint, m.
    pub arm: Vec3<T>,
}

lanes!(LeafPose { orientation, arm });

impl<T: Real> LeafPose<T> {
    pub fn zero() -> Self {
        Self { orientation: Quat::identity(), arm: Vec3::zero() }
    }
}

/// Kinematics of the bodies of a row of wood, for a bunch that sits on it: in their own axes, see
/// [`ParentKinematics`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowKinematics<T> {
    pub alpha: Vec3<T>,
    pub proper_acceleration: Vec3<T>,
    /// In `Analytic`.
    pub omega: Vec3<T>,
}

impl<T: Real> RowKinematics<Row<T>> {
    pub fn at_rest() -> Self {
        let o = Row([T::zero(); LANES]);
        let still = Vec3 { x: o, y: o, z: o };
        Self { alpha: still, proper_acceleration: still, omega: still }
    }
}

/// Row load, the contribution of a bunch to the row that it sits on: the numbers of an
/// [`ArticulatedAccumulator`] or of a [`CompositeAccumulator`](super::CompositeAccumulator) of eight bodies,
/// each in a row.
pub(crate) type RowLoad<T> = [[Row<T>; 8]; 6];

/// Input of leaves from their wood, and contributions to the wood of leaves that sit on rows: lent
/// scratch (`thread_scratch.rs`).
#[derive(Debug, Clone)]
pub(crate) struct WoodKinematics<T> {
    /// Parent kinematics of wood and fruit.
    pub parent_kinematics: Vec<ParentKinematics<T>>,
    /// Poses of leaves whose motions are derived, in rows.
    pub poses: Vec<LeafPose<Row<T>>>,
    /// Of rows of wood on which bunches sit: their kinematics, in the sweep down, and their row loads, in
    /// the sweep up, where rows are swept with the contents of their accumulators added. Undefined for
    /// other rows.
    pub wood_row: Vec<RowKinematics<Row<T>>>,
    pub row_loads: Vec<RowLoad<T>>,
    /// Whether the first two fields belong to the present motions.
    pub has_kinematics: bool,
    pub are_placed: bool,
}

impl<T> Default for WoodKinematics<T> {
    fn default() -> Self {
        Self {
            parent_kinematics: Vec::new(),
            poses: Vec::new(),
            wood_row: Vec::new(),
            row_loads: Vec::new(),
            has_kinematics: false,
            are_placed: false,
        }
    }
}

impl<T: Real> WoodKinematics<T> {
    pub fn borrow_scratch(&mut self) {
        thread_scratch::swap(&mut self.parent_kinematics);
        thread_scratch::swap(&mut self.poses);
        thread_scratch::swap(&mut self.wood_row);
        thread_scratch::swap(&mut self.row_loads);
    }

    pub fn return_scratch(&mut self) {
        self.borrow_scratch();
        (self.has_kinematics, self.are_placed) = (false, false);
    }
}

impl<T> WoodKinematics<T> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        held(&self.parent_kinematics) + held(&self.poses) + held(&self.wood_row) + held(&self.row_loads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_expects_makes_all_look() {
        let mut accumulators: Accumulators<ArticulatedAccumulator<f32>> = Accumulators::new(20, 8);
        accumulators.of_known(3).0[0][0] = 1.0;
        assert_eq!(accumulators.take(3).0[0][0], 1.0);
        accumulators.of(14);
        assert!(!accumulators.is_filled(), "bodies swept alone, and leaves, have their own ways");
        accumulators.of(4);
        assert!(accumulators.is_filled());
        accumulators.forget();
        assert!(!accumulators.is_filled() && accumulators.leaves_are_free());
    }

    #[test]
    fn what_is_put_in_is_read_again() {
        let numbers =
            std::array::from_fn(|q| std::array::from_fn(|k| if q * 8 + k < 31 { (q * 8 + k) as f64 } else { 0.0 }));
        let mut accumulator = ArticulatedAccumulator(numbers);
        accumulator.edit(|_| {});
        assert_eq!(accumulator.0, numbers);
        let given = std::mem::take(&mut accumulator).read();
        assert_eq!((given.taut, given.pulled), (27.0, Vec3::new(28.0, 29.0, 30.0)));
        assert_eq!(accumulator.0, ArticulatedAccumulator::<f64>::default().0);
        accumulator.add_child(&given.body, Vec3::zero(), given.pulled);
        let again = accumulator.read();
        assert_eq!((again.body.force, again.pulled, again.taut), (given.body.force, given.pulled, 0.0));
    }
}
