//! Input of a step besides its length: gravity, air, moving ground and actions on bodies.

use std::sync::Arc;

use windfall_core::glam::DVec3;

use crate::actions::{Actions, Grab, Load, PieceContact, Touch};
use crate::base::Bases;
use crate::flow::Flow;
use crate::wind::Wind;

/// Acceleration of free fall on earth, m/s².
pub const EARTH: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// All external input of a step. By default the gravity of the earth and nothing else.
#[derive(Debug)]
pub struct StepInput<'a> {
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// The air around the bodies.
    pub air: Air<'a>,
    /// Motion of the ground under the trees; without it they stand still where they were grown.
    pub bases: Option<&'a dyn Bases>,
    /// Actions on bodies.
    pub actions: Actions<'a>,
}

impl Default for StepInput<'_> {
    fn default() -> Self {
        Self { gravity: EARTH, air: Air::Vacuum, bases: None, actions: Actions::default() }
    }
}

impl<'a> StepInput<'a> {
    /// The gravity of the earth and nothing else.
    pub fn new() -> Self {
        Self::default()
    }

    /// With another gravity, m/s².
    pub fn gravity(self, gravity: DVec3) -> Self {
        Self { gravity, ..self }
    }

    /// With a wind; none is a vacuum.
    pub fn wind(self, wind: Option<&'a Arc<dyn Wind>>) -> Self {
        Self { air: wind.map_or(Air::Vacuum, Air::Prescribed), ..self }
    }

    /// With coupled air.
    pub fn flow(self, flow: &'a mut dyn Flow) -> Self {
        Self { air: Air::Coupled(flow), ..self }
    }

    /// On ground that moves.
    pub fn bases(self, bases: &'a dyn Bases) -> Self {
        Self { bases: Some(bases), ..self }
    }

    /// With all of these actions.
    pub fn actions(self, actions: Actions<'a>) -> Self {
        Self { actions, ..self }
    }

    /// With forces and torques.
    pub fn loads(mut self, loads: &'a [Load]) -> Self {
        self.actions.loads = loads;
        self
    }

    /// With grabs by hands.
    pub fn grabs(mut self, grabs: &'a [Grab]) -> Self {
        self.actions.grabs = grabs;
        self
    }

    /// With touches.
    pub fn touches(mut self, touches: &'a [Touch]) -> Self {
        self.actions.touches = touches;
        self
    }

    /// With contacts of broken-off pieces.
    pub fn piece_contacts(mut self, piece_contacts: &'a [PieceContact]) -> Self {
        self.actions.piece_contacts = piece_contacts;
        self
    }

    /// The same input with other actions, for one sub-step.
    pub fn part<'b>(&'b mut self, actions: Actions<'b>) -> StepInput<'b> {
        StepInput { gravity: self.gravity, air: self.air.again(), bases: self.bases, actions }
    }
}

/// The air around the bodies.
#[derive(Debug, Default)]
pub enum Air<'a> {
    /// No air.
    #[default]
    Vacuum,
    /// Air with a prescribed velocity, unaffected by the trees. Solvers may sample it at the end of a step
    /// for the beginning of the next one, and identify it by its pointer.
    Prescribed(&'a Arc<dyn Wind>),
    /// Air that trees slow down.
    Coupled(&'a mut dyn Flow),
}

impl<'a> Air<'a> {
    /// Reborrows the air for another step.
    pub fn again(&mut self) -> Air<'_> {
        match self {
            Self::Vacuum => Air::Vacuum,
            Self::Prescribed(wind) => Air::Prescribed(wind),
            Self::Coupled(flow) => Air::Coupled(&mut **flow),
        }
    }

    /// The wind, if the air is prescribed.
    pub fn wind(&self) -> Option<&'a Arc<dyn Wind>> {
        match self {
            Self::Prescribed(wind) => Some(wind),
            _ => None,
        }
    }
}
