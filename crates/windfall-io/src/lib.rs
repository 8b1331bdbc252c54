//! Plant files, and trees for other programs.
//!
//! | ending | format | for |
//! |---|---|---|
//! | `.json` | readable JSON ([`json`]) | small plants, scripts, inspection |
//! | `.wfp` | compact binary ([`binary`]) | everything else, up to hundreds of millions of bodies |
//! | `.wfm` | a plant's poses over time ([`motion`]) | simulations |
//! | `.csv` | one body over time ([`ProbeWriter`]), or all ([`export_poses`]) | spreadsheets, plots, scripts |
//! | `.glb` | glTF 2.0 ([`glb`]) | viewers, engines, modellers |
//! | `.obj` | Wavefront OBJ, MTL and images ([`obj`]) | programs that don't read glTF |
//! | `.usda`, `.usdc`, `.usdz` | USD with samples of vertices or bones ([`usd`]) | film and engine pipelines |
//! | `.pc2`, `.mdd` | all vertices over time beside an OBJ ([`points`]) | modellers |
//! | `.glb`, `_vat.exr`, `.json` | vertex animation textures ([`vat`]) | engines: many trees, all motion in a shader |
//! | `.glb`, `_PivotPos_Index_16-bit.exr`, `.png` | Pivot Painter 2 ([`pivots`]) | Unreal: wind in a shader |
//!
//! The first two keep every bit of a plant; [`load`] distinguishes them by content. The others hold its
//! visible surface, a [`windfall_skin::Skin`], and are written by [`export`]. Files are written beside
//! their destination and renamed when complete, so a full disk or a crash never leaves a partial file or
//! destroys the old one.

pub mod atomic;
mod beside;
pub mod binary;
mod export;
mod exr;
pub mod frames;
pub mod glb;
mod images;
pub mod json;
pub mod looped;
pub mod motion;
pub mod obj;
pub mod pivots;
pub mod points;
mod poses;
mod probe;
pub mod skeletal;
mod skin_check;
mod skin_report;
mod slots;
mod surface;
mod temporary;
mod text;
mod textures;
mod times;
pub mod usd;
pub mod vat;
mod wood;

pub use export::{ExportError, ExportFormat, check_export_destination, export};
pub use frames::{Frames, MotionClip, PoseList};
pub use glb::animated::{check_animated, export_animated};
pub use looped::Looped;
pub use motion::{MotionError, MotionReader, MotionWriter};
pub use pivots::{PivotError, PivotOptions, PivotReport, export_pivot_painter};
pub use points::{PointReport, check_points, export_points};
pub use poses::{POSE_COLUMNS, PoseReport, export_poses};
pub use probe::{PROBE_COLUMNS, ProbeWriter};
pub use skeletal::report::{AnimationReport, ClipReport, ErrorReport};
pub use skeletal::{AnimationError, AnimationOptions, BoneCount, Clip, LeafMotion, Progress};
pub use skin_check::SkinError;
pub use skin_report::{ImageReport, MaterialReport, PartReport, SkinReport, TreeReport};
pub use slots::Slots;
pub use usd::{UsdBones, UsdMotion, UsdReport, check_usd, export_usd};
pub use vat::{VatError, VatFormat, VatLayout, VatOptions, VatReport, check_vat, export_vat};

use std::path::{Path, PathBuf};

use windfall_core::{InvalidPlant, Plant};

/// The format of a plant file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Readable JSON.
    Json,
    /// Compact binary.
    Binary,
}

/// Errors in the content of a plant file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Empty file.
    #[error("the file is empty")]
    Empty,
    /// Neither of the plant formats.
    #[error("not a plant file: it begins with neither `WINDFALL` (binary) nor `{{` (JSON)")]
    NotAPlant,
    /// An unsupported version of the format.
    #[error("format version {found}; this program reads up to version {known}: use a newer windfall")]
    Version {
        /// The version in the file.
        found: u32,
        /// The newest supported version.
        known: u32,
    },
    /// Truncated or corrupted file.
    #[error("damaged file: {0}")]
    Damaged(String),
    /// JSON that is not a plant.
    #[error("not a plant in JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The file is intact, but its content is not a valid plant.
    #[error(transparent)]
    Invalid(#[from] InvalidPlant),
}

/// Errors of reading or writing a file. The message is complete; there is no error source.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// An operating system error.
    #[error("{path}: {reason}")]
    Os {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: std::io::Error,
    },
    /// Invalid content.
    #[error("{path}: {reason}")]
    Content {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: ReadError,
    },
    /// Unknown file extension.
    #[error("{path}: the ending must be .wfp (binary) or .json")]
    Ending {
        /// The file.
        path: PathBuf,
    },
}

impl Format {
    /// The format of a file extension.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("json") => Ok(Self::Json),
            Some("wfp") => Ok(Self::Binary),
            _ => Err(FileError::Ending { path: path.to_owned() }),
        }
    }
}

/// Reads a plant from the bytes of a file in either format.
pub fn read(bytes: &[u8]) -> Result<Plant, ReadError> {
    // Some editors begin text files with a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.is_empty() {
        Err(ReadError::Empty)
    } else if bytes.starts_with(binary::MAGIC) {
        binary::read(bytes)
    } else if bytes.trim_ascii_start().starts_with(b"{") {
        json::read(bytes)
    } else {
        Err(ReadError::NotAPlant)
    }
}

/// Loads a plant from a file in either format.
pub fn load(path: &Path) -> Result<Plant, FileError> {
    let bytes = read_bytes(path)?;
    read(&bytes).map_err(|reason| FileError::Content { path: path.to_owned(), reason })
}

/// All bytes of a file or pipe, for readers of other crates. Endless devices such as `/dev/zero` are
/// rejected.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    read_file(path).map_err(|reason| FileError::Os { path: path.to_owned(), reason })
}

fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if std::fs::metadata(path)?.file_type().is_char_device() {
            return Err(std::io::Error::other("is a device, not a file"));
        }
    }
    std::fs::read(path)
}

/// Saves a plant in the format of the file extension.
pub fn save(plant: &Plant, path: &Path) -> Result<(), FileError> {
    let format = Format::of(path)?;
    atomic::write(path, |out| match format {
        Format::Json => json::write(plant, out),
        Format::Binary => binary::write(plant, out),
    })
    .map_err(|reason| FileError::Os { path: path.to_owned(), reason })
}

/// Checks that a plant can be saved here: known extension, writable folder. To be called before long
/// computations.
pub fn check_destination(path: &Path) -> Result<(), FileError> {
    Format::of(path)?;
    atomic::check(path).map_err(|reason| FileError::Os { path: path.to_owned(), reason })
}
