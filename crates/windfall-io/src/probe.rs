//! The motion of one body over time, as a table for spreadsheets and plotting programs.
//!
//! Comma-separated values with a header line. Every number has the shortest representation that reads back
//! as the same f64; non-finite values are `NaN` or `inf`.

use std::io::{self, Write};
use std::path::Path;

use windfall_core::{BodyMotion, JointLoad};

use crate::atomic::{self, Begun};

/// The names of the columns: time; position, velocity and acceleration of the centre of mass in world
/// axes; torque and force exerted by the parent through the joint, in the body's own axes.
pub const PROBE_COLUMNS: [&str; 16] = [
    "time_s",
    "x_m",
    "y_m",
    "z_m",
    "vx_m_s",
    "vy_m_s",
    "vz_m_s",
    "ax_m_s2",
    "ay_m_s2",
    "az_m_s2",
    "torque_x_n_m",
    "torque_y_n_m",
    "torque_z_n_m",
    "force_x_n",
    "force_y_n",
    "force_z_n",
];

/// Writes a table row by row; stores none of them. The file appears under its name when finished.
pub struct ProbeWriter {
    file: Begun,
}

impl ProbeWriter {
    /// Begins a table. Missing folders are created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut file = atomic::begin(path)?;
        writeln!(file.out, "{}", PROBE_COLUMNS.join(","))?;
        Ok(Self { file })
    }

    /// Adds the state of the body at `time` seconds.
    pub fn row(&mut self, time: f64, motion: &BodyMotion, load: &JointLoad) -> io::Result<()> {
        write!(self.file.out, "{time:?}")?;
        for vector in [motion.center, motion.velocity, motion.acceleration, load.torque, load.force] {
            write!(self.file.out, ",{:?},{:?},{:?}", vector.x, vector.y, vector.z)?;
        }
        writeln!(self.file.out)
    }

    /// Completes the file and renames it to its destination.
    pub fn finish(self) -> io::Result<()> {
        self.file.complete()?.publish()
    }
}
