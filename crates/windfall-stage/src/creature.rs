//! A creature: a mass that runs along branches, leaps, and lands on another tree (the squirrel of
//! quigley2017, Fig. 15).
//!
//! On a branch it moves with the contact point and, at its own speed s, along the wood (unit vector t).
//! With c its velocity before the step, the branch receives
//!
//! ```text
//! J = m (c + g h - s t - v')
//! ```
//!
//! in a step, v' the velocity of the point at the end: weight, inertia, and the kick-off when it starts to
//! run. A leap gives the branch the whole change of the creature's momentum; the flight is steered to meet
//! its moving target at the given time; the landing is an inelastic impact on the branch.

use thiserror::Error;
use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{Body, BodyRef, Plant};
use windfall_solver::{Load, Touch};

use super::Stage;

/// A place on the wood, and the way there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// A segment of a branch.
    pub body: BodyRef,
    /// Position along it, from 0 at its joint to 1 at its tip.
    pub at: f64,
    /// Way from the stop before.
    pub by: Way,
}

/// Ways from one stop to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Way {
    /// Along the wood of one tree, at this speed, m/s.
    Run(f64),
    /// Through the air, in this time, s.
    Leap(f64),
    /// It stays at the stop before for this many seconds; the place of this stop is ignored.
    Rest(f64),
}

/// Why a creature is invalid.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CreatureError {
    /// A number out of its range.
    #[error("{what} = {value}; it must be {rule}")]
    BadNumber {
        /// The name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range.
        rule: &'static str,
    },
    /// A stop that is not on wood.
    #[error("stop {stop}: body {body} is not a segment of a branch")]
    NotWood {
        /// Index of the stop, from 0.
        stop: usize,
        /// The body.
        body: u32,
    },
    /// It can't run from one tree to another.
    #[error("stop {stop}: it can't run there from another tree; let it leap")]
    OtherTree {
        /// Index of the stop, from 0.
        stop: usize,
    },
    /// A creature without stops.
    #[error("a creature needs at least one stop")]
    NoStop,
}

/// Present activity.
#[derive(Debug, Clone, PartialEq)]
enum Doing {
    /// On the wood: the remaining spans of the route, the first of which it is on, and its position along
    /// that span, m.
    Running { route: Vec<Span>, along: f64 },
    /// On the wood, for the remaining seconds.
    Resting(f64),
    /// In the air, for the remaining seconds.
    Flying(f64),
    /// It has arrived at its last stop.
    Done,
}

/// A stretch of one segment, from one distance from its joint to another, m.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    body: BodyRef,
    from: f64,
    to: f64,
}

impl Span {
    fn length(&self) -> f64 {
        (self.to - self.from).abs()
    }
}

/// A mass that runs and leaps; see the head of the module.
#[derive(Debug, Clone, PartialEq)]
pub struct Creature {
    mass: f64,
    radius: f64,
    stops: Vec<Stop>,
    /// Index of the next stop.
    next: usize,
    doing: Doing,
    /// Position on the wood: body, and distance from its joint, m.
    at: (BodyRef, f64),
    position: DVec3,
    velocity: DVec3,
    fresh: bool,
    lost: bool,
}

impl Creature {
    /// A creature of this mass (kg) and size (m) at the first of its stops, whose way is ignored.
    pub fn new(mass: f64, radius: f64, stops: Vec<Stop>) -> Result<Self, CreatureError> {
        let within = |what, value: f64, low: f64, high: f64, rule| {
            if (low..=high).contains(&value) { Ok(()) } else { Err(CreatureError::BadNumber { what, value, rule }) }
        };
        within("mass", mass, 1e-6, 1e5, "from 1e-6 to 1e5 kg")?;
        within("radius", radius, 0.0, 10.0, "from 0 to 10 m")?;
        for stop in &stops {
            within("at", stop.at, 0.0, 1.0, "from 0 to 1")?;
            match stop.by {
                Way::Run(speed) => within("run", speed, 1e-3, 100.0, "from 0.001 to 100 m/s")?,
                Way::Leap(time) => within("leap", time, 0.01, 60.0, "from 0.01 to 60 s")?,
                Way::Rest(time) => within("rest", time, 0.0, 1e6, "from 0 to 1e6 s")?,
            }
        }
        let first = *stops.first().ok_or(CreatureError::NoStop)?;
        Ok(Self {
            mass,
            radius,
            stops,
            next: 0,
            doing: Doing::Resting(0.0),
            at: (first.body, 0.0),
            position: DVec3::ZERO,
            velocity: DVec3::ZERO,
            fresh: true,
            lost: false,
        })
    }

    /// Mass, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Radius, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Its centre, world metres; undefined before the first step.
    pub fn position(&self) -> DVec3 {
        self.position
    }

    /// Velocity, m/s.
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// The segment it sits on; none in the air.
    pub fn sits_on(&self) -> Option<BodyRef> {
        (!matches!(self.doing, Doing::Flying(_))).then_some(self.at.0)
    }

    /// Whether it has arrived at its last stop.
    pub fn is_done(&self) -> bool {
        self.doing == Doing::Done
    }

    pub(super) fn check(&self, plant: &Plant, instances: usize) -> Result<(), CreatureError> {
        let mut tree = None;
        for (i, stop) in self.stops.iter().enumerate() {
            if matches!(stop.by, Way::Rest(_)) && i > 0 {
                continue;
            }
            let stands = (stop.body.instance as usize) < instances;
            if !stands || !matches!(plant.body(stop.body.id), Some(Body::Wood(_))) {
                return Err(CreatureError::NotWood { stop: i, body: stop.body.id.0 });
            }
            let own = (stop.body.instance, plant.tree_index(stop.body.id));
            if matches!(stop.by, Way::Run(_)) && tree.is_some_and(|tree| tree != own) {
                return Err(CreatureError::OtherTree { stop: i });
            }
            tree = Some(own);
        }
        Ok(())
    }

    /// Starts towards the next stop.
    fn set_out(&mut self, plant: &Plant) {
        self.next += 1;
        let Some(stop) = self.stops.get(self.next).copied() else {
            self.doing = Doing::Done;
            return;
        };
        self.doing = match stop.by {
            Way::Rest(time) => Doing::Resting(time),
            Way::Leap(time) => Doing::Flying(time),
            Way::Run(_) => Doing::Running { route: route(plant, self.at, (stop.body, stop.at)), along: 0.0 },
        };
    }

    fn speed(&self) -> f64 {
        match (&self.doing, self.stops.get(self.next)) {
            (Doing::Running { .. }, Some(Stop { by: Way::Run(speed), .. })) => *speed,
            _ => 0.0,
        }
    }
}

/// The route along the wood from a place (metres from the joint) to another (share of the segment).
fn route(plant: &Plant, from: (BodyRef, f64), to: (BodyRef, f64)) -> Vec<Span> {
    let inward = |body: BodyRef| std::iter::successors(Some(body), |&b| plant.parent_ref(b));
    let length = |body: BodyRef| match plant.body(body.id) {
        Some(Body::Wood(segment)) => f64::from(segment.length),
        _ => 0.0,
    };
    let outer: Vec<BodyRef> = inward(to.0).collect();
    let end = to.1 * length(to.0);
    let mut spans = Vec::new();
    let (mut body, mut y) = from;
    // Inwards to the common ancestor.
    while !outer.contains(&body) {
        spans.push(Span { body, from: y, to: 0.0 });
        let Some(parent) = plant.parent_ref(body) else { break };
        y = where_on(plant, parent, body).min(length(parent));
        body = parent;
    }
    let at = outer.iter().position(|&b| b == body).unwrap_or(0);
    for &child in outer[..at].iter().rev() {
        let leaves = where_on(plant, body, child).min(length(body));
        spans.push(Span { body, from: y, to: leaves });
        (body, y) = (child, 0.0);
    }
    spans.push(Span { body, from: y, to: end });
    spans
}

/// Distance along the parent at which a child grows, m.
fn where_on(plant: &Plant, parent: BodyRef, child: BodyRef) -> f64 {
    let arm = plant.rest_position(child.id) - plant.rest_position(parent.id);
    (plant.rest_orientation(parent.id).inverse() * arm).y.max(0.0)
}

/// State of a creature in this step before the trees move: the index of its touch, and its speed along the
/// wood.
pub(super) struct Sitting {
    creature: usize,
    touch: Option<usize>,
    run: DVec3,
}

impl Stage {
    /// Adds the touches and loads of the creatures to the trees.
    pub(super) fn step_creatures(&mut self, h: f64, touches: &mut Vec<Touch>, loads: &mut Vec<Load>) -> Vec<Sitting> {
        let plant = std::sync::Arc::clone(self.solver.plant());
        let gravity = self.gravity;
        let mut sitting = Vec::new();
        for index in 0..self.creatures.len() {
            let mut creature = self.creatures[index].clone();
            if creature.lost {
                continue;
            }
            if std::mem::take(&mut creature.fresh) {
                let first = creature.stops[0];
                let Some(Body::Wood(segment)) = plant.body(first.body.id) else { continue };
                creature.at = (first.body, first.at * f64::from(segment.length));
                creature.velocity = self.velocity_at(first.body, DVec3::new(0.0, creature.at.1, 0.0));
            }
            // Several stops may be reached at once.
            for _ in 0..creature.stops.len() {
                match &creature.doing {
                    Doing::Resting(left) if *left <= 0.0 => creature.set_out(&plant),
                    Doing::Running { route, along } if route.len() == 1 && *along >= route[0].length() => {
                        creature.set_out(&plant);
                    }
                    _ => break,
                }
                if let Doing::Flying(time) = creature.doing {
                    self.take_off_from(&mut creature, time, h, loads);
                }
            }
            let mut run = DVec3::ZERO;
            let touch = if matches!(creature.doing, Doing::Flying(_)) {
                None
            } else {
                let (body, y) = creature.at;
                let placed = self.placed(body);
                if let Doing::Running { route, .. } = &creature.doing {
                    let way = (route[0].to - route[0].from).signum();
                    run = placed.orientation * DVec3::Y * (way * creature.speed());
                }
                touches.push(Touch {
                    body,
                    point: DVec3::new(0.0, y, 0.0),
                    velocity: creature.velocity + gravity * h - run,
                    mass: DMat3::from_diagonal(DVec3::splat(creature.mass)),
                    pushes_along: None,
                });
                Some(touches.len() - 1)
            };
            self.creatures[index] = creature;
            sitting.push(Sitting { creature: index, touch, run });
        }
        sitting
    }

    /// The branch gets the opposite of the momentum of the leap.
    fn take_off_from(&self, creature: &mut Creature, time: f64, h: f64, loads: &mut Vec<Load>) {
        let aim = self.aim(creature);
        let gravity = self.gravity;
        creature.position = self.seat(creature);
        let wanted = (aim - creature.position) / time - gravity * (0.5 * time);
        let impulse = (creature.velocity - wanted) * creature.mass;
        let (body, y) = creature.at;
        loads.push(Load::force(body, DVec3::new(0.0, y, 0.0), impulse / h));
        creature.velocity = wanted;
    }

    /// The point where it lands.
    fn aim(&self, creature: &Creature) -> DVec3 {
        let stop = creature.stops[creature.next.min(creature.stops.len() - 1)];
        let length = match self.plant().body(stop.body.id) {
            Some(Body::Wood(segment)) => f64::from(segment.length),
            _ => 0.0,
        };
        self.on_top(stop.body, stop.at * length, creature.radius)
    }

    /// The point where it sits.
    fn seat(&self, creature: &Creature) -> DVec3 {
        self.on_top(creature.at.0, creature.at.1, creature.radius)
    }

    /// The place above a point of a segment.
    fn on_top(&self, body: BodyRef, y: f64, radius: f64) -> DVec3 {
        let placed = self.placed(body);
        let wood = match self.plant().body(body.id) {
            Some(Body::Wood(segment)) => f64::from(segment.base_radius.max(segment.tip_radius)),
            _ => 0.0,
        };
        let axis = placed.orientation * DVec3::Y;
        let up = -self.gravity.try_normalize().unwrap_or(DVec3::NEG_Y);
        let side = (up - axis * up.dot(axis)).try_normalize().unwrap_or(placed.orientation * DVec3::X);
        placed.point(DVec3::new(0.0, y, 0.0)) + side * (wood + radius)
    }

    /// Moves the creatures after the trees have moved.
    pub(super) fn settle_creatures(&mut self, h: f64, sitting: Vec<Sitting>) {
        let gravity = self.gravity;
        for Sitting { creature: index, touch, run } in sitting {
            let mut creature = self.creatures[index].clone();
            match touch {
                Some(touch) => {
                    creature.velocity += gravity * h - self.touch_impulse(touch) / creature.mass;
                    self.walk(&mut creature, run.length() * h, h);
                    creature.position = self.seat(&creature);
                }
                None => self.glide(&mut creature, h),
            }
            creature.lost |= !(creature.position.is_finite() && creature.velocity.is_finite());
            self.creatures[index] = creature;
        }
    }

    fn walk(&self, creature: &mut Creature, mut way: f64, h: f64) {
        match &mut creature.doing {
            Doing::Resting(left) => *left -= h,
            Doing::Running { route, along } => {
                while route.len() > 1 && *along + way >= route[0].length() {
                    way -= route[0].length() - *along;
                    *along = 0.0;
                    let from = route.remove(0).body;
                    // It stops where the wood has broken.
                    let (inner, outer) =
                        if route[0].body > from { (from, route[0].body) } else { (route[0].body, from) };
                    if inner != outer && self.is_loose(outer) {
                        creature.doing = Doing::Done;
                        return;
                    }
                }
                *along = (*along + way).min(route[0].length());
                let span = route[0];
                creature.at = (span.body, span.from + (span.to - span.from).signum() * *along);
            }
            Doing::Flying(_) | Doing::Done => {}
        }
    }

    /// Flies towards its target, and lands.
    fn glide(&self, creature: &mut Creature, h: f64) {
        let Doing::Flying(left) = creature.doing else { return };
        let gravity = self.gravity;
        if left > h {
            // It steers in flight, because the target moves.
            let aim = self.aim(creature);
            let wanted = (aim - creature.position) / left - gravity * (0.5 * left);
            creature.position += wanted * h + gravity * (0.5 * h * h);
            creature.velocity = wanted + gravity * h;
            creature.doing = Doing::Flying(left - h);
            return;
        }
        creature.velocity += gravity * left;
        let stop = creature.stops[creature.next];
        let length = match self.plant().body(stop.body.id) {
            Some(Body::Wood(segment)) => f64::from(segment.length),
            _ => 0.0,
        };
        creature.at = (stop.body, stop.at * length);
        creature.position = self.seat(creature);
        creature.doing = Doing::Resting(0.0);
    }
}
