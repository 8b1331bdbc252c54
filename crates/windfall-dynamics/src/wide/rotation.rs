//! Rotations of eight joints at once: see `math/rotation.rs`.

use super::math::{F, M, Q, V, Wide, all, less, series};

/// t0 of `math/rotation.rs`, rad.
const TURNING_OVER: f32 = 2.5;

/// The rotation with this rotation vector, of at most one radian.
#[inline(always)]
pub fn exp<S: Wide>(theta: V<S>) -> Q<S> {
    let square = theta.length_squared();
    let s = series(square, [0.5, -1.0 / 48.0, 1.0 / 3840.0, -1.0 / 645_120.0]);
    let w = series(square, [1.0, -0.125, 1.0 / 384.0, -1.0 / 46080.0, 1.0 / 10_321_920.0]);
    Q { v: theta * s, w }
}

/// The same of at most three radians.
#[inline(always)]
pub fn far_exp<S: Wide>(theta: V<S>) -> Q<S> {
    // Powers of half the angle; the next terms are below 1e-8.
    let square = theta.length_squared() * all(theta.x.simd, 0.25);
    let s = series(
        square,
        [0.5, -1.0 / 12.0, 1.0 / 240.0, -1.0 / 10080.0, 1.0 / 725_760.0, -1.0 / 79_833_600.0, 8.029_522e-11],
    );
    let w = series(
        square,
        [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3_628_800.0, 1.0 / 479_001_600.0, -1.147_074_6e-11],
    );
    Q { v: theta * s, w }
}

/// A rotation vector and its c: see `math/rotation.rs`.
#[derive(Clone, Copy)]
pub struct RotationVector<S: Wide> {
    pub theta: V<S>,
    pub c: F<S>,
}

/// The rotation vector of a rotation, the short way round.
///
/// With u = tan(t/4) = |v| / (1 + w) it is `4 atan(u)/u v / (1 + w)`. atan(u)/u and c are smooth functions of u², between 0 and 1; the
/// polynomials are Chebyshev fits, right to 2e-8.
#[inline(always)]
pub fn log<S: Wide>(q: Q<S>) -> RotationVector<S> {
    let simd = q.w.simd;
    let zero = all(simd, 0.0);
    let over = q.w.simd_lt(zero);
    let v = V::select(over, -q.v, q.v);
    let stretch = all(simd, 1.0) / (q.w.abs() + all(simd, 1.0));
    let u = v * stretch;
    let square = u.length_squared().min(all(simd, 1.0));
    let angle = series(
        square,
        [
            1.0,
            -0.333_330_66,
            0.199_924_84,
            -0.142_025_71,
            0.106_367_54,
            -0.074_954_46,
            0.042_587_608,
            -0.016_005_03,
            0.002_834_064_2,
        ],
    );
    let c = series(
        square,
        [
            0.083_333_336,
            0.022_221_986,
            -0.006_343_932,
            0.003_410_868_8,
            -0.002_096_097_2,
            0.001_163_781_4,
            -0.000_454_619_06,
            0.000_085_861_74,
        ],
    );
    RotationVector { theta: u * (angle * all(simd, 4.0)), c }
}

impl<S: Wide> RotationVector<S> {
    /// `dE/dtheta` of springs with the stiffness `k`. Leaves turn over all the time, and a processor can't guess in which rows; wood hardly ever does.
    #[inline(always)]
    pub fn spring_force(&self, k: V<S>, are_leaves: bool) -> V<S> {
        let linear = k.scale(self.theta);
        let square = self.theta.length_squared();
        let simd = square.simd;
        let start = all(simd, TURNING_OVER * TURNING_OVER);
        if !are_leaves && !square.simd_gt(start).any_true() {
            return linear;
        }
        // Where nothing turns over `past` is zero, and the force is linear to the bit.
        let t = square.max(start).sqrt();
        let (past, over) = (t - all(simd, TURNING_OVER), all(simd, 1.0) / t);
        let rest = std::f32::consts::PI - TURNING_OVER;
        let bent = past * over * all(simd, 0.5 / rest);
        let ratio = less(all(simd, 1.0), past, bent);
        let slope_less_ratio = past * (bent - all(simd, 1.0 / rest));
        let along = ratio * over * (slope_less_ratio * over) * linear.dot(self.theta);
        self.theta.times_plus(along, linear * (ratio * ratio))
    }

    /// `J_r^-T v`.
    #[inline(always)]
    pub fn torque_of(&self, v: V<S>) -> V<S> {
        let a = self.theta.cross(v);
        v - a * all(self.c.simd, 0.5) + self.theta.cross(a) * self.c
    }

    /// `J_r^T v`, the coefficients in powers of the angle squared; the next terms are below 1e-8.
    #[inline(always)]
    pub fn force_of(&self, torque: V<S>) -> V<S> {
        let square = self.theta.length_squared();
        let first = series(
            square,
            [
                0.5,
                -1.0 / 24.0,
                1.0 / 720.0,
                -1.0 / 40320.0,
                1.0 / 3_628_800.0,
                -1.0 / 479_001_600.0,
                1.147_074_6e-11,
                -4.779_477e-14,
                1.561_921e-16,
            ],
        );
        let second = series(
            square,
            [
                1.0 / 6.0,
                -1.0 / 120.0,
                1.0 / 5040.0,
                -1.0 / 362_880.0,
                1.0 / 39_916_800.0,
                -1.605_904_4e-10,
                7.647_164e-13,
                -2.811_457e-15,
            ],
        );
        let a = self.theta.cross(torque);
        torque + a * first + self.theta.cross(a) * second
    }

    /// `J_r^-1`.
    #[inline(always)]
    pub fn rate_matrix(&self) -> M<S> {
        let V { x, y, z } = self.theta;
        let simd = x.simd;
        let half = self.theta * all(simd, 0.5);
        let scaled = self.theta * self.c;
        let diagonal = less(all(simd, 1.0), self.c, self.theta.length_squared());
        M::new(
            V::new(scaled.x.mul_add(x, diagonal), scaled.x.mul_sub(y, half.z), scaled.x.mul_add(z, half.y)),
            V::new(scaled.x.mul_add(y, half.z), scaled.y.mul_add(y, diagonal), scaled.y.mul_sub(z, half.x)),
            V::new(scaled.x.mul_sub(z, half.y), scaled.y.mul_add(z, half.x), scaled.z.mul_add(z, diagonal)),
        )
    }
}
