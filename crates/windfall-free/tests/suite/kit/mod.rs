//! A small world of free bodies for tests.

use windfall_core::glam::DVec3;
use windfall_free::{FreeBodies, FreeBody, Name, Obstacles, Shape, Surface, Surroundings};
use windfall_solver::Wind;
use windfall_solver::params::AirParams;

pub mod styles;

pub const G: f64 = 9.81;

#[derive(Debug)]
pub struct Steady(pub DVec3);

impl Wind for Steady {
    fn velocity(&self, _: DVec3, _: f64) -> DVec3 {
        self.0
    }
}

pub struct Scene {
    pub bodies: FreeBodies,
    pub obstacles: Obstacles,
    pub gravity: DVec3,
    pub air: AirParams,
    /// None is a vacuum.
    pub wind: Option<Steady>,
    pub time: f64,
}

impl Scene {
    /// A vacuum with gravity and nothing in it.
    pub fn empty() -> Self {
        Self {
            bodies: FreeBodies::new(),
            obstacles: Obstacles::none(),
            gravity: DVec3::new(0.0, -G, 0.0),
            air: AirParams::default(),
            wind: None,
            time: 0.0,
        }
    }

    pub fn with_ground(surface: Surface) -> Self {
        let mut scene = Self::empty();
        scene.obstacles.set_ground(0.0, surface).unwrap();
        scene
    }

    pub fn step(&mut self, dt: f64) {
        let surroundings = Surroundings {
            gravity: self.gravity,
            wind: self.wind.as_ref().map(|wind| wind as &dyn Wind),
            time: self.time,
            air: &self.air,
            obstacles: &self.obstacles,
        };
        self.bodies.step(&surroundings, dt).unwrap();
        self.time += dt;
    }

    pub fn run(&mut self, seconds: f64, dt: f64) {
        for _ in 0..(seconds / dt).round() as usize {
            self.step(dt);
        }
    }

    pub fn body(&self, name: u32) -> &FreeBody {
        self.bodies.get(Name::Thrown(name)).unwrap()
    }
}

pub fn surface(friction: f64, restitution: f64) -> Surface {
    Surface { friction, restitution, rolling: 0.0 }
}

pub fn ball(name: u32, radius: f64, density: f64, position: DVec3, surface: Surface) -> FreeBody {
    let body = FreeBody::thrown(name, Shape::Sphere { radius }, density, position, DVec3::ZERO).unwrap();
    FreeBody { surface, ..body }
}

pub fn block(name: u32, half: DVec3, position: DVec3, surface: Surface) -> FreeBody {
    let body = FreeBody::thrown(name, Shape::Box { half }, 500.0, position, DVec3::ZERO).unwrap();
    FreeBody { surface, ..body }
}

/// A leaf of the given measures, lying level in the air.
pub fn leaf(name: u32, width: f64, length: f64, mass: f64, position: DVec3) -> FreeBody {
    let shape = Shape::Blade { width, length, petiole: 0.0 };
    let mut body = FreeBody::thrown(name, shape, mass / shape.volume(), position, DVec3::ZERO).unwrap();
    body.orientation = windfall_core::glam::DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    body
}
