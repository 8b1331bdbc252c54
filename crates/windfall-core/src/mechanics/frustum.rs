//! A conical frustum of wood: closed forms for the mechanics of one segment.
//!
//! With base radius `a`, tip radius `b`, length `L`, density `rho` and `r(y) = a + (b - a) y / L`:
//!
//! ```text
//! volume            V   = pi L (a^2 + a b + b^2) / 3
//! centre of mass    y_c = L (a^2 + 2 a b + 3 b^2) / (4 (a^2 + a b + b^2))
//! axial inertia     I_y = rho integral pi r^4 / 2 dy = rho pi L (a^4 + a^3 b + a^2 b^2 + a b^3 + b^4) / 10
//! transverse        I_x = I_y / 2 + rho integral pi r^2 y^2 dy - m y_c^2
//!                       = I_y / 2 + rho pi L^3 (a^2 + 3 a b + 6 b^2) / 30 - m y_c^2        (I_z = I_x)
//! bending compliance    integral dy / (E pi r^4 / 4) = 4 L (a^2 + a b + b^2) / (3 pi E a^3 b^3)
//! section modulus   Z   = pi r^3 / 4  (bending),  pi r^3 / 2  (twist)
//! ```

use std::f64::consts::PI;

use glam::DVec3;

use super::MassProperties;

/// A conical frustum, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frustum {
    /// Radius at y = 0.
    pub base_radius: f64,
    /// Radius at y = length.
    pub tip_radius: f64,
    /// Distance from base to tip.
    pub length: f64,
}

impl Frustum {
    /// A frustum with equal radii.
    pub fn cylinder(radius: f64, length: f64) -> Self {
        Self { base_radius: radius, tip_radius: radius, length }
    }

    fn square_sum(&self) -> f64 {
        let (a, b) = (self.base_radius, self.tip_radius);
        a * a + a * b + b * b
    }

    /// Radius at the distance `y` from the base, m.
    pub fn radius_at(&self, y: f64) -> f64 {
        self.base_radius + (self.tip_radius - self.base_radius) * y / self.length
    }

    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        PI * self.length * self.square_sum() / 3.0
    }

    /// Mass properties for a uniform density in kg/m³.
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        let (a, b, l) = (self.base_radius, self.tip_radius, self.length);
        let mass = density * self.volume();
        let y = l * (a * a + 2.0 * a * b + 3.0 * b * b) / (4.0 * self.square_sum());
        let axial = density * PI * l * (a.powi(4) + a.powi(3) * b + a * a * b * b + a * b.powi(3) + b.powi(4)) / 10.0;
        // Integral of pi r^2 (y - y_c)^2 as a sum of positive terms: subtracting m y_c^2 from the moment
        // about the base would suffer from cancellation.
        let spread =
            l * l * (a.powi(4) + 4.0 * a.powi(3) * b + 10.0 * a * a * b * b + 4.0 * a * b.powi(3) + b.powi(4)) * 3.0
                / (80.0 * self.square_sum() * self.square_sum());
        let transverse = 0.5 * axial + mass * spread;
        MassProperties {
            mass,
            center_of_mass: DVec3::new(0.0, y, 0.0),
            inertia: DVec3::new(transverse, axial, transverse),
        }
    }

    /// The half between base and middle.
    pub fn lower_half(&self) -> Self {
        let middle = 0.5 * (self.base_radius + self.tip_radius);
        Self { base_radius: self.base_radius, tip_radius: middle, length: 0.5 * self.length }
    }

    /// The half between middle and tip.
    pub fn upper_half(&self) -> Self {
        let middle = 0.5 * (self.base_radius + self.tip_radius);
        Self { base_radius: middle, tip_radius: self.tip_radius, length: 0.5 * self.length }
    }

    /// Integral of ds / I over the length, with the area moment I = pi r⁴ / 4; m⁻³. Divided by Young's
    /// modulus it is the bending compliance. In torsion J = 2 I, so the compliance is half of it over
    /// the shear modulus.
    pub fn flexibility(&self) -> f64 {
        let (a, b) = (self.base_radius, self.tip_radius);
        4.0 * self.length * self.square_sum() / (3.0 * PI * (a * b).powi(3))
    }

    /// Area of the longitudinal section, m²: the silhouette from the side, on which drag acts
    /// (quigley2017, eq. 21).
    pub fn drag_area(&self) -> f64 {
        self.length * (self.base_radius + self.tip_radius)
    }
}

/// Area of a full circle, pi r², m².
pub fn section(radius: f64) -> f64 {
    PI * radius.powi(2)
}

/// Section modulus in bending of a full circle, pi r³ / 4, m³. Moment / Z = largest stress in the
/// section.
pub fn section_modulus(radius: f64) -> f64 {
    PI * radius.powi(3) / 4.0
}

/// Section modulus in torsion of a full circle, pi r³ / 2, m³.
pub fn twist_section_modulus(radius: f64) -> f64 {
    2.0 * section_modulus(radius)
}
