//! Writes an artificial motion of a plant: every joint bends to and fro, leaves more and each in its own
//! time. No physics; it is test input for programs that show motions.
//!
//! ```text
//! cargo run --release --example sway -- PLANT MOTION.wfm [SECONDS] [FRAMES PER SECOND]
//! ```

use std::f32::consts::TAU;
use std::path::Path;

use windfall::core::glam::{Quat, Vec3};
use windfall::core::{Body, Plant, Pose};
use windfall::io::{MotionWriter, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [plant, motion, rest @ ..] = args.as_slice() else {
        return Err("give a plant file and the name of a .wfm file".into());
    };
    let number = |i: usize, otherwise: f64| rest.get(i).map_or(Ok(otherwise), |n| n.parse::<f64>());
    let (seconds, rate) = (number(0, 4.0)?, number(1, 30.0)?);
    let plant = load(Path::new(plant))?;
    let still = Pose::rest(&plant);
    let mut pose = still.clone();
    let mut writer = MotionWriter::create(Path::new(motion), &plant, rate)?;
    for frame in 0..=(seconds * rate).round() as u32 {
        let time = f64::from(frame) / rate;
        bend(&plant, &still, time as f32, &mut pose);
        writer.frame(time, &pose)?;
    }
    writer.finish()?;
    Ok(())
}

/// Turns every body about the z axis of its joint, together with its subtree. Parents come before
/// children.
fn bend(plant: &Plant, still: &Pose, time: f32, pose: &mut Pose) {
    for id in plant.body_ids() {
        let i = id.0 as usize;
        let angle = match plant.body(id) {
            // A joint bends in proportion to its length over its thickness, as slender wood does.
            Some(Body::Wood(s)) => 0.002 * (s.length / s.base_radius) * (0.5 + (TAU * 0.5 * time).sin()),
            _ => 0.5 * (TAU * 1.5 * time + 2.4 * i as f32).sin(),
        };
        let turn = Quat::from_rotation_z(angle.clamp(-0.5, 0.5));
        let Some(parent) = plant.parent(id) else {
            pose.positions[i] = still.positions[i];
            pose.orientations[i] = still.orientations[i] * turn;
            continue;
        };
        let p = parent.0 as usize;
        let carried = pose.orientations[p] * still.orientations[p].conjugate();
        let arm: Vec3 = still.positions[i] - still.positions[p];
        pose.positions[i] = pose.positions[p] + carried * arm;
        pose.orientations[i] = (carried * still.orientations[i] * turn).normalize();
    }
}
