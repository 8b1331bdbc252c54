//! How air acts on bodies: the parameters of quigley2017, eq. 21 to 24.
//!
//! With v the velocity of the air relative to the body at its centre of mass, rho the density of air, m the mass and I the inertia of the body:
//!
//! ```text
//! wood    f = kappa rho A |v_n| v_n                            A the longitudinal section, v_n across the axis      (21)
//! fruit   f = kappa rho A |v| v                                A the section of the sphere                          (22)
//! leaves  f = kappa rho A |v| v_n + nu m (v_n + v_t / xi)      A the area, v_n along the normal n, v_t the rest     (23)
//!         t = kappa rho A/2 sqrt(A / pi) (v.n) n x (v cos phi + n x v sin phi) - nu I omega                         (24)
//! ```
//!
//! kappa is half the drag coefficient of a textbook.

use serde::{Deserialize, Serialize};

/// How air acts on bodies: see the head of the module for the equations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Air {
    /// rho, kg/m³; 1.225 by default (15 °C at sea level).
    pub density: f64,
    /// kappa of wood; 0.5 by default: a long cylinder across the wind has a drag coefficient of 1.0 (Hoerner 1965, below the drag crisis).
    pub branches: f64,
    /// kappa of fruit; 0.235 by default: a sphere has a drag coefficient of 0.47.
    pub fruit: f64,
    /// Leaves and petals.
    pub leaves: LeafAir,
}

/// How air acts on leaves and petals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeafAir {
    /// kappa; 0.55 by default: a plate across the wind has a drag coefficient of 1.1.
    pub drag: f64,
    /// Multiplier of the torque (24), besides kappa; 1 by default.
    pub torque: f64,
    /// nu: friction per mass, 1/s; 0.5 by default.
    pub friction: f64,
    /// xi: normal friction over tangential; 4 by default.
    pub friction_ratio: f64,
    /// phi: how far the torque is turned about the normal, degrees; 0 by default. What turns it makes falling leaves spiral.
    pub spiral_degrees: f64,
    /// Multiplier of the drag on turning, which (24) does not have; 1 by default.
    pub spin_drag: f64,
}

impl Default for Air {
    fn default() -> Self {
        Self { density: 1.225, branches: 0.5, fruit: 0.235, leaves: LeafAir::default() }
    }
}

impl Default for LeafAir {
    fn default() -> Self {
        Self { drag: 0.55, torque: 1.0, friction: 0.5, friction_ratio: 4.0, spiral_degrees: 0.0, spin_drag: 1.0 }
    }
}
