//! Materials of bodies: SI units, each entry with the source of its values.
//!
//! The tables are starting points with published values; every property can be replaced on a copy.

mod fruit;
mod leaf;
mod wood;

pub use fruit::{FRUIT_MATERIALS, FruitMaterial};
pub use leaf::{LEAF_MATERIALS, LeafKind, LeafMaterial};
pub use wood::{WOOD_MATERIALS, WoodMaterial};

/// Breaking strain of petioles and stalks in files older than this field.
fn default_breaking_strain() -> f64 {
    0.1
}

/// The wood with this name in [`WOOD_MATERIALS`].
pub fn wood(name: &str) -> Option<&'static WoodMaterial> {
    WOOD_MATERIALS.iter().find(|m| m.name == name)
}

/// The leaf with this name in [`LEAF_MATERIALS`].
pub fn leaf(name: &str) -> Option<&'static LeafMaterial> {
    LEAF_MATERIALS.iter().find(|m| m.name == name)
}

/// The fruit with this name in [`FRUIT_MATERIALS`].
pub fn fruit(name: &str) -> Option<&'static FruitMaterial> {
    FRUIT_MATERIALS.iter().find(|m| m.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_entries_are_unique_valid_and_sourced() {
        let mut names: Vec<(&str, &str)> = Vec::new();
        for m in WOOD_MATERIALS {
            assert!(m.broken_rule().is_none(), "{}: {:?}", m.name, m.broken_rule());
            names.push(("wood", &m.name));
            assert!(!m.source.is_empty());
        }
        for m in LEAF_MATERIALS {
            assert!(m.broken_rule().is_none(), "{}: {:?}", m.name, m.broken_rule());
            names.push(("leaf", &m.name));
            assert!(!m.source.is_empty());
        }
        for m in FRUIT_MATERIALS {
            assert!(m.broken_rule().is_none(), "{}: {:?}", m.name, m.broken_rule());
            names.push(("fruit", &m.name));
            assert!(!m.source.is_empty());
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(wood("sugar maple").is_some() && leaf("sugar maple").is_some() && fruit("apple").is_some());
        assert!(wood("plastic").is_none());
    }
}
