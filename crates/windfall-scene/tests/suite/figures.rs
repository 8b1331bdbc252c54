//! Every small scene of `scenes/small` runs, and reproduces the effect of its figure in quigley2017.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use windfall_core::glam::{DVec3, Vec3};
use windfall_core::{Body, BodyRef, Plant, Pose};
use windfall_free::Name;
use windfall_scene::plants::Member;
use windfall_scene::{Frame, PreparedScene, RunReport, SceneFile, run};

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn set(name: &str) -> PreparedScene {
    let file = SceneFile::read(&scenes().join("small").join(name).with_extension("toml"));
    file.and_then(|file| file.set_up()).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs to the end.
fn watch(set: &PreparedScene, mut see: impl FnMut(&Frame<'_>)) -> RunReport {
    let report = run(set, &mut |frame| {
        see(frame);
        Ok(())
    });
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.left_numbers_s, None, "{}", set.scene.name);
    assert_eq!(report.frames, set.scene.frames());
    report
}

/// Distance of the tip of a segment from its place at rest, m.
fn moved(plant: &Plant, pose: &Pose, segment: usize) -> Vec3 {
    let s = &plant.segments()[segment];
    pose.positions[segment] + pose.orientations[segment] * (Vec3::Y * s.length) - s.tip()
}

/// Largest of these distances among the wood of one plant.
fn most_moved(member: &Member, plant: &Plant, pose: &Pose) -> f32 {
    member.ranges(plant)[0].clone().map(|i| moved(plant, pose, i).length()).fold(0.0, f32::max)
}

#[test]
fn every_figure_has_a_small_scene_and_a_whole_one() {
    let names = |folder: &Path| -> BTreeSet<String> {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files
            .filter(|p| p.extension().is_some_and(|e| e == "toml"))
            .map(|p| p.file_name().unwrap().to_string_lossy().into())
            .collect()
    };
    let (whole, small) = (names(&scenes()), names(&scenes().join("small")));
    assert_eq!(whole, small);
    for figure in [1, 3, 4, 6, 7, 8, 9, 10, 13, 14, 15] {
        assert!(whole.contains(&format!("fig{figure:02}.toml")), "figure {figure}");
    }
    for name in &whole {
        // Growing millions of bodies is for the release build; reading them is not.
        SceneFile::read(&scenes().join(name)).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn fig01_a_park_sways_and_a_squirrel_changes_trees() {
    let set = set("fig01");
    let plant = &*set.plants.whole;
    let mut last = Vec::new();
    let mut tree = 0;
    watch(&set, |frame| {
        last = set.plants.members.iter().map(|member| most_moved(member, plant, frame.pose)).collect();
        tree = frame.creatures[0].sits_on().map_or(tree, |body| plant.tree_index(body.id));
    });
    for (i, moved) in last.iter().enumerate() {
        assert!(*moved > 1e-3, "plant {i} moves: {moved} m");
    }
    assert_eq!(tree, set.plants.members[3].trees().start, "it ends on the second apple tree");
}

#[test]
fn fig03_a_tree_moves_in_the_wind_and_keeps_its_leaves() {
    let set = set("fig03");
    let report = watch(&set, |_| {});
    assert!(report.largest_deflection_m > 0.02, "{report:?}");
    assert!(report.leaves_let_go * 20 < set.plants.whole.leaves().len(), "{report:?}");
}

#[test]
fn fig04_twigs_of_a_willow_stream_and_its_trunk_stands() {
    let set = set("fig04");
    let plant = &*set.plants.whole;
    let trunk = plant.branch_segments(0);
    // Wood at the ends of branches of the highest order: the long thin twigs.
    let highest = plant.branches().iter().map(|b| b.order).max().unwrap();
    let twigs: Vec<usize> = (0..plant.branches().len())
        .filter(|&i| plant.branches()[i].order + 1 >= highest)
        .map(|i| plant.branch_segments(i).end - 1)
        .collect();
    let (mut trunk_most, mut twigs_most, mut downwind) = (0.0f32, 0.0f32, 0.0);
    watch(&set, |frame| {
        let lower_half = trunk.start..trunk.start + trunk.len() / 2;
        trunk_most = lower_half.map(|i| moved(plant, frame.pose, i).length()).fold(trunk_most, f32::max);
        let mean = twigs.iter().map(|&i| moved(plant, frame.pose, i).length()).sum::<f32>() / twigs.len() as f32;
        twigs_most = twigs_most.max(mean);
        downwind = twigs.iter().map(|&i| moved(plant, frame.pose, i).x).sum::<f32>() / twigs.len() as f32;
    });
    assert!(twigs_most > 10.0 * trunk_most, "twigs {twigs_most} m on the mean, lower trunk {trunk_most} m at most");
    assert!(downwind > 0.02, "a wind from the west blows them to the east: {downwind} m");
}

/// Largest horizontal distance of the top of the tree from above its root, m.
fn lean(name: &str) -> f32 {
    let set = set(name);
    let plant = &*set.plants.whole;
    let top = (0..plant.segments().len())
        .max_by(|&a, &b| plant.segments()[a].tip().y.total_cmp(&plant.segments()[b].tip().y));
    let mut most = 0.0f32;
    watch(&set, |frame| {
        let root = frame.pose.positions[0] - plant.segments()[0].position;
        most = most.max((moved(plant, frame.pose, top.unwrap()) - root).length());
    });
    most
}

#[test]
fn fig06_a_tree_on_a_cart_bends_only_with_fictitious_forces() {
    let (with, without) = (lean("fig06"), lean("fig06-without"));
    assert!(with > 0.05, "it bends: {with} m");
    // Gravity is the only action, and the tree keeps its shape under gravity.
    assert!(without < 0.01 * with, "it stays upright: {without} m against {with} m");
}

#[test]
fn fig07_a_ball_bends_a_small_tree_and_falls_off() {
    let set = set("fig07");
    let plant = &*set.plants.whole;
    let ball = set.thrown[0].body;
    let windfall_free::Shape::Sphere { radius } = ball.shape else { panic!("a ball") };
    // Without a tree it would lie on the ground after sqrt(2 h / g).
    let alone = (2.0 * (ball.position.y - radius) / 9.81).sqrt();
    let (mut bent, mut at_end, mut height_then, mut height) = (0.0f32, 0.0, f64::NAN, f64::NAN);
    watch(&set, |frame| {
        at_end = most_moved(&set.plants.members[0], plant, frame.pose);
        bent = bent.max(at_end);
        height = frame.free.get(Name::Thrown(0)).unwrap().position.y;
        if frame.time <= alone {
            height_then = height;
        }
    });
    assert!(bent > 0.15, "branches bend: {bent} m");
    assert!(height_then > 3.0 * radius, "the tree holds it up: {height_then} m when it would lie on the ground");
    assert!(height < 2.0 * radius, "it falls off: {height} m");
    assert!(at_end < 0.5 * bent, "the tree springs back: {at_end} m of {bent} m");
}

#[test]
fn fig08_apples_let_go_hit_branches_and_land() {
    let set = set("fig08");
    let plant = &*set.plants.whole;
    let (mut landed, mut fallen, mut farthest, mut lowest) = (0, 0, 0.0f64, f64::INFINITY);
    let report = watch(&set, |frame| {
        (landed, fallen, farthest) = (0, 0, 0.0);
        for body in frame.free.iter() {
            let Name::Plant(id) = body.name else { continue };
            let Some(Body::Fruit(fruit)) = plant.body(id.id) else { continue };
            let (radius, start) = (f64::from(fruit.radius), plant.rest_position(id.id));
            fallen += 1;
            landed += usize::from(body.shape_position().y < 1.5 * radius);
            lowest = lowest.min(body.shape_position().y / radius);
            farthest = farthest.max((body.position - start).with_y(0.0).length());
        }
    });
    assert!(report.fruit_let_go * 2 > plant.fruit().len(), "{} of {}", report.fruit_let_go, plant.fruit().len());
    assert_eq!(report.fruit_let_go, fallen);
    assert!(landed * 10 > fallen * 6, "{landed} of {fallen} lie on the ground");
    assert!(lowest > 0.5, "none is in the ground: {lowest} radii above it");
    // Only branches and other apples can move them aside.
    assert!(farthest > 0.3, "they are thrown aside by branches: {farthest} m");
}

/// Number of detached leaves, and their mean displacement in x and y, m.
fn blown(name: &str) -> (usize, DVec3) {
    let set = set(name);
    let plant = &*set.plants.whole;
    let (mut count, mut way) = (0, DVec3::ZERO);
    watch(&set, |frame| {
        let free: Vec<(BodyRef, DVec3)> = frame
            .free
            .iter()
            .filter_map(|body| match body.name {
                Name::Plant(id) if matches!(plant.body(id.id), Some(Body::Leaf(_))) => Some((id, body.position)),
                _ => None,
            })
            .collect();
        count = free.len();
        way = free.iter().map(|(id, position)| *position - plant.rest_position(id.id)).sum::<DVec3>()
            / count.max(1) as f64;
    });
    (count, way)
}

#[test]
fn fig09_leaves_of_a_maple_let_go_and_are_carried_off() {
    let (count, way) = blown("fig09");
    assert!(count > 20, "{count}");
    assert!(way.x > 1.0 && way.y < 0.0, "downwind and down: {way} m");
}

#[test]
fn fig10_petals_are_carried_away() {
    let (count, way) = blown("fig10");
    assert!(count > 20, "{count}");
    assert!(way.x > 0.3 && way.y < 0.0, "downwind and down: {way} m");
}

#[test]
fn fig13_a_large_tree_moves() {
    let set = set("fig13");
    assert!(watch(&set, |_| {}).largest_deflection_m > 0.01);
}

/// Heights of the two tips at every frame, m.
fn tips(name: &str) -> Vec<[f64; 2]> {
    let set = set(name);
    let plant = &*set.plants.whole;
    let mut heights = Vec::new();
    watch(&set, |frame| {
        let of = |member: &Member| f64::from(moved(plant, frame.pose, member.ranges(plant)[0].end - 1).y);
        heights.push([of(&set.plants.members[0]), of(&set.plants.members[1])]);
    });
    heights
}

#[test]
fn fig14_one_step_a_frame_is_enough_for_us_and_not_for_the_explicit_method() {
    let (ours, coarse, fine) = (tips("fig14"), tips("fig14-explicit"), tips("fig14-explicit-fine"));
    // A cantilever under its own weight: w L^4 / (8 E I) with w = rho pi r^2 g and I = pi r^4 / 4.
    let theory = 800.0 * 9.81 / (2.0 * 1e9 * 0.01f64.powi(2));
    let [_, stiff] = ours.last().unwrap();
    assert!((-stiff / theory - 1.0).abs() < 0.03, "{stiff} m, beam theory {theory} m");
    let [soft_ours, stiff_ours] = *ours.last().unwrap();
    let [soft_fine, stiff_fine] = *fine.last().unwrap();
    assert!((stiff_fine / stiff_ours - 1.0).abs() < 0.02, "{stiff_fine} {stiff_ours}");
    assert!((soft_fine - soft_ours).abs() < 0.03, "{soft_fine} {soft_ours}");
    // With one step a frame the stiff branch, which should sag by 4 cm, is unstable.
    let wildest = coarse.iter().map(|[_, stiff]| stiff.abs()).fold(0.0, f64::max);
    assert!(wildest > 0.3, "{wildest} m");
}

#[test]
fn fig15_a_squirrel_perturbs_both_trees() {
    let set = set("fig15");
    let plant = &*set.plants.whole;
    let (mut first, mut second_before, mut second, mut landed) = (0.0f32, 0.0f32, 0.0f32, false);
    let mut end = None;
    watch(&set, |frame| {
        let creature = &frame.creatures[0];
        let tree = creature.sits_on().map(|body| plant.tree_index(body.id));
        landed |= frame.number > 0 && tree == Some(set.plants.members[1].trees().start);
        let [a, b] = [0, 1].map(|i| most_moved(&set.plants.members[i], plant, frame.pose));
        first = first.max(a);
        if landed {
            second = second.max(b);
        } else {
            second_before = second_before.max(b);
        }
        end = Some((creature.is_done(), tree));
    });
    assert!(first > 0.01 && second > 0.01, "both are moved: {first} m and {second} m");
    assert!(second_before < 1e-3, "the second stands still until it lands: {second_before} m");
    assert_eq!(end, Some((true, Some(set.plants.members[1].trees().start))));
}
