//! Vertex animation textures, read back and played as the shader of `bevy_open_vat` does it, against the skin of the full pose.

#[path = "common/skins.rs"]
mod skins;
#[path = "common/sway.rs"]
mod sway;
#[path = "common/textures.rs"]
mod textures;

use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use textures::{Primitive, Texture, primitives};
use windfall_core::glam::{Vec2, Vec3};
use windfall_core::{Plant, Pose};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::motion::MotionProblem;
use windfall_io::vat::MOST_PIXELS;
use windfall_io::{
    Clip, Frames, MotionError, PoseList, VatError, VatFormat, VatLayout, VatOptions, VatReport, export_vat,
};
use windfall_skin::{Detail, Look, Motion, PaintOptions, Skin, TreeSkin, skin};

const PERIOD: f64 = 2.0;
const RATE: f64 = 24.0;
const FORMATS: [VatFormat; 3] = [VatFormat::Exr16, VatFormat::Exr32, VatFormat::Png16];

fn tree(species: &str, bodies: usize) -> (Plant, Skin) {
    let plant = grow(&Species::named(species).unwrap(), &GrowOptions { bodies: Some(bodies), seed: 1 }).unwrap();
    let textures = PaintOptions { bark: 16, twig: 16, leaf: 16, fruit: 16, ..PaintOptions::default() };
    let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, 2), &textures);
    (plant, skin)
}

fn write(
    plant: &Plant,
    skin: &Skin,
    frames: &mut dyn Frames,
    options: VatOptions,
    path: &Path,
) -> Result<VatReport, VatError> {
    export_vat(plant, skin, &mut Clip { name: "sway".into(), frames }, options, path, &mut |_| ())
}

/// What a reader has of the three files.
struct Reader {
    texture: Texture,
    mesh: Vec<Primitive>,
    min: Vec3,
    max: Vec3,
    frames: usize,
    clip: Value,
}

impl Reader {
    fn new(folder: &Path, name: &str, ending: &str) -> Self {
        let file = |tail: &str| folder.join(format!("{name}{tail}"));
        let text = std::fs::read_to_string(file("-remap_info.json")).unwrap();
        let info: Value = serde_json::from_str(&text).unwrap();
        let remap = &info["os-remap"];
        let vector = |v: &Value| Vec3::from_array(std::array::from_fn(|i| v[i].as_f64().unwrap() as f32));
        Self {
            texture: Texture::of(&file(&format!("_vat.{ending}"))),
            mesh: primitives(&file(".glb")),
            min: vector(&remap["Min"]),
            max: vector(&remap["Max"]),
            frames: remap["Frames"].as_u64().unwrap() as usize,
            clip: info["animations"]["sway"].clone(),
        }
    }

    /// Place and normal of a vertex in a frame, which may lie between two.
    fn vertex(&self, part: &Primitive, vertex: usize, frame: f32) -> (Vec3, Vec3) {
        let frame = frame % self.frames as f32;
        let (now, next) = (frame.floor(), (frame.floor() + 1.0) % self.frames as f32);
        let step = 1.0 / self.texture.height as f32;
        let at = |frame: f32, down: f32| {
            let [r, g, b, _] = self.texture.nearest(part.second_uvs[vertex] + Vec2::new(0.0, frame * step + down));
            Vec3::new(r, g, b)
        };
        let mix = |down: f32| at(now, down).lerp(at(next, down), frame.fract());
        let offset = self.min + mix(0.0) * (self.max - self.min);
        let normal = mix(0.5) * 2.0 - 1.0;
        let to_engine = |v: Vec3| Vec3::new(v.x, v.z, -v.y);
        (part.positions[vertex] + to_engine(offset), to_engine(normal).normalize())
    }
}

fn full(plant: &Plant, skin: &Skin, pose: &Pose) -> Vec<(Vec<Vec3>, Vec<Vec3>)> {
    let motion = Motion::new(&Pose::rest(plant), pose);
    let parts = skin.trees.iter().flat_map(|tree| &tree.parts).filter(|part| !part.mesh.triangles.is_empty());
    let deformed = parts.map(|part| {
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        motion.deform(&part.mesh, &mut positions, &mut normals);
        (positions, normals)
    });
    deformed.collect()
}

/// The farthest that a vertex of a reader is from the skin, and the farthest that a normal is.
fn off(reader: &Reader, frame: f32, full: &[(Vec<Vec3>, Vec<Vec3>)]) -> (f32, f32) {
    assert_eq!(reader.mesh.len(), full.len());
    let (mut place, mut turn) = (0.0_f32, 0.0_f32);
    for (part, (positions, normals)) in reader.mesh.iter().zip(full) {
        assert_eq!((part.positions.len(), part.second_uvs.len()), (positions.len(), positions.len()));
        for (v, (&position, &normal)) in positions.iter().zip(normals).enumerate() {
            let (found, turned) = reader.vertex(part, v, frame);
            place = place.max(found.distance(position));
            turn = turn.max(turned.distance(normal));
        }
    }
    (place, turn)
}

#[test]
fn every_vertex_is_where_the_skin_is() {
    let (plant, skin) = tree("apple", 200);
    for (format, looping) in FORMATS.into_iter().flat_map(|format| [(format, false), (format, true)]) {
        let folder = tempfile::tempdir().unwrap();
        // Two seconds: the last frame is the first.
        let mut frames = sway::frames(&plant, PERIOD, RATE, 49);
        let report =
            write(&plant, &skin, &mut frames, VatOptions { format, looping }, &folder.path().join("oak.glb")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file stays");
        let reader = Reader::new(folder.path(), "oak", if format == VatFormat::Png16 { "png" } else { "exr" });
        assert_eq!((reader.texture.width, reader.texture.height), (report.width, report.height));
        assert!(reader.texture.width.is_power_of_two() && reader.texture.height.is_power_of_two());
        assert!(report.vertices > report.width, "several rows of vertices");
        assert!(reader.mesh.iter().all(|part| !part.has_colors));

        let count = if looping { 48 } else { 49 };
        assert_eq!(reader.frames, count);
        assert_eq!(reader.clip["startFrame"], 0);
        assert_eq!(reader.clip["endFrame"], 48);
        assert_eq!(reader.clip["framerate"], 24.0);
        assert_eq!(reader.clip["looping"], looping);

        // Half of the last bit of a number from 0.5 to 1 along each axis, or of the smallest step; and rounding of the sum in f32.
        let range = reader.max - reader.min;
        let (step, steps_of_normals) = match format {
            VatFormat::Exr16 => (1.0 / 4096.0, 1.0 / 4096.0),
            VatFormat::Exr32 => (f32::EPSILON, f32::EPSILON),
            VatFormat::Png16 => (0.5 / 65535.0, 0.5 / 65535.0),
        };
        let (bound, turn_bound) = (range.length() * step + 2e-6, 2.0 * 3.0_f32.sqrt() * steps_of_normals + 1e-6);
        let mut worst = 0.0_f32;
        for frame in 0..count {
            let (place, turn) = off(&reader, frame as f32, &full(&plant, &skin, &frames.poses[frame]));
            assert!(place <= bound, "{format:?} frame {frame}: {place} m beyond {bound}");
            assert!(turn <= turn_bound, "{format:?} frame {frame}: {turn} beyond {turn_bound}");
            worst = worst.max(place);
        }
        assert!((f64::from(worst) - report.largest_m).abs() < 2e-6, "{worst} and {}", report.largest_m);
        if looping {
            let (place, _) = off(&reader, 48.0, &full(&plant, &skin, &frames.poses[48]));
            assert!(place <= bound + 1e-5, "the end is the beginning: {place}");
        }
    }
}

#[test]
fn filtering_between_rows_stays_with_the_vertex() {
    let (plant, skin) = tree("apple", 200);
    for looping in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let options = VatOptions { format: VatFormat::Exr32, looping };
        let mut frames = sway::frames(&plant, PERIOD, RATE, 9);
        write(&plant, &skin, &mut frames, options, &folder.path().join("a.glb")).unwrap();
        let reader = Reader::new(folder.path(), "a", "exr");
        let step = 1.0 / reader.texture.height as f32;
        for uv in reader.mesh.iter().flat_map(|part| &part.second_uvs) {
            for down in [0.0, 0.5] {
                let at = |frame: f32| reader.texture.between_rows(*uv + Vec2::new(0.0, frame * step + down));
                let (last, first) =
                    (reader.frames as f32 - 1.0, if looping { 0.0 } else { reader.frames as f32 - 1.0 });
                let (half_way, a, b) = (at(last + 0.5), at(last), at(first));
                for c in 0..3 {
                    assert!((half_way[c] - 0.5 * (a[c] + b[c])).abs() < 1e-3);
                }
            }
        }
    }
}

#[test]
fn several_trees_and_hard_names() {
    let (plant, skin) = skins::two_trees();
    let folder = tempfile::tempdir().unwrap();
    let mut frames = sway::frames(&plant, PERIOD, RATE, 4);
    let path = folder.path().join("tree.v1 ö.glb");
    let report = write(&plant, &skin, &mut frames, VatOptions::default(), &path).unwrap();
    assert_eq!(report.texture.file_name().unwrap(), "tree.v1 ö_vat.exr");
    let reader = Reader::new(folder.path(), "tree.v1 ö", "exr");
    for frame in 0..4 {
        let (place, _) = off(&reader, frame as f32, &full(&plant, &skin, &frames.poses[frame]));
        assert!(f64::from(place) <= report.largest_m + 2e-6 && report.largest_m < 1e-3);
    }
}

#[test]
fn what_does_not_move_needs_no_range() {
    let (plant, skin) = tree("oak", 60);
    let folder = tempfile::tempdir().unwrap();
    let mut frames = PoseList { poses: vec![Pose::rest(&plant)], frames_per_second: 30.0 };
    for looping in [false, true] {
        let options = VatOptions { format: VatFormat::Exr16, looping };
        let report = write(&plant, &skin, &mut frames, options, &folder.path().join("still.glb")).unwrap();
        assert_eq!(report.frames, 1);
        let reader = Reader::new(folder.path(), "still", "exr");
        let (place, _) = off(&reader, 0.0, &full(&plant, &skin, &frames.poses[0]));
        assert!(place < 1e-5, "{place}");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let (plant, skin) = tree("apple", 200);
    let write_with = |threads: usize, format: VatFormat| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.glb");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut frames = sway::frames(&plant, PERIOD, RATE, 20);
        let report = pool.install(|| {
            let clip = &mut Clip { name: "sway".into(), frames: &mut frames };
            export_vat(&plant, &skin, clip, VatOptions { format, looping: false }, &path, &mut |_| ()).unwrap()
        });
        [path, report.texture, report.remap].map(|file| std::fs::read(file).unwrap())
    };
    for format in FORMATS {
        assert!(write_with(1, format) == write_with(4, format), "{format:?}");
    }
}

/// Frames that are asked for one by one.
struct Source<F: FnMut(usize, &mut Pose) -> Result<(), MotionError>> {
    times: Vec<f64>,
    read: F,
}

impl<F: FnMut(usize, &mut Pose) -> Result<(), MotionError>> Frames for Source<F> {
    fn len(&self) -> usize {
        self.times.len()
    }

    fn time(&self, frame: usize) -> f64 {
        self.times[frame]
    }

    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        (self.read)(frame, pose)
    }
}

#[test]
fn hostile_motions_are_errors_and_leave_what_was() {
    let (plant, skin) = tree("oak", 60);
    let rest = Pose::rest(&plant);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oak.glb");
    for name in ["oak.glb", "oak_vat.exr", "oak-remap_info.json"] {
        std::fs::write(folder.path().join(name), name).unwrap();
    }
    let even: Vec<f64> = (0..5).map(|i| f64::from(i) / 30.0).collect();
    type Change = fn(usize, &mut Pose) -> Result<(), MotionError>;
    let keep: Change = |_, _| Ok(());
    let cases: [(&str, Vec<f64>, Change); 8] = [
        ("the clip has no frame: choose a stretch within the motion", vec![], keep),
        ("frame 1 is at 0.1 s and should be at 0.375 s", vec![0.0, 0.1, 0.2, 0.3, 1.5], keep),
        ("frame 0 is at NaN s", vec![f64::NAN; 3], keep),
        ("frame 0 is at 0 s", vec![0.0; 3], keep),
        ("is at no finite place", even.clone(), |frame, pose| {
            if frame == 3 {
                pose.positions.fill(Vec3::NAN);
            }
            Ok(())
        }),
        ("is at no finite place", even.clone(), |frame, pose| {
            if frame == 1 {
                pose.positions.fill(Vec3::splat(f32::MAX));
                pose.positions[0] = Vec3::splat(f32::INFINITY);
            }
            Ok(())
        }),
        ("frame 4 places 1 bodies, the plant has 60", even.clone(), |frame, pose| {
            if frame == 4 {
                pose.positions.truncate(1);
                pose.orientations.truncate(1);
            }
            Ok(())
        }),
        ("damaged file: torn", even, |frame, _| {
            let problem = || MotionProblem::Damaged("torn".into());
            if frame < 4 { Ok(()) } else { Err(MotionError { path: "a.wfm".into(), problem: problem() }) }
        }),
    ];
    for (expected, times, change) in cases {
        let read = |frame: usize, pose: &mut Pose| {
            pose.clone_from(&rest);
            change(frame, pose)
        };
        let error = write(&plant, &skin, &mut Source { times, read }, VatOptions::default(), &path).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        for name in ["oak.glb", "oak_vat.exr", "oak-remap_info.json"] {
            assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), name);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file stays");
    }
}

#[test]
fn hostile_skins_and_places_are_errors() {
    let (plant, skin) = tree("oak", 60);
    let mut frames = sway::frames(&plant, PERIOD, RATE, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oak.glb");
    let empty = Skin { trees: vec![TreeSkin::default()], ..Skin::default() };
    let error = write(&plant, &empty, &mut frames, VatOptions::default(), &path).unwrap_err();
    assert!(matches!(error, VatError::NoVertices), "{error}");
    let mut wrong = skin.clone();
    wrong.trees[0].parts[0].mesh.positions[0] = Vec3::NAN;
    let error = write(&plant, &wrong, &mut frames, VatOptions::default(), &path).unwrap_err();
    assert!(matches!(error, VatError::Skin(_)), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // A folder where the texture should be: found before anything gets its name.
    std::fs::create_dir(folder.path().join("oak_vat.exr")).unwrap();
    let error = write(&plant, &skin, &mut frames, VatOptions::default(), &path).unwrap_err();
    assert!(error.to_string().contains("is not a file"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn too_much_for_a_texture_says_what_fits() {
    let error = VatLayout::new(600_000, 121).unwrap_err().to_string();
    assert!(error.contains("600000 vertices in 121 frames don't fit into a texture of 8192 by 8192"), "{error}");
    // 33 times 122 rows fit into 4096; 55 rows for each frame with 74 columns of vertices.
    assert!(error.contains("at most 270336 vertices") && error.contains("at most 54 frames"), "{error}");
    assert!(VatLayout::new(usize::MAX, usize::MAX).is_err());
}

proptest! {
    #[test]
    fn pixels_belong_to_one_vertex_and_frame(vertices in 1_usize..3000, frames in 1_usize..60) {
        let layout = VatLayout::new(vertices, frames).unwrap();
        let mut taken = vec![false; layout.width * layout.height];
        for vertex in 0..vertices {
            let uv = layout.uv(vertex);
            let place = |uv: Vec2| ((uv.x * layout.width as f32) as usize, (uv.y * layout.height as f32) as usize);
            for frame in 0..=frames {
                for down in [0.0, 0.5] {
                    let (x, y) = place(uv + Vec2::new(0.0, frame as f32 / layout.height as f32 + down));
                    prop_assert!(x < layout.width && y < layout.height);
                    prop_assert_eq!(y >= layout.height / 2, down > 0.0);
                    prop_assert!(!std::mem::replace(&mut taken[y * layout.width + x], true));
                }
            }
        }
    }

    #[test]
    fn what_fits_is_said_truly(vertices in 1_usize..2_000_000, frames in 1_usize..6000) {
        match VatLayout::new(vertices, frames) {
            Ok(layout) => {
                prop_assert!(layout.width <= MOST_PIXELS && layout.height <= MOST_PIXELS);
                prop_assert!(vertices.div_ceil(layout.width) * (frames + 1) * 2 <= layout.height);
            }
            Err(VatError::TooLarge { most_vertices, most_frames, .. }) => {
                prop_assert!(most_vertices == 0 || VatLayout::new(most_vertices, frames).is_ok());
                prop_assert!(VatLayout::new(most_vertices + 1, frames).is_err());
                prop_assert!(most_frames == 0 || VatLayout::new(vertices, most_frames).is_ok());
                prop_assert!(VatLayout::new(vertices, most_frames + 1).is_err());
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
