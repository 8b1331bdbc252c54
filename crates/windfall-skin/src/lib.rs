//! The visible surface of a tree: meshes, textures, and their deformation by a pose.
//!
//! ```
//! use windfall_core::Pose;
//! use windfall_grow::{GrowOptions, Species, grow};
//! use windfall_skin::{Detail, Look, Motion, PaintOptions, skin};
//!
//! let oak = Species::named("oak").unwrap();
//! let plant = grow(&oak, &GrowOptions { bodies: Some(500), seed: 1 })?;
//! let textures = PaintOptions { bark: 64, twig: 64, leaf: 64, fruit: 64, seed: 1 };
//! let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, 1), &textures);
//!
//! // Every frame: a pose in, vertices out.
//! let rest = Pose::rest(&plant);
//! let (mut positions, mut normals) = (Vec::new(), Vec::new());
//! let motion = Motion::new(&rest, &rest);
//! for part in &skin.trees[0].parts {
//!     motion.deform(&part.mesh, &mut positions, &mut normals);
//! }
//! # Ok::<(), windfall_grow::GrowError>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`mesh`], [`material`], [`mod@skin`] | the data of a skin |
//! | [`build`] | [`skin()`]: from a plant and a [`Look`] to its [`Skin`], with levels of [`Detail`] |
//! | [`mod@bark`] | one closed, connected surface per tree |
//! | [`foliage`] | cards for leaves, petals and needles; fruit |
//! | [`look`] | look files, and the textures painted from them |
//! | [`deform`] | [`Motion`]: deformation of a mesh by a pose |
//! | [`bones`] | [`Bones`]: a few rigid bones that stand for many bodies |

pub mod bark;
pub mod bones;
pub mod build;
pub mod deform;
pub mod foliage;
pub mod look;
pub mod material;
pub mod mesh;
pub mod skin;

pub use bark::{Bark, BarkOptions, BarkPart, WoodTexture, bark};
pub use bones::Bones;
pub use build::{Detail, Members, members, skin};
pub use deform::Motion;
pub use foliage::{FoliageDetail, fruit_mesh, leaf_mesh};
pub use look::{Look, LookError, PaintOptions, Paints, paint};
pub use material::{Image, Material};
pub use mesh::{Binding, Mesh};
pub use skin::{Skin, SkinPart, TreeSkin};
