//! Plays a clip of a GLB file from the file's own data, according to glTF 2.0, in f64 and without code of
//! the writer.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use gltf::Gltf;
use gltf::animation::util::ReadOutputs;
use windfall_core::glam::{DMat4, DQuat, DVec3, Mat4, Quat};

pub struct Player {
    pub file: Gltf,
}

/// A node with a mesh without a skin.
pub struct Node {
    pub name: String,
    pub mesh: usize,
    pub origin: DVec3,
    pub vertices: Vec<DVec3>,
}

/// Keys of one channel.
struct Channel {
    node: usize,
    times: Vec<f32>,
    values: Values,
}

enum Values {
    Rotations(Vec<DQuat>),
    Translations(Vec<DVec3>),
}

impl Player {
    pub fn new(bytes: &[u8]) -> Self {
        Self { file: Gltf::from_slice(bytes).unwrap() }
    }

    fn blob(&self) -> &[u8] {
        self.file.blob.as_deref().unwrap()
    }

    fn channels(&self, clip: usize) -> Vec<Channel> {
        let animation = self.file.animations().nth(clip).unwrap();
        let read = |channel: gltf::animation::Channel<'_>| {
            let reader = channel.reader(|_| Some(self.blob()));
            assert_eq!(channel.sampler().interpolation(), gltf::animation::Interpolation::Linear);
            let times: Vec<f32> = reader.read_inputs().unwrap().collect();
            let values = match reader.read_outputs().unwrap() {
                ReadOutputs::Rotations(list) => {
                    Values::Rotations(list.into_f32().map(|q| Quat::from_array(q).as_dquat()).collect())
                }
                ReadOutputs::Translations(list) => {
                    Values::Translations(list.map(|t| DVec3::from(t.map(f64::from))).collect())
                }
                _ => panic!("a channel that trees don't have"),
            };
            let count = match &values {
                Values::Rotations(list) => list.len(),
                Values::Translations(list) => list.len(),
            };
            assert_eq!(times.len(), count);
            Channel { node: channel.target().node().index(), times, values }
        };
        animation.channels().map(read).collect()
    }

    /// Duration of a clip, s, and its number of keys.
    pub fn length(&self, clip: usize) -> (f64, usize) {
        let channels = self.channels(clip);
        let last = |c: &Channel| f64::from(*c.times.last().unwrap());
        (channels.iter().map(last).fold(0.0, f64::max), channels.iter().map(|c| c.times.len()).sum())
    }

    /// Rules for keys: times increase from 0, rotations have unit length and consistent signs.
    pub fn check_keys(&self, clip: usize) {
        for channel in self.channels(clip) {
            assert_eq!(channel.times[0], 0.0);
            assert!(channel.times.windows(2).all(|t| t[0] < t[1]));
            if let Values::Rotations(list) = &channel.values {
                assert!(list.iter().all(|q| (q.length() - 1.0).abs() < 1e-6));
                assert!(list.windows(2).all(|q| q[0].dot(q[1]) >= 0.0), "a flip of sign");
            }
        }
    }

    /// World transform of each node at a time.
    fn globals(&self, clip: usize, time: f64) -> Vec<DMat4> {
        let mut locals: Vec<(DVec3, DQuat, DVec3)> = Vec::new();
        for node in self.file.nodes() {
            let (t, r, s) = node.transform().decomposed();
            let vector = |v: [f32; 3]| DVec3::from(v.map(f64::from));
            locals.push((vector(t), Quat::from_array(r).as_dquat().normalize(), vector(s)));
        }
        for channel in self.channels(clip) {
            let after = channel.times.partition_point(|&t| f64::from(t) <= time);
            let (a, b) = (after.saturating_sub(1), after.min(channel.times.len() - 1));
            let (from, to) = (f64::from(channel.times[a]), f64::from(channel.times[b]));
            let share = if a == b { 0.0 } else { (time - from) / (to - from) };
            match &channel.values {
                Values::Rotations(q) => locals[channel.node].1 = q[a].slerp(q[b], share).normalize(),
                Values::Translations(t) => locals[channel.node].0 = t[a].lerp(t[b], share),
            }
        }
        let mut globals = vec![DMat4::IDENTITY; locals.len()];
        let mut stack: Vec<(gltf::Node<'_>, DMat4)> =
            self.file.default_scene().unwrap().nodes().map(|node| (node, DMat4::IDENTITY)).collect();
        while let Some((node, parent)) = stack.pop() {
            let (t, r, s) = locals[node.index()];
            let global = parent * DMat4::from_scale_rotation_translation(s, r, t);
            globals[node.index()] = global;
            stack.extend(node.children().map(|child| (child, global)));
        }
        globals
    }

    /// Nodes with unskinned meshes at a time.
    pub fn unskinned(&self, clip: usize, time: f64) -> Vec<Node> {
        let globals = self.globals(clip, time);
        let nodes = self.file.nodes().filter(|node| node.skin().is_none() && node.mesh().is_some());
        nodes
            .map(|node| {
                let (global, mesh) = (globals[node.index()], node.mesh().unwrap());
                let positions = mesh.primitives().flat_map(|primitive| {
                    primitive.reader(|_| Some(self.blob())).read_positions().unwrap().collect::<Vec<_>>()
                });
                Node {
                    name: node.name().unwrap().to_owned(),
                    mesh: mesh.index(),
                    origin: global.transform_point3(DVec3::ZERO),
                    vertices: positions.map(|p| global.transform_point3(DVec3::from(p.map(f64::from)))).collect(),
                }
            })
            .collect()
    }

    /// Position of each skinned vertex at a time, ordered by mesh node and primitive.
    pub fn vertices(&self, clip: usize, time: f64) -> Vec<Vec<DVec3>> {
        let globals = self.globals(clip, time);
        let mut out = Vec::new();
        for node in self.file.nodes().filter(|node| node.skin().is_some()) {
            let skin = node.skin().unwrap();
            let binds = skin.reader(|_| Some(self.blob())).read_inverse_bind_matrices().unwrap();
            assert_eq!(binds.len(), skin.joints().len());
            let joints: Vec<DMat4> = skin
                .joints()
                .zip(binds)
                .map(|(joint, bind)| globals[joint.index()] * Mat4::from_cols_array_2d(&bind).as_dmat4())
                .collect();
            assert!(joints.len() <= 256);
            for primitive in node.mesh().unwrap().primitives() {
                let reader = primitive.reader(|_| Some(self.blob()));
                let weights: Vec<[f32; 4]> = reader.read_weights(0).unwrap().into_f32().collect();
                let bones: Vec<[u16; 4]> = reader.read_joints(0).unwrap().into_u16().collect();
                let positions = reader.read_positions().unwrap();
                assert_eq!((weights.len(), bones.len()), (positions.len(), positions.len()));
                let moved = positions.zip(bones.iter().zip(&weights)).map(|(p, (bones, weights))| {
                    let sum: f32 = weights.iter().sum();
                    assert!((sum - 1.0).abs() < 1e-6);
                    let p = DVec3::from(p.map(f64::from));
                    let each = bones.iter().zip(weights);
                    each.map(|(&j, &w)| joints[usize::from(j)].transform_point3(p) * f64::from(w)).sum::<DVec3>()
                });
                out.push(moved.collect());
            }
        }
        out
    }
}
