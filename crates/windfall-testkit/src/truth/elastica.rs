//! The elastica: a clamped rod with arbitrarily large bending, in a vertical plane (x forward, y up).
//!
//! With the tangent's angle phi above the horizontal, the bending moment m, and n the sum of all loads
//! beyond s:
//!
//! ```text
//! phi' = m / EI      m' = sin phi n_x - cos phi n_y      n' = -(0, -weight)
//! x' = cos phi       y' = sin phi
//! phi(0) = clamp angle      m(L) = 0      n(L) = force at the tip
//! ```
//!
//! Shooting: a guess of phi(L) determines the whole state at the tip, so the equations are integrated
//! from tip to clamp (RK4) and phi(L) is corrected by Newton's method. The load increases from zero in
//! small increments, to follow the branch of solutions that begins at the straight rod.

use super::rod::Rod;

/// Loads on the rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RodLoad {
    /// Gravitational acceleration, downward positive, m/s².
    pub gravity: f64,
    /// Force at the tip, forward and up, N.
    pub tip_force: [f64; 2],
}

/// The bent rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bent {
    /// Tip relative to the clamp, forward and up, m.
    pub tip: [f64; 2],
    /// Angle of the tangent at the tip above the horizontal, rad.
    pub tip_angle: f64,
    /// Bending moment at the clamp, N m; positive bends upward.
    pub clamp_moment: f64,
}

const STEPS: usize = 2000;
const LOAD_STEPS: usize = 20;

/// Bends the rod, which leaves the clamp at `clamp_angle` above the horizontal, rad.
pub fn bend(rod: &Rod, clamp_angle: f64, load: RodLoad) -> Bent {
    let mut tip_angle = clamp_angle;
    for part in 1..=LOAD_STEPS {
        let share = part as f64 / LOAD_STEPS as f64;
        let load = RodLoad { gravity: share * load.gravity, tip_force: load.tip_force.map(|f| share * f) };
        let miss = |angle: f64| shoot(rod, angle, load)[0] - clamp_angle;
        let mut error = f64::INFINITY;
        for _ in 0..50 {
            let before = miss(tip_angle);
            error = before.abs();
            if error < 1e-12 {
                break;
            }
            let slope = (miss(tip_angle + 1e-6) - miss(tip_angle - 1e-6)) / 2e-6;
            tip_angle -= before / slope;
        }
        assert!(error < 1e-11, "the shot misses the clamp by {error} rad");
    }
    let [_, clamp_moment, _, x, y] = shoot(rod, tip_angle, load);
    Bent { tip: [-x, -y], tip_angle, clamp_moment }
}

/// Integrates `[phi, m, weight beyond s, x, y]` from the tip (at the origin) to the clamp.
fn shoot(rod: &Rod, tip_angle: f64, load: RodLoad) -> [f64; 5] {
    let slope = |s: f64, [phi, m, weight, ..]: [f64; 5]| {
        let (nx, ny) = (load.tip_force[0], load.tip_force[1] - weight);
        let (sin, cos) = phi.sin_cos();
        [m / rod.bending_stiffness(s), sin * nx - cos * ny, -rod.mass_per_length(s) * load.gravity, cos, sin]
    };
    let add = |state: [f64; 5], h: f64, k: [f64; 5]| std::array::from_fn(|i| state[i] + h * k[i]);
    let h = -rod.length / STEPS as f64;
    let mut state = [tip_angle, 0.0, 0.0, 0.0, 0.0];
    for i in 0..STEPS {
        let s = rod.length + i as f64 * h;
        let a = slope(s, state);
        let b = slope(s + 0.5 * h, add(state, 0.5 * h, a));
        let c = slope(s + 0.5 * h, add(state, 0.5 * h, b));
        let d = slope(s + h, add(state, h, c));
        state = std::array::from_fn(|j| state[j] + h / 6.0 * (a[j] + 2.0 * b[j] + 2.0 * c[j] + d[j]));
    }
    state
}
