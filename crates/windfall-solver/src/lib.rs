//! The interface between trees and the methods that move them.
//!
//! A [`Solver`] moves the trees of one [`Plant`](windfall_core::Plant). Every method implements it, so that
//! one can replace another, and the code around solvers (stages, scenes, exporters) is written once.
//!
//! | module | contents |
//! |---|---|
//! | [`solver`] | [`Solver`]: the interface of every solver |
//! | [`capabilities`] | optional capabilities: joint loads, contacts, breaking, joint coordinates, rest shapes |
//! | [`input`] | [`StepInput`]: gravity, air, moving ground, actions |
//! | [`actions`] | forces, hands, touches, contacts of pieces |
//! | [`base`] | moving ground |
//! | [`wind`], [`flow`] | air with a prescribed velocity; air coupled to the trees |
//! | [`params`] | [`Params`]: all tunable parameters |
//! | [`strengths`] | loads at which joints break |
//! | [`selection`], [`pose`] | which bodies are simulated; which are placed |
//! | [`snapshot`] | saved states |
//! | [`group`] | a solver made of several: several plants' instances, near and far trees |
//! | [`error`] | errors of a step |

pub mod actions;
pub mod base;
pub mod capabilities;
pub mod error;
pub mod flow;
pub mod group;
pub mod input;
pub mod params;
pub mod pose;
pub mod selection;
pub mod snapshot;
pub mod solver;
pub mod strengths;
pub mod wind;

pub use actions::{Actions, Grab, Load, PieceContact, Touch};
pub use base::{Base, Bases, MovingBases};
pub use capabilities::{BodyPlace, Breakable, ContactResponse, JointAccess, JointLoads, RestShape};
pub use error::{LONGEST_STEP, SHORTEST_STEP, StepError, Unsupported, check_step};
pub use flow::Flow;
pub use group::Group;
pub use input::{Air, StepInput};
pub use params::{BodyValues, Curve, Params, ParamsError};
pub use pose::{PoseDetail, PoseRequest};
pub use selection::Selection;
pub use snapshot::{Snapshot, SnapshotError};
pub use solver::{Placement, Solver};
pub use strengths::{Overload, Strengths};
pub use wind::Wind;
pub use windfall_core::{BodyMotion, JointLoad};
