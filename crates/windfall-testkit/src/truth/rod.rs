//! A round rod with linear taper, in the quantities of beam theory.

use std::f64::consts::PI;

use windfall_core::WoodMaterial;

/// Dimensions and material of a straight round rod.
#[derive(Debug, Clone, PartialEq)]
pub struct Rod {
    /// Length, m.
    pub length: f64,
    /// Radius at the clamp, m.
    pub base_radius: f64,
    /// Radius at the free end, m.
    pub tip_radius: f64,
    /// Material.
    pub material: WoodMaterial,
}

impl Rod {
    /// 1 m long and 1 cm thick, soft enough (1 GPa) to sag by half its length: w L^3 / EI = 1.57.
    pub fn soft() -> Self {
        Self { length: 1.0, base_radius: 0.005, tip_radius: 0.005, material: wood(1e9) }
    }

    /// The rod with its tip radius as this fraction of the base radius.
    pub fn tapered(mut self, ratio: f64) -> Self {
        self.tip_radius = ratio * self.base_radius;
        self
    }

    /// Radius at `s` from the clamp, m.
    pub fn radius(&self, s: f64) -> f64 {
        self.base_radius + (self.tip_radius - self.base_radius) * s / self.length
    }

    /// Bending stiffness E I, N m².
    pub fn bending_stiffness(&self, s: f64) -> f64 {
        self.material.youngs_modulus * PI * self.radius(s).powi(4) / 4.0
    }

    /// Torsional stiffness G J, N m².
    pub fn twist_stiffness(&self, s: f64) -> f64 {
        self.material.shear_modulus * PI * self.radius(s).powi(4) / 2.0
    }

    /// Mass per length rho A, kg/m.
    pub fn mass_per_length(&self, s: f64) -> f64 {
        self.material.density * PI * self.radius(s).powi(2)
    }

    /// Rotational inertia per length rho J, kg m.
    pub fn spin_inertia_per_length(&self, s: f64) -> f64 {
        self.material.density * PI * self.radius(s).powi(4) / 2.0
    }
}

/// Undamped unbreakable wood of 1000 kg/m³ with this Young's modulus, Pa, and G / E = 0.07.
pub fn wood(youngs_modulus: f64) -> WoodMaterial {
    WoodMaterial {
        name: "test wood".into(),
        source: "made up".into(),
        density: 1000.0,
        youngs_modulus,
        shear_modulus: 0.07 * youngs_modulus,
        damping: 0.0,
        modulus_of_rupture: 1e12,
        shear_strength: 1e12,
    }
}
