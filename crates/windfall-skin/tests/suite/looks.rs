//! Looks parse or fail with a reason; textures tile, cover the right area, and are reproducible.

use windfall_core::{LeafKind, materials};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_skin::look::{Look, PaintOptions, paint, paint_bark, paint_fruit, paint_leaf};
use windfall_skin::{Image, LookError};

fn difference(a: [u8; 4], b: [u8; 4]) -> u64 {
    (0..3).map(|c| u64::from(a[c].abs_diff(b[c]))).sum()
}

/// Sum of differences between column `x` and the next (around the edge), and the same for rows.
fn seams(image: &Image, n: usize) -> (u64, u64) {
    let (w, h) = (image.width as usize, image.height as usize);
    let at = |x: usize, y: usize| image.pixels[y % h * w + x % w];
    ((0..h).map(|y| difference(at(n, y), at(n + 1, y))).sum(), (0..w).map(|x| difference(at(x, n), at(x, n + 1))).sum())
}

#[test]
fn every_built_in_look_parses_and_has_a_name_of_its_own() {
    assert_eq!(Look::all().len(), 12);
    for look in Look::all() {
        assert_eq!(Look::named(&look.name), Some(look));
        assert!(!look.about.is_empty());
    }
    for name in ["maple-autumn", "aspen-autumn", "generic"] {
        assert!(Look::named(name).is_some(), "{name}");
    }
    for kind in LeafKind::ALL {
        assert_eq!(Look::named("generic").unwrap().leaf_for("nonsense", kind).kind, kind);
    }
}

#[test]
fn every_library_material_has_a_look() {
    let named = |found: bool, name: &str| assert!(found, "{name} has no look");
    for m in materials::WOOD_MATERIALS {
        named(Look::all().iter().any(|l| l.wood.iter().any(|w| w.materials.iter().any(|n| *n == m.name))), &m.name);
    }
    for m in materials::LEAF_MATERIALS {
        let leaf = Look::all().iter().flat_map(|l| &l.leaf).find(|l| l.materials.iter().any(|n| *n == m.name));
        named(leaf.is_some(), &m.name);
        let leaf = leaf.unwrap();
        assert_eq!(leaf.kind, m.kind);
        assert!((f64::from(leaf.fill) - m.fill).abs() < 1e-3, "{}: fill", m.name);
    }
    for m in materials::FRUIT_MATERIALS {
        named(Look::all().iter().any(|l| l.fruit.iter().any(|f| f.materials.iter().any(|n| *n == m.name))), &m.name);
    }
}

#[test]
fn the_look_of_a_plant_follows_its_materials() {
    for name in ["apple", "cherry", "palm", "pine"] {
        let plant = grow(&Species::named(name).unwrap(), &GrowOptions { bodies: Some(500), seed: 1 }).unwrap();
        let look = Look::of(&plant);
        assert_eq!(look.name, name);
        for m in &plant.parts().wood_materials {
            assert!(look.wood_for(&m.name).materials.iter().any(|n| *n == m.name), "{name}: {}", m.name);
        }
    }
    let mut parts =
        grow(&Species::named("oak").unwrap(), &GrowOptions { bodies: Some(500), seed: 1 }).unwrap().into_parts();
    parts.wood_materials[0].name = "teak".into();
    let look = Look::of(&windfall_core::Plant::new(parts).unwrap());
    assert_eq!(look.name, "generic");
    assert_eq!(look.leaf_for("oak", LeafKind::Leaf).materials, ["oak"]);
}

#[test]
fn barks_tile_exactly() {
    for look in Look::all() {
        for wood in &look.wood {
            for bark in [&wood.bark, &wood.twig] {
                let material = paint_bark(bark, 128, 3);
                for image in [&material.base_color, &material.normal, &material.roughness] {
                    let image = image.as_ref().unwrap();
                    let inner: Vec<(u64, u64)> = (0..127).map(|n| seams(image, n)).collect();
                    let (u, v) = seams(image, 127);
                    assert!(u <= inner.iter().map(|s| s.0).max().unwrap() * 11 / 10 + 8, "{}: {u}", look.name);
                    assert!(v <= inner.iter().map(|s| s.1).max().unwrap() * 11 / 10 + 8, "{}: {v}", look.name);
                }
            }
        }
    }
}

#[test]
fn barks_have_no_hot_corner() {
    // Repetition is visible where one part of a tile is lighter or darker than the rest.
    for look in Look::all() {
        let image = paint_bark(&look.wood[0].bark, 128, 5).base_color.unwrap();
        let mean = |x0: usize, y0: usize, n: usize| -> f64 {
            let sum: u64 = (0..n * n).map(|i| difference(image.pixels[(y0 + i / n) * 128 + x0 + i % n], [0; 4])).sum();
            sum as f64 / (3 * n * n) as f64
        };
        let all = mean(0, 0, 128);
        for quarter in 0..4 {
            let part = mean(quarter % 2 * 64, quarter / 2 * 64, 64);
            assert!((part / all - 1.0).abs() < 0.12, "{}: {part} of {all}", look.name);
        }
    }
}

#[test]
fn leaves_cover_their_fill_and_have_a_petiole() {
    for look in Look::all() {
        for leaf in &look.leaf {
            let image = paint_leaf(leaf, 256, 2).base_color.unwrap();
            let (w, h, n) = (image.width as usize, image.height as usize, leaf.variants as usize);
            assert_eq!(w % n, 0);
            let cell = w / n;
            for variant in 0..n {
                let row = (0.97 * h as f32) as usize;
                let alpha = image.pixels[row * w + variant * cell + cell / 2][3];
                assert!(alpha > 200, "{} {:?}: petiole of variant {variant} has alpha {alpha}", look.name, leaf.kind);
                if matches!(leaf.kind, LeafKind::Leaf | LeafKind::Petal | LeafKind::Leaflet) {
                    let opaque = (0..cell * h)
                        .filter(|i| image.pixels[i / cell * w + variant * cell + i % cell][3] >= 128)
                        .count();
                    let fill = opaque as f32 / (cell * h) as f32;
                    assert!((fill - leaf.fill).abs() < 0.05, "{}: fill {fill} instead of {}", look.name, leaf.fill);
                }
            }
        }
    }
}

#[test]
fn holes_have_the_colours_of_the_leaf() {
    // The mean colour under the holes of a texture is near that of its edge, not black or white.
    for look in Look::all() {
        for leaf in &look.leaf {
            let image = paint_leaf(leaf, 64, 2).base_color.unwrap();
            let mean = |opaque: bool| -> f64 {
                let chosen: Vec<_> = image.pixels.iter().filter(|p| (p[3] > 127) == opaque).collect();
                chosen.iter().map(|p| f64::from(p[1])).sum::<f64>() / chosen.len().max(1) as f64
            };
            let (leaf_green, hole_green) = (mean(true), mean(false));
            assert!((leaf_green - hole_green).abs() < 40.0, "{}: {leaf_green} and {hole_green}", look.name);
        }
    }
}

#[test]
fn painting_is_the_same_every_time_and_on_one_thread() {
    let plant = grow(&Species::named("apple").unwrap(), &GrowOptions { bodies: Some(500), seed: 1 }).unwrap();
    let look = Look::of(&plant);
    let options = PaintOptions { bark: 64, twig: 64, leaf: 64, fruit: 64, seed: 9 };
    let paints = paint(&look, &plant, &options);
    assert_eq!((paints.wood.len(), paints.leaves.len(), paints.fruit.len()), (1, 1, 1));
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(single.install(|| paint(&look, &plant, &options)) == paints);
    assert!(paint(&look, &plant, &PaintOptions { seed: 10, ..options }) != paints);
    assert!(paint_fruit(&look.fruit[0], 64, 1) == paint_fruit(&look.fruit[0], 64, 1));
}

#[test]
fn normals_are_unit_vectors() {
    let oak = Look::named("oak").unwrap();
    for material in [paint_bark(&oak.wood[0].bark, 64, 1), paint_leaf(&oak.leaf[0], 64, 1)] {
        for p in material.normal.unwrap().pixels {
            let n = [p[0], p[1], p[2]].map(|c| f32::from(c) / 127.5 - 1.0);
            let length = n.iter().map(|c| c * c).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 0.02 && n[2] > 0.0, "{n:?}");
        }
    }
}

#[test]
fn wrong_files_say_what_is_wrong() {
    let good = toml::to_string(Look::named("oak").unwrap()).unwrap();
    assert_eq!(Look::from_toml(&good).as_ref(), Ok(Look::named("oak").unwrap()));
    let cases = [
        ("name = \"oak\"", "name = \"\"", "name"),
        ("tile = 0.6", "tile = -1.0", "wood[0].bark.tile = -1"),
        ("tile = 0.6", "tile = nan", "wood[0].bark.tile = NaN"),
        ("across = 11", "across = 4000000000", "plates.across"),
        ("variants = 4", "variants = 0", "variants = 0"),
        ("kind = \"leaf\"", "kind = \"needles\"", "needles"),
        ("kind = \"leaf\"", "kind = \"blossom\"", "petals"),
        ("#3a3029", "#3a302", "six hexadecimal digits"),
        ("curl = ", "curly = ", "curly"),
    ];
    for (from, to, expected) in cases {
        assert!(good.contains(from), "{from}");
        let error = Look::from_toml(&good.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error:?} does not say {expected:?}");
    }
    assert!(matches!(Look::from_toml("hello"), Err(LookError::Toml(_))));
}

#[test]
fn looks_at_the_ends_of_their_ranges_can_be_painted() {
    let text = |n: u32, x: f32| {
        format!(
            r##"
            name = "odd"
            about = "everything at one end of its range"
            [[wood]]
            materials = []
            twig = {{ tile = 0.005, relief = 0.0, crack = "#000000", body = "#000000", crest = "#000000", roughness = 0.0 }}
            [wood.bark]
            tile = 10.0
            relief = 2.0
            crack = "#ffffff"
            body = "#ffffff"
            crest = "#ffffff"
            roughness = {x}
            fibre = {x}
            grain = {x}
            plates = {{ across = {n}, along = {n}, jitter = {x}, stagger = true, warp = {x}, crack = 0.01, round = {x}, flakes = 16, lift = {x}, tone = {x}, cross = {x}, fissures = {x} }}
            rings = {{ count = {n}, waver = {x}, groove = 0.9, gaps = {x} }}
            patches = {{ across = {n}, along = {n}, share = {x}, sharp = {x}, color = "#ff0000" }}
            lenticels = {{ across = {n}, along = {n}, share = {x}, width = 1e-5, height = 1e-5, raise = {x}, color = "#ff0000" }}
            knots = {{ across = 3, along = 3, share = {x}, width = 1.9, height = 1.9, color = "#ff0000" }}
            [[leaf]]
            materials = []
            kind = "leaf"
            fill = {fill}
            variants = 1
            outline = [[0.0, 0.0], [0.001, 0.4], [0.0, 1.0]]
            rounded = true
            teeth = {{ count = 200, size = {tooth} }}
            veins = {{ pairs = 60, angle = 90.0, parallel = 60, tips = [[900.0, -900.0]], width = 0.1, strength = {x} }}
            colors = ["#000000"]
            vein = "#ffffff"
            dry = "#ffffff"
            dry_edge = {x}
            spots = 200
            mottle = {x}
            glow = "#ffffff"
            roughness = {x}
            card = {{ fold = 30.0, curl = 80.0, twist = 60.0, vary = {x}, shade = {x}, hue = {x}, puff = 0.3 }}
            [[fruit]]
            materials = []
            ground = "#000000"
            blush = "#ffffff"
            cover = {x}
            streaks = {x}
            dots = 128
            stalk = "#000000"
            roughness = {x}
            length = 3.0
            dimple = 0.5
            cup = {{ reach = 0.9, scales = 100, color = "#ff0000" }}
            "##,
            fill = if n > 3 { 1.0 } else { 0.05 },
            tooth = 0.2 * x,
        )
    };
    for (n, x) in [(3, 0.0), (128, 1.0), (3, 1.0)] {
        let look = Look::from_toml(&text(n, x)).unwrap();
        for size in [0, 17, 64] {
            let bark = paint_bark(&look.wood[0].bark, size, u64::MAX);
            let twig = paint_bark(&look.wood[0].twig, size, 0);
            let (leaf, fruit) = (paint_leaf(&look.leaf[0], size, 0), paint_fruit(&look.fruit[0], size, 0));
            for material in [bark, twig, leaf, fruit] {
                let image = material.base_color.unwrap();
                assert_eq!(image.pixels.len(), (image.width * image.height) as usize);
                // NaN would have become zero here.
                assert!(material.normal.unwrap().pixels.iter().all(|p| p[2] >= 127));
            }
        }
    }
}
