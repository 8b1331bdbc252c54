//! Wind over trees.
//!
//! ```
//! use windfall_wind::{Points, Velocities, Wind, WindSpec, preset};
//! use windfall_core::glam::DVec3;
//!
//! let air = preset("breeze").unwrap().build()?;
//! println!("{:.2} m/s at a tree top", air.velocity(DVec3::new(0.0, 12.0, 0.0), 3.5));
//!
//! let storm = WindSpec::from_toml("kind = 'turbulence'\nspeed = 25\nfrom_degrees = 315\nintensity = 0.2")?.build()?;
//! let (x, y, z) = ([0.0, 1.0], [8.0, 9.0], [0.0, 0.5]);
//! let (mut u, mut v, mut w) = ([0.0; 2], [0.0; 2], [0.0; 2]);
//! storm.velocities(3.5, Points::new(&x, &y, &z), Velocities::new(&mut u, &mut v, &mut w));
//! # Ok::<(), windfall_wind::WindError>(())
//! ```
//!
//! A [`WindSpec`] describes a wind: plain data, optionally in TOML, checked and compiled to [`WindField`] by
//! [`WindSpec::build`]. [`WindField`] is a [`Wind`]: velocity as a function of position and time. To change a
//! wind during a simulation, change its description and build it again; [`WindField::fade_to`] smooths the
//! transition.
//!
//! | kind | wind | equations in |
//! |---|---|---|
//! | `uniform` | the same everywhere, with gusts | [`uniform`] |
//! | `gust` | one gust, "1 - cosine" | [`gust`] |
//! | `turbulence` | eddies with von Kármán's spectrum | [`turbulence`], [`von_karman`] |
//! | `perlin` | noise in space and time (zhao2013) | [`perlin`], [`noise`] |
//! | `grid` | columns of air (quigley2017) | [`grid`] |
//! | `measured` | a time series | [`measured`] |
//! | `profile` | a wind that grows with height | [`profile`] |
//! | `wiggle` | a wind that turns back and forth around trees (quigley2017) | [`wiggle`] |
//! | `mask` | a wind in a region of space or time | [`mask`] |
//! | `sum`, `scale` | winds together; a wind times a factor over time | [`combine`] |
//!
//! Ready-made winds: [`beaufort()`], [`preset`].
//!
//! Conventions: SI units, y up, x east, z south. `from_degrees` is the compass direction of the wind's
//! origin; velocities point downwind. Every random choice has a seed, and set-up uses portable
//! mathematics: the same description is the same wind on every machine (except for the last digit of f32
//! on CPUs without fused multiply-add). The crate uses no files, clocks or threads. For any description
//! velocities are finite and memory is bounded.

pub mod air;
pub mod beaufort;
mod cells;
pub mod check;
pub mod combine;
mod curve;
pub mod direction;
pub mod fade;
mod flow;
pub mod grid;
pub mod gust;
mod lanes;
mod local_points;
pub mod mask;
pub mod measured;
pub mod noise;
pub mod perlin;
pub mod profile;
pub mod spec;
pub mod turbulence;
pub mod uniform;
pub mod von_karman;
mod weighted;
pub mod wiggle;

pub use air::{FARTHEST, WindField};
pub use beaufort::{BEAUFORT, beaufort, beaufort_speed, preset};
pub use check::WindError;
pub use combine::{Factor, Scale, Sum};
pub use direction::blows_to;
pub use grid::{Grid, GridCell};
pub use gust::Gust;
pub use mask::{Mask, Region};
pub use measured::Measured;
pub use perlin::Perlin;
pub use profile::Profile;
pub use spec::{Model, WindSpec};
pub use turbulence::Turbulence;
pub use uniform::Uniform;
pub use wiggle::Wiggle;
pub use windfall_solver::wind::{Points, Velocities, Wind};
