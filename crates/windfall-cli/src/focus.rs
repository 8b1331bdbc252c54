//! Places of a plant for close-ups.

use clap::ValueEnum;
use windfall::core::glam::Vec3;
use windfall::core::{BodyId, Plant, Segment};

/// What a close-up shows.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Focus {
    /// The thickest side branch where it leaves its parent
    Fork,
    /// A shoot at the outside of the crown
    Leaves,
    /// The trunk at breast height
    Trunk,
    /// A fruit
    Fruit,
}

/// Target and framing of a close-up.
pub struct CloseUp {
    /// m, relative to the origin of the first tree.
    pub target: Vec3,
    /// Length of the shorter side of the picture, m.
    pub span: f32,
    /// Best direction of the camera, radians; none where any will do.
    pub azimuth: Option<f32>,
}

impl Focus {
    /// Finds the close-up of a plant; none if it has no such part. `azimuth` is the direction of the camera
    /// otherwise.
    pub fn find(self, plant: &Plant, azimuth: f32) -> Option<CloseUp> {
        let toward = Vec3::new(azimuth.sin(), 0.0, azimuth.cos());
        match self {
            Self::Fork => fork(plant),
            Self::Leaves => {
                let ids = (0..plant.leaves().len()).map(|i| plant.leaf_id(i));
                let (i, target) = outermost(plant, ids, toward)?;
                let reach = plant.leaves()[i].petiole_length + plant.leaves()[i].length;
                Some(CloseUp { target, span: (7.0 * reach).max(0.12), azimuth: None })
            }
            Self::Trunk => {
                let root = plant.segments().first()?;
                let height = (1.3f32).min(0.3 * top(plant));
                let target = root.position + Vec3::Y * height;
                Some(CloseUp { target, span: (6.0 * root.base_radius).min(2.0 * height), azimuth: None })
            }
            Self::Fruit => {
                let ids = (0..plant.fruit().len()).map(|i| plant.fruit_id(i));
                let (i, target) = outermost(plant, ids, toward)?;
                let fruit = &plant.fruit()[i];
                Some(CloseUp { target, span: 8.0 * (fruit.radius + fruit.stalk_length), azimuth: None })
            }
        }
    }
}

/// The leaf or fruit nearest to the camera, and its place.
fn outermost(plant: &Plant, ids: impl Iterator<Item = BodyId>, toward: Vec3) -> Option<(usize, Vec3)> {
    let nearness = |p: Vec3| p.dot(toward) - 0.3 * p.cross(toward).length();
    let all = ids.map(|id| place(plant, id)).enumerate();
    all.max_by(|a, b| nearness(a.1).total_cmp(&nearness(b.1)))
}

/// Position of the joint of a body, m, relative to the origin of the first tree.
fn place(plant: &Plant, id: BodyId) -> Vec3 {
    (plant.rest_position(id) - plant.trees()[0].origin).as_vec3()
}

/// The thickest branch on the side of another; the camera looks across both.
fn fork(plant: &Plant) -> Option<CloseUp> {
    let sides = plant.branches().iter().enumerate().filter_map(|(i, branch)| {
        let parent = &plant.segments()[branch.parent? as usize];
        let first = plant.branch_segments(i).start;
        Some((parent, first, &plant.segments()[first]))
    });
    let (parent, first, child) = sides.max_by(|a, b| a.2.base_radius.total_cmp(&b.2.base_radius))?;
    let along = |segment: &Segment| segment.orientation * Vec3::Y;
    let across = along(parent).cross(along(child));
    let azimuth = (across.length() > 1e-3).then(|| across.x.atan2(across.z));
    let span = 7.0 * (parent.base_radius + child.base_radius);
    Some(CloseUp { target: place(plant, plant.segment_id(first)), span, azimuth })
}

fn top(plant: &Plant) -> f32 {
    plant.segments().iter().map(|segment| segment.tip().y).fold(0.0, f32::max)
}
