//! Rapier in the runs of `bench/peers`.
//!
//! Two ways to build the tree. `multibody`: reduced coordinates, spherical joints with Rapier's implicit
//! joint springs. Its mass matrix is dense, so memory grows with the square of the number of bodies and time
//! with the cube. `impulse`: every body has six degrees of freedom, joints are constraints, and springs are
//! position motors in force units.
//!
//! What is not quite our model: a spherical multibody joint measures its angle by adding up its angular
//! velocity in the parent's axes, and an impulse joint by twice the arc sine of each component of the
//! quaternion. Both are the rotation vector for small angles.

mod model;

#[cfg(not(feature = "f64"))]
use rapier3d as rapier;
#[cfg(feature = "f64")]
use rapier3d_f64 as rapier;

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use model::Body;
use rapier::prelude::*;
use windfall_peers::{Peer, Run};

/// Move a tree under gravity with Rapier, from its rest shape, on one thread.
#[derive(Parser)]
struct Options {
    /// What `windfall inspect --bodies --json` printed
    bodies: PathBuf,
    #[arg(long, value_enum)]
    joints: Joints,
    /// Rapier's solver iterations: it divides a step into so many small ones
    #[arg(long, default_value_t = 4)]
    iterations: usize,
    /// Gauss-Seidel sweeps over the constraints in each of them, for impulse joints
    #[arg(long, default_value_t = 1)]
    sweeps: usize,
    #[command(flatten)]
    run: Run,
}

#[derive(Clone, Copy, ValueEnum)]
enum Joints {
    Multibody,
    Impulse,
}

struct Rapier {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
    /// From the joint of each body to its centre of mass, body axes.
    centers: Vec<Vector>,
    /// The multibody, if it is damped in proportion to mass: Rapier does so for free bodies only.
    slowed: Option<MultibodyIndex>,
    /// What is left of its velocities after a step.
    kept: Real,
}

const AXES: [JointAxis; 3] = [JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ];

#[allow(clippy::unnecessary_cast, reason = "in f64 it is")]
fn real(x: f64) -> Real {
    x as Real
}

fn vector([x, y, z]: [f64; 3]) -> Vector {
    Vector::new(real(x), real(y), real(z))
}

fn rest_pose(body: &Body) -> Pose {
    let [x, y, z, w] = body.rest_orientation_xyzw.map(real);
    Pose::from_parts(vector(body.joint_position_m), Rotation::from_xyzw(x, y, z, w).normalize())
}

impl Rapier {
    fn new(bodies: &[Body], options: &Options) -> Self {
        let mut world = PhysicsWorld::new();
        world.gravity = vector([0.0, -options.run.gravity, 0.0]);
        world.integration_parameters.dt = real(options.run.dt);
        world.integration_parameters.num_solver_iterations = options.iterations;
        world.integration_parameters.num_internal_pgs_iterations = options.sweeps;
        // As few as it takes when nothing collides.
        world.integration_parameters.max_ccd_substeps = 0;
        let ground = world.insert_body(RigidBodyBuilder::fixed());
        let mut handles: Vec<RigidBodyHandle> = Vec::with_capacity(bodies.len());
        for body in bodies {
            let [[x, ..], [_, y, _], [.., z]] = body.inertia_kg_m2;
            let mass = MassProperties::new(vector(body.center_of_mass_m), real(body.mass_kg), vector([x, y, z]));
            let built = RigidBodyBuilder::dynamic().pose(rest_pose(body)).additional_mass_properties(mass);
            let alpha = match options.joints {
                Joints::Multibody => 0.0,
                Joints::Impulse => real(options.run.alpha),
            };
            let own = world.insert_body(built.linear_damping(alpha).angular_damping(alpha).can_sleep(false));
            let (parent, frame) = match body.parent {
                None => (ground, rest_pose(body)),
                Some(p) => (handles[p], rest_pose(&bodies[p]).inverse() * rest_pose(body)),
            };
            let mut joint = GenericJointBuilder::new(JointAxesMask::LOCKED_SPHERICAL_AXES).local_frame1(frame);
            match options.joints {
                Joints::Multibody => {
                    world.insert_multibody_joint(parent, own, joint);
                }
                Joints::Impulse => {
                    for (i, axis) in AXES.into_iter().enumerate() {
                        let [k, c] = [body.stiffness_nm_per_rad[i], body.damping_nms_per_rad[i]].map(real);
                        joint = joint.motor_model(axis, MotorModel::ForceBased).motor_position(axis, 0.0, k, c);
                    }
                    world.insert_impulse_joint(parent, own, joint);
                }
            }
            handles.push(own);
        }
        let multibody = world.multibody_joints.rigid_body_link(handles[0]).map(|link| link.multibody);
        if let Some(index) = multibody {
            springs(&mut world, bodies, &handles, index);
        }
        let slowed = multibody.filter(|_| options.run.alpha > 0.0);
        let centers = bodies.iter().map(|body| vector(body.center_of_mass_m)).collect();
        Self { world, handles, centers, slowed, kept: real((-options.run.alpha * options.run.dt).exp()) }
    }
}

/// Gives the joints of the multibody their springs and dampers.
fn springs(world: &mut PhysicsWorld, bodies: &[Body], handles: &[RigidBodyHandle], index: MultibodyIndex) {
    let ids: Vec<usize> =
        handles.iter().map(|&h| world.multibody_joints.rigid_body_link(h).expect("a joint of its own").id).collect();
    let multibody = world.multibody_joints.get_multibody_mut(index).expect("the one multibody");
    // Notices that the root does not move: only now are the degrees of freedom where they stay.
    multibody.forward_kinematics(&world.bodies, true);
    for (body, id) in bodies.iter().zip(ids) {
        let link = multibody.link_mut(id).expect("a link of this multibody");
        for (i, axis) in AXES.into_iter().enumerate() {
            link.joint.set_spring(axis as usize, real(body.stiffness_nm_per_rad[i]), 0.0);
        }
        let first = link.assembly_id();
        for (i, &c) in body.damping_nms_per_rad.iter().enumerate() {
            multibody.damping_mut()[first + i] = real(c);
        }
    }
}

impl Peer for Rapier {
    fn step(&mut self) -> anyhow::Result<()> {
        self.world.step();
        if let Some(index) = self.slowed {
            let multibody = self.world.multibody_joints.get_multibody_mut(index).expect("the one multibody");
            multibody.generalized_velocity_mut().scale_mut(self.kept);
        }
        Ok(())
    }

    fn centers(&self, each: &mut dyn FnMut([f64; 3])) {
        for (&handle, &center) in self.handles.iter().zip(&self.centers) {
            let center = self.world.bodies[handle].position().transform_point(center);
            #[allow(clippy::useless_conversion, reason = "in f64 it is one")]
            each([center.x.into(), center.y.into(), center.z.into()]);
        }
    }
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let bodies = model::read(&options.bodies, options.run.isotropic, options.run.damping)?;
    options.run.play(&mut Rapier::new(&bodies, &options))
}
