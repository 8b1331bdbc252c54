//! Direction and amount of light agree with geometry.

use crate::support;
use crate::support::{ball, image, plate};
use glam::{Vec2, Vec3};
use windfall_preview::{Background, Camera, Item, Picture, PictureScene, PictureSurface, PreviewOptions, Tone, draw};
use windfall_skin::{Material, Mesh};

/// Sun alone, no tone curve, no background.
fn sun_only() -> PreviewOptions {
    PreviewOptions {
        width: 200,
        height: 200,
        sky_strength: 0.0,
        sun_strength: 0.3,
        tone: Tone::Linear,
        background: Background::Plain([0; 3]),
        ground: None,
        ..PreviewOptions::default()
    }
}

fn matte() -> PictureSurface {
    PictureSurface::new(&Material { roughness_factor: 1.0, ..Material::default() }).unwrap()
}

/// Green, linear, 0 to 1.
fn light(p: [u8; 4]) -> f32 {
    let v = f32::from(p[1]) / 255.0;
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

fn toward(azimuth: f32, elevation: f32) -> Vec3 {
    Vec3::new(azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos())
}

/// Mean light of a square of pixels around a point.
fn mean(picture: &Picture, x: f32, y: f32, half: u32) -> f32 {
    let (x, y) = (x as u32, y as u32);
    let n = (2 * half + 1).pow(2) as f32;
    (y - half..=y + half)
        .flat_map(|j| (x - half..=x + half).map(move |i| (i, j)))
        .map(|(i, j)| light(picture.at(i, j)))
        .sum::<f32>()
        / n
}

#[test]
fn a_white_ball_is_lit_by_the_cosine() {
    let (mesh, surface) = (ball(Vec3::ZERO, 1.0, 64), matte());
    let scene = PictureScene { items: vec![Item::new(&mesh, &surface)] };
    let options = sun_only();
    let sun = toward(options.sun_azimuth, options.sun_elevation);
    // From a distance with nearly parallel rays; the picture is 2.4 m high.
    let camera =
        Camera { eye: Vec3::Z * 1000.0, target: Vec3::ZERO, up: Vec3::Y, field_of_view: 2.0 * 0.0012f32.atan() };
    let picture = draw(&scene, &camera, &options).unwrap();
    let at = |n: Vec3| (100.0 + n.x / 1.2 * 100.0, 100.0 - n.y / 1.2 * 100.0);
    let (x, y) = at(sun);
    let brightest = mean(&picture, x, y, 1);
    assert!(brightest > 0.5, "the point that faces the sun is bright: {brightest}");
    for (i, p) in picture.pixels.iter().enumerate() {
        let n = Vec2::new((i % 200) as f32 - 99.5, 99.5 - (i / 200) as f32) * 0.012;
        if n.length() > 0.9 {
            continue;
        }
        let normal = n.extend((1.0 - n.length_squared()).sqrt());
        let expected = normal.dot(sun).max(0.0);
        // A white ball has a faint highlight beside its diffuse light, and the sun a faint glow in the
        // shadow.
        let got = light(*p) / brightest;
        assert!((got - expected).abs() < 0.07, "at {normal}: {got} instead of {expected}");
    }
}

#[test]
fn the_shadow_of_a_plate_falls_where_geometry_says() {
    let floor = plate(Vec3::ZERO, Vec3::X * 4.0, Vec3::NEG_Z * 4.0);
    let roof = plate(Vec3::new(0.0, 1.0, 0.0), Vec3::X * 0.5, Vec3::NEG_Z * 0.5);
    let surface = matte();
    let scene = PictureScene { items: vec![Item::new(&floor, &surface), Item::new(&roof, &surface)] };
    let options =
        PreviewOptions { sun_azimuth: std::f32::consts::FRAC_PI_2, sun_elevation: 45f32.to_radians(), ..sun_only() };
    // Straight down from far away: 8 m fill the picture.
    let camera =
        Camera { eye: Vec3::Y * 1000.0, target: Vec3::ZERO, up: Vec3::NEG_Z, field_of_view: 2.0 * 0.004f32.atan() };
    let picture = draw(&scene, &camera, &options).unwrap();
    let at = |x: f32, z: f32| mean(&picture, 100.0 + x * 25.0, 100.0 + z * 25.0, 1);
    let open = at(2.5, 0.0);
    assert!(open > 0.3);
    // The sun is at +x: the shadow of an object at 1 m height is 1 m toward -x, from -1.5 to -0.5 (the
    // roof hides the rest).
    assert!(at(-1.2, 0.0) < 0.1 * open, "shadow");
    assert!(at(-0.8, 0.35) < 0.1 * open, "shadow");
    for (x, z) in [(-1.75, 0.0), (-1.0, 0.7), (-1.0, -0.7), (0.9, 0.0)] {
        assert!(at(x, z) > 0.9 * open, "light at {x}, {z}: {} of {open}", at(x, z));
    }
}

#[test]
fn light_goes_through_holes() {
    let floor = plate(Vec3::ZERO, Vec3::X * 4.0, Vec3::NEG_Z * 4.0);
    let roof = plate(Vec3::new(0.0, 1.0, 0.0), Vec3::X, Vec3::NEG_Z);
    let holes = image(64, 64, |u, v| [200, 200, 200, if (u - 0.5).hypot(v - 0.5) < 0.25 { 0 } else { 255 }]);
    let sheet =
        Material { base_color: Some(holes), alpha_cutoff: Some(0.5), double_sided: true, ..Material::default() };
    let (solid, sheet) = (matte(), PictureSurface::new(&sheet).unwrap());
    let scene = PictureScene { items: vec![Item::new(&floor, &solid), Item::new(&roof, &sheet)] };
    let options =
        PreviewOptions { sun_azimuth: std::f32::consts::FRAC_PI_2, sun_elevation: 30f32.to_radians(), ..sun_only() };
    let camera =
        Camera { eye: Vec3::Y * 1000.0, target: Vec3::ZERO, up: Vec3::NEG_Z, field_of_view: 2.0 * 0.004f32.atan() };
    let picture = draw(&scene, &camera, &options).unwrap();
    let at = |x: f32, z: f32| mean(&picture, 100.0 + x * 25.0, 100.0 + z * 25.0, 1);
    let open = at(3.0, 0.0);
    // The shadow is 1.73 m toward -x. Its centre is lit through the hole, its rim is not.
    assert!(at(-1.73, 0.0) > 0.9 * open, "{} of {open}", at(-1.73, 0.0));
    assert!(at(-2.5, 0.0) < 0.1 * open);
    assert!(at(-1.73, 0.75) < 0.1 * open);
    // The camera sees the floor through the hole too; there the roof's own shadow does not reach.
    assert!(at(0.0, 0.0) > 0.9 * open);
}

#[test]
fn leaves_glow_when_lit_from_behind() {
    let leaf = |translucent: bool| {
        let one = |c: [u8; 4]| Some(image(1, 1, move |_, _| c));
        PictureSurface::new(&Material {
            base_color: one([90, 120, 50, 255]),
            translucency: if translucent { one([110, 150, 40, 255]) } else { None },
            double_sided: true,
            ..Material::default()
        })
        .unwrap()
    };
    let card = plate(Vec3::ZERO, Vec3::X, Vec3::Y);
    let options = PreviewOptions { sun_azimuth: 0.0, sun_elevation: 20f32.to_radians(), ..sun_only() };
    let middle = |surface: &PictureSurface, eye: Vec3| {
        let scene = PictureScene { items: vec![Item::new(&card, surface)] };
        let camera = Camera { eye, target: Vec3::ZERO, up: Vec3::Y, field_of_view: 0.3 };
        mean(&draw(&scene, &camera, &options).unwrap(), 100.0, 100.0, 2)
    };
    let behind = Vec3::NEG_Z * 4.0;
    let (glow, dull) = (middle(&leaf(true), behind), middle(&leaf(false), behind));
    assert!(glow > 5.0 * dull && glow > 0.05, "{glow} against {dull}");
}

#[test]
fn normal_maps_tilt_toward_u_and_up() {
    let with_normal = |n: Vec3| {
        let c = (n.normalize() * 127.5 + 127.5).to_array().map(|v| v.round() as u8);
        let map = image(2, 2, |_, _| [c[0], c[1], c[2], 255]);
        PictureSurface::new(&Material { normal: Some(map), ..Material::default() }).unwrap()
    };
    let card: Mesh = plate(Vec3::ZERO, Vec3::X, Vec3::Y);
    let look = |azimuth: f32, elevation: f32, n: Vec3| {
        let options = PreviewOptions { sun_azimuth: azimuth, sun_elevation: elevation, ..sun_only() };
        let surface = with_normal(n);
        let scene = PictureScene { items: vec![Item::new(&card, &surface)] };
        let camera = Camera { eye: Vec3::Z * 4.0, target: Vec3::ZERO, up: Vec3::Y, field_of_view: 0.3 };
        mean(&draw(&scene, &camera, &options).unwrap(), 100.0, 100.0, 2)
    };
    let (right, up) = (Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 0.6, 0.8));
    // u runs along +x, and the image's upper edge is at +y.
    assert!(look(0.9, 0.3, right) > 1.3 * look(0.9, 0.3, Vec3::Z));
    assert!(look(-0.9, 0.3, right) < 0.5 * look(-0.9, 0.3, Vec3::Z));
    assert!(look(0.0, 1.0, up) > 1.3 * look(0.0, 1.0, Vec3::Z));
}

#[test]
fn under_a_crown_there_is_less_sky() {
    let skin = support::tree("oak", 20_000, 1, 4);
    let surfaces = PictureSurface::all(&skin.materials).unwrap();
    let tree = PictureScene::of_skin(&skin, &surfaces, &[]);
    let sky = PreviewOptions {
        sun_strength: 0.0,
        sky_strength: 0.5,
        background: Background::Sky,
        ground: Some(0.0),
        ..sun_only()
    };
    let camera = Camera { eye: Vec3::new(0.0, 1.0, 10.0), target: Vec3::ZERO, up: Vec3::Y, field_of_view: 0.2 };
    let ground = |scene: &PictureScene<'_>| mean(&draw(scene, &camera, &sky).unwrap(), 110.0, 110.0, 2);
    let (under, open) = (ground(&tree), ground(&PictureScene::default()));
    assert!(under < 0.7 * open && under > 0.05 * open, "{under} of {open}");
}
