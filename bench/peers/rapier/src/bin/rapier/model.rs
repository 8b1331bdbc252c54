//! The bodies that `windfall inspect --bodies --json` prints.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde::Deserialize;

/// What a peer needs of one body; the fields are explained by `windfall inspect --help`.
#[derive(Deserialize)]
pub struct Body {
    pub parent: Option<usize>,
    pub mass_kg: f64,
    pub center_of_mass_m: [f64; 3],
    pub inertia_kg_m2: [[f64; 3]; 3],
    pub joint_position_m: [f64; 3],
    pub rest_orientation_xyzw: [f64; 4],
    pub stiffness_nm_per_rad: [f64; 3],
    pub damping_nms_per_rad: [f64; 3],
}

#[derive(Deserialize)]
struct Printed {
    bodies: Vec<Body>,
}

/// Reads the bodies; with `isotropic` every joint is as stiff, and as damped, about y and z as about x.
pub fn read(path: &Path, isotropic: bool, damping: f64) -> anyhow::Result<Vec<Body>> {
    let printed: Printed = serde_json::from_reader(BufReader::new(File::open(path)?))?;
    let mut bodies = printed.bodies;
    for (i, body) in bodies.iter_mut().enumerate() {
        anyhow::ensure!(body.parent.is_none_or(|p| p < i), "body {i} stands before its parent");
        body.damping_nms_per_rad = body.damping_nms_per_rad.map(|c| c * damping);
        if isotropic {
            body.stiffness_nm_per_rad = [body.stiffness_nm_per_rad[0]; 3];
            body.damping_nms_per_rad = [body.damping_nms_per_rad[0]; 3];
        }
    }
    Ok(bodies)
}
