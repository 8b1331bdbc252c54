//! A rigged tree: its wood, and the joints driven by its simulation.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat, DVec3};
use windfall_core::{LeafMaterial, Plant, WoodMaterial};

use crate::bones::{Joint, bones};
use crate::checks;
use crate::document::Document;
use crate::error::RigError;
use crate::graph::{Graph, Local, is_orthogonal};
use crate::report::RigReport;
use crate::surface::{joints, survey};
use crate::wood::Skeleton;

/// The up axis of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Up {
    /// +y, as specified by glTF.
    #[default]
    Y,
    /// For files exported from z-up programs without conversion.
    Z,
    /// +x.
    X,
}

impl Up {
    fn axis(self) -> DVec3 {
        match self {
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
            Self::X => DVec3::X,
        }
    }
}

/// Options of reading a rig.
#[derive(Debug, Clone)]
pub struct RigOptions {
    /// Name of the tree.
    pub name: String,
    /// The up axis of the file.
    pub up: Up,
    /// Height of the real tree, m; `None`: as in the file.
    pub height: Option<f64>,
    /// Metres per unit of the file; `None`: 1, as specified by glTF. Excludes `height`.
    pub scale: Option<f64>,
    /// Material of the wood.
    pub wood: WoodMaterial,
    /// Material of the leaves.
    pub leaf: LeafMaterial,
    /// Names of the leaf materials; `None`: detected.
    pub leaf_materials: Option<Vec<String>>,
    /// One-sided area of all leaves, m²; `None`: from the meshes.
    pub leaf_area: Option<f64>,
    /// Accept skeletons that do not look like trees.
    pub force: bool,
}

/// A rigged tree, ready to be simulated.
#[derive(Debug)]
pub struct Rig {
    /// The wood, m, y up, the foot of the first tree at the origin. Segments represent bones; leaves are
    /// loads, not simulated individually.
    pub plant: Arc<Plant>,
    /// Statistics of the rig.
    pub report: RigReport,
    /// Joints with a segment each, parents before children.
    pub(crate) moved: Vec<Moved>,
    /// Metres per unit of the file.
    pub(crate) scale: f64,
    /// Rotation from the axes of the file to y up.
    pub(crate) upright: DMat3,
}

/// A joint driven by a segment.
#[derive(Debug, Clone)]
pub(crate) struct Moved {
    pub node: usize,
    pub name: String,
    pub segment: usize,
    /// Index in the list of its nearest ancestor in the file that also moves.
    pub above: Option<usize>,
    /// Axes of its parent node, y up, without scale; mirrored if that node is.
    pub axes: DMat3,
    /// Local rotation and translation in the pose of the file.
    pub rotation: DQuat,
    pub translation: DVec3,
    /// Its head in units of the file, y up.
    pub home: DVec3,
    /// Transform from y up to the axes of its parent node, for joints attached to another joint than their
    /// parent.
    pub slides: Option<DAffine3>,
    /// Length of its bone, m.
    pub length: f64,
}

/// Heights of trees without a warning, m.
const USUAL: std::ops::RangeInclusive<f64> = 0.5..=120.0;

impl Rig {
    /// Finds the wood in a document.
    pub fn of(document: &Document, options: &RigOptions) -> Result<Self, RigError> {
        check(options)?;
        let graph = Graph::of(document)?;
        let upright = DMat3::from_quat(DQuat::from_rotation_arc(options.up.axis(), DVec3::Y));
        let nodes = joints(&document.schema, &graph)?;
        if nodes.is_empty() {
            return Err(RigError::NotATree(
                "no mesh has a skin. Give the tree an armature, bind its mesh to it, and export it with skins and without animation baked into the mesh".into(),
            ));
        }
        let mut joint_of: Vec<Option<u32>> = vec![None; graph.parents.len()];
        for (j, &node) in (0_u32..).zip(&nodes) {
            joint_of[node] = Some(j);
        }
        let surface = survey(document, &graph, upright, &joint_of, nodes.len(), options.leaf_materials.as_deref())?;
        let above = graph.nearest_above(|node| joint_of[node].is_some());
        let joints: Vec<Joint> = nodes
            .iter()
            .map(|&node| Joint {
                node,
                name: document.node_name(node),
                parent: above[node].and_then(|p| joint_of[p]).map(|p| p as usize),
                at: upright * graph.worlds[node].translation,
                along: (upright * graph.worlds[node].matrix3.y_axis).normalize_or(DVec3::Y),
            })
            .collect();
        if let Some(bad) = joints.iter().find(|joint| joint.at.is_nan() || joint.at.abs().max_element() > 1e12) {
            return Err(RigError::broken(
                format!("joint `{}`", bad.name),
                format!("it is at {}, which is no place", bad.at),
            ));
        }
        let (bones, carriers) = bones(&joints, &surface);
        let height = surface.high.y - surface.low.y;
        let lies = checks::lies(&joints, &bones, (surface.high - surface.low).length());
        if !options.force {
            checks::is_a_tree(&joints, &bones, height, lies.is_some())?;
        }
        if bones.iter().flatten().count() == 0 || !(height > 0.0 && height.is_finite()) {
            return Err(RigError::NotATree(format!("no joint moves wood, or its height is {height}")));
        }
        let scale = match (options.height, options.scale) {
            (Some(wanted), _) => wanted / height,
            (None, scale) => scale.unwrap_or(1.0),
        };
        let mut skeleton = Skeleton { joints: &joints, bones, carriers, surface: &surface, scale, height };
        let wood = skeleton.wood(options)?;
        let moved = moved(document, &graph, upright, &skeleton, &wood)?;
        let mut report = RigReport::new(&skeleton, &wood);
        report.warn(&surface, options, lies.map(|way| upright.transpose() * way), USUAL);
        Ok(Self { plant: Arc::new(wood.plant), report, moved, scale, upright })
    }
}

fn check(options: &RigOptions) -> Result<(), RigError> {
    let within = |what: &str, value: Option<f64>, low: f64, high: f64, unit: &str| match value {
        Some(value) if !(low..=high).contains(&value) => {
            Err(RigError::Option(format!("{what} = {value}: it must be from {low} to {high}{unit}")))
        }
        _ => Ok(()),
    };
    within("height", options.height, 0.01, 200.0, " m")?;
    within("scale", options.scale, 1e-6, 1e6, "")?;
    within("leaf area", options.leaf_area, 0.0, 1e6, " m2")?;
    if options.height.is_some() && options.scale.is_some() {
        return Err(RigError::Option("height and scale say the same: give one of them".into()));
    }
    Ok(())
}

/// The joints driven by segments.
fn moved(
    document: &Document,
    graph: &Graph,
    upright: DMat3,
    skeleton: &Skeleton<'_>,
    wood: &crate::wood::Wood,
) -> Result<Vec<Moved>, RigError> {
    let mut places: Vec<Option<usize>> = vec![None; skeleton.joints.len()];
    let mut list = Vec::new();
    for (j, joint) in skeleton.joints.iter().enumerate() {
        let (Some(segment), Some(bone)) = (wood.segments[j], skeleton.bones[j]) else { continue };
        let world = graph.parents[joint.node].map_or(DAffine3::IDENTITY, |p| graph.worlds[p]);
        let size = libm::cbrt(world.matrix3.determinant().abs());
        let axes = world.matrix3 * (1.0 / size);
        if !((1e-9..1e9).contains(&size) && is_orthogonal(&axes)) {
            return Err(RigError::Unsupported(format!(
                "what stands above the joint `{}` is scaled by different amounts along its axes, so bones can't turn without shearing it: apply \
                 the scale of the armature and of its bones (Blender: Object > Apply > Scale), and export once more",
                joint.name
            )));
        }
        // Exactly orthonormal, despite rounding in the file.
        let sign = axes.determinant().signum();
        let axes = DMat3::from_quat(DQuat::from_mat3(&(axes * sign)).normalize()) * sign;
        let node = &document.schema.nodes[joint.node];
        let local = Local::of(node).ok_or_else(|| {
            RigError::Unsupported(format!(
                "the joint `{}` is sheared or flat, or its place is no number: apply the transforms of the armature and export once more",
                joint.name
            ))
        })?;
        let above = joint.parent.and_then(|p| skeleton.carriers[p]).and_then(|p| places[p]);
        let slides = wood.joined.binary_search(&j).is_ok();
        let place = DAffine3::from_mat3(upright) * world;
        places[j] = Some(list.len());
        list.push(Moved {
            node: joint.node,
            name: joint.name.clone(),
            segment: segment as usize,
            above,
            axes: upright * axes,
            rotation: local.rotation,
            translation: local.translation,
            home: joint.at,
            slides: slides.then(|| place.inverse()),
            length: joint.at.distance(bone.tail) * skeleton.scale,
        });
    }
    Ok(list)
}
