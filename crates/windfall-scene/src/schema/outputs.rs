//! Outputs of a run.

use serde::Deserialize;
use windfall_core::glam::DVec3;

use super::pick::Pick;

/// Files of a run, named after the scene.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a file to be written or not")]
pub struct Output {
    /// The motion of all bodies (`.wfm`) and its plant (`.wfp`); false by default: they are large.
    pub motion: bool,
    /// A table of breaks and detachments (`.events.csv`); true by default.
    pub events: bool,
    /// A table of the places of thrown bodies and creatures in every frame (`.bodies.csv`); true by
    /// default, if there are any.
    pub bodies: bool,
    /// The summary (`.json`); true by default.
    pub summary: bool,
    /// Bodies whose motion is written as a table (`.probe0.csv` and so on).
    pub probes: Vec<Pick>,
}

impl Default for Output {
    fn default() -> Self {
        Self { motion: false, events: true, bodies: true, summary: true, probes: Vec::new() }
    }
}

/// Settings of pictures. The camera stands still.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Preview {
    /// Number of moments on a sheet (`.png`), evenly from beginning to end; 6 by default, none for 0.
    pub stills: u32,
    /// Whether an animation (`.gif`) is drawn; false by default.
    pub gif: bool,
    /// Frames per second of the animation; 15 by default.
    pub fps: f64,
    /// Width and height of one picture, pixels; 640 x 360 by default.
    pub size: [u32; 2],
    /// Pictures in a row of the sheet.
    pub columns: Option<u32>,
    /// Samples along each side of a pixel, 1 to 3; 2 by default.
    pub samples: u32,
    /// Direction of the camera: 0 is south (+z), 90 is east (+x); 25 by default.
    pub azimuth_degrees: f64,
    /// Downward angle of the camera; 4 by default.
    pub elevation_degrees: f64,
    /// Vertical field of view; 30 by default.
    pub fov_degrees: f64,
    /// Zoom: 2 shows the middle half of the picture at 1.
    pub zoom: f64,
    /// Camera target, world metres; by default the whole scene.
    pub target: Option<DVec3>,
    /// With `target`: length of the shorter side of the picture, m; 2 by default.
    pub span: f64,
    /// Direction of the sun relative to the camera (90 is to the right), and its elevation, degrees.
    pub sun_degrees: [f64; 2],
    /// Level of detail: 0 for close-ups to 3 for far trees; by default by the number of bodies.
    pub detail: Option<u8>,
    /// Wood alone; false by default.
    pub bare: bool,
}

impl Preview {
    /// Columns of a sheet of this many stills: by default about as many as rows.
    pub fn columns(&self, stills: u32) -> u32 {
        self.columns.unwrap_or((stills as f32).sqrt().ceil() as u32)
    }
}

impl Default for Preview {
    fn default() -> Self {
        Self {
            stills: 6,
            gif: false,
            fps: 15.0,
            size: [640, 360],
            columns: None,
            samples: 2,
            azimuth_degrees: 25.0,
            elevation_degrees: 4.0,
            fov_degrees: 30.0,
            zoom: 1.0,
            target: None,
            span: 2.0,
            sun_degrees: [-55.0, 44.0],
            detail: None,
            bare: false,
        }
    }
}
