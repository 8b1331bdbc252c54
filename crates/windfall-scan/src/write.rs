//! Export of a plant's wood as the plain table (see [`mod@crate::read`]), for other programs and for
//! experiments.

use std::fmt::Write as _;

use glam::DVec3;
use windfall_core::Plant;

/// The wood as CSV with z up, one row per segment: `id`, `parent` (empty for a root), both ends, both
/// radii, `branch` and `tree`. Metres.
pub fn plain_csv(plant: &Plant) -> String {
    let mut text = "id,parent,start_x,start_y,start_z,end_x,end_y,end_z,radius,tip_radius,branch,tree\n".to_owned();
    for (i, segment) in plant.segments().iter().enumerate() {
        let id = plant.segment_id(i);
        let parent = plant.parent(id).map(|p| p.0.to_string()).unwrap_or_default();
        let start = plant.rest_position(id);
        let end = start + plant.rest_orientation(id) * (DVec3::Y * f64::from(segment.length));
        let _ = writeln!(
            text,
            "{i},{parent},{},{},{},{},{},{},{},{},{},{}",
            start.x,
            -start.z,
            start.y,
            end.x,
            -end.z,
            end.y,
            segment.base_radius,
            segment.tip_radius,
            plant.branch_index(id),
            plant.tree_index(id)
        );
    }
    text
}
