//! Breaking in a wind of growing speed.

use std::sync::Arc;

use windfall_core::Plant;
use windfall_solver::Wind;
use windfall_wind::{Model, Profile, Uniform, WindSpec};

use super::parts::Break;
use super::sway::{Rest, Tunnel};
use super::{AssessError, AssessOptions, InWind};

/// Wind of growing speed from one direction.
pub(super) struct Weather<'a> {
    pub options: &'a AssessOptions,
    pub from_degrees: f64,
    pub plant: &'a Plant,
    pub tunnel: Tunnel<'a>,
}

/// Tolerance of the breaking speeds: this, m/s, or this share of the strength.
const CLOSE: (f64, f64) = (0.05, 0.002);

impl Weather<'_> {
    /// Raises the wind speed step by step, until the trunk breaks or to the greatest speed.
    pub fn rise(mut self, progress: &mut dyn FnMut(f64)) -> Result<InWind, AssessError> {
        let mut sway = Vec::new();
        let mut breaks: [Option<Break>; 2] = [None, None];
        let mut last = self.at(0.0)?;
        let mut speed = 0.0;
        let mut now = last;
        let most = self.options.max_speed;
        let mut count = 0.0;
        loop {
            sway.push(now.sway);
            for (kind, found) in breaks.iter_mut().enumerate() {
                if found.is_none() && now.used(kind) >= 1.0 {
                    *found = Some(self.between(kind, last, now)?);
                }
            }
            progress(speed / most);
            if breaks[TRUNK].is_some() || speed >= most {
                break;
            }
            last = now;
            count += 1.0;
            speed = (count * self.options.speed_step).min(most);
            now = self.at(speed)?;
        }
        let [trunk, first_branch] = breaks;
        Ok(InWind { from_degrees: self.from_degrees, sway, first_branch, trunk })
    }

    /// The breaking speed of a kind of wood between two speeds: regula falsi over the square of the speed,
    /// to which loads are nearly proportional, with bisection where it is slow.
    fn between(&mut self, kind: usize, mut below: Rest, mut above: Rest) -> Result<Break, AssessError> {
        let square = |rest: &Rest| rest.sway.wind_m_s.powi(2);
        let crossing = |below: &Rest, above: &Rest| {
            let (low, high) = (below.used(kind), above.used(kind));
            let share = if high > low { ((1.0 - low) / (high - low)).clamp(0.0, 1.0) } else { 1.0 };
            (square(below) + share * (square(above) - square(below))).sqrt()
        };
        let mut bisect = false;
        while above.sway.wind_m_s - below.sway.wind_m_s > CLOSE.0 {
            let guess = crossing(&below, &above);
            let middle = 0.5 * (below.sway.wind_m_s + above.sway.wind_m_s);
            let width = above.sway.wind_m_s - below.sway.wind_m_s;
            let speed = if bisect {
                middle
            } else {
                guess.clamp(below.sway.wind_m_s + 0.02 * width, above.sway.wind_m_s - 0.02 * width)
            };
            let rest = self.at(speed)?;
            let used = rest.used(kind);
            if used >= 1.0 {
                above = rest;
            } else {
                below = rest;
            }
            if (used - 1.0).abs() < CLOSE.1 {
                let worst = rest.worst[kind];
                return Ok(self.tunnel.parts.broken(self.plant, worst, crossing(&below, &above)));
            }
            // The interval is at least halved every other time.
            bisect = !bisect && above.sway.wind_m_s - below.sway.wind_m_s > 0.5 * width;
        }
        Ok(self.tunnel.parts.broken(self.plant, above.worst[kind], crossing(&below, &above)))
    }

    fn at(&mut self, speed: f64) -> Result<Rest, AssessError> {
        let real = speed * self.options.gust_factor;
        let wind = self.wind(real)?;
        self.tunnel.blow(speed, real, Some(&wind))
    }

    fn wind(&self, speed: f64) -> Result<Arc<dyn Wind>, AssessError> {
        let uniform = Model::Uniform(Uniform { speed, from_degrees: self.from_degrees, ..Uniform::default() });
        let parts = self.tunnel.parts;
        let spec: WindSpec = match self.options.roughness {
            None => uniform.into(),
            Some(roughness) => Model::Profile(Profile {
                reference_height: self.options.reference_height.unwrap_or(parts.height),
                roughness,
                displacement: 0.0,
                ground: self.plant.rest_position(parts.foot).y,
                wind: Box::new(uniform),
            })
            .into(),
        };
        Ok(Arc::new(spec.build()?))
    }
}

/// Index of the trunk; the other kind of wood is branches.
const TRUNK: usize = 0;

impl Rest {
    fn used(&self, kind: usize) -> f64 {
        if kind == TRUNK { self.sway.trunk_used } else { self.sway.branches_used }
    }
}
