//! Two-way coupling with the air: the air exerts a load on each body, and the flow gets the opposite of
//! each load.
//!
//! The force on a body is that of the laws at the beginning of the step, with its derivative, which is
//! taken implicitly. Over a step of `h` seconds its impulse is `J = h (F - G h a)`, G = -dF/dv and
//! a the acceleration of the point in the step: the air gets -J there, so that momentum is conserved.
//! `Implicit` computes the impulse of every load exactly.

use std::collections::HashSet;

use windfall_core::BodyId;
use windfall_core::glam::{DMat3, DQuat, DVec3};
use windfall_solver::params::Values;
use windfall_solver::wind::{Points, Velocities};
use windfall_solver::{Actions, Flow, Load};

use crate::air::aero_load;
use crate::block::place::ON_BASE;
use crate::block::sail::{LeafAir, Sail};
use crate::math::{Quat, Real, Vec3};
use crate::world::{Method, World};

/// The sail of a body in the air flow, and its place at the beginning of a step.
struct Caught {
    body: BodyId,
    point: DVec3,
    load: Load,
}

impl<T: Real> World<T> {
    /// A step in air that is coupled to the trees.
    pub(crate) fn step_in_flow(&mut self, dt: f64, actions: &Actions<'_>, flow: &mut dyn Flow) {
        let caught = self.catch_air(flow);
        let mut loads = actions.loads.to_vec();
        let first = loads.len();
        loads.extend(caught.iter().map(|caught| caught.load));
        self.noted_loads = first..loads.len();
        self.load_impulses.clear();
        self.load_impulses.resize(caught.len(), DVec3::ZERO);
        self.step_on_threads(dt, &Actions { loads: &loads, ..*actions });
        self.noted_loads = 0..0;
        let by_acceleration = self.method() == Method::Analytic;
        for (i, caught) in caught.iter().enumerate() {
            let is_piece = self.anchor_at(self.places[caught.body.0 as usize]) as usize >= self.bases.len();
            let impulse = if by_acceleration && !is_piece {
                let motion = self.motion(caught.body);
                let arm = motion.orientation * caught.load.point - (motion.center - motion.joint);
                let (omega, alpha) = (motion.angular_velocity, motion.angular_acceleration);
                let acceleration = motion.acceleration + alpha.cross(arm) + omega.cross(omega.cross(arm));
                (caught.load.force - caught.load.drag * (acceleration * dt)) * dt
            } else {
                self.load_impulses[i]
            };
            if impulse.is_finite() {
                flow.give(caught.point, -impulse);
            }
        }
        flow.advance(dt);
    }

    /// The loads of the air on every body at this moment. Bodies that stand rigidly on the ground exert
    /// none on the air.
    fn catch_air(&self, flow: &dyn Flow) -> Vec<Caught> {
        let (params, plant) = (self.params(), &self.plant);
        let values = Values::new(params, plant);
        let leaves = LeafAir::<f64>::of(&params.air);
        let removed: HashSet<BodyId> = self.removed.iter().copied().collect();
        let moves = |id: &BodyId| self.places[id.0 as usize].block != ON_BASE && !removed.contains(id);
        let bodies: Vec<BodyId> = plant.body_ids().filter(moves).collect();
        let scale = |id: BodyId| values.mass_scale(id);
        let sails: Vec<Sail<f64>> = bodies.iter().map(|&id| Sail::new(plant, id, &params.air, scale(id))).collect();
        let motions: Vec<_> = bodies.iter().map(|&id| self.motion(id)).collect();
        let [mut x, mut y, mut z] = [(); 3].map(|()| Vec::with_capacity(bodies.len()));
        for (motion, sail) in motions.iter().zip(&sails) {
            let point = (motion.joint + motion.orientation * sail.center.f64()).as_vec3();
            x.push(point.x);
            y.push(point.y);
            z.push(point.z);
        }
        let [mut u, mut v, mut w] = [(); 3].map(|()| vec![0.0f32; bodies.len()]);
        flow.velocities(Points::new(&x, &y, &z), Velocities::new(&mut u, &mut v, &mut w));
        let caught = bodies.iter().zip(&sails).zip(&motions).enumerate();
        caught
            .map(|(i, ((&body, sail), motion))| {
                let air = DVec3::new(u[i].into(), v[i].into(), w[i].into());
                let air = if air.is_finite() { air } else { DVec3::ZERO };
                let center = sail.center.f64();
                let arm = motion.joint + motion.orientation * center - motion.center;
                let own = motion.velocity + motion.angular_velocity.cross(arm);
                let back = motion.orientation.inverse();
                let mass = plant.mass_properties(body).mass * scale(body);
                let aero_load = aero_load((sail, &leaves), mass, Vec3::of(back * (air - own)));
                let turned = |m: crate::math::Sym3<f64>| full(m.turned(rotation(motion.orientation)));
                let spin = back * motion.angular_velocity;
                let spin_drag = aero_load.spin_drag.f64();
                let load = Load {
                    body: body.into(),
                    point: center,
                    force: motion.orientation * aero_load.force.f64(),
                    torque: motion.orientation * (aero_load.torque.f64() - spin_drag * spin),
                    drag: turned(aero_load.drag),
                    spin_drag: turned(crate::math::Sym3::diagonal(aero_load.spin_drag)),
                };
                let point = DVec3::new(x[i].into(), y[i].into(), z[i].into());
                Caught { body, point, load }
            })
            .collect()
    }
}

fn rotation(orientation: DQuat) -> crate::math::Mat3<f64> {
    Quat::of(orientation).matrix()
}

fn full(m: crate::math::Sym3<f64>) -> DMat3 {
    let column = |axis: DVec3| (m * Vec3::of(axis)).f64();
    DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
}
