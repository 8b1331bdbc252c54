//! What a plant shall look like, as options of several commands.

use std::path::Path;

use clap::Args;
use windfall::core::Plant;
use windfall::skin::{Detail, Look, PaintOptions, Skin, skin};

use crate::numbers::count;
use crate::progress;

/// Options for skins.
#[derive(Args)]
pub struct AppearanceArgs {
    /// What it looks like: a look by name (such as maple-autumn) or a look file ending in .toml; otherwise by
    /// its wood and leaves
    #[arg(long, value_name = "LOOK")]
    look: Option<String>,
    /// Level of detail: 0 for close-ups, 1 for a tree that fills the picture, 2 and 3 for far trees
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=3))]
    lod: u8,
    /// Side of the bark textures in pixels; those of leaves are a quarter of it
    #[arg(long, value_name = "PIXELS", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(64..=4096))]
    texture_size: u32,
}

impl AppearanceArgs {
    /// Makes the skin of a plant.
    pub fn skin(&self, plant: &Plant) -> anyhow::Result<Skin> {
        let look = self.look.as_deref().map_or_else(|| Ok(Look::of(plant)), find_look)?;
        let leaf = self.texture_size / 4;
        let textures =
            PaintOptions { bark: self.texture_size, twig: leaf, leaf, fruit: leaf, ..PaintOptions::default() };
        let detail = Detail::level(plant, self.lod);
        let skin = progress::during("skinning", || skin(plant, &look, &detail, &textures));
        if skin.loose_branches() > 0 {
            eprintln!(
                "note: {} branches found no room on their parent; their bark is stuck into it instead of joined",
                count(skin.loose_branches())
            );
        }
        Ok(skin)
    }
}

fn find_look(name: &str) -> anyhow::Result<Look> {
    windfall::scene::prepared::find_look(name, Path::new("")).map_err(anyhow::Error::msg)
}
