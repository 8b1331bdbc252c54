//! Winds of the Beaufort scale over open country.
//!
//! Speeds at 10 m follow the law of the scale, v = 0.836 B^1.5 m/s (WMO, Manual on Codes: the ranges are
//! [`BEAUFORT`]). A preset is a mean wind with slow gusts under the logarithmic law over a meadow (z0 =
//! 0.03 m), and turbulence.
//!
//! Over flat country `sigma_u` / u = 1 / ln(z / z0) in neutral air (with `sigma_u` = 2.5 u_*), 0.172 at 10
//! m, and `sigma_u` hardly changes with height. The turbulence is therefore added to the profile instead
//! of being scaled by it. Gusts take 0.1 of that, the turbulence the rest: 0.1² + 0.14² = 0.172². The
//! integral length is that of ESDU 74031 at 10 m: 25 z^0.35 z0^-0.063 = 70 m (quoted from memory).

use crate::combine::Sum;
use crate::profile::Profile;
use crate::spec::{Model, WindSpec};
use crate::turbulence::Turbulence;
use crate::uniform::Uniform;

/// Names and speeds (lowest and highest, m/s at 10 m) of the numbers 0 to 12. The last range is unbounded.
pub const BEAUFORT: [(&str, f64, f64); 13] = [
    ("calm", 0.0, 0.2),
    ("light-air", 0.3, 1.5),
    ("light-breeze", 1.6, 3.3),
    ("gentle-breeze", 3.4, 5.4),
    ("moderate-breeze", 5.5, 7.9),
    ("fresh-breeze", 8.0, 10.7),
    ("strong-breeze", 10.8, 13.8),
    ("near-gale", 13.9, 17.1),
    ("gale", 17.2, 20.7),
    ("strong-gale", 20.8, 24.4),
    ("storm", 24.5, 28.4),
    ("violent-storm", 28.5, 32.6),
    ("hurricane", 32.7, f64::INFINITY),
];

/// The wind of a Beaufort number, from the west; numbers above 12 count as 12.
pub fn beaufort(number: u8) -> WindSpec {
    open_country(beaufort_speed(f64::from(number.min(12))))
}

/// A wind by its Beaufort name; `breeze` lies between gentle and moderate. `None` for an unknown name.
///
/// ```
/// let mut gale = windfall_wind::preset("gale").unwrap();
/// gale.period = Some(20.0);
/// println!("{}", gale.to_toml());
/// ```
pub fn preset(name: &str) -> Option<WindSpec> {
    if name == "breeze" {
        return Some(open_country(beaufort_speed(3.5)));
    }
    let number = BEAUFORT.iter().position(|(known, ..)| *known == name)?;
    Some(beaufort(number as u8))
}

/// Mean speed at 10 m of a Beaufort number, m/s.
pub fn beaufort_speed(number: f64) -> f64 {
    0.836 * number.max(0.0) * number.max(0.0).sqrt()
}

/// A west wind with this mean speed (m/s) at 10 m over a meadow.
fn open_country(speed: f64) -> WindSpec {
    // Rounded for legible descriptions.
    let speed = (speed * 100.0).round() / 100.0;
    let gusty = Uniform { speed, gusts: 0.1, gust_period: 8.0, ..Uniform::default() };
    let profile = Profile { wind: Box::new(Model::Uniform(gusty)), ..Profile::default() };
    let turbulence = Turbulence { speed, intensity: 0.14, mean: false, ..Turbulence::default() };
    Model::Sum(Sum { winds: vec![Model::Profile(profile), Model::Turbulence(turbulence)] }).into()
}
