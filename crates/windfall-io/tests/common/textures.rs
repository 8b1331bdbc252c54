//! Textures and meshes with second texture coordinates, read back without code of the writers.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use std::path::Path;

use exr::prelude::*;
use gltf::Gltf;
use windfall_core::glam::{Vec2, Vec3};

/// Pixels, red to alpha, from the top left.
pub struct Texture {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<[f32; 4]>,
}

/// One part of a mesh.
pub struct Primitive {
    pub positions: Vec<Vec3>,
    pub second_uvs: Vec<Vec2>,
    pub has_colors: bool,
}

impl Texture {
    pub fn exr(path: &Path) -> Self {
        let reader = read().no_deep_data().largest_resolution_level().rgba_channels(
            |size, _| (size.width(), vec![[0.0_f32; 4]; size.area()]),
            |(width, pixels), at, (r, g, b, a): (f32, f32, f32, f32)| pixels[at.y() * *width + at.x()] = [r, g, b, a],
        );
        let image = reader.first_valid_layer().all_attributes().from_file(path).unwrap();
        let (width, pixels) = image.layer_data.channel_data.pixels;
        Self { width, height: pixels.len() / width, pixels }
    }

    pub fn png(path: &Path) -> Self {
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let numbers: Vec<f32> = match info.bit_depth {
            png::BitDepth::Sixteen => {
                bytes.chunks_exact(2).map(|b| f32::from(u16::from_be_bytes([b[0], b[1]])) / 65535.0).collect()
            }
            _ => bytes.iter().map(|&b| f32::from(b) / 255.0).collect(),
        };
        let channels = info.color_type.samples();
        let alpha = |p: &[f32]| p.get(3).copied().unwrap_or(1.0);
        let pixels = numbers.chunks_exact(channels).map(|p| [p[0], p[1], p[2], alpha(p)]).collect();
        Self { width: info.width as usize, height: info.height as usize, pixels }
    }

    pub fn of(path: &Path) -> Self {
        if path.extension().unwrap() == "exr" { Self::exr(path) } else { Self::png(path) }
    }

    /// Nearest-neighbour sampling.
    pub fn nearest(&self, uv: Vec2) -> [f32; 4] {
        assert!(uv.min_element() >= 0.0 && uv.max_element() < 1.0, "{uv}");
        let (x, y) = ((uv.x * self.width as f32) as usize, (uv.y * self.height as f32) as usize);
        self.pixels[y * self.width + x]
    }

    /// Linear interpolation between rows.
    pub fn between_rows(&self, uv: Vec2) -> [f32; 4] {
        let y = uv.y * self.height as f32 - 0.5;
        let at = |row: f32| self.nearest(Vec2::new(uv.x, (row + 0.5) / self.height as f32));
        let (above, below, share) = (at(y.floor()), at(y.floor() + 1.0), y.fract());
        std::array::from_fn(|c| above[c] + (below[c] - above[c]) * share)
    }
}

/// The meshes of all nodes, in order, each relative to its node.
pub fn primitives(path: &Path) -> Vec<Primitive> {
    let file = Gltf::open(path).unwrap();
    let blob = file.blob.as_deref().unwrap_or_default();
    let meshes = file.nodes().filter_map(|node| node.mesh());
    meshes
        .flat_map(|mesh| mesh.primitives().collect::<Vec<_>>())
        .map(|primitive| {
            let reader = primitive.reader(|_| Some(blob));
            Primitive {
                positions: reader.read_positions().unwrap().map(Vec3::from).collect(),
                second_uvs: reader.read_tex_coords(1).unwrap().into_f32().map(Vec2::from).collect(),
                has_colors: reader.read_colors(0).is_some(),
            }
        })
        .collect()
}
