//! The visible surface of a tree: meshes, textures, and deforming them by a pose.

pub mod bark;
pub mod deform;
pub mod material;
pub mod mesh;
pub mod skin;

pub use bark::{Bark, BarkOptions, BarkPart, WoodTexture, bark};
pub use deform::Motion;
pub use material::{Image, Material};
pub use mesh::{Binding, Mesh};
pub use skin::{Skin, SkinPart, TreeSkin};
