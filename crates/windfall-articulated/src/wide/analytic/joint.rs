//! The closed form of eight joints: see `analytic/joint.rs`.

use super::eigen::eigen;
use super::oscillator::Responses;
use crate::analytic::Step;
use crate::block::drag_share::share;
use crate::wide::math::{F, M, Sym, V, Wide, all};

/// epsilon^-1.3: the largest ratio of K to the inertia over h² (a rigid joint), and one over the smallest
/// (a free one), see `Modes::new`.
const RANGE: f32 = 1e9;

/// Eight joints with their loads, in the axes of their children.
pub struct Joint<S: Wide> {
    pub inertia: Sym<S>,
    pub hanging: Sym<S>,
    pub stiffness: V<S>,
    pub beta: F<S>,
    /// Number of joints to the farthest tip.
    pub height: F<S>,
    /// Drag, and kappa.
    pub drag: Option<(Sym<S>, F<S>)>,
}

/// theta, theta' and theta'', and the mean of K theta + C theta' over the step.
pub struct Moved<S: Wide> {
    pub theta: V<S>,
    pub rate: V<S>,
    pub acceleration: V<S>,
    pub spring: V<S>,
}

/// The three modes of each joint.
pub struct Modes<S: Wide> {
    pub mu: V<S>,
    pub beta: F<S>,
    pub drag: V<S>,
    pub kappa: F<S>,
    pub hanging: V<S>,
}

/// Stiffnesses that are not below those of a free joint and not above those of a rigid one. `trace` is
/// that of the inertia.
#[inline(always)]
pub fn bounded<S: Wide>(stiffness: V<S>, trace: F<S>, h: f32) -> V<S> {
    let simd = trace.simd;
    let least_trace = all(simd, f32::MIN_POSITIVE / f32::EPSILON);
    let unit = trace.max(least_trace) * all(simd, 1.0 / (h * h));
    stiffness.max(unit * all(simd, 1.0 / RANGE)).min(unit * all(simd, RANGE))
}

impl<S: Wide> Joint<S> {
    /// Moves them by one step, under the generalised force `push` on theta.
    #[inline(always)]
    pub fn advance(&self, theta: V<S>, rate: V<S>, push: V<S>, step: &Step<f32>) -> Moved<S> {
        let simd = theta.x.simd;
        let o = all(simd, 0.0);
        let k = bounded(self.stiffness, self.inertia.trace(), step.h);
        let (root, beta) = (k.sqrt(), self.beta);
        let d = V::splat(all(simd, 1.0)).over(root);
        let i = self.inertia;
        let scaled = Sym {
            xx: i.xx * d.x * d.x,
            yy: i.yy * d.y * d.y,
            zz: i.zz * d.z * d.z,
            xy: i.xy * d.x * d.y,
            xz: i.xz * d.x * d.z,
            yz: i.yz * d.y * d.z,
        };
        let (mu, columns) = eigen(scaled);
        // Rows: theta = gᵀ y, y = w theta.
        let [a, b, c] = columns;
        let (g, w) = (M::new(a.scale(d), b.scale(d), c.scale(d)), M::new(a.scale(root), b.scale(root), c.scale(root)));
        let (drag, kappa) = match self.drag {
            Some((drag, kappa)) => (projected(drag, g), kappa),
            None => (V::splat(o), o),
        };
        let hanging = projected(self.hanging, g);
        let (y, v, push) = (w * theta, w * rate, g * push);
        let is_dragged = self.drag.is_some();
        let hanging = V::new(
            followed(hanging.x, mu.x, self.height, step),
            followed(hanging.y, mu.y, self.height, step),
            followed(hanging.z, mu.z, self.height, step),
        );
        let modes = Modes { mu, beta, drag, kappa, hanging };
        let [place, velocity, acceleration, held] = modes.advance((y, v, push), is_dragged, step);
        Moved {
            theta: g.transpose_mul(place),
            rate: g.transpose_mul(velocity),
            acceleration: g.transpose_mul(acceleration),
            spring: w.transpose_mul(held),
        }
    }
}

/// The diagonal of `g s gᵀ`.
#[inline(always)]
fn projected<S: Wide>(s: Sym<S>, g: M<S>) -> V<S> {
    let [a, b, c] = g.rows;
    V::new(a.dot(s * a), b.dot(s * b), c.dot(s * c))
}

/// 1/mu of a mode that is not stiffer than a rigid joint.
#[inline(always)]
fn square_of<S: Wide>(mu: F<S>, step: &Step<f32>) -> F<S> {
    all(mu.simd, 1.0) / mu.max(all(mu.simd, step.h * step.h / RANGE))
}

/// The stiffness of external forces for this number of joints to the tip: modes that a step can't resolve
/// all respond at once, see `followed` of `analytic/joint.rs`.
#[inline(always)]
fn followed<S: Wide>(hanging: F<S>, mu: F<S>, height: F<S>, step: &Step<f32>) -> F<S> {
    let simd = mu.simd;
    let (o, one) = (all(simd, 0.0), all(simd, 1.0));
    let hanging = hanging.max(o);
    let z = hanging * square_of(mu, step) * all(simd, step.h * step.h);
    let unresolved = (z * height * all(simd, 2.0) - one).max(o).min(one);
    hanging * (height - one).mul_add(unresolved, one)
}

impl<S: Wide> Modes<S> {
    /// y, y', y'' and the mean of y + beta y'.
    #[inline(always)]
    pub fn advance(self, (y, v, push): (V<S>, V<S>, V<S>), is_dragged: bool, step: &Step<f32>) -> [V<S>; 4] {
        let simd = self.beta.simd;
        let (o, one) = (all(simd, 0.0), all(simd, 1.0));
        let (h, per_h) = (all(simd, step.h), all(simd, 1.0 / step.h));
        let (ones, beta) = (V::splat(one), V::splat(self.beta));
        let mu = self.mu.max(all(simd, step.h * step.h / RANGE));
        let square = ones.over(mu);
        // A negative stiffness, of a part that stands on its joint instead of hanging, is left to the
        // torque.
        let hanging = self.hanging.max(o);
        let stiffness = ones + hanging;
        let mut drag = self.drag;
        if is_dragged && self.kappa.simd_gt(o).any_true() {
            let held = self.mu * all(simd, 1.0 + step.alpha * step.h) + stiffness.times_plus(h, beta) * h;
            let shared = drag * h;
            let shares = V::new(share(held.x, shared.x), share(held.y, shared.y), share(held.z, shared.z));
            drag += (shares * self.kappa).scale(held.times_plus(per_h, drag));
        }
        let damping = (beta + drag).scale_plus(square, V::splat(all(simd, step.alpha)));
        // The torque already contains drag at the present velocity: only its change over the step is
        // damping. It also contains the weight at the present angle.
        let push = push + drag.scale(v) + hanging.scale(y);
        let give = ones.over(stiffness);
        let responses = Responses::new(damping * all(simd, 0.5), square.scale(stiffness), step.h);
        let (place, velocity) = responses.apply(y, v, push.scale(give));
        let gained = velocity - v;
        let now = (push - place.scale(stiffness)).scale(square) - velocity.scale(damping);
        // For a mode that the step can't resolve the difference cancels, and only the mean over the step
        // has a meaning.
        let stiff = all(simd, 1e4 / (step.h * step.h));
        let mean = gained * per_h;
        let acceleration = V::new(
            square.x.simd_gt(stiff).select(mean.x, now.x),
            square.y.simd_gt(stiff).select(mean.y, now.y),
            square.z.simd_gt(stiff).select(mean.z, now.z),
        );
        // The equation of motion, integrated over the step, gives the mean of y.
        let removed = (place - y) * per_h;
        let held = push - mean.scale(mu) - removed.scale(damping).scale(mu);
        [place, velocity, acceleration, removed.times_plus(self.beta, held.scale(give))]
    }
}
