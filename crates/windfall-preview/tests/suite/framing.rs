//! Automatic framing.

use crate::support;
use crate::support::{add_tube, ball};
use glam::{Quat, Vec3};
use windfall_preview::{
    Background, Camera, Framing, Item, Picture, PictureScene, PictureSurface, PreviewOptions, draw,
};
use windfall_skin::{Material, Mesh};

fn options(width: u32, height: u32) -> PreviewOptions {
    PreviewOptions { width, height, background: Background::Transparent, ground: None, ..PreviewOptions::default() }
}

/// Bounding columns and rows of visible pixels.
fn extent(picture: &Picture) -> (u32, u32, u32, u32) {
    let seen = |&i: &u32| picture.pixels[i as usize][3] > 0;
    let all: Vec<u32> = (0..picture.pixels.len() as u32).filter(seen).collect();
    let columns = all.iter().map(|i| i % picture.width);
    let rows = all.iter().map(|i| i / picture.width);
    (columns.clone().min().unwrap(), columns.max().unwrap(), rows.clone().min().unwrap(), rows.max().unwrap())
}

fn check(mesh: &Mesh, what: &str) {
    let surface = PictureSurface::new(&Material { double_sided: true, ..Material::default() }).unwrap();
    let scene = PictureScene { items: vec![Item::new(mesh, &surface)] };
    for (width, height) in [(160u32, 90u32), (90, 160), (128, 128)] {
        for (azimuth, elevation) in
            [(0.0, 0.0), (0.7, 0.2), (2.5, -0.4), (4.0, 1.2), (0.3, std::f32::consts::FRAC_PI_2)]
        {
            let aspect = width as f32 / height as f32;
            let camera = Camera::framing(scene.points(), azimuth, elevation, 0.6, aspect, 1.0);
            let picture = draw(&scene, &camera, &options(width, height)).unwrap();
            let (left, right, top, bottom) = extent(&picture);
            let name =
                format!("{what}, {width} x {height}, from {azimuth}, {elevation}: {left}-{right}, {top}-{bottom}");
            assert!(left > 0 && top > 0 && right < width - 1 && bottom < height - 1, "touches a border: {name}");
            let fills = ((right - left) as f32 / width as f32).max((bottom - top) as f32 / height as f32);
            assert!(fills >= 0.75, "fills {fills}: {name}");
        }
    }
}

#[test]
fn tall_wide_and_tiny_scenes_fill_the_picture_and_touch_no_border() {
    let pole = |length, radius, turn| {
        let mut mesh = Mesh::default();
        add_tube(&mut mesh, Vec3::new(3.0, 0.0, 2.0), turn, length, radius, radius, 12);
        mesh
    };
    check(&pole(40.0, 0.8, Quat::IDENTITY), "tall");
    check(&pole(60.0, 3.0, Quat::from_rotation_z(1.5)), "wide");
    check(&ball(Vec3::new(0.0, 0.002, 0.0), 0.002, 16), "tiny");
    check(&ball(Vec3::new(900.0, 30.0, -400.0), 25.0, 16), "large and far away");
    let tree = support::tree("oak", 3000, 2, 5);
    check(&tree.trees[0].parts[1].mesh, "crown");
}

#[test]
fn zoom_shows_the_middle() {
    let mesh = ball(Vec3::ZERO, 1.0, 32);
    let surface = PictureSurface::new(&Material::default()).unwrap();
    let scene = PictureScene { items: vec![Item::new(&mesh, &surface)] };
    let width = |zoom: f32| {
        let camera = Camera::framing(scene.points(), 0.0, 0.0, 0.5, 1.0, zoom);
        let picture = draw(&scene, &camera, &options(200, 200)).unwrap();
        let (left, right, ..) = extent(&picture);
        (right - left) as f32
    };
    assert!((width(0.5) / width(1.0) - 0.5).abs() < 0.03);
}

#[test]
fn a_close_up_shows_its_span() {
    let mesh = ball(Vec3::new(5.0, 3.0, 1.0), 0.05, 32);
    let surface = PictureSurface::new(&Material::default()).unwrap();
    let scene = PictureScene { items: vec![Item::new(&mesh, &surface)] };
    for (width, height) in [(200, 100), (100, 200)] {
        let aspect = width as f32 / height as f32;
        let camera = Camera::close_up(Vec3::new(5.0, 3.0, 1.0), 0.2, 1.0, 0.3, 0.4, aspect);
        let picture = draw(&scene, &camera, &options(width, height)).unwrap();
        let (left, right, top, bottom) = extent(&picture);
        // 0.1 m of 0.2 m is half of 100 pixels.
        assert!((46..=56).contains(&(right - left)) && (46..=56).contains(&(bottom - top)));
    }
}

#[test]
fn every_frame_of_an_animation_fits() {
    let mesh = ball(Vec3::ZERO, 1.0, 24);
    let surface = PictureSurface::new(&Material::default()).unwrap();
    let scene = |offset: Vec3| PictureScene { items: vec![Item { offset, ..Item::new(&mesh, &surface) }] };
    let frames = [Vec3::ZERO, Vec3::new(5.0, 1.0, 0.0), Vec3::new(-3.0, 4.0, 6.0), Vec3::new(0.0, -2.0, -9.0)];
    let mut framing = Framing::new(0.4, 0.1, 0.6, 1.5);
    for at in frames {
        framing.add(scene(at).points());
    }
    let camera = framing.camera(1.0);
    let mut around = (u32::MAX, 0, u32::MAX, 0);
    for at in frames {
        let (left, right, top, bottom) = extent(&draw(&scene(at), &camera, &options(150, 100)).unwrap());
        around = (around.0.min(left), around.1.max(right), around.2.min(top), around.3.max(bottom));
    }
    let (left, right, top, bottom) = around;
    assert!(left > 0 && top > 0 && right < 149 && bottom < 99, "{around:?}");
    assert!(right - left > 112 || bottom - top > 75, "fills the picture: {around:?}");
}
