//! Looks: the appearance of trees as data, and the textures painted from them.
//!
//! A [`Look`] is a TOML file (`look/*.toml` come with the crate, users write their own). [`paint`] turns
//! it into the [`crate::Material`]s of a plant; there are no image files. All randomness is seeded: same
//! look and seed, same pixels.
//!
//! ```
//! use windfall_skin::look::{Look, paint_bark};
//!
//! let oak = Look::named("oak").unwrap();
//! let bark = paint_bark(&oak.wood[0].bark, 64, 7);
//! assert_eq!(bark.base_color.unwrap().width, 64);
//! ```

mod bark;
mod blade;
mod canvas;
mod check;
mod color;
mod data;
mod fruit;
mod leaf;
mod needles;
pub(crate) mod noise;
mod outline;
mod paint;
mod relief;

pub use bark::paint_bark;
pub use color::Color;
pub use data::{
    BarkLook, CardLook, CupLook, FruitLook, Knots, LeafLook, Lenticels, Look, NeedleLook, Patches, Plates, Rings,
    Teeth, Veins, WoodLook,
};
pub(crate) use fruit::STALK_V as FRUIT_STALK_V;
pub use fruit::paint_fruit;
pub use leaf::paint_leaf;
pub use paint::{PaintOptions, Paints, WoodPaint, paint};

use std::sync::LazyLock;

use windfall_core::{LeafKind, Plant};

/// Why a look could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    /// The file is not TOML or has unknown or missing fields.
    #[error("look file: {0}")]
    Toml(String),
    /// A value breaks a rule.
    #[error("look {look}: {field} = {value}: {rule}")]
    Rule {
        /// Name of the look.
        look: String,
        /// Name of the field.
        field: String,
        /// Its value.
        value: String,
        /// The rule that it breaks.
        rule: String,
    },
}

/// Fallback for materials that no look names.
const GENERIC: &str = "generic";

const BUILT_IN: [&str; 12] = [
    include_str!("apple.toml"),
    include_str!("aspen.toml"),
    include_str!("aspen-autumn.toml"),
    include_str!("cherry.toml"),
    include_str!("generic.toml"),
    include_str!("maple.toml"),
    include_str!("maple-autumn.toml"),
    include_str!("oak.toml"),
    include_str!("palm.toml"),
    include_str!("pine.toml"),
    include_str!("spruce.toml"),
    include_str!("willow.toml"),
];

static LOOKS: LazyLock<Vec<Look>> = LazyLock::new(|| {
    BUILT_IN.iter().map(|text| Look::from_toml(text).expect("a test reads every built-in look")).collect()
});

impl Look {
    /// Reads and checks a look.
    pub fn from_toml(text: &str) -> Result<Self, LookError> {
        let look: Self = toml::from_str(text).map_err(|e| LookError::Toml(e.to_string()))?;
        look.check()?;
        Ok(look)
    }

    /// The looks that come with the crate, by name.
    pub fn all() -> &'static [Self] {
        &LOOKS
    }

    /// The built-in look with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|look| look.name == name)
    }

    /// The look of a plant, composed of the built-in looks by the names of its materials; materials that
    /// no look names get the generic one.
    pub fn of(plant: &Plant) -> Self {
        let parts = plant.parts();
        let used = |look: &&Self| parts.wood_materials.first().is_some_and(|m| names_wood(look, &m.name));
        let main = Self::all().iter().find(used).unwrap_or_else(|| generic());
        let mut look = main.clone();
        // A grove may hold several species: materials that the main look does not name come from the
        // first look that names them.
        for other in Self::all() {
            for material in &parts.wood_materials {
                if !names_wood(&look, &material.name) {
                    look.wood.extend(other.wood.iter().find(|w| has(&w.materials, &material.name)).cloned());
                }
            }
            for material in &parts.leaf_materials {
                let named = |l: &&LeafLook| l.kind == material.kind && has(&l.materials, &material.name);
                if look.leaf.iter().find(named).is_none() {
                    look.leaf.extend(other.leaf.iter().find(named).cloned());
                }
            }
            for material in &parts.fruit_materials {
                let named = |f: &&FruitLook| has(&f.materials, &material.name);
                if look.fruit.iter().find(named).is_none() {
                    look.fruit.extend(other.fruit.iter().find(named).cloned());
                }
            }
        }
        look
    }

    /// The look of a wood material: by name, else this look's first wood, else the generic one.
    pub fn wood_for(&self, material: &str) -> &WoodLook {
        let by_name = self.wood.iter().find(|w| has(&w.materials, material));
        by_name.or_else(|| self.wood.first()).unwrap_or_else(|| &generic().wood[0])
    }

    /// The look of a leaf material: by name, else this look's first leaf of the kind, else the generic
    /// one of the kind.
    ///
    /// # Panics
    /// Never: the generic look has every kind, and a test checks that.
    pub fn leaf_for(&self, material: &str, kind: LeafKind) -> &LeafLook {
        let by_kind = |look: &'_ &LeafLook| look.kind == kind;
        let by_name = self.leaf.iter().filter(by_kind).find(|l| has(&l.materials, material));
        by_name
            .or_else(|| self.leaf.iter().find(by_kind))
            .or_else(|| generic().leaf.iter().find(by_kind))
            .expect("a test finds every kind in the generic look")
    }

    /// The look of a fruit material: by name, else this look's first fruit, else the generic one.
    pub fn fruit_for(&self, material: &str) -> &FruitLook {
        let by_name = self.fruit.iter().find(|f| has(&f.materials, material));
        by_name.or_else(|| self.fruit.first()).unwrap_or_else(|| &generic().fruit[0])
    }
}

fn generic() -> &'static Look {
    Look::named(GENERIC).expect("a test finds the generic look")
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|n| n == name)
}

fn names_wood(look: &Look, name: &str) -> bool {
    look.wood.iter().any(|w| has(&w.materials, name))
}
