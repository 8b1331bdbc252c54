//! Bodies in the order of the solver: flat arrays, parents before children.
//!
//! A world is one top block (the bodies whose subtrees are large) and many blocks of some thousand bodies, each made
//! of whole subtrees that hang on the top or of whole small trees. Blocks know nothing of each other, so they can
//! be swept by different threads; what they give to the top is added in a fixed order. The split depends on the tree alone,
//! hence the same bits on any number of threads.
//!
//! Within a block bodies lie in rows of eight that don't depend on each other (`layout.rs`), so that eight are swept at once. Places in a row that nobody
//! needs are padding: they have the id [`NOBODY`] and the link [`Link::Gone`].

use super::exchange::{Inbox, Inboxes, Told};
use super::glance::Glance;
use super::masses::Masses;
use super::order::{Batch, Way};
use super::place::Ahead;
use super::rows::{LANES, Row, Rows, lanes};
use super::sheet::Sheet;
use crate::air::Sails;
use crate::math::{Mat3, Quat, Real, Sym3, Vec3};
use crate::{analytic, implicit};

/// The id of padding.
pub(crate) const NOBODY: u32 = u32::MAX;

/// What a body hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// An earlier body of the same block.
    Body(u32),
    /// A body of the top block.
    Top(u32),
    /// The base of a tree.
    Base(u32),
    /// Nothing: it flies. Index into [`Block::frees`].
    Free(u32),
    /// It is not here: a leaf or fruit that fell off, or padding.
    Gone,
}

/// Where a body is joined to its parent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joint<T> {
    /// The joint from the parent's joint, parent's axes, m.
    pub offset: Vec3<T>,
    /// The body's frame in the rest shape, relative to the parent's axes.
    pub shape: Quat<T>,
    /// The frame in which the spring is relaxed, relative to the parent's axes: the rest shape, or what gravity bends into it.
    pub neutral: Quat<T>,
}

/// What of a [`Joint`] every step needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seat<T> {
    pub offset: Vec3<T>,
    pub neutral: Quat<T>,
}

/// Mass of a body and of everything that rides on it, in the body's axes about its joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lumped<T> {
    /// kg.
    pub mass: T,
    /// Mass times centre of mass, kg m.
    pub moment: Vec3<T>,
    /// Inertia about the joint, kg m².
    pub inertia: Sym3<T>,
}

/// The spring of a joint, in the body's axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spring<T> {
    /// N m/rad; may be zero or infinite.
    pub stiffness: Vec3<T>,
    /// Damping over stiffness, s.
    pub beta: T,
    /// Largest angle of bending (about x and z together), rad; infinite for none.
    pub bend_limit: T,
    /// Largest angle of twist (about y), rad; infinite for none.
    pub twist_limit: T,
}

/// What all springs have: see [`Spring`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elastic<T> {
    pub stiffness: Vec3<T>,
    pub beta: T,
}

/// What few springs have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit<T> {
    pub bend: T,
    pub twist: T,
}

impl<T: Real> Limit<T> {
    pub fn none() -> Self {
        Self { bend: T::infinity(), twist: T::infinity() }
    }
}

/// The state of a joint: all that is carried from step to step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointState<T> {
    /// From the relaxed frame to the body's frame; of a free body, its orientation in the world.
    pub q: Quat<T>,
    /// Angular velocity relative to the parent, body axes, rad/s; of a free body, its angular velocity. Half a step old in
    /// `Implicit`.
    pub w: Vec3<T>,
    /// Its last rate of change, rad/s².
    pub rate: Vec3<T>,
}

/// Where a body is and how it moves, world axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion<T, A = u32> {
    /// Its joint, relative to the anchor of its piece, m.
    pub position: Vec3<T>,
    /// World from body.
    pub orientation: Quat<T>,
    /// Velocity of the joint and angular velocity, at the time of the pose.
    pub velocity: Vec3<T>,
    pub omega: Vec3<T>,
    /// Angular acceleration over the last step, rad/s².
    pub alpha: Vec3<T>,
    /// Acceleration of the joint less gravity over the last step, m/s².
    pub felt: Vec3<T>,
    /// From the parent's joint to this one, m.
    pub arm: Vec3<T>,
    /// `omega_parent x w` and `omega_parent x (omega_parent x arm)` at the time of the pose.
    pub coriolis: Vec3<T>,
    pub centripetal: Vec3<T>,
    /// Which piece it belongs to: its tree, or beyond the trees a free piece.
    pub anchor: A,
}

/// A torque about the joint and a force, body axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrench<T> {
    pub torque: Vec3<T>,
    pub force: Vec3<T>,
}

/// The six degrees of freedom of a piece that flies: what [`JointState`] lacks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Free<T> {
    /// Index of the body in its block.
    pub index: u32,
    /// Which piece.
    pub anchor: u32,
    /// The joint of the body, world metres: the anchor of its piece.
    pub position: windfall_core::glam::DVec3,
    /// Velocity of the joint, m/s, of the age of [`JointState::w`].
    pub velocity: Vec3<T>,
    /// Its last rate of change, m/s².
    pub rate: Vec3<T>,
    /// What pushed the piece in the last step; none before the first.
    pub push: Option<implicit::Push>,
}

lanes!(Seat { offset, neutral });
lanes!(Lumped { mass, moment, inertia });
lanes!(Elastic { stiffness, beta });
lanes!(Limit { bend, twist });
lanes!(JointState { q, w, rate });
lanes!(Motion<u32> { position, orientation, velocity, omega, alpha, felt, arm, coriolis, centripetal, anchor });
lanes!(Wrench { torque, force });

/// The motions of a block.
pub(crate) type Motions<T> = Rows<Motion<Row<T>, Row<u32>>>;

/// See the head of the module.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Block<T> {
    /// `BodyId` of each, or [`NOBODY`].
    pub ids: Vec<u32>,
    pub links: Vec<Link>,
    /// How many joints lie between each and the farthest tip of what hangs on it, counting its own; empty unless `Analytic` needs it.
    pub heights: Vec<u32>,
    /// How the rows are swept.
    pub batches: Vec<Batch>,
    /// Joints without their rest shapes, which steps hardly ever need: see [`Block::joint`].
    pub seats: Rows<Seat<Row<T>>>,
    pub shapes: Rows<Quat<Row<T>>>,
    pub masses: Masses<T>,
    pub springs: Rows<Elastic<Row<T>>>,
    /// Empty if no joint has any.
    pub limits: Rows<Limit<Row<T>>>,
    pub states: Rows<JointState<Row<T>>>,
    /// Of leaves that follow their parents ([`Batch::follows`]) not as they are now, or without room for them at all: see [`Block::motion`].
    pub motions: Motions<T>,
    /// From the time of the joints' velocities to that of the motions, as they were placed last.
    pub ahead: Ahead<T>,
    /// What the parent exerts on each body through the joint.
    pub reactions: Rows<Wrench<Row<T>>>,
    /// Whether they bear it, as far as they tell at a glance; empty unless somebody wants to know. And whether all of them do, in the last step.
    pub glances: Sheet<Glance>,
    pub bears: bool,
    pub frees: Vec<Free<T>>,
    pub sails: Sails<T>,
    /// What the wind does to bodies of pieces in this step.
    pub blown: Vec<implicit::Pull<T>>,
    /// Square of the largest angular velocity of any joint or body, rad²/s².
    pub fastest: T,
    /// Bodies that hang on the top, or hung on it before they broke off; and what each gives to it.
    pub entries: Vec<u32>,
    pub handed: Vec<Inbox<T>>,
    /// What actions and children give to each body before it is swept up; zero between the steps. Empty in the analytic solver until there are pieces.
    pub inboxes: Inboxes<Inbox<T>>,
    /// What the implicit solver keeps between the sweeps; empty like the inboxes. Of leaves only when something acts on one ([`Block::keep_leaves_whole`]).
    pub implicit: Rows<implicit::Work<Row<T>>>,
    /// The same of leaves on which nothing acts but wind and weight.
    pub leaf_works: Rows<implicit::LeafWork<Row<T>>>,
    /// What the analytic solver keeps between the sweeps, empty in the implicit one; and like inboxes and handed.
    pub analytic: Rows<analytic::Work<Row<T>>>,
    /// The same of leaves on which nothing acts but wind and weight; of the others `analytic` keeps more, as `implicit` does.
    pub analytic_leaves: Rows<analytic::LeafWork<Row<T>>>,
    pub carried: Inboxes<analytic::Carried<T>>,
    /// What bodies of wood and fruit say to their children, and where leaves are that follow them; lent, like inboxes of wood.
    pub told: Told<T>,
    pub lifted: Vec<analytic::Carried<T>>,
    /// Whether anything in [`analytic::Work::pushed`] may be other than zero.
    pub is_forced: bool,
    /// Whether it was swept up for the next step (`foresight.rs`), and whether something was put onto it since the last one.
    pub is_ready: bool,
    pub is_touched: bool,
    /// Whether no body of it flies.
    pub is_rooted: bool,
    /// Whether any body of it is not swept with others.
    pub any_alone: bool,
    /// Whether any of its leaves follow their parents.
    pub any_follow: bool,
    /// Whether its bunches are sorted out (`wide/leaf`) for steps in which nothing acts on leaves but wind and weight; and if so, whether some are swept with the others all the same.
    pub any_whole: Option<bool>,
}

impl<T: Real> Motion<T> {
    /// At the anchor, at rest.
    pub fn at_rest() -> Self {
        let o = Vec3::zero();
        Self {
            position: o,
            orientation: Quat::identity(),
            velocity: o,
            omega: o,
            alpha: o,
            felt: o,
            arm: o,
            coriolis: o,
            centripetal: o,
            anchor: 0,
        }
    }
}

impl<T: Real> Lumped<T> {
    /// Of padding: nothing is divided by zero.
    pub fn one() -> Self {
        Self { mass: T::one(), moment: Vec3::zero(), inertia: Sym3::diagonal(Vec3::splat(T::one())) }
    }
}

impl<T: Real> Spring<T> {
    /// Of padding.
    pub fn soft() -> Self {
        let none = T::infinity();
        Self { stiffness: Vec3::splat(T::one()), beta: T::zero(), bend_limit: none, twist_limit: none }
    }
}

impl<T: Real> Wrench<T> {
    pub fn zero() -> Self {
        Self { torque: Vec3::zero(), force: Vec3::zero() }
    }
}

impl<T: Copy> Joint<T> {
    pub fn seat(&self) -> Seat<T> {
        Seat { offset: self.offset, neutral: self.neutral }
    }
}

impl<T: Real> JointState<T> {
    pub fn at_rest() -> Self {
        Self { q: Quat::identity(), w: Vec3::zero(), rate: Vec3::zero() }
    }
}

impl<T: Real> Motion<T> {
    /// World from body.
    #[inline]
    pub fn rotation(&self) -> Mat3<T> {
        self.orientation.matrix()
    }
}

impl<T: Real> Block<T> {
    /// Sets all springs.
    pub fn set_springs(&mut self, springs: impl Iterator<Item = Spring<T>> + Clone) {
        let elastic = |spring: Spring<T>| Elastic { stiffness: spring.stiffness, beta: spring.beta };
        let limit = |spring: Spring<T>| Limit { bend: spring.bend_limit, twist: spring.twist_limit };
        self.springs = springs.clone().map(elastic).collect();
        let is_limited = |limit: Limit<T>| limit.bend.is_finite() || limit.twist.is_finite();
        let is_any_limited = springs.clone().map(limit).any(is_limited);
        self.limits = if is_any_limited { springs.map(limit).collect() } else { Rows::default() };
    }

    /// The spring of a joint.
    pub fn spring(&self, i: usize) -> Spring<T> {
        let Elastic { stiffness, beta } = self.springs.get(i);
        let Limit { bend, twist } = self.limits.lane_or(i, Limit::none());
        Spring { stiffness, beta, bend_limit: bend, twist_limit: twist }
    }

    /// Square of the angular velocity of body `i` or of its joint, whichever is larger; of leaves that of the joint.
    pub fn speed(&self, i: usize, motion: &Motion<T>, state: &JointState<T>) -> T {
        let of_joint = state.w.length_squared();
        if self.masses.is_leaf(i) { of_joint } else { motion.omega.length_squared().max(of_joint) }
    }

    /// Where body `i` is joined to its parent.
    pub fn joint(&self, i: usize) -> Joint<T> {
        let Seat { offset, neutral } = self.seats.get(i);
        Joint { offset, shape: self.shapes.get(i), neutral }
    }

    /// How many places it has, with padding.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The place of a body that hangs on the top among [`Block::entries`].
    pub fn entry_of(&self, body: usize) -> usize {
        self.entries.partition_point(|&entry| (entry as usize) < body)
    }

    /// The motion of the parent of body `i`; none for one that is free or gone.
    pub fn parent_motion(&self, i: usize, top: &Motions<T>, bases: &[Motion<T>]) -> Option<Motion<T>> {
        match self.links[i] {
            // Parents are wood.
            Link::Body(p) => Some(self.motions.get(p as usize)),
            Link::Top(p) => Some(top.get(p as usize)),
            Link::Base(tree) => Some(bases[tree as usize]),
            Link::Free(_) | Link::Gone => None,
        }
    }
}

impl<T: Real> Block<T> {
    /// Makes room for what is kept of leaves on which something acts.
    pub fn keep_leaves_whole(&mut self) {
        self.implicit.fill_up(implicit::Work::zero(), self.len());
    }
}

impl<T: Real> Block<T> {
    /// The same for `Analytic`.
    pub fn keep_analytic_leaves_whole(&mut self) {
        self.analytic.fill_up(analytic::Work::zero(), self.len());
    }
}

impl<T> Block<T> {
    /// How many places it has for leaves, which come last.
    pub fn leaf_places(&self) -> usize {
        self.batches.iter().rev().take_while(|batch| batch.way == Way::Leaves).count() * LANES
    }

    /// How many bodies it has, without padding.
    pub fn body_count(&self) -> usize {
        self.ids.iter().filter(|&&id| id != NOBODY).count()
    }
}
