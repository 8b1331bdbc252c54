//! Checks of a scene before any plant is grown.

use windfall_free::FreeError;
use windfall_grow::{LEAST_BODIES, MOST_BODIES};
use windfall_solver::ParamsError;
use windfall_solver::{LONGEST_STEP, SHORTEST_STEP};

use crate::error::Problems;
use crate::schema::{
    BaseMotionEntry, BodyKind, CreatureEntry, EventEntry, FileOr, Obstacle, Pick, PickBy, PlantEntry, Preview, Scene,
    Solid, Throw,
};

/// Largest coordinate, m.
const FARTHEST: f64 = 1e5;
/// Longest time, s.
const LONGEST: f64 = 1e6;
/// Most bodies that one entry throws.
const MOST_THROWN: u32 = 100_000;

const VACUUM: &str = "there is none in a vacuum; must not be given with air = false";

pub(crate) fn scene(scene: &Scene, problems: &mut Problems<'_>) {
    problems.number("seconds", scene.seconds, 0.0, LONGEST, "s");
    problems.number("wind_rise", scene.wind_rise, 0.0, LONGEST, "s");
    problems.number("fps", scene.fps, 0.1, 10_000.0, "per second");
    problems.number("substeps", f64::from(scene.substeps), 1.0, 100_000.0, "");
    let step = scene.step();
    // A number that is out of its own range is reported above.
    if problems.is_empty() && !(SHORTEST_STEP..=LONGEST_STEP).contains(&step) {
        let rule =
            format!("a step of {step:.3e} s: fps and substeps must give from {SHORTEST_STEP} to {LONGEST_STEP} s");
        problems.note(if scene.substeps > 1 { "substeps" } else { "fps" }, rule);
    }
    direction("wind_from_degrees", scene.wind_from_degrees, problems);
    if !scene.name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ' | '.'))
        || scene.name.starts_with('.')
    {
        problems.note(
            "name",
            format_args!("= {:?}: must be letters, digits, spaces, - and _: files are called so", scene.name),
        );
    }
    if scene.wind.is_some() && !scene.air {
        problems.note("wind", VACUUM);
    }
    if scene.plants.is_empty() {
        problems.note("plants", "none: a scene needs at least one plant, in a table [[plants]]");
    }
    for (i, entry) in scene.plants.iter().enumerate() {
        plant(&format!("plants[{i}]"), entry, problems);
    }
    if let FileOr::Inline(params) = &scene.params {
        violations("params", windfall_solver::Params::from_toml(&params.to_toml()).err(), problems);
    }
    bad_number("stage.collisions", scene.stage.check(), problems);
    problems.number("ground.height", scene.ground.height, -FARTHEST, FARTHEST, "m");
    bad_number("ground", scene.ground.surface().check(), problems);
    for (i, entry) in scene.obstacles.iter().enumerate() {
        obstacle(&format!("obstacles[{i}]"), entry, problems);
    }
    for (i, entry) in scene.throws.iter().enumerate() {
        throw(&format!("throws[{i}]"), entry, problems);
    }
    for (i, entry) in scene.creatures.iter().enumerate() {
        creature(&format!("creatures[{i}]"), entry, scene, problems);
    }
    for (i, entry) in scene.bases.iter().enumerate() {
        base(&format!("bases[{i}]"), entry, scene, problems);
        if let Some(before) = scene.bases[..i].iter().position(|other| other.plant == entry.plant) {
            let rule = format!("= {}: its ground moves already as bases[{before}] says", entry.plant);
            problems.note(format_args!("bases[{i}].plant"), rule);
        }
    }
    for (i, entry) in scene.events.iter().enumerate() {
        event(&format!("events[{i}]"), entry, scene, problems);
    }
    for (i, entry) in scene.output.probes.iter().enumerate() {
        pick(&format!("output.probes[{i}]"), entry, scene, problems);
    }
    preview(&scene.preview, problems);
}

/// Checks the direction of a wind.
fn direction(key: &str, degrees: Option<f64>, problems: &mut Problems<'_>) {
    problems.number(key, degrees.unwrap_or(0.0), -360.0, 360.0, "degrees");
}

/// A number of the stage or the ground that is out of its range, on the line of its key.
pub(crate) fn bad_number(key: &str, result: Result<(), FreeError>, problems: &mut Problems<'_>) {
    match result {
        Err(FreeError::BadNumber { what, value, rule }) => {
            problems.note(format_args!("{key}.{what}"), format_args!("= {value}: must be {rule}"));
        }
        other => {
            problems.check(key, other);
        }
    }
}

/// Broken rules of parameters, each on the line of its key.
pub(crate) fn violations(key: &str, error: Option<ParamsError>, problems: &mut Problems<'_>) {
    match error {
        None => {}
        Some(ParamsError::Toml(error)) => problems.note(key, error.message()),
        Some(ParamsError::Invalid(violations)) => {
            for violation in violations.listed {
                let field = violation.value.split(" = ").next().unwrap_or_default();
                let item = if violation.item == "params" { String::new() } else { format!(".{}", violation.item) };
                let value = violation.value.split(" = ").nth(1).unwrap_or_default();
                problems.note(format_args!("{key}{item}.{field}"), format_args!("= {value}: {}", violation.rule));
            }
        }
    }
}

fn plant(key: &str, entry: &PlantEntry, problems: &mut Problems<'_>) {
    let kinds = [entry.species.is_some(), entry.file.is_some(), entry.rod.is_some()];
    if kinds.iter().filter(|&&given| given).count() != 1 {
        problems.note(key, "must have exactly one of species, file and rod");
    }
    if entry.species.is_none() && entry.bodies.is_some() {
        problems.note(format_args!("{key}.bodies"), "is for species: files and rods have the bodies that they have");
    }
    if let Some(bodies) = entry.bodies.filter(|bodies| !(LEAST_BODIES..=MOST_BODIES).contains(bodies)) {
        let rule = format!("= {bodies}: must be from {LEAST_BODIES} to {MOST_BODIES}");
        problems.note(format_args!("{key}.bodies"), rule);
    }
    problems.vector(format_args!("{key}.at"), entry.at, FARTHEST, "m");
    problems.number(format_args!("{key}.turn_degrees"), entry.turn_degrees, -36_000.0, 36_000.0, "degrees");
    if let Some(rod) = &entry.rod {
        let key = format!("{key}.rod");
        problems.number(format_args!("{key}.length"), rod.length, 1e-3, 1e3, "m");
        problems.number(format_args!("{key}.radius"), rod.radius, 1e-5, 10.0, "m");
        problems.number(format_args!("{key}.tip_radius"), rod.tip_radius.unwrap_or(rod.radius), 1e-5, 10.0, "m");
        problems.number(format_args!("{key}.segments"), f64::from(rod.segments), 1.0, 10_000.0, "");
        problems.number(format_args!("{key}.youngs_modulus"), rod.youngs_modulus, 1e3, 1e13, "Pa");
        problems.number(format_args!("{key}.density"), rod.density, 1.0, 1e5, "kg/m³");
        problems.number(format_args!("{key}.damping"), rod.damping, 0.0, 1e3, "s");
        if !(rod.direction.is_finite() && rod.direction.length() > 1e-9) {
            problems.note(format_args!("{key}.direction"), format_args!("= {}: must not be zero", rod.direction));
        }
    }
}

fn obstacle(key: &str, entry: &Obstacle, problems: &mut Problems<'_>) {
    problems.vector(format_args!("{key}.at"), entry.at, FARTHEST, "m");
    problems.vector(format_args!("{key}.rotation_degrees"), entry.rotation_degrees, 36_000.0, "degrees");
    solid(key, &entry.shape, problems);
    surface(key, entry.friction, entry.restitution, problems);
    color(key, entry.color, problems);
}

fn throw(key: &str, entry: &Throw, problems: &mut Problems<'_>) {
    solid(key, &entry.shape, problems);
    if matches!(entry.shape, Solid::HalfSpace { .. }) {
        problems.note(format_args!("{key}.shape"), "half_space: can't be thrown; must be sphere, box or capsule");
    }
    if entry.density.is_some() && entry.mass.is_some() {
        problems.note(format_args!("{key}.mass"), "must have density or mass, not both");
    }
    problems.number(format_args!("{key}.density"), entry.density.unwrap_or(500.0), 1e-3, 1e6, "kg/m³");
    problems.number(format_args!("{key}.mass"), entry.mass.unwrap_or(1.0), 1e-9, 1e9, "kg");
    problems.vector(format_args!("{key}.at"), entry.at, FARTHEST, "m");
    problems.vector(format_args!("{key}.velocity"), entry.velocity, 1e4, "m/s");
    problems.vector(format_args!("{key}.spin"), entry.spin, 1e5, "rad/s");
    problems.vector(format_args!("{key}.rotation_degrees"), entry.rotation_degrees, 36_000.0, "degrees");
    problems.vector(format_args!("{key}.spread"), entry.spread, FARTHEST, "m");
    problems.number(format_args!("{key}.time"), entry.time, 0.0, LONGEST, "s");
    problems.number(format_args!("{key}.every"), entry.every, 0.0, LONGEST, "s");
    problems.number(format_args!("{key}.count"), f64::from(entry.count), 1.0, f64::from(MOST_THROWN), "");
    surface(key, entry.friction, entry.restitution, problems);
    color(key, entry.color, problems);
}

fn solid(key: &str, shape: &Solid, problems: &mut Problems<'_>) {
    let key = format!("{key}.shape");
    match *shape {
        Solid::Sphere { radius } => problems.number(format_args!("{key}.sphere.radius"), radius, 1e-5, 1e4, "m"),
        Solid::Box { size } => {
            for (i, edge) in size.to_array().into_iter().enumerate() {
                problems.number(format_args!("{key}.box.size[{i}]"), edge, 2e-5, 2e4, "m");
            }
        }
        Solid::Capsule { length, radius } => {
            problems.number(format_args!("{key}.capsule.length"), length, 0.0, 2e4, "m");
            problems.number(format_args!("{key}.capsule.radius"), radius, 1e-5, 1e4, "m");
        }
        Solid::HalfSpace { normal } => {
            if !(normal.is_finite() && (1e-9..1e9).contains(&normal.length())) {
                problems.note(format_args!("{key}.half_space.normal"), format_args!("= {normal}: must not be zero"));
            }
        }
    }
}

fn surface(key: &str, friction: f64, restitution: f64, problems: &mut Problems<'_>) {
    problems.number(format_args!("{key}.friction"), friction, 0.0, 1000.0, "");
    problems.number(format_args!("{key}.restitution"), restitution, 0.0, 1.0, "");
}

fn color(key: &str, color: Option<[f32; 3]>, problems: &mut Problems<'_>) {
    for (i, value) in color.into_iter().flatten().enumerate() {
        problems.number(format_args!("{key}.color[{i}]"), f64::from(value), 0.0, 1.0, "");
    }
}

fn creature(key: &str, entry: &CreatureEntry, scene: &Scene, problems: &mut Problems<'_>) {
    problems.number(format_args!("{key}.mass"), entry.mass, 1e-6, 1e5, "kg");
    problems.number(format_args!("{key}.radius"), entry.radius, 0.0, 10.0, "m");
    color(key, entry.color, problems);
    pick(&format!("{key}.at"), &entry.at, scene, problems);
    for (i, way) in entry.way.iter().enumerate() {
        let key = format!("{key}.way[{i}]");
        let given = [way.run, way.leap, way.rest];
        if given.iter().flatten().count() != 1 {
            problems.note(&key, "must have exactly one of run, leap and rest");
        }
        problems.number(format_args!("{key}.run"), way.run.unwrap_or(1.0), 1e-3, 100.0, "m/s");
        problems.number(format_args!("{key}.leap"), way.leap.unwrap_or(1.0), 0.01, 60.0, "s");
        problems.number(format_args!("{key}.rest"), way.rest.unwrap_or(1.0), 0.0, LONGEST, "s");
        match &way.to {
            Some(to) if way.rest.is_none() => pick(&format!("{key}.to"), to, scene, problems),
            Some(_) => problems.note(format_args!("{key}.to"), "is for run and leap: who rests stays where it is"),
            None if way.rest.is_none() => problems.note(&key, "needs `to`: where it runs or leaps"),
            None => {}
        }
    }
}

fn base(key: &str, entry: &BaseMotionEntry, scene: &Scene, problems: &mut Problems<'_>) {
    plant_exists(&format!("{key}.plant"), Some(entry.plant), scene, problems);
    if entry.sway.is_some() != entry.keys.is_empty() {
        problems.note(key, "must have sway or keys");
    }
    if let Some(sway) = &entry.sway {
        problems.vector(format_args!("{key}.sway.by"), sway.by, 1e3, "m");
        problems.number(format_args!("{key}.sway.frequency"), sway.frequency, 1e-3, 100.0, "Hz");
        problems.number(format_args!("{key}.sway.from"), sway.from, 0.0, LONGEST, "s");
        problems.number(format_args!("{key}.sway.periods"), sway.periods.unwrap_or(2.0), 2.0, LONGEST, "");
    }
    let mut before = f64::NEG_INFINITY;
    for (i, place) in entry.keys.iter().enumerate() {
        let key = format!("{key}.keys[{i}]");
        problems.number(format_args!("{key}.time"), place.time, 0.0, LONGEST, "s");
        problems.vector(format_args!("{key}.by"), place.by, FARTHEST, "m");
        problems.vector(format_args!("{key}.rotation_degrees"), place.rotation_degrees, 36_000.0, "degrees");
        if place.time <= before {
            problems.note(
                format_args!("{key}.time"),
                format_args!("= {}: must be later than the key before, {before} s", place.time),
            );
        }
        before = place.time;
    }
}

fn event(key: &str, entry: &EventEntry, scene: &Scene, problems: &mut Problems<'_>) {
    if entry.wind.is_some() && !scene.air {
        problems.note(format_args!("{key}.wind"), VACUUM);
    }
    direction(&format!("{key}.wind_from_degrees"), entry.wind_from_degrees, problems);
    if entry.wind_from_degrees.is_some() && entry.wind.is_none() {
        problems.note(format_args!("{key}.wind_from_degrees"), "needs `wind`: which wind comes from there");
    }
    problems.number(format_args!("{key}.at"), entry.at, 0.0, LONGEST, "s");
    problems.number(format_args!("{key}.over"), entry.over, 0.0, LONGEST, "s");
    for (i, body) in entry.cut.iter().enumerate() {
        pick(&format!("{key}.cut[{i}]"), body, scene, problems);
    }
    if let Some(let_go) = &entry.let_go {
        problems.number(format_args!("{key}.let_go.share"), let_go.share, 0.0, 1.0, "");
        plant_exists(&format!("{key}.let_go.plant"), let_go.plant, scene, problems);
        if let_go.kind == BodyKind::Wood {
            problems.note(format_args!("{key}.let_go.kind"), "= \"wood\": must be leaf or fruit; cut wood with `cut`");
        }
    }
    if let Some(push) = &entry.push {
        pick(&format!("{key}.push.body"), &push.body, scene, problems);
        problems.vector(format_args!("{key}.push.force"), push.force, 1e12, "N");
    }
    if let Some(hand) = &entry.hand {
        pick(&format!("{key}.hand.body"), &hand.body, scene, problems);
        if hand.by.is_some() != hand.path.is_empty() {
            problems.note(format_args!("{key}.hand"), "must have by or path");
        }
        problems.vector(format_args!("{key}.hand.by"), hand.by.unwrap_or_default(), FARTHEST, "m");
        for (i, place) in hand.path.iter().enumerate() {
            problems.vector(format_args!("{key}.hand.path[{i}]"), *place, FARTHEST, "m");
        }
    }
    if (entry.push.is_some() || entry.hand.is_some()) && entry.over <= 0.0 {
        problems.note(format_args!("{key}.over"), "a push or a hand needs a time: write over = 1 for a second");
    }
    let nothing = entry.cut.is_empty()
        && entry.let_go.is_none()
        && entry.set.is_none()
        && entry.stage.is_none()
        && entry.wind.is_none()
        && entry.push.is_none()
        && entry.hand.is_none()
        && entry.solver.is_none()
        && entry.select.is_none();
    if nothing {
        problems
            .note(key, "nothing happens: must have one of cut, let_go, set, stage, wind, push, hand, solver, select");
    }
}

/// Checks of a named body that do not need the plants.
fn pick(key: &str, pick: &Pick, scene: &Scene, problems: &mut Problems<'_>) {
    let Pick::By(PickBy { plant, body, near, kind, branch, along }) = pick else { return };
    plant_exists(&format!("{key}.plant"), *plant, scene, problems);
    let ways = [body.is_some(), near.is_some(), branch.is_some()];
    if ways.iter().filter(|&&given| given).count() != 1 {
        problems.note(key, "must have exactly one of body, near and branch");
    }
    if let Some(point) = near {
        problems.vector(format_args!("{key}.near"), *point, FARTHEST, "m");
    }
    if kind.is_some() && near.is_none() {
        problems.note(format_args!("{key}.kind"), "is for near");
    }
    if along.is_some() && branch.is_none() {
        problems.note(format_args!("{key}.along"), "is for branch");
    }
    problems.number(format_args!("{key}.along"), along.unwrap_or(0.0), 0.0, 1.0, "");
}

fn plant_exists(key: &str, plant: Option<usize>, scene: &Scene, problems: &mut Problems<'_>) {
    let count = scene.plants.len();
    if let Some(plant) = plant.filter(|&plant| plant >= count) {
        let rule = if count == 1 {
            "there is only plant 0".into()
        } else {
            format!("there are plants 0 to {}", count.max(1) - 1)
        };
        problems.note(key, format_args!("= {plant}: {rule}"));
    }
}

fn preview(preview: &Preview, problems: &mut Problems<'_>) {
    problems.number("preview.stills", f64::from(preview.stills), 0.0, 100.0, "");
    problems.number("preview.fps", preview.fps, 0.1, 50.0, "per second");
    for (i, side) in preview.size.into_iter().enumerate() {
        problems.number(format_args!("preview.size[{i}]"), f64::from(side), 16.0, 4096.0, "pixels");
    }
    if preview.stills > 1 && preview.stills <= 100 {
        let sheet = windfall_preview::sheet_size(preview.size, preview.stills, preview.columns(preview.stills), true);
        problems.check("preview.stills", sheet.map_err(|error| format!("all on one sheet: {error}")));
    }
    problems.number("preview.columns", f64::from(preview.columns.unwrap_or(1)), 1.0, 100.0, "");
    problems.number("preview.samples", f64::from(preview.samples), 1.0, 3.0, "");
    problems.number("preview.azimuth_degrees", preview.azimuth_degrees, -36_000.0, 36_000.0, "degrees");
    problems.number("preview.elevation_degrees", preview.elevation_degrees, -89.0, 90.0, "degrees");
    problems.number("preview.fov_degrees", preview.fov_degrees, 1.0, 150.0, "degrees");
    problems.number("preview.zoom", preview.zoom, 1e-2, 1e3, "");
    problems.number("preview.span", preview.span, 1e-3, 1e4, "m");
    problems.number("preview.sun_degrees[1]", preview.sun_degrees[1], 1.0, 90.0, "degrees");
    problems.number("preview.sun_degrees[0]", preview.sun_degrees[0], -36_000.0, 36_000.0, "degrees");
    problems.number("preview.detail", f64::from(preview.detail.unwrap_or(1)), 0.0, 3.0, "");
    if let Some(target) = preview.target {
        problems.vector("preview.target", target, FARTHEST, "m");
    }
}
