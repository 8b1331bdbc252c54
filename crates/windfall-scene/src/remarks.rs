//! Remarks on valid parts of a scene that would have no effect.

use crate::error::{Problem, Problems};
use crate::file::SceneFile;

impl SceneFile {
    /// Events, throws and motions of the ground that begin only after the end of the scene. They are shown
    /// to the user; the scene still runs, because `seconds` is often shortened temporarily.
    pub fn remarks(&self) -> Vec<Problem> {
        let (scene, mut remarks) = (&self.scene, Problems::new(&self.source));
        let end = scene.seconds;
        let mut late = |key: String, time: f64| {
            if time >= end {
                remarks.note(key, format_args!("= {time}: never happens, the scene ends after {end} s"));
            }
        };
        scene.events.iter().enumerate().for_each(|(i, event)| late(format!("events[{i}].at"), event.at));
        for (i, throw) in scene.throws.iter().enumerate().filter(|(_, throw)| throw.time > 0.0) {
            late(format!("throws[{i}].time"), throw.time);
        }
        for (i, base) in scene.bases.iter().enumerate() {
            if let Some(sway) = &base.sway {
                late(format!("bases[{i}].sway.from"), sway.from);
            }
        }
        remarks.finish_list()
    }
}
