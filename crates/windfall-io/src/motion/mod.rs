//! Motions: a plant's poses over time, in files that end in `.wfm`. Little-endian throughout.
//!
//! ```text
//! header    8 bytes  WFMOTION
//!           u32      version (1)
//!           u32      number of bodies
//!           u32      fingerprint of the plant
//!           f64      frames per second
//!           u64      number of frames
//!           u32      CRC-32 of the header
//! frames    f64      time, s
//!           20 bytes a body: position 3 f32, m from the origin of its tree; orientation u64
//!           u32      CRC-32 of the frame
//! ```
//!
//! An orientation has two bits (the highest) for the index of the largest of x, y, z, w, and 20 bits for
//! each of the others in their order, the first lowest: n represents (n - 524287) / (524287 sqrt(2)). The
//! error is at most 5e-6 rad.
//!
//! Frames are nominally evenly spaced: frame i is within half a frame of the time of the first plus i over
//! the frames per second. All have the same length, which allows random access. The fingerprint is the
//! CRC-32 of the numbers of segments, leaves and fruit, of the parents, trees and segment counts of all
//! branches, and of the parents and rest places of all bodies.
//!
//! ```
//! use windfall_core::Pose;
//! use windfall_grow::{GrowOptions, Species, grow};
//! use windfall_io::motion::{MotionReader, MotionWriter};
//!
//! let plant = grow(&Species::named("oak").unwrap(), &GrowOptions { bodies: Some(100), seed: 1 })?;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("still.wfm");
//!
//! let mut writer = MotionWriter::create(&path, &plant, 60.0)?;
//! for i in 0..10 {
//!     writer.frame(f64::from(i) / 60.0, &Pose::rest(&plant))?;
//! }
//! writer.finish()?;
//!
//! let mut reader = MotionReader::open(&path, &plant)?;
//! let mut pose = Pose::default();
//! reader.read(9, &mut pose)?;
//! assert_eq!(pose.positions, Pose::rest(&plant).positions);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod fingerprint;
mod frame;
mod reader;
mod rotation;
mod writer;

pub use error::{MotionError, MotionProblem};
pub use reader::MotionReader;
pub use writer::{MotionWriter, check_motion_destination};

const MAGIC: &[u8; 8] = b"WFMOTION";
const VERSION: u32 = 1;
/// Bytes of the header.
const HEADER: usize = 40;
/// Allowed frame rates.
pub(crate) const RATES: std::ops::RangeInclusive<f64> = 0.001..=100_000.0;
/// Maximum deviation of a frame from its even time, in frames: half a frame, plus a margin for rounding.
const UNEVEN: f64 = 0.5 + 1e-6;

/// Bytes of a frame.
fn frame_bytes(bodies: usize) -> u64 {
    8 + frame::BODY as u64 * bodies as u64 + 4
}

/// The header of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Header {
    bodies: u32,
    fingerprint: u32,
    rate: f64,
    frames: u64,
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.bodies.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.fingerprint.to_le_bytes());
        bytes[20..28].copy_from_slice(&self.rate.to_le_bytes());
        bytes[28..36].copy_from_slice(&self.frames.to_le_bytes());
        let sum = crc32fast::hash(&bytes[..36]);
        bytes[36..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Checks everything that does not depend on the rest of the file.
    fn from_bytes(bytes: &[u8; HEADER]) -> Result<Self, MotionProblem> {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        if bytes[..8] != *MAGIC {
            return Err(MotionProblem::NotAMotion);
        }
        let version = word(8);
        if version > VERSION {
            return Err(MotionProblem::Version { found: version, known: VERSION });
        }
        let header = Self { bodies: word(12), fingerprint: word(16), rate: f64::from_bits(long(20)), frames: long(28) };
        if word(36) != crc32fast::hash(&bytes[..36]) {
            return Err(MotionProblem::Damaged("the check sum of the header is wrong".into()));
        }
        if version == 0 || !RATES.contains(&header.rate) {
            let what = format!("version {version} with {} frames per second", header.rate);
            return Err(MotionProblem::Damaged(what));
        }
        Ok(header)
    }
}
