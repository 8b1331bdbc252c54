//! The crown volume: a solid of revolution about the trunk.

use std::f64::consts::PI;
use std::fmt;
use std::str::FromStr;

use glam::DVec3;

use crate::GrowError;
use crate::math::{pow, sin};
use windfall_core::random::Stream;

/// A crown as a list of heights and radii, m, with linear interpolation between them. Heights increase.
#[derive(Debug, Clone, PartialEq)]
pub struct CrownProfile {
    profile: Vec<(f64, f64)>,
    /// Volume below each height of the profile, m³.
    volumes: Vec<f64>,
}

/// Largest height and radius, smallest extent of a crown, m.
const MOST_HEIGHT: f64 = 200.0;
const MOST_RADIUS: f64 = 200.0;
const LEAST_EXTENT: f64 = 0.05;

/// Names of crowns without parameters, for error messages and help.
const NAMES: &str = "sphere, cone, column, dome, vase";

impl CrownProfile {
    /// A crown from pairs of height and radius, m.
    pub fn new(profile: Vec<(f64, f64)>) -> Result<Self, GrowError> {
        let wrong = |why: String| Err(GrowError::CrownProfile(why));
        if profile.len() < 2 {
            return wrong(format!("{} height:radius pairs: needs at least two", profile.len()));
        }
        for &(y, r) in &profile {
            if !((0.0..=MOST_HEIGHT).contains(&y) && (0.0..=MOST_RADIUS).contains(&r)) {
                let rule = format!("heights must be 0 to {MOST_HEIGHT} m, radii 0 to {MOST_RADIUS} m");
                return wrong(format!("{y}:{r}: {rule}"));
            }
        }
        if let Some(pair) = profile.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
            return wrong(format!("height {} after {}: heights must rise", pair[1].0, pair[0].0));
        }
        let crown = Self::of(profile);
        let (tall, wide) = (crown.top() - crown.bottom(), crown.widest());
        if wide == 0.0 {
            return wrong("all radii are zero: it holds no space".to_owned());
        }
        if tall < LEAST_EXTENT || wide < LEAST_EXTENT {
            return wrong(format!("{tall} m tall, {wide} m in radius: both must be at least {LEAST_EXTENT} m"));
        }
        Ok(crown)
    }

    /// Sums the volumes of the slices, which are frustums.
    fn of(profile: Vec<(f64, f64)>) -> Self {
        let mut volumes = vec![0.0];
        for pair in profile.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let slice = PI * (b.0 - a.0) * (a.1 * a.1 + a.1 * b.1 + b.1 * b.1) / 3.0;
            volumes.push(volumes[volumes.len() - 1] + slice);
        }
        Self { profile, volumes }
    }

    /// A named shape for a tree of this height and crown width, m. The crown begins at the fraction
    /// `clear` of the height.
    pub fn named(name: &str, height: f64, width: f64, clear: f64) -> Result<Self, GrowError> {
        // Crown radius as a function of the height in the crown, both 0 to 1.
        let shape: fn(f64) -> f64 = match name {
            "sphere" => |t| sin(PI * t).max(0.0).sqrt(),
            "cone" => |t| if t < 0.1 { t / 0.1 } else { (1.0 - t) / 0.9 },
            "column" => {
                |t| if t < 0.1 { 0.5 + 5.0 * t } else { (1.0 - ((t - 0.1) / 0.9) * ((t - 0.1) / 0.9)).max(0.0).sqrt() }
            }
            "dome" => |t| (1.0 - t * t).max(0.0).sqrt(),
            "vase" => |t| if t < 0.75 { t / 0.75 } else { (1.0 - (t - 0.75) / 0.25).max(0.0).sqrt() },
            _ => {
                return Err(GrowError::CrownProfile(format!(
                    "no shape called `{name}`: {NAMES}, or height:radius,..."
                )));
            }
        };
        let steps = 24;
        let point = |i: usize| {
            let t = i as f64 / steps as f64;
            (height * (clear + (1.0 - clear) * t), 0.5 * width * shape(t))
        };
        Self::new((0..=steps).map(point).collect())
    }

    /// The same shape, scaled.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self::of(self.profile.iter().map(|&(y, r)| (y * factor, r * factor)).collect())
    }

    /// Height of the top, m.
    pub fn top(&self) -> f64 {
        self.profile[self.profile.len() - 1].0
    }

    /// Height of the bottom, m.
    pub fn bottom(&self) -> f64 {
        self.profile[0].0
    }

    /// Largest radius, m.
    pub fn widest(&self) -> f64 {
        self.profile.iter().map(|p| p.1).fold(0.0, f64::max)
    }

    /// Area seen from above, m².
    pub fn widest_area(&self) -> f64 {
        PI * self.widest() * self.widest()
    }

    /// Volume, m³.
    pub fn volume(&self) -> f64 {
        self.volumes[self.volumes.len() - 1]
    }

    /// Radius at a height, m; zero above and below.
    pub fn radius_at(&self, y: f64) -> f64 {
        let above = self.profile.partition_point(|p| p.0 < y);
        if above == self.profile.len() || y < self.bottom() {
            return 0.0;
        }
        if above == 0 {
            return self.profile[0].1;
        }
        let (a, b) = (self.profile[above - 1], self.profile[above]);
        a.1 + (b.1 - a.1) * (y - a.0) / (b.0 - a.0)
    }

    /// Mean distance between this many points inside. A very flat or very thin crown counts as a disc or
    /// a line.
    pub(super) fn spacing(&self, points: usize) -> f64 {
        let n = points as f64;
        let solid = pow(self.volume() / n, 1.0 / 3.0);
        solid
            .max((self.widest_area() / n).sqrt().min(self.widest() / 4.0))
            .max((self.top() - self.bottom()) / (4.0 * n))
    }

    /// A random point inside, uniform over the volume.
    pub(super) fn sample(&self, stream: &mut Stream) -> DVec3 {
        let target = stream.unit() * self.volume();
        let above = self.volumes.partition_point(|&volume| volume <= target);
        let slice = above.clamp(1, self.profile.len() - 1) - 1;
        let (low, high) = (self.profile[slice], self.profile[slice + 1]);
        let widest = low.1.max(high.1);
        loop {
            // Rejection within a slice keeps at least a third: a cone fills a third of its cylinder.
            let (u, v, w) = (stream.unit(), stream.around(widest), stream.around(widest));
            let r = low.1 + (high.1 - low.1) * u;
            if v * v + w * w <= r * r {
                return DVec3::new(v, low.0 + (high.0 - low.0) * u, w);
            }
        }
    }
}

impl fmt::Display for CrownProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (y, r)) in self.profile.iter().enumerate() {
            write!(f, "{}{y:.2}:{r:.2}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for CrownProfile {
    type Err = GrowError;

    /// Reads `height:radius,height:radius,...` in metres.
    fn from_str(text: &str) -> Result<Self, GrowError> {
        let pair = |item: &str| {
            let (y, r) = item.split_once(':')?;
            Some((y.trim().parse().ok()?, r.trim().parse().ok()?))
        };
        let wrong = |item: &str| GrowError::CrownProfile(format!("`{item}` is not height:radius in metres"));
        Self::new(text.split(',').map(|item| pair(item).ok_or_else(|| wrong(item))).collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cylinder_has_its_volume_and_its_samples_fill_it() {
        let crown = CrownProfile::new(vec![(2.0, 3.0), (6.0, 3.0)]).unwrap();
        assert!((crown.volume() - PI * 9.0 * 4.0).abs() < 1e-9);
        let mut stream = Stream::new(1);
        let n = 20_000;
        let points: Vec<DVec3> = (0..n).map(|_| crown.sample(&mut stream)).collect();
        assert!(points.iter().all(|p| p.x * p.x + p.z * p.z <= 9.0 && (2.0..=6.0).contains(&p.y)));
        // Uniform over a disc: a quarter lies within half the radius (standard error 0.3 %).
        let inner = points.iter().filter(|p| p.x * p.x + p.z * p.z < 2.25).count() as f64 / f64::from(n);
        assert!((inner - 0.25).abs() < 0.015, "{inner}");
    }

    #[test]
    fn bad_crowns_are_refused_with_the_reason() {
        for (text, word) in [
            ("", "height:radius"),
            ("1:2", "two"),
            ("3:1,2:1", "rise"),
            ("1:0,2:0", "zero"),
            ("1:-1,2:1", "radii"),
            ("1:nan,2:1", "radii"),
            ("0:1,1e-320:1", "at least"),
            ("0:0,5:1e-30", "at least"),
            ("0:1,1e9:1", "heights"),
        ] {
            let error = text.parse::<CrownProfile>().unwrap_err().to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
        assert!(CrownProfile::named("cube", 10.0, 5.0, 0.2).is_err());
        for name in NAMES.split(", ") {
            let crown = CrownProfile::named(name, 10.0, 5.0, 0.2).unwrap();
            assert!((crown.top() - 10.0).abs() < 1e-9 && crown.volume() > 5.0, "{name}");
        }
    }
}
