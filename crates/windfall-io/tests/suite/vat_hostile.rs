//! Vertex animation textures of invalid motions, skins and sizes.

use crate::sway;
use std::path::Path;

use crate::grown::tree;
use crate::source::Source;
use proptest::prelude::*;
use windfall_core::glam::{Vec2, Vec3};
use windfall_core::{Plant, Pose};
use windfall_io::motion::MotionProblem;
use windfall_io::vat::MOST_PIXELS;
use windfall_io::{AnimationError, Clip, Frames, MotionError, VatError, VatLayout, VatOptions, VatReport, export_vat};
use windfall_skin::{Skin, TreeSkin};

fn write(plant: &Plant, skin: &Skin, frames: &mut dyn Frames, path: &Path) -> Result<VatReport, VatError> {
    export_vat(plant, skin, &mut Clip { name: "sway".into(), frames }, VatOptions::default(), path, &mut |_| ())
}

type Change = fn(usize, &mut Pose) -> Result<(), MotionError>;

#[test]
fn hostile_motions_are_errors_and_leave_what_was() {
    let (plant, skin) = tree("oak", 60, 2);
    let rest = Pose::rest(&plant);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oak.glb");
    for name in ["oak.glb", "oak_vat.exr", "oak-remap_info.json"] {
        std::fs::write(folder.path().join(name), name).unwrap();
    }
    let even: Vec<f64> = (0..5).map(|i| f64::from(i) / 30.0).collect();
    let keep: Change = |_, _| Ok(());
    let cases: [(&str, Vec<f64>, Change); 8] = [
        ("the clip has no frame: choose a stretch within the motion", vec![], keep),
        ("frame 1 is at 0.1 s and should be at 0.375 s", vec![0.0, 0.1, 0.2, 0.3, 1.5], keep),
        ("frame 0 is at NaN s", vec![f64::NAN; 3], keep),
        ("frame 1 is at 0 s", vec![0.0; 3], keep),
        ("frame 3: the place of body 0 is not finite", even.clone(), |frame, pose| {
            if frame == 3 {
                pose.positions.fill(Vec3::NAN);
            }
            Ok(())
        }),
        ("frame 1: body 0 is 5.9e38 m from the origin of its tree", even.clone(), |frame, pose| {
            if frame == 1 {
                pose.positions.fill(Vec3::splat(f32::MAX));
            }
            Ok(())
        }),
        ("frame 4 places 1 bodies, and the plant has 60", even.clone(), |frame, pose| {
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
        let error = write(&plant, &skin, &mut Source { times, read }, &path).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        for name in ["oak.glb", "oak_vat.exr", "oak-remap_info.json"] {
            assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), name);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file stays");
    }
}

#[test]
fn hostile_skins_and_places_are_errors() {
    let (plant, skin) = tree("oak", 60, 2);
    let mut frames = sway::frames(&plant, 2.0, 24.0, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oak.glb");
    let empty = Skin { trees: vec![TreeSkin::default()], ..Skin::default() };
    let error = write(&plant, &empty, &mut frames, &path).unwrap_err();
    assert!(matches!(error, VatError::NoVertices), "{error}");
    let mut wrong = skin.clone();
    wrong.trees[0].parts[0].mesh.positions[0] = Vec3::NAN;
    let error = write(&plant, &wrong, &mut frames, &path).unwrap_err();
    assert!(matches!(error, VatError::Animation(AnimationError::Skin(_))), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // A folder in the place of the texture: found before any file is renamed.
    std::fs::create_dir(folder.path().join("oak_vat.exr")).unwrap();
    let error = write(&plant, &skin, &mut frames, &path).unwrap_err();
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
