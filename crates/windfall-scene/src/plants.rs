//! The plants of a scene: grown or read, placed, and combined into one.

use std::path::Path;
use std::sync::Arc;

use windfall_core::build::{Attachment, Node};
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, Plant, PlantBuilder, WoodMaterial};
use windfall_grow::{GrowOptions, PRESETS, Species};

use crate::error::Problems;
use crate::file::SceneFile;
use crate::schema::{BodyKind, PlantEntry, Rod};

/// One plant of a scene, and the place of its bodies in the combined plant.
#[derive(Debug, Clone)]
pub struct Member {
    /// The plant at its place in the scene.
    pub plant: Arc<Plant>,
    /// Indices of its first segment, leaf and fruit in the combined plant.
    firsts: [usize; 3],
    /// Index of its first tree in the combined plant.
    first_tree: usize,
}

/// All plants of a scene.
#[derive(Debug, Clone)]
pub struct Plants {
    /// The plants in the order of the file.
    pub members: Vec<Member>,
    /// The combined plant, which is simulated.
    pub whole: Arc<Plant>,
}

impl Member {
    /// Indices of its trees in the combined plant.
    pub fn trees(&self) -> std::ops::Range<usize> {
        self.first_tree..self.first_tree + self.plant.trees().len()
    }

    /// Its segments, leaves and fruit as ranges of ids of the combined plant.
    pub fn ranges(&self, whole: &Plant) -> [std::ops::Range<usize>; 3] {
        let counts = [self.plant.segments().len(), self.plant.leaves().len(), self.plant.fruit().len()];
        let before = [0, whole.segments().len(), whole.segments().len() + whole.leaves().len()];
        std::array::from_fn(|kind| {
            let first = before[kind] + self.firsts[kind];
            first..first + counts[kind]
        })
    }

    /// The id of one of its bodies in the combined plant; none if it has no such body.
    pub fn id(&self, whole: &Plant, own: u32) -> Option<BodyId> {
        let mut index = own as usize;
        for range in self.ranges(whole) {
            if index < range.len() {
                return Some(BodyId((range.start + index) as u32));
            }
            index -= range.len();
        }
        None
    }

    /// The bodies of one kind as a range of ids of the combined plant.
    pub fn kind(&self, whole: &Plant, kind: BodyKind) -> std::ops::Range<usize> {
        let [wood, leaves, fruit] = self.ranges(whole);
        match kind {
            BodyKind::Wood => wood,
            BodyKind::Leaf => leaves,
            BodyKind::Fruit => fruit,
        }
    }
}

impl Plants {
    /// Grows and reads all plants.
    pub(crate) fn new(file: &SceneFile, problems: &mut Problems<'_>) -> Option<Self> {
        let folder = file.source.folder();
        let mut plants = Vec::new();
        for (i, entry) in file.scene.plants.iter().enumerate() {
            let key = format!("plants[{i}]");
            let (kind, made) = match (&entry.species, &entry.file, &entry.rod) {
                (Some(species), ..) => ("species", grown(species, entry, folder)),
                (_, Some(name), _) => ("file", read(&folder.join(name))),
                (.., Some(rod)) => ("rod", straight(rod)),
                _ => continue,
            };
            if let Some(plant) = problems.check(format_args!("{key}.{kind}"), made) {
                plants.push(placed(plant, entry));
            }
        }
        if !problems.is_empty() {
            return None;
        }
        let (mut members, mut firsts, mut first_tree) = (Vec::new(), [0; 3], 0);
        for plant in plants {
            let plant = Arc::new(plant);
            let counts = [plant.segments().len(), plant.leaves().len(), plant.fruit().len()];
            let trees = plant.trees().len();
            members.push(Member { plant, firsts, first_tree });
            firsts = std::array::from_fn(|kind| firsts[kind] + counts[kind]);
            first_tree += trees;
        }
        let whole = if let [only] = &members[..] {
            only.plant.clone()
        } else {
            let all: Vec<(&Plant, DVec3)> = members.iter().map(|m| (&*m.plant, DVec3::ZERO)).collect();
            Arc::new(problems.check("plants", Plant::together(&file.scene.name, &all))?)
        };
        Some(Self { members, whole })
    }
}

/// The species of a name, of a preset or of a file in `folder`; a preset also has a number of bodies.
///
/// # Panics
/// Never: presets use species that come with the program.
pub fn find_species(name: &str, folder: &Path) -> Result<(Species, Option<usize>), String> {
    if Path::new(name).extension().is_some_and(|e| e == "toml") {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        return Ok((Species::from_toml(&text).map_err(|e| format!("{}: {e}", path.display()))?, None));
    }
    if let Some(preset) = PRESETS.iter().find(|preset| preset.name == name) {
        let species = Species::named(preset.species).expect("presets name built-in species");
        return Ok((species, Some(preset.bodies)));
    }
    if let Some(species) = Species::named(name) {
        return Ok((species, None));
    }
    let known: Vec<String> = Species::all().into_iter().map(|s| s.name).collect();
    Err(format!(
        "no species called `{name}`; there are {}, the trees of the papers that `windfall species` lists, and files \
         ending in .toml",
        known.join(", ")
    ))
}

fn grown(name: &str, entry: &PlantEntry, folder: &Path) -> Result<Plant, String> {
    let (species, bodies) = find_species(name, folder)?;
    let options = GrowOptions { bodies: entry.bodies.or(bodies), seed: entry.seed };
    windfall_grow::grow(&species, &options).map_err(|e| e.to_string())
}

fn read(path: &Path) -> Result<Plant, String> {
    windfall_io::load(path).map_err(|e| e.to_string())
}

fn straight(rod: &Rod) -> Result<Plant, String> {
    let mut plant = PlantBuilder::new("rod");
    let wood = plant.wood_material(WoodMaterial {
        name: "rod".into(),
        source: "a scene".into(),
        density: rod.density,
        youngs_modulus: rod.youngs_modulus,
        // Ratio of wood along the grain: E over G is 10 to 20 (Wood Handbook, table 5-1).
        shear_modulus: rod.youngs_modulus / 14.0,
        damping: rod.damping,
        modulus_of_rupture: 1e8,
        shear_strength: 1e7,
    });
    let tree = plant.tree("rod", DVec3::ZERO);
    let tip = rod.tip_radius.unwrap_or(rod.radius);
    let along = rod.direction.normalize();
    let nodes: Vec<Node> = (0..=rod.segments)
        .map(|i| {
            let share = f64::from(i) / f64::from(rod.segments);
            let radius = rod.radius + (tip - rod.radius) * share;
            Node { position: along * (rod.length * share), radius_before: radius, radius_after: radius }
        })
        .collect();
    plant.branch_of_nodes(Attachment::Root(tree), wood, &nodes).map_err(|e| e.to_string())?;
    plant.finish().map_err(|e| e.to_string())
}

/// A plant turned about its origin and moved to its place.
fn placed(plant: Plant, entry: &PlantEntry) -> Plant {
    if entry.at == DVec3::ZERO && entry.turn_degrees == 0.0 {
        return plant;
    }
    let turn = DQuat::from_rotation_y(entry.turn_degrees.to_radians());
    let single = turn.as_quat();
    let mut parts = plant.into_parts();
    for tree in &mut parts.trees {
        tree.origin = turn * tree.origin + entry.at;
    }
    if entry.turn_degrees != 0.0 {
        for segment in &mut parts.segments {
            segment.position = single * segment.position;
            segment.orientation = (single * segment.orientation).normalize();
        }
        for leaf in &mut parts.leaves {
            leaf.position = single * leaf.position;
            leaf.orientation = (single * leaf.orientation).normalize();
        }
        for fruit in &mut parts.fruit {
            fruit.position = single * fruit.position;
            fruit.orientation = (single * fruit.orientation).normalize();
        }
    }
    Plant::new(parts).expect("a plant that is turned and moved within limits breaks no rule")
}
