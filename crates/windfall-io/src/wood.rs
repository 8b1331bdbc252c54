//! Wood materials in plant files of any version.
//!
//! Version 1 had a Poisson ratio in the place of the shear modulus, with the G = E / (2 (1 + nu)) of an
//! isotropic solid.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::Error;
use windfall_core::WoodMaterial;

/// A [`WoodMaterial`] with the fields of all versions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredWood {
    name: Cow<'static, str>,
    source: Cow<'static, str>,
    density: f64,
    youngs_modulus: f64,
    shear_modulus: Option<f64>,
    poisson_ratio: Option<f64>,
    damping: f64,
    modulus_of_rupture: f64,
    shear_strength: f64,
}

/// The materials of a file of this version.
pub(crate) fn woods(stored: Vec<StoredWood>, version: u32) -> Result<Vec<WoodMaterial>, serde_json::Error> {
    stored.into_iter().map(|wood| wood.into_wood(version)).collect()
}

impl StoredWood {
    fn into_wood(self, version: u32) -> Result<WoodMaterial, serde_json::Error> {
        let wrong = |what: String| Err(Error::custom(format!("wood material `{}`: {what}", self.name)));
        let shear_modulus = match (version, self.shear_modulus, self.poisson_ratio) {
            (1, None, Some(nu)) if !(-0.99..=0.5).contains(&nu) => {
                return wrong(format!("poisson_ratio = {nu}: must be between -0.99 and 0.5"));
            }
            (1, None, Some(nu)) => self.youngs_modulus / (2.0 * (1.0 + nu)),
            (1, None, None) => return wrong("missing field `poisson_ratio`".to_owned()),
            (1, Some(_), _) => return wrong("`shear_modulus` needs version 2".to_owned()),
            (_, _, Some(_)) => return wrong("version 2 has `shear_modulus` and no `poisson_ratio`".to_owned()),
            (_, None, None) => return wrong("missing field `shear_modulus`".to_owned()),
            (_, Some(shear_modulus), None) => shear_modulus,
        };
        Ok(WoodMaterial {
            name: self.name,
            source: self.source,
            density: self.density,
            youngs_modulus: self.youngs_modulus,
            shear_modulus,
            damping: self.damping,
            modulus_of_rupture: self.modulus_of_rupture,
            shear_strength: self.shear_strength,
        })
    }
}
