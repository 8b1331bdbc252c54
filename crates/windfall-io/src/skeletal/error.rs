//! Why a moving tree could not be written.

use crate::export::ExportError;
use crate::motion::MotionError;
use crate::skin_check::SkinError;

/// Why a moving tree could not be written. The text says it all; there is no further source.
#[derive(Debug, thiserror::Error)]
pub enum AnimationError {
    /// The operating system said no.
    #[error("{0}")]
    Os(std::io::Error),
    /// The frames could not be read.
    #[error("{0}")]
    Motion(MotionError),
    /// The skin is wrong.
    #[error("{0}")]
    Skin(SkinError),
    /// More than the file format can hold.
    #[error(
        "a .glb file holds at most 4.29 GB and this one would have {:.2} GB: take fewer bones, a shorter clip, a larger tolerance, or a skin \
         with less detail",
        *bytes as f64 / 1e9
    )]
    TooLarge {
        /// What the file would have.
        bytes: u64,
    },
    /// There is nothing to write.
    #[error("the clip `{0}` has no frame: choose a stretch within the motion")]
    NoFrames(String),
    /// A tolerance that is none.
    #[error("a tolerance of {0} m: it must be a number above 0 and at most 10")]
    Tolerance(f64),
    /// A pose that is not one of the plant's.
    #[error(
        "frame {frame} places {found} bodies, and the plant has {bodies}: take frames that were simulated with this plant"
    )]
    OtherPlant {
        /// Which frame.
        frame: usize,
        /// Bodies of the frame.
        found: usize,
        /// Bodies of the plant.
        bodies: usize,
    },
    /// A body that is nowhere.
    #[error("frame {frame}: the place of body {body} is not finite; simulate again, with smaller steps")]
    NotFinite {
        /// Which frame.
        frame: usize,
        /// Which body.
        body: usize,
    },
    /// A body that is farther away than anything goes.
    #[error(
        "frame {frame}: body {body} is {metres:.1e} m from the origin of its tree, and 1e9 m is the most; simulate again, with smaller steps"
    )]
    Far {
        /// Which frame.
        frame: usize,
        /// Which body.
        body: usize,
        /// How far, m.
        metres: f64,
    },
    /// A quaternion without length.
    #[error(
        "frame {frame}: the orientation of body {body} is {found:?}, which is no rotation; a quaternion must have a length"
    )]
    NoRotation {
        /// Which frame.
        frame: usize,
        /// Which body.
        body: usize,
        /// x, y, z, w.
        found: [f32; 4],
    },
    /// A time that can't be.
    #[error("frame {frame} is at {found} s: times of frames must begin at 0 and grow from one to the next")]
    Time {
        /// Which frame.
        frame: usize,
        /// Its time, s.
        found: f64,
    },
    /// Times that the file can't tell.
    #[error(
        "frame {frame} is at {found} s and should be at {expected} s: {what} has the same time between all frames; sample the motion evenly, or write .mdd, .usdc \
         or .glb, which hold times"
    )]
    Uneven {
        /// Which frame.
        frame: usize,
        /// Its time, s.
        found: f64,
        /// The time that it should have, s.
        expected: f64,
        /// What has no times.
        what: &'static str,
    },
    /// Times that are one in the file.
    #[error(
        "frame {frame} at {time} s is as late as the one before in the f32 that the file holds: take fewer frames in a second, or a shorter stretch"
    )]
    TooClose {
        /// Which frame.
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
        /// How far.
        metres: f64,
        /// What rounding would move a vertex by along an axis, m.
        rounding: f64,
        /// What the name of the file ends with.
        ending: &'static str,
    },
    /// More than a package can hold.
    #[error(
        "a .usdz file holds at most 4.29 GB and this one would have at least {:.2} GB: write .usdc, or take a shorter clip, bones (--usd skel) or a skin with less \
         detail",
        *bytes as f64 / 1e9
    )]
    Package {
        /// What the file would have at least.
        bytes: u64,
    },
    /// More than a file of this kind can count.
    #[error("{count} {what}; a .{ending} file holds at most {most}: {advice}")]
    TooMany {
        /// How many there are.
        count: usize,
        /// Of what.
        what: &'static str,
        /// What the name of the file ends with.
        ending: &'static str,
        /// How many there may be.
        most: usize,
        /// What to do.
        advice: &'static str,
    },
    /// A file beside could not be written.
    #[error("{0}")]
    Beside(ExportError),
    /// The ending names no format that these can be written in.
    #[error("the ending must be {0}")]
    Ending(&'static str),
    /// A rate that is none.
    #[error("{0} frames per second: it must be a number above 0")]
    Rate(f64),
    /// Fewer than one.
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
