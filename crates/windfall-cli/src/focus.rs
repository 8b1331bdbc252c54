//! Places of a plant that are worth a close-up.

use clap::ValueEnum;
use windfall::core::glam::Vec3;
use windfall::core::{Plant, Segment};

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

/// Where to look, and how much of it.
pub struct CloseUp {
    /// m, relative to the origin of the first tree.
    pub target: Vec3,
    /// What fills the shorter side of the picture, m.
    pub span: f32,
    /// Where the camera stands best, radians; none where any side will do.
    pub azimuth: Option<f32>,
}

impl Focus {
    /// Finds it in a plant; none where there is nothing of the kind. `azimuth` is where the camera would stand otherwise.
    pub fn find(self, plant: &Plant, azimuth: f32) -> Option<CloseUp> {
        let toward = Vec3::new(azimuth.sin(), 0.0, azimuth.cos());
        match self {
            Self::Fork => fork(plant),
            Self::Leaves => {
                let leaf = outermost(plant.leaves(), toward, |leaf| leaf.position)?;
                let reach = leaf.petiole_length + leaf.length;
                Some(CloseUp { target: leaf.position, span: (7.0 * reach).max(0.12), azimuth: None })
            }
            Self::Trunk => {
                let root = plant.segments().first()?;
                let height = (1.3f32).min(0.3 * top(plant));
                let target = root.position + Vec3::Y * height;
                Some(CloseUp { target, span: (6.0 * root.base_radius).min(2.0 * height), azimuth: None })
            }
            Self::Fruit => {
                let fruit = outermost(plant.fruit(), toward, |fruit| fruit.position)?;
                Some(CloseUp { target: fruit.position, span: 8.0 * (fruit.radius + fruit.stalk_length), azimuth: None })
            }
        }
    }
}

/// What hangs nearest to the camera among the lower half of the crown, where it is seen against the light of the sky.
fn outermost<T>(all: &[T], toward: Vec3, position: impl Fn(&T) -> Vec3) -> Option<&T> {
    let nearness = |item: &T| {
        let p = position(item);
        p.dot(toward) - 0.3 * p.cross(toward).length()
    };
    all.iter().max_by(|a, b| nearness(a).total_cmp(&nearness(b)))
}

/// The thickest branch that leaves the side of another; the camera looks across both.
fn fork(plant: &Plant) -> Option<CloseUp> {
    let sides = plant.branches().iter().enumerate().filter_map(|(i, branch)| {
        let parent = &plant.segments()[branch.parent? as usize];
        Some((parent, &plant.segments()[plant.branch_segments(i).start]))
    });
    let (parent, child) = sides.max_by(|a, b| a.1.base_radius.total_cmp(&b.1.base_radius))?;
    let along = |segment: &Segment| segment.orientation * Vec3::Y;
    let across = along(parent).cross(along(child));
    let azimuth = (across.length() > 1e-3).then(|| across.x.atan2(across.z));
    Some(CloseUp { target: child.position, span: 7.0 * (parent.base_radius + child.base_radius), azimuth })
}

fn top(plant: &Plant) -> f32 {
    plant.segments().iter().map(|segment| segment.tip().y).fold(0.0, f32::max)
}
