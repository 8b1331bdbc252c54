//! One step of a stage.

use std::collections::HashSet;

use windfall_core::glam::DVec3;
use windfall_core::{Body, BodyRef};
use windfall_free::flight::Hold;
use windfall_free::{FreeBody, FreeError, Name, Surroundings};
use windfall_solver::flow::{FlowWind, Shared};
use windfall_solver::{Actions, Air, BodyPlace, Breakable, ContactResponse, Grab, Load, StepError, StepInput};

use super::{Event, Settings, Stage};

/// Strongest gravity, m/s²: the limit of parameters.
const STRONGEST_GRAVITY: f64 = 1e6;

impl Stage {
    pub(super) fn check_input(&self, dt: f64, input: &StepInput<'_>) -> Result<(), StepError> {
        if !(input.gravity.is_finite() && input.gravity.length() <= STRONGEST_GRAVITY) {
            windfall_solver::check_step(dt)?;
            return Err(StepError::BadGravity);
        }
        self.solver.check(dt, input)?;
        let too_strong = |load: &&Load| {
            self.bodies.get(Name::Plant(load.body)).is_some_and(|body| {
                let arm = body.origin() + body.orientation * load.point - body.position;
                !windfall_free::bears_force(load.force, arm.cross(load.force))
            })
        };
        let refused = input.actions.loads.iter().find(too_strong);
        refused.map_or(Ok(()), |load| Err(StepError::TooStrong { body: load.body.id }))
    }

    /// Loads and grabs on detached leaves and fruit act on the free bodies; torques on them are ignored.
    pub(super) fn take_step(&mut self, dt: f64, input: &mut StepInput<'_>) -> Result<(), StepError> {
        self.check_input(dt, input)?;
        self.events.clear();
        self.gravity = input.gravity;
        let count = self.substeps(dt);
        let h = dt / f64::from(count);
        let Actions { loads, touches, piece_contacts, .. } = input.actions;
        let mut grabs = input.actions.grabs.to_vec();
        for i in 1..=count {
            // A touch acts once per step, not once per sub-step.
            let (touches, piece_contacts) = if i == count { (touches, piece_contacts) } else { Default::default() };
            let actions = Actions { loads, grabs: &grabs, touches, piece_contacts };
            self.substep(h, &mut input.part(actions))?;
            for grab in &mut grabs {
                grab.target += grab.target_velocity * h;
            }
        }
        Ok(())
    }

    /// Everything in a sub-step begins at the same time and takes `h` seconds.
    fn substep(&mut self, h: f64, input: &mut StepInput<'_>) -> Result<(), StepError> {
        let begin = self.solver.time();
        let (mut loads, grabs) = self.act_on_fallen(&input.actions)?;
        let mut touches = input.actions.touches.to_vec();
        let creatures = self.step_creatures(h, &mut touches, &mut loads);
        let standing = self.meet_obstacles(h, &mut touches);
        let met = self.meet_free_bodies(h, &mut touches, &mut loads);
        let (mut piece_contacts, overlaps) = self.meet_trees(h);
        piece_contacts.extend_from_slice(input.actions.piece_contacts);
        let actions = Actions { loads: &loads, grabs: &grabs, touches: &touches, piece_contacts: &piece_contacts };
        self.step_trees(h, input, actions)?;
        self.push_out(overlaps);
        self.note_obstacles(standing);
        self.settle_creatures(h, creatures);
        self.answer_free_bodies(h, met);
        self.step_free_bodies(begin, h, &input.air)?;
        if let Air::Coupled(flow) = &mut input.air {
            flow.advance(h);
        }
        self.give_way();
        Ok(())
    }

    fn step_trees(&mut self, h: f64, input: &mut StepInput<'_>, actions: Actions<'_>) -> Result<(), StepError> {
        let mut own = input.part(actions);
        if let Air::Coupled(flow) = own.air {
            // Free bodies are in the same air: it advances after they have moved.
            let mut shared = Shared(flow);
            return self.solver.step(h, &mut StepInput { air: Air::Coupled(&mut shared), ..own });
        }
        self.solver.step(h, &mut own)
    }

    /// Moves the free bodies, from the time at which the sub-step begins. Their momentum is not given back
    /// to a flow: they are light and small.
    fn step_free_bodies(&mut self, time: f64, h: f64, air: &Air<'_>) -> Result<(), StepError> {
        if self.bodies.is_empty() {
            return Ok(());
        }
        let flow;
        let wind: Option<&dyn windfall_solver::Wind> = match air {
            Air::Vacuum => None,
            Air::Prescribed(wind) => Some(&***wind),
            Air::Coupled(all) => {
                flow = FlowWind(&**all);
                Some(&flow)
            }
        };
        let around = Surroundings {
            gravity: self.gravity,
            wind,
            time,
            air: &self.solver.params().air,
            obstacles: &self.obstacles,
        };
        self.bodies.step(&around, h).map_err(|error| match error {
            FreeError::Step(error) => error,
            error => unreachable!("parameters were checked before: {error}"),
        })
    }

    /// Splits the actions: returns those on trees, and applies those on detached leaves and fruit to the
    /// free bodies.
    fn act_on_fallen(&mut self, actions: &Actions<'_>) -> Result<(Vec<Load>, Vec<Grab>), StepError> {
        let (mut loads, mut grabs) = (actions.loads.to_vec(), actions.grabs.to_vec());
        if !self.solver.breakable().is_some_and(Breakable::any_removed) {
            return Ok((loads, grabs));
        }
        let bodies = &mut self.bodies;
        let mut given = Ok(());
        loads.retain(|load| {
            let name = Name::Plant(load.body);
            let Some(body) = bodies.get(name) else { return true };
            let point = body.origin() + body.orientation * load.point;
            if bodies.add_force(name, point, load.force).is_err() {
                given = Err(StepError::TooStrong { body: load.body.id });
            }
            false
        });
        given?;
        grabs.retain(|grab| {
            let name = Name::Plant(grab.body);
            let Some(body) = bodies.get(name) else { return true };
            let Grab { target, target_velocity, stiffness, damping, .. } = *grab;
            let hold = Hold { point: grab.point - body.center, target, target_velocity, stiffness, damping };
            bodies.hold(name, hold).is_err()
        });
        Ok((loads, grabs))
    }

    /// Breaks overloaded joints.
    fn give_way(&mut self) {
        let Settings { fracture, detachment, .. } = self.settings;
        if !(fracture || detachment) {
            return;
        }
        let plant = self.solver.plant().clone();
        let mut found = Vec::new();
        let Some(breakable) = self.solver.breakable_mut() else { return };
        breakable.overloads(self.breaking.strengths(), &mut found);
        if found.is_empty() && self.breaking.excuses_none() {
            return;
        }
        let (wood, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|o| matches!(plant.body(o.body.id), Some(Body::Wood(_))));
        let mut off = Vec::new();
        if fracture {
            let solver = &self.solver;
            let is_loose = |body| solver.breakable().is_some_and(|breakable| breakable.is_loose(body));
            let breaks = self.breaking.choose(&plant, is_loose, &wood);
            off.extend(breaks.into_iter().map(|o| (o.body, o.used)));
        }
        if detachment {
            off.extend(others.into_iter().map(|o| (o.body, o.used)));
        }
        if !off.is_empty() {
            self.take_off(&off, self.solver.time());
        }
    }

    /// Detaches bodies from their parents.
    pub(super) fn take_off(&mut self, off: &[(BodyRef, f64)], time: f64) {
        let plant = self.solver.plant().clone();
        let (mut pieces, mut gone, mut known) = (Vec::new(), Vec::new(), HashSet::new());
        for &(body, used) in off {
            if self.is_loose(body) {
                continue;
            }
            let fallen = match plant.body(body.id) {
                Some(Body::Wood(_)) => {
                    if known.insert(body) {
                        pieces.push(body);
                        self.events.push(Event::Broke { body, used, time });
                    }
                    continue;
                }
                Some(Body::Leaf(_)) => FreeBody::leaf(&plant, body, &self.solver.motion(body)),
                Some(Body::Fruit(_)) => FreeBody::fruit(&plant, body, &self.solver.motion(body)),
                None => continue,
            };
            let scale = self.solver.params().mass_scale(&plant, body.id);
            let surface = self.settings.collisions.surface();
            let fallen = fallen.and_then(|f| FreeBody { surface, ..f }.with_mass_scale(scale));
            // A body too small or too fast for a free body (a leaf of a micrometre) stays a body of the tree.
            let Ok(fallen) = fallen else { continue };
            if self.bodies.add(fallen).is_ok() {
                gone.push(body);
                self.events.push(Event::LetGo { body, used, time });
            }
        }
        let Some(breakable) = self.solver.breakable_mut() else { return };
        if !gone.is_empty() {
            breakable.remove(&gone);
        }
        breakable.release(&pieces);
    }

    /// Placement of a body of a tree or piece.
    pub(super) fn placed(&self, body: BodyRef) -> BodyPlace {
        self.contact().place(body)
    }

    /// Velocity of a point of a tree or piece at the time that touches refer to, m/s.
    pub(super) fn kept_velocity_at(&self, body: BodyRef, point: DVec3) -> DVec3 {
        self.contact().velocity_before_step(body, point)
    }

    /// Velocity of a point of a tree or piece, m/s.
    pub(super) fn velocity_at(&self, body: BodyRef, point: DVec3) -> DVec3 {
        self.contact().velocity_at(body, point)
    }

    /// Impulse of a touch of the last step, N s.
    pub(super) fn touch_impulse(&self, touch: usize) -> DVec3 {
        self.contact().touch_impulses()[touch]
    }

    fn contact(&self) -> &dyn ContactResponse {
        self.solver.contact().expect("nothing is let in that meets trees if the solver can't answer")
    }
}
