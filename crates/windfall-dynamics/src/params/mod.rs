//! What can be tuned while a simulation runs.

use windfall_core::glam::DVec3;
use windfall_core::{JointStrength, Plant};

/// What can be tuned.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// m/s².
    pub gravity: DVec3,
    /// Rayleigh alpha, 1/s.
    pub mass_damping: f64,
    /// Whether the rest shape is an equilibrium under gravity.
    pub keep_shape: bool,
    /// Multipliers of fictitious forces.
    pub fictitious: Fictitious,
}

impl Default for Params {
    fn default() -> Self {
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        Self { gravity, mass_damping: 0.0, keep_shape: false, fictitious: Fictitious::default() }
    }
}

/// What is wrong with parameters.
#[derive(Debug, thiserror::Error)]
#[error("wrong parameters")]
pub struct ParamsError;

/// What the engine needs of one body.
#[derive(Debug, Clone)]
pub struct BodyValues {
    /// Of mass and inertia.
    pub mass_scale: f64,
    /// N m/rad.
    pub stiffness: DVec3,
    /// N m s/rad.
    pub damping: DVec3,
    /// rad.
    pub bend_limit: f64,
    /// rad.
    pub twist_limit: f64,
    /// When it breaks.
    pub strength: JointStrength,
}

impl Params {
    /// Checks them.
    pub fn check(&self, _: &Plant) -> Result<(), ParamsError> {
        Ok(())
    }

    /// Of every body.
    pub fn values(&self, plant: &Plant) -> Vec<BodyValues> {
        plant
            .body_ids()
            .map(|id| {
                let j = plant.joint_properties(id);
                BodyValues {
                    mass_scale: 1.0,
                    stiffness: j.stiffness,
                    damping: j.damping,
                    bend_limit: f64::INFINITY,
                    twist_limit: f64::INFINITY,
                    strength: j.strength,
                }
            })
            .collect()
    }
}

/// Multipliers of fictitious forces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fictitious {
    /// From the base.
    pub root: f64,
    /// Linear acceleration of the parent.
    pub linear: f64,
    /// Angular acceleration of the parent.
    pub angular: f64,
    /// Coriolis.
    pub coriolis: f64,
    /// Gyroscopic.
    pub gyroscopic: f64,
}

impl Default for Fictitious {
    fn default() -> Self {
        Self { root: 1.0, linear: 0.0, angular: 0.0, coriolis: 0.0, gyroscopic: 0.0 }
    }
}
