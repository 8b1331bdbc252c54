//! A rotation in eight bytes.
//!
//! A unit quaternion and its negative are the same rotation, and its largest component follows from the
//! others. So two bits hold the index of the largest component (x, y, z, w), and the other three, whose
//! magnitude is at most 1/sqrt(2), are rounded to h = 1 / (sqrt(2) 524287), 20 bits each. The largest
//! error is at (1, 1, 1, 1) / 2: the error of each of the three is h/2, of the fourth 3h/2, so of the
//! quaternion sqrt(3) h and of the rotation twice that, 4.7e-6 rad (three times 15 bits, which would fit
//! into six bytes, reach 1.5e-4 rad). Identity rotations are exact.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use glam::{DQuat, Quat};

const BITS: u32 = 20;
const MOST: i64 = (1 << (BITS - 1)) - 1;

/// Packs a rotation; the quaternion may have any non-zero length.
pub(super) fn pack(rotation: Quat) -> u64 {
    let q = rotation.as_dquat().normalize().to_array();
    let largest = (1..4).fold(0, |best, i| if q[i].abs() > q[best].abs() { i } else { best });
    let sign = q[largest].signum();
    let rest = (0..4).filter(|&i| i != largest).map(|i| sign * q[i]);
    rest.enumerate().fold((largest as u64) << (3 * BITS), |packed, (place, value)| {
        // Rounds to nearest: the truncated value is positive.
        let level = (value * SQRT_2 * MOST as f64 + MOST as f64 + 0.5) as u64;
        packed | level << (BITS * place as u32)
    })
}

/// Unpacks a rotation; any eight bytes are valid.
pub(super) fn unpack(packed: u64) -> Quat {
    let largest = (packed >> (3 * BITS)) as usize & 3;
    let mut q = [0.0; 4];
    let mut rest = 0.0;
    for (place, i) in (0..4).filter(|&i| i != largest).enumerate() {
        let level = (packed >> (BITS * place as u32)) as i64 & ((1 << BITS) - 1);
        q[i] = (level - MOST) as f64 * (FRAC_1_SQRT_2 / MOST as f64);
        rest += q[i] * q[i];
    }
    // Three components of invalid input may have a norm above one: the fourth is then zero.
    q[largest] = (1.0 - rest).max(0.0).sqrt();
    DQuat::from_array(q).normalize().as_quat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Angle between two rotations, rad; accurate for small angles, unlike `acos`.
    fn angle(a: Quat, b: Quat) -> f64 {
        let d = a.as_dquat().normalize().conjugate() * b.as_dquat().normalize();
        2.0 * d.xyz().length().atan2(d.w.abs())
    }

    #[test]
    fn simple_rotations_are_exact() {
        assert_eq!(unpack(pack(Quat::IDENTITY)), Quat::IDENTITY);
        for q in [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 0.0, 0.0, -7.0]] {
            assert_eq!(angle(unpack(pack(Quat::from_array(q))), Quat::from_array(q)), 0.0, "{q:?}");
        }
    }

    #[test]
    fn the_worst_rotation_is_as_wrong_as_theory_says() {
        // Errors of half a step in all three small components, near (1, 1, 1, 1) / 2.
        let h = FRAC_1_SQRT_2 / MOST as f64;
        let v = ((0.5 / h).floor() - 0.5) * h;
        let q = DQuat::from_xyzw(v, v, v, (1.0 - 3.0 * v * v).sqrt()).as_quat();
        let wrong = angle(unpack(pack(q)), q);
        let theory = 2.0 * 3f64.sqrt() * h;
        // The resolution of the components in f32 is 3e-8, a twentieth of half a step.
        assert!((wrong - theory).abs() < 0.1 * theory, "{wrong} {theory}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn any_rotation_comes_back(q in prop::array::uniform4(-1.0..1.0_f32)) {
            let q = Quat::from_array(q);
            prop_assume!(q.length() > 1e-3);
            prop_assert!(angle(unpack(pack(q)), q) < 5e-6);
        }

        #[test]
        fn any_bytes_are_a_rotation(packed: u64) {
            prop_assert!((unpack(packed).length() - 1.0).abs() < 1e-6);
        }
    }
}
