//! All free bodies of a world.

use std::collections::HashMap;

use windfall_core::glam::DVec3;

use super::body::{FreeBody, Name};
use super::broad::{Bounds, Trees};
use super::contact::{MARGIN, Memory};
use super::error::FreeError;
use super::flight::Hold;
use super::step::Scratch;

/// State of a body besides its motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rest {
    /// Whether it sleeps: it is not moved until it wakes up.
    pub asleep: bool,
    /// Time since its last notable motion, s.
    pub quiet: f64,
    /// The outward normal of the surface it lies on; zero without contact.
    pub surface: DVec3,
    /// Acceleration by the air when it fell asleep, body axes, m/s².
    pub air: DVec3,
    /// Forces until the end of the next step, N, and their torque about the centre of mass, N m.
    pub force: DVec3,
    pub torque: DVec3,
    /// The hold on it until then.
    pub hold: Option<Hold>,
}

impl Default for Rest {
    fn default() -> Self {
        let zero = DVec3::ZERO;
        Self { asleep: false, quiet: 0.0, surface: zero, air: zero, force: zero, torque: zero, hold: None }
    }
}

/// All free bodies: a flat list, and their names.
///
/// The list is in the order of adding; the last body takes the place of a removed one. All results depend
/// on that order alone, so the same calls give the same bits on any number of threads.
#[derive(Default, Clone)]
pub struct FreeBodies {
    pub(super) bodies: Vec<FreeBody>,
    pub(super) rests: Vec<Rest>,
    names: HashMap<Name, u32>,
    pub(super) solids: Trees,
    pub(super) blades: Trees,
    pub(super) leaves_touch: bool,
    pub(super) gravity: DVec3,
    pub(super) steps: u64,
    /// The contacts of the last step in heaps, sorted by key.
    pub(super) memories: Vec<Memory>,
    pub(super) scratch: Scratch,
}

impl std::fmt::Debug for FreeBodies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FreeBodies").field("bodies", &self.bodies).finish_non_exhaustive()
    }
}

impl FreeBodies {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a body.
    pub fn add(&mut self, mut body: FreeBody) -> Result<(), FreeError> {
        body.check()?;
        if self.names.contains_key(&body.name) {
            return Err(FreeError::NameTaken(body.name));
        }
        body.orientation = body.orientation.normalize();
        let index = self.bodies.len() as u32;
        self.names.insert(body.name, index);
        self.bodies.push(body);
        self.rests.push(Rest::default());
        Ok(())
    }

    /// Removes a body and returns its present state. Bodies that rested on it wake up.
    pub fn remove(&mut self, name: Name) -> Option<FreeBody> {
        let index = self.names.remove(&name)?;
        let body = self.bodies[index as usize];
        self.wake_near(&body);
        self.bodies.swap_remove(index as usize);
        self.rests.swap_remove(index as usize);
        // Their keys are indices, and one body has another index now.
        self.memories.clear();
        if let Some(moved) = self.bodies.get(index as usize) {
            self.names.insert(moved.name, index);
            if self.rests[index as usize].asleep {
                self.add_sleeper(index);
            }
        }
        Some(body)
    }

    /// The body with this name.
    pub fn get(&self, name: Name) -> Option<&FreeBody> {
        self.names.get(&name).map(|&i| &self.bodies[i as usize])
    }

    /// Whether the body with this name sleeps; false if there is none.
    pub fn is_asleep(&self, name: Name) -> bool {
        self.names.get(&name).is_some_and(|&i| self.rests[i as usize].asleep)
    }

    /// The body at an index of the list.
    pub fn at(&self, index: usize) -> &FreeBody {
        &self.bodies[index]
    }

    /// Whether the body at an index of the list sleeps.
    pub fn sleeps(&self, index: usize) -> bool {
        self.rests[index].asleep
    }

    /// Translates a body that is awake, without a change of its velocity.
    pub fn shift(&mut self, name: Name, way: DVec3) {
        if let Some(&index) = self.names.get(&name) {
            self.bodies[index as usize].position += way;
        }
    }

    /// Wakes a body.
    pub fn wake_named(&mut self, name: Name) {
        if let Some(&index) = self.names.get(&name) {
            self.wake(index);
        }
    }

    /// All bodies, in the order of the list.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &FreeBody> {
        self.bodies.iter()
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Number of bodies awake, which determines the cost of a step.
    pub fn awake(&self) -> usize {
        self.rests.iter().filter(|rest| !rest.asleep).count()
    }

    /// Sets whether leaves and petals touch each other. By default they don't, which is much faster and
    /// hard to see.
    pub fn set_leaves_touch(&mut self, touch: bool) {
        self.leaves_touch = touch;
    }

    /// Replaces the state of a body (by its name) and wakes it: for dragging.
    pub fn set(&mut self, mut body: FreeBody) -> Result<(), FreeError> {
        body.check()?;
        body.orientation = body.orientation.normalize();
        let index = self.index(body.name)?;
        let before = self.bodies[index as usize];
        self.wake_near(&before);
        self.bodies[index as usize] = body;
        self.wake(index);
        Ok(())
    }

    /// Applies an impulse (N s) at a point (world metres) of a body, and wakes it and bodies near it.
    pub fn add_impulse(&mut self, name: Name, point: DVec3, impulse: DVec3) -> Result<(), FreeError> {
        let index = self.index(name)?;
        let mut body = self.bodies[index as usize];
        body.push(point, impulse);
        body.check()?;
        self.wake_near(&body);
        self.bodies[index as usize] = body;
        self.wake(index);
        Ok(())
    }

    /// Adds a force (N) at a point (world metres) that acts throughout the next step, and wakes the body
    /// and bodies near it.
    pub fn add_force(&mut self, name: Name, point: DVec3, force: DVec3) -> Result<(), FreeError> {
        let index = self.index(name)?;
        let torque = (point - self.bodies[index as usize].position).cross(force);
        if !bears_force(force, torque) {
            let value = format!("{force} at {point}");
            return Err(FreeError::BadVector { what: "force", value, rule: "finite, within 1e12 N and 1e12 N m" });
        }
        let rest = &mut self.rests[index as usize];
        rest.force += force;
        rest.torque += torque;
        let body = self.bodies[index as usize];
        self.wake_near(&body);
        self.wake(index);
        Ok(())
    }

    /// Holds a body until the end of the next step, and wakes it. Of several holds the last one counts.
    pub fn hold(&mut self, name: Name, hold: Hold) -> Result<(), FreeError> {
        let index = self.index(name)?;
        self.rests[index as usize].hold = Some(hold);
        let body = self.bodies[index as usize];
        self.wake_near(&body);
        self.wake(index);
        Ok(())
    }

    /// Wakes all bodies: after a change of obstacles or parameters.
    pub fn wake_all(&mut self) {
        for rest in &mut self.rests {
            (rest.asleep, rest.quiet) = (false, 0.0);
        }
    }

    fn index(&self, name: Name) -> Result<u32, FreeError> {
        self.names.get(&name).copied().ok_or(FreeError::NoSuchBody(name))
    }

    pub(super) fn wake(&mut self, index: u32) {
        let rest = &mut self.rests[index as usize];
        (rest.asleep, rest.quiet) = (false, 0.0);
    }

    /// Wakes the bodies that may touch this one.
    fn wake_near(&mut self, body: &FreeBody) {
        self.settle_trees();
        let bounds = Bounds::swept(body.position, DVec3::ZERO, body.reach() + 2.0 * MARGIN);
        for trees in [&self.solids, &self.blades] {
            trees.sleepers_near(&bounds, |i| {
                if let Some(rest) = self.rests.get_mut(i as usize) {
                    (rest.asleep, rest.quiet) = (false, 0.0);
                }
                true
            });
        }
    }

    /// Puts the box of a sleeping body into its tree.
    pub(super) fn add_sleeper(&mut self, index: u32) {
        let body = &self.bodies[index as usize];
        let trees = if body.shape.is_blade() { &mut self.blades } else { &mut self.solids };
        trees.add_sleeper(index, &resting_bounds(body));
    }

    /// Prepares the trees of sleeping bodies for queries.
    pub(super) fn settle_trees(&mut self) {
        let (bodies, rests) = (&self.bodies, &self.rests);
        let sleepers = |blades: bool| {
            let all = bodies.iter().zip(rests).enumerate();
            all.filter(move |(_, (body, rest))| rest.asleep && body.shape.is_blade() == blades)
                .map(|(i, (body, _))| (i as u32, resting_bounds(body)))
        };
        self.solids.settle(|| sleepers(false));
        self.blades.settle(|| sleepers(true));
    }
}

fn resting_bounds(body: &FreeBody) -> Bounds {
    Bounds::swept(body.position, DVec3::ZERO, body.reach() + MARGIN)
}

/// Whether a body can be given this force and torque.
pub fn bears_force(force: DVec3, torque: DVec3) -> bool {
    /// N and N m.
    const LARGEST: f64 = 1e12;
    force.abs().max_element() <= LARGEST && torque.abs().max_element() <= LARGEST
}
