//! Scenes in TOML: plants and places, parameters, wind, obstacles, thrown bodies, creatures, events;
//! checked, run, and drawn.
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
//! | module | contents |
//! |---|---|
//! | [`schema`] | the schema of scene files |
//! | [`mod@file`], [`source`], [`error`] | reading and checking ([`SceneFile::remarks`]: parts without effect); the line of every error |
//! | [`plants`], [`find`] | the combined plant; bodies by their names |
//! | [`air`], [`bases`] | named winds; moving ground |
//! | [`solver_spec`] | [`SolverSpec`]: the choice of the solver, for scenes, commands and programs |
//! | [`prepared`], [`script`] | a prepared scene; its events |
//! | [`player`] | the loop from frame to frame |
//! | [`mod@run`], [`report`] | running a scene; its summary |
//! | [`hand`], [`deflection`] | pushes, hands and largest deflections, for other programs too |
//! | [`outputs`], [`show`] | files; pictures |
//! | [`looping`] | clips that loop: a tree in a periodic wind |

pub mod air;
pub mod bases;
mod check;
pub mod deflection;
pub mod error;
pub mod file;
pub mod find;
pub mod hand;
pub mod looping;
mod needs;
pub mod outputs;
pub mod plants;
pub mod player;
pub mod prepared;
mod remarks;
pub mod report;
pub mod run;
pub mod schema;
pub mod script;
pub mod show;
pub mod solver_spec;
pub mod source;

pub use air::named_wind;
pub use error::{Problem, SceneError};
pub use file::SceneFile;

pub use outputs::Outputs;
pub use prepared::PreparedScene;
pub use report::RunReport;
pub use run::{Frame, run};
pub use schema::Scene;
pub use solver_spec::{Precision, SOLVERS, Simd, SolverSpec};
