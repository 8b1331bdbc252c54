//! All free bodies of a world.

use std::collections::HashMap;

use windfall_core::glam::DVec3;

use super::body::{FreeBody, Name};
use super::broad::{Bounds, Trees};
use super::contact::{MARGIN, Memory};
use super::error::FreeError;
use super::flight::Hold;
use super::step::Scratch;

/// What a body has besides its motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rest {
    /// Whether it sleeps: it is not moved until something wakes it.
    pub asleep: bool,
    /// How long it has hardly moved, s.
    pub quiet: f64,
    /// The normal of what it lies on, out of that; zero if it touches nothing.
    pub surface: DVec3,
    /// Acceleration by the air when it fell asleep, body axes, m/s².
    pub air: DVec3,
    /// Forces until the end of the next step, N, and their torque about the centre of mass, N m.
    pub force: DVec3,
    pub torque: DVec3,
    /// What holds it until then.
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
/// The order of the list is that of adding; where one is removed the last takes its place. Everything that happens is decided by
/// that order, so the same calls give the same bits on any number of threads.
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
    /// None at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a body.
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

    /// Takes a body out, as it is now. What rested on it wakes up.
    pub fn remove(&mut self, name: Name) -> Option<FreeBody> {
        let index = self.names.remove(&name)?;
        let body = self.bodies[index as usize];
        self.wake_near(&body);
        self.bodies.swap_remove(index as usize);
        self.rests.swap_remove(index as usize);
        // They go by numbers, and one has another number now.
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

    /// The body at a place of the list.
    pub(crate) fn at(&self, index: usize) -> &FreeBody {
        &self.bodies[index]
    }

    /// Whether the body at a place of the list sleeps.
    pub(crate) fn sleeps(&self, index: usize) -> bool {
        self.rests[index].asleep
    }

    /// Moves a body that is awake, and leaves its velocity alone.
    pub(crate) fn shift(&mut self, name: Name, way: DVec3) {
        if let Some(&index) = self.names.get(&name) {
            self.bodies[index as usize].position += way;
        }
    }

    /// Wakes a body.
    pub(crate) fn wake_named(&mut self, name: Name) {
        if let Some(&index) = self.names.get(&name) {
            self.wake(index);
        }
    }

    /// All bodies, in the order of the list.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &FreeBody> {
        self.bodies.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// How many are awake: what a step costs goes with them.
    pub fn awake(&self) -> usize {
        self.rests.iter().filter(|rest| !rest.asleep).count()
    }

    /// Whether leaves and petals touch each other; they don't by default, which is much faster and hard to see.
    pub fn set_leaves_touch(&mut self, touch: bool) {
        self.leaves_touch = touch;
    }

    /// Replaces the state of a body (by its name) and wakes it: for what moves bodies about by hand.
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

    /// Changes the velocities of a body at once, as an impulse (N s) at a point (world metres) does, and wakes it and what is near.
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

    /// Adds a force (N) at a point (world metres) that acts throughout the next step, and wakes the body and what is near.
    pub fn add_force(&mut self, name: Name, point: DVec3, force: DVec3) -> Result<(), FreeError> {
        const LARGEST: f64 = 1e12;
        let index = self.index(name)?;
        let arm = point - self.bodies[index as usize].position;
        let torque = arm.cross(force);
        if !(force.abs().max_element() <= LARGEST && torque.abs().max_element() <= LARGEST) {
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

    /// Holds a body until the end of the next step, and wakes it. Of several hands the last one holds it.
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

    /// Wakes what may touch this body.
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

    /// Puts the box of a body that sleeps into its tree.
    pub(super) fn add_sleeper(&mut self, index: u32) {
        let body = &self.bodies[index as usize];
        let trees = if body.shape.is_blade() { &mut self.blades } else { &mut self.solids };
        trees.add_sleeper(index, &resting_bounds(body));
    }

    /// Makes the trees of all bodies that sleep ready for queries.
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
