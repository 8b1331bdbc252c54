//! Invalid or extreme scenes and options cause errors or pictures, never panics.

use crate::support;
use crate::support::plate;
use glam::Vec3;
use windfall_preview::{Background, Camera, Item, PictureScene, PictureSurface, PreviewError, PreviewOptions, draw};
use windfall_skin::{Image, Material, Mesh};

fn small() -> PreviewOptions {
    PreviewOptions { width: 64, height: 48, ..PreviewOptions::default() }
}

fn camera() -> Camera {
    Camera { eye: Vec3::new(0.0, 1.0, 5.0), target: Vec3::Y, up: Vec3::Y, field_of_view: 0.8 }
}

fn plain() -> PictureSurface {
    PictureSurface::new(&Material { double_sided: true, ..Material::default() }).unwrap()
}

#[test]
fn sizes_and_options_out_of_range_are_errors() {
    let scene = PictureScene::default();
    for (width, height) in [(0, 10), (10, 0), (100_000, 100_000), (u32::MAX, u32::MAX), (16_384, 16_384)] {
        let result = draw(&scene, &camera(), &PreviewOptions { width, height, ..small() });
        assert!(matches!(result, Err(PreviewError::Size { .. })), "{width} x {height}");
    }
    let broken = [
        PreviewOptions { samples: 0, ..small() },
        PreviewOptions { samples: 4, ..small() },
        PreviewOptions { sun_azimuth: f32::NAN, ..small() },
        PreviewOptions { sun_elevation: f32::INFINITY, ..small() },
        PreviewOptions { exposure: -1.0, ..small() },
        PreviewOptions { sky_strength: f32::NAN, ..small() },
        PreviewOptions { ground: Some(f32::NAN), ..small() },
    ];
    for options in broken {
        assert!(matches!(draw(&scene, &camera(), &options), Err(PreviewError::Option { .. })), "{options:?}");
    }
    let broken = [
        Camera { eye: Vec3::NAN, ..camera() },
        Camera { eye: Vec3::Y, ..camera() },
        Camera { up: Vec3::NEG_Z, target: Vec3::ZERO, eye: Vec3::Z, ..camera() },
        Camera { field_of_view: 0.0, ..camera() },
        Camera { field_of_view: f32::NAN, ..camera() },
    ];
    for camera in broken {
        assert!(matches!(draw(&scene, &camera, &small()), Err(PreviewError::Camera(_))), "{camera:?}");
    }
}

#[test]
fn lists_that_do_not_belong_together_are_errors() {
    let surface = plain();
    let good = plate(Vec3::Y, Vec3::X, Vec3::Y);
    let short = Mesh { normals: vec![Vec3::Y; 3], ..good.clone() };
    let wild = Mesh { triangles: vec![[0, 1, 4]], ..good.clone() };
    let few = Mesh { uvs: vec![glam::Vec2::ZERO], ..good.clone() };
    for mesh in [short, wild, few] {
        let scene = PictureScene { items: vec![Item::new(&good, &surface), Item::new(&mesh, &surface)] };
        assert!(matches!(draw(&scene, &camera(), &small()), Err(PreviewError::Item { item: 1, .. })));
    }
    let moved = [Vec3::ZERO; 2];
    let scene = PictureScene { items: vec![Item { positions: Some(&moved), ..Item::new(&good, &surface) }] };
    assert!(draw(&scene, &camera(), &small()).is_err());
    for (width, height, pixels) in [(0, 0, 0), (2, 2, 3), (u32::MAX, u32::MAX, 1)] {
        let image = Image { width, height, pixels: vec![[0; 4]; pixels] };
        let material = Material { base_color: Some(image), alpha_cutoff: Some(0.5), ..Material::default() };
        assert!(matches!(PictureSurface::new(&material), Err(PreviewError::Image { .. })));
    }
}

#[test]
fn empty_scenes_are_sky_and_ground() {
    let picture = draw(&PictureScene::default(), &camera(), &small()).unwrap();
    assert_ne!(picture.at(5, 2), picture.at(5, 45), "sky is not ground");
    assert!(picture.is_opaque());
    let clear = PreviewOptions { background: Background::Transparent, ..small() };
    let (empty, surface) = (Mesh::default(), plain());
    let scene = PictureScene { items: vec![Item::new(&empty, &surface)] };
    assert!(draw(&scene, &camera(), &clear).unwrap().pixels.iter().all(|p| *p == [0; 4]));
}

#[test]
fn what_is_behind_the_camera_is_not_seen() {
    let surface = plain();
    let behind = plate(Vec3::new(0.0, 1.0, 9.0), Vec3::X, Vec3::Y);
    let scene = PictureScene { items: vec![Item::new(&behind, &surface)] };
    let clear = PreviewOptions { background: Background::Transparent, ..small() };
    assert!(draw(&scene, &camera(), &clear).unwrap().pixels.iter().all(|p| p[3] == 0));
}

#[test]
fn triangles_through_the_eye_are_cut() {
    let surface = plain();
    // A floor 1 m below the eye that extends far behind it: it fills everything below the horizon, nothing
    // above.
    let floor = plate(Vec3::ZERO, Vec3::X * 500.0, Vec3::NEG_Z * 500.0);
    let scene = PictureScene { items: vec![Item::new(&floor, &surface)] };
    let clear = PreviewOptions { background: Background::Transparent, ..small() };
    let picture = draw(&scene, &camera(), &clear).unwrap();
    for x in 0..64 {
        assert!((0..23).all(|y| picture.at(x, y)[3] == 0), "above the horizon");
        assert!((25..48).all(|y| picture.at(x, y)[3] == 255), "below the horizon");
    }
}

#[test]
fn numbers_that_are_none_leave_no_trace() {
    let surface = PictureSurface::new(&Material {
        base_color: Some(Image { width: 1, height: 1, pixels: vec![[120, 120, 120, 255]] }),
        alpha_cutoff: Some(0.5),
        double_sided: true,
        ..Material::default()
    })
    .unwrap();
    let opaque = plain();
    for bad in [f32::NAN, f32::INFINITY, -1e30, 1e37, f32::MIN_POSITIVE] {
        let mut mesh = plate(Vec3::Y, Vec3::X, Vec3::Y);
        let mut rest = plate(Vec3::Y * 1.5, Vec3::X * 0.3, Vec3::Y * 0.3);
        mesh.positions[1].y = bad;
        rest.normals[0] = Vec3::splat(bad);
        rest.uvs[2].x = bad;
        let scene = PictureScene {
            items: vec![Item::new(&mesh, &surface), Item::new(&rest, &surface), Item::new(&rest, &opaque)],
        };
        let picture = draw(&scene, &camera(), &small()).unwrap();
        assert!(picture.is_opaque());
        let framed = Camera::framing(scene.points(), 0.3, 0.3, 0.5, 1.0, 1.0);
        draw(&scene, &framed, &small()).unwrap();
    }
    // A plate without thickness, without area, and a point.
    for (u, v) in [(Vec3::ZERO, Vec3::Y), (Vec3::X, Vec3::X), (Vec3::ZERO, Vec3::ZERO)] {
        let mut mesh = plate(Vec3::Y, Vec3::X, Vec3::Y);
        mesh.positions = vec![Vec3::Y - u - v, Vec3::Y + u - v, Vec3::Y + u + v, Vec3::Y - u + v];
        let scene = PictureScene { items: vec![Item::new(&mesh, &opaque)] };
        draw(&scene, &camera(), &small()).unwrap();
        draw(&scene, &Camera::framing(scene.points(), 0.0, 0.0, 0.5, 1.0, 1.0), &small()).unwrap();
    }
}

#[test]
fn the_sun_may_stand_anywhere() {
    let surface = plain();
    let mesh = plate(Vec3::Y, Vec3::X, Vec3::Y);
    let scene = PictureScene { items: vec![Item::new(&mesh, &surface)] };
    for degrees in [-90f32, -10.0, 0.0, 0.5, 45.0, 90.0, 135.0] {
        draw(&scene, &camera(), &PreviewOptions { sun_elevation: degrees.to_radians(), ..small() }).unwrap();
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let skin = support::tree("maple", 3000, 1, 5);
    let surfaces = PictureSurface::all(&skin.materials).unwrap();
    let scene = PictureScene::of_skin(&skin, &surfaces, &[]);
    let camera = Camera::framing(scene.points(), 0.5, 0.1, 0.5, 4.0 / 3.0, 1.0);
    let options = PreviewOptions { width: 320, height: 240, ..PreviewOptions::default() };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| draw(&scene, &camera, &options).unwrap())
    };
    let one = with(1);
    assert!(one == with(4));
    assert!(one == with(3));
}
