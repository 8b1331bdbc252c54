//! Pictures of trees, drawn on the CPU: no graphics card, no window, no system library.
//!
//! [`draw`] takes a [`PictureScene`] of meshes and [`PictureSurface`]s, a [`Camera`] and
//! [`PreviewOptions`], and returns a [`Picture`]; [`encode`] writes pictures and animations. The same input
//! yields the same bytes with any number of threads.
//!
//! ```
//! use windfall_preview::{Camera, Item, PictureScene, PictureSurface, PreviewOptions, draw};
//! use windfall_skin::{Material, Mesh};
//!
//! let mesh = Mesh {
//!     positions: vec![[0.0, 0.0, 0.0].into(), [1.0, 0.0, 0.0].into(), [0.0, 2.0, 0.0].into()],
//!     normals: vec![[0.0, 0.0, 1.0].into(); 3],
//!     triangles: vec![[0, 1, 2]],
//!     ..Mesh::default()
//! };
//! let surface = PictureSurface::new(&Material::default())?;
//! let scene = PictureScene { items: vec![Item::new(&mesh, &surface)] };
//! let camera = Camera::framing(scene.points(), 0.5, 0.1, 0.6, 16.0 / 9.0, 1.0);
//! let picture = draw(&scene, &camera, &PreviewOptions { width: 64, height: 36, ..PreviewOptions::default() })?;
//! windfall_preview::encode::png(&picture, &mut Vec::new())?;
//! # Ok::<(), windfall_preview::PreviewError>(())
//! ```
//!
//! Method: triangles are binned into screen tiles; each tile determines the nearest triangle of every
//! sample with a z-buffer, shades each triangle once per pixel, and filters the samples to pixels.
//! Sunlight is attenuated by shadow maps, skylight by a voxel grid of the density of leaves and wood.

pub mod camera;
mod draw;
pub mod encode;

mod error;
mod framing;
mod grass;
mod ground;
mod horizon;
mod noise;
mod occlusion;
pub mod options;
pub mod picture;
pub mod plot;
mod raster;
mod scene;
mod shade;
mod shadow;
mod sheet;

mod sky;
pub mod solids;
mod surface;
mod texture;
mod tone;
mod turf;

pub use camera::Camera;
pub use draw::{draw, draw_watched};
pub use error::PreviewError;
pub use framing::Framing;
pub use options::{Background, DrawPhase, PreviewOptions, Tone};
pub use picture::Picture;
pub use plot::{Plot, Series};
pub use scene::{Item, PictureScene};

pub use sheet::{contact_sheet, sheet_size};
pub use surface::PictureSurface;
