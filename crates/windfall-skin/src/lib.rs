//! The visible surface of a tree: meshes, textures, and deforming them by a pose.

pub mod bark;
pub mod build;
pub mod deform;
pub mod foliage;
pub mod look;
pub mod material;
pub mod mesh;
pub mod skin;

pub use bark::{Bark, BarkOptions, BarkPart, WoodTexture, bark};
pub use build::{Detail, Members, members, skin};
pub use deform::Motion;
pub use foliage::{FoliageDetail, fruit_mesh, leaf_mesh};
pub use look::{Look, LookError, PaintOptions, Paints, paint};
pub use material::{Image, Material};
pub use mesh::{Binding, Mesh};
pub use skin::{Skin, SkinPart, TreeSkin};
