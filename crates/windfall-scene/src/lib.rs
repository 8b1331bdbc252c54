//! Scenes in TOML: plants and places, parameters, wind, obstacles, thrown bodies, creatures, events; checked, run, and drawn.
//!
//! ```
//! use windfall_scene::{SceneFile, Frame};
//!
//! let scene = SceneFile::from_text("seconds = 0.2\nwind = 'gale'\n[[plants]]\nspecies = 'apple'\nbodies = 300")?;
//! let set = scene.set_up()?;
//! let report = windfall_scene::run(&set, &mut |frame: &Frame<'_>| {
//!     println!("{:.2} s: {} bodies fly or lie free", frame.time, frame.free.len());
//!     Ok(())
//! })?;
//! assert_eq!(report.frames, 6);
//! # Ok::<(), windfall_scene::SceneError>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`schema`] | what may stand in a scene file |
//! | [`mod@file`], [`source`], [`error`] | reading and checking it ([`SceneFile::remarks`]: what has no effect); the line of every error |
//! | [`plants`], [`find`] | the plants put together; bodies by their names |
//! | [`air`], [`bases`] | named winds; moving ground |
//! | [`set`], [`script`] | a scene made ready; what happens when |
//! | [`mod@run`], [`report`] | the loop; what came of it |
//! | [`hand`], [`deflection`] | pushes, hands and largest deflections, for other programs too |
//! | [`outputs`], [`show`] | files; pictures |
//! | [`looping`] | clips that loop: a tree in a wind that repeats |

pub mod air;
pub mod bases;
mod check;
pub mod deflection;
pub mod error;
pub mod file;
pub mod find;
pub mod hand;
pub mod looping;
pub mod outputs;
pub mod plants;
mod remarks;
pub mod report;
pub mod run;
pub mod schema;
pub mod script;
pub mod set;
pub mod show;
pub mod source;

pub use air::named_wind;
pub use error::{Problem, SceneError};
pub use file::SceneFile;

pub use outputs::Outputs;
pub use report::Report;
pub use run::{Frame, run};
pub use schema::Scene;
pub use set::Set;
