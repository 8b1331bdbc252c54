//! `windfall simulate` on sticks whose motion is known in closed form.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

const LENGTH: f64 = 1.0;
const RADIUS: f64 = 0.0625;
const DENSITY: f64 = 1000.0;
const MODULUS: f64 = 1e8;
/// Stiffness-proportional damping, s.
const BETA: f64 = 0.01;

/// One cylinder, turned from upright by this quaternion (x, y, z, w).
fn stick(folder: &Path, orientation: [f64; 4]) {
    let wood = json!({
        "name": "test wood", "source": "round numbers", "density": DENSITY, "youngs_modulus": MODULUS,
        "shear_modulus": MODULUS / 2.5, "damping": BETA, "modulus_of_rupture": 5e7, "shear_strength": 1e7
    });
    let segment = json!({
        "position": [0, 0, 0], "orientation": orientation, "length": LENGTH, "base_radius": RADIUS, "tip_radius": RADIUS
    });
    let plant = json!({
        "format": "windfall-plant", "version": 2, "name": "stick", "provenance": "by hand",
        "trees": [{ "name": "stick", "origin": [0, 0, 0] }],
        "wood_materials": [wood], "leaf_materials": [], "fruit_materials": [],
        "branches": [{ "parent": null, "tree": 0, "order": 0, "material": 0, "segments": [segment] }],
        "leaves": [], "fruit": []
    });
    std::fs::write(folder.join("stick.json"), plant.to_string()).unwrap();
}

/// A quarter turn about z: the stick's own +y points to -x.
const LEVEL: [f64; 4] = [0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2];

fn run(folder: &Path, arguments: &str) -> Output {
    let words = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_windfall")).args(words).current_dir(folder).output().unwrap()
}

/// Runs `windfall simulate stick.json --json` with these options.
fn simulate(folder: &Path, options: &str) -> Value {
    let output = run(folder, &format!("simulate stick.json --json {options}"));
    assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn mass() -> f64 {
    DENSITY * std::f64::consts::PI * RADIUS * RADIUS * LENGTH
}

fn deflection(summary: &Value) -> f64 {
    summary["largest_deflection_m"].as_f64().unwrap()
}

/// Displacement of the tip of a level stick below its place: the spring of its root, over half of its
/// length, against its weight: K theta = m g (L / 2) cos theta, K = E I / (L / 2).
fn sag() -> f64 {
    let stiffness = MODULUS * std::f64::consts::PI / 4.0 * RADIUS.powi(4) / (LENGTH / 2.0);
    let mut theta = 0.0f64;
    for _ in 0..100 {
        theta = mass() * 9.81 * LENGTH / 2.0 * theta.cos() / stiffness;
    }
    2.0 * LENGTH * (theta / 2.0).sin()
}

/// Overdamped, with a time constant of beta = 1 s: it creeps to its equilibrium.
fn overdamped(folder: &Path, name: &str, line: &str) {
    let text = format!("{line}\n[branches]\ndamping = {}\n", 1.0 / BETA);
    std::fs::write(folder.join(name), text).unwrap();
}

/// Amplitudes of the swinging stick's centre, m, from the table of its probe after this time, s.
fn amplitudes(folder: &Path, options: &str, after: f64) -> Vec<f64> {
    simulate(folder, &format!("--probe root {options}"));
    let table = std::fs::read_to_string(folder.join("out/stick.root.csv")).unwrap();
    let number = |line: &str, i: usize| line.split(',').nth(i).unwrap().parse::<f64>().unwrap();
    let places: Vec<f64> =
        table.lines().skip(1).filter(|line| number(line, 0) > after).map(|line| number(line, 1)).collect();
    let is_peak = |three: &&[f64]| three[0] < three[1] && three[1] >= three[2];
    places.windows(3).filter(is_peak).map(|three| three[1]).collect()
}

/// The air is still unless a wind says otherwise, and `none` is a vacuum. A light stick without damping of
/// its own swings on in a vacuum; in still air the drag of its centre, c v^2 at half its length, takes
/// `8/3 c A^3 omega^2` of its energy in each period, so that 1/A grows by `8/3 c / I` each time.
#[test]
fn air_is_still_unless_a_wind_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    stick(folder, [0.0, 0.0, 0.0, 1.0]);
    let lightness = 0.01;
    let text = format!("[branches]\ndensity = {lightness}\nstiffness = 0.001\ndamping = 0\n");
    std::fs::write(folder.join("light.toml"), text).unwrap();
    let swing =
        "--params light.toml --double --gravity 0 --push root:0.15,0,0:0:0.5 --seconds 10 --fps 240 --no-motion";
    let in_vacuum = amplitudes(folder, &format!("{swing} --wind none"), 0.6);
    let in_air = amplitudes(folder, swing, 0.6);
    let periods = in_air.len() - 1;
    assert!(periods > 8 && in_vacuum.len() == in_air.len(), "{in_air:?} {in_vacuum:?}");
    assert!((in_vacuum[periods] / in_vacuum[0] - 1.0).abs() < 1e-3, "{in_vacuum:?}");
    let (kappa, air) = (0.5, 1.225);
    let c = kappa * air * 2.0 * RADIUS * LENGTH * (LENGTH / 2.0).powi(3);
    let inertia = lightness * mass() * (LENGTH * LENGTH / 3.0 + RADIUS * RADIUS / 4.0);
    // Of the centre, half a length from the joint.
    let growth = 8.0 / 3.0 * c / inertia / (LENGTH / 2.0);
    let found = (1.0 / in_air[periods] - 1.0 / in_air[0]) / periods as f64;
    assert!((found / growth - 1.0).abs() < 0.01, "1/A grows by {found} 1/m in a period, not by {growth}");
    assert_eq!(amplitudes(folder, &format!("{swing} --wind 0m/s"), 0.6), in_air);
    let refused = run(folder, "simulate stick.json --wind none --wind-from 90");
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("--wind-from"));
}

#[test]
fn the_tip_of_a_single_segment_counts_as_deflection() {
    let folder = tempfile::tempdir().unwrap();
    stick(folder.path(), LEVEL);
    overdamped(folder.path(), "slow.toml", "");
    let summary = simulate(folder.path(), "--seconds 20 --double --no-motion --sag --params slow.toml");
    let (found, sag) = (deflection(&summary), sag());
    println!("| sag of a level stick | {sag:.6} m | {found:.6} m |");
    assert!((found - sag).abs() < 1e-4 * sag, "{found} m, not {sag} m");
}

#[test]
fn a_parameter_file_says_whether_the_shape_is_kept_and_sag_wins() {
    let folder = tempfile::tempdir().unwrap();
    stick(folder.path(), LEVEL);
    overdamped(folder.path(), "says-nothing.toml", "");
    overdamped(folder.path(), "keeps.toml", "keep_shape = true");
    overdamped(folder.path(), "sags.toml", "keep_shape = false");
    let sag = sag();
    for (options, expected) in [
        ("", 0.0),
        ("--params says-nothing.toml", 0.0),
        ("--params keeps.toml", 0.0),
        ("--params sags.toml", sag),
        ("--params sags.toml --sag", sag),
        ("--params keeps.toml --sag", sag),
        ("--params says-nothing.toml --sag", sag),
    ] {
        let summary = simulate(folder.path(), &format!("--seconds 20 --double --no-motion {options}"));
        let found = deflection(&summary);
        println!("| {options} | {expected:.6} m | {found:.6} m |");
        assert!((found - expected).abs() < 1e-4 * sag, "{options}: {found} m, not {expected} m");
    }
}

/// The velocity along x at the end of a run in which the stick floats freely.
fn last_velocity(folder: &Path, options: &str) -> f64 {
    let fixed = "--gravity 0 --cut 0:0 --seconds 1 --double --no-motion --probe 0";
    simulate(folder, &format!("{fixed} {options}"));
    let table = std::fs::read_to_string(folder.join("out/stick.0.csv")).unwrap();
    let column = table.lines().next().unwrap().split(',').position(|name| name == "vx_m_s").unwrap();
    table.lines().last().unwrap().split(',').nth(column).unwrap().parse().unwrap()
}

/// F t = m v, for any position of the time relative to the steps (of 1/30 s).
#[test]
fn a_push_of_any_length_gives_its_impulse() {
    let folder = tempfile::tempdir().unwrap();
    stick(folder.path(), LEVEL);
    for solver in ["implicit", "analytic"] {
        for (from, to) in [(0.0, 0.016), (0.0, 0.018), (0.01, 0.011), (0.02, 0.05), (0.3, 0.3000001), (0.0, 0.5)] {
            let expected = 50.0 * (to - from) / mass();
            let found = last_velocity(folder.path(), &format!("--push 0:50,0,0:{from}:{to} --solver {solver}"));
            println!("| {solver} | push from {from} to {to} s | {expected:.9} m/s | {found:.9} m/s |");
            assert!((found - expected).abs() < 1e-6 * expected, "{solver}, {from}:{to}: {found} m/s, not {expected}");
        }
    }
}

/// A pull holds for whole steps (of 1/30 s): one if it is shorter. It moves its whole distance in them, and
/// in half a second the stick takes on the velocity of the hand.
#[test]
fn a_pull_holds_for_whole_steps() {
    let folder = tempfile::tempdir().unwrap();
    stick(folder.path(), LEVEL);
    for solver in ["implicit", "analytic"] {
        let pulled =
            |times: &str| last_velocity(folder.path(), &format!("--pull 0:0.01,0,0:{times} --solver {solver}"));
        let one_step = pulled("0.1:0.13333333333333333");
        assert!(one_step > 0.01, "{solver}: {one_step} m/s");
        assert_eq!(pulled("0.1:0.10001"), one_step, "{solver}");
        for (times, seconds) in [("0:0.5", 0.5), ("0.01:0.515", 0.5), ("0.02:0.49", 14.0 / 30.0)] {
            let (found, expected) = (pulled(times), 0.01 / seconds);
            println!("| {solver} | pull {times} s | {expected:.6} m/s | {found:.6} m/s |");
            assert!((found - expected).abs() < 1e-4 * expected, "{solver}, {times}: {found} m/s, not {expected}");
        }
    }
}

/// Linux file names are bytes; other systems refuse such a name themselves.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_unicode_is_shown_as_well_as_it_can_be() {
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    stick(folder.path(), LEVEL);
    let name = std::ffi::OsStr::from_bytes(b"a\xff.wfm");
    let mut windfall = Command::new(env!("CARGO_BIN_EXE_windfall"));
    windfall.args(["simulate", "stick.json", "--seconds", "0.1", "--json", "--probe", "top", "-o"]).arg(name);
    let output = windfall.current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["motion"], "a\u{fffd}.wfm");
    assert!(folder.path().join(name).is_file());
    assert!(folder.path().join(std::ffi::OsStr::from_bytes(b"a\xff.top.csv")).is_file());
}
