//! Rotation vectors and exchange in lanes against plain computations.

use fearless_simd::{Level, Simd};

use super::exchange::{gathered, scattered};
use super::math::{F, LANES, Q, V};
use super::rotation::log;
use super::{Vectors, with_lanes};
use crate::math::{Quat, Vec3};

const ALL: [Vectors; 3] = [Vectors::Best, Vectors::Avx2, Vectors::Least];

/// Eight rotations by growing angles, from zero to half a turn and beyond, about axes of all directions;
/// every second the long way round.
fn rotations(i: usize) -> [Quat<f32>; LANES] {
    std::array::from_fn(|l| {
        let n = (i * LANES + l) as f64;
        let axis = Vec3::new((n * 0.7).sin(), (n * 1.3).cos(), (n * 0.31).sin() + 0.1);
        let angle = std::f64::consts::PI * (n / 15_990.0).powi(2);
        let Quat { v, w } = crate::math::exp(axis * (angle / axis.length()));
        let sign = if l % 2 == 0 { 1.0 } else { -1.0 };
        let Vec3 { x, y, z } = v * sign;
        Quat { v: Vec3::new(x as f32, y as f32, z as f32), w: (w * sign) as f32 }
    })
}

fn far<const N: usize>(found: [f32; N], truth: [f64; N]) -> f64 {
    let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
    let off: [f64; N] = std::array::from_fn(|i| f64::from(found[i]) - truth[i]);
    (square(&off) / square(&truth)).sqrt()
}

/// theta, J^-1, J^-T v, J^T v and the force of a spring, against the closed forms in f64 of
/// `math/rotation.rs`, for the same rotation.
#[test]
fn rotation_vectors_are_right_to_the_last_digits() {
    let of = |q: &Quat<f32>| {
        let [x, y, z, w] = [q.v.x, q.v.y, q.v.z, q.w].map(f64::from);
        let length = (x * x + y * y + z * z + w * w).sqrt();
        crate::math::log(Quat { v: Vec3::new(x, y, z) * (1.0 / length), w: w / length })
    };
    let (torque, k) = (Vec3::new(0.3, -0.8, 0.5), Vec3::new(1.0, 0.2, 3.0));
    for vectors in ALL {
        let mut worst = [0.0_f64; 5];
        for i in 0..2000 {
            let q = rotations(i);
            let eight = |of: fn(&Quat<f32>) -> f32| -> [f32; LANES] { std::array::from_fn(|l| of(&q[l])) };
            let [x, y, z, w] = [eight(|q| q.v.x), eight(|q| q.v.y), eight(|q| q.v.z), eight(|q| q.w)];
            let found: [[Vec3<f32>; LANES]; 7] = with_lanes!(vectors, simd => {
                let number = |numbers| super::math::eight(simd, numbers);
                let all = |v: Vec3<f64>| V::all(simd, Vec3::new(v.x as f32, v.y as f32, v.z as f32));
                let vector = log(Q { v: V::new(number(x), number(y), number(z)), w: number(w) });
                let [a, b, c] = vector.rate_matrix().rows;
                let results = [vector.theta, a, b, c, vector.torque_of(all(torque)), vector.force_of(all(torque)), vector.spring_force(all(k), true)];
                results.map(|v| std::array::from_fn(|l| v.lane(l)))
            });
            for l in 0..LANES {
                let truth = of(&q[l]);
                let [theta, a, b, c, t, f, s] = found.map(|v| [v[l].x, v[l].y, v[l].z]);
                let list = |v: Vec3<f64>| [v.x, v.y, v.z];
                if truth.theta.length() > 1e-3 {
                    worst[0] = worst[0].max(far(theta, list(truth.theta)));
                    // Near half a turn two large forces cancel: relative to the linear one.
                    let spring = truth.spring_force(k);
                    let off = Vec3::new(f64::from(s[0]), f64::from(s[1]), f64::from(s[2])) - spring;
                    worst[4] = worst[4].max(off.length() / k.scale(truth.theta).length());
                }
                for (row, truth) in [a, b, c].into_iter().zip(truth.rate_matrix().rows) {
                    worst[1] = worst[1].max(far(row, list(truth)));
                }
                worst[2] = worst[2].max(far(t, list(truth.torque_of(torque))));
                worst[3] = worst[3].max(far(f, list(truth.force_of(torque))));
            }
        }
        println!("{vectors:?}: theta, J^-1, J^-T v, J^T v, springs {worst:?}");
        assert!(worst[0] < 2.5e-7 && worst[1..4].iter().all(|error| *error < 8e-7) && worst[4] < 1.5e-6, "{worst:?}");
    }
}

/// Number n of body l is 8 l + n.
#[test]
fn what_is_scattered_is_gathered_again() {
    let bodies: [[f32; 8]; LANES] = std::array::from_fn(|l| std::array::from_fn(|n| (8 * l + n) as f32));
    for vectors in ALL {
        let (numbers, back): ([[f32; LANES]; 8], [[f32; 8]; LANES]) = with_lanes!(vectors, simd => {
            let numbers: [F<_>; 8] = gathered(simd, bodies.each_ref());
            (numbers.map(Into::into), scattered(numbers).map(Into::into))
        });
        for (n, l) in (0..8).flat_map(|n| (0..LANES).map(move |l| (n, l))) {
            assert_eq!(numbers[n][l], bodies[l][n], "{vectors:?}");
        }
        assert_eq!(back, bodies, "{vectors:?}");
    }
}
