//! Deliberately wrong solvers: every check of the conformance suite must notice one of them, at the largest
//! tolerance of any solver.
//!
//! Each is the implicit solver in f64 with one fault that a new method may have. Without a fault it
//! passes all tiers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use windfall_articulated::{Method, World};
use windfall_conformance::{Check, Checked, Subject, TIERS, Tolerances};
use windfall_core::glam::{DVec3, Vec3Swizzles};
use windfall_core::{BodyId, BodyMotion, BodyRef, JointLoad, Plant, Pose};
use windfall_solver::{
    Actions, Air, Base, Bases, BodyPlace, Breakable, ContactResponse, JointLoads, Load, Overload, Params, ParamsError,
    PoseRequest, Selection, Snapshot, SnapshotError, Solver, StepError, StepInput, Strengths, Unsupported, Wind,
};

use crate::conformance::stated;

/// The fault.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Nothing,
    /// Input is not checked.
    TakesAnything,
    /// Time advances by another interval than the step.
    ForgetsTime,
    /// A snapshot is the present, not the past.
    ForgetsSnapshots,
    /// Poses are of all bodies, whatever the request.
    WritesWholePoses,
    /// A selection is remembered, but all bodies go on moving.
    OnlySaysSelections,
    /// Parameters are remembered, but have no effect.
    OnlySaysParams,
    /// Something pulls sideways, m/s².
    Ghost(f64),
    /// Gravity is too strong by this factor.
    Gravity(f64),
    /// Forces are too large by this factor.
    Forces(f64),
    /// Forces push aside by this share of themselves.
    Sideways(f64),
    /// Forces act on the last body, too.
    SpreadsForces,
    /// Hands are too stiff by this factor.
    Hands(f64),
    /// Wood is too heavy by this factor.
    Density(f64),
    /// Nothing is damped.
    Undamped,
    /// Velocities are too large by this factor.
    Velocity(f64),
    /// The ground is where it was a step ago.
    LateGround,
    /// The ground moves, but its acceleration has no effect.
    WeightlessGround,
    /// Wind is too fast by this factor.
    WindSpeed(f64),
    /// Air is never quite still, m/s.
    Draught(f64),
    /// The ground takes the air along.
    CarriesAir,
    /// There is no air.
    Vacuum,
    /// Air receives this multiple of the momentum that it gave.
    AirImpulse(f64),
    /// The drag of leaves is too large by this factor.
    LeafDrag(f64),
    /// Joint loads are too large by this factor.
    Loads(f64),
    /// The load of a joint is that of its parent.
    LoadsOfParents,
    /// Joint loads in batches are in another order.
    ShuffledLoads,
    /// Places for contacts are off by this distance, m.
    Places(f64),
    /// A touching body receives this multiple of the momentum that it gave.
    TouchImpulse(f64),
    /// Touches pull where they should only push.
    SticksToTouches,
    /// Pieces fall too fast by this factor.
    PieceGravity(f64),
    /// Pieces are remembered, but nothing breaks off.
    NeverBreaks,
    /// Removed bodies are remembered, but stay.
    NeverRemoves,
    /// Overloads use this multiple of the strength.
    Strength(f64),
    /// Every run is a little different.
    Noise(f64),
    /// Runs on other numbers of threads are a little different.
    ThreadNoise(f64),
}

use Fault::{
    AirImpulse, CarriesAir, Density, Draught, Forces, ForgetsSnapshots, ForgetsTime, Ghost, Gravity, Hands, LateGround,
    LeafDrag, Loads, LoadsOfParents, NeverBreaks, NeverRemoves, Noise, Nothing, OnlySaysParams, OnlySaysSelections,
    PieceGravity, Places, ShuffledLoads, Sideways, SpreadsForces, SticksToTouches, Strength, TakesAnything,
    ThreadNoise, TouchImpulse, Undamped, Vacuum, Velocity, WeightlessGround, WindSpeed, WritesWholePoses,
};

/// The faults, and the check that must notice each; every check has one.
const FAULTS: [(Fault, &str); 50] = [
    (Ghost(0.1), "rest_stays_at_rest"),
    (ForgetsTime, "time_advances"),
    (TakesAnything, "wrong_input_is_refused"),
    (Forces(1.05), "smallest_plant_works"),
    (WritesWholePoses, "parts_of_poses_are_those_of_whole_ones"),
    (ForgetsSnapshots, "snapshots_bring_back_a_moment"),
    (OnlySaysSelections, "what_is_not_simulated_does_not_bend"),
    (OnlySaysParams, "parameters_are_those_that_were_set"),
    (Gravity(1.01), "gravity_bends_by_beam_theory"),
    (Gravity(0.99), "gravity_bends_by_beam_theory"),
    (Forces(1.01), "force_bends_in_its_direction"),
    (Sideways(0.03), "force_bends_in_its_direction"),
    (Hands(0.95), "hand_pulls_to_its_target"),
    (Velocity(1.03), "pose_and_motion_agree"),
    (Density(5.0), "branch_sways_with_its_frequency"),
    (Density(0.3), "branch_sways_with_its_frequency"),
    (Ghost(1.0), "symmetric_tree_stays_symmetric"),
    (Undamped, "motion_decays_to_rest"),
    (LateGround, "base_carries_the_tree"),
    (WeightlessGround, "moving_ground_bends_the_tree"),
    (SpreadsForces, "trees_do_not_influence_each_other"),
    (WindSpeed(1.03), "steady_wind_bends_by_its_drag"),
    (WindSpeed(0.97), "steady_wind_bends_by_its_drag"),
    (Vacuum, "steady_wind_bends_by_its_drag"),
    (Draught(1.0), "still_air_leaves_a_tree_at_rest"),
    (CarriesAir, "motion_through_still_air_is_wind"),
    (Vacuum, "motion_through_still_air_is_wind"),
    (LeafDrag(0.9), "leaves_load_their_wood"),
    (LeafDrag(1.1), "leaves_load_their_wood"),
    (LeafDrag(0.0), "turning_leaves_load_their_wood"),
    (AirImpulse(0.95), "box_of_air_keeps_all_momentum"),
    (AirImpulse(0.0), "box_of_air_keeps_all_momentum"),
    (Loads(1.03), "joints_carry_the_load"),
    (Loads(0.0), "joints_carry_the_load"),
    (LoadsOfParents, "each_joint_carries_what_hangs_on_it"),
    (ShuffledLoads, "batches_are_the_single_loads"),
    (Places(1e-3), "places_are_those_of_the_motion"),
    (TouchImpulse(1.05), "what_hits_goes_on_with_the_branch"),
    (TouchImpulse(0.0), "what_hits_goes_on_with_the_branch"),
    (SticksToTouches, "a_touch_that_would_pull_does_nothing"),
    (TouchImpulse(1.05), "what_lies_on_a_branch_weighs_on_it"),
    (PieceGravity(1.02), "what_breaks_off_falls_freely"),
    (NeverBreaks, "what_breaks_off_falls_freely"),
    (NeverBreaks, "what_stays_is_relieved"),
    (Strength(1.03), "overloads_are_those_above_their_strength"),
    (NeverRemoves, "what_is_removed_weighs_nothing"),
    (Noise(1e-3), "same_run_gives_same_bits"),
    (Noise(1e-6), "same_run_gives_same_bits"),
    (ThreadNoise(1e-3), "threads_do_not_matter"),
    (ThreadNoise(1e-6), "threads_do_not_matter"),
];

/// See the head of the module.
#[derive(Clone)]
struct Wrong {
    inner: World<f64>,
    /// As it was told; the inner solver may have others.
    params: Params,
    fault: Fault,
    impulses: Vec<DVec3>,
    /// As it was told, too: selection and number of simulated bodies, pieces, removed bodies.
    selected: Option<(Selection, usize)>,
    pieces: Vec<BodyRef>,
    removed: Vec<BodyRef>,
}

static RUNS: AtomicU32 = AtomicU32::new(0);

fn wrong_params(params: &Params, fault: Fault) -> Params {
    let mut params = params.clone();
    match fault {
        Noise(size) => params.branches.stiffness *= 1.0 + size * f64::from(RUNS.fetch_add(1, Ordering::Relaxed) % 7),
        ThreadNoise(size) => params.branches.stiffness *= 1.0 + size * rayon::current_num_threads() as f64,
        LeafDrag(factor) => params.air.leaves.drag *= factor,
        Density(factor) => params.branches.density *= factor,
        Undamped => (params.branches.damping, params.mass_damping) = (0.0, 0.0),
        _ => {}
    }
    params
}

impl Wrong {
    fn new(plant: &Arc<Plant>, params: &Params, fault: Fault) -> Self {
        let inner = World::new(plant.clone(), wrong_params(params, fault), Method::Implicit).unwrap();
        let (params, impulses) = (params.clone(), Vec::new());
        Self { inner, params, fault, impulses, selected: None, pieces: Vec::new(), removed: Vec::new() }
    }
}

#[derive(Debug)]
struct WrongGround<'a>(&'a dyn Bases, Fault);

impl Bases for WrongGround<'_> {
    fn base(&self, instance: u32, tree: usize, time: f64) -> Base {
        if self.1 == LateGround {
            return self.0.base(instance, tree, (time - 1.0 / 60.0).max(0.0));
        }
        Base { velocity: DVec3::ZERO, acceleration: DVec3::ZERO, ..self.0.base(instance, tree, time) }
    }
}

/// The wind times a factor, plus a velocity.
#[derive(Debug)]
struct WrongWind(Arc<dyn Wind>, f64, DVec3);

impl Wind for WrongWind {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        self.0.velocity(point, time) * self.1 + self.2
    }
}

#[derive(Debug)]
struct WrongFlow<'a>(&'a mut dyn windfall_solver::Flow, f64);

impl windfall_solver::Flow for WrongFlow<'_> {
    fn velocities(&self, points: windfall_solver::wind::Points<'_>, out: windfall_solver::wind::Velocities<'_>) {
        self.0.velocities(points, out);
    }

    fn give(&mut self, point: DVec3, impulse: DVec3) {
        self.0.give(point, impulse * self.1);
    }

    fn advance(&mut self, dt: f64) {
        self.0.advance(dt);
    }
}

impl Solver for Wrong {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn plant(&self) -> &Arc<Plant> {
        Solver::plant(&self.inner)
    }

    fn time(&self) -> f64 {
        let time = self.inner.time();
        if self.fault == ForgetsTime { time * 0.99 } else { time }
    }

    fn step(&mut self, dt: f64, input: &mut StepInput<'_>) -> Result<(), StepError> {
        if self.fault == TakesAnything && Solver::check(&self.inner, dt, input).is_err() {
            return Ok(());
        }
        Solver::check(&self.inner, dt, input)?;
        let mut gravity = input.gravity;
        match self.fault {
            Gravity(factor) => gravity *= factor,
            Ghost(aside) => gravity.x += aside,
            PieceGravity(factor) if !Breakable::pieces(&self.inner).is_empty() => gravity *= factor,
            _ => {}
        }
        let mut loads = input.actions.loads.to_vec();
        match self.fault {
            Sideways(share) => loads.iter_mut().for_each(|load| load.force += load.force.yzx() * share),
            Forces(factor) => loads.iter_mut().for_each(|load| load.force *= factor),
            SpreadsForces => {
                let last = BodyId(self.inner.plant().body_count() as u32 - 1);
                let more: Vec<_> = loads.iter().map(|load| Load { body: last.into(), ..*load }).collect();
                loads.extend(more);
            }
            _ => {}
        }
        let mut grabs = input.actions.grabs.to_vec();
        if let Hands(factor) = self.fault {
            for grab in &mut grabs {
                grab.stiffness *= factor;
            }
        }
        let mut touches = input.actions.touches.to_vec();
        if self.fault == SticksToTouches {
            for touch in &mut touches {
                touch.pushes_along = None;
            }
        }
        let ground = input.bases.map(|bases| WrongGround(bases, self.fault));
        let bases = match self.fault {
            LateGround | WeightlessGround => ground.as_ref().map(|ground| ground as &dyn Bases),
            _ => input.bases,
        };
        let wind = match (&input.air, self.fault) {
            (Air::Prescribed(wind), WindSpeed(factor)) => {
                Some(Arc::new(WrongWind(Arc::clone(wind), factor, DVec3::ZERO)) as Arc<dyn Wind>)
            }
            (Air::Prescribed(wind), Draught(speed)) => {
                Some(Arc::new(WrongWind(Arc::clone(wind), 1.0, DVec3::Y * speed)) as Arc<dyn Wind>)
            }
            (Air::Prescribed(wind), CarriesAir) => {
                let ground = input.bases.map_or(DVec3::ZERO, |bases| bases.base(0, 0, self.inner.time()).velocity);
                Some(Arc::new(WrongWind(Arc::clone(wind), 1.0, ground)) as Arc<dyn Wind>)
            }
            (Air::Prescribed(_), Vacuum) => None,
            (Air::Prescribed(wind), _) => Some(Arc::clone(wind)),
            _ => None,
        };
        let mut flow;
        let air = match (&mut input.air, self.fault) {
            (Air::Coupled(all), AirImpulse(factor)) => {
                flow = WrongFlow(&mut **all, factor);
                Air::Coupled(&mut flow)
            }
            (Air::Coupled(all), _) => Air::Coupled(&mut **all),
            _ => wind.as_ref().map_or(Air::Vacuum, Air::Prescribed),
        };
        let actions = Actions { loads: &loads, grabs: &grabs, touches: &touches, ..input.actions };
        Solver::step(&mut self.inner, dt, &mut StepInput { gravity, air, bases, actions })?;
        let given = ContactResponse::touch_impulses(&self.inner);
        let factor = if let TouchImpulse(factor) = self.fault { factor } else { 1.0 };
        self.impulses = given.iter().map(|impulse| *impulse * factor).collect();
        Ok(())
    }

    fn check(&self, dt: f64, input: &StepInput<'_>) -> Result<(), StepError> {
        Solver::check(&self.inner, dt, input)
    }

    fn write_pose(&self, request: PoseRequest<'_>, pose: &mut Pose) {
        let request = if self.fault == WritesWholePoses { PoseRequest::default() } else { request };
        self.inner.write_pose(request, pose);
    }

    fn motion(&self, body: BodyRef) -> BodyMotion {
        let mut motion = self.inner.motion(body.id);
        if let Velocity(factor) = self.fault {
            motion.velocity *= factor;
        }
        motion
    }

    fn params(&self) -> &Params {
        &self.params
    }

    fn set_params(&mut self, params: &Params) -> Result<(), ParamsError> {
        if self.fault == OnlySaysParams {
            params.check(self.inner.plant())?;
        } else {
            self.inner.set_params(wrong_params(params, self.fault))?;
        }
        self.params = params.clone();
        Ok(())
    }

    fn selection(&self) -> &Selection {
        self.selected.as_ref().map_or(self.inner.selection(), |(selection, _)| selection)
    }

    fn select(&mut self, selection: &Selection) -> Result<(), Unsupported> {
        if self.fault == OnlySaysSelections {
            let mut right = self.inner.clone();
            right.select(selection.clone());
            self.selected = Some((selection.clone(), right.active_bodies()));
        } else {
            self.inner.select(selection.clone());
        }
        Ok(())
    }

    fn simulated_bodies(&self) -> usize {
        self.selected.as_ref().map_or(self.inner.active_bodies(), |(_, count)| *count)
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }

    fn energy(&self) -> Option<f64> {
        Solver::energy(&self.inner)
    }

    fn snapshot(&self) -> Snapshot {
        self.inner.snapshot()
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let before = self.inner.clone();
        self.inner.restore(snapshot)?;
        if self.fault == ForgetsSnapshots {
            self.inner = before;
        }
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

    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }
}

impl JointLoads for Wrong {
    fn joint_load(&self, body: BodyRef) -> JointLoad {
        let parent = self.inner.plant().parent(body.id).filter(|_| self.fault == LoadsOfParents);
        let load = self.inner.joint_load(parent.unwrap_or(body.id));
        let factor = if let Loads(factor) = self.fault { factor } else { 1.0 };
        JointLoad { torque: load.torque * factor, force: load.force * factor }
    }

    fn write_joint_loads(&self, instance: u32, loads: &mut Vec<JointLoad>) {
        self.inner.write_joint_loads(instance, loads);
        if self.fault == LoadsOfParents {
            let own = |id: BodyId| JointLoads::joint_load(self, id.into());
            *loads = self.inner.plant().body_ids().map(own).collect();
        }
        if self.fault == ShuffledLoads {
            loads.rotate_left(1);
        }
        if let Loads(factor) = self.fault {
            for load in loads {
                (load.torque, load.force) = (load.torque * factor, load.force * factor);
            }
        }
    }
}

impl ContactResponse for Wrong {
    fn place(&self, body: BodyRef) -> BodyPlace {
        let place = self.inner.place(body);
        let off = if let Places(off) = self.fault { off } else { 0.0 };
        BodyPlace { joint: place.joint + DVec3::X * off, ..place }
    }

    fn velocity_at(&self, body: BodyRef, point: DVec3) -> DVec3 {
        self.inner.velocity_at(body, point)
    }

    fn velocity_before_step(&self, body: BodyRef, point: DVec3) -> DVec3 {
        self.inner.velocity_before_step(body, point)
    }

    fn touch_impulses(&self) -> &[DVec3] {
        &self.impulses
    }

    fn moves_with_new_velocity(&self, body: BodyRef) -> bool {
        self.inner.moves_with_new_velocity(body)
    }

    fn shift_piece(&mut self, piece: BodyRef, way: DVec3) {
        self.inner.shift_piece(piece, way);
    }
}

impl Breakable for Wrong {
    fn pieces(&self) -> &[BodyRef] {
        if self.fault == NeverBreaks { &self.pieces } else { Breakable::pieces(&self.inner) }
    }

    fn is_loose(&self, body: BodyRef) -> bool {
        self.pieces.contains(&body) || self.removed.contains(&body) || Breakable::is_loose(&self.inner, body)
    }

    fn any_removed(&self) -> bool {
        !self.removed.is_empty() || Breakable::any_removed(&self.inner)
    }

    fn overloads(&mut self, strengths: &Strengths, found: &mut Vec<Overload>) {
        let Strength(factor) = self.fault else { return self.inner.overloads(strengths, found) };
        self.inner.overloads(strengths, found);
        for overload in found {
            overload.used *= factor;
        }
    }

    fn release(&mut self, bodies: &[BodyRef]) {
        if self.fault != NeverBreaks {
            return Breakable::release(&mut self.inner, bodies);
        }
        self.pieces.extend_from_slice(bodies);
        self.pieces.dedup();
    }

    fn remove(&mut self, bodies: &[BodyRef]) {
        if self.fault == NeverRemoves {
            self.removed.extend_from_slice(bodies);
        } else {
            Breakable::remove(&mut self.inner, bodies);
        }
    }
}

fn run(fault: Fault, check: fn(&Subject<'_>) -> Checked, tolerances: Tolerances) -> Result<(), String> {
    let make = move |plant: &Arc<Plant>, params: &Params| Box::new(Wrong::new(plant, params, fault)) as Box<dyn Solver>;
    let subject = Subject::new(&make, tolerances);
    // A check may also notice by a panic: a step that fails, a missing body.
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&subject)));
    checked.map_err(|_| "panicked".to_owned())?.map_err(|failure| failure.0)
}

fn checks() -> impl Iterator<Item = &'static Check> {
    TIERS.into_iter().flat_map(|(_, checks)| checks)
}

#[test]
fn every_check_notices_what_is_wrong() {
    let loosest = Tolerances::loosest(&stated());
    let unnoticed: Vec<String> = FAULTS
        .par_iter()
        .filter_map(|(fault, name)| {
            let (_, check) = checks().find(|(known, _)| known == name).expect("a check of this name");
            let noticed = run(*fault, *check, loosest);
            println!("{fault:?}: {noticed:?}");
            noticed.is_ok().then(|| format!("{fault:?} passes {name}"))
        })
        .collect();
    assert!(unnoticed.is_empty(), "{}", unnoticed.join("\n"));
    let idle = checks().filter(|(name, _)| FAULTS.iter().all(|(_, noticed)| noticed != name));
    let idle: Vec<&str> = idle.map(|(name, _)| *name).collect();
    assert!(idle.is_empty(), "no fault shows that these notice anything: {idle:?}");
}

#[test]
fn without_a_fault_it_passes() {
    for (name, check) in checks() {
        assert_eq!(run(Nothing, *check, Tolerances::default()), Ok(()), "{name}");
    }
}
