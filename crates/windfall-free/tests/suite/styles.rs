//! Fall styles of leaves: those of docs/falling.md, found by a classifier, and their dependence on the time
//! step.
//! `cargo test -p windfall-free --test suite styles -- --nocapture` prints the rows of
//! docs/validation/free.md.

use crate::kit::styles::{Fall, MAPLE, Start, Style, let_go, normal, parting, watch};
use windfall_core::glam::DVec3;
use windfall_solver::params::LeafAirParams;

const FRAME: f64 = 1.0 / 60.0;
/// Least divergence rate of nearby falls of a chaotic leaf, 1/s; a regular one has less than half of it.
const CHAOS: f64 = 0.5;

/// Twelve initial orientations, up to 75 degrees from level.
fn starts() -> impl Iterator<Item = Start> {
    (0..12).map(|i| {
        let i = f64::from(i);
        Start { tilt: DVec3::new(0.15 + 0.1 * i, 0.05 * i, 0.7 * i), ..MAPLE }
    })
}

fn row(name: &str, falls: &[Fall], parting: (f64, f64)) {
    let mean = |f: fn(&Fall) -> f64| falls.iter().map(f).sum::<f64>() / falls.len() as f64;
    println!(
        "| {name} | {:.2} | {:.2} | {:.1} | {:.0} | {:.1} | {:.2} | {:.2} | {:.2} to {:.2} |",
        mean(|f| f.down),
        mean(|f| f.aside),
        mean(|f| f.flips),
        mean(|f| f.tilt),
        mean(|f| f.turning),
        mean(|f| f.wheel),
        mean(|f| f.top),
        parting.0,
        parting.1
    );
}

/// Every regular preset has its style from every start, and nearby falls stay near; the chaotic one has no
/// regular style, and nearby falls diverge.
#[test]
fn presets_fall_in_their_styles() {
    println!(
        "| style | fall, m/s | aside, m/s | flips per s | tilt, ° | turning, rad/s | wheel | top | parting, 1/s |"
    );
    for (name, air, style) in [
        ("steady", LeafAirParams::steady(), Style::Steady),
        ("flutter", LeafAirParams::flutter(), Style::Flutter),
        ("tumble", LeafAirParams::tumble(), Style::Tumble),
        ("spiral", LeafAirParams::spiral(), Style::Spiral),
        ("chaotic", LeafAirParams::chaotic(), Style::Mixed),
        ("default", LeafAirParams::default(), Style::Flutter),
    ] {
        let (mut falls, mut slowest, mut fastest) = (vec![], f64::INFINITY, f64::NEG_INFINITY);
        for start in starts() {
            let fall = watch(air, start, FRAME, 8.0, 10.0);
            let rate = parting(air, start, FRAME, 8.0, 30.0);
            assert_eq!(fall.style(), style, "{name} from {start:?}: {fall:?}");
            (slowest, fastest) = (slowest.min(rate), fastest.max(rate));
            falls.push(fall);
        }
        row(name, &falls, (slowest, fastest));
        if style == Style::Mixed {
            assert!(slowest > CHAOS, "{name} {slowest}");
        } else {
            assert!(fastest < 0.5 * CHAOS, "{name} {fastest}");
        }
        assert!(falls.iter().all(|f| (1.0..2.5).contains(&f.down)));
    }
}

/// A maple leaf of 6 cm and 0.2 g comes down at 1 to 2 m/s, as leaves do.
#[test]
fn the_default_leaf_falls_like_a_leaf() {
    let fall = watch(LeafAirParams::default(), MAPLE, FRAME, 5.0, 10.0);
    assert!((1.0..2.0).contains(&fall.down), "{fall:?}");
}

/// The swing of a flutter grows below `spin_drag` = 1 and dies above it, whatever the size and mass of the
/// leaf (for little friction).
#[test]
fn spin_drag_of_one_divides_flutter_from_rest() {
    for (width, length, mass) in [(0.06, 0.06, 2e-4), (0.03, 0.06, 2e-4), (0.04, 0.05, 5e-5), (0.1, 0.12, 1e-3)] {
        for (spin_drag, grows) in [(0.9, true), (1.2, false)] {
            let air = LeafAirParams { spin_drag, friction: 0.01, torque: 0.5, ..LeafAirParams::default() };
            let start = Start { width, length, mass, tilt: DVec3::new(0.02, 0.01, 0.3) };
            let fall = watch(air, start, FRAME, 25.0, 5.0);
            assert_eq!(fall.tilt > 2.0, grows, "{width} {spin_drag}: {fall:?}");
        }
    }
}

/// Halving the frame changes the place of a fluttering leaf by less than the bound, and the style of no leaf.
#[test]
fn falls_do_not_depend_on_the_frame() {
    let finest = 1.0 / 1920.0;
    for (name, air) in [("flutter", LeafAirParams::flutter()), ("spiral", LeafAirParams::spiral())] {
        let mut exact = let_go(air, MAPLE);
        exact.run(5.0, finest);
        for frames in [30.0, 60.0, 120.0, 240.0] {
            let mut scene = let_go(air, MAPLE);
            scene.run(5.0, 1.0 / frames);
            let way = scene.body(0).position.distance(exact.body(0).position);
            let turn = normal(scene.body(0)).distance(normal(exact.body(0)));
            println!("| {name}, 5 s at {frames} Hz against 1920 Hz | {:.1} mm of 7 m | {turn:.4} rad |", way * 1e3);
            assert!(way < 0.01 && turn < 0.15, "{name} {frames}: {way} {turn}");
        }
    }
    for (name, air) in [
        ("chaotic", LeafAirParams::chaotic()),
        ("tumble", LeafAirParams::tumble()),
        ("default", LeafAirParams::default()),
    ] {
        let mut means = vec![];
        for frames in [30.0, 60.0, 240.0] {
            let falls: Vec<Fall> = starts().map(|start| watch(air, start, 1.0 / frames, 5.0, 15.0)).collect();
            let mean = falls.iter().map(|f| f.down).sum::<f64>() / falls.len() as f64;
            let turning = falls.iter().map(|f| f.turning).sum::<f64>() / falls.len() as f64;
            println!("| {name}, mean of twelve falls at {frames} Hz | {mean:.3} m/s | {turning:.2} rad/s |");
            means.push((mean, turning));
        }
        // The uncertainty of means of chaotic falls, from twelve falls of fifteen seconds.
        let bound = if name == "chaotic" { 0.05 } else { 0.005 };
        for &(mean, _) in &means {
            assert!((mean / means[2].0 - 1.0).abs() < bound, "{name} {means:?}");
        }
    }
}
