//! Islands: bodies that may touch each other within a step and are stepped together.
//!
//! An island is stepped in sub-steps, each a symmetric one: half a drift, the kick of [`super::flight`],
//! contacts at the positions of the middle, half a drift. Bodies without possible contacts just fly.

use parry3d_f64::math::Pose;
use parry3d_f64::query::{ShapeCastOptions, cast_shapes};
use parry3d_f64::shape as parry;
use windfall_core::glam::DVec3;

use super::body::{FreeBody, Surface};
use super::contact::{self, Contact, Detection, MARGIN, Meeting, Memory, STATIC};
use super::flight::{Pull, fly, kick, longest_substep};
use super::narrow::{self, ContactPoint, Space};
use super::obstacles::{Obstacle, Obstacles};
use super::rotation::drift;
use super::shape::{Proxy, Shape, pose, vector};

/// Longest sub-step of bodies in contact, s.
const CONTACT_STEP: f64 = 1.0 / 120.0;
/// Largest approach of two bodies in a sub-step, as a share of their thickness.
const CLOSER: f64 = 0.5;
/// Most sub-steps of an island in a step.
const MOST_SUBSTEPS: f64 = 48.0;
/// Islands of more bodies than this keep their contacts for a warm start.
const HEAP: usize = 50;
/// Most sub-steps for the aerodynamics of a body in contact.
const MOST_HELD_SUBSTEPS: f64 = 4.0;
/// Most sub-steps for fast bodies: still faster ones are stopped by a shape cast.
const MOST_FOR_SPEED: f64 = 8.0;
/// Most sub-steps for fast bodies in islands of this many pairs.
const CROWD: usize = 4_000;
const MOST_CROWD_SUBSTEPS: f64 = 1.0;

/// Depth by which obstacles are sunk for bodies that come in under them, m.
const SUNK: f64 = 0.05;
/// Largest gap of touching bodies after a shape cast, m: the accuracy of casts.
const HELD: f64 = 5e-5;

/// The second side of a possible contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Other {
    /// Another moving body, by its index.
    Member(u32),
    /// A sleeping body, by its index among all.
    Sleeper(u32),
    /// An obstacle.
    Obstacle(u32),
}

/// A body, by its index, and its possible partner.
pub type Pair = (u32, Other);

/// The part of the world that islands read.
pub struct View<'a> {
    /// All bodies as they were at the beginning of the step, for the sleeping ones.
    pub all: &'a [FreeBody],
    /// The static obstacles.
    pub obstacles: &'a Obstacles,
    /// Gravity, m/s².
    pub gravity: DVec3,
    /// The contacts of the last step in heaps, sorted by key.
    pub memories: &'a [Memory],
}

impl View<'_> {
    /// The normal of the half-space that covers the underside of an obstacle where it is touched, if one
    /// does.
    ///
    /// A thin body that comes along the ground is hardly inside of an obstacle that stands there from
    /// below, and far from the side: it would slip in under it. Nothing can be there, so such touches are
    /// searched again with the obstacle sunk into the ground.
    fn ground_under(&self, touches: &[ContactPoint]) -> Option<DVec3> {
        let covers = |touch: &ContactPoint| {
            let planes = self.obstacles.half_spaces().iter();
            planes
                .map(|plane| (plane.normal, plane.height(touch.point)))
                .find(|(normal, height)| touch.normal.dot(*normal) < -0.5 && *height < MARGIN)
        };
        touches.iter().find_map(covers).map(|(normal, _)| normal)
    }
}

/// One island.
pub struct Island<'a> {
    /// Its bodies.
    pub bodies: &'a mut [FreeBody],
    /// Actions on each body.
    pub pulls: &'a [Pull],
    /// The outward normal of the surface that each body lies on, or zero without contact: of the last step,
    /// and of this one when it is done.
    pub surfaces: &'a mut [DVec3],
    /// Pairs that may touch.
    pub pairs: &'a [Pair],
    /// Offset of the indices of pairs from those of `bodies`.
    pub first: u32,
    /// Whether any body may reach a half-space.
    pub near_half_space: bool,
    /// The numbers of its bodies among all.
    pub numbers: &'a [u32],
    /// Its contacts at the end, if it is a heap.
    pub memories: Vec<Memory>,
}

/// Scratch shared by islands one after the other.
#[derive(Default)]
pub struct Workspace {
    space: Space,
    contacts: Vec<Contact>,
    moves: Vec<(DVec3, DVec3)>,
    before: Vec<DVec3>,
    touches: Vec<ContactPoint>,
}

impl Island<'_> {
    /// Moves the island by `dt` seconds.
    pub fn step(&mut self, view: &View<'_>, dt: f64, work: &mut Workspace) {
        if self.pairs.is_empty() && !self.near_half_space {
            self.surfaces.fill(DVec3::ZERO);
            for (body, pull) in self.bodies.iter_mut().zip(self.pulls) {
                fly(body, pull, dt);
            }
            return;
        }
        let (count, fast) = self.substeps(view, dt);
        let h = dt / count;
        let nearly = if fast { HELD } else { 0.0 };
        for _ in 0..count as usize {
            work.before.clear();
            work.before.extend(self.bodies.iter().map(|b| b.position));
            for body in self.bodies.iter_mut() {
                drift(body, 0.5 * h);
            }
            if fast {
                self.hold_up(view, &work.before);
            }
            for ((body, pull), surface) in self.bodies.iter_mut().zip(self.pulls).zip(&mut *self.surfaces) {
                kick(body, pull, std::mem::take(surface), h);
            }
            self.meet(view, h, (Detection::Middle, nearly), work);
            if fast {
                work.before.clear();
                work.before.extend(self.bodies.iter().map(|b| b.position));
            }
            for body in self.bodies.iter_mut() {
                drift(body, 0.5 * h);
            }
            if fast {
                self.hold_up(view, &work.before);
            }
        }
        self.meet(view, h, (Detection::End, nearly), work);
    }

    /// Finds and solves all contacts.
    fn meet(&mut self, view: &View<'_>, h: f64, when: (Detection, f64), work: &mut Workspace) {
        self.find_contacts(view, h, when, work);
        let heap = self.bodies.len() > HEAP && when.0 == Detection::Middle;
        if heap {
            let before = if self.memories.is_empty() { view.memories } else { &self.memories };
            contact::recall(self.bodies, &mut work.contacts, before, h);
        }
        contact::solve(self.bodies, &mut work.contacts);
        if heap {
            contact::remember(&work.contacts, h, &mut self.memories);
        }
        contact::push_out(self.bodies, &mut work.contacts, &mut work.moves, h);
    }

    /// Number of sub-steps that resolve the motion, and whether bodies could still pass through each other.
    fn substeps(&self, view: &View<'_>, dt: f64) -> (f64, bool) {
        let mut longest = CONTACT_STEP;
        for ((body, pull), surface) in self.bodies.iter().zip(self.pulls).zip(&*self.surfaces) {
            // A body in contact does not swing: resolving its aerodynamics closely would only take time.
            let least = if *surface == DVec3::ZERO { 0.0 } else { dt / MOST_HELD_SUBSTEPS };
            longest = longest.min(longest_substep(body, pull).max(least));
        }
        let mut apart = f64::INFINITY;
        for (i, other) in local(self.pairs, self.first) {
            let body = &self.bodies[i as usize];
            let (velocity, thickness) = match other {
                Other::Member(j) => {
                    let other = &self.bodies[j as usize];
                    if body.shape.is_blade() && other.shape.is_blade() {
                        // Leaves that pass through each other are hard to see.
                        continue;
                    }
                    (other.velocity, other.shape.half_thickness())
                }
                Other::Sleeper(j) => (DVec3::ZERO, view.all[j as usize].shape.half_thickness()),
                Other::Obstacle(j) => (DVec3::ZERO, view.obstacles.solid(j).half_thickness),
            };
            let speed = (body.velocity - velocity).length() + 0.5 * view.gravity.length() * dt;
            apart = apart.min(CLOSER * (body.shape.half_thickness() + thickness) / speed.max(1e-9));
        }
        let most = if self.pairs.len() > CROWD { MOST_CROWD_SUBSTEPS } else { MOST_SUBSTEPS };
        let for_speed = (dt / apart).min(MOST_FOR_SPEED);
        let count = (dt / longest).max(for_speed).ceil().clamp(1.0, most);
        (count, dt / count > apart * 1.001)
    }

    /// Moves bodies that passed through a shape in the last drift back to the point of impact.
    fn hold_up(&mut self, view: &View<'_>, before: &[DVec3]) {
        for (i, other) in local(self.pairs, self.first) {
            let body = &self.bodies[i as usize];
            let own = Collider::of(body);
            let way = body.position - before[i as usize];
            let (its, its_way, thickness) = match other {
                Other::Member(j) => {
                    let other = &self.bodies[j as usize];
                    if body.shape.is_blade() && other.shape.is_blade() {
                        continue;
                    }
                    (Collider::of(other), other.position - before[j as usize], other.shape.half_thickness())
                }
                Other::Sleeper(j) => {
                    let other = &view.all[j as usize];
                    (Collider::of(other), DVec3::ZERO, other.shape.half_thickness())
                }
                Other::Obstacle(j) => {
                    let solid = view.obstacles.solid(j);
                    (Collider::solid(solid), DVec3::ZERO, solid.half_thickness)
                }
            };
            // A body that moves less than this in half a sub-step can't have passed: the contact solver
            // handles it.
            let closer = (way - its_way).length();
            if closer <= 0.5 * CLOSER * (body.shape.half_thickness() + thickness) {
                continue;
            }
            let Some(time) = meeting_time(&own, way, &its, its_way) else { continue };
            self.bodies[i as usize].position = before[i as usize] + way * time;
            if let Other::Member(j) = other {
                self.bodies[j as usize].position = before[j as usize] + its_way * time;
            }
        }
    }

    /// Finds all contacts at the present positions, in the order of the pairs.
    fn find_contacts(&mut self, view: &View<'_>, h: f64, when: (Detection, f64), work: &mut Workspace) {
        let (moment, nearly) = when;
        let Workspace { space, contacts, touches, .. } = work;
        contacts.clear();
        let pairs = local(self.pairs, self.first);
        let bodies = &*self.bodies;
        let surfaces = &mut *self.surfaces;
        let gravity = view.gravity;
        let numbers = self.numbers;
        // Half-spaces, bodies (awake or not) and obstacles by their numbers.
        let key = |i: usize, kind: u64, j: u32, point: usize| (numbers[i], kind << 32 | u64::from(j), point as u32);
        let mut meet = |bodies_of: [u32; 2],
                        touch: &ContactPoint,
                        surface: Surface,
                        radius: f64,
                        (buried, ago): (bool, f64),
                        key| {
            for (i, normal) in bodies_of.into_iter().zip([-touch.normal, touch.normal]) {
                if let Some(surface) = surfaces.get_mut(i as usize) {
                    // Of several surfaces the one that carries most.
                    if *surface == DVec3::ZERO || gravity.dot(normal) < gravity.dot(*surface) {
                        *surface = normal;
                    }
                }
            }
            let meeting =
                Meeting { bodies: bodies_of, touch, surface, radius, gravity, h, moment, nearly, buried, ago, key };
            contacts.extend(Contact::new(bodies, &meeting));
        };
        if self.near_half_space {
            for (i, body) in bodies.iter().enumerate() {
                for (number, plane) in view.obstacles.half_spaces().iter().enumerate() {
                    let (height, reach) = (plane.height(body.position), body.reach());
                    if height > reach + MARGIN {
                        continue;
                    }
                    let buried = height < -reach;
                    let (position, orientation) = (body.shape_position(), body.orientation);
                    let surface = plane.surface.meets(&body.surface);
                    let radius = rolling_radius(&body.shape);
                    let mut point = 0;
                    narrow::with_half_space(&body.shape, position, orientation, plane, MARGIN, |touch| {
                        let key = key(i, 0, number as u32, point);
                        meet([STATIC, i as u32], &touch, surface, radius, (buried, 0.0), key);
                        point += 1;
                    });
                }
            }
        }
        for (i, other) in pairs {
            let body = &bodies[i as usize];
            let own = Collider::of(body);
            let (its, surface, j) = match other {
                Other::Member(j) => (Collider::of(&bodies[j as usize]), bodies[j as usize].surface, j),
                Other::Sleeper(j) => (Collider::of(&view.all[j as usize]), view.all[j as usize].surface, STATIC),
                Other::Obstacle(j) => {
                    let solid = view.obstacles.solid(j);
                    (Collider::solid(solid), solid.surface, STATIC)
                }
            };
            let rolling = its.rolling_radius;
            let mut ago = touches_of(&its, &own, h, space, touches);
            if let Other::Obstacle(_) = other
                && let Some(ground) = view.ground_under(touches)
            {
                let mut sunk = its;
                sunk.pose.translation -= vector(ground * SUNK);
                ago = touches_of(&sunk, &own, h, space, touches);
            }
            let surface = surface.meets(&body.surface);
            let radius = rolling_radius(&body.shape).max(rolling);
            let (kind, number) = match other {
                Other::Member(j) => (1, numbers[j as usize]),
                Other::Sleeper(j) => (1, j),
                Other::Obstacle(j) => (2, j),
            };
            for (point, touch) in touches.iter().enumerate() {
                let key = key(i as usize, kind, number, point);
                meet([j, i], touch, surface, radius, (false, ago), key);
            }
        }
    }
}

/// One side of a pair.
struct Collider<'a> {
    pose: Pose,
    shape: Form<'a>,
    velocity: DVec3,
    angular_velocity: DVec3,
    /// Centre and radius of its bounding ball; none for obstacles.
    ball: Option<(DVec3, f64)>,
    /// Its bounding box; none for bodies.
    bounds: Option<(DVec3, DVec3)>,
    rolling_radius: f64,
}

enum Form<'a> {
    Own(Proxy),
    Shared(&'a dyn parry::Shape),
}

impl Form<'_> {
    fn get(&self) -> &dyn parry::Shape {
        match self {
            Self::Own(proxy) => proxy.shape(),
            Self::Shared(shape) => *shape,
        }
    }
}

impl<'a> Collider<'a> {
    fn of(body: &FreeBody) -> Self {
        Self {
            pose: pose(body.shape_position(), body.orientation),
            shape: Form::Own(body.shape.proxy()),
            velocity: body.velocity,
            angular_velocity: body.angular_velocity,
            ball: Some((body.position, body.reach())),
            bounds: None,
            rolling_radius: rolling_radius(&body.shape),
        }
    }

    fn solid(solid: &'a Obstacle) -> Self {
        Self {
            pose: solid.pose,
            shape: Form::Shared(&*solid.shape.0),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            ball: None,
            bounds: Some(solid.bounds),
            rolling_radius: 0.0,
        }
    }

    /// Its placement some time ago.
    fn back(&self, ago: f64) -> Pose {
        let mut pose = self.pose;
        pose.translation -= vector(self.velocity * ago);
        pose
    }

    fn velocity_at(&self, point: DVec3) -> DVec3 {
        let arm = self.ball.map_or(DVec3::ZERO, |(center, _)| point - center);
        self.velocity + self.angular_velocity.cross(arm)
    }
}

/// Finds the contacts of two bodies, from the first to the second, at the time of first touch if they have
/// just met. Returns the time since then.
fn touches_of(a: &Collider<'_>, b: &Collider<'_>, h: f64, space: &mut Space, touches: &mut Vec<ContactPoint>) -> f64 {
    let mut look = |ago: f64, gap: f64, touches: &mut Vec<ContactPoint>| {
        touches.clear();
        let shapes = (a.shape.get(), b.shape.get());
        narrow::between((&a.back(ago), &b.back(ago)), shapes, gap, space, |touch| touches.push(touch));
    };
    touches.clear();
    if let (Some((center, reach)), Some((its_center, its_reach))) = (a.ball, b.ball) {
        let far = reach + its_reach + MARGIN;
        if center.distance_squared(its_center) > far * far {
            return 0.0;
        }
    }
    if let (Some((low, high)), Some((center, reach))) = (a.bounds, b.ball) {
        let far = reach + MARGIN;
        if center.distance_squared(center.clamp(low, high)) > far * far {
            return 0.0;
        }
    }
    look(0.0, MARGIN, touches);
    let (mut ago, mut depth) = (0.0, 0.0);
    for _ in 0..4 {
        let Some(deepest) = touches.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)) else { break };
        let approach = (a.velocity_at(deepest.point) - b.velocity_at(deepest.point)).dot(deepest.normal);
        // Within a margin is accurate enough.
        if (ago == 0.0 && deepest.gap > -MARGIN) || deepest.gap.abs() < 0.01 * MARGIN || approach <= 0.0 {
            break;
        }
        ago -= deepest.gap / approach;
        // Straight motion backwards overshoots by less than the depth.
        depth = deepest.gap.abs().max(depth);
        if !(0.0..=1.5 * h).contains(&ago) {
            touches.clear();
            break;
        }
        look(ago, depth + MARGIN, touches);
    }
    if ago != 0.0 && touches.is_empty() {
        ago = 0.0;
        look(0.0, MARGIN, touches);
    }
    ago
}

/// Pairs by the indices of an island that begins at `first`.
fn local(pairs: &[Pair], first: u32) -> impl Iterator<Item = Pair> {
    pairs.iter().map(move |&(i, other)| match other {
        Other::Member(j) => (i - first, Other::Member(j - first)),
        other => (i - first, other),
    })
}

/// Radius of rolling of a shape, m; zero if it has edges.
fn rolling_radius(shape: &Shape) -> f64 {
    match *shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => radius,
        Shape::Box { .. } | Shape::Blade { .. } => 0.0,
    }
}

/// The share of their last motions at which two separate shapes met; none if they did not.
fn meeting_time(a: &Collider<'_>, way: DVec3, b: &Collider<'_>, its_way: DVec3) -> Option<f64> {
    let options = ShapeCastOptions { max_time_of_impact: 1.0, stop_at_penetration: false, ..Default::default() };
    let (mut start, mut its_start) = (a.pose, b.pose);
    start.translation -= vector(way);
    its_start.translation -= vector(its_way);
    let (way, its_way) = (vector(way), vector(its_way));
    let hit = cast_shapes(&start, way, a.shape.get(), &its_start, its_way, b.shape.get(), options);
    let time = hit.ok().flatten()?.time_of_impact;
    (time.is_finite() && time < 1.0).then(|| time.max(0.0))
}
