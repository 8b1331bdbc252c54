//! Thrown bodies, creatures and obstacles in a picture.

use windfall_core::glam::{DQuat, DVec3, Quat, Vec3};
use windfall_free::{FreeBody, Name, Shape};
use windfall_preview::{Item, PictureSurface, PreviewError, solids};
use windfall_skin::{Material, Mesh};

use super::creature;
use crate::prepared::PreparedScene;
use crate::run::Frame;
use crate::schema::{Rgb, Solid};

/// A thing with its mesh at rest and its placement.
struct Thing {
    mesh: Mesh,
    surface: PictureSurface,
    /// None before it is thrown.
    placed: Option<(Vec<Vec3>, Vec<Vec3>)>,
}

/// All things of a scene.
pub(super) struct Things {
    obstacles: Vec<Thing>,
    /// Thrown bodies by their names, which are numbers.
    thrown: Vec<Thing>,
    starts: Vec<Vec3>,
    creatures: Vec<Thing>,
    headings: Vec<creature::Heading>,
    /// Places of creatures before the first step.
    seats: Vec<DVec3>,
}

const BALL: Rgb = [0.85, 0.22, 0.12];
const STONE: Rgb = [0.55, 0.53, 0.50];
const FUR: Rgb = [0.52, 0.27, 0.12];
/// Half of the edge of the square that stands for a half-space, m.
const SLOPE: f32 = 60.0;

impl Thing {
    fn new(mesh: Mesh, color: Rgb, roughness: f32) -> Result<Self, PreviewError> {
        let linear = color.map(|c| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) });
        let material = Material { base_color_factor: linear, roughness_factor: roughness, ..Material::default() };
        Ok(Self { mesh, surface: PictureSurface::new(&material)?, placed: None })
    }

    fn put(&mut self, position: DVec3, orientation: DQuat) {
        let (at, turn): (Vec3, Quat) = (position.as_vec3(), orientation.as_quat());
        let (positions, normals) = self.placed.get_or_insert_default();
        positions.clear();
        positions.extend(self.mesh.positions.iter().map(|&p| at + turn * p));
        normals.clear();
        normals.extend(self.mesh.normals.iter().map(|&n| turn * n));
    }

    fn item(&self) -> Option<Item<'_>> {
        let (positions, normals) = self.placed.as_ref()?;
        let (positions, normals) = (Some(&positions[..]), Some(&normals[..]));
        Some(Item { positions, normals, stands: false, ..Item::new(&self.mesh, &self.surface) })
    }
}

fn mesh_of(shape: &Shape) -> Mesh {
    match *shape {
        Shape::Sphere { radius } => solids::sphere(radius as f32, true),
        Shape::Box { half } => solids::cuboid(half.as_vec3()),
        Shape::Capsule { half_length, radius } => solids::capsule(half_length as f32, radius as f32, true),
        Shape::Blade { width, length, .. } => solids::cuboid(Vec3::new(width as f32, length as f32, 1e-3)),
    }
}

impl Things {
    pub fn new(set: &PreparedScene) -> Result<Self, PreviewError> {
        let scene = &set.scene;
        let mut obstacles = Vec::new();
        for entry in &scene.obstacles {
            let turn = DQuat::from_scaled_axis(entry.rotation_degrees * 1f64.to_radians());
            let (mesh, turn) = match entry.shape {
                Solid::Sphere { radius } => (solids::sphere(radius as f32, false), turn),
                Solid::Box { size } => (solids::cuboid(0.5 * size.as_vec3()), turn),
                Solid::Capsule { length, radius } => (solids::capsule(0.5 * length as f32, radius as f32, false), turn),
                Solid::HalfSpace { normal } => {
                    (solids::plane(SLOPE), DQuat::from_rotation_arc(DVec3::Y, normal.normalize()))
                }
            };
            let mut thing = Thing::new(mesh, entry.color.unwrap_or(STONE), 0.9)?;
            thing.put(entry.at, turn);
            obstacles.push(thing);
        }
        let mut all = set.thrown.clone();
        all.sort_by_key(|thrown| thrown.body.name);
        let thrown = all
            .iter()
            .map(|thrown| Thing::new(mesh_of(&thrown.body.shape), thrown.color.unwrap_or(BALL), 0.5))
            .collect::<Result<Vec<_>, _>>()?;
        // Upper and lower corners of the bodies that are there from the beginning.
        let starts = all.iter().filter(|thrown| thrown.time == 0.0).flat_map(|thrown| {
            let reach = DVec3::splat(thrown.body.reach());
            [thrown.body.position - reach, thrown.body.position + reach].map(DVec3::as_vec3)
        });
        let creatures = scene
            .creatures
            .iter()
            .map(|entry| Thing::new(creature::mesh(entry.radius as f32), entry.color.unwrap_or(FUR), 0.95))
            .collect::<Result<Vec<_>, _>>()?;
        let headings = vec![creature::Heading::default(); creatures.len()];
        let seats = set.creature_starts.iter().zip(&set.creatures);
        let seats = seats.map(|(place, c)| place.at_rest(&set.plants.whole) + DVec3::Y * c.radius()).collect();
        Ok(Self { seats, obstacles, thrown, starts: starts.collect(), creatures, headings })
    }

    /// Corners of thrown bodies that are there from the beginning, m.
    pub fn starts(&self) -> &[Vec3] {
        &self.starts
    }

    /// Updates the direction of view of creatures.
    pub fn see(&mut self, frame: &Frame<'_>) {
        for (creature, heading) in frame.creatures.iter().zip(&mut self.headings) {
            heading.see(creature, frame);
        }
    }

    pub fn place(&mut self, frame: &Frame<'_>) {
        for FreeBody { name, orientation, .. } in frame.free.iter() {
            if let Name::Thrown(number) = name
                && let Some(thing) = self.thrown.get_mut(*number as usize)
            {
                let at = frame.free.get(*name).map(FreeBody::shape_position).unwrap_or_default();
                thing.put(at, *orientation);
            }
        }
        for (i, creature) in frame.creatures.iter().enumerate() {
            // Before the first step a creature has no place of its own.
            let at = if frame.number == 0 { self.seats[i] } else { creature.position() };
            self.creatures[i].put(at, self.headings[i].orientation());
        }
    }

    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
        self.obstacles.iter().chain(&self.thrown).chain(&self.creatures).filter_map(Thing::item)
    }
}
