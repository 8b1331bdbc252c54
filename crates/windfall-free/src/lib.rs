//! Rigid bodies that are not part of a tree: fallen leaves, petals and fruit, and bodies thrown in by a
//! user; the ground and obstacles; collisions among all of these.
//!
//! ```
//! use windfall_core::glam::DVec3;
//! use windfall_free::{FreeBodies, FreeBody, Name, Obstacles, Shape, Surroundings};
//! use windfall_solver::params::AirParams;
//!
//! let apple = FreeBody::thrown(1, Shape::Sphere { radius: 0.04 }, 800.0, DVec3::new(0.0, 2.0, 0.0), DVec3::ZERO)?;
//! let mut bodies = FreeBodies::new();
//! bodies.add(apple)?;
//! let (air, obstacles, gravity) = (AirParams::default(), Obstacles::ground(), DVec3::new(0.0, -9.81, 0.0));
//! for frame in 0..300 {
//!     let time = f64::from(frame) / 60.0;
//!     let around = Surroundings { gravity, wind: None, time, air: &air, obstacles: &obstacles };
//!     bodies.step(&around, 1.0 / 60.0)?;
//! }
//! assert!((bodies.get(Name::Thrown(1)).unwrap().position.y - 0.04).abs() < 1e-3);
//! # Ok::<(), windfall_free::FreeError>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`shape`], `body`, `bodies` | one body; all of them by name |
//! | [`flight`], `rotation` | motion through the air; free rotation |
//! | `obstacles` | the ground and static shapes, and contact queries |
//! | [`broad`], [`narrow`], [`contact`] | broad phase; narrow phase; contact solver |
//! | `groups`, `island`, `step`, [`sleep`] | connected components; islands in sub-steps; the whole step; sleep |

mod bodies;
mod body;
pub mod broad;
pub mod contact;
mod error;
pub mod flight;
mod groups;
mod island;
pub mod narrow;
mod obstacles;
mod rotation;
pub mod shape;
pub mod sleep;
mod step;

pub use bodies::{FreeBodies, bears_force};
pub use body::{FreeBody, Name, Surface};
pub use error::FreeError;
pub use error::within;
pub use obstacles::{HalfSpace, ObstacleContact, Obstacles};
pub use shape::Shape;
pub use step::Surroundings;
use windfall_core::glam::DVec3;
use windfall_solver::Wind;

/// Air that does not move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoWind;

impl Wind for NoWind {
    fn velocity(&self, _: DVec3, _: f64) -> DVec3 {
        DVec3::ZERO
    }
}
