//! Implementation of the solver interface.

mod take_over;

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, BodyMotion, BodyRef, InvalidPlant, JointLoad, Plant, Pose};
use windfall_solver::{
    Air, Base, BodyPlace, Breakable, ContactResponse, JointAccess, JointLoads, Overload, Params, ParamsError,
    PoseRequest, RestShape, Selection, Snapshot, SnapshotError, Solver, StepError, StepInput, Strengths, Unsupported,
};

use crate::block::JointState;
use crate::block::place::ON_BASE;
use crate::block::vectors::Vectors;
use crate::math::{Quat, Real, Vec3};
use crate::world::piece_contact::PairContact;
use crate::world::{Method, World};

/// Least number of bodies of a pose that one task places.
const BODIES_PER_TASK: usize = 4096;

/// A solver in single precision. Programs make solvers by this and [`double`], so that the sweeps are
/// compiled in this crate alone.
pub fn single(
    plant: Arc<Plant>,
    params: Params,
    method: Method,
    vectors: Vectors,
) -> Result<Box<dyn Solver>, ParamsError> {
    let mut world = World::<f32>::new(plant, params, method)?;
    world.set_vectors(vectors);
    Ok(Box::new(world))
}

/// The same in double precision.
pub fn double(plant: Arc<Plant>, params: Params, method: Method) -> Result<Box<dyn Solver>, ParamsError> {
    Ok(Box::new(World::<f64>::new(plant, params, method)?))
}

impl Method {
    /// The name in scene files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Implicit => "implicit",
            Self::Analytic => "analytic",
            Self::Explicit => "explicit",
        }
    }
}

impl<T: Real> Solver for World<T> {
    fn name(&self) -> &'static str {
        self.method().name()
    }

    fn plant(&self) -> &Arc<Plant> {
        &self.plant
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn step(&mut self, dt: f64, input: &mut StepInput<'_>) -> Result<(), StepError> {
        Solver::check(self, dt, input)?;
        self.take_input(dt, input);
        if let Air::Coupled(flow) = &mut input.air {
            self.step_in_flow(dt, &input.actions, &mut **flow);
        } else {
            self.step_on_threads(dt, &input.actions);
        }
        Ok(())
    }

    fn check(&self, dt: f64, input: &StepInput<'_>) -> Result<(), StepError> {
        self.check_input(dt, input)
    }

    fn write_pose(&self, request: PoseRequest<'_>, pose: &mut Pose) {
        let bodies = (0..self.plant.body_count()).into_par_iter().with_min_len(BODIES_PER_TASK);
        if request.is_whole() {
            return bodies
                .map(|id| self.placed_in_tree(id))
                .unzip_into_vecs(&mut pose.positions, &mut pose.orientations);
        }
        if pose.len() != self.plant.body_count() {
            *pose = Pose::rest(&self.plant);
        }
        let places = pose.positions.par_iter_mut().zip(&mut pose.orientations).enumerate();
        places.with_min_len(BODIES_PER_TASK).for_each(|(id, (position, orientation))| {
            if request.asks_for(&self.plant, BodyId(id as u32)) {
                (*position, *orientation) = self.placed_in_tree(id);
            }
        });
    }

    fn motion(&self, body: BodyRef) -> BodyMotion {
        self.motion(own(body))
    }

    fn force_window(&self, body: BodyRef, dt: f64) -> Range<f64> {
        self.force_window(own(body), dt)
    }

    fn base(&self, instance: u32, tree: usize) -> Base {
        assert_eq!(instance, 0, "the plant of this solver stands once");
        self.bases[tree].now
    }

    fn params(&self) -> &Params {
        self.params()
    }

    fn set_params(&mut self, params: &Params) -> Result<(), ParamsError> {
        self.set_params(params.clone())
    }

    fn selection(&self) -> &Selection {
        self.selection()
    }

    fn select(&mut self, selection: &Selection) -> Result<(), Unsupported> {
        self.select(selection.clone());
        Ok(())
    }

    fn simulated_bodies(&self) -> usize {
        self.active_bodies()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    fn energy(&self) -> Option<f64> {
        Some(self.energy().total())
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.name(), self.time, self.clone())
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let world: &Self = snapshot.state()?;
        if world.method != self.method {
            return Err(SnapshotError::OtherSolver { solver: snapshot.solver() });
        }
        if !Arc::ptr_eq(&world.plant, &self.plant) && world.plant != self.plant {
            return Err(SnapshotError::OtherPlant);
        }
        let vectors = self.vectors;
        self.clone_from(world);
        self.set_vectors(vectors);
        Ok(())
    }

    fn take_over(&mut self, other: &dyn Solver) -> Result<(), Unsupported> {
        let cannot = |what| Err(Unsupported { solver: self.name(), what });
        if !Arc::ptr_eq(other.plant(), &self.plant) && *other.plant() != self.plant {
            return cannot("going on with the motion of another plant");
        }
        if other.placements().len() != 1 {
            return cannot("going on with the motion of several instances");
        }
        self.take_motion_of(other);
        Ok(())
    }

    fn loads(&self) -> Option<&dyn JointLoads> {
        Some(self)
    }

    fn contact(&self) -> Option<&dyn ContactResponse> {
        Some(self)
    }

    fn contact_mut(&mut self) -> Option<&mut dyn ContactResponse> {
        Some(self)
    }

    fn breakable(&self) -> Option<&dyn Breakable> {
        Some(self)
    }

    fn breakable_mut(&mut self) -> Option<&mut dyn Breakable> {
        Some(self)
    }

    fn joints(&self) -> Option<&dyn JointAccess> {
        Some(self)
    }

    fn joints_mut(&mut self) -> Option<&mut dyn JointAccess> {
        Some(self)
    }

    fn rest_shape(&mut self) -> Option<&mut dyn RestShape> {
        Some(self)
    }

    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }
}

/// Checks that the body belongs to the only instance.
fn own(body: BodyRef) -> BodyId {
    assert_eq!(body.instance, 0, "the plant of this solver stands once");
    body.id
}

impl<T: Real> World<T> {
    fn check_input(&self, dt: f64, input: &StepInput<'_>) -> Result<(), StepError> {
        windfall_solver::check_step(dt)?;
        let StepInput { gravity, actions, bases, .. } = input;
        actions.check(1, self.plant.body_count())?;
        // The values must be finite in this precision, too.
        let fits = |v: DVec3| Vec3::<T>::of(v).is_finite();
        if !fits(*gravity) {
            return Err(StepError::BadGravity);
        }
        if let Some(load) = actions.loads.iter().find(|l| !(fits(l.point) && fits(l.force) && fits(l.torque))) {
            return Err(StepError::NotFinite { what: "load", body: load.body.id });
        }
        if let Some(grab) = actions.grabs.iter().find(|g| !(fits(g.point) && fits(g.target) && fits(g.target_velocity)))
        {
            return Err(StepError::NotFinite { what: "grab", body: grab.body.id });
        }
        if let Some(touch) = actions.touches.iter().find(|t| !(fits(t.point) && fits(t.velocity))) {
            return Err(StepError::NotFinite { what: "touch", body: touch.body.id });
        }
        let moves = |base: &Base| {
            let all = [base.velocity, base.angular_velocity, base.acceleration, base.angular_acceleration];
            base.is_valid() && all.into_iter().all(fits)
        };
        let Some(bases) = bases else { return Ok(()) };
        let is_wrong = |&tree: &usize| [0.0, dt].iter().any(|after| !moves(&bases.base(0, tree, self.time + after)));
        (0..self.bases.len()).find(is_wrong).map_or(Ok(()), |tree| Err(StepError::BadBase { tree }))
    }

    /// Takes over gravity, wind, ground and contacts for the step.
    fn take_input(&mut self, dt: f64, input: &StepInput<'_>) {
        self.gravity = input.gravity;
        let same = match (&self.wind, input.air.wind()) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        if !same {
            self.wind = input.air.wind().cloned();
        }
        let time = self.time;
        for (tree, base) in self.bases.iter_mut().enumerate() {
            let at = |time| input.bases.map_or_else(Base::default, |bases| bases.base(0, tree, time));
            (base.now, base.next) = (at(time), at(time + dt));
        }
        self.piece_contacts.clear();
        self.piece_contacts.extend(input.actions.piece_contacts.iter().map(PairContact::of));
    }

    /// The present poses of all bodies.
    pub fn pose(&self) -> Pose {
        let mut pose = Pose::default();
        self.write_pose(PoseRequest::default(), &mut pose);
        pose
    }
}

impl<T: Real> JointLoads for World<T> {
    fn joint_load(&self, body: BodyRef) -> JointLoad {
        self.joint_load(own(body))
    }

    fn write_joint_loads(&self, _: u32, loads: &mut Vec<JointLoad>) {
        loads.clear();
        loads.resize(self.plant.body_count(), JointLoad::default());
        for block in self.all_blocks() {
            for (i, &id) in block.model.ids.iter().enumerate().filter(|(_, id)| **id != crate::block::PADDING) {
                let reaction = block.state.reactions.get(i);
                loads[id as usize] = JointLoad { torque: reaction.torque.f64(), force: reaction.force.f64() };
            }
        }
    }
}

impl<T: Real> ContactResponse for World<T> {
    fn place(&self, body: BodyRef) -> BodyPlace {
        let (anchor, joint, orientation) = self.frame(own(body).0 as usize);
        BodyPlace { joint: self.anchor_position(anchor) + joint.f64(), orientation: orientation.f64() }
    }

    fn velocity_at(&self, body: BodyRef, point: DVec3) -> DVec3 {
        let body = own(body);
        self.contact(body, point).map_or_else(|| self.base_velocity_at(body, point), |contact| contact.velocity.f64())
    }

    /// The velocity at the time of the pose would overshoot by half of the change in the last step, and
    /// after a hit that is much.
    fn velocity_before_step(&self, body: BodyRef, point: DVec3) -> DVec3 {
        let body = own(body);
        self.contact(body, point).map_or_else(
            || self.base_velocity_at(body, point),
            |contact| (contact.velocity - contact.acceleration * self.age_in_step(contact.place)).f64(),
        )
    }

    fn touch_impulses(&self) -> &[DVec3] {
        &self.impulses
    }

    fn moves_with_new_velocity(&self, _: BodyRef) -> bool {
        self.method() == Method::Implicit
    }

    fn shift_piece(&mut self, piece: BodyRef, way: DVec3) {
        self.edit_free(own(piece), |_, free| free.position += way);
    }
}

impl<T: Real> Breakable for World<T> {
    fn pieces(&self) -> &[BodyRef] {
        &self.piece_refs
    }

    fn is_loose(&self, body: BodyRef) -> bool {
        self.is_loose(own(body))
    }

    fn any_removed(&self) -> bool {
        !self.removed.is_empty()
    }

    fn overloads(&mut self, strengths: &Strengths, found: &mut Vec<Overload>) {
        self.overloaded(strengths, found);
    }

    fn release(&mut self, bodies: &[BodyRef]) {
        let bodies: Vec<BodyId> = bodies.iter().map(|body| own(*body)).collect();
        self.release_all(&bodies);
    }

    fn remove(&mut self, bodies: &[BodyRef]) {
        let bodies: Vec<BodyId> = bodies.iter().map(|body| own(*body)).collect();
        self.remove(&bodies);
    }
}

impl<T: Real> JointAccess for World<T> {
    fn numbers_per_joint(&self) -> usize {
        crate::world::JOINT_NUMBERS
    }

    fn write_joints(&self, numbers: &mut Vec<f32>) {
        self.write_joints(numbers);
    }

    fn pull_joints(&mut self, numbers: &[f32], share: f64) {
        self.pull_joints(numbers, share);
    }

    fn joint_rotation(&self, body: BodyRef) -> DQuat {
        self.joint_rotation(own(body))
    }

    fn set_joint(&mut self, body: BodyRef, rotation: DQuat, velocity: DVec3) {
        self.set_joint(own(body), rotation, velocity);
    }
}

impl<T: Real> RestShape for World<T> {
    fn adopt_shape(&mut self) {
        self.adopt_shape();
    }

    fn plant_in_present_shape(&self) -> Result<Plant, InvalidPlant> {
        self.plant_in_present_shape()
    }
}

impl<T: Real> World<T> {
    /// The rotation of a joint from its relaxed frame to the body's frame, child's axes.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn joint_rotation(&self, body: BodyId) -> DQuat {
        self.joint_table_entry(body).1.f64()
    }

    /// Turns a joint, and sets its angular velocity relative to its parent, in the child's axes, rad/s.
    /// No effect on bodies that are not simulated.
    ///
    /// # Panics
    /// If the plant has no such body, a number is not finite, or the rotation is no rotation (a zero
    /// quaternion).
    pub fn set_joint(&mut self, body: BodyId, rotation: DQuat, velocity: DVec3) {
        let is_rotation = rotation.is_finite() && rotation.length_squared() > 0.0;
        assert!(is_rotation && Vec3::<T>::of(velocity).is_finite(), "joint {}: {rotation}, {velocity} rad/s", body.0);
        let place = self.places[body.0 as usize];
        if place.block == ON_BASE || self.block(place.block).model.ids[place.index as usize] != body.0 {
            return;
        }
        let state = JointState { q: Quat::of(rotation), w: Vec3::of(velocity), rate: Vec3::zero() };
        self.block_mut(place.block).state.joints.set(place.index as usize, state);
        self.replace_all();
    }

    fn joint_table_entry(&self, body: BodyId) -> (u32, Quat<T>) {
        let place = self.places[body.0 as usize];
        if place.block != ON_BASE {
            let block = self.block(place.block);
            if block.model.ids[place.index as usize] == body.0 {
                return (place.index, block.state.joints.get(place.index as usize).q);
            }
        }
        (place.index, self.resting[body.0 as usize].state.q)
    }
}
