//! Trees for other programs: the format follows from the ending of the file.

use std::path::{Path, PathBuf};

use windfall_core::Plant;
use windfall_skin::Skin;

use crate::glb::Glb;
use crate::skin_check::SkinError;
use crate::{atomic, obj, usd};

/// The format of a file with the visible surface of a plant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// glTF 2.0 in one file ([`crate::glb`]).
    Glb,
    /// Wavefront OBJ with a material file and images beside it ([`crate::obj`]).
    Obj,
    /// USD as text with images beside it ([`crate::usd`]).
    Usda,
    /// USD as a binary crate file with images beside it ([`crate::usd`]).
    Usdc,
    /// USD in one file with images ([`crate::usd`]).
    Usdz,
    /// Point cache of 3ds Max beside an OBJ ([`crate::points`]); moving plants only.
    Pc2,
    /// Point cache of `LightWave` beside an OBJ ([`crate::points`]); moving plants only.
    Mdd,
    /// Table of poses ([`crate::export_poses`]); moving plants only.
    Csv,
}

/// Why a skin could not be exported. The text says it all; there is no further source.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The operating system said no.
    #[error("{path}: {reason}")]
    Os {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// The skin is wrong or too large.
    #[error("{path}: {reason}")]
    Skin {
        /// Which file it was for.
        path: PathBuf,
        /// Why.
        reason: SkinError,
    },
    /// The ending names no format.
    #[error(
        "{path}: the ending must be .glb or .usdz (one file with images), .obj, .usda or .usdc (with images beside them), or for what moves .pc2, .mdd or .csv"
    )]
    Ending {
        /// Which file.
        path: PathBuf,
    },
    /// The format is for what moves.
    #[error("{path}: it holds what moves, and nothing does: give a motion, or write .glb, .obj, .usda, .usdc or .usdz")]
    Still {
        /// Which file.
        path: PathBuf,
    },
}

impl ExportFormat {
    /// The format that a file's ending names.
    pub fn of(path: &Path) -> Result<Self, ExportError> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("glb") => Ok(Self::Glb),
            Some("obj") => Ok(Self::Obj),
            Some("usda") => Ok(Self::Usda),
            Some("usdc") => Ok(Self::Usdc),
            Some("usdz") => Ok(Self::Usdz),
            Some("pc2") => Ok(Self::Pc2),
            Some("mdd") => Ok(Self::Mdd),
            Some("csv") => Ok(Self::Csv),
            _ => Err(ExportError::Ending { path: path.to_owned() }),
        }
    }

    /// Whether it holds nothing but what moves.
    pub fn needs_motion(self) -> bool {
        matches!(self, Self::Pc2 | Self::Mdd | Self::Csv)
    }
}

/// Writes the skin of a plant in the format that the file's ending names. Where there are several files all are complete before the first gets its name, and this one gets it last.
pub fn export(plant: &Plant, skin: &Skin, path: &Path) -> Result<(), ExportError> {
    let wrong_skin = |reason| ExportError::Skin { path: path.to_owned(), reason };
    match ExportFormat::of(path)? {
        ExportFormat::Glb => {
            let glb = Glb::new(plant, skin).map_err(wrong_skin)?;
            atomic::write(path, |out| glb.write(out))
                .map_err(|reason| ExportError::Os { path: path.to_owned(), reason })
        }
        ExportFormat::Obj => obj::export(plant, skin, path),
        ExportFormat::Usda | ExportFormat::Usdc | ExportFormat::Usdz => usd::export_still(plant, skin, path),
        ExportFormat::Pc2 | ExportFormat::Mdd | ExportFormat::Csv => Err(ExportError::Still { path: path.to_owned() }),
    }
}

/// Whether a skin could be exported to here, to be asked before long work: the ending is known and the folder can be written
/// to.
pub fn check_export_destination(path: &Path) -> Result<(), ExportError> {
    ExportFormat::of(path)?;
    atomic::check(path).map_err(|reason| ExportError::Os { path: path.to_owned(), reason })
}
