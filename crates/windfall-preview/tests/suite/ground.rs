//! The meadow: detail only where pixels can resolve it, no seam at the horizon, soil at the foot of a
//! trunk.

use crate::support;
use crate::support::{add_tube, image};
use glam::{Quat, Vec3};
use windfall_preview::{Camera, Item, Picture, PictureScene, PictureSurface, PreviewOptions, draw};
use windfall_skin::{Material, Mesh};

fn options() -> PreviewOptions {
    PreviewOptions { width: 240, height: 180, ..PreviewOptions::default() }
}

/// A post of 12 m with a radius of 0.4 m and its surface: bright red, to distinguish it from everything
/// else.
fn post() -> (Mesh, PictureSurface) {
    let mut mesh = Mesh::default();
    add_tube(&mut mesh, Vec3::ZERO, Quat::IDENTITY, 12.0, 0.4, 0.4, 24);
    let red = Some(image(1, 1, |_, _| [230, 20, 20, 255]));
    (mesh, PictureSurface::new(&Material { base_color: red, ..Material::default() }).unwrap())
}

/// Mean and spread of green along a row.
fn row(picture: &Picture, y: u32) -> (f32, f32) {
    let green: Vec<f32> = (0..picture.width).map(|x| f32::from(picture.at(x, y)[1])).collect();
    let mean = green.iter().sum::<f32>() / green.len() as f32;
    let spread = green.iter().map(|g| (g - mean).powi(2)).sum::<f32>() / green.len() as f32;
    (mean, spread.sqrt())
}

/// A horizontal view from eye height: the horizon is at the centre of the picture.
fn level() -> Camera {
    let eye = Vec3::new(0.0, 1.7, 6.0);
    Camera { eye, target: eye - Vec3::Z * 6.0, up: Vec3::Y, field_of_view: 0.6 }
}

#[test]
fn detail_fades_with_distance() {
    // A post behind the camera makes the scene so large that haze does not hide the ground 100 m away,
    // which row 95 shows.
    let (mesh, surface) = post();
    let scene = PictureScene { items: vec![Item { offset: Vec3::Z * 30.0, ..Item::new(&mesh, &surface) }] };
    let picture = draw(&scene, &level(), &options()).unwrap();
    let (near, far) = (row(&picture, 170).1, row(&picture, 95).1);
    assert!(near > 4.0, "blades and tufts are seen near the eye: {near}");
    assert!(far < 2.0, "nothing flickers far away: {far}");
}

#[test]
fn ground_and_distance_meet_without_a_seam() {
    // A long focal length: the wood is at least 12 rows high.
    let picture = draw(&PictureScene::default(), &Camera { field_of_view: 0.06, ..level() }, &options()).unwrap();
    for y in 80..100 {
        let step = (row(&picture, y).0 - row(&picture, y + 1).0).abs();
        assert!(step < 4.0, "row {y}: {step}");
    }
}

#[test]
fn soil_is_bare_around_a_foot_alone() {
    let (mesh, surface) = post();
    let scene = PictureScene { items: vec![Item::new(&mesh, &surface)] };
    // Straight down beside the post, without direct sun.
    let brownness = |x: f32| {
        let target = Vec3::new(x, 0.0, 0.0);
        let camera = Camera { eye: target + Vec3::Y * 3.0, target, up: Vec3::NEG_Z, field_of_view: 0.06 };
        let picture = draw(&scene, &camera, &PreviewOptions { sun_strength: 0.0, ..options() }).unwrap();
        let sum = |c: usize| picture.pixels.iter().map(|p| f64::from(p[c])).sum::<f64>();
        sum(0) / sum(1)
    };
    let (soil, meadow) = (brownness(0.55), brownness(6.0));
    assert!(soil > 1.0 && meadow < 1.0, "red over green {soil} at the foot, {meadow} in the meadow");
}

#[test]
fn blades_stand_before_what_is_behind_them() {
    // A wall beyond the bare soil: grass hides parts of its lower edge, but nothing above the height of
    // grass.
    let wall = support::plate(Vec3::new(0.0, 1.0, -3.0), Vec3::X * 3.0, Vec3::Y);
    let (_, surface) = post();
    let scene = PictureScene { items: vec![Item::new(&wall, &surface)] };
    let camera =
        Camera { eye: Vec3::new(0.0, 0.8, 1.0), target: Vec3::new(0.0, 0.1, -3.0), up: Vec3::Y, field_of_view: 0.2 };
    let picture = draw(&scene, &camera, &options()).unwrap();
    let is_red = |x: u32, y: u32| picture.at(x, y)[0] / 2 > picture.at(x, y)[1];
    let lowest: Vec<u32> = (0..240).map(|x| (0..180).rev().find(|&y| is_red(x, y)).unwrap_or(0)).collect();
    let (least, most) = (*lowest.iter().min().unwrap(), *lowest.iter().max().unwrap());
    assert!(most > least + 2, "the edge is ragged: {least} to {most}");
    assert!(most < least + 40, "grass is short: {least} to {most}");
}

/// Pixels far from any motion must not change between frames.
#[test]
fn the_meadow_stands_still_while_a_tree_sways() {
    let (mesh, surface) = post();
    let camera =
        Camera { eye: Vec3::new(0.0, 3.0, 25.0), target: Vec3::new(0.0, 2.0, 0.0), up: Vec3::Y, field_of_view: 0.6 };
    // The post leans to the left, more at its top; everything outside its range and that of its shadow is
    // at rest.
    let leaning = |lean: f32| -> Vec<Vec3> { mesh.positions.iter().map(|p| *p - Vec3::X * lean * p.y).collect() };
    let frame = |lean: f32, extent: Option<(Vec3, Vec3)>| {
        let positions = leaning(lean);
        let item = Item { positions: Some(&positions), ..Item::new(&mesh, &surface) };
        draw(&PictureScene { items: vec![item] }, &camera, &PreviewOptions { sun_azimuth: 1.6, extent, ..options() })
            .unwrap()
    };
    let right = |picture: &Picture| -> Vec<[u8; 4]> {
        let columns = picture.width * 3 / 4..picture.width;
        (0..picture.height).flat_map(|y| columns.clone().map(move |x| picture.at(x, y))).collect()
    };
    let extent = Some((Vec3::new(-5.4, 0.0, -0.4), Vec3::new(0.4, 12.0, 0.4)));
    let changed = |extent| {
        let (a, b) = (frame(0.0, extent), frame(0.4, extent));
        assert_ne!(a, b, "the post itself moves");
        right(&a).iter().zip(&right(&b)).filter(|(a, b)| a != b).count()
    };
    assert_eq!(changed(extent), 0);
    // Without the extent the haze follows the scene: the test can fail.
    assert!(changed(None) > 0);
}

/// In a close-up the finer shadow map must not follow moving objects either.
#[test]
fn shadows_stand_still_in_a_close_up() {
    let (mesh, surface) = post();
    let mut ball = Mesh::default();
    add_tube(&mut ball, Vec3::ZERO, Quat::IDENTITY, 0.2, 0.1, 0.1, 12);
    let eye = Vec3::new(0.0, 1.5, 6.0);
    let camera = Camera { eye, target: Vec3::new(0.0, 0.5, 0.0), up: Vec3::Y, field_of_view: 0.6 };
    let extent = Some((Vec3::new(-1.5, 0.0, -0.4), Vec3::new(80.4, 12.0, 1.5)));
    let frame = |height: f32| {
        let post = |x: f32| Item { offset: Vec3::X * x, ..Item::new(&mesh, &surface) };
        let ball = Item { offset: Vec3::new(-1.0, height, 1.0), ..Item::new(&ball, &surface) };
        let scene = PictureScene { items: vec![post(0.5), ball, post(80.0)] };
        draw(&scene, &camera, &PreviewOptions { sun_azimuth: -1.0, extent, ..options() }).unwrap()
    };
    let (a, b) = (frame(0.1), frame(0.9));
    assert_ne!(a, b, "the ball itself moves");
    // The ball hides a trace of the sky everywhere, which may change the last bit.
    for y in 0..a.height {
        for x in a.width * 2 / 3..a.width {
            let (a, b) = (a.at(x, y), b.at(x, y));
            assert!((0..4).all(|k| a[k].abs_diff(b[k]) <= 1), "{x}, {y}: {a:?} {b:?}");
        }
    }
    // The shadow of the post is visible there.
    let ground = (a.height * 3 / 5..a.height).flat_map(|y| (a.width * 2 / 3..a.width).map(move |x| (x, y)));
    let green: Vec<u8> = ground.map(|(x, y)| a.at(x, y)[1]).collect();
    let (dark, light) = (*green.iter().min().unwrap(), *green.iter().max().unwrap());
    assert!(f32::from(dark) < 0.6 * f32::from(light), "{dark} {light}");
}
