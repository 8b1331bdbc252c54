//! Plays moving trees in Bevy without a window and compares its joints and vertices with those that `truth.py` computes from the file.
//!
//! ```console
//! python tools/truth.py oak.glb > truth.json
//! CARGO_TARGET_DIR=/tmp/bevy-target cargo run --manifest-path tools/bevy-check/Cargo.toml -- oak.glb truth.json
//! ```
//!
//! Fails if anything is farther off than 0.05 mm. Vertices are skinned here, from Bevy's meshes, joints and inverse bind poses, as its shader does it: no GPU is
//! used. Too heavy for `.ci/run` (minutes to build): run it by hand.

mod scene;
mod truth;

use std::{env, path::Path, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use bevy::{
    animation::AnimationPlugin,
    asset::{AssetPlugin, LoadState},
    gltf::{Gltf, GltfPlugin},
    image::{CompressedImageFormatSupport, CompressedImageFormats, ImagePlugin},
    mesh::MeshPlugin,
    prelude::*,
    time::TimeUpdateStrategy,
    world_serialization::{WorldAsset, WorldSerializationPlugin},
};

use crate::{
    scene::{Difference, Found},
    truth::Truth,
};

/// Bevy adds up time as `f32`: after a hundred frames it is off by half a microsecond, in which leaves in a gale go 13 µm. In m.
const ALLOWED: f32 = 5e-5;
/// A frame of a game, s.
const STEP: f64 = 1.0 / 60.0;

fn main() -> Result<()> {
    let [file, truth] =
        env::args().skip(1).collect::<Vec<_>>().try_into().ok().context("usage: bevy-check FILE.glb truth.json")?;
    let truth = Truth::read(Path::new(&truth))?;
    let mut app = bevy(Path::new(&file))?;
    let (scene, clip) = load(&mut app, Path::new(&file))?;
    app.world_mut().spawn(WorldAssetRoot(scene));
    app.update();
    let seconds = app.world().resource::<Assets<AnimationClip>>().get(&clip).context("the clip is gone")?.duration();
    let loops = truth.clip.ends_with("loop");
    let players = play(&mut app, clip, loops);
    ensure!(players > 0, "Bevy made no AnimationPlayer");
    println!(
        "  clip \"{}\", {seconds} s (in the file {} s), {players} players, repeats: {loops}",
        truth.clip, truth.seconds
    );

    let found = Found::new(app.world_mut(), &truth)?;
    println!(
        "  {} skinned meshes, {} joints and nodes, {} vertices",
        found.skinned,
        truth.nodes.len(),
        truth.vertices.len()
    );
    let (mut worst, mut now) = (Difference::default(), 0.0);
    for moment in &truth.moments {
        advance(&mut app, &mut now, moment.time);
        worst = worst.max(found.compare(app.world(), &truth, moment)?);
    }
    println!("  {worst}");
    if loops {
        let again = truth.moments.get(1).context("truth.json has fewer than two moments")?;
        advance(&mut app, &mut now, truth.seconds + again.time);
        let around = found.compare(app.world(), &truth, again)?;
        println!("  played over the end, at {} s: {around}", again.time);
        worst = worst.max(around);
    }
    ensure!(worst.within(ALLOWED), "farther off than {:.2} mm", ALLOWED * 1e3);
    Ok(())
}

/// What a game has, but for window, input, sound and renderer. Time stands still until it is told.
fn bevy(file: &Path) -> Result<App> {
    let folder = file.canonicalize().with_context(|| format!("no file {}", file.display()))?;
    let folder = folder.parent().context("the file is in no folder")?.to_string_lossy().into_owned();
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        TransformPlugin,
        AssetPlugin { file_path: folder, ..default() },
        ImagePlugin::default(),
        MeshPlugin,
        WorldSerializationPlugin,
        AnimationPlugin,
        GltfPlugin::default(),
    ));
    app.insert_resource(CompressedImageFormatSupport(CompressedImageFormats::NONE));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    app.finish();
    app.cleanup();
    Ok(app)
}

/// Loads the file with its images; its first scene and animation.
fn load(app: &mut App, file: &Path) -> Result<(Handle<WorldAsset>, Handle<AnimationClip>)> {
    let name = file.file_name().context("the file has no name")?.to_string_lossy().into_owned();
    let handle: Handle<Gltf> = app.world().resource::<AssetServer>().load(name);
    for _ in 0..6000 {
        app.update();
        let server = app.world().resource::<AssetServer>();
        if let Some(LoadState::Failed(error)) = server.get_load_state(&handle) {
            bail!("Bevy can't load {}: {error}", file.display());
        }
        if server.is_loaded_with_dependencies(&handle) {
            let gltf = app.world().resource::<Assets<Gltf>>().get(&handle).context("the file is gone")?;
            let scene = gltf.scenes.first().context("Bevy found no scene")?.clone();
            return Ok((scene, gltf.animations.first().context("Bevy found no animation")?.clone()));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    bail!("Bevy did not load {} within a minute", file.display())
}

/// Plays the clip on all trees; the number of players.
fn play(app: &mut App, clip: Handle<AnimationClip>, loops: bool) -> usize {
    let (graph, node) = AnimationGraph::from_clip(clip);
    let graph = app.world_mut().resource_mut::<Assets<AnimationGraph>>().add(graph);
    let world = app.world_mut();
    let mut players = world.query::<(Entity, &mut AnimationPlayer)>();
    let mut entities = Vec::new();
    for (entity, mut player) in players.iter_mut(world) {
        let active = player.play(node);
        if loops {
            active.repeat();
        }
        entities.push(entity);
    }
    for &entity in &entities {
        world.entity_mut(entity).insert(AnimationGraphHandle(graph.clone()));
    }
    // Graphs are made ready in the frame in which they are new.
    app.update();
    entities.len()
}

/// Plays on, frame by frame, to a time in seconds.
fn advance(app: &mut App, now: &mut f64, to: f64) {
    loop {
        let step = (to - *now).clamp(0.0, STEP);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(step)));
        app.update();
        *now += step;
        if *now >= to - 1e-9 {
            return;
        }
    }
}
