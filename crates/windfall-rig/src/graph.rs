//! The node hierarchy of a document, and world transforms in the pose of the file.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::document::Document;
use crate::document::schema::Node;
use crate::error::RigError;

/// Nodes as a forest.
pub(crate) struct Graph {
    pub parents: Vec<Option<usize>>,
    /// Parents before children.
    pub order: Vec<usize>,
    /// Transforms from node to world axes, in units of the file.
    pub worlds: Vec<DAffine3>,
    /// Nodes of the default scene.
    pub shown: Vec<bool>,
}

/// Local transform of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local {
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
}

impl Local {
    /// `None` if a matrix is sheared, singular or not finite.
    pub fn of(node: &Node) -> Option<Self> {
        let local = match &node.matrix {
            Some(m) => {
                let linear = DMat3::from_cols_array(&[m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]]);
                let translation = DVec3::new(m[12], m[13], m[14]);
                let mut scale = DVec3::new(linear.x_axis.length(), linear.y_axis.length(), linear.z_axis.length());
                if linear.determinant() < 0.0 {
                    scale.x = -scale.x;
                }
                let axes = DMat3::from_cols(linear.x_axis / scale.x, linear.y_axis / scale.y, linear.z_axis / scale.z);
                if !is_orthogonal(&axes) {
                    return None;
                }
                Self { translation, rotation: DQuat::from_mat3(&axes), scale }
            }
            None => Self {
                translation: node.translation.map_or(DVec3::ZERO, DVec3::from_array),
                rotation: node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array),
                scale: node.scale.map_or(DVec3::ONE, DVec3::from_array),
            },
        };
        let length = local.rotation.length();
        let good = local.translation.is_finite() && local.scale.is_finite() && (0.5..2.0).contains(&length);
        good.then(|| Self { rotation: local.rotation.normalize(), ..local })
    }
}

/// Whether the columns are orthonormal to 1e-3.
pub(crate) fn is_orthogonal(axes: &DMat3) -> bool {
    let product = axes.transpose() * *axes;
    (product - DMat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() < 2e-3)
}

impl Graph {
    pub fn of(document: &Document) -> Result<Self, RigError> {
        let nodes = &document.schema.nodes;
        let mut parents = vec![None; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            for &child in &node.children {
                let broken = |reason: String| RigError::broken(format!("nodes[{i}]"), reason);
                let slot = parents.get_mut(child).ok_or_else(|| broken(format!("there is no child {child}")))?;
                if let Some(other) = slot.replace(i) {
                    return Err(broken(format!(
                        "its child {child} is also a child of nodes[{other}]; it may have one parent only"
                    )));
                }
            }
        }
        let mut order: Vec<usize> = (0..nodes.len()).filter(|&i| parents[i].is_none()).collect();
        let mut at = 0;
        while at < order.len() {
            order.extend(&nodes[order[at]].children);
            at += 1;
        }
        if order.len() < nodes.len() {
            let mut reached = vec![false; nodes.len()];
            for &i in &order {
                reached[i] = true;
            }
            let first = reached.iter().position(|r| !r).unwrap_or(0);
            let reason = "it is among its own descendants: the nodes form a cycle";
            return Err(RigError::broken(format!("nodes[{first}]"), reason));
        }
        let mut worlds = vec![DAffine3::IDENTITY; nodes.len()];
        for &i in &order {
            worlds[i] = parents[i].map_or(DAffine3::IDENTITY, |p: usize| worlds[p]) * local(&nodes[i]);
        }
        Ok(Self { shown: shown(document, &order, &parents), parents, order, worlds })
    }

    /// For each node the nearest of its ancestors for which `is` holds.
    pub fn nearest_above(&self, is: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
        let mut nearest = vec![None; self.parents.len()];
        for &i in &self.order {
            nearest[i] = self.parents[i].and_then(|p| if is(p) { Some(p) } else { nearest[p] });
        }
        nearest
    }
}

/// The local transform of the file, unchecked.
fn local(node: &Node) -> DAffine3 {
    if let Some(m) = &node.matrix {
        let linear = DMat3::from_cols_array(&[m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]]);
        return DAffine3::from_mat3_translation(linear, DVec3::new(m[12], m[13], m[14]));
    }
    let rotation = node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
    let rotation = if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY };
    DAffine3::from_scale_rotation_translation(
        node.scale.map_or(DVec3::ONE, DVec3::from_array),
        rotation,
        node.translation.map_or(DVec3::ZERO, DVec3::from_array),
    )
}

fn shown(document: &Document, order: &[usize], parents: &[Option<usize>]) -> Vec<bool> {
    let schema = &document.schema;
    let Some(scene) = schema.scenes.get(schema.scene.unwrap_or(0)) else { return vec![true; schema.nodes.len()] };
    let mut shown = vec![false; schema.nodes.len()];
    for &i in &scene.nodes {
        if let Some(is) = shown.get_mut(i) {
            *is = true;
        }
    }
    for &i in order {
        shown[i] |= parents[i].is_some_and(|p| shown[p]);
    }
    shown
}
