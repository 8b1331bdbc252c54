//! Classification of a tree's wood into trunk, branches and twigs.

use serde::Serialize;
use windfall_core::glam::DVec3;
use windfall_core::summary::BREAST_HEIGHT;
use windfall_core::{BodyId, Plant, Segment};

use windfall_solver::Solver;

/// Wood of order 0 is trunk down to this share of its diameter at breast height; thinner wood is the
/// leader, which counts as a branch.
const THINNEST_TRUNK: f64 = 0.25;

/// The parts of one tree of a plant.
#[derive(Debug)]
pub(super) struct Parts {
    /// All bodies.
    pub bodies: Vec<BodyId>,
    /// Segments whose joints may break: of the trunk, and of branches without twigs.
    pub joints: [Vec<usize>; 2],
    /// The root of the tree.
    pub foot: BodyId,
    /// The highest segment among the joints.
    pub top: usize,
    /// Height from the foot to the tip at rest, m.
    pub height: f64,
}

/// A break and its wind speed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Break {
    /// The wind speed at which it breaks, at the reference height and before the gust factor, m/s; 0 if it
    /// can't bear its own weight.
    pub wind_m_s: f64,
    /// The body that breaks off, at its joint.
    pub body: u32,
    /// Height of the joint above the foot of the tree when it stands still, m.
    pub height_m: f64,
    /// Diameter of the wood at the joint, m.
    pub diameter_m: f64,
    /// The branch it belongs to (index in the plant), and its order: 0 is the trunk.
    pub branch: usize,
    /// See `branch`.
    pub order: u16,
    /// Distance of the joint from the base of the branch, along the branch, m.
    pub along_branch_m: f64,
}

impl Parts {
    /// Parts of an existing tree of the plant; branches thinner than `twig`, m, are twigs.
    pub fn of(plant: &Plant, tree: usize, twig: f64) -> Self {
        let bodies: Vec<BodyId> = plant.body_ids().filter(|&id| plant.tree_index(id) == tree).collect();
        let wood = || bodies.iter().map(|id| id.0 as usize).take_while(|&i| i < plant.segments().len());
        let order = |i: usize| plant.branches()[plant.branch_index(plant.segment_id(i))].order;
        let foot = bodies[0];
        let base = &plant.segments()[foot.0 as usize];
        let at_breast = |segment: &Segment| {
            let up = f64::from(segment.position.y - base.position.y);
            up <= BREAST_HEIGHT && up + f64::from(segment.tip().y - segment.position.y) > BREAST_HEIGHT
        };
        let breast = wood().filter(|&i| order(i) == 0).map(|i| &plant.segments()[i]).find(|s| at_breast(s));
        let thinnest = THINNEST_TRUNK * diameter(breast.unwrap_or(base));
        let (trunk, rest): (Vec<usize>, Vec<usize>) =
            wood().partition(|&i| order(i) == 0 && diameter(&plant.segments()[i]) >= thinnest);
        let branches: Vec<usize> = rest.into_iter().filter(|&i| diameter(&plant.segments()[i]) >= twig).collect();
        let tip = |i: usize| plant.segments()[i].tip().y;
        let all = trunk.iter().chain(&branches).copied();
        let top = all.max_by(|&a, &b| tip(a).total_cmp(&tip(b))).unwrap_or(foot.0 as usize);
        let height = f64::from(tip(top) - base.position.y);
        Self { bodies, joints: [trunk, branches], foot, top, height }
    }

    /// Present position of the tip of the highest wood, world metres.
    pub fn top_now(&self, solver: &dyn Solver) -> DVec3 {
        let segment = &solver.plant().segments()[self.top];
        let motion = solver.motion(solver.plant().segment_id(self.top).into());
        motion.joint + motion.orientation * (DVec3::Y * f64::from(segment.length))
    }

    /// The record of a break at the joint of a segment.
    pub fn broken(&self, plant: &Plant, segment: usize, wind_m_s: f64) -> Break {
        let id = plant.segment_id(segment);
        let branch = plant.branch_index(id);
        let before = plant.branch_segments(branch).start..segment;
        Break {
            wind_m_s,
            body: id.0,
            height_m: plant.rest_position(id).y - plant.rest_position(self.foot).y,
            diameter_m: diameter(&plant.segments()[segment]),
            branch,
            order: plant.branches()[branch].order,
            along_branch_m: before.map(|i| f64::from(plant.segments()[i].length)).fold(0.0, |sum, length| sum + length),
        }
    }
}

fn diameter(segment: &Segment) -> f64 {
    2.0 * f64::from(segment.base_radius)
}
