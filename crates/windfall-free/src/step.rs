//! One step of all free bodies: wind, wake-up, broad phase, islands in parallel, sleep.

use std::ops::Range;

use rayon::prelude::*;
use windfall_core::glam::DVec3;
use windfall_solver::check_step;
use windfall_solver::wind::{Points, Velocities};
use windfall_solver::{StepError, Wind};

use super::bodies::FreeBodies;
use super::body::FreeBody;
use super::broad::{Bounds, MOST_PARTNERS};
use super::contact::MARGIN;
use super::error::FreeError;
use super::flight::{Drag, Pull, usable};
use super::groups::Groups;
use super::island::{Island, Other, Pair, View, Workspace};
use super::obstacles::Obstacles;
use super::sleep;
use windfall_solver::params::AirParams;

/// Points of one query of the wind.
const WIND_BATCH: usize = 512;
/// Bodies of one task of the broad phase.
const QUERY_BATCH: usize = 128;

/// Surroundings of the free bodies.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// The air; none is a vacuum, as for [`windfall_solver::Air::Vacuum`]. Still air is
    /// [`super::NoWind`].
    pub wind: Option<&'a dyn Wind>,
    /// The time at the beginning of the step, s.
    pub time: f64,
    /// Aerodynamic parameters.
    pub air: &'a AirParams,
    /// Static obstacles.
    pub obstacles: &'a Obstacles,
}

/// Reused lists.
#[derive(Default, Clone)]
pub(super) struct Scratch {
    /// The bodies at which the wind is sampled, and the samples.
    asked: Vec<u32>,
    points: [Vec<f32>; 3],
    winds: [Vec<f32>; 3],
    /// The moving bodies of this step, the actions on them, and their swept boxes.
    awake: Vec<u32>,
    pulls: Vec<Pull>,
    bounds: Vec<Bounds>,
    /// The index of each body among the moving ones.
    places: Vec<u32>,
    groups: Groups,
    moving: Vec<FreeBody>,
    moving_pulls: Vec<Pull>,
    surfaces: Vec<DVec3>,
    numbers: Vec<u32>,
    /// Which of them have hardly moved for some time, and which of these have only such neighbours.
    tired: Vec<bool>,
    sleepy: Vec<bool>,
    found: Vec<Pair>,
    pairs: Vec<Pair>,
}

/// Index of a body that does not move.
const STILL: u32 = u32::MAX;

impl FreeBodies {
    /// Moves all bodies by `dt` seconds.
    pub fn step(&mut self, surroundings: &Surroundings<'_>, dt: f64) -> Result<(), FreeError> {
        check_step(dt)?;
        let gravity = surroundings.gravity;
        // The limit of parameters.
        if !(gravity.is_finite() && gravity.length() <= 1e6) {
            return Err(StepError::BadGravity.into());
        }
        surroundings.air.check().map_err(|error| FreeError::BadAir(error.to_string()))?;
        if gravity != self.gravity {
            self.gravity = gravity;
            self.wake_all();
        }
        // The scratch is taken out so that both it and the bodies can be changed.
        let mut scratch = std::mem::take(&mut self.scratch);
        self.ask_wind(surroundings, &mut scratch);
        self.gather(surroundings, dt, &mut scratch);
        self.find_pairs(surroundings, dt, &mut scratch);
        self.move_islands(surroundings, dt, &mut scratch);
        self.settle(dt, &mut scratch);
        self.scratch = scratch;
        self.steps += 1;
        Ok(())
    }

    /// Samples the wind at all bodies that are awake and at some that sleep, and wakes those whose air has
    /// changed.
    fn ask_wind(&mut self, surroundings: &Surroundings<'_>, s: &mut Scratch) {
        s.asked.clear();
        for (i, rest) in self.rests.iter().enumerate() {
            if !rest.asleep || (i as u64 + self.steps).is_multiple_of(sleep::WATCH) && surroundings.wind.is_some() {
                s.asked.push(i as u32);
            }
        }
        let curl = libm::sin(surroundings.air.leaves.curl_degrees.to_radians());
        for (axis, (points, winds)) in s.points.iter_mut().zip(&mut s.winds).enumerate() {
            points.clear();
            points.extend(s.asked.iter().map(|&i| {
                let (body, rest) = (&self.bodies[i as usize], &self.rests[i as usize]);
                // The wind on a leaf in contact is that at its raised edge.
                let edge = if body.shape.is_blade() { body.reach() * curl } else { 0.0 };
                (body.position[axis] + edge * rest.surface[axis]) as f32
            }));
            winds.clear();
            winds.resize(s.asked.len(), 0.0);
        }
        let Some(wind) = surroundings.wind else { return };
        let [x, y, z] = &s.points;
        let [u, v, w] = &mut s.winds;
        let points = x.par_chunks(WIND_BATCH).zip(y.par_chunks(WIND_BATCH)).zip(z.par_chunks(WIND_BATCH));
        let winds = u.par_chunks_mut(WIND_BATCH).zip(v.par_chunks_mut(WIND_BATCH)).zip(w.par_chunks_mut(WIND_BATCH));
        points.zip(winds).for_each(|(((x, y), z), ((u, v), w))| {
            wind.velocities(surroundings.time, Points::new(x, y, z), Velocities::new(u, v, w));
        });
        for (k, &i) in s.asked.iter().enumerate() {
            let (body, rest) = (&self.bodies[i as usize], &mut self.rests[i as usize]);
            if rest.asleep {
                let drag = Drag::new(body, surroundings.air);
                let air = drag.acceleration(body, usable(s.wind(k)), rest.surface);
                if (air - rest.air).length_squared() > sleep::WAKING_AIR * sleep::WAKING_AIR {
                    (rest.asleep, rest.quiet) = (false, 0.0);
                }
            }
        }
    }

    /// Lists the bodies that are awake, the actions on them and their swept boxes.
    fn gather(&mut self, surroundings: &Surroundings<'_>, dt: f64, s: &mut Scratch) {
        s.awake.clear();
        s.pulls.clear();
        s.bounds.clear();
        s.places.clear();
        s.places.resize(self.bodies.len(), STILL);
        for k in 0..s.asked.len() {
            let i = s.asked[k];
            if !self.rests[i as usize].asleep {
                self.gather_one(i, s.wind(k), surroundings, dt, s);
            }
        }
    }

    fn gather_one(&self, i: u32, wind: DVec3, surroundings: &Surroundings<'_>, dt: f64, s: &mut Scratch) {
        let (body, rest) = (&self.bodies[i as usize], &self.rests[i as usize]);
        let vacuum = surroundings.wind.is_none();
        let drag = if vacuum { Drag::default() } else { Drag::new(body, surroundings.air) };
        let acceleration = surroundings.gravity + rest.force / body.mass;
        let pull = Pull { acceleration, torque: rest.torque, wind: usable(wind), drag, hold: rest.hold };
        s.places[i as usize] = s.awake.len() as u32;
        s.awake.push(i);
        s.bounds.push(Bounds::swept(body.position, body.velocity * dt, body.reach() + MARGIN + pull.sway(body, dt)));
        s.pulls.push(pull);
    }

    /// Finds pairs that may touch. Sleeping bodies near moving ones wake up.
    fn find_pairs(&mut self, surroundings: &Surroundings<'_>, dt: f64, s: &mut Scratch) {
        self.settle_trees();
        self.solids.clear_moving();
        self.blades.clear_moving();
        for (&i, bounds) in s.awake.iter().zip(&s.bounds) {
            if !self.bodies[i as usize].shape.is_blade() {
                self.solids.add_moving(i, bounds);
            } else if self.leaves_touch {
                self.blades.add_moving(i, bounds);
            }
        }
        self.solids.build_moving();
        self.blades.build_moving();

        s.found.clear();
        let first = s.awake.len();
        self.query(surroundings.obstacles, 0..first, s);
        for k in 0..s.found.len() {
            let (i, other) = s.found[k];
            if let Other::Sleeper(j) = other
                && self.rests[j as usize].asleep
                && sleep::wakes_others(&self.bodies[i as usize])
            {
                self.wake(j);
                // Bodies that just woke have wind from the next step on.
                self.gather_one(j, DVec3::ZERO, surroundings, dt, s);
            }
        }
        let all = s.awake.len();
        if all > first {
            self.query(surroundings.obstacles, first..all, s);
        }
    }

    /// Appends the possible partners of these bodies: all others as sleepers, by their number.
    fn query(&self, obstacles: &Obstacles, asking: Range<usize>, s: &mut Scratch) {
        // Bodies that wake in this step are still in the trees of sleepers, and query the others.
        let woken = asking.start > 0;
        let sleeps = |j: u32| match (self.rests.get(j as usize), s.places.get(j as usize)) {
            (Some(rest), Some(&place)) => rest.asleep || woken && asking.contains(&(place as usize)),
            _ => false,
        };
        let found: Vec<Vec<Pair>> = s.awake[asking.clone()]
            .par_chunks(QUERY_BATCH)
            .zip(s.bounds[asking.clone()].par_chunks(QUERY_BATCH))
            .map(|(awake, bounds)| {
                let mut found = Vec::new();
                for (&i, bounds) in awake.iter().zip(bounds) {
                    self.partners(i, bounds, obstacles, sleeps, &mut found);
                }
                found
            })
            .collect();
        s.found.extend(found.into_iter().flatten());
    }

    fn partners(
        &self,
        i: u32,
        bounds: &Bounds,
        obstacles: &Obstacles,
        sleeps: impl Fn(u32) -> bool,
        found: &mut Vec<Pair>,
    ) {
        let blade = self.bodies[i as usize].shape.is_blade();
        for (trees, asked) in [(&self.solids, true), (&self.blades, !blade || self.leaves_touch)] {
            if asked {
                let most = found.len() + MOST_PARTNERS;
                trees.moving_near(bounds, |j| {
                    if j != i {
                        found.push((i, Other::Sleeper(j)));
                    }
                    found.len() < most
                });
                let most = found.len() + MOST_PARTNERS;
                trees.sleepers_near(bounds, |j| {
                    if j != i && sleeps(j) {
                        found.push((i, Other::Sleeper(j)));
                    }
                    found.len() < most
                });
            }
        }
        obstacles.near(bounds.low, bounds.high, |j| found.push((i, Other::Obstacle(j))));
    }

    /// Groups the bodies into islands and moves them.
    fn move_islands(&mut self, surroundings: &Surroundings<'_>, dt: f64, s: &mut Scratch) {
        let links = s.found.iter().filter_map(|&(i, other)| match other {
            Other::Sleeper(j) if s.places[j as usize] != STILL => Some((s.places[i as usize], s.places[j as usize])),
            _ => None,
        });
        s.groups.make(s.awake.len(), links);
        // From here on indices are those in the order of groups.
        s.moving.clear();
        s.moving_pulls.clear();
        s.surfaces.clear();
        s.numbers.clear();
        for (place, &k) in s.groups.order.iter().enumerate() {
            let i = s.awake[k as usize];
            s.places[i as usize] = place as u32;
            s.moving.push(self.bodies[i as usize]);
            s.moving_pulls.push(s.pulls[k as usize]);
            s.numbers.push(i);
            s.surfaces.push(self.rests[i as usize].surface);
        }
        s.pairs.clear();
        for &(i, other) in &s.found {
            let place = s.places[i as usize];
            s.pairs.push(match other {
                Other::Sleeper(j) if s.places[j as usize] != STILL => {
                    let its = s.places[j as usize];
                    (place.max(its), Other::Member(place.min(its)))
                }
                other => (place, other),
            });
        }
        s.pairs.par_sort_unstable();
        s.pairs.dedup();

        let planes = surroundings.obstacles.half_spaces();
        let view = View {
            all: &self.bodies,
            obstacles: surroundings.obstacles,
            gravity: surroundings.gravity,
            memories: &self.memories,
        };
        let mut islands = Vec::with_capacity(s.groups.sizes.len());
        let (mut bodies, mut surfaces) = (&mut s.moving[..], &mut s.surfaces[..]);
        let (mut pulls, mut pairs, mut start) = (&s.moving_pulls[..], &s.pairs[..], 0);
        for &size in &s.groups.sizes {
            let size = size as usize;
            let end = start + size;
            let (own, rest) = std::mem::take(&mut bodies).split_at_mut(size);
            bodies = rest;
            let (own_surfaces, rest) = std::mem::take(&mut surfaces).split_at_mut(size);
            surfaces = rest;
            let (own_pulls, rest) = pulls.split_at(size);
            pulls = rest;
            let (own_pairs, rest) = pairs.split_at(pairs.partition_point(|&(i, _)| (i as usize) < end));
            pairs = rest;
            let near_half_space = own.iter().zip(own_pulls).any(|(body, pull)| {
                let reach = body.reach() + MARGIN + pull.sway(body, dt);
                planes.iter().any(|p| p.height(body.position) + (body.velocity * dt).dot(p.normal).min(0.0) < reach)
            });
            islands.push(Island {
                bodies: own,
                pulls: own_pulls,
                surfaces: own_surfaces,
                pairs: own_pairs,
                first: start as u32,
                near_half_space,
                numbers: &s.numbers[start..end],
                memories: Vec::new(),
            });
            start = end;
        }
        islands.par_iter_mut().for_each_init(Workspace::default, |work, island| island.step(&view, dt, work));
        self.memories.clear();
        for island in islands {
            self.memories.extend_from_slice(&island.memories);
        }
        self.memories.sort_unstable_by_key(|memory| memory.key);
    }

    /// Stores the new motions, and puts bodies at rest to sleep.
    fn settle(&mut self, dt: f64, s: &mut Scratch) {
        s.tired.clear();
        for place in 0..s.moving.len() {
            let i = s.awake[s.groups.order[place] as usize] as usize;
            let mut body = s.moving[place];
            if !(body.position.is_finite()
                && body.velocity.is_finite()
                && body.angular_velocity.is_finite()
                && body.orientation.is_finite())
            {
                // Not finite or out of range: it stays where it was.
                body = self.bodies[i];
                sleep::stop(&mut body);
            }
            self.bodies[i] = body;
            let rest = &mut self.rests[i];
            rest.surface = s.surfaces[place];
            let touches = rest.surface != DVec3::ZERO;
            rest.quiet = if touches && sleep::is_still(&body) { rest.quiet + dt } else { 0.0 };
            (rest.force, rest.torque, rest.hold) = (DVec3::ZERO, DVec3::ZERO, None);
            s.tired.push(rest.quiet >= sleep::QUIET);
        }
        s.sleepy.clear();
        s.sleepy.extend_from_slice(&s.tired);
        for &(i, other) in &s.pairs {
            if let Other::Member(j) = other {
                s.sleepy[i as usize] &= s.tired[j as usize];
                s.sleepy[j as usize] &= s.tired[i as usize];
            }
        }
        let mut start = 0;
        for &size in &s.groups.sizes {
            let end = start + size as usize;
            let all = s.tired[start..end].iter().all(|tired| *tired);
            for place in start..end {
                if all || size as usize > sleep::TOGETHER && s.sleepy[place] {
                    let i = s.awake[s.groups.order[place] as usize];
                    let pull = &s.moving_pulls[place];
                    let body = &mut self.bodies[i as usize];
                    sleep::stop(body);
                    let rest = &mut self.rests[i as usize];
                    rest.asleep = true;
                    rest.air = pull.drag.acceleration(body, pull.wind, rest.surface);
                    self.add_sleeper(i);
                }
            }
            start = end;
        }
    }
}

impl Scratch {
    fn wind(&self, k: usize) -> DVec3 {
        let [u, v, w] = &self.winds;
        DVec3::new(f64::from(u[k]), f64::from(v[k]), f64::from(w[k]))
    }
}
