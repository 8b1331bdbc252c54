//! Leaves have the requested area and angles.

use std::f64::consts::FRAC_PI_2;
use std::fmt::Write as _;

use windfall_core::glam::Vec3;
use windfall_core::{Leaf, Plant, Summary};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_scan::{AngleDistribution, Foliage, Import, ImportOptions, LeafArea, import, write};

/// A grown tree without its leaves, as a scan.
fn bare() -> String {
    let maple = Species::named("maple").unwrap();
    write::plain_csv(&grow(&maple, &GrowOptions { bodies: Some(5000), seed: 1 }).unwrap())
}

fn foliage(area: LeafArea) -> Foliage {
    Foliage::of(&Species::named("oak").unwrap(), area, 5).unwrap()
}

fn leafy(foliage: Foliage) -> Import {
    import(bare().as_bytes(), &ImportOptions { leaves: Some(foliage), ..ImportOptions::default() }).unwrap()
}

fn area(plant: &Plant) -> f64 {
    plant.leaves().iter().map(Leaf::area).sum()
}

/// Integral by Simpson's rule.
fn integral(f: impl Fn(f64) -> f64, to: f64) -> f64 {
    let n = 2000;
    let h = to / f64::from(n);
    let sum: f64 = (1..n).map(|i| f(h * f64::from(i)) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    h / 3.0 * (f(0.0) + sum + f(to))
}

#[test]
fn densities_quantiles_and_cumulatives_belong_together() {
    for d in AngleDistribution::ALL {
        assert_eq!(AngleDistribution::named(d.name()), Some(d));
        assert!((integral(|t| d.density(t), FRAC_PI_2) - 1.0).abs() < 1e-9, "{}", d.name());
        for i in 0..=1000 {
            let u = f64::from(i) / 1000.0;
            let theta = d.quantile(u);
            assert!((0.0..=FRAC_PI_2).contains(&theta));
            assert!((d.cumulative(theta) - u).abs() < 1e-12, "{} {u}", d.name());
            assert!((integral(|t| d.density(t), theta) - d.cumulative(theta)).abs() < 1e-9);
        }
    }
}

/// Analytic mean inclinations: `integral theta g dtheta`. Planophile and erectophile: pi/4 -+ 1/pi;
/// plagiophile, extremophile and uniform: pi/4; spherical: 1 rad.
#[test]
fn mean_inclinations_are_those_of_de_wit() {
    use std::f64::consts::{FRAC_PI_4, PI};
    for (d, mean) in [
        (AngleDistribution::Spherical, 1.0),
        (AngleDistribution::Uniform, FRAC_PI_4),
        (AngleDistribution::Planophile, FRAC_PI_4 - 1.0 / PI),
        (AngleDistribution::Erectophile, FRAC_PI_4 + 1.0 / PI),
        (AngleDistribution::Plagiophile, FRAC_PI_4),
        (AngleDistribution::Extremophile, FRAC_PI_4),
    ] {
        let n = 10_000;
        let found = (0..n).map(|i| d.quantile((f64::from(i) + 0.5) / f64::from(n))).sum::<f64>() / f64::from(n);
        assert!((found - mean).abs() < 1e-4, "{}: {found} {mean}", d.name());
    }
}

#[test]
fn leaves_of_a_plant_are_distributed_as_asked() {
    for d in AngleDistribution::ALL {
        let plant = leafy(Foliage { angles: d, ..foliage(LeafArea::Total(60.0)) }).plant;
        let n = plant.leaves().len();
        assert!(n > 5000, "{n}");
        let mut angles: Vec<f64> =
            plant.leaves().iter().map(|l| f64::from((l.orientation * Vec3::Z).y.clamp(-1.0, 1.0)).acos()).collect();
        angles.sort_by(f64::total_cmp);
        // Kolmogorov's distance; 1.95 / sqrt(n) is exceeded once in a thousand times.
        let distance = angles
            .iter()
            .enumerate()
            .map(|(i, &t)| {
                let g = d.cumulative(t);
                (g - i as f64 / n as f64).abs().max((g - (i + 1) as f64 / n as f64).abs())
            })
            .fold(0.0, f64::max);
        assert!(distance < 1.95 / (n as f64).sqrt(), "{}: {distance}", d.name());
        // Uniform azimuth: the mean of unit vectors of n random directions is about 1 / sqrt(n) long.
        let sum: Vec3 = plant
            .leaves()
            .iter()
            .map(|l| l.orientation * Vec3::Z)
            .map(|z| Vec3::new(z.x, 0.0, z.z).normalize_or_zero())
            .sum();
        assert!(sum.length() / (n as f32).sqrt() < 3.0, "{}", d.name());
    }
}

#[test]
fn the_area_is_exact() {
    for wanted in [0.5, 12.0, 80.0] {
        let plant = leafy(foliage(LeafArea::Total(wanted))).plant;
        assert!((area(&plant) / wanted - 1.0).abs() < 1e-5, "{wanted}: {}", area(&plant));
    }
    let bare = import(bare().as_bytes(), &ImportOptions::default()).unwrap().plant;
    let crown = Summary::of(&bare).trees[0].crown_area_m2;
    let plant = leafy(foliage(LeafArea::Index(3.0))).plant;
    assert!((area(&plant) / (3.0 * crown) - 1.0).abs() < 1e-5);
}

#[test]
fn leaves_grow_on_thin_wood_and_are_as_large_as_those_of_the_species() {
    let oak = Species::named("oak").unwrap().leaf.unwrap();
    let plant = leafy(Foliage { most_radius: Some(0.004), ..foliage(LeafArea::Total(40.0)) }).plant;
    for leaf in plant.leaves() {
        let on = &plant.segments()[leaf.parent as usize];
        assert!(0.5 * (on.base_radius + on.tip_radius) <= 0.004);
        let ratio = f64::from(leaf.length) / oak.length;
        assert!((ratio - 1.0).abs() < 1.2 * oak.variation, "{ratio}");
        // The petiole begins at the bark.
        let along = (leaf.position - on.position).dot(on.orientation * Vec3::Y);
        let away = (leaf.position - on.position - on.orientation * Vec3::Y * along).length();
        let radius = on.base_radius + (on.tip_radius - on.base_radius) * along / on.length;
        assert!((-1e-4..=on.length + 1e-4).contains(&along) && (away - radius).abs() < 1e-4, "{along} {away} {radius}");
    }
}

/// Poles of 1 m and 1 cm radius, each a tree.
fn poles(count: usize) -> String {
    let mut text = "start_x,start_y,start_z,end_x,end_y,end_z,radius,tree\n".to_owned();
    for i in 0..count {
        let _ = writeln!(text, "{i},0,0,{i},0,1,0.01,{i}");
    }
    text
}

/// A total is shared by all trees: none of it is lost where each has less than half a leaf, or a leaf
/// and a half.
#[test]
fn many_trees_share_the_area() {
    let oak = foliage(LeafArea::Total(1.0));
    let one = oak.material.fill * oak.habit.length * oak.habit.width;
    for (wanted, count) in [(2.0, 2), (7.3, 7), (1.0, 1), (22.0, 22)] {
        let leaves = Some(Foliage { area: LeafArea::Total(wanted * one), ..oak.clone() });
        let scan = import(poles(5).as_bytes(), &ImportOptions { leaves, ..ImportOptions::default() }).unwrap();
        assert_eq!((scan.plant.trees().len(), scan.plant.leaves().len()), (5, count), "{wanted}");
        assert!((area(&scan.plant) / (wanted * one) - 1.0).abs() < 1e-5, "{wanted}: {}", area(&scan.plant));
        // No tree exceeds its share by more than one leaf.
        let mut own = [0_usize; 5];
        for leaf in scan.plant.leaves() {
            own[scan.plant.tree_index(scan.plant.segment_id(leaf.parent as usize))] += 1;
        }
        assert!(own.iter().all(|&n| (n as f64 - wanted / 5.0).abs() < 1.0), "{wanted}: {own:?}");
        let bare = own.iter().filter(|&&n| n == 0).count();
        let note = &scan.report.notes[0];
        assert_eq!(note.contains(&format!("none on {bare} of 5 trees")), bare > 0, "{note}");
    }
}

/// The radius of the thickest wood that bears a leaf, m.
fn thickest_leafy(radii: [f64; 3]) -> f32 {
    let mut text = "id,parent,start_x,start_y,start_z,end_x,end_y,end_z,radius,branch\n".to_owned();
    for (i, radius) in radii.iter().enumerate() {
        let _ = writeln!(text, "{},{i},0,0,{i},0,0,{},{radius},1", i + 1, i + 1);
    }
    let options = ImportOptions { leaves: Some(foliage(LeafArea::Total(1.0))), ..ImportOptions::default() };
    let plant = import(text.as_bytes(), &options).unwrap().plant;
    let on = |leaf: &Leaf| &plant.segments()[leaf.parent as usize];
    plant.leaves().iter().map(|leaf| 0.5 * (on(leaf).base_radius + on(leaf).tip_radius)).fold(0.0, f32::max)
}

#[test]
fn trunks_bear_leaves_only_where_there_is_nothing_else() {
    assert!(thickest_leafy([0.1, 0.05, 0.01]) < 0.035);
    assert!(thickest_leafy([0.1, 0.08, 0.06]) < 0.08);
}

#[test]
fn a_seed_is_an_arrangement() {
    let with = |seed| leafy(Foliage { seed, ..foliage(LeafArea::Total(5.0)) }).plant;
    assert_eq!(with(3), with(3));
    assert_ne!(with(3), with(4));
}

#[test]
fn leaves_that_cannot_be_are_refused() {
    let error = |foliage: Foliage| {
        let options = ImportOptions { leaves: Some(foliage), ..ImportOptions::default() };
        import(bare().as_bytes(), &options).map(|_| ()).unwrap_err().to_string()
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(error(foliage(LeafArea::Total(bad))).contains("leaf area"), "{bad}");
        assert!(error(foliage(LeafArea::Index(bad))).contains("leaf area index"), "{bad}");
    }
    assert!(error(foliage(LeafArea::Total(1e6))).contains("more than"));
    assert!(error(foliage(LeafArea::Total(1e-5))).contains("less than half of one leaf"));
    assert!(error(Foliage { most_radius: Some(1e-5), ..foliage(LeafArea::Total(1.0)) }).contains("thin enough"));
    // A pole has almost no crown area: a larger index does not help.
    let pole = ImportOptions { leaves: Some(foliage(LeafArea::Index(4.0))), ..ImportOptions::default() };
    let error = import(poles(1).as_bytes(), &pole).unwrap_err().to_string();
    assert!(error.contains("from above") && !error.contains("ask for more"), "{error}");
    let cherry = Species::named("cherry").unwrap();
    assert!(Foliage::of(&cherry, LeafArea::Total(1.0), 0).unwrap_err().to_string().contains("no leaves"));
}
