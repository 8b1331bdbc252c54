//! One leaf on a rigid stem in a steady wind, against an integration of its own: Euler's equations of a
//! rigid body by Runge and Kutta, with the laws (23) and (24) of quigley2017 and the spring of the petiole
//! written down again from the paper and [`AirParams`](windfall_solver::params::AirParams).
//!
//! Nothing is shared with the engine but masses and stiffness of the plant: a wrong sign, factor or part of
//! the law of leaves shows in any path that has it.

use std::f64::consts::PI;
use std::sync::Arc;

use windfall_articulated::math::Real;
use windfall_articulated::{Method, Vectors, World};
use windfall_conformance::{Steady, single_segment};
use windfall_core::glam::{DMat3, DQuat, DVec3, Vec3};
use windfall_core::{BodyId, Leaf, Plant};
use windfall_solver::{Params, Solver, StepInput, Wind};

const WIDTH: f64 = 0.1;
const LENGTH: f64 = 0.1;

/// A stem of one segment with a leaf of the aspen.
fn plant() -> Arc<Plant> {
    let mut parts = single_segment().parts().clone();
    parts.leaf_materials.push(windfall_core::materials::leaf("aspen").expect("a leaf").clone());
    parts.leaves.push(Leaf {
        parent: 0,
        material: 0,
        position: Vec3::new(0.0, 0.5, 0.0),
        orientation: (DQuat::from_rotation_x(1.2) * DQuat::from_rotation_y(0.3)).as_quat(),
        width: WIDTH as f32,
        length: LENGTH as f32,
        petiole_length: 0.06,
        petiole_radius: 0.0008,
    });
    Arc::new(Plant::new(parts).expect("a valid plant"))
}

/// Rigid wood, and parameters of the air of which each has an effect that can be seen.
fn params() -> Params {
    let mut params = Params::default();
    params.branches.stiffness = f64::INFINITY;
    params.air.leaves.spiral_degrees = 20.0;
    params.air.leaves.friction = 3.0;
    params
}

/// The leaf, its state, and the wind.
struct Alone {
    rest: DQuat,
    wind: DVec3,
    center: DVec3,
    mass: f64,
    /// About the centre and about the joint, kg m².
    inertia: [DVec3; 2],
    stiffness: DVec3,
    damping: DVec3,
    /// Of the triangle, m².
    area: f64,
    params: Params,
    /// Body from rest, and angular velocity in the axes of the body.
    q: DQuat,
    w: DVec3,
}

fn rotation_vector(q: DQuat) -> DVec3 {
    if q.w < 0.0 { (-q).to_scaled_axis() } else { q.to_scaled_axis() }
}

/// The rate of the rotation vector per angular velocity in the axes of the body:
/// `1 + [theta] / 2 + (1 / t^2 - (1 + cos t) / (2 t sin t)) [theta]^2`.
fn rate_of_rotation_vector(theta: DVec3) -> DMat3 {
    let t = theta.length();
    let cross = DMat3::from_cols(
        DVec3::new(0.0, theta.z, -theta.y),
        DVec3::new(-theta.z, 0.0, theta.x),
        DVec3::new(theta.y, -theta.x, 0.0),
    );
    let k = if t < 1e-4 { 1.0 / 12.0 } else { 1.0 / (t * t) - (1.0 + t.cos()) / (2.0 * t * t.sin()) };
    DMat3::IDENTITY + cross * 0.5 + cross * cross * k
}

impl Alone {
    fn new(plant: &Plant, params: &Params, speed: f64) -> Self {
        let id = plant.leaf_id(0);
        let (joint, body) = (plant.joint_properties(id), plant.mass_properties(id));
        let c = body.center_of_mass;
        let to_joint = DVec3::new(c.y * c.y + c.z * c.z, c.x * c.x + c.z * c.z, c.x * c.x + c.y * c.y);
        Self {
            rest: plant.rest_orientation(id),
            wind: DVec3::X * speed,
            center: c,
            mass: body.mass,
            inertia: [body.inertia, body.inertia + body.mass * to_joint],
            stiffness: joint.stiffness * params.leaves.stiffness,
            damping: joint.damping * params.leaves.stiffness * params.leaves.damping,
            area: 0.5 * WIDTH * LENGTH,
            params: params.clone(),
            q: DQuat::IDENTITY,
            w: DVec3::ZERO,
        }
    }

    /// Torque of the air about the joint, axes of the body, N m.
    fn of_air(&self, q: DQuat, w: DVec3) -> DVec3 {
        let air = &self.params.air.leaves;
        let n = DVec3::Z;
        let v = (self.rest * q).inverse() * self.wind - w.cross(self.center);
        let pressure = air.drag * self.params.air.density * self.area;
        let along = v.dot(n) * n;
        let force =
            pressure * v.length() * along + air.friction * self.mass * (along + (v - along) / air.friction_ratio);
        let turn = DQuat::from_axis_angle(n, air.spiral_degrees.to_radians());
        let torque = air.torque * pressure / 2.0 * (self.area / PI).sqrt() * v.dot(n) * (turn * n.cross(v));
        let over = air.spin_drag * pressure * v.length() / self.mass;
        let spin = self.inertia[0] * DVec3::new(air.friction + over, air.friction + over, air.friction) * w;
        self.center.cross(force) + torque - spin
    }

    fn acceleration(&self, q: DQuat, w: DVec3) -> DVec3 {
        let theta = rotation_vector(q);
        let rate = rate_of_rotation_vector(theta);
        let petiole = -(rate.transpose() * (self.stiffness * theta + self.damping * (rate * w)));
        (self.of_air(q, w) + petiole - w.cross(self.inertia[1] * w)) / self.inertia[1]
    }

    fn step(&mut self, h: f64) {
        let turned = |w: DVec3, t: f64| (self.q * DQuat::from_scaled_axis(w * t)).normalize();
        let (w1, a1) = (self.w, self.acceleration(self.q, self.w));
        let w2 = self.w + a1 * (h / 2.0);
        let a2 = self.acceleration(turned(w1, h / 2.0), w2);
        let w3 = self.w + a2 * (h / 2.0);
        let a3 = self.acceleration(turned(w2, h / 2.0), w3);
        let w4 = self.w + a3 * h;
        let a4 = self.acceleration(turned(w3, h), w4);
        self.q = turned((w1 + 2.0 * (w2 + w3) + w4) / 6.0, h);
        self.w += (a1 + 2.0 * (a2 + a3) + a4) * (h / 6.0);
    }
}

fn in_world<T: Real>(method: Method, vectors: Vectors, params: &Params, plant: &Arc<Plant>) -> World<T> {
    let mut world = World::<T>::new(plant.clone(), params.clone(), method).expect("fine parameters");
    world.set_vectors(vectors);
    world
}

/// Where a leaf with well damped petiole comes to rest in a light wind, and what its petiole carries there.
#[test]
fn a_leaf_rests_where_air_and_petiole_balance() {
    let (plant, mut params) = (plant(), params());
    params.leaves.damping = 5.0;
    let mut alone = Alone::new(&plant, &params, 2.0);
    for _ in 0..40_000 {
        alone.step(2e-4);
    }
    assert!(alone.w.length() < 1e-6, "the leaf alone comes to rest: {} rad/s", alone.w.length());
    let orientation = alone.rest * alone.q;
    let angle = rotation_vector(alone.q).length();
    assert!(angle > 0.08, "it gives way by {angle} rad");
    let wind: Arc<dyn Wind> = Arc::new(Steady(alone.wind));
    let leaf = plant.leaf_id(0);
    let carried = -alone.of_air(alone.q, DVec3::ZERO);
    for method in [Method::Implicit, Method::Analytic] {
        let run = |solver: &mut dyn Solver| {
            for _ in 0..1200 {
                solver.step(1.0 / 120.0, &mut StepInput::new().gravity(DVec3::ZERO).wind(Some(&wind))).unwrap();
            }
            let load = solver.loads().expect("they have them").joint_load(leaf.into()).torque;
            (solver.motion(leaf.into()).orientation, load)
        };
        for vectors in [Vectors::None, Vectors::Least, Vectors::Best] {
            for (found, load) in [
                run(&mut in_world::<f32>(method, vectors, &params, &plant)),
                run(&mut in_world::<f64>(method, vectors, &params, &plant)),
            ] {
                let off = found.angle_between(orientation);
                assert!(off < 0.002 * angle, "{method:?}, {vectors:?}: {off} rad beside, of {angle}");
                let wrong = (load - carried).length() / carried.length();
                assert!(wrong < 0.005, "{method:?}, {vectors:?}: the petiole carries {load}, not {carried} N m");
            }
        }
    }
}

/// Spin (root mean square, rad/s) and mean direction of the leaf's axis from 4 to 12 s.
fn flutter(mut next: impl FnMut() -> (DQuat, f64), h: f64) -> (f64, DVec3) {
    let (mut spin, mut axis, mut count) = (0.0, DVec3::ZERO, 0.0);
    for i in 0..(12.0 / h) as usize {
        let (orientation, w) = next();
        if i as f64 * h > 4.0 {
            (spin, axis, count) = (spin + w * w, axis + orientation * DVec3::Y, count + 1.0);
        }
    }
    ((spin / count).sqrt(), axis / count)
}

/// A leaf that flutters: `Implicit` has its mean direction and its spin. (`Analytic` has neither: its joint
/// is linear in the angle, and turns of leaves are not small.)
#[test]
fn a_leaf_flutters_as_euler_says() {
    let (plant, mut params) = (plant(), params());
    params.air.leaves.spiral_degrees = 5.0;
    params.air.leaves.friction = 0.5;
    let mut alone = Alone::new(&plant, &params, 3.0);
    let h = 1.0 / 8000.0;
    let (spin, axis) = flutter(
        || {
            alone.step(h);
            (alone.rest * alone.q, alone.w.length())
        },
        h,
    );
    assert!(spin > 2.0, "it flutters with {spin} rad/s");
    let wind: Arc<dyn Wind> = Arc::new(Steady(alone.wind));
    let leaf: BodyId = plant.leaf_id(0);
    let h = 1.0 / 1920.0;
    let found = |solver: &mut dyn Solver| {
        flutter(
            || {
                solver.step(h, &mut StepInput::new().gravity(DVec3::ZERO).wind(Some(&wind))).unwrap();
                let motion = solver.motion(leaf.into());
                (motion.orientation, motion.angular_velocity.length())
            },
            h,
        )
    };
    for (name, (own_spin, own_axis)) in [
        ("f64", found(&mut in_world::<f64>(Method::Implicit, Vectors::None, &params, &plant))),
        ("f32", found(&mut in_world::<f32>(Method::Implicit, Vectors::None, &params, &plant))),
        ("lanes", found(&mut in_world::<f32>(Method::Implicit, Vectors::Best, &params, &plant))),
    ] {
        println!("{name}: {own_spin:.3} rad/s, {own_axis:.4}; alone: {spin:.3} rad/s, {axis:.4}");
        assert!((own_spin / spin - 1.0).abs() < 0.01, "{name}: {own_spin} rad/s, not {spin}");
        assert!((own_axis - axis).length() < 0.01, "{name}: along {own_axis} in the mean, not {axis}");
    }
}
