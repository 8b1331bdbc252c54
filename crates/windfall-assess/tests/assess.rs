//! Assessment: modes against beam theory and the matrices of the reference, sway and breaking of poles
//! against quadrature.

use windfall_testkit::{lab, truth};

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use lab::{fit, row, tip, undamped, weightless};
use truth::linear::{displace, modes_about, modes_at_rest};
use truth::{Reference, Rod, State, beam, plants, rod, statics};
use windfall_articulated::Method;
use windfall_assess::{AssessError, AssessOptions, Assessment, assess, assess_with};
use windfall_core::build::frame_along;
use windfall_core::glam::DVec3;
use windfall_core::{Fruit, Plant, WoodMaterial, materials};
use windfall_solver::Actions;
use windfall_solver::Params;
use windfall_testkit::World;
use windfall_wind::{Model, Uniform, WindSpec};

/// Uniform wind, and no ignored branches.
fn plain() -> AssessOptions {
    AssessOptions { roughness: None, min_diameter: 0.0, ..AssessOptions::default() }
}

/// The modes alone.
fn only_modes(modes: usize) -> AssessOptions {
    AssessOptions { modes, speed_step: 0.1, max_speed: 0.1, ..plain() }
}

fn assessed(plant: &Plant, params: &Params, options: &AssessOptions) -> Assessment {
    assess(plant, params, options, &mut |_| ()).expect("a good tree")
}

/// Wood of 600 kg/m³ and 10 GPa that breaks at 60 MPa.
fn timber() -> WoodMaterial {
    WoodMaterial { density: 600.0, damping: 0.01, modulus_of_rupture: 6e7, shear_strength: 1e7, ..rod::wood(1e10) }
}

/// A pole of 10 m, 20 cm thick at its foot.
fn pole(taper: f64) -> Rod {
    Rod { length: 10.0, base_radius: 0.1, tip_radius: 0.1 * taper, material: timber() }
}

#[test]
fn poles_sway_like_beams() {
    for (name, taper) in [("cylinder", 1.0), ("tapered to 0.4", 0.4)] {
        let rod = pole(taper);
        let plant = plants::cantilever(&rod, 64, DVec3::Y);
        let found = assessed(&plant, &weightless(Params::default()), &only_modes(6));
        let mut theory = beam::bending(&rod, 200, 3);
        if taper == 1.0 {
            theory[0] =
                3.516015 / (TAU * rod.length.powi(2)) * (rod.bending_stiffness(0.0) / rod.mass_per_length(0.0)).sqrt();
        }
        // Every mode is found along x and along z.
        for (i, mode) in found.modes.iter().enumerate() {
            let (theory, omega) = (theory[i / 2], TAU * mode.frequency_hz);
            row(&format!("{name}, mode {}, Hz", i + 1), theory, mode.frequency_hz);
            assert!((mode.frequency_hz / theory - 1.0).abs() < 2e-3, "{name}: {mode:?} {theory}");
            row(&format!("{name}, mode {}, damping ratio, beta omega / 2", i + 1), 0.005 * omega, mode.damping_ratio);
            assert!((mode.damping_ratio / (0.005 * omega) - 1.0).abs() < 1e-7);
        }
        assert_eq!(found.modes.len(), 6);
    }
    // A mode of a uniform clamped beam moves the share (2 sigma / (beta L))² of its mass, sigma = (sinh -
    // sin) / (cosh + cos) of beta L: 0.7341 and 1.0185.
    let found = assessed(&plants::cantilever(&pole(1.0), 32, DVec3::Y), &weightless(Params::default()), &only_modes(4));
    for (mode, share) in found.modes.iter().zip([0.6131, 0.6131, 0.1883, 0.1883]) {
        row("cylinder, share of mass", share, mode.mass_share);
        assert!((mode.mass_share / share - 1.0).abs() < 0.01, "{mode:?}");
    }
}

/// Effective modal mass over mass along x and z, from a small displacement along the mode.
fn share(reference: &Reference, about: &State, modes: &truth::eigen::Modes, mode: usize) -> f64 {
    let center = |amplitude: f64| {
        let mut state = about.clone();
        displace(&mut state, modes, mode, amplitude);
        let motion = reference.positions_and_velocities(&state);
        let sum: DVec3 = reference.links.iter().zip(&motion).map(|(link, m)| link.mass * m.center).sum();
        sum
    };
    let step = 1e-5 / modes.shapes.column(mode).amax();
    let momentum = (center(step) - center(-step)) / (2.0 * step);
    let mass: f64 = reference.links.iter().map(|link| link.mass).sum();
    (momentum.x.powi(2) + momentum.z.powi(2)) / mass
}

/// Every mode is the next one of the reference that moves at least a hundredth of the mass.
fn against_truth(name: &str, plant: &Plant, params: &Params, reference: &Reference, about: &State, bound: f64) {
    let truth = modes_about(reference, about, &[]);
    let found = assessed(plant, params, &only_modes(8));
    let all = (0..truth.omega_squared.len()).filter(|&m| share(reference, about, &truth, m) > 0.01);
    let expected: Vec<usize> = all.take(8).collect();
    assert!(found.modes.len() >= 6 && found.modes.len() == expected.len(), "{found:?}");
    for (mode, &m) in found.modes.iter().zip(&expected) {
        row(&format!("{name}, mode {}, Hz", m + 1), truth.hertz(m), mode.frequency_hz);
        assert!((mode.frequency_hz / truth.hertz(m) - 1.0).abs() < bound, "{name}: {mode:?} {}", truth.hertz(m));
        let theirs = share(reference, about, &truth, m);
        // The error of a mode is the square root of that of its frequency.
        assert!((mode.mass_share / theirs - 1.0).abs() < 2.0 * bound.sqrt(), "{name}: {mode:?} {theirs}");
    }
}

#[test]
fn trees_sway_in_their_own_modes() {
    for (name, plant) in
        [("forked, weightless", plants::forked(&rod::wood(1e9))), ("leafy, weightless", plants::leafy(&rod::wood(1e9)))]
    {
        let reference = Reference::weightless(&plant);
        against_truth(name, &plant, &weightless(undamped()), &reference, &reference.rest_state(), 1e-7);
    }
}

#[test]
fn weight_makes_standing_poles_slower_and_hanging_ones_faster() {
    // Slender enough that weight takes half of the stiffness.
    let rod = Rod { length: 10.0, base_radius: 0.03, tip_radius: 0.01, material: rod::wood(1e10) };
    for (name, direction) in [("standing pole with weight", DVec3::Y), ("hanging pole with weight", DVec3::NEG_Y)] {
        let plant = plants::cantilever(&rod, 10, direction);
        let reference = Reference::new(&plant);
        let without = modes_at_rest(&Reference::weightless(&plant)).hertz(0);
        let with = modes_about(&reference, &reference.rest_state(), &[]).hertz(0);
        assert!((with / without - 1.0).abs() > 0.1, "{name}: {with} {without}");
        let params = Params { keep_shape: true, ..undamped() };
        against_truth(name, &plant, &params, &reference, &reference.rest_state(), 1e-6);
    }
}

#[test]
fn trees_that_sag_sway_about_where_they_come_to_rest() {
    for (name, plant) in [
        ("forked, 1 GPa, sagged", plants::forked(&rod::wood(1e9))),
        ("leafy, 1 GPa, sagged", plants::leafy(&rod::wood(1e9))),
    ] {
        let reference = Reference::new(&plant);
        let about = statics::equilibrium(&reference, &[]);
        against_truth(name, &plant, &undamped(), &reference, &about, 1e-3);
    }
}

#[test]
fn the_solver_swings_and_decays_as_the_mode_says() {
    let material = WoodMaterial { damping: 0.02, ..rod::wood(1e9) };
    let plant = plants::cantilever(&Rod { material, ..Rod::soft() }.tapered(0.5), 16, DVec3::Y);
    let params = Params { keep_shape: true, mass_damping: 0.3, ..Params::default() };
    let mode = assessed(&plant, &params, &only_modes(2)).modes[0];
    let reference = Reference::new(&plant);
    let modes = modes_about(&reference, &reference.rest_state(), &[]);
    let mut state = reference.rest_state();
    displace(&mut state, &modes, 0, 1e-4 / modes.shapes.column(0).amax());
    let mut world: World<f64> = lab::world_in(&plant, &params, Method::Implicit, &state);
    let last = plant.segment_id(15);
    let (h, straight) = (1e-3, DVec3::Y);
    let samples: Vec<DVec3> = (0..3000)
        .map(|_| {
            world.step(h, &Actions::default()).unwrap();
            tip(&world, last) - straight
        })
        .collect();
    let side = samples[0].reject_from(DVec3::Y).normalize();
    let swing = fit(&samples.iter().map(|s| s.dot(side)).collect::<Vec<f64>>()[4..], h);
    // The mode has the frequency without damping.
    row("solver's ring-down against the mode, Hz", mode.frequency_hz, swing.omega.hypot(swing.decay) / TAU);
    row("solver's ring-down against the mode, damping ratio", mode.damping_ratio, swing.zeta());
    assert!((swing.omega.hypot(swing.decay) / (TAU * mode.frequency_hz) - 1.0).abs() < 1e-3, "{swing:?} {mode:?}");
    assert!((swing.zeta() / mode.damping_ratio - 1.0).abs() < 5e-3, "{swing:?} {mode:?}");
}

/// kappa rho of the default air on wood, eq. (21) of quigley2017: force per area and square of the speed,
/// kg/m³.
fn wood_drag() -> f64 {
    let air = Params::default().air;
    air.branches * air.density
}

/// Integral of f from a to b, Simpson's rule.
fn integral(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let n = 2000;
    let h = (b - a) / f64::from(n);
    let weight = |i: i32| if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
    (0..=n).map(|i| weight(i) * f(a + h * f64::from(i))).sum::<f64>() * h / 3.0
}

/// The place of the largest stress along a rod, to a thousandth of its length.
fn largest(stress: &dyn Fn(f64) -> f64, length: f64) -> f64 {
    let places = (0..1000).map(|i| f64::from(i) * 1e-3 * length);
    places.map(|z| (z, stress(z))).reduce(|a, b| if b.1 > a.1 * (1.0 + 1e-9) { b } else { a }).unwrap().0
}

#[test]
fn a_pole_bends_as_beams_do() {
    let rod = Rod { material: timber(), ..pole(1.0) };
    let plant = plants::cantilever(&rod, 32, DVec3::Y);
    let found = assessed(&plant, &weightless(Params::default()), &AssessOptions { max_speed: 20.0, ..plain() });
    let sway = &found.winds[0].sway;
    assert_eq!(sway.iter().map(|s| s.wind_m_s).collect::<Vec<_>>(), [0.0, 5.0, 10.0, 15.0, 20.0]);
    assert_eq!(sway[0].top_displacement_m, 0.0);
    for sway in &sway[1..] {
        assert!(sway.at_rest, "{sway:?}");
        let load = wood_drag() * 2.0 * rod.base_radius * sway.wind_m_s.powi(2);
        let bent = load * rod.length.powi(4) / (8.0 * rod.bending_stiffness(0.0));
        row(&format!("top of a cylinder in {} m/s, m", sway.wind_m_s), bent, sway.top_displacement_m);
        // Half a per cent of the length at most: errors of second order are far below.
        assert!((sway.top_displacement_m / bent - 1.0).abs() < 5e-3, "{sway:?} {bent}");
        let moment = load * rod.length.powi(2) / 2.0;
        row(&format!("moment at its foot in {} m/s, N m", sway.wind_m_s), moment, sway.base_moment_n_m);
        assert!((sway.base_moment_n_m / moment - 1.0).abs() < 5e-3, "{sway:?} {moment}");
        let used = moment / (6e7 * PI * rod.base_radius.powi(3) / 4.0);
        assert!((sway.trunk_used / used - 1.0).abs() < 5e-3, "{sway:?} {used}");
    }
}

#[test]
fn poles_break_in_the_wind_of_quadrature_and_where_it_says() {
    for (name, taper) in [("cylinder", 1.0), ("tapered to 0.3", 0.3)] {
        // Stiff, so that it stays upright.
        let material = WoodMaterial { modulus_of_rupture: 6e6, ..timber() };
        let rod = Rod { material, ..pole(taper) };
        let plant = plants::cantilever(&rod, 32, DVec3::Y);
        let log_law = |z: f64| (z / 0.1).max(1.0).ln() / (10.0_f64 / 0.1).ln();
        let log = AssessOptions { roughness: Some(0.1), gust_factor: 1.5, ..plain() };
        let top = AssessOptions { reference_height: None, ..log.clone() };
        for (wind, options) in [("uniform", plain()), ("log law, gusts of 1.5", log), ("log law, at the top", top)] {
            let is_uniform = options.roughness.is_none();
            let speed = |z: f64| if is_uniform { 1.0 } else { 1.5 * log_law(z) };
            // Bending stress at the height z where the wind is 1 m/s at its reference.
            let stress = |z: f64| {
                let load = |s: f64| wood_drag() * 2.0 * rod.radius(s) * speed(s).powi(2);
                integral(z, rod.length, |s| load(s) * (s - z)) / (PI * rod.radius(z).powi(3) / 4.0)
            };
            let place = largest(&stress, rod.length);
            let theory = (6e6 / stress(place)).sqrt();
            let found = assessed(&plant, &weightless(Params::default()), &options);
            let broken = found.winds[0].trunk.expect("it breaks");
            row(&format!("{name}, {wind}: breaks in, m/s"), theory, broken.wind_m_s);
            println!("| {name}, {wind}: breaks at, m | {place:.2} | {:.2} | |", broken.height_m);
            assert!((broken.wind_m_s / theory - 1.0).abs() < 0.01, "{name}, {wind}: {broken:?} {theory}");
            assert!(stress(broken.height_m) > 0.995 * stress(place), "{name}, {wind}: {broken:?} {place}");
            assert_eq!(broken.body == 0, place == 0.0, "{name}, {wind}: {broken:?} {place}");
            assert!((broken.diameter_m - 2.0 * rod.radius(broken.height_m)).abs() < 1e-6);
            assert_eq!(broken.along_branch_m, broken.height_m);
            assert_eq!(found.winds[0].first_branch, None);
        }
    }
}

/// A tapered pole with a ball of this radius on a short stalk at its tip: a model of a crown on a slender
/// trunk.
fn pole_with_ball(rod: &Rod, segments: usize, radius: f64) -> Plant {
    let mut parts = plants::cantilever(rod, segments, DVec3::Y).into_parts();
    parts.fruit_materials.push(materials::fruit("apple").expect("a fruit of the library").clone());
    parts.fruit.push(Fruit {
        parent: segments as u32 - 1,
        material: 0,
        position: (DVec3::Y * rod.length).as_vec3(),
        orientation: frame_along(DVec3::Y, DVec3::X).as_quat(),
        radius: radius as f32,
        stalk_length: 0.0,
        stalk_radius: 0.03,
    });
    Plant::new(parts).expect("a valid plant")
}

#[test]
fn a_pole_with_a_crown_breaks_where_the_stress_is_largest() {
    let material = WoodMaterial { modulus_of_rupture: 6e6, ..timber() };
    let rod = Rod { length: 10.0, base_radius: 0.1, tip_radius: 0.03, material };
    let ball = 0.5;
    let plant = pole_with_ball(&rod, 100, ball);
    let air = Params::default().air;
    let force = air.fruit * air.density * PI * ball * ball;
    // Bending stress at the height z in a wind of 1 m/s.
    let stress = |z: f64| {
        let pole = wood_drag() * integral(z, rod.length, |s| 2.0 * rod.radius(s) * (s - z));
        (pole + force * (rod.length + ball - z)) / (PI * rod.radius(z).powi(3) / 4.0)
    };
    let place = largest(&stress, rod.length);
    let theory = (6e6 / stress(place)).sqrt();
    let found = assessed(&plant, &weightless(Params::default()), &plain());
    let broken = found.winds[0].trunk.expect("it breaks");
    row("tapered pole with a ball: breaks in, m/s", theory, broken.wind_m_s);
    row("tapered pole with a ball: breaks at, m", place, broken.height_m);
    assert!((broken.wind_m_s / theory - 1.0).abs() < 0.01, "{broken:?} {theory}");
    // The stress is flat about its largest value: within 1 % of it over a metre.
    assert!(stress(broken.height_m) > 0.995 * stress(place), "{broken:?} {place}");
    assert!(place > 1.0 && broken.height_m > 1.0, "{place}");
}

/// A trunk along y and a branch along z at half its height, both cylinders.
fn trunk_and_branch(material: WoodMaterial, thickness: f64) -> Plant {
    use windfall_core::PlantBuilder;
    use windfall_core::build::{Attachment, Node};
    let mut plant = PlantBuilder::new("trunk and branch");
    let wood = plant.wood_material(material);
    let tree = plant.tree("tree", DVec3::new(4.0, 2.0, -7.0));
    let nodes = |from: DVec3, to: DVec3, radius: f64, count: usize| -> Vec<Node> {
        let at = |i| from.lerp(to, i as f64 / count as f64);
        (0..=count).map(|i| Node { position: at(i), radius_before: radius, radius_after: radius }).collect()
    };
    let trunk = plant
        .branch_of_nodes(Attachment::Root(tree), wood, &nodes(DVec3::ZERO, DVec3::Y * 6.0, 0.1, 24))
        .expect("a trunk");
    let (from, to) = (DVec3::new(0.0, 3.0, 0.1), DVec3::new(0.0, 3.0, 2.1));
    plant.branch_of_nodes(Attachment::Lateral(trunk), wood, &nodes(from, to, 0.5 * thickness, 16)).expect("a branch");
    plant.finish().expect("a valid plant")
}

#[test]
fn a_branch_breaks_before_its_trunk() {
    let material = WoodMaterial { modulus_of_rupture: 2e6, ..timber() };
    let (radius, length) = (0.015, 2.0);
    let plant = trunk_and_branch(material, 2.0 * radius);
    let moment = wood_drag() * 2.0 * radius * length * length / 2.0;
    let theory = (2e6 * PI * f64::powi(radius, 3) / 4.0 / moment).sqrt();
    let found = assessed(&plant, &weightless(Params::default()), &plain());
    let broken = found.winds[0].first_branch.expect("it breaks");
    row("horizontal branch across the wind: breaks in, m/s", theory, broken.wind_m_s);
    // It bends out of the wind a little.
    assert!((broken.wind_m_s / theory - 1.0).abs() < 0.015, "{broken:?} {theory}");
    assert_eq!((broken.branch, broken.order, broken.body), (1, 1, 24));
    assert!((broken.height_m - 3.0).abs() < 1e-6 && broken.along_branch_m == 0.0, "{broken:?}");
    assert!(found.winds[0].trunk.expect("the trunk breaks too").wind_m_s > broken.wind_m_s);
    // Thinner than the threshold; and along its axis the wind has no force on it.
    let thick = AssessOptions { min_diameter: 0.05, ..plain() };
    assert_eq!(assessed(&plant, &weightless(Params::default()), &thick).winds[0].first_branch, None);
    let sides = AssessOptions { from_degrees: vec![270.0, 0.0], max_speed: 1.5 * theory, ..plain() };
    let winds = assessed(&plant, &weightless(Params::default()), &sides).winds;
    assert!(winds[0].first_branch.is_some() && winds[1].first_branch.is_none(), "{winds:?}");
}

#[test]
fn weight_alone_can_break_a_branch() {
    let material = WoodMaterial { modulus_of_rupture: 2e5, ..timber() };
    let plant = trunk_and_branch(material, 0.03);
    let params = Params { keep_shape: true, ..Params::default() };
    let broken = assessed(&plant, &params, &AssessOptions { max_speed: 5.0, ..plain() }).winds[0].first_branch.unwrap();
    assert_eq!((broken.wind_m_s, broken.body), (0.0, 24));
}

#[test]
fn one_tree_of_many_is_as_it_is_alone() {
    let (a, b) = (trunk_and_branch(timber(), 0.04), plants::leafy(&timber()));
    let both = Plant::together("both", &[(&b, DVec3::ZERO), (&a, DVec3::new(5.0, 1.0, 3.0))]).unwrap();
    let params = Params { keep_shape: true, ..Params::default() };
    let options = AssessOptions { roughness: Some(0.03), max_speed: 10.0, ..plain() };
    let alone = assessed(&a, &params, &options);
    let among = assessed(&both, &params, &AssessOptions { tree: 1, ..options });
    assert_eq!(alone.modes.len(), among.modes.len());
    for (a, b) in alone.modes.iter().zip(&among.modes) {
        assert!((a.frequency_hz / b.frequency_hz - 1.0).abs() < 1e-6, "{a:?} {b:?}");
    }
    for (a, b) in alone.winds[0].sway.iter().zip(&among.winds[0].sway) {
        assert!((a.top_displacement_m - b.top_displacement_m).abs() < 1e-5, "{a:?} {b:?}");
        assert!((a.base_moment_n_m - b.base_moment_n_m).abs() < 1e-3 * a.base_moment_n_m.max(0.1), "{a:?} {b:?}");
    }
}

#[test]
fn what_cannot_be_assessed_is_told_why() {
    let plant = plants::cantilever(&pole(1.0), 8, DVec3::Y);
    let ask = |plant: &Plant, params: &Params, options: &AssessOptions| {
        assess(plant, params, options, &mut |_| ()).unwrap_err()
    };
    let fine = Params::default();
    let error = ask(&plant, &fine, &AssessOptions { tree: 1, ..plain() });
    assert!(matches!(error, AssessError::NoSuchTree { tree: 1, trees: 1 }), "{error}");
    let mut rigid = fine.clone();
    rigid.branches.stiffness = f64::INFINITY;
    assert!(matches!(ask(&plant, &rigid, &plain()), AssessError::Rigid));
    let mut limp = fine.clone();
    limp.branches.axes[1] = 0.0;
    assert!(matches!(ask(&plant, &limp, &plain()), AssessError::Limp { body } if body.0 == 0));
    // Greenhill: a pole of 2 cm and 600 kg/m³ is stable up to 1.26 (EI / (w L^3))^(1/3), here 12 m.
    let slender = Rod { length: 20.0, base_radius: 0.01, tip_radius: 0.01, material: timber() };
    let slender = plants::cantilever(&slender, 16, DVec3::Y);
    let kept = Params { keep_shape: true, ..Params::default() };
    assert!(matches!(ask(&slender, &kept, &plain()), AssessError::Falls));
    for options in [
        AssessOptions { gust_factor: f64::NAN, ..plain() },
        AssessOptions { speed_step: 0.0, ..plain() },
        AssessOptions { max_speed: 1e9, ..plain() },
        AssessOptions { max_speed: 1.0, ..plain() },
        AssessOptions { min_diameter: -1.0, ..plain() },
    ] {
        assert!(matches!(ask(&plant, &fine, &options), AssessError::BadOption { .. }), "{options:?}");
    }
    for options in [
        AssessOptions { from_degrees: vec![f64::NAN], ..plain() },
        AssessOptions { roughness: Some(-1.0), ..plain() },
        AssessOptions { roughness: Some(0.03), reference_height: Some(0.01), ..plain() },
    ] {
        assert!(matches!(ask(&plant, &fine, &options), AssessError::Wind(_)), "{options:?}");
    }
}

/// Leaves flutter and have no equilibrium. The mean moment at the foot of an oak is that of a free
/// simulation, damped only by its own wood and air.
#[test]
fn a_tree_in_leaf_carries_what_the_free_simulation_says() {
    let species = windfall_grow::Species::named("oak").unwrap();
    let options = windfall_grow::GrowOptions { bodies: Some(5000), seed: 0 };
    let plant = Arc::new(windfall_grow::grow(&species, &options).unwrap());
    let params = Params { keep_shape: true, ..Params::default() };
    let ask = AssessOptions { modes: 1, speed_step: 10.0, max_speed: 20.0, min_diameter: 0.02, ..plain() };
    let found = assessed(&plant, &params, &ask);
    for sway in &found.winds[0].sway[1..] {
        let mut world = World::<f64>::new(plant.clone(), params.clone(), Method::Implicit).unwrap();
        let uniform = Uniform { speed: sway.wind_m_s, from_degrees: 270.0, ..Uniform::default() };
        let wind: WindSpec = Model::Uniform(uniform).into();
        world.set_wind(Some(Arc::new(wind.build().unwrap())));
        let mut mean = DVec3::ZERO;
        // It swings out for 4 s.
        for step in 0..300 {
            world.step(1.0 / 30.0, &Actions::default()).unwrap();
            if step >= 120 {
                mean += world.joint_load(plant.segment_id(0)).torque / 180.0;
            }
        }
        let free = mean.x.hypot(mean.z);
        row(
            &format!("oak of 5,000 bodies in {} m/s, moment at its foot, N m", sway.wind_m_s),
            free,
            sway.base_moment_n_m,
        );
        // The remaining difference: branches don't swing with the flutter of their leaves.
        assert!((sway.base_moment_n_m / free - 1.0).abs() < 0.12, "{sway:?} {free}");
        assert!(sway.base_moment_spread_n_m < 0.1 * sway.base_moment_n_m, "{sway:?}");
        assert!(sway.at_rest == (sway.base_moment_spread_n_m == 0.0), "{sway:?}");
    }
    assert!(found.branch_joints > 10);
}

/// Forward Euler is unstable in the steps of an assessment: that is an error, not an answer.
#[test]
fn a_solver_that_does_not_come_to_rest_gives_no_answer() {
    let plant = plants::cantilever(&pole(0.5), 8, DVec3::new(0.3, 1.0, 0.0).normalize());
    let found = |method| {
        let make = &|plant, params: &Params| windfall_articulated::double(plant, params.clone(), method);
        assess_with(make, &plant, &Params::default(), &only_modes(1), &mut |_| ())
    };
    assert!(found(Method::Analytic).is_ok());
    let error = found(Method::Explicit).expect_err("it is unstable");
    assert!(matches!(error, AssessError::Restless { solver: "explicit", .. }), "{error}");
}
