//! What crosses between parents and children: one row of numbers for each body, so that it is moved eight numbers at a time (`wide/exchange.rs`).

use super::block::Motion;
use super::bytes::held;
use super::guard;
use super::room;
use super::rows::{LANES, Row, lanes};
use crate::implicit::Articulated;
use crate::math::{Mat3, Quat, Real, Sym3, Vec3};

/// What actions and children give to a body before it is swept up.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Inbox<T>(pub [[T; 8]; 4]);

/// The inboxes of a block, each a B. Leaves, which come last, have no children: they get one only when something acts on them. Those of wood and fruit are room of the thread that
/// sweeps the block (`room.rs`), unless something acts on one of them before.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inboxes<B> {
    /// Of wood and fruit; empty between the steps, or not there.
    wood: Vec<B>,
    /// How many these are; and whether they are lent.
    woods: usize,
    are_lent: bool,
    /// Whether anything was put into one of them since the last sweep up that its body may not expect: not by children.
    is_filled: bool,
    /// Of leaves that something acts on: which of them, and what is given.
    given: Vec<(u32, B)>,
    /// For every leaf the number of its inbox, if it has one; empty until one is needed.
    slots: Vec<u32>,
    leaves: usize,
}

/// No inbox.
const NONE: u32 = u32::MAX;

impl<B: Copy + Default + PartialEq + 'static> Inboxes<B> {
    /// For so many bodies, of which these are leaves.
    pub fn new(count: usize, leaves: usize) -> Self {
        Self { woods: count - leaves, leaves, ..Self::default() }
    }

    /// Takes room of this thread, if it has none of its own.
    pub fn borrow_room(&mut self) {
        if self.wood.is_empty() && self.woods > 0 {
            room::swap(&mut self.wood);
            self.are_lent = true;
        }
        self.make_room();
    }

    /// Gives it back, empty.
    pub fn return_room(&mut self) {
        if std::mem::take(&mut self.are_lent) {
            debug_assert!(self.wood.iter().all(|inbox| *inbox == B::default()), "all inboxes are read in a sweep");
            room::swap(&mut self.wood);
        }
    }

    fn make_room(&mut self) {
        if self.wood.len() < self.woods {
            self.wood.resize(self.woods, B::default());
        }
    }

    /// The inbox of a body, to put something into it.
    #[inline]
    pub fn of(&mut self, i: usize) -> &mut B {
        self.is_filled |= i < self.woods;
        self.of_known(i)
    }

    /// The same of a body that looks into it in any case: it is swept by itself, or has children that are.
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

    /// Something will act on a body: if it is a leaf, it gets an inbox.
    pub fn expect(&mut self, i: usize) {
        if i >= self.woods {
            self.of(i);
        }
    }

    /// The inbox of a body that is not a leaf, in a sweep.
    #[inline]
    pub fn of_wood(&mut self, i: usize) -> &mut B {
        &mut self.wood[i]
    }

    /// Those of a row of wood, in a sweep.
    pub fn row(&mut self, row: usize) -> &mut [B; LANES] {
        (&mut self.wood[row * LANES..][..LANES]).try_into().expect("eight")
    }

    /// Whether those of any row may hold something; of rows that no child speaks to only then.
    pub fn is_filled(&self) -> bool {
        self.is_filled
    }

    /// What a leaf was given, if anything.
    pub fn of_leaf(&self, i: usize) -> Option<&B> {
        let slot = *self.slots.get(i - self.woods)?;
        (slot != NONE).then(|| &self.given[slot as usize].1)
    }

    /// Whether nothing acts on any leaf.
    pub fn leaves_are_free(&self) -> bool {
        self.given.is_empty()
    }

    /// Whether nothing acts on the leaves of a row.
    pub fn row_is_free(&self, row: usize) -> bool {
        self.given.is_empty() || (row * LANES..(row + 1) * LANES).all(|i| self.of_leaf(i).is_none())
    }

    /// Empties the inbox of a body.
    pub fn take(&mut self, i: usize) -> B {
        if i < self.woods || self.of_leaf(i).is_some() { std::mem::take(self.of_known(i)) } else { B::default() }
    }

    /// After the sweep up: leaves have none any more, and those of the others are empty.
    pub fn forget(&mut self) {
        self.is_filled = false;
        for (i, _) in self.given.drain(..) {
            self.slots[i as usize - self.woods] = NONE;
        }
    }
}

impl<B> Inboxes<B> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        held(&self.wood) + held(&self.given) + held(&self.slots)
    }
}

/// What an [`Inbox`] holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<T> {
    pub body: Articulated<T>,
    /// How strongly children pull it taut, N m, and the sum of what they pull, N: see [`guard`].
    pub taut: T,
    pub pulled: Vec3<T>,
}

impl<T: Real> Inbox<T> {
    pub fn read(&self) -> Given<T> {
        let [a, b, c, d] = self.0;
        Given {
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

    fn write(&mut self, given: &Given<T>) {
        let Articulated { inertia: i, mass: m, coupling: Mat3 { rows: [p, q, r] }, torque: t, force: f } = given.body;
        let pulled = given.pulled;
        self.0 = [
            [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz, m.xx, m.yy],
            [m.zz, m.xy, m.xz, m.yz, p.x, p.y, p.z, q.x],
            [q.y, q.z, r.x, r.y, r.z, t.x, t.y, t.z],
            [f.x, f.y, f.z, given.taut, pulled.x, pulled.y, pulled.z, T::zero()],
        ];
    }

    /// Changes what is known of the body.
    pub fn edit(&mut self, change: impl FnOnce(&mut Articulated<T>)) {
        let mut given = self.read();
        change(&mut given.body);
        self.write(&given);
    }

    /// Adds what another inbox holds.
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

/// What children need to know of the motion of their parent: orientation, place, velocities and accelerations; and accelerations and angular velocity in the parent's own axes, for leaves in the sweep down: in
/// `Implicit` those of the beginning of the step, in `Analytic` of its end.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Heard<T>(pub [[T; 8]; 4]);

impl<T: Real> Heard<T> {
    pub fn of(motion: &Motion<T>) -> Self {
        let Motion { orientation: Quat { v: q, w }, position: p, velocity: v, omega, alpha, felt, .. } = *motion;
        let o = T::zero();
        Self([
            [q.x, q.y, q.z, w, p.x, p.y, p.z, o],
            [v.x, v.y, v.z, omega.x, omega.y, omega.z, alpha.x, alpha.y],
            [alpha.z, felt.x, felt.y, felt.z, o, o, o, o],
            [o; 8],
        ])
    }

    /// With accelerations and angular velocity in its own axes, when it is turned like this.
    pub fn with_own(mut self, motion: &Motion<T>, orientation: Quat<T>) -> Self {
        let back = orientation.inverse();
        let [alpha, felt, omega] = [motion.alpha, motion.felt, motion.omega].map(|v| back.rotate(v));
        self.0[2][4..7].copy_from_slice(&[omega.x, omega.y, omega.z]);
        self.0[3][..6].copy_from_slice(&[alpha.x, alpha.y, alpha.z, felt.x, felt.y, felt.z]);
        self
    }

    /// Of nobody: at rest, and without weight.
    pub fn nothing() -> Self {
        let (o, i) = (T::zero(), T::one());
        Self([[o, o, o, i, o, o, o, o], [o; 8], [o; 8], [o; 8]])
    }
}

/// Where a leaf is that follows its parent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafPose<T> {
    /// World from leaf.
    pub orientation: Quat<T>,
    /// From the parent's joint to its own, m.
    pub arm: Vec3<T>,
}

lanes!(LeafPose { orientation, arm });

impl<T: Real> LeafPose<T> {
    pub fn zero() -> Self {
        Self { orientation: Quat::identity(), arm: Vec3::zero() }
    }
}

/// How the bodies of a row of wood move, for a bunch that sits on it: in their own axes, see [`Heard`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bough<T> {
    pub alpha: Vec3<T>,
    pub felt: Vec3<T>,
    /// In `Analytic`.
    pub omega: Vec3<T>,
}

impl<T: Real> Bough<Row<T>> {
    pub fn at_rest() -> Self {
        let o = Row([T::zero(); LANES]);
        let still = Vec3 { x: o, y: o, z: o };
        Self { alpha: still, felt: still, omega: still }
    }
}

/// What a bunch gives to the row that it sits on: the numbers of an [`Inbox`] or of a [`Carried`](crate::analytic::Carried) of eight bodies, each in a row.
pub(crate) type Burden<T> = [[Row<T>; 8]; 6];

/// What leaves need to know of the wood that they hang on, and what those give to it that sit on rows: room that is lent (`room.rs`).
#[derive(Debug, Clone)]
pub(crate) struct Told<T> {
    /// What wood and fruit say to their children.
    pub heard: Vec<Heard<T>>,
    /// Where the leaves are that follow them, in rows.
    pub poses: Vec<LeafPose<Row<T>>>,
    /// Of rows of wood on which bunches sit: how they move, in the sweep down, and what they bear, in the sweep up, where rows are swept with all that was put into their inboxes beside it. Of other rows they mean nothing.
    pub boughs: Vec<Bough<Row<T>>>,
    pub burdens: Vec<Burden<T>>,
    /// Whether the first two are those of the present motions.
    pub is_heard: bool,
    pub are_placed: bool,
}

impl<T> Default for Told<T> {
    fn default() -> Self {
        Self {
            heard: Vec::new(),
            poses: Vec::new(),
            boughs: Vec::new(),
            burdens: Vec::new(),
            is_heard: false,
            are_placed: false,
        }
    }
}

impl<T: 'static> Told<T> {
    pub fn borrow_room(&mut self) {
        room::swap(&mut self.heard);
        room::swap(&mut self.poses);
        room::swap(&mut self.boughs);
        room::swap(&mut self.burdens);
    }

    pub fn return_room(&mut self) {
        self.borrow_room();
        (self.is_heard, self.are_placed) = (false, false);
    }
}

impl<T> Told<T> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        held(&self.heard) + held(&self.poses) + held(&self.boughs) + held(&self.burdens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_expects_makes_all_look() {
        let mut inboxes: Inboxes<Inbox<f32>> = Inboxes::new(20, 8);
        inboxes.of_known(3).0[0][0] = 1.0;
        assert_eq!(inboxes.take(3).0[0][0], 1.0);
        inboxes.of(14);
        assert!(!inboxes.is_filled(), "bodies swept alone, and leaves, have their own ways");
        inboxes.of(4);
        assert!(inboxes.is_filled());
        inboxes.forget();
        assert!(!inboxes.is_filled() && inboxes.leaves_are_free());
    }

    #[test]
    fn what_is_put_in_is_read_again() {
        let numbers =
            std::array::from_fn(|q| std::array::from_fn(|k| if q * 8 + k < 31 { (q * 8 + k) as f64 } else { 0.0 }));
        let mut inbox = Inbox(numbers);
        inbox.edit(|_| {});
        assert_eq!(inbox.0, numbers);
        let given = std::mem::take(&mut inbox).read();
        assert_eq!((given.taut, given.pulled), (27.0, Vec3::new(28.0, 29.0, 30.0)));
        assert_eq!(inbox.0, Inbox::<f64>::default().0);
        inbox.add_child(&given.body, Vec3::zero(), given.pulled);
        let again = inbox.read();
        assert_eq!((again.body.force, again.pulled, again.taut), (given.body.force, given.pulled, 0.0));
    }
}
