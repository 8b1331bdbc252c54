//! Laws of section mechanics: every closed form against numeric quadrature or beam theory.

use std::f64::consts::PI;

use proptest::prelude::*;
use windfall_core::build::{Attachment, CentreLine, PlantBuilder, Segmentation};
use windfall_core::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use windfall_core::materials;
use windfall_core::mechanics::{
    Frustum, JointStrength, fruit_joint, fruit_mass_properties, leaf_joint, leaf_mass_properties, section_modulus,
    twist_section_modulus, wood_joint,
};
use windfall_core::parts::{Fruit, Leaf};
use windfall_core::{JointLoad, Plant, Summary};

/// Integral of `f` over [a, b] by Gauss-Legendre with 5 points on 400 pieces: exact to rounding for
/// these integrands.
fn integral(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    const X: [f64; 5] =
        [-0.906_179_845_938_664, -0.538_469_310_105_683, 0.0, 0.538_469_310_105_683, 0.906_179_845_938_664];
    const W: [f64; 5] = [
        0.236_926_885_056_189,
        0.478_628_670_499_366,
        0.568_888_888_888_889,
        0.478_628_670_499_366,
        0.236_926_885_056_189,
    ];
    let pieces = 400;
    let h = (b - a) / f64::from(pieces);
    let piece = |i: i32| {
        let middle = a + (f64::from(i) + 0.5) * h;
        X.iter().zip(W).map(|(x, w)| w * f(middle + 0.5 * h * x)).sum::<f64>()
    };
    0.5 * h * (0..pieces).map(piece).sum::<f64>()
}

fn close(a: f64, b: f64, relative: f64) {
    assert!((a - b).abs() <= relative * b.abs().max(1e-300), "{a} is not {b} within {relative}");
}

proptest! {
    #[test]
    fn frustum_volume_centre_and_inertia_match_quadrature(
        a in 1e-4..1.0_f64, taper in 0.05..1.0_f64, l in 1e-3..5.0_f64, rho in 100.0..1500.0_f64, swap: bool
    ) {
        let (a, b) = if swap { (a * taper, a) } else { (a, a * taper) };
        let frustum = Frustum { base_radius: a, tip_radius: b, length: l };
        let r = |y: f64| a + (b - a) * y / l;
        let mass = integral(0.0, l, |y| rho * PI * r(y).powi(2));
        let centre = integral(0.0, l, |y| rho * PI * r(y).powi(2) * y) / mass;
        // A disc of radius r: r^2/2 about its axis, r^2/4 about a diameter.
        let axial = integral(0.0, l, |y| rho * PI * r(y).powi(4) / 2.0);
        let across = integral(0.0, l, |y| rho * PI * r(y).powi(2) * (r(y).powi(2) / 4.0 + (y - centre).powi(2)));
        let got = frustum.mass_properties(rho);
        close(rho * frustum.volume(), mass, 1e-10);
        close(got.mass, mass, 1e-10);
        close(got.center_of_mass.y, centre, 1e-10);
        close(got.inertia.y, axial, 1e-10);
        close(got.inertia.x, across, 1e-10);
        prop_assert_eq!(got.inertia.x, got.inertia.z);
        close(frustum.drag_area(), integral(0.0, l, |y| 2.0 * r(y)), 1e-10);
    }

    #[test]
    fn frustum_flexibility_matches_quadrature(a in 1e-4..1.0_f64, taper in 0.1..1.0_f64, l in 1e-3..5.0_f64) {
        let b = a * taper;
        let frustum = Frustum { base_radius: a, tip_radius: b, length: l };
        let exact = integral(0.0, l, |y| 4.0 / (PI * (a + (b - a) * y / l).powi(4)));
        close(frustum.flexibility(), exact, 1e-9);
        let halves = frustum.lower_half().flexibility() + frustum.upper_half().flexibility();
        close(halves, exact, 1e-9);
    }

    #[test]
    fn leaf_mass_and_inertia_match_quadrature_of_plate_and_rod(
        w in 0.005..0.2_f32, l in 0.005..0.3_f32, petiole in 0.0..0.1_f32, radius in 2e-4..2e-3_f32
    ) {
        let material = materials::leaf("sugar maple").unwrap();
        let leaf = Leaf {
            parent: 0, material: 0, position: Vec3::ZERO, orientation: Quat::IDENTITY,
            width: w, length: l, petiole_length: petiole, petiole_radius: radius,
        };
        let (w, l, p, r) = (f64::from(w), f64::from(l), f64::from(petiole), f64::from(radius));
        let (sigma, t) = (material.areal_density, material.thickness);
        // At distance s along the blade the chord is c = w (1 - s/l); it is a thin strip with its own
        // inertia.
        let chord = |s: f64| w * (1.0 - s / l);
        let rod = |f: &dyn Fn(f64) -> f64| integral(0.0, p, |y| material.petiole_density * PI * r * r * f(y));
        let mass = integral(0.0, l, |s| sigma * chord(s)) + rod(&|_| 1.0);
        let centre = (integral(0.0, l, |s| sigma * chord(s) * (p + s)) + rod(&|y| y)) / mass;
        let x = integral(0.0, l, |s| sigma * chord(s) * ((p + s - centre).powi(2) + t * t / 12.0))
            + rod(&|y| (y - centre).powi(2) + r * r / 4.0);
        let y = integral(0.0, l, |s| sigma * chord(s) * (chord(s).powi(2) + t * t) / 12.0) + rod(&|_| r * r / 2.0);
        let z = integral(0.0, l, |s| sigma * chord(s) * ((p + s - centre).powi(2) + chord(s).powi(2) / 12.0))
            + rod(&|y| (y - centre).powi(2) + r * r / 4.0);
        let got = leaf_mass_properties(&leaf, material);
        close(got.mass, mass, 1e-9);
        close(got.center_of_mass.y, centre, 1e-9);
        close(got.inertia.x, x, 1e-9);
        close(got.inertia.y, y, 1e-9);
        close(got.inertia.z, z, 1e-9);
    }

    #[test]
    fn fruit_mass_and_inertia_match_quadrature_of_discs(
        radius in 0.002..0.15_f32, stalk in 0.0..0.1_f32, stalk_radius in 2e-4..5e-3_f32
    ) {
        let material = materials::fruit("apple").unwrap();
        let fruit = Fruit {
            parent: 0, material: 0, position: Vec3::ZERO, orientation: Quat::IDENTITY,
            radius, stalk_length: stalk, stalk_radius,
        };
        let (big, s, r) = (f64::from(radius), f64::from(stalk), f64::from(stalk_radius));
        let square = |y: f64| (big * big - (y - s - big).powi(2)).max(0.0);
        let discs = |f: &dyn Fn(f64, f64) -> f64| {
            integral(0.0, s, |y| material.stalk_density * PI * r * r * f(y, r * r))
                + integral(s, s + 2.0 * big, |y| material.density * PI * square(y) * f(y, square(y)))
        };
        let mass = discs(&|_, _| 1.0);
        let centre = discs(&|y, _| y) / mass;
        let got = fruit_mass_properties(&fruit, material);
        close(got.mass, mass, 1e-9);
        close(got.center_of_mass.y, centre, 1e-9);
        close(got.inertia.x, discs(&|y, rr| (y - centre).powi(2) + rr / 4.0), 1e-9);
        close(got.inertia.y, discs(&|_, rr| rr / 2.0), 1e-9);
    }
}

#[test]
fn world_inertia_turns_with_the_body() {
    let frustum = Frustum { base_radius: 0.1, tip_radius: 0.05, length: 1.0 };
    let mass = frustum.mass_properties(800.0);
    // A quarter turn about z brings the body's y to the world's -x.
    let world = mass.world_inertia(DQuat::from_rotation_z(PI / 2.0));
    let expected = DMat3::from_diagonal(DVec3::new(mass.inertia.y, mass.inertia.x, mass.inertia.z));
    assert!((world - expected).to_cols_array().iter().all(|v| v.abs() < 1e-12));
}

/// A straight horizontal branch of n segments, from radius `a` to radius `b`.
fn cantilever(n: usize, a: f64, b: f64, length: f64) -> Plant {
    let mut builder = PlantBuilder::new("cantilever");
    let oak = builder.wood_material(materials::wood("white oak").unwrap().clone());
    let tree = builder.tree("beam", DVec3::ZERO);
    let line = CentreLine::polyline(&[(DVec3::ZERO, a), (DVec3::X * length, b)]);
    builder.branch(Attachment::Root(tree), oak, &line, &Segmentation::by_length(length / n as f64)).unwrap();
    let plant = builder.finish().unwrap();
    assert_eq!(plant.segments().len(), n);
    plant
}

/// Deflection of the tip under a unit force across it, small angles: each joint turns by lever / K.
fn tip_deflection(plant: &Plant, length: f64) -> f64 {
    let lever = |id| length - plant.rest_position(id).x;
    plant.body_ids().map(|id| lever(id) * lever(id) / plant.joint_properties(id).stiffness.x).sum()
}

#[test]
fn a_chain_of_joints_bends_like_a_beam() {
    let e = materials::wood("white oak").unwrap().youngs_modulus;
    for (a, b) in [(0.02, 0.02), (0.02, 0.008)] {
        let length = 2.0;
        let r = |s: f64| a + (b - a) * s / length;
        let beam = integral(0.0, length, |s| 4.0 * (length - s).powi(2) / (e * PI * r(s).powi(4)));
        let error = |n| (tip_deflection(&cantilever(n, a, b, length), length) / beam - 1.0).abs();
        let (coarse, fine) = (error(16), error(32));
        assert!(fine < 2e-3, "{a} to {b}: {fine}");
        // Second order: half the segment length, a quarter of the error.
        assert!(coarse / fine > 3.5, "{a} to {b}: {coarse} {fine}");
    }
    // The textbook closed form, P L^3 / (3 E I).
    let known = 8.0 / (3.0 * e * PI * 0.02_f64.powi(4) / 4.0);
    close(tip_deflection(&cantilever(200, 0.02, 0.02, 2.0), 2.0), known, 1e-4);
}

#[test]
fn twists_add_up_to_the_integral_over_the_branch() {
    let oak = materials::wood("white oak").unwrap();
    let (a, b, length, n) = (0.02, 0.008, 2.0, 16);
    let plant = cantilever(n, a, b, length);
    let compliance: f64 = plant.body_ids().map(|id| 1.0 / plant.joint_properties(id).stiffness.y).sum();
    // The chain ends at the middle of its last segment.
    let end = length * (1.0 - 0.5 / n as f64);
    let exact = integral(0.0, end, |s| 2.0 / (oak.shear_modulus * PI * (a + (b - a) * s / length).powi(4)));
    close(compliance, exact, 1e-5);
}

#[test]
fn the_middle_radius_would_be_twice_too_stiff() {
    // DESIGN: 10 to 4 mm. The closed form with taper against the cylinder of the middle radius.
    let tapered = Frustum { base_radius: 0.010, tip_radius: 0.004, length: 0.1 };
    let cylinder = Frustum::cylinder(0.007, 0.1);
    let ratio = tapered.flexibility() / cylinder.flexibility();
    assert!((1.8..2.2).contains(&ratio), "{ratio}");
}

#[test]
fn a_lateral_counts_its_own_half_only() {
    let oak = materials::wood("white oak").unwrap();
    let child = Frustum::cylinder(0.01, 0.1);
    let parent = Frustum::cylinder(0.01, 0.1);
    let lateral = wood_joint(&child, None, oak);
    let inside = wood_joint(&child, Some(&parent), oak);
    // E I / (L / 2) against E I / L.
    close(lateral.stiffness.x, oak.youngs_modulus * PI * 1e-8 / 4.0 / 0.05, 1e-12);
    close(inside.stiffness.x, 0.5 * lateral.stiffness.x, 1e-12);
    // G J / (E I) = 2 G / E, and G = 0.086 * 1.1 E for white oak (Wood Handbook table 5-1).
    close(inside.stiffness.y / inside.stiffness.x, 0.1892, 1e-12);
    close(inside.damping.x, oak.damping * inside.stiffness.x, 1e-12);
}

#[test]
fn strength_is_stress_times_section_modulus_at_the_thinner_side() {
    // A round bar of 20 mm: I / r = (pi r^4 / 4) / r.
    close(section_modulus(0.01), PI * 0.01_f64.powi(4) / 4.0 / 0.01, 1e-12);
    close(twist_section_modulus(0.01), PI * 0.01_f64.powi(4) / 2.0 / 0.01, 1e-12);
    let oak = materials::wood("white oak").unwrap();
    let child = Frustum::cylinder(0.01, 0.1);
    let thin_parent = Frustum { base_radius: 0.01, tip_radius: 0.005, length: 0.1 };
    let JointStrength::Wood { bending, twist, tension } = wood_joint(&child, Some(&thin_parent), oak).strength else {
        panic!("wood breaks, it does not detach")
    };
    // 57 MPa * pi (5 mm)^3 / 4 = 5.596 N m;  8.6 MPa * pi (5 mm)^3 / 2 = 1.689 N m.
    close(bending, 5.5960, 1e-4);
    close(twist, 1.6886, 1e-4);
    // 57 MPa * pi (5 mm)^2.
    close(tension, 4476.8, 1e-4);
}

#[test]
fn a_petiole_is_a_short_beam_and_never_stiffer_than_four_radii() {
    let maple = materials::leaf("sugar maple").unwrap();
    let leaf = |petiole_length| Leaf {
        parent: 0,
        material: 0,
        position: Vec3::ZERO,
        orientation: Quat::IDENTITY,
        width: 0.1,
        length: 0.1,
        petiole_length,
        petiole_radius: 0.001,
    };
    let joint = leaf_joint(&leaf(0.05), maple);
    let i = PI * f64::from(0.001_f32).powi(4) / 4.0;
    close(joint.stiffness.x, maple.flap_modulus * i / f64::from(0.05_f32), 1e-9);
    close(joint.stiffness.y, maple.twist_modulus * 2.0 * i / f64::from(0.05_f32), 1e-9);
    close(joint.stiffness.z, maple.sway_modulus * i / f64::from(0.05_f32), 1e-9);
    // Twist-to-bend ratio E I / (G J) of sugar maple petioles: 4.3 (Vogel 1992).
    close(joint.stiffness.x / joint.stiffness.y, 4.3, 0.02);
    assert_eq!(leaf_joint(&leaf(0.0), maple), leaf_joint(&leaf(0.004), maple));
    let apple = Fruit {
        parent: 0,
        material: 0,
        position: Vec3::ZERO,
        orientation: Quat::IDENTITY,
        radius: 0.035,
        stalk_length: 0.02,
        stalk_radius: 0.0012,
    };
    let JointStrength::Detach { torque, tension } = fruit_joint(&apple, materials::fruit("apple").unwrap()).strength
    else {
        panic!("fruit detaches")
    };
    // Bent by a strain of 0.08 at 500 MPa: 40 MPa * pi (1.2 mm)^3 / 4; twisted by as much at 70 MPa: 4 *
    // 5.6 MPa * pi (1.2 mm)^3 / 4.
    close(torque.x, 0.054_287, 1e-4);
    close(torque.y, 0.030_401, 1e-4);
    assert_eq!(torque.x, torque.z);
    // 5 MPa * pi (1.2 mm)^2: the pull of 2.3 kg.
    close(tension, 22.619, 1e-4);
    // It breaks where the joint has turned by strain times length over radius: 0.08 * 20 mm / 1.2 mm, 76
    // degrees.
    close(torque.x / fruit_joint(&apple, materials::fruit("apple").unwrap()).stiffness.x, 1.3333, 1e-3);
}

#[test]
fn a_joint_gives_way_where_the_stress_in_its_section_passes_the_strength() {
    // A bar of 20 mm and 50 MPa under 30 N m across and a pull of 5 kN: 4 M / (pi r^3) + F / (pi r^2).
    let (r, rupture) = (0.01_f64, 50e6);
    let stress = 4.0 * 30.0 / (PI * r.powi(3)) + 5000.0 / (PI * r * r);
    let strength = JointStrength::Wood {
        bending: rupture * section_modulus(r),
        twist: 5e6 * twist_section_modulus(r),
        tension: rupture * PI * r * r,
    };
    let load = |torque, force| JointLoad { torque, force };
    let bent = load(DVec3::new(18.0, 0.0, 24.0), DVec3::new(300.0, -5000.0, 0.0));
    close(strength.used_by(&bent), stress / rupture, 1e-12);
    // Compression does not break wood.
    let pressed = load(DVec3::ZERO, DVec3::new(0.0, 5000.0, 0.0));
    assert_eq!(strength.used_by(&pressed), 0.0);
    // T = 10 N m: 2 T / (pi r^3) against 5 MPa.
    let twisted = load(DVec3::new(0.0, -10.0, 0.0), DVec3::ZERO);
    close(strength.used_by(&twisted), 20.0 / (PI * r.powi(3)) / 5e6, 1e-12);
    assert_eq!(strength.scaled(f64::INFINITY).used_by(&bent), 0.0);
    assert_eq!(strength.scaled(0.0).used_by(&load(DVec3::ZERO, DVec3::ZERO)), f64::INFINITY);
    let stalk = JointStrength::Detach { torque: DVec3::new(2.0, 4.0, 1.0), tension: 10.0 };
    close(stalk.used_by(&load(DVec3::new(0.6, 1.6, 0.0), DVec3::new(0.0, -5.0, 0.0))), 1.0, 1e-12);
}

#[test]
fn total_mass_is_the_sum_of_parts_and_the_integral_over_the_branch() {
    let (a, b, length) = (0.03, 0.004, 3.0);
    let plant = cantilever(24, a, b, length);
    let rho = materials::wood("white oak").unwrap().density;
    let sum: f64 = plant.body_ids().map(|id| plant.mass_properties(id).mass).sum();
    let exact = integral(0.0, length, |s| rho * PI * (a + (b - a) * s / length).powi(2));
    close(sum, exact, 1e-6);
    close(Summary::of(&plant).mass_kg, sum, 1e-12);
}
