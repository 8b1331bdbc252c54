//! `windfall inspect`.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use windfall::core::{Body, BodyId, JointStrength, Plant, Summary};

use crate::{progress, report};

/// Measure a plant file.
#[derive(Args)]
#[command(after_help = "\
Examples:
  windfall inspect tree.wfp                     counts, height, DBH, mass, crown, leaf area
  windfall inspect tree.wfp --json              the same for programs
  windfall inspect tree.wfp --bodies            one line per body
  windfall inspect tree.wfp --bodies --json     every body with mass, inertia, stiffness, strength

Body records are in SI units. center_of_mass_m (from the joint) and inertia_kg_m2 (about the centre
of mass) are in the body's own axes; joint_position_m is in the world; rest_orientation_xyzw turns
body axes to world axes; stiffness and damping are about the body's own x, y and z. Wood runs along
its +y, leaves have x along their width and z along their normal.")]
pub struct Inspect {
    /// A .wfp or .json plant
    file: PathBuf,
    /// One record per body
    #[arg(long)]
    bodies: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub fn run(self) -> anyhow::Result<()> {
        let plant = progress::during("loading", || windfall::io::load(&self.file))?;
        let summary = progress::during("measuring", || Summary::of(&plant));
        let mut out = BufWriter::new(std::io::stdout().lock());
        match (self.bodies, self.json) {
            (false, false) => report::summary(&mut out, &summary)?,
            (false, true) => report::json(&mut out, &summary)?,
            (true, false) => table(&mut out, &plant)?,
            (true, true) => records(&mut out, &plant, &summary)?,
        }
        out.flush()?;
        Ok(())
    }
}

/// One body as `--bodies --json` prints it.
#[derive(Serialize)]
struct Record {
    id: u32,
    kind: &'static str,
    parent: Option<u32>,
    tree: usize,
    branch: usize,
    order: u16,
    mass_kg: f64,
    center_of_mass_m: [f64; 3],
    inertia_kg_m2: [[f64; 3]; 3],
    joint_position_m: [f64; 3],
    rest_orientation_xyzw: [f64; 4],
    stiffness_nm_per_rad: [f64; 3],
    damping_nms_per_rad: [f64; 3],
    #[serde(flatten)]
    strength: Strength,
    drag_area_m2: f64,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Strength {
    Wood { bending_strength_nm: f64, twist_strength_nm: f64, tension_strength_n: f64 },
    Detach { detachment_torque_nm: [f64; 3], detachment_force_n: f64 },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Shape {
    Wood { length_m: f32, base_radius_m: f32, tip_radius_m: f32 },
    Leaf { blade_length_m: f32, blade_width_m: f32, petiole_length_m: f32, petiole_radius_m: f32 },
    Fruit { radius_m: f32, stalk_length_m: f32, stalk_radius_m: f32 },
}

fn record(plant: &Plant, id: BodyId) -> Record {
    let mass = plant.mass_properties(id);
    let joint = plant.joint_properties(id);
    let branch = plant.branch_index(id);
    let i = mass.inertia;
    Record {
        id: id.0,
        kind: plant.kind_name(id),
        parent: plant.parent(id).map(|p| p.0),
        tree: plant.tree_index(id),
        branch,
        order: plant.branches()[branch].order,
        mass_kg: mass.mass,
        center_of_mass_m: mass.center_of_mass.to_array(),
        inertia_kg_m2: [[i.x, 0.0, 0.0], [0.0, i.y, 0.0], [0.0, 0.0, i.z]],
        joint_position_m: plant.rest_position(id).to_array(),
        rest_orientation_xyzw: plant.rest_orientation(id).to_array(),
        stiffness_nm_per_rad: joint.stiffness.to_array(),
        damping_nms_per_rad: joint.damping.to_array(),
        strength: match joint.strength {
            JointStrength::Wood { bending, twist, tension } => {
                Strength::Wood { bending_strength_nm: bending, twist_strength_nm: twist, tension_strength_n: tension }
            }
            JointStrength::Detach { torque, tension } => {
                Strength::Detach { detachment_torque_nm: torque.to_array(), detachment_force_n: tension }
            }
        },
        drag_area_m2: plant.drag_area(id),
        shape: match plant.body(id).expect("ids of the plant itself") {
            Body::Wood(s) => {
                Shape::Wood { length_m: s.length, base_radius_m: s.base_radius, tip_radius_m: s.tip_radius }
            }
            Body::Leaf(l) => Shape::Leaf {
                blade_length_m: l.length,
                // The proxy triangle has the blade's area; the blade itself fills part of length times width.
                blade_width_m: l.width / (2.0 * plant.leaf_material(l).fill as f32),
                petiole_length_m: l.petiole_length,
                petiole_radius_m: l.petiole_radius,
            },
            Body::Fruit(f) => {
                Shape::Fruit { radius_m: f.radius, stalk_length_m: f.stalk_length, stalk_radius_m: f.stalk_radius }
            }
        },
    }
}

/// The summary and the bodies, one body per line, so that other tools can stream it.
fn records(out: &mut impl Write, plant: &Plant, summary: &Summary) -> anyhow::Result<()> {
    write!(out, "{{\"summary\":")?;
    serde_json::to_writer(&mut *out, summary)?;
    write!(out, ",\n\"bodies\":[")?;
    let bar = progress::bar("writing bodies", plant.body_count());
    for (i, id) in plant.body_ids().enumerate() {
        bar.inc(1);
        out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &record(plant, id))?;
    }
    bar.finish_and_clear();
    writeln!(out, "\n]}}")?;
    Ok(())
}

fn table(out: &mut impl Write, plant: &Plant) -> std::io::Result<()> {
    writeln!(
        out,
        "{:>9} {:<8} {:>9} {:>8} {:>5} {:>11} {:>26} {:>11} {:>11} {:>11}",
        "id", "kind", "parent", "branch", "order", "mass kg", "joint m", "bend Nm/rad", "twist", "strength Nm"
    )?;
    let bar = progress::bar("writing bodies", plant.body_count());
    for id in plant.body_ids() {
        bar.inc(1);
        let r = record(plant, id);
        let parent = r.parent.map_or_else(|| "-".to_owned(), |p| p.to_string());
        let [x, y, z] = r.joint_position_m;
        let strength = match r.strength {
            Strength::Wood { bending_strength_nm, .. } => bending_strength_nm,
            Strength::Detach { detachment_torque_nm: [about_x, ..], .. } => about_x,
        };
        let [bend, twist, _] = r.stiffness_nm_per_rad;
        writeln!(
            out,
            "{:>9} {:<8} {parent:>9} {:>8} {:>5} {:>11.4e} {:>26} {bend:>11.4e} {twist:>11.4e} {strength:>11.4e}",
            r.id,
            r.kind,
            r.branch,
            r.order,
            r.mass_kg,
            format!("{x:.3} {y:.3} {z:.3}")
        )?;
    }
    bar.finish_and_clear();
    Ok(())
}
