//! Conversion of bones to a plant: chains of bones become branches, each bone a segment; leaves are loads
//! on them.

use std::collections::{HashMap, VecDeque};

use glam::DVec3;
use windfall_core::build::{frame_along, transported};
use windfall_core::{Branch, Plant, PlantParts, Segment, Tree, WoodMaterial};

use crate::bones::{Bone, Joint};
use crate::error::RigError;
use crate::gaps::Looked;
use crate::radii::{Fit, Point, along, fit, kept, straight};
use crate::rig::RigOptions;
use crate::sections::{BESIDE, measure};
use crate::shells::Bark;
use crate::springs::{self, Gap, Profile};
use crate::surface::{Leaves, Surface};
use crate::twigs;

/// Minimum radius of wood, m.
const THINNEST: f64 = 5e-4;
/// Minimum radius of a bone, relative to its length.
const SLENDEREST: f64 = 1e-3;
/// Maximum ratio of length to radius of branches without bark.
const GUESS: f64 = 60.0;
/// Minimum section of unmeasured wood, relative to the total section of the wood that grows on it.
const PIPES: f64 = 0.5;
/// Material index of bones without bark in a mesh with bark: practically weightless.
const NO_BARK: u16 = 1;
/// Density of practically weightless wood, kg/m³: the minimum allowed in a plant.
const LIGHTEST: f64 = 1.0;
/// Maximum distance from a bone without a parent to the wood it is attached to: in radii of that wood, and
/// relative to the height.
const NEAR: (f64, f64) = (2.0, 0.02);
/// Maximum number of comparisons of bones without a parent with others.
const MOST_COMPARED: usize = 200_000_000;

/// Result of the conversion.
pub(crate) struct Wood {
    pub plant: Plant,
    /// Segment of each wooden joint.
    pub segments: Vec<Option<u32>>,
    /// Bones without a parent in the file that were attached to others.
    pub joined: Vec<usize>,
    /// Whether there were too many of them to process.
    pub unjoined: bool,
    /// Number of branches with a guessed radius.
    pub guessed: usize,
    /// Leaf area found in the meshes, m².
    pub leaf_area: f64,
}

/// Bones and their scale.
pub(crate) struct Skeleton<'a> {
    pub joints: &'a [Joint],
    pub bones: Vec<Option<Bone>>,
    /// For each joint its own or its carrying bone.
    pub carriers: Vec<Option<usize>>,
    pub surface: &'a Surface,
    /// Metres per unit of the file.
    pub scale: f64,
    /// In units of the file.
    pub height: f64,
}

impl Skeleton<'_> {
    pub fn wood(&mut self, options: &RigOptions) -> Result<Wood, RigError> {
        let axis = |j: usize| self.bones[j].map(|bone| (self.joints[j].at, bone.tail));
        let cuts: Vec<Vec<Point>> = (0..self.joints.len())
            .map(|j| {
                let cuts = axis(j).map(|(head, tail)| measure(&self.surface.wood.near(j), head, tail, BESIDE));
                cuts.unwrap_or_default()
            })
            .collect();
        let measured: Vec<Option<Fit>> = cuts.iter().map(|cuts| straight(&kept(cuts.clone()))).collect();
        let fits: Vec<Option<Fit>> = (0..self.joints.len())
            .map(|j| measured[j].or_else(|| axis(j).and_then(|(head, tail)| fit(&self.surface.bark[j], head, tail))))
            .collect();
        let joined = self.join(&fits);
        let unjoined = joined.is_none();
        let joined = joined.unwrap_or_default();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.joints.len()];
        let mut roots = Vec::new();
        for (j, bone) in self.bones.iter().enumerate() {
            match bone {
                Some(Bone { parent: Some(p), .. }) => children[*p].push(j),
                Some(_) => roots.push(j),
                None => {}
            }
        }
        let low = roots.iter().map(|&r| self.joints[r].at.y).fold(f64::INFINITY, f64::min);
        let foot = roots.first().map_or(DVec3::ZERO, |&r| self.joints[r].at.with_y(low));
        let mut parts = PlantParts {
            name: options.name.clone(),
            provenance: format!("bones of {}", options.name),
            wood_materials: vec![options.wood.clone(), no_bark(&options.wood)],
            leaf_materials: vec![options.leaf.clone(), twigs::sheet_material(&options.leaf)],
            fruit_materials: vec![twigs::weight_material("twigs"), twigs::weight_material("fruit")],
            ..PlantParts::default()
        };
        let mut segments: Vec<Option<u32>> = vec![None; self.joints.len()];
        let mut guessed = 0;
        let mut profiles: Vec<Profile> = Vec::new();
        let mut gaps: Vec<Option<Gap>> = Vec::new();
        let mut looked = Looked::default();
        let has_bark = self.surface.shells.iter().any(|bark| bark.solid.volume > 0.0);
        for &root in &roots {
            let tree = parts.trees.len() as u32;
            let origin = (self.joints[root].at - foot) * self.scale;
            parts.trees.push(Tree { name: self.joints[root].name.clone(), origin });
            let mut queue = VecDeque::from([(root, None::<usize>, 0_u16)]);
            while let Some((first, on, order)) = queue.pop_front() {
                let parent = on.and_then(|on| segments[on]);
                let chain = self.chain(first);
                let is_guess = self.branch(&chain, &fits, &measured, on.zip(parent), root, &mut parts);
                profiles.extend(self.profiles(&chain, &cuts));
                gaps.push(on.and_then(|on| self.gap(first, on, root, &fits, &mut looked)));
                guessed += usize::from(is_guess);
                let begin = parts.segments.len() - chain.len();
                let material = if is_guess && has_bark { NO_BARK } else { 0 };
                parts.branches.push(Branch { parent, tree, segment_count: chain.len() as u32, material, order });
                for (k, &bone) in chain.iter().enumerate() {
                    segments[bone] = Some((begin + k) as u32);
                    let next = chain.get(k + 1).copied();
                    let sides = children[bone].iter().copied().filter(|&c| Some(c) != next);
                    queue.extend(sides.map(|c| (c, Some(bone), order.saturating_add(1))));
                }
            }
        }
        let mut trusted = vec![false; parts.segments.len()];
        for (segment, fit) in segments.iter().zip(&measured) {
            if let (Some(segment), Some(_)) = (segment, fit) {
                trusted[*segment as usize] = true;
            }
        }
        thicken(&mut parts, &trusted);
        let thick: Vec<f32> = parts.segments.iter().map(|segment| segment.base_radius).collect();
        let densities = self.fill(&segments, &roots, &trusted, &mut parts);
        // If there is far less wood than the cross-sections imply, they are those of other wood.
        for ((profile, segment), before) in profiles.iter_mut().zip(&parts.segments).zip(thick) {
            if segment.base_radius < 0.5 * before {
                profile.clear();
            }
        }
        let leaf_area = self.leaves(&segments, &roots, options, &mut parts);
        let plant = Plant::new(parts).map_err(RigError::Plant)?;
        let moduli = springs::factors(&plant, &profiles, &gaps, &densities);
        let mut parts = plant.into_parts();
        own_materials(&mut parts, &moduli, &densities);
        let plant = Plant::new(parts).map_err(RigError::Plant)?;
        Ok(Wood { plant, segments, joined, unjoined, guessed, leaf_area })
    }

    /// Chain of bones that continue each other.
    fn chain(&self, first: usize) -> Vec<usize> {
        let mut chain = vec![first];
        let mut at = first;
        while let Some(next) = self.bones[at].and_then(|bone| bone.next) {
            if self.bones[next].is_none_or(|bone| bone.parent != Some(at)) {
                break;
            }
            chain.push(next);
            at = next;
        }
        chain
    }

    /// Adds the segments of a branch; true if its radii are guessed.
    fn branch(
        &self,
        chain: &[usize],
        fits: &[Option<Fit>],
        measured: &[Option<Fit>],
        on: Option<(usize, u32)>,
        root: usize,
        parts: &mut PlantParts,
    ) -> bool {
        let origin = self.joints[root].at;
        let ends: Vec<(DVec3, DVec3)> =
            chain.iter().filter_map(|&j| self.bones[j].map(|bone| (self.joints[j].at, bone.tail))).collect();
        let mut places = vec![0.0];
        for (head, tail) in &ends {
            places.push(places[places.len() - 1] + head.distance(*tail));
        }
        let length = places[places.len() - 1];
        let fits: Vec<Option<Fit>> = chain.iter().map(|&j| fits[j]).collect();
        let known = along(&fits, &places).map(|radii| radii.into_iter().map(|r| r * self.scale).collect::<Vec<_>>());
        // Radius of the parent wood at the attachment.
        let carries = on.map(|(on, segment)| {
            let s = &parts.segments[segment as usize];
            let tail = self.bones[on].map_or(ends[0].0, |bone| bone.tail);
            let share = share_of(ends[0].0, self.joints[on].at, tail);
            f64::from(s.base_radius) + f64::from(s.tip_radius - s.base_radius) * share
        });
        let guessed = known.is_none();
        let radii = known.unwrap_or_else(|| {
            let slender = length * self.scale / GUESS;
            let base = carries.map_or(slender, |r| slender.min(0.6 * r));
            places.iter().map(|place| base * (1.0 - 0.5 * place / length)).collect()
        });
        // A measured branch may leave a thin part of a bone that represents several branches.
        let parent = on.map(|(_, segment)| segment);
        let thickest =
            parent.filter(|_| measured[chain[0]].is_some()).map(|p| f64::from(parts.segments[p as usize].base_radius));
        let most = thickest.or(carries).unwrap_or(f64::INFINITY);
        let mut frame = parent.map(|p| parts.segments[p as usize].orientation.as_dquat());
        for (k, (head, tail)) in ends.iter().enumerate() {
            let way = (*tail - *head) * self.scale;
            let direction = way.normalize();
            let turned =
                frame.map_or_else(|| frame_along(direction, DVec3::X), |before| transported(before, direction));
            frame = Some(turned);
            let least = thinnest(way.length());
            parts.segments.push(Segment {
                position: ((*head - origin) * self.scale).as_vec3(),
                orientation: turned.as_quat(),
                length: way.length() as f32,
                base_radius: radii[k].min(most).max(least) as f32,
                tip_radius: radii[k + 1].min(most).max(least) as f32,
            });
        }
        guessed
    }

    /// Attaches bones without a parent to the wood that contains their head, lowest bones first. `None` if
    /// there are too many to process.
    fn join(&mut self, fits: &[Option<Fit>]) -> Option<Vec<usize>> {
        let mut roots: Vec<usize> =
            (0..self.bones.len()).filter(|&j| self.bones[j].is_some_and(|bone| bone.parent.is_none())).collect();
        if roots.len().saturating_mul(self.bones.len()) > MOST_COMPARED {
            return None;
        }
        roots.sort_by(|&a, &b| self.joints[a].at.y.total_cmp(&self.joints[b].at.y));
        // Root of each bone according to the file. Parents come first.
        let mut root_of: Vec<usize> = (0..self.bones.len()).collect();
        for (j, bone) in self.bones.iter().enumerate() {
            if let Some(p) = bone.and_then(|bone| bone.parent) {
                root_of[j] = root_of[p];
            }
        }
        let mut stands = vec![false; self.bones.len()];
        let mut joined = Vec::new();
        for root in roots {
            let head = self.joints[root].at;
            let mut nearest: Option<(f64, usize)> = None;
            for (b, bone) in self.bones.iter().enumerate().filter(|(b, _)| stands[root_of[*b]]) {
                let Some(bone) = bone else { continue };
                let from = self.joints[b].at;
                let share = share_of(head, from, bone.tail);
                let distance = from.lerp(bone.tail, share).distance(head);
                let radius = fits[b].map_or(0.0, |fit| fit.base + (fit.tip - fit.base) * share);
                let near = distance <= (NEAR.0 * radius).max(NEAR.1 * self.height);
                let above = head.y > self.joints[root_of[b]].at.y + NEAR.1 * self.height;
                if near && above && nearest.is_none_or(|(known, _)| distance < known) {
                    nearest = Some((distance, b));
                }
            }
            stands[root] = true;
            if let (Some((_, on)), Some(bone)) = (nearest, &mut self.bones[root]) {
                bone.parent = Some(on);
                joined.push(root);
            }
        }
        joined.sort_unstable();
        Some(joined)
    }

    /// Gives all wood the mass of its bark and its fruit.
    fn fill(&self, segments: &[Option<u32>], roots: &[usize], trusted: &[bool], parts: &mut PlantParts) -> Vec<f64> {
        let of_segments = |list: &[Bark]| {
            let mut barks = vec![Bark::NONE; parts.segments.len()];
            for (j, bark) in list.iter().enumerate() {
                if let Some(segment) = self.carriers[j].and_then(|bone| segments[bone]) {
                    barks[segment as usize].add(bark);
                }
            }
            barks
        };
        let (mut barks, mut fruit) = (of_segments(&self.surface.shells), of_segments(&self.surface.fruit));
        let mut first = 0;
        let mut densities = Vec::with_capacity(parts.branches.len());
        for b in 0..parts.branches.len() {
            let branch = parts.branches[b];
            let end = first + branch.segment_count as usize;
            let origin = self.joints[roots[branch.tree as usize]].at;
            for bark in barks[first..end].iter_mut().chain(&mut fruit[first..end]) {
                *bark = bark.seen_from(origin, self.scale);
            }
            let least = |segment: &Segment| thinnest(f64::from(segment.length)) as f32;
            densities.push(twigs::fill_branch(parts, first, &barks[first..end], &trusted[first..end], least));
            for (segment, fruit) in (first as u32..).zip(&fruit[first..end]) {
                twigs::hang_fruit(parts, segment, fruit);
            }
            first = end;
        }
        densities
    }

    /// Adds the leaves of all bones: on each up to three orthogonal sheets with the total area and normal
    /// distribution. Returns the leaf area found, m².
    fn leaves(&self, segments: &[Option<u32>], roots: &[usize], options: &RigOptions, parts: &mut PlantParts) -> f64 {
        let mut on: Vec<Leaves> = vec![Leaves::NONE; parts.segments.len()];
        for (j, leaves) in self.surface.leaves.iter().enumerate() {
            if let Some(segment) = self.carriers[j].and_then(|bone| segments[bone]) {
                on[segment as usize].add(leaves);
            }
        }
        let found = on.iter().map(|leaves| leaves.area).sum::<f64>() * self.scale * self.scale;
        let share = options.leaf_area.map_or(1.0, |wanted| if found > 0.0 { wanted / found } else { 0.0 });
        let mut first = 0;
        for b in 0..parts.branches.len() {
            let branch = parts.branches[b];
            let origin = self.joints[roots[branch.tree as usize]].at;
            for segment in first..first + branch.segment_count {
                let Leaves { area, moment, normals } = on[segment as usize];
                if !(area > 0.0 && share > 0.0) {
                    continue;
                }
                let middle = (moment / area - origin) * self.scale;
                twigs::sheets(parts, segment, 0, middle, normals * (self.scale * self.scale * share));
            }
            first += branch.segment_count;
        }
        found
    }
}

/// Thickens unmeasured wood according to what grows on it: by the pipe model the section of wood is the
/// sum of the sections beyond; at least half of that is required. A single bone with a bad estimate would
/// otherwise let everything beyond it droop.
fn thicken(parts: &mut PlantParts, trusted: &[bool]) {
    let mut carried = vec![0.0_f64; parts.segments.len()];
    let mut end = parts.segments.len();
    for branch in parts.branches.iter().rev() {
        let first = end - branch.segment_count as usize;
        for i in (first..end).rev() {
            let segment = &mut parts.segments[i];
            if !trusted[i] {
                segment.tip_radius = segment.tip_radius.max((PIPES * carried[i]).sqrt() as f32);
                segment.base_radius = segment.base_radius.max(segment.tip_radius);
            }
            let on = if i > first { Some(i - 1) } else { branch.parent.map(|p| p as usize) };
            if let Some(on) = on {
                carried[on] += f64::from(segment.base_radius).powi(2);
            }
        }
        end = first;
    }
}

/// Material of bones with leaves only: the stiffness of wood, but practically no mass, because the mesh
/// has no wood there.
fn no_bark(wood: &WoodMaterial) -> WoodMaterial {
    WoodMaterial { name: format!("{}, no bark", wood.name).into(), density: LIGHTEST, ..wood.clone() }
}

/// Branches with a different modulus or density get their own wood material, in steps of 2 %, because
/// there may be many branches.
fn own_materials(parts: &mut PlantParts, moduli: &[f64], densities: &[f64]) {
    const STEP: f64 = 0.02;
    let mut known: HashMap<(u16, i32, i32), u16> = HashMap::new();
    for (branch, (modulus, density)) in parts.branches.iter_mut().zip(moduli.iter().zip(densities)) {
        let [m, d] = [modulus, density].map(|factor| (libm::log(*factor) / STEP).round() as i32);
        let of = branch.material;
        // If there are more branches than material indices, the last branches keep the material of their
        // species.
        let is_full = parts.wood_materials.len() >= usize::from(u16::MAX);
        if (m, d) == (0, 0) || (is_full && !known.contains_key(&(of, m, d))) {
            continue;
        }
        branch.material = *known.entry((of, m, d)).or_insert_with(|| {
            let [m, d] = [m, d].map(|steps| libm::exp(f64::from(steps) * STEP));
            let wood = parts.wood_materials[of as usize].clone();
            parts.wood_materials.push(WoodMaterial {
                name: format!("{}, {m:.2} times as stiff, {d:.2} times as dense", wood.name).into(),
                youngs_modulus: wood.youngs_modulus * m,
                shear_modulus: wood.shear_modulus * m,
                // Practically weightless, but never zero.
                density: (wood.density * d).max(LIGHTEST),
                ..wood
            });
            (parts.wood_materials.len() - 1) as u16
        });
    }
}

/// Minimum radius of a bone of this length, m.
fn thinnest(length: f64) -> f64 {
    THINNEST.max(SLENDEREST * length)
}

/// Coordinate along a bone of the point nearest to `point`, 0 to 1.
pub(crate) fn share_of(point: DVec3, head: DVec3, tail: DVec3) -> f64 {
    let way = tail - head;
    ((point - head).dot(way) / way.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stiffness and density have 231 and 300 possible steps: more combinations than a plant may have
    /// materials.
    #[test]
    fn there_are_no_more_materials_than_a_plant_may_have() {
        let wood = windfall_core::materials::wood("white oak").unwrap();
        let steps: Vec<(f64, f64)> = (0..231)
            .flat_map(|m| (0..300).map(move |d| (m, d)))
            .map(|(m, d)| (0.1 * libm::exp(0.02 * f64::from(m)), libm::exp(-0.02 * f64::from(d))))
            .collect();
        let mut parts = PlantParts { wood_materials: vec![wood.clone(), no_bark(wood)], ..PlantParts::default() };
        parts.trees.push(Tree { name: String::new(), origin: DVec3::ZERO });
        for k in 0..steps.len() as u32 {
            let parent = (k > 0).then_some(0);
            parts.branches.push(Branch { parent, tree: 0, segment_count: 1, material: 0, order: u16::from(k > 0) });
            parts.segments.push(Segment {
                position: glam::Vec3::ZERO,
                orientation: glam::Quat::IDENTITY,
                length: 1.0,
                base_radius: 0.1,
                tip_radius: 0.1,
            });
        }
        let (moduli, densities): (Vec<f64>, Vec<f64>) = steps.into_iter().unzip();
        own_materials(&mut parts, &moduli, &densities);
        assert!(parts.wood_materials.len() > 65_000);
        Plant::new(parts).unwrap();
    }
}
