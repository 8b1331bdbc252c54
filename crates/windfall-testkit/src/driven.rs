//! A solver with an environment that stays from step to step, for tests that change one thing at a time.

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::DVec3;
use windfall_core::{BodyId, BodyMotion, JointLoad, Plant, Pose};
use windfall_solver::{
    Actions, Air, Base, ContactResponse, JointLoads, MovingBases, Params, ParamsError, Solver, StepError, StepInput,
    Wind,
};
use windfall_stage::{Settings, StageError};

/// Gravity, air and ground; each stays until it is set again.
#[derive(Debug, Clone)]
pub struct Around {
    pub gravity: DVec3,
    pub wind: Option<Arc<dyn Wind>>,
    pub bases: MovingBases,
}

impl Around {
    fn new(solver: &dyn Solver) -> Self {
        let trees = solver.plant().trees().len();
        Self { gravity: solver.params().gravity, wind: None, bases: MovingBases::at_rest(trees) }
    }

    fn step(&mut self, solver: &mut dyn Solver, dt: f64, actions: &Actions<'_>) -> Result<(), StepError> {
        let time = solver.time();
        self.bases.end_at(time + dt);
        let input = StepInput {
            gravity: self.gravity,
            air: self.wind.as_ref().map_or(Air::Vacuum, Air::Prescribed),
            bases: Some(&self.bases),
            actions: *actions,
        };
        solver.step(dt, &mut { input })?;
        self.bases.go_on();
        Ok(())
    }
}

macro_rules! surroundings {
    () => {
        pub fn set_gravity(&mut self, gravity: DVec3) {
            self.around.gravity = gravity;
        }

        pub fn gravity(&self) -> DVec3 {
            self.around.gravity
        }

        pub fn set_wind(&mut self, wind: Option<Arc<dyn Wind>>) {
            self.around.wind = wind;
        }

        /// Position and motion of this tree's foot at the end of the next step. Stays until it is set
        /// again.
        pub fn set_base(&mut self, tree: usize, base: Base) {
            self.around.bases.set(tree, base);
        }
    };
}

/// An articulated world and its environment.
#[derive(Debug, Clone)]
pub struct World<T> {
    world: windfall_articulated::World<T>,
    around: Around,
}

impl<T: Real> World<T> {
    pub fn new(plant: impl Into<Arc<Plant>>, params: Params, method: Method) -> Result<Self, ParamsError> {
        windfall_articulated::World::new(plant, params, method).map(Self::of)
    }

    pub fn of(world: windfall_articulated::World<T>) -> Self {
        Self { around: Around::new(&world), world }
    }

    pub fn into_solver(self) -> windfall_articulated::World<T> {
        self.world
    }

    pub fn step(&mut self, dt: f64, actions: &Actions<'_>) -> Result<(), StepError> {
        self.around.step(&mut self.world, dt, actions)
    }

    pub fn plant(&self) -> &Arc<Plant> {
        Solver::plant(&self.world)
    }

    pub fn time(&self) -> f64 {
        Solver::time(&self.world)
    }

    pub fn set_params(&mut self, params: Params) -> Result<(), ParamsError> {
        let gravity = params.gravity;
        self.world.set_params(params)?;
        self.around.gravity = gravity;
        Ok(())
    }

    pub fn touch_impulses(&self) -> &[DVec3] {
        ContactResponse::touch_impulses(&self.world)
    }

    pub fn write_pose(&self, pose: &mut Pose) {
        Solver::write_pose(&self.world, windfall_solver::PoseRequest::default(), pose);
    }

    surroundings!();
}

impl<T> Deref for World<T> {
    type Target = windfall_articulated::World<T>;

    fn deref(&self) -> &Self::Target {
        &self.world
    }
}

impl<T> DerefMut for World<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.world
    }
}

/// A stage with an articulated world, and its environment.
#[derive(Debug, Clone)]
pub struct Stage<T> {
    inner: windfall_stage::Stage,
    around: Around,
    number: std::marker::PhantomData<T>,
}

impl<T: Real> Stage<T> {
    pub fn new(world: World<T>, settings: Settings) -> Result<Self, StageError> {
        let World { world, around } = world;
        let inner = windfall_stage::Stage::new(Box::new(world), settings)?;
        Ok(Self { inner, around, number: std::marker::PhantomData })
    }

    /// The world on the stage.
    pub fn world(&self) -> &windfall_articulated::World<T> {
        (self.inner.solver() as &dyn Any).downcast_ref().expect("it was made so")
    }

    pub fn world_mut(&mut self) -> &mut windfall_articulated::World<T> {
        (self.inner.solver_mut() as &mut dyn Any).downcast_mut().expect("it was made so")
    }

    pub fn step(&mut self, dt: f64, actions: &Actions<'_>) -> Result<(), StepError> {
        self.around.step(&mut self.inner, dt, actions)
    }

    pub fn plant(&self) -> &Arc<Plant> {
        Solver::plant(&self.inner)
    }

    pub fn time(&self) -> f64 {
        Solver::time(&self.inner)
    }

    #[expect(clippy::needless_pass_by_value, reason = "as for a world")]
    pub fn set_params(&mut self, params: Params) -> Result<(), ParamsError> {
        self.inner.set_params(&params)?;
        self.around.gravity = params.gravity;
        Ok(())
    }

    pub fn motion(&self, body: BodyId) -> BodyMotion {
        Solver::motion(&self.inner, body.into())
    }

    pub fn joint_load(&self, body: BodyId) -> JointLoad {
        JointLoads::joint_load(self.world(), body.into())
    }

    pub fn touch_impulses(&self) -> &[DVec3] {
        ContactResponse::touch_impulses(self.world())
    }

    pub fn pose(&self) -> Pose {
        let mut pose = Pose::default();
        self.write_pose(&mut pose);
        pose
    }

    pub fn write_pose(&self, pose: &mut Pose) {
        Solver::write_pose(&self.inner, windfall_solver::PoseRequest::default(), pose);
    }

    pub fn cut(&mut self, bodies: &[BodyId]) -> Result<(), StepError> {
        let bodies: Vec<_> = bodies.iter().map(|&body| body.into()).collect();
        self.inner.cut(&bodies)
    }

    surroundings!();
}

impl<T> Deref for Stage<T> {
    type Target = windfall_stage::Stage;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

impl<T> DerefMut for Stage<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.inner
    }
}
