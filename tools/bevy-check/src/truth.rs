//! What `truth.py` prints; its head explains it.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Truth {
    pub clip: String,
    pub seconds: f64,
    pub nodes: Vec<String>,
    pub meshes: Vec<usize>,
    pub skins: Vec<Skin>,
    pub vertices: Vec<Vertex>,
    pub moments: Vec<Moment>,
}

#[derive(Deserialize)]
pub struct Skin {
    pub node: String,
    pub joints: Vec<usize>,
}

#[derive(Deserialize)]
pub struct Vertex {
    pub node: String,
    pub surface: usize,
    #[serde(rename = "vertex")]
    pub index: usize,
    pub rest: [f32; 3],
    pub uv: [f32; 2],
}

#[derive(Deserialize)]
pub struct Moment {
    pub time: f64,
    pub nodes: Vec<[f32; 12]>,
    pub vertices: Vec<[f32; 3]>,
}

impl Truth {
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
        let truth: Self =
            serde_json::from_str(&text).with_context(|| format!("{} is not what truth.py prints", path.display()))?;
        ensure!(!truth.nodes.is_empty() && !truth.moments.is_empty(), "{} has no nodes or no moments", path.display());
        Ok(truth)
    }
}
