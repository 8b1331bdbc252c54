//! Bodies in the order of the solver: flat arrays, parents before children.
//!
//! A world is one top block (the bodies whose subtrees are large) and many blocks of some thousand
//! bodies. Each block consists of whole subtrees whose roots are children of top bodies, or of whole
//! small trees. Blocks do not depend on each other, so different threads can sweep them; their
//! contributions to the top are added in a fixed order. The split depends on the tree alone, hence the
//! same bits on any number of threads.
//!
//! Within a block bodies lie in rows of eight that do not depend on each other (`world/layout.rs`), so that
//! eight are swept at once. Unused places in a row are padding: they have the id [`PADDING`] and the link
//! [`Link::Removed`].

pub(crate) mod air_samples;
pub(crate) mod articulated;
pub(crate) mod batch;
pub(crate) mod bytes;
pub(crate) mod composite;
pub(crate) mod composite_accumulator;
pub(crate) mod composite_work;
mod derived_leaf_motion;
pub(crate) mod drag_share;
pub(crate) mod exchange;
pub(crate) mod guard;
pub(crate) mod huge_pages;
pub(crate) mod limits;
pub(crate) mod masses;
pub(crate) mod place;
pub(crate) mod pull;
pub(crate) mod rows;
pub(crate) mod sail;
pub(crate) mod strength_bound;
mod thread_scratch;
pub(crate) mod vectors;
pub(crate) mod wood_and_leaves;

use self::air_samples::AirSamples;
use self::articulated::{LeafWork, Work};
use self::batch::{Batch, Way};
use self::composite_accumulator::CompositeAccumulator;
use self::exchange::{Accumulators, ArticulatedAccumulator, WoodKinematics};
use self::huge_pages::PagedVec;
use self::masses::Masses;
use self::place::Ahead;
use self::pull::{Pull, Push};
use self::rows::{LANES, Row, Rows, lanes};
use self::sail::Sails;
use self::strength_bound::StrengthBound;
use crate::math::{Family, Mat3, Quat, Real, Sym3, Vec3};

/// The id of padding.
pub(crate) const PADDING: u32 = u32::MAX;

/// The parent of a body, or its state without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// An earlier body of the same block.
    Body(u32),
    /// A body of the top block.
    Top(u32),
    /// The base of a tree.
    Base(u32),
    /// No parent: the root of a free piece. Index into [`Block::frees`].
    Free(u32),
    /// Not simulated here: a leaf or fruit that fell off, or padding.
    Removed,
}

/// The place of the joint to the parent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joint<T> {
    /// From the parent's joint to this joint, parent's axes, m.
    pub offset: Vec3<T>,
    /// The body's frame in the rest shape, relative to the parent's axes.
    pub shape: Quat<T>,
    /// The frame in which the spring is relaxed, relative to the parent's axes: the rest shape, or the
    /// shape that is wound up against gravity.
    pub neutral: Quat<T>,
}

/// The part of a [`Joint`] that every step reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seat<T> {
    pub offset: Vec3<T>,
    pub neutral: Quat<T>,
}

/// Mass of a body and of all its riders, in the body's axes about its joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lumped<T> {
    /// Mass, kg.
    pub mass: T,
    /// Mass times centre of mass, kg m.
    pub moment: Vec3<T>,
    /// Inertia about the joint, kg m².
    pub inertia: Sym3<T>,
}

/// The spring of a joint, in the body's axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spring<T> {
    /// Stiffness, N m/rad; may be zero or infinite.
    pub stiffness: Vec3<T>,
    /// Damping over stiffness, s.
    pub beta: T,
    /// Largest angle of bending (about x and z together), rad; infinite for none.
    pub bend_limit: T,
    /// Largest angle of twist (about y), rad; infinite for none.
    pub twist_limit: T,
}

/// The part that all springs have: see [`Spring`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elastic<T> {
    pub stiffness: Vec3<T>,
    pub beta: T,
}

/// The part that few springs have.
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

/// The state of a joint: everything that is carried from step to step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointState<T> {
    /// From the relaxed frame to the body's frame; of a free body, its orientation in the world.
    pub q: Quat<T>,
    /// Angular velocity relative to the parent, body axes, rad/s; of a free body, its angular velocity.
    /// Half a step old in `Implicit`.
    pub w: Vec3<T>,
    /// Rate of change of `w` in the last step, rad/s².
    pub rate: Vec3<T>,
}

/// Pose, velocities and accelerations of a body, world axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion<T, A = u32> {
    /// Position of its joint, relative to the anchor of its piece, m.
    pub position: Vec3<T>,
    /// Rotation from body to world axes.
    pub orientation: Quat<T>,
    /// Velocity of the joint and angular velocity, at the time of the pose.
    pub velocity: Vec3<T>,
    pub omega: Vec3<T>,
    /// Angular acceleration over the last step, rad/s².
    pub alpha: Vec3<T>,
    /// Acceleration of the joint less gravity (proper acceleration) over the last step, m/s².
    pub proper_acceleration: Vec3<T>,
    /// From the parent's joint to this one, m.
    pub arm: Vec3<T>,
    /// `omega_parent x w` and `omega_parent x (omega_parent x arm)` at the time of the pose.
    pub coriolis: Vec3<T>,
    pub centripetal: Vec3<T>,
    /// The piece of the body: its tree, or beyond the trees a free piece.
    pub anchor: A,
}

/// A torque about the joint and a force, body axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrench<T> {
    pub torque: Vec3<T>,
    pub force: Vec3<T>,
}

/// The six degrees of freedom of the root of a free piece: the part that [`JointState`] lacks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Free<T> {
    /// Index of the body in its block.
    pub index: u32,
    /// Index of the piece.
    pub anchor: u32,
    /// Position of the joint of the body, world metres: the anchor of its piece.
    pub position: windfall_core::glam::DVec3,
    /// Velocity of the joint, m/s, at the same time as [`JointState::w`].
    pub velocity: Vec3<T>,
    /// Its rate of change in the last step, m/s².
    pub rate: Vec3<T>,
    /// Load on the piece in the last step; none before the first.
    pub push: Option<Push>,
}

lanes!(Seat { offset, neutral });
lanes!(Lumped { mass, moment, inertia });
lanes!(Elastic { stiffness, beta });
lanes!(Limit { bend, twist });
lanes!(JointState { q, w, rate });
lanes!(Motion<u32> { position, orientation, velocity, omega, alpha, proper_acceleration, arm, coriolis, centripetal, anchor });
lanes!(Wrench { torque, force });

/// The motions of a block.
pub(crate) type Motions<T> = Rows<Motion<Row<T>, Row<u32>>>;

/// See the head of the module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block<T> {
    pub model: BlockModel<T>,
    pub state: BlockState<T>,
    pub plan: SweepPlan,
    pub scratch: BlockScratch<T>,
}

/// The part that is fixed until the layout or the parameters change.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockModel<T> {
    /// `BodyId` of each body, or [`PADDING`].
    pub ids: Vec<u32>,
    /// Number of joints between each body and the farthest tip of its subtree, its own included; empty
    /// unless `Analytic` needs it.
    pub heights: Vec<u32>,
    /// Joints without their rest shapes, which steps hardly ever need: see [`Block::joint`].
    pub seats: Rows<Seat<Row<T>>>,
    pub shapes: Rows<Quat<Row<T>>>,
    pub masses: Masses<T>,
    pub springs: Rows<Elastic<Row<T>>>,
    /// Empty if no joint has a limit.
    pub limits: Rows<Limit<Row<T>>>,
    /// The surfaces on which air acts.
    pub sails: Sails<T>,
    /// Children of top bodies, including those that broke off since.
    pub entries: Vec<u32>,
    /// Bounds of the strengths; empty unless the caller asks for overloads.
    pub strength_bounds: PagedVec<StrengthBound>,
}

/// The state that is carried from step to step.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockState<T> {
    /// The parent of each body.
    pub links: Vec<Link>,
    pub joints: Rows<JointState<Row<T>>>,
    /// Derived from the joints. Those of derived leaves ([`Batch::is_derived`]) are out of date or not
    /// allocated: see [`Block::motion`].
    pub motions: Motions<T>,
    /// Interval from the time of the joint velocities to the time of the motions, at the last placing.
    pub ahead: Ahead<T>,
    /// Load of the parent on each body through the joint.
    pub reactions: Rows<Wrench<Row<T>>>,
    /// Whether all reactions of the last step are below the bounds of the strengths.
    pub bears_loads: bool,
    /// Roots of free pieces.
    pub frees: Vec<Free<T>>,
    /// Square of the largest angular velocity of any joint or body, rad²/s².
    pub fastest: T,
}

/// How the rows are swept; determined anew after the state of the block changed
/// ([`crate::world::World::classify_rows`]).
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct SweepPlan {
    pub batches: Vec<Batch>,
    /// Whether the block is swept up for the next step (`world/lookahead.rs`), and whether anything was added
    /// to its accumulators since the last step.
    pub is_ready: bool,
    pub is_touched: bool,
    /// Whether no body of the block belongs to a free piece.
    pub is_rooted: bool,
    /// Whether any body of the block is swept by itself.
    pub any_alone: bool,
    /// Whether the motion of any of its leaves is derived.
    pub any_derived: bool,
    /// Whether its bunches are sorted (`wide/leaf`) for steps in which only wind and weight act on
    /// leaves; and if so, whether some bunches are swept with full leaf state all the same.
    pub any_whole: Option<bool>,
}

/// Data that any step may overwrite.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockScratch<T> {
    /// The wind of this step at the sails.
    pub air: AirSamples,
    /// Loads of the wind on bodies of pieces in this step.
    pub air_on_pieces: Vec<Pull<T>>,
    /// Contribution of each of the entries to the top.
    pub to_top: Vec<ArticulatedAccumulator<T>>,
    /// Contributions of actions and children to each body before it is swept up; zero between the steps.
    /// Empty in the analytic solver until there are pieces.
    pub accumulators: Accumulators<ArticulatedAccumulator<T>>,
    /// Values that the implicit solver keeps between the sweeps; empty under the same condition as the
    /// accumulators. For leaves only while a load acts on one ([`Block::keep_leaves_whole`]).
    pub implicit: Rows<Work<Row<T>>>,
    /// The same for leaves on which only wind and weight act.
    pub leaf_works: Rows<LeafWork<Row<T>>>,
    /// Values that the analytic solver keeps between the sweeps, empty in the implicit one.
    pub analytic: Rows<composite_work::Work<Row<T>>>,
    /// The same for leaves on which only wind and weight act; of other leaves `analytic` keeps more, as
    /// `implicit` does.
    pub analytic_leaves: Rows<composite_work::LeafWork<Row<T>>>,
    pub composites: Accumulators<CompositeAccumulator<T>>,
    pub composites_to_top: Vec<CompositeAccumulator<T>>,
    /// Kinematics of wood and fruit for their children, and poses of leaves whose motion is derived;
    /// lent, as the accumulators of wood.
    pub wood_kinematics: WoodKinematics<T>,
    /// Whether anything in [`composite_work::Work::pushed`] may be other than zero.
    pub is_forced: bool,
}

/// Blocks of either precision.
pub(crate) struct AnyBlock;

impl Family for AnyBlock {
    type Of<T: Real> = Block<T>;
}

impl<T: Real> Motion<T> {
    /// A body at the anchor, at rest.
    pub fn at_rest() -> Self {
        let o = Vec3::zero();
        Self {
            position: o,
            orientation: Quat::identity(),
            velocity: o,
            omega: o,
            alpha: o,
            proper_acceleration: o,
            arm: o,
            coriolis: o,
            centripetal: o,
            anchor: 0,
        }
    }
}

impl<T: Real> Lumped<T> {
    /// Values for padding: chosen so that no division by zero occurs.
    pub fn one() -> Self {
        Self { mass: T::one(), moment: Vec3::zero(), inertia: Sym3::diagonal(Vec3::splat(T::one())) }
    }
}

impl<T> Spring<T> {
    /// From the stored parts.
    pub fn new(Elastic { stiffness, beta }: Elastic<T>, Limit { bend, twist }: Limit<T>) -> Self {
        Self { stiffness, beta, bend_limit: bend, twist_limit: twist }
    }
}

impl<T: Real> Spring<T> {
    /// Values for padding.
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
    /// Rotation from body to world axes.
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
        self.model.springs = springs.clone().map(elastic).collect();
        let is_limited = |limit: Limit<T>| limit.bend.is_finite() || limit.twist.is_finite();
        let is_any_limited = springs.clone().map(limit).any(is_limited);
        self.model.limits = if is_any_limited { springs.map(limit).collect() } else { Rows::default() };
    }

    /// The spring of a joint.
    pub fn spring(&self, i: usize) -> Spring<T> {
        Spring::new(self.model.springs.get(i), self.model.limits.lane_or(i, Limit::none()))
    }

    /// Squared angular velocity of body `i` or of its joint, whichever is larger; for leaves that of the
    /// joint.
    pub fn speed(&self, i: usize, motion: &Motion<T>, state: &JointState<T>) -> T {
        let of_joint = state.w.length_squared();
        if self.model.masses.is_leaf(i) { of_joint } else { motion.omega.length_squared().max(of_joint) }
    }

    /// The joint of body `i`.
    pub fn joint(&self, i: usize) -> Joint<T> {
        let Seat { offset, neutral } = self.model.seats.get(i);
        Joint { offset, shape: self.model.shapes.get(i), neutral }
    }

    /// Number of places, with padding.
    pub fn len(&self) -> usize {
        self.model.ids.len()
    }

    /// The number of a child of a top body among [`BlockModel::entries`].
    pub fn entry_of(&self, body: usize) -> usize {
        self.model.entries.partition_point(|&entry| (entry as usize) < body)
    }

    /// The motion of the parent of body `i`; none for one that is free or removed.
    pub fn parent_motion(&self, i: usize, top: &Motions<T>, bases: &[Motion<T>]) -> Option<Motion<T>> {
        match self.state.links[i] {
            // Parents are wood.
            Link::Body(p) => Some(self.state.motions.get(p as usize)),
            Link::Top(p) => Some(top.get(p as usize)),
            Link::Base(tree) => Some(bases[tree as usize]),
            Link::Free(_) | Link::Removed => None,
        }
    }
}

impl<T: Real> Block<T> {
    /// Allocates the full state of leaves on which loads act.
    pub fn keep_leaves_whole(&mut self) {
        self.scratch.implicit.fill_up(Work::zero(), self.len());
    }
}

impl<T: Real> Block<T> {
    /// The same for `Analytic`.
    pub fn keep_analytic_leaves_whole(&mut self) {
        self.scratch.analytic.fill_up(composite_work::Work::zero(), self.len());
    }
}

impl<T> Block<T> {
    /// Number of places for leaves, which come last.
    pub fn leaf_places(&self) -> usize {
        self.plan.batches.iter().rev().take_while(|batch| batch.way == Way::Leaves).count() * LANES
    }

    /// Number of bodies, without padding.
    pub fn body_count(&self) -> usize {
        self.model.ids.iter().filter(|&&id| id != PADDING).count()
    }
}
