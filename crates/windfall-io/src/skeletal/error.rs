//! Errors of writing moving trees.

use crate::export::ExportError;
use crate::motion::MotionError;
use crate::skin_check::SkinError;

/// An error of writing a moving tree. The message is complete; there is no error source.
#[derive(Debug, thiserror::Error)]
pub enum AnimationError {
    /// An operating system error.
    #[error("{0}")]
    Os(std::io::Error),
    /// The frames could not be read.
    #[error("{0}")]
    Motion(MotionError),
    /// Invalid skin.
    #[error("{0}")]
    Skin(SkinError),
    /// Larger than the file format allows.
    #[error(
        "a .glb file holds at most 4.29 GB and this one would have {:.2} GB: take fewer bones, a shorter clip, a larger tolerance, or a skin \
         with less detail",
        *bytes as f64 / 1e9
    )]
    TooLarge {
        /// Size of the file.
        bytes: u64,
    },
    /// The clip is empty.
    #[error("the clip `{0}` has no frame: choose a stretch within the motion")]
    NoFrames(String),
    /// Invalid tolerance.
    #[error("a tolerance of {0} m: it must be a number above 0 and at most 10")]
    Tolerance(f64),
    /// The pose has the wrong number of bodies.
    #[error(
        "frame {frame} places {found} bodies, and the plant has {bodies}: take frames that were simulated with this plant"
    )]
    OtherPlant {
        /// The frame.
        frame: usize,
        /// Bodies of the frame.
        found: usize,
        /// Bodies of the plant.
        bodies: usize,
    },
    /// The position of a body is not finite.
    #[error("frame {frame}: the place of body {body} is not finite; simulate again, with smaller steps")]
    NotFinite {
        /// The frame.
        frame: usize,
        /// The body.
        body: usize,
    },
    /// A body is too far away.
    #[error(
        "frame {frame}: body {body} is {metres:.1e} m from the origin of its tree, and 1e9 m is the most; simulate again, with smaller steps"
    )]
    Far {
        /// The frame.
        frame: usize,
        /// The body.
        body: usize,
        /// Its distance, m.
        metres: f64,
    },
    /// A quaternion without length.
    #[error(
        "frame {frame}: the orientation of body {body} is {found:?}, which is no rotation; a quaternion must have a length"
    )]
    NoRotation {
        /// The frame.
        frame: usize,
        /// The body.
        body: usize,
        /// x, y, z, w.
        found: [f32; 4],
    },
    /// Invalid time.
    #[error("frame {frame} is at {found} s: times of frames must begin at 0 and grow from one to the next")]
    Time {
        /// The frame.
        frame: usize,
        /// Its time, s.
        found: f64,
    },
    /// Times that the format cannot represent.
    #[error(
        "frame {frame} is at {found} s and should be at {expected} s: {what} has the same time between all frames; sample the motion evenly, or write .mdd, .usdc \
         or .glb, which hold times"
    )]
    Uneven {
        /// The frame.
        frame: usize,
        /// Its time, s.
        found: f64,
        /// The time that it should have, s.
        expected: f64,
        /// The format without times.
        what: &'static str,
    },
    /// Times that coincide in the file.
    #[error(
        "frame {frame} at {time} s is as late as the one before in the f32 that the file holds: take fewer frames in a second, or a shorter stretch"
    )]
    TooClose {
        /// The frame.
        frame: usize,
        /// Its time, s.
        time: f64,
    },
    /// Trees too far apart for f32.
    #[error(
        "vertices lie up to {metres:.0} m from the origin of the first tree, and a .{ending} file holds places from there in f32: they would be rounded by up to \
         {:.1} mm, more than 1 mm; export trees that stand near each other one by one, or write .usdc or .glb, in which each tree has its own origin",
        rounding * 1e3
    )]
    FarApart {
        /// Distance between them, m.
        metres: f64,
        /// Rounding error of a vertex along an axis, m.
        rounding: f64,
        /// The file extension.
        ending: &'static str,
    },
    /// Larger than a package allows.
    #[error(
        "a .usdz file holds at most 4.29 GB and this one would have at least {:.2} GB: write .usdc, or take a shorter clip, bones (--usd skel) or a skin with less \
         detail",
        *bytes as f64 / 1e9
    )]
    Package {
        /// Minimum size of the file.
        bytes: u64,
    },
    /// More items than the format can count.
    #[error("{count} {what}; a .{ending} file holds at most {most}: {advice}")]
    TooMany {
        /// Number of items.
        count: usize,
        /// Kind of the items.
        what: &'static str,
        /// The file extension.
        ending: &'static str,
        /// Allowed number.
        most: usize,
        /// Remedy.
        advice: &'static str,
    },
    /// A companion file could not be written.
    #[error("{0}")]
    Beside(ExportError),
    /// Unsupported file extension.
    #[error("the ending must be {0}")]
    Ending(&'static str),
    /// Invalid frame rate.
    #[error("{0} frames per second: it must be a number above 0")]
    Rate(f64),
    /// Fewer than one bone.
    #[error("0 bones: a tree needs at least one")]
    NoBones,
}

impl From<std::io::Error> for AnimationError {
    fn from(error: std::io::Error) -> Self {
        Self::Os(error)
    }
}

impl From<MotionError> for AnimationError {
    fn from(error: MotionError) -> Self {
        Self::Motion(error)
    }
}

impl From<ExportError> for AnimationError {
    fn from(error: ExportError) -> Self {
        Self::Beside(error)
    }
}

impl From<SkinError> for AnimationError {
    fn from(error: SkinError) -> Self {
        Self::Skin(error)
    }
}
