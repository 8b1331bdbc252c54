//! Nodes and skinned vertices in Bevy's world, held against the truth.

use std::{collections::HashMap, fmt};

use anyhow::{Context, Result, ensure};
use bevy::{
    math::Affine3A,
    mesh::{
        Mesh, VertexAttributeValues,
        skinning::{SkinnedMesh, SkinnedMeshInverseBindposes},
    },
    prelude::*,
};

use crate::truth::{Moment, Truth};

/// What in the world stands for what in the truth.
pub struct Found {
    /// Number of skinned meshes.
    pub skinned: usize,
    nodes: Vec<Entity>,
    vertices: Vec<Sample>,
}

/// A vertex: its place in the mesh, texture coordinates, and joints with inverse bind matrix and weight.
struct Sample {
    rest: Vec3,
    uv: Vec2,
    parts: Vec<(Entity, Mat4, f32)>,
}

impl Found {
    pub fn new(world: &mut World, truth: &Truth) -> Result<Self> {
        let mut nodes = vec![Entity::PLACEHOLDER; truth.nodes.len()];
        let names = named(world);
        for &mesh in &truth.meshes {
            let name = truth.nodes[mesh].rsplit('/').next().unwrap_or_default();
            nodes[mesh] = *names.get(name).with_context(|| format!("no node {name}"))?;
        }
        for skin in &truth.skins {
            let node = *names.get(&skin.node).with_context(|| format!("no node {}", skin.node))?;
            let mesh = *surfaces(world, node).first().with_context(|| format!("no mesh on {}", skin.node))?;
            let joints = &world.get::<SkinnedMesh>(mesh).with_context(|| format!("no skin on {}", skin.node))?.joints;
            ensure!(joints.len() == skin.joints.len(), "{} has {} joints", skin.node, joints.len());
            for (&number, &joint) in skin.joints.iter().zip(joints) {
                nodes[number] = joint;
            }
        }
        let vertices = truth.vertices.iter().map(|v| {
            let node = names.get(&v.node).with_context(|| format!("no node {}", v.node))?;
            let surface = surfaces(world, *node)
                .get(v.surface)
                .copied()
                .with_context(|| format!("no surface {} on {}", v.surface, v.node))?;
            let sample = Sample::new(world, surface, v.index)?;
            ensure!(sample.rest == Vec3::from(v.rest), "vertex {} of {} is at {}", v.index, v.node, sample.rest);
            ensure!(
                sample.uv.distance(v.uv.into()) < 1e-6,
                "vertex {} of {} has texture coordinates {}",
                v.index,
                v.node,
                sample.uv
            );
            Ok(sample)
        });
        let vertices = vertices.collect::<Result<Vec<_>>>()?;
        let skinned = world.query::<&SkinnedMesh>().iter(world).count();
        Ok(Self { skinned, nodes, vertices })
    }

    /// The largest differences now.
    pub fn compare(&self, world: &World, truth: &Truth, moment: &Moment) -> Result<Difference> {
        let mut worst = Difference::default();
        for ((&node, m), path) in self.nodes.iter().zip(&moment.nodes).zip(&truth.nodes) {
            let found = place(world, node).with_context(|| format!("{path} is nowhere"))?;
            let column = |i: usize| Vec3::new(m[i], m[4 + i], m[8 + i]);
            let axes = [found.matrix3.x_axis, found.matrix3.y_axis, found.matrix3.z_axis];
            let turned = axes.into_iter().enumerate().map(|(i, axis)| Vec3::from(axis).distance(column(i)));
            worst.axes = turned.fold(worst.axes, larger);
            worst.nodes = larger(worst.nodes, Vec3::from(found.translation).distance(column(3)));
        }
        for (sample, &at) in self.vertices.iter().zip(&moment.vertices) {
            worst.vertices = larger(worst.vertices, sample.place(world)?.distance(at.into()));
        }
        Ok(worst)
    }
}

impl Sample {
    fn new(world: &World, surface: Entity, vertex: usize) -> Result<Self> {
        let handle = world.get::<Mesh3d>(surface).context("no mesh")?;
        let mesh = world.resource::<Assets<Mesh>>().get(handle).context("the mesh is gone")?;
        let skin = world.get::<SkinnedMesh>(surface).context("no skin")?;
        let binds = world
            .resource::<Assets<SkinnedMeshInverseBindposes>>()
            .get(&skin.inverse_bindposes)
            .context("no inverse bind poses")?;
        let Some(VertexAttributeValues::Float32x3(places)) = mesh.attribute(Mesh::ATTRIBUTE_POSITION) else {
            anyhow::bail!("places are not three f32");
        };
        let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX) else {
            anyhow::bail!("joints are not four u16");
        };
        let Some(VertexAttributeValues::Float32x4(weights)) = mesh.attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT) else {
            anyhow::bail!("weights are not four f32");
        };
        let Some(VertexAttributeValues::Float32x2(uvs)) = mesh.attribute(Mesh::ATTRIBUTE_UV_0) else {
            anyhow::bail!("texture coordinates are not two f32");
        };
        let rest = Vec3::from(*places.get(vertex).with_context(|| format!("no vertex {vertex}"))?);
        let parts = joints[vertex].iter().zip(weights[vertex]).filter(|&(_, weight)| weight > 0.0);
        let parts = parts
            .map(|(&joint, weight)| (skin.joints[usize::from(joint)], binds[usize::from(joint)], weight))
            .collect();
        Ok(Self { rest, uv: Vec2::from(uvs[vertex]), parts })
    }

    fn place(&self, world: &World) -> Result<Vec3> {
        let mut blended = Mat4::ZERO;
        for &(joint, bind, weight) in &self.parts {
            blended += Mat4::from(place(world, joint).context("a joint is nowhere")?) * bind * weight;
        }
        Ok(blended.transform_point3(self.rest))
    }
}

fn place(world: &World, node: Entity) -> Option<Affine3A> {
    world.get::<GlobalTransform>(node).map(GlobalTransform::affine)
}

/// Entities by name.
fn named(world: &mut World) -> HashMap<String, Entity> {
    world.query::<(Entity, &Name)>().iter(world).map(|(entity, name)| (name.to_string(), entity)).collect()
}

/// Meshes on a node, in the order of the file's primitives.
fn surfaces(world: &World, node: Entity) -> Vec<Entity> {
    let children = world.get::<Children>(node).into_iter().flatten();
    children.copied().filter(|&child| world.get::<Mesh3d>(child).is_some()).collect()
}

/// What is no number stays, and is not within anything.
fn larger(a: f32, b: f32) -> f32 {
    if a.is_nan() || a >= b { a } else { b }
}

/// Largest distances in m; of unit vectors along axes without unit.
#[derive(Clone, Copy, Default)]
pub struct Difference {
    nodes: f32,
    axes: f32,
    vertices: f32,
}

impl Difference {
    pub fn max(self, other: Self) -> Self {
        Self {
            nodes: larger(self.nodes, other.nodes),
            axes: larger(self.axes, other.axes),
            vertices: larger(self.vertices, other.vertices),
        }
    }

    pub fn within(self, allowed: f32) -> bool {
        self.nodes <= allowed && self.vertices <= allowed
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "joints within {:.4} mm, axes within {:.7}, vertices within {:.4} mm",
            self.nodes * 1e3,
            self.axes,
            self.vertices * 1e3
        )
    }
}
