//! Distributions of leaf inclination.
//!
//! `theta` is the angle between the normal of a leaf and the vertical (0: a horizontal leaf), between 0
//! and pi / 2. The densities are those of de Wit (1965), and of the surface of a sphere:
//!
//! ```text
//! spherical      g = sin theta                    G = 1 - cos theta
//! uniform        g = 2 / pi                       G = 2 theta / pi
//! planophile     g = 2 (1 + cos 2 theta) / pi     G = 2 (theta + sin(2 theta) / 2) / pi
//! erectophile    g = 2 (1 - cos 2 theta) / pi     G = 2 (theta - sin(2 theta) / 2) / pi
//! plagiophile    g = 2 (1 - cos 4 theta) / pi     G = 2 (theta - sin(4 theta) / 4) / pi
//! extremophile   g = 2 (1 + cos 4 theta) / pi     G = 2 (theta + sin(4 theta) / 4) / pi
//! ```
//!
//! A random angle is the solution of `G(theta) = u` for a uniform `u`.

use std::f64::consts::{FRAC_PI_2, PI};

use libm::{acos, cos, sin};

/// Distribution of the inclinations of leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AngleDistribution {
    /// As on the surface of a sphere: the usual assumption without measurements.
    #[default]
    Spherical,
    /// All inclinations equally likely.
    Uniform,
    /// Mostly horizontal.
    Planophile,
    /// Mostly upright.
    Erectophile,
    /// Mostly oblique.
    Plagiophile,
    /// Mostly horizontal or upright.
    Extremophile,
}

impl AngleDistribution {
    /// All distributions.
    pub const ALL: [Self; 6] =
        [Self::Spherical, Self::Uniform, Self::Planophile, Self::Erectophile, Self::Plagiophile, Self::Extremophile];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spherical => "spherical",
            Self::Uniform => "uniform",
            Self::Planophile => "planophile",
            Self::Erectophile => "erectophile",
            Self::Plagiophile => "plagiophile",
            Self::Extremophile => "extremophile",
        }
    }

    /// The distribution with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|distribution| distribution.name() == name)
    }

    /// Density at the inclination `theta`, per radian.
    pub fn density(self, theta: f64) -> f64 {
        let of = |sign: f64, times: f64| 2.0 / PI * (1.0 + sign * cos(times * theta));
        match self {
            Self::Spherical => sin(theta),
            Self::Uniform => 2.0 / PI,
            Self::Planophile => of(1.0, 2.0),
            Self::Erectophile => of(-1.0, 2.0),
            Self::Plagiophile => of(-1.0, 4.0),
            Self::Extremophile => of(1.0, 4.0),
        }
    }

    /// Fraction of leaves with an inclination below `theta`.
    pub fn cumulative(self, theta: f64) -> f64 {
        let of = |sign: f64, times: f64| 2.0 / PI * (theta + sign * sin(times * theta) / times);
        match self {
            Self::Spherical => 1.0 - cos(theta),
            Self::Uniform => 2.0 / PI * theta,
            Self::Planophile => of(1.0, 2.0),
            Self::Erectophile => of(-1.0, 2.0),
            Self::Plagiophile => of(-1.0, 4.0),
            Self::Extremophile => of(1.0, 4.0),
        }
    }

    /// Inverse of the cumulative distribution: the inclination below which the fraction `u` of leaves
    /// lies, radians. A uniform `u` between 0 and 1 gives a random inclination.
    pub fn quantile(self, u: f64) -> f64 {
        let u = u.clamp(0.0, 1.0);
        match self {
            Self::Spherical => return acos(1.0 - u),
            Self::Uniform => return FRAC_PI_2 * u,
            _ => {}
        }
        // Newton's method, with bisection where the density vanishes and a step would leave the bracket.
        let (mut low, mut high) = (0.0, FRAC_PI_2);
        let mut theta = FRAC_PI_2 * u;
        for _ in 0..60 {
            let error = self.cumulative(theta) - u;
            if error > 0.0 {
                high = theta;
            } else {
                low = theta;
            }
            let next = theta - error / self.density(theta);
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            if (next - theta).abs() < 1e-15 {
                break;
            }
            theta = next;
        }
        theta
    }
}
