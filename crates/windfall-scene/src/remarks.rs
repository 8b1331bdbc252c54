//! What is right in a scene but can hardly be meant: it would have no effect.

use crate::error::{Problem, Problems};
use crate::file::SceneFile;

impl SceneFile {
    /// What begins only when the scene is over. Shown to people; the scene runs all the same, because `seconds` is often shortened for a while.
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
