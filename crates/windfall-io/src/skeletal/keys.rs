//! Key reduction: keys are omitted if interpolation between the others is within a tolerance.
//!
//! Each interval is extended as long as all values in it are within the tolerance (greedy, so the error is
//! bounded by construction), at most [`LONGEST`] frames. Rotations must be within the tolerance for both
//! interpolation methods in use: spherical (slerp, as specified by glTF) and normalised linear (Blender
//! and some engines).

use glam::{DQuat, DVec3};

/// Maximum number of frames between two keys: bounds the run time of the search.
pub const LONGEST: usize = 64;

/// Indices of the values to keep out of `count`: the first, the last, and those required between.
/// `passes(a, i, b)` is whether the interpolation from key `a` to key `b` reproduces value `i`.
fn greedy(count: usize, passes: impl Fn(usize, usize, usize) -> bool) -> Vec<u32> {
    let mut kept = vec![0];
    let mut from = 0;
    while from + 1 < count {
        let mut to = from + 1;
        while to + 1 < count && to + 1 - from <= LONGEST && (from + 1..=to).all(|i| passes(from, i, to + 1)) {
            to += 1;
        }
        kept.push(to as u32);
        from = to;
    }
    kept
}

/// Keys of evenly spaced positions, with an error of at most `tolerance` metres.
pub fn reduce_positions(values: &[DVec3], tolerance: f64) -> Vec<u32> {
    reduce_positions_at(values, |i| i as f64, tolerance)
}

/// Keys of evenly spaced unit quaternions with consistent signs, with an error of at most `tolerance`
/// radians.
pub fn reduce_rotations(values: &[DQuat], tolerance: f64) -> Vec<u32> {
    reduce_rotations_at(values, |i| i as f64, tolerance)
}

/// Keys of positions at any increasing times, with an error of at most `tolerance` metres.
pub fn reduce_positions_at(values: &[DVec3], time: impl Fn(usize) -> f64, tolerance: f64) -> Vec<u32> {
    greedy(values.len(), |a, i, b| {
        let share = (time(i) - time(a)) / (time(b) - time(a));
        values[a].lerp(values[b], share).distance_squared(values[i]) <= tolerance * tolerance
    })
}

/// Keys of unit quaternions with consistent signs at any increasing times, with an error of at most
/// `tolerance` radians.
pub fn reduce_rotations_at(values: &[DQuat], time: impl Fn(usize) -> f64, tolerance: f64) -> Vec<u32> {
    greedy(values.len(), |a, i, b| {
        let share = (time(i) - time(a)) / (time(b) - time(a));
        let (from, to) = (values[a], values[b]);
        let chord = (from * (1.0 - share) + to * share).normalize();
        angle(chord, values[i]) <= tolerance && angle(arc(from, to, share), values[i]) <= tolerance
    })
}

/// Spherical interpolation as specified by glTF. Both quaternions have consistent signs.
pub fn arc(from: DQuat, to: DQuat, share: f64) -> DQuat {
    from.slerp(to, share).normalize()
}

/// Angle between two rotations, rad; accurate for small angles too.
pub fn angle(a: DQuat, b: DQuat) -> f64 {
    let turn = a.conjugate() * b;
    2.0 * turn.xyz().length().atan2(turn.w.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_way_has_two_keys_and_a_corner_three() {
        let line: Vec<DVec3> = (0..60).map(|i| DVec3::X * f64::from(i)).collect();
        assert_eq!(reduce_positions(&line, 1e-9), [0, 59]);
        let corner: Vec<DVec3> = (0..40).map(|i| DVec3::X * f64::from(i).min(17.0)).collect();
        assert_eq!(reduce_positions(&corner, 1e-9), [0, 17, 39]);
        assert_eq!(reduce_positions(&corner[..1], 1e-9), [0]);
    }

    /// Between keys n frames apart a parabola x = c i² / 2 has the error c n² / 8: so n = sqrt(8 tolerance
    /// / c).
    #[test]
    fn a_parabola_has_as_many_keys_as_theory_says() {
        let curve: Vec<DVec3> = (0..=400).map(|i| DVec3::Y * 0.5 * 1e-3 * f64::from(i * i)).collect();
        let kept = reduce_positions(&curve, 1e-3 * 100.0 / 8.0 * 1.0001);
        assert_eq!(kept, (0..=40).map(|i| i * 10).collect::<Vec<u32>>());
    }

    #[test]
    fn rotations_between_keys_stay_within_the_tolerance() {
        let values: Vec<DQuat> = (0..300)
            .map(|i| DQuat::from_rotation_z((f64::from(i) * 0.1).sin()) * DQuat::from_rotation_x(0.3))
            .collect();
        let kept = reduce_rotations(&values, 0.01);
        assert!(kept.len() < 120, "{}", kept.len());
        for pair in kept.windows(2) {
            let (a, b) = (pair[0] as usize, pair[1] as usize);
            for i in a..=b {
                let share = (i - a) as f64 / (b - a) as f64;
                assert!(angle(arc(values[a], values[b], share), values[i]) <= 0.01 + 1e-12);
            }
        }
    }
}
