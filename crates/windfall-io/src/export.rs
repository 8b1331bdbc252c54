//! Export for other programs: the format follows from the file extension.

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

/// Errors of exporting a skin. The message is complete; there is no error source.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// An operating system error.
    #[error("{path}: {reason}")]
    Os {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: std::io::Error,
    },
    /// The skin is invalid or too large.
    #[error("{path}: {reason}")]
    Skin {
        /// The destination.
        path: PathBuf,
        /// The cause.
        reason: SkinError,
    },
    /// Unknown file extension.
    #[error(
        "{path}: the ending must be .glb or .usdz (one file with images), .obj, .usda or .usdc (with images beside them), or for what moves .pc2, .mdd or .csv"
    )]
    Ending {
        /// The file.
        path: PathBuf,
    },
    /// The format requires motion.
    #[error("{path}: it holds what moves, and nothing does: give a motion, or write .glb, .obj, .usda, .usdc or .usdz")]
    Still {
        /// The file.
        path: PathBuf,
    },
}

impl ExportFormat {
    /// The format of a file extension.
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

    /// Whether the format holds only moving plants.
    pub fn needs_motion(self) -> bool {
        matches!(self, Self::Pc2 | Self::Mdd | Self::Csv)
    }
}

/// Writes the skin of a plant in the format of the file extension. If there are several files, all are
/// complete before the first is renamed, and this one is renamed last.
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

/// Checks that a skin can be exported to this path: known extension, writable folder. To be called before
/// long computations.
pub fn check_export_destination(path: &Path) -> Result<(), ExportError> {
    ExportFormat::of(path)?;
    atomic::check(path).map_err(|reason| ExportError::Os { path: path.to_owned(), reason })
}
