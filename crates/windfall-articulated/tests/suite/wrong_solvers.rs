//! Deliberately wrong solvers: every tier of the conformance suite must notice, at the largest tolerance
//! of any solver.
//!
//! Each is the implicit solver in f64 with one fault that a new method may have. Without a fault it
//! passes all tiers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use windfall_articulated::{Method, World};
use windfall_conformance::{Subject, TIERS, Tolerances};
use windfall_core::glam::{DVec3, Vec3Swizzles};
use windfall_core::{BodyMotion, BodyRef, JointLoad, Plant, Pose};
use windfall_solver::{
    Actions, Air, Base, Bases, BodyPlace, Breakable, ContactResponse, JointLoads, Overload, Params, ParamsError,
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
    /// Gravity is too strong by this share.
    Gravity(f64),
    /// Forces push aside by this share of themselves.
    Sideways(f64),
    /// Everything is faster by this factor.
    Tempo(f64),
    /// Velocities are too large by this factor.
    Velocity(f64),
    /// The ground is where it was a step ago.
    LateGround,
    /// The ground moves, but its acceleration has no effect.
    WeightlessGround,
    /// Wind is too fast by this factor.
    WindSpeed(f64),
    /// There is no air.
    Vacuum,
    /// Air receives this multiple of the momentum that it gave.
    AirImpulse(f64),
    /// The drag of leaves is too large by this factor.
    LeafDrag(f64),
    /// Joint loads are too large by this factor.
    Loads(f64),
    /// Joint loads in batches are in another order.
    ShuffledLoads,
    /// A touching body receives this multiple of the momentum that it gave.
    TouchImpulse(f64),
    /// Touches pull where they should only push.
    SticksToTouches,
    /// Pieces fall too fast by this factor.
    PieceGravity(f64),
    /// Nothing breaks off.
    NeverBreaks,
    /// Overloads use this multiple of the strength.
    Strength(f64),
    /// Every run is a little different.
    Noise(f64),
}

use Fault::{
    AirImpulse, ForgetsSnapshots, ForgetsTime, Gravity, LateGround, LeafDrag, Loads, NeverBreaks, Noise, Nothing,
    PieceGravity, ShuffledLoads, Sideways, SticksToTouches, Strength, TakesAnything, Tempo, TouchImpulse, Vacuum,
    Velocity, WeightlessGround, WindSpeed, WritesWholePoses,
};

/// The faults, and the tier that must notice each.
const FAULTS: [(Fault, &str); 30] = [
    (TakesAnything, "contract"),
    (ForgetsTime, "contract"),
    (ForgetsSnapshots, "contract"),
    (WritesWholePoses, "contract"),
    (Gravity(1.01), "statics"),
    (Gravity(0.99), "statics"),
    (Sideways(0.03), "statics"),
    (Tempo(0.4), "dynamics"),
    (Tempo(1.6), "dynamics"),
    (Velocity(1.03), "dynamics"),
    (LateGround, "dynamics"),
    (WeightlessGround, "dynamics"),
    (WindSpeed(1.03), "wind"),
    (WindSpeed(0.97), "wind"),
    (Vacuum, "wind"),
    (LeafDrag(0.0), "wind"),
    (LeafDrag(0.9), "wind"),
    (LeafDrag(1.1), "wind"),
    (AirImpulse(0.95), "wind"),
    (AirImpulse(0.0), "wind"),
    (Loads(1.03), "loads"),
    (Loads(0.0), "loads"),
    (ShuffledLoads, "loads"),
    (TouchImpulse(1.05), "contact"),
    (TouchImpulse(0.0), "contact"),
    (SticksToTouches, "contact"),
    (PieceGravity(1.02), "breaking"),
    (NeverBreaks, "breaking"),
    (Strength(1.03), "breaking"),
    (Noise(1e-3), "determinism"),
];

/// See the head of the module.
struct Wrong {
    inner: World<f64>,
    /// As it was told; the inner solver may have others.
    params: Params,
    fault: Fault,
    impulses: Vec<DVec3>,
}

static RUNS: AtomicU32 = AtomicU32::new(0);

fn wrong_params(params: &Params, fault: Fault) -> Params {
    let mut params = params.clone();
    match fault {
        Noise(size) => params.branches.stiffness *= 1.0 + size * f64::from(RUNS.fetch_add(1, Ordering::Relaxed) % 7),
        LeafDrag(factor) => params.air.leaves.drag *= factor,
        _ => {}
    }
    params
}

impl Wrong {
    fn new(plant: &Arc<Plant>, params: &Params, fault: Fault) -> Self {
        let inner = World::new(plant.clone(), wrong_params(params, fault), Method::Implicit).unwrap();
        Self { inner, params: params.clone(), fault, impulses: Vec::new() }
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

#[derive(Debug)]
struct WrongWind(Arc<dyn Wind>, f64);

impl Wind for WrongWind {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        self.0.velocity(point, time) * self.1
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
            PieceGravity(factor) if !Breakable::pieces(&self.inner).is_empty() => gravity *= factor,
            _ => {}
        }
        let mut loads = input.actions.loads.to_vec();
        if let Sideways(share) = self.fault {
            for load in &mut loads {
                load.force += load.force.yzx() * share;
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
                Some(Arc::new(WrongWind(Arc::clone(wind), factor)) as Arc<dyn Wind>)
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
        let actions = Actions { loads: &loads, touches: &touches, ..input.actions };
        let factor = if let Tempo(factor) = self.fault { factor } else { 1.0 };
        // Correct time is not the subject here.
        Solver::step(&mut self.inner, (dt * factor).clamp(1e-6, 0.1), &mut StepInput { gravity, air, bases, actions })?;
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
        self.inner.set_params(wrong_params(params, self.fault))?;
        self.params = params.clone();
        Ok(())
    }

    fn selection(&self) -> &Selection {
        self.inner.selection()
    }

    fn select(&mut self, selection: &Selection) -> Result<(), Unsupported> {
        self.inner.select(selection.clone());
        Ok(())
    }

    fn simulated_bodies(&self) -> usize {
        self.inner.active_bodies()
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
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
        let Self { inner, params, fault, impulses } = self;
        let (inner, params, impulses) = (inner.clone(), params.clone(), impulses.clone());
        Box::new(Self { inner, params, fault: *fault, impulses })
    }
}

impl JointLoads for Wrong {
    fn joint_load(&self, body: BodyRef) -> JointLoad {
        let load = self.inner.joint_load(body.id);
        let factor = if let Loads(factor) = self.fault { factor } else { 1.0 };
        JointLoad { torque: load.torque * factor, force: load.force * factor }
    }

    fn write_joint_loads(&self, instance: u32, loads: &mut Vec<JointLoad>) {
        self.inner.write_joint_loads(instance, loads);
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
        self.inner.place(body)
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
        Breakable::pieces(&self.inner)
    }

    fn is_loose(&self, body: BodyRef) -> bool {
        Breakable::is_loose(&self.inner, body)
    }

    fn any_removed(&self) -> bool {
        Breakable::any_removed(&self.inner)
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
            Breakable::release(&mut self.inner, bodies);
        }
    }

    fn remove(&mut self, bodies: &[BodyRef]) {
        Breakable::remove(&mut self.inner, bodies);
    }
}

fn check(fault: Fault, tier: &str, tolerances: Tolerances) -> Result<(), String> {
    let make = move |plant: &Arc<Plant>, params: &Params| Box::new(Wrong::new(plant, params, fault)) as Box<dyn Solver>;
    let (_, checks) = TIERS.iter().find(|(name, _)| *name == tier).expect("a tier");
    let subject = Subject::new(&make, tolerances);
    // A check may also notice by a panic: a step that fails, a missing body.
    let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| checks(&subject)));
    checked.map_err(|_| "panicked".to_owned())?.map_err(|failure| failure.0)
}

#[test]
fn every_tier_notices_what_is_wrong() {
    let loosest = Tolerances::loosest(&stated());
    for (fault, tier) in FAULTS {
        let noticed = check(fault, tier, loosest);
        assert!(noticed.is_err(), "{fault:?} passes the tier {tier}");
        println!("{fault:?}: {}", noticed.unwrap_err());
    }
    for (tier, _) in TIERS {
        assert!(FAULTS.iter().any(|(_, noticed)| *noticed == tier), "no fault for the tier {tier}");
    }
}

#[test]
fn without_a_fault_it_passes() {
    for (tier, _) in TIERS {
        assert_eq!(check(Nothing, tier, Tolerances::default()), Ok(()), "{tier}");
    }
}
