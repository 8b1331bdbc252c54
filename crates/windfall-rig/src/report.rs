//! Statistics of a rig and of its clips.

use std::ops::RangeInclusive;

use glam::DVec3;
use serde::Serialize;
use windfall_core::{BodyId, Summary};

use crate::rig::RigOptions;
use crate::surface::Surface;
use crate::twigs::{TWIG_WEIGHT, TWIGS};
use crate::wood::{Skeleton, Wood};

/// A rig as wood.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RigReport {
    /// Height in units of the file, along the up axis used.
    pub height_units: f64,
    /// Metres per unit.
    pub metres_per_unit: f64,
    /// Height of the simulated tree, m.
    pub height_m: f64,
    /// Joints of all skins.
    pub joints: usize,
    /// Number of these that are wood and move.
    pub bones: usize,
    /// Number of these without a parent in the file, attached to the wood that contains their head.
    pub joined_bones: usize,
    /// Number of trees: bones without a parent.
    pub trees: usize,
    /// Number of branches: chains of bones.
    pub branches: usize,
    /// Number of these with a guessed radius, because they have no bark.
    pub guessed_branches: usize,
    /// Name of the wood material.
    pub wood: String,
    /// Mass of the wood, kg.
    pub wood_mass_kg: f64,
    /// Part of this in twigs without bones, kg.
    pub twig_mass_kg: f64,
    /// Mass of fruit (spheres in the meshes), kg.
    pub fruit_mass_kg: f64,
    /// Mass of the leaves, kg.
    pub leaf_mass_kg: f64,
    /// One-sided area of the leaves in the meshes, m².
    pub leaf_area_found_m2: f64,
    /// One-sided leaf area used, m².
    pub leaf_area_m2: f64,
    /// Loose parts of the meshes classified as leaves.
    pub leaf_parts: usize,
    /// Loose parts of the meshes classified as wood.
    pub wood_parts: usize,
    /// Duplicate meshes of the tree (levels of detail): they are animated, but count neither as wood nor
    /// as leaves.
    pub meshes_again: usize,
    /// Diameter of the first trunk at its base, m.
    pub base_diameter_m: f64,
    /// Thinnest wood, diameter, m.
    pub thinnest_diameter_m: f64,
    /// Possible problems, with remedies.
    pub warnings: Vec<String>,
}

impl RigReport {
    pub(crate) fn new(skeleton: &Skeleton<'_>, wood: &Wood) -> Self {
        let plant = &wood.plant;
        let summary = Summary::of(plant);
        let leaves = plant.leaves().iter().filter(|leaf| leaf.material != TWIGS);
        let leaf_area = leaves.map(windfall_core::Leaf::area).fold(0.0, |sum, area| sum + area);
        let weights = (plant.segments().len() + plant.leaves().len()) as u32;
        let twigs = (weights..).zip(plant.fruit()).filter(|(_, fruit)| fruit.material == TWIG_WEIGHT);
        let twig_mass = twigs.map(|(id, _)| plant.mass_properties(BodyId(id)).mass).fold(0.0, |sum, mass| sum + mass);
        let thinnest = plant.segments().iter().map(|s| s.tip_radius).fold(f32::INFINITY, f32::min);
        Self {
            height_units: skeleton.height,
            metres_per_unit: skeleton.scale,
            height_m: skeleton.height * skeleton.scale,
            joints: skeleton.joints.len(),
            bones: plant.segments().len(),
            joined_bones: wood.joined.len(),
            trees: plant.trees().len(),
            branches: plant.branches().len(),
            guessed_branches: wood.guessed,
            // Branches have variants of it.
            wood: plant.parts().wood_materials[0].name.to_string(),
            wood_mass_kg: summary.wood_mass_kg + twig_mass,
            twig_mass_kg: twig_mass,
            fruit_mass_kg: summary.fruit_mass_kg - twig_mass,
            leaf_mass_kg: summary.leaf_mass_kg,
            leaf_area_found_m2: wood.leaf_area,
            leaf_area_m2: leaf_area,
            leaf_parts: skeleton.surface.leaf_parts,
            wood_parts: skeleton.surface.wood_parts,
            meshes_again: skeleton.surface.again,
            base_diameter_m: 2.0 * f64::from(plant.segments()[0].base_radius),
            thinnest_diameter_m: 2.0 * f64::from(thinnest),
            warnings: if wood.unjoined {
                let many = plant.trees().len();
                vec![format!(
                    "{many} bones have no parent: too many to look for the wood that they begin in, so each is a tree of its own"
                )]
            } else {
                Vec::new()
            },
        }
    }

    /// Adds warnings. `lies` is the file axis along which the tree lies, if it does.
    pub(crate) fn warn(
        &mut self,
        surface: &Surface,
        options: &RigOptions,
        lies: Option<DVec3>,
        usual: RangeInclusive<f64>,
    ) {
        let height = self.height_m;
        let mut say = |text: String| self.warnings.push(text);
        if let Some(way) = lies {
            let axis = if way.x.abs() > 0.5 {
                "x"
            } else if way.y.abs() > 0.5 {
                "y"
            } else {
                "z"
            };
            let minus = if way.x + way.y + way.z < 0.0 { "-" } else { "" };
            let what =
                if minus.is_empty() { format!("if that is up, use --up {axis}") } else { "is it upside down?".into() };
            say(format!("the tree grows along {minus}{axis}, not upward: {what}"));
        }
        if !usual.contains(&height) {
            let unit = if height > 120.0 { "; if the file is in centimetres, --scale 0.01" } else { "" };
            say(format!(
                "the tree is {height:.3} m tall: it will sway as a tree of that size. --height 12 makes it 12 m for the simulation{unit}; \
                 the file keeps its size"
            ));
        }
        let slender = self.base_diameter_m / height;
        if !(0.002..=0.3).contains(&slender) {
            say(format!(
                "the trunk is {:.1} cm thick at its foot and the tree {height:.2} m tall: are leaves taken for wood, or the other way round? \
                 --leaf-materials NAME,... says which materials are leaves",
                100.0 * self.base_diameter_m
            ));
        }
        if self.guessed_branches > 0 {
            let (guessed, branches) = (self.guessed_branches, self.branches);
            say(format!("{guessed} of {branches} branches have no bark on their bones: their thickness is a guess"));
        }
        if options.leaf_area.is_some_and(|area| area > 0.0) && self.leaf_area_found_m2 == 0.0 {
            say("no leaves were found, so none have the leaf area that you give".into());
        }
        if surface.again > 0 {
            say(format!(
                "{} of the meshes are the same tree once more (levels of detail, or the same mesh on the same skin): they move too, and count neither as wood nor as leaves",
                surface.again
            ));
        }
        if !surface.still.is_empty() {
            let names = surface.still.iter().take(5).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            say(format!(
                "foliage without a skin that hangs on no bone stands still while the tree moves: {names}. Parent it to bones, or give it weights"
            ));
        }
    }
}

/// A clip that was added.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AddedClip {
    /// Its name in the file.
    pub name: String,
    /// Duration, s.
    pub seconds: f64,
    /// Frames of the motion.
    pub frames: usize,
    /// Number of keys if every bone had one in each frame.
    pub keys_before: u64,
    /// Number of keys in the file.
    pub keys_after: u64,
    /// Largest position error of any bone end relative to the simulation, m of the simulated tree.
    pub largest_error_m: f64,
    /// Largest rotation of any bone from the pose of the file, degrees.
    pub largest_turn_deg: f64,
    /// Largest displacement of any bone end from the pose of the file, m of the simulated tree.
    pub largest_motion_m: f64,
    /// Reference positions of some joints at some times, to verify players of the file.
    pub moments: Vec<Moment>,
}

/// Joints at one moment of a clip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moment {
    /// Frame of the motion.
    pub frame: usize,
    /// Time, s.
    pub seconds: f64,
    /// Some of the joints.
    pub joints: Vec<PlacedJoint>,
}

/// Position of a joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlacedJoint {
    /// Index of its node.
    pub node: usize,
    /// Its name.
    pub name: String,
    /// In world units of the file, in the axes of the file.
    pub at: [f64; 3],
}
