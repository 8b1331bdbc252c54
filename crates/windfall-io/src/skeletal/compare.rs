//! Comparison of the skin on bones with the skin on bodies.

use glam::Vec3;
use windfall_core::{Plant, Pose};
use windfall_skin::bones::{Bones, Off, Rigid};
use windfall_skin::{Binding, Motion, Skin};

use super::report::{ErrorReport, height};

/// Distances between the two in the compared frames.
#[derive(Default)]
pub(crate) struct Compare {
    /// Wood; leaves and fruit.
    off: [Off; 2],
    frames: usize,
    full: Motion,
    by_bones: Motion,
    lists: [Vec<Vec3>; 2],
    normals: Vec<Vec3>,
}

impl Compare {
    /// Compares a frame. `placed` are displacements of bones as reconstructed from the file.
    pub fn see(&mut self, skin: &Skin, bones: &Bones, rest: &Pose, pose: &Pose, placed: &[Rigid], leans: &[Rigid]) {
        self.full.update(rest, pose);
        self.by_bones.update_by_bones(bones, placed, leans);
        for part in skin.trees.iter().flat_map(|tree| &tree.parts) {
            let [full, by_bones] = &mut self.lists;
            self.full.deform(&part.mesh, full, &mut self.normals);
            self.by_bones.deform(&part.mesh, by_bones, &mut self.normals);
            let kind = usize::from(matches!(part.mesh.binding, Binding::Rigid(_)));
            self.off[kind].see(full, by_bones);
        }
        self.frames += 1;
    }

    /// The result.
    pub fn report(&self, plant: &Plant) -> ErrorReport {
        let height = height(plant);
        let mut all = Off::default();
        self.off.iter().for_each(|off| all.join(off));
        let [wood, foliage] = self.off;
        ErrorReport {
            frames: self.frames,
            largest_m: all.largest,
            mean_m: all.mean(),
            largest_of_height: all.largest / height,
            mean_of_height: all.mean() / height,
            wood_largest_m: wood.largest,
            wood_mean_m: wood.mean(),
            foliage_largest_m: foliage.largest,
            foliage_mean_m: foliage.mean(),
        }
    }
}
