//! Aerodynamic parameters of bodies: quigley2017, eq. 21 to 24.
//!
//! With v the velocity of the air relative to the body at its centre of mass, rho the density of air, m the
//! mass and I the inertia of the body:
//!
//! ```text
//! wood    f = kappa rho A |v_n| v_n                        A longitudinal section, v_n across the axis  (21)
//! fruit   f = kappa rho A |v| v                            A section of the sphere                      (22)
//! leaves  f = kappa rho A |v| v_n + nu m (v_n + v_t / xi)  A area, v_n along the normal n, v_t the rest (23)
//!         t = torque kappa rho A/2 sqrt(A / pi) (v.n) n x (v cos phi + n x v sin phi)
//!             - nu I omega - s kappa rho A |v| / m I omega                          the last is ours    (24)
//! ```
//!
//! kappa is half the drag coefficient of a textbook.

use serde::{Deserialize, Serialize};

/// Aerodynamic parameters of bodies: see the head of the module for the equations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AirParams {
    /// rho, kg/m³; 1.225 by default (15 °C at sea level).
    pub density: f64,
    /// kappa of wood; 0.5 by default: a long cylinder across the wind has a drag coefficient of 1.0
    /// (Hoerner 1965, below the drag crisis).
    pub branches: f64,
    /// kappa of fruit; 0.235 by default: a sphere has a drag coefficient of 0.47.
    pub fruit: f64,
    /// Leaves and petals.
    pub leaves: LeafAirParams,
}

/// Aerodynamic parameters of leaves and petals.
///
/// The torque (24) turns a leaf across the wind, as air does with plates; a turned leaf glides, gains speed
/// and overshoots. The style of the fall depends on the decay rate of turning relative to that of falling,
/// [`LeafAirParams::spin_drag`], whatever the size and mass of the leaf. Above 1 the swing decays, below it
/// grows to a steady flutter, further below the leaf tumbles (the order of styles is that of Field et al.
/// 1997, Nature 388, for discs of growing moment of inertia). Falls of a leaf of 6 cm x 6 cm and 0.2 g in
/// still air:
///
/// | preset | `torque` | `spin_drag` | `spiral_degrees` | fall | motion |
/// |---|---|---|---|---|---|
/// | `steady` | 0.5 | 2 | 0 | 1.2 m/s | comes down level, like a parachute |
/// | `flutter` | 0.5 | 0.85 | 0 | 1.5 m/s | swings from side to side, 50° either way, three times a second |
/// | `tumble` | 0.5 | 0.5 | 0 | 2.0 m/s | turns over two and a half times a second and drifts aside at 0.6 m/s |
/// | `spiral` | 0.3 | 1 | 30 | 1.8 m/s | goes round three times a second, leaning by 36° to 57° |
/// | `chaotic` | 0.1 | 0.6 | 0 | 1.9 m/s | swings, dives and turns over, never twice the same |
/// | `default` | 0.3 | 0.8 | 0 | 1.7 m/s | wide swings, 67° either way; narrow and light leaves turn over now and then |
///
/// The same presets do much the same for leaves of other sizes and masses; narrow leaves are the least
/// regular.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeafAirParams {
    /// kappa; 0.55 by default: a plate across the wind has a drag coefficient of 1.1.
    pub drag: f64,
    /// Multiplier of the torque (24), besides kappa; 0.3 by default. Swings get faster with its square root.
    pub torque: f64,
    /// nu: friction per mass, 1/s; 0.5 by default.
    pub friction: f64,
    /// xi: normal friction over tangential; 4 by default.
    pub friction_ratio: f64,
    /// phi: rotation of the torque about the normal, degrees; 0 by default. It makes falling leaves spiral:
    /// 10 to 50 are useful, beyond 60 leaves dive on edge.
    pub spiral_degrees: f64,
    /// Decay rate of turning over that of falling: the torque `-s kappa rho A |v| / m I omega` about x and
    /// y; 0.8 by default.
    ///
    /// (24) has no such term. There nu alone damps the turning, and with values of nu that leave the fall
    /// unchanged a leaf spins up to hundreds of radians a second. The pressure against a plate that turns
    /// in a stream is proportional to the speed of the stream.
    pub spin_drag: f64,
    /// Angle by which the edge of a resting leaf stands up against the wind, degrees; 15 by default, 60 at
    /// most.
    ///
    /// Leaves on the ground are not flat: wind along the ground gets under an edge. While a leaf touches
    /// something, air acts on it as if it were tilted by this angle c, with the wind at that edge. It
    /// begins to slide at about `sqrt(m g / (kappa rho A (sin c cos c + sin² c / mu)))`; at 0 the wind
    /// never lifts it.
    pub curl_degrees: f64,
}

impl LeafAirParams {
    /// Comes down level.
    pub fn steady() -> Self {
        Self { torque: 0.5, spin_drag: 2.0, ..Self::default() }
    }

    /// Swings from side to side.
    pub fn flutter() -> Self {
        Self { torque: 0.5, spin_drag: 0.85, ..Self::default() }
    }

    /// Tumbles and drifts aside.
    pub fn tumble() -> Self {
        Self { torque: 0.5, spin_drag: 0.5, ..Self::default() }
    }

    /// Goes round in a helix.
    pub fn spiral() -> Self {
        Self { torque: 0.3, spin_drag: 1.0, spiral_degrees: 30.0, ..Self::default() }
    }

    /// Irregular: swings, dives and turns over.
    pub fn chaotic() -> Self {
        Self { torque: 0.1, spin_drag: 0.6, ..Self::default() }
    }
}

impl Default for AirParams {
    fn default() -> Self {
        Self { density: 1.225, branches: 0.5, fruit: 0.235, leaves: LeafAirParams::default() }
    }
}

impl Default for LeafAirParams {
    fn default() -> Self {
        Self {
            drag: 0.55,
            torque: 0.3,
            friction: 0.5,
            friction_ratio: 4.0,
            spiral_degrees: 0.0,
            spin_drag: 0.8,
            curl_degrees: 15.0,
        }
    }
}
