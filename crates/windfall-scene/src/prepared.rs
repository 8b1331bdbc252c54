//! A prepared scene: plants grown, bodies found, winds built.

use std::path::Path;

use windfall_core::BodyId;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::random::mix;
use windfall_free::{FreeBody, Obstacles, Shape, Surface};
use windfall_skin::Look;
use windfall_solver::{Params, Selection};
use windfall_stage::creature::Way as CreatureWay;
use windfall_stage::{Creature, Stop};
use windfall_wind::{WindField, WindSpec};

use crate::air::{named_wind, read_records};
use crate::bases::SceneBases;
use crate::error::{Problems, SceneError};
use crate::file::SceneFile;
use crate::find::Place;
use crate::plants::Plants;
use crate::schema::{Pick, Rgb, Scene, Select, Solid, Throw, WayEntry, WindEntry};
use crate::script::{Script, script};
use crate::source::Source;

/// A scene prepared to run.
#[derive(Debug, Clone)]
pub struct PreparedScene {
    /// The parsed scene.
    pub scene: Scene,
    /// The trees.
    pub plants: Plants,
    /// Their parameters at the beginning.
    pub params: Params,
    /// The air at the beginning; none is a vacuum.
    pub air: Option<WindField>,
    /// The ground and static obstacles.
    pub obstacles: Obstacles,
    /// Thrown bodies, in the order of time.
    pub thrown: Vec<Thrown>,
    /// Creatures, in the order of the file.
    pub creatures: Vec<Creature>,
    /// First place of each creature.
    pub creature_starts: Vec<Place>,
    /// Bodies whose motion is written as tables.
    pub probes: Vec<BodyId>,
    /// Selection of simulated bodies.
    pub selection: Selection,
    /// Motion of the ground.
    pub bases: SceneBases,
    /// The events.
    pub script: Script,
    /// Appearance of each plant; by default that of its wood and leaves.
    pub looks: Vec<Option<Look>>,
}

/// A body that is thrown in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thrown {
    /// Time of the throw, s.
    pub time: f64,
    /// The body; its name is its number among all.
    pub body: FreeBody,
    /// Its colour in pictures.
    pub color: Option<Rgb>,
}

impl PreparedScene {
    pub(crate) fn new(file: &SceneFile) -> Result<Self, SceneError> {
        let mut problems = Problems::new(&file.source);
        let all = ready(file, &mut problems);
        problems.finish()?;
        Ok(all.expect("what is missing was noted"))
    }
}

fn ready(file: &SceneFile, problems: &mut Problems<'_>) -> Option<PreparedScene> {
    let scene = &file.scene;
    // Cheap checks first: growing may take a while.
    let air = air("", scene.wind.as_ref(), scene.wind_from_degrees, &file.source, problems)?;
    let air = if scene.wind.is_some() && scene.wind_rise > 0.0 {
        let still = problems.check("wind", WindSpec::calm().build())?;
        still.fade_to(&air, 0.0, scene.wind_rise)
    } else {
        air
    };
    let obstacles = obstacles(scene, problems);
    let thrown = thrown(scene, problems);
    let looks = looks(file, problems);
    if !problems.is_empty() {
        return None;
    }
    let plants = Plants::new(file, problems)?;
    crate::check::violations("params", file.params.check(&plants.whole).err(), problems);
    let (creatures, creature_starts) = creatures(scene, &plants, problems);
    let probes = scene.output.probes.iter().enumerate();
    let probes = probes.filter_map(|(i, pick)| find(&plants, &format!("output.probes[{i}]"), pick, problems)).collect();
    let selection = scene.select.as_ref().map(|select| selection(&plants, "select", select, problems));
    let script = script(file, &plants, problems);
    let mut bases = SceneBases::default();
    for motion in &scene.bases {
        plants.members[motion.plant].trees().for_each(|tree| bases.set(tree, motion.clone()));
    }
    problems.is_empty().then(|| PreparedScene {
        scene: scene.clone(),
        plants,
        params: file.params.clone(),
        air: scene.air.then_some(air),
        obstacles,
        thrown,
        creatures,
        creature_starts,
        probes,
        selection: selection.unwrap_or_default(),
        bases,
        script,
        looks,
    })
}

fn looks(file: &SceneFile, problems: &mut Problems<'_>) -> Vec<Option<Look>> {
    let folder = file.source.folder();
    let entries = file.scene.plants.iter().enumerate();
    entries
        .map(|(i, entry)| problems.check(format_args!("plants[{i}].look"), find_look(entry.look.as_deref()?, folder)))
        .collect()
}

/// A look by name, or of a file in `folder`.
pub fn find_look(name: &str, folder: &Path) -> Result<Look, String> {
    if Path::new(name).extension().is_some_and(|e| e == "toml") {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        return Look::from_toml(&text).map_err(|e| format!("{}: {e}", path.display()));
    }
    Look::named(name).cloned().ok_or_else(|| {
        let known: Vec<&str> = Look::all().iter().map(|look| &*look.name).collect();
        format!("no look called `{name}`; there are {}, and files ending in .toml", known.join(", "))
    })
}

/// A wind; still air if there is none.
pub(crate) fn air(
    key: &str,
    entry: Option<&WindEntry>,
    from_degrees: Option<f64>,
    source: &Source,
    problems: &mut Problems<'_>,
) -> Option<WindField> {
    let direction = format!("{key}wind_from_degrees");
    let key = format!("{key}wind");
    let spec = match entry {
        Some(WindEntry::Named(name)) => problems.check(&key, named_wind(name, from_degrees, source.folder()))?,
        _ if from_degrees.is_some() => {
            problems.note(direction, "is for winds with a name; described winds have from_degrees of their own");
            return None;
        }
        Some(WindEntry::Described(spec)) => {
            let mut spec = spec.clone();
            problems.check(&key, read_records(&mut spec, source.folder()))?;
            spec
        }
        None => WindSpec::calm(),
    };
    match spec.build() {
        Ok(air) => Some(air),
        Err(windfall_wind::WindError::Invalid(violations)) => {
            for violation in violations.listed {
                let (field, value) = violation.value.split_once(" = ").unwrap_or((&violation.value, ""));
                let item = if violation.item == "wind" { String::new() } else { format!(".{}", violation.item) };
                problems.note(format_args!("{key}{item}.{field}"), format_args!("= {value}: {}", violation.rule));
            }
            None
        }
        Err(error) => {
            problems.note(key, error);
            None
        }
    }
}

/// Finds a body, or reports a problem.
pub(crate) fn find(plants: &Plants, key: &str, pick: &Pick, problems: &mut Problems<'_>) -> Option<BodyId> {
    problems.check(key, plants.find(pick)).map(|place| place.body)
}

pub(crate) fn selection(plants: &Plants, key: &str, select: &Select, problems: &mut Problems<'_>) -> Selection {
    match select {
        Select::All {} => Selection::All,
        Select::Orders { highest, foliage } => Selection::Orders { highest: *highest, foliage: *foliage },
        Select::Thicker { radius } => {
            problems.number(format_args!("{key}.thicker.radius"), *radius, 0.0, 1e3, "m");
            Selection::Thicker { radius: *radius }
        }
        Select::Subtrees { bodies } => {
            let found = bodies.iter().enumerate();
            let found = found.filter_map(|(i, b)| find(plants, &format!("{key}.subtrees.bodies[{i}]"), b, problems));
            Selection::Subtrees(found.collect())
        }
    }
}

fn rotation(degrees: DVec3) -> DQuat {
    DQuat::from_scaled_axis(degrees * 1f64.to_radians())
}

fn shape(solid: &Solid) -> Option<Shape> {
    match *solid {
        Solid::Sphere { radius } => Some(Shape::Sphere { radius }),
        Solid::Box { size } => Some(Shape::Box { half: 0.5 * size }),
        Solid::Capsule { length, radius } => Some(Shape::Capsule { half_length: 0.5 * length, radius }),
        Solid::HalfSpace { .. } => None,
    }
}

fn obstacles(scene: &Scene, problems: &mut Problems<'_>) -> Obstacles {
    let mut obstacles = Obstacles::none();
    if scene.ground.solid {
        problems.check("ground", obstacles.set_ground(scene.ground.height, scene.ground.surface()));
    }
    for (i, entry) in scene.obstacles.iter().enumerate() {
        let surface = Surface { friction: entry.friction, restitution: entry.restitution, ..Surface::default() };
        let added = match (shape(&entry.shape), entry.shape) {
            (Some(shape), _) => obstacles.add(shape, entry.at, rotation(entry.rotation_degrees), surface),
            (None, Solid::HalfSpace { normal }) => obstacles.add_half_space(entry.at, normal, surface),
            (None, _) => continue,
        };
        problems.check(format_args!("obstacles[{i}]"), added);
    }
    obstacles
}

/// A random number from 0 to 1, the same for the same key.
pub(crate) fn chance(seed: u64, key: u64) -> f64 {
    (mix(mix(seed).wrapping_add(key.wrapping_mul(0x9e37_79b9_7f4a_7c15))) >> 11) as f64 / (1u64 << 53) as f64
}

fn thrown(scene: &Scene, problems: &mut Problems<'_>) -> Vec<Thrown> {
    let mut all = Vec::new();
    for (i, entry) in scene.throws.iter().enumerate() {
        for k in 0..entry.count {
            let made = throw(entry, all.len() as u32, k, scene.seed);
            match problems.check(format_args!("throws[{i}]"), made) {
                Some(body) => {
                    let time = entry.time + entry.every * f64::from(k);
                    all.push(Thrown { time, body, color: entry.color });
                }
                None => break,
            }
        }
    }
    all.sort_by(|a, b| a.time.total_cmp(&b.time));
    all
}

fn throw(entry: &Throw, name: u32, k: u32, seed: u64) -> Result<FreeBody, windfall_free::FreeError> {
    let shape = shape(&entry.shape).expect("was checked before");
    let density = entry.mass.map_or(entry.density.unwrap_or(500.0), |mass| mass / shape.volume());
    let random = |axis: u64| 2.0 * chance(seed, u64::from(name) * 3 + axis) - 1.0;
    // A single body starts exactly at its place.
    let off = if entry.count > 1 { DVec3::new(random(0), random(1), random(2)) } else { DVec3::ZERO };
    let mut body = FreeBody::thrown(name, shape, density, entry.at + entry.spread * off, entry.velocity)?;
    // Each of many has another orientation.
    let turn = if k > 0 {
        DQuat::from_rotation_y(std::f64::consts::TAU * chance(seed, u64::from(name) + (1 << 40)))
    } else {
        DQuat::IDENTITY
    };
    body.orientation = turn * rotation(entry.rotation_degrees);
    body.angular_velocity = entry.spin;
    body.surface = Surface { friction: entry.friction, restitution: entry.restitution, ..Surface::default() };
    body.check()?;
    Ok(body)
}

fn creatures(scene: &Scene, plants: &Plants, problems: &mut Problems<'_>) -> (Vec<Creature>, Vec<Place>) {
    let (mut all, mut starts) = (Vec::new(), Vec::new());
    for (i, entry) in scene.creatures.iter().enumerate() {
        let key = format!("creatures[{i}]");
        let mut stops = Vec::new();
        let Some(first) = problems.check(format_args!("{key}.at"), plants.find(&entry.at)) else { continue };
        if !is_wood(plants, &format!("{key}.at"), first, problems) {
            continue;
        }
        stops.push(Stop { body: first.body.into(), at: first.along, by: CreatureWay::Rest(0.0) });
        for (k, way) in entry.way.iter().enumerate() {
            if let Some(stop) = stop(plants, &format!("{key}.way[{k}].to"), way, stops[k], problems) {
                stops.push(stop);
            } else {
                break;
            }
        }
        if let Some(creature) = problems.check(&key, Creature::new(entry.mass, entry.radius, stops)) {
            all.push(creature);
            starts.push(first);
        }
    }
    (all, starts)
}

/// Checks that the place of a creature is on wood.
fn is_wood(plants: &Plants, key: &str, place: Place, problems: &mut Problems<'_>) -> bool {
    let wood = (place.body.0 as usize) < plants.whole.segments().len();
    if !wood {
        problems.note(key, format_args!("body {} is no wood: a creature can't be there", place.body.0));
    }
    wood
}

fn stop(plants: &Plants, key: &str, way: &WayEntry, last: Stop, problems: &mut Problems<'_>) -> Option<Stop> {
    if let Some(seconds) = way.rest {
        return Some(Stop { by: CreatureWay::Rest(seconds), ..last });
    }
    let by = way.run.map(CreatureWay::Run).or(way.leap.map(CreatureWay::Leap))?;
    let place = problems.check(key, plants.find(way.to.as_ref()?))?;
    let plant = &plants.whole;
    if !is_wood(plants, key, place, problems) {
        return None;
    }
    if way.run.is_some() && plant.tree_index(place.body) != plant.tree_index(last.body.id) {
        problems.note(key, "is on another tree: it can't run there; let it leap");
        return None;
    }
    Some(Stop { body: place.body.into(), at: place.along, by })
}
