//! The closed forms in lanes against those of `crate::analytic` in f64, which have their own tests
//! against the differential equation.

use fearless_simd::{Level, Simd};

use super::eigen::eigen;
use super::functions::{exp, sin_cos};
use super::oscillator::Responses;
use crate::analytic::oscillator;
use crate::math::{Mat3, Sym3, Vec3};
use crate::wide::math::{F, LANES, Sym, V, all};
use crate::wide::{Vectors, with_lanes};

#[inline(always)]
fn eight<S: Simd>(simd: S, numbers: &[f32; LANES]) -> F<S> {
    crate::wide::math::eight(simd, *numbers)
}

/// Applies it to eight numbers.
macro_rules! in_lanes {
    ($simd:ident, $x:ident: $numbers:expr => $run:expr) => {{
        let numbers: [f32; LANES] = $numbers;
        with_lanes!(Vectors::Best, $simd => {
            let $x = eight($simd, &numbers);
            $run
        })
    }};
}

#[test]
fn exp_and_sin_cos_are_right_to_the_last_digits() {
    let mut worst = [0.0_f64; 4];
    for i in 0..20_000 {
        let at = |l: usize| 10_f32.powf(-8.0 + 9.6 * (i * LANES + l) as f32 / 160_000.0);
        let x: [f32; LANES] = std::array::from_fn(at);
        let (e, less) = in_lanes!(simd, v: x.map(|x| -x) => { let (e, less) = exp(v); (e.into(), less.into()) });
        let (e, less): ([f32; LANES], [f32; LANES]) = (e, less);
        let (s, c) = in_lanes!(simd, v: x.map(|x| 100.0 * x) => { let (s, c) = sin_cos(v); (s.into(), c.into()) });
        let (s, c): ([f32; LANES], [f32; LANES]) = (s, c);
        for l in 0..LANES {
            let (true_e, true_less) = ((-f64::from(x[l])).exp(), (-f64::from(x[l])).exp_m1());
            worst[0] = worst[0].max((f64::from(e[l]) / true_e - 1.0).abs());
            worst[1] = worst[1].max((f64::from(less[l]) / true_less - 1.0).abs());
            let (sine, cosine) = f64::from(100.0 * x[l]).sin_cos();
            worst[2] = worst[2].max((f64::from(s[l]) - sine).abs());
            worst[3] = worst[3].max((f64::from(c[l]) - cosine).abs());
        }
    }
    println!("exp {:.1e}, exp - 1 {:.1e}, sin {:.1e}, cos {:.1e}", worst[0], worst[1], worst[2], worst[3]);
    assert!(worst[..2].iter().all(|&error| error < 2.5e-7), "{worst:?}");
    assert!(worst[2..].iter().all(|&error| error < 1.5e-7), "{worst:?}");
}

/// Under- and overdamped, near the critical case, weak and rigid: at each frequency the worst error over
/// all dampings is at most four times that of the scalar path in f32, or four units in the last place, up
/// to 1e5 rad per step. Errors are relative; where an angle of many turns is known to its last place
/// only, to that.
#[test]
fn oscillators_are_as_right_as_one_by_one() {
    let t = 1.0_f32 / 60.0;
    let ratios: [f32; 16] =
        [0.0, 1e-4, 0.01, 0.3, 0.9, 0.999, 1.0 - 1e-6, 1.0, 1.0 + 1e-6, 1.001, 1.1, 3.0, 30.0, 1e3, 1e4, 1e5];
    let mut largest = 0.0_f64;
    for i in -16..=20 {
        let angle = 10_f32.powf(0.25 * i as f32);
        let o2 = (angle / t).powi(2);
        for (y, v, r) in [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)] {
            let mut worst = [[0.0_f64; 2]; 2];
            for half in ratios.chunks(LANES) {
                let p: [f32; LANES] = std::array::from_fn(|l| half[l] * angle / t);
                let (place, rate) = in_lanes!(simd, lanes: p => {
                    // Beside others, one underdamped and one overdamped.
                    let (p, o2) = (V::new(all(simd, 0.1), lanes, all(simd, 90.0)), V::new(all(simd, 50.0), all(simd, o2), all(simd, 70.0)));
                    let all_three = |one: f32| V::splat(all(simd, one));
                    let (place, rate) = Responses::new(p, o2, t).apply(all_three(y), all_three(v), all_three(r));
                    (place.y.into(), rate.y.into())
                });
                let (place, rate): ([f32; LANES], [f32; LANES]) = (place, rate);
                for l in 0..LANES {
                    let one = oscillator::Response::new(p[l], o2, t).apply(y, v, r);
                    let exact = oscillator::Response::<f64>::new(p[l].into(), o2.into(), t.into());
                    let truth = exact.apply(y.into(), v.into(), r.into());
                    let (o2, t, x) = (f64::from(o2), f64::from(t), f64::from(angle).max(1.0));
                    let units = if v == 0.0 { [1.0, o2.sqrt()] } else { [t / x, 1.0] };
                    let blur = if x > 1.0 { x * f64::from(f32::EPSILON) } else { 0.0 };
                    let found = [(place[l], one.0, truth.0, units[0]), (rate[l], one.1, truth.1, units[1])];
                    for (k, (wide, narrow, truth, unit)) in found.into_iter().enumerate() {
                        // Numbers below the smallest one of f32 count as zero.
                        let size = truth.abs() + blur * unit + 1e-30;
                        worst[k][0] = worst[k][0].max((f64::from(wide) - truth).abs() / size);
                        worst[k][1] = worst[k][1].max((f64::from(narrow) - truth).abs() / size);
                    }
                }
            }
            for [wide, narrow] in worst {
                let bound = 4.0 * narrow + 4.0 * f64::from(f32::EPSILON);
                largest = largest.max(wide / bound);
                assert!(wide <= bound, "angle {angle}, {y} {v} {r}: {wide:e}, one by one {narrow:e}");
            }
        }
    }
    println!("worst error over its bound: {largest:.2}");
}

/// Degenerate pairs, diagonals, twelve decades in one matrix, tiny and empty ones: vectors are
/// orthonormal, and `|Q diag(mu) Qᵀ - S|` is small relative to both diagonal entries in each place.
#[test]
fn eigenvectors_are_right_for_every_kind_of_matrix() {
    let turn = |seed: f32| {
        let axis = Vec3::new(seed.sin(), (1.7 * seed).cos(), (0.3 * seed).sin() + 0.1);
        crate::math::exp(axis * (seed * 0.37))
    };
    let mut matrices: Vec<Sym3<f32>> = vec![Sym3::zero(), Sym3::diagonal(Vec3::splat(1.0))];
    for (i, values) in [
        [1.0, 1.0, 1.0],
        [1.0, 1.0, 1e-5],
        [1.0, 1e-5, 1e-5],
        [1.0, 1.0 + 1e-7, 0.3],
        [3.0, 2.0, 1.0],
        [1.0, 1e-3, 1e-6],
        [1.0, 0.0, 0.0],
    ]
    .into_iter()
    .enumerate()
    {
        for k in 0..40 {
            let rotation = turn((i * 40 + k) as f32).matrix();
            let matrix = Sym3::diagonal_turned(Vec3::new(values[0], values[1], values[2]), rotation);
            let d = if k % 2 == 0 { Vec3::splat(1.0) } else { Vec3::new(1.0, 1e-3, 1e-6) };
            let scale = [1.0, 1e-20, 1e20][k % 3];
            matrices.push(Sym3 {
                xx: matrix.xx * d.x * d.x * scale,
                yy: matrix.yy * d.y * d.y * scale,
                zz: matrix.zz * d.z * d.z * scale,
                xy: matrix.xy * d.x * d.y * scale,
                xz: matrix.xz * d.x * d.z * scale,
                yz: matrix.yz * d.y * d.z * scale,
            });
        }
    }
    matrices.resize(matrices.len().next_multiple_of(LANES), Sym3::zero());
    let mut worst = (0.0_f64, 0.0_f64);
    for eight_of in matrices.chunks(LANES) {
        let part = |of: fn(&Sym3<f32>) -> f32| -> [f32; LANES] { std::array::from_fn(|l| of(&eight_of[l])) };
        let rows = [part(|s| s.xx), part(|s| s.yy), part(|s| s.zz), part(|s| s.xy), part(|s| s.xz), part(|s| s.yz)];
        let found: [(Vec3<f32>, Mat3<f32>); LANES] = with_lanes!(Vectors::Best, simd => {
            let [xx, yy, zz, xy, xz, yz] = rows.map(|row| eight(simd, &row));
            let (values, [a, b, c]) = eigen(Sym { xx, yy, zz, xy, xz, yz });
            std::array::from_fn(|l| (values.lane(l), Mat3::from_rows(a.lane(l), b.lane(l), c.lane(l))))
        });
        for (s, (values, vectors)) in eight_of.iter().zip(found) {
            let [a, b, c] = vectors.rows.map(Vec3::f64);
            let straight = [a.length() - 1.0, b.length() - 1.0, c.length() - 1.0, a.dot(b), a.dot(c), b.dot(c)];
            worst.0 = straight.into_iter().fold(worst.0, |worst, error| worst.max(error.abs()));
            let entry = |i: usize, j: usize| {
                [(a, values.x), (b, values.y), (c, values.z)]
                    .into_iter()
                    .map(|(v, mu)| v[i] * v[j] * f64::from(mu))
                    .sum::<f64>()
            };
            let diagonal = [s.xx, s.yy, s.zz].map(f64::from);
            for (i, j, s) in [(0, 0, s.xx), (1, 1, s.yy), (2, 2, s.zz), (0, 1, s.xy), (0, 2, s.xz), (1, 2, s.yz)] {
                let size = (diagonal[i] * diagonal[j]).sqrt().max(f64::MIN_POSITIVE);
                worst.1 = worst.1.max((entry(i, j) - f64::from(s)).abs() / size);
            }
        }
    }
    println!("vectors {:.1e}, matrices {:.1e}", worst.0, worst.1);
    assert!(worst.0 < 2e-6 && worst.1 < 1e-5, "{worst:?}");
}
