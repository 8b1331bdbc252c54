//! Rotations of eight joints at once: see `math/rotation.rs`.

use super::math::{F, M, Q, V, Wide, all, less, series};
use crate::math;

/// t0 of `math/rotation.rs`, rad, and y of it: see [`RotationVector`].
const TURNING_OVER: f32 = math::TURNING_OVER as f32;
const Y_OF_TURNING_OVER: f32 = 0.684_677;

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
///
/// All that springs need of the angle t is a smooth function of `y = 1 - cos(t/2)`, which lies between 0
/// and 1 and is known without a division or a root. The polynomials are minimax fits; the error of each
/// over its largest value stands beside it.
#[derive(Clone, Copy)]
pub struct RotationVector<S: Wide> {
    pub theta: V<S>,
    half: V<S>,
    pub c: F<S>,
    y: F<S>,
    /// `t/2 cot(t/2)`, which is `1 - c t^2`.
    level: F<S>,
}

/// The rotation vector of a rotation, the short way round.
#[inline(always)]
pub fn log<S: Wide>(q: Q<S>) -> RotationVector<S> {
    let simd = q.w.simd;
    let w = q.w.abs();
    let y = all(simd, 1.0) - w;
    // t/2 / sin(t/2), 4e-8
    let stretch = series(
        y,
        [
            1.0,
            0.333_335_6,
            0.133_260_89,
            0.058_037_706,
            0.019_848_695,
            0.030_985_665,
            -0.035_150_878,
            0.052_578_69,
            -0.033_457_39,
            0.011_357_367,
        ],
    );
    // c, 2e-7
    let c = series(
        y,
        [
            0.083_333_32,
            0.011_112_7,
            0.003_936_748,
            0.001_857_816,
            -0.000_143_203_63,
            0.001_910_805_3,
            -0.001_414_900_5,
            0.000_727_882_4,
        ],
    );
    let half = q.v * stretch.copysign(q.w);
    RotationVector { theta: half + half, half, c, y, level: stretch * w }
}

impl<S: Wide> RotationVector<S> {
    /// `dE/dtheta` of springs with the stiffness `k`. Leaves turn over all the time, in unpredictable
    /// rows; wood hardly ever does.
    #[inline(always)]
    pub fn spring_force(&self, k: V<S>, are_leaves: bool) -> V<S> {
        let linear = k.scale(self.theta);
        let simd = self.y.simd;
        if !are_leaves && !self.y.simd_gt(all(simd, Y_OF_TURNING_OVER)).any_true() {
            return linear;
        }
        // Where nothing turns over, `past` is zero, and the force is linear to the bit. A root, because
        // near half a turn two large forces cancel.
        let square = self.theta.length_squared().max(all(simd, TURNING_OVER * TURNING_OVER));
        // The division does not depend on the root.
        let (t, per_square) = (square.sqrt(), all(simd, 1.0) / square);
        let past = t - all(simd, TURNING_OVER);
        let rest = std::f32::consts::PI - TURNING_OVER;
        let bent = past * (t * per_square) * all(simd, 0.5 / rest);
        let ratio = less(all(simd, 1.0), past, bent);
        let slope_less_ratio = past * (bent - all(simd, 1.0 / rest));
        let along = ratio * slope_less_ratio * per_square * linear.dot(self.theta);
        self.theta.times_plus(along, linear * (ratio * ratio))
    }

    /// `J_r^-T v`.
    #[inline(always)]
    pub fn torque_of(&self, v: V<S>) -> V<S> {
        let a = self.half.cross(v);
        v - a + self.theta.cross(a) * (self.c + self.c)
    }

    /// `J_r^T v`.
    #[inline(always)]
    pub fn force_of(&self, torque: V<S>) -> V<S> {
        // (1 - cos t) / t^2, 4e-8
        let first = series(
            self.y,
            [0.5, -0.333_334_14, 0.033_344_506, 0.002_058_148, 0.000_531_081_9, -7.704_634e-5, 0.000_119_806_18],
        );
        // (t - sin t) / t^3, 6e-8
        let second = series(
            self.y,
            [
                0.166_666_67,
                -0.066_666_09,
                0.001_579_119_3,
                -9.780_102e-5,
                -0.000_180_715_57,
                9.856_054e-5,
                -7.854_717e-5,
            ],
        );
        let a = self.theta.cross(torque);
        torque + a * first + self.theta.cross(a) * second
    }

    /// `J_r^-1`.
    #[inline(always)]
    pub fn rate_matrix(&self) -> M<S> {
        let (V { x, y, z }, half) = (self.theta, self.half);
        let scaled = self.theta * self.c;
        let diagonal = self.level;
        let (xy, xz, yz) = (scaled.x * y, scaled.x * z, scaled.y * z);
        M::new(
            V::new(scaled.x.mul_add(x, diagonal), xy - half.z, xz + half.y),
            V::new(xy + half.z, scaled.y.mul_add(y, diagonal), yz - half.x),
            V::new(xz - half.y, yz + half.x, scaled.z.mul_add(z, diagonal)),
        )
    }
}
