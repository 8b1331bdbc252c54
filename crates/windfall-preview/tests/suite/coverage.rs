//! Details smaller than a pixel contribute by their area.

use crate::support::{add_tube, image, plate};
use glam::{Quat, Vec3};
use windfall_preview::{Background, Camera, Item, Picture, PictureScene, PictureSurface, PreviewOptions, draw};
use windfall_skin::{Material, Mesh};

fn options() -> PreviewOptions {
    PreviewOptions {
        width: 160,
        height: 160,
        background: Background::Transparent,
        ground: None,
        ..PreviewOptions::default()
    }
}

/// A camera far away on +z whose picture is `height` metres high.
fn far(height: f32) -> Camera {
    Camera { eye: Vec3::Z * 200.0 * height, target: Vec3::ZERO, up: Vec3::Y, field_of_view: 2.0 * 0.0025f32.atan() }
}

fn cover(picture: &Picture) -> f32 {
    picture.pixels.iter().map(|p| f32::from(p[3]) / 255.0).sum()
}

#[test]
fn a_leaf_with_holes_keeps_its_cover_at_any_distance() {
    // Thin stripes: half of the area, and far finer than a pixel.
    let stripes = image(256, 256, |u, _| [90, 120, 40, if (u * 64.0).fract() < 0.5 { 255 } else { 0 }]);
    let needles = image(256, 256, |u, v| [90, 120, 40, if ((u + v) * 32.0).fract() < 0.25 { 255 } else { 0 }]);
    for (alpha, share) in [(stripes, 0.5), (needles, 0.25)] {
        let surface = PictureSurface::new(&Material {
            base_color: Some(alpha),
            alpha_cutoff: Some(0.5),
            double_sided: true,
            ..Material::default()
        })
        .unwrap();
        let card = plate(Vec3::ZERO, Vec3::X * 0.5, Vec3::Y * 0.5);
        let scene = PictureScene { items: vec![Item::new(&card, &surface)] };
        let solid = PictureSurface::new(&Material { double_sided: true, ..Material::default() }).unwrap();
        let whole = PictureScene { items: vec![Item::new(&card, &solid)] };
        for height in [1.5, 4.0, 11.0, 24.0] {
            let expected = share * cover(&draw(&whole, &far(height), &options()).unwrap());
            let got = cover(&draw(&scene, &far(height), &options()).unwrap());
            assert!((got / expected - 1.0).abs() < 0.12, "{share} from a picture of {height} m: {got}, not {expected}");
        }
    }
}

#[test]
fn leaves_one_behind_the_other_have_different_gaps() {
    let half = image(64, 64, |u, _| [90, 120, 40, if (u * 32.0).fract() < 0.5 { 255 } else { 0 }]);
    let surface = PictureSurface::new(&Material {
        base_color: Some(half),
        alpha_cutoff: Some(0.5),
        double_sided: true,
        ..Material::default()
    })
    .unwrap();
    let cards: Vec<Mesh> = (0..8).map(|i| plate(Vec3::Z * i as f32 * 0.01, Vec3::X * 0.5, Vec3::Y * 0.5)).collect();
    let scene = PictureScene { items: cards.iter().map(|card| Item::new(card, &surface)).collect() };
    let picture = draw(&scene, &far(8.0), &options()).unwrap();
    // Eight sheets, each half open at random, would leave 0.4 % open.
    let share = cover(&picture) / (160.0f32 / 8.0).powi(2);
    assert!(share > 0.9, "{share}");
}

#[test]
fn a_wire_thinner_than_a_pixel_keeps_its_mean_darkness() {
    let surface = PictureSurface::new(&Material::default()).unwrap();
    for sides in [3, 6, 16] {
        for width in [0.05f32, 0.15, 0.4, 0.69, 1.0, 2.5] {
            for tilt in [0.0f32, 0.3, 1.2] {
                // Pixels measure 1 mm. Subpixel shifts, as in swaying.
                let shares: Vec<f32> = (0..7)
                    .map(|shift| {
                        let mut mesh = Mesh::default();
                        let turn = Quat::from_rotation_z(tilt);
                        let (radius, x) = (0.5 * width * 1e-3, shift as f32 * 0.00017);
                        add_tube(&mut mesh, turn * Vec3::new(x, -0.05, 0.0), turn, 0.1, radius, radius, sides);
                        let scene = PictureScene { items: vec![Item::new(&mesh, &surface)] };
                        let picture = draw(&scene, &far(0.16), &options()).unwrap();
                        // It has no gaps: it is visible in every row.
                        if width > 0.3 && tilt < 0.5 && sides > 3 {
                            let seen = |y: u32| (0..160).any(|x| picture.at(x, y)[3] > 0);
                            assert!((40..120).all(seen), "{sides} sides, {width} pixels wide, tilted {tilt}");
                        }
                        cover(&picture) / (100.0 * width)
                    })
                    .collect();
                // A three-sided prism with a corner toward the viewer has three quarters of the width of
                // its circumscribed circle.
                let expected = if sides == 3 { 0.75 } else { 1.0 };
                let mean = shares.iter().sum::<f32>() / shares.len() as f32;
                let name = format!("{sides} sides, {width} pixels wide, tilted {tilt}: {shares:?}");
                // The thinnest is covered by twenty samples.
                let slack = if width < 0.1 { 0.2 } else { 0.1 };
                assert!((mean / expected - 1.0).abs() < slack, "{name}");
                if (0.1..1.0).contains(&width) && sides > 3 {
                    let swing = shares.iter().map(|s| (s / mean - 1.0).abs()).fold(0.0, f32::max);
                    assert!(swing < 0.15, "flickers by {swing}: {name}");
                }
            }
        }
    }
}

#[test]
fn edges_are_smooth() {
    let surface = PictureSurface::new(&Material { double_sided: true, ..Material::default() }).unwrap();
    let card = plate(Vec3::ZERO, Vec3::new(1.0, 0.1, 0.0), Vec3::new(-0.1, 1.0, 0.0));
    let scene = PictureScene { items: vec![Item::new(&card, &surface)] };
    for samples in 1..=3 {
        let picture = draw(&scene, &far(4.0), &PreviewOptions { samples, ..options() }).unwrap();
        let levels: std::collections::BTreeSet<u8> = picture.pixels.iter().map(|p| p[3]).collect();
        assert!(levels.len() >= [2, 9, 12][samples as usize - 1], "{samples}: {levels:?}");
        let expected = 4.04 * 40.0f32.powi(2);
        assert!((cover(&picture) / expected - 1.0).abs() < 0.01);
    }
}
