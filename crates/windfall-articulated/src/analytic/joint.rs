//! One joint: the eigenproblem and the closed form in its three modes.

use crate::analytic::Step;
use crate::analytic::eigen::eigen;
use crate::analytic::oscillator::Response;
use crate::block::Spring;
use crate::block::composite_work::Work;
use crate::block::drag_share::{DragShare, share};
use crate::math::{Mat3, Real, Sym3, Vec3};

/// The velocity that contacts take for that of the end of a step, by the weight s of the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndVelocity {
    /// For impacts: s = 1/2, the trapezoidal rule, which gains no energy.
    OfHits,
    /// For resting contacts: s from 1/2 for a mode that the step resolves to 1 (no oscillation from step
    /// to step). It is 1 less half of the mode's displacement in a step over that without spring and
    /// damper.
    OfRest,
}

/// The three independent oscillators of a joint. [quigley2017] eq. 6, see the head of [`super`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Modes<T> {
    /// theta = D Q y: rows scaled by D = K^(-1/2).
    theta_of_y: Mat3<T>,
    /// y = Q^T D^-1 theta.
    y_of_theta: Mat3<T>,
    /// Drag g of each mode, which the torque already contains at the present velocity, s.
    drag: Vec3<T>,
    /// 1/mu, 1/s².
    square: Vec3<T>,
    /// Stiffness of external forces over that of the spring.
    hanging: Vec3<T>,
    /// Damping over mu, 1/s.
    damping: Vec3<T>,
    /// Damping over stiffness, s.
    beta: T,
    response: [Response<T>; 3],
    /// Length of the step, s.
    h: T,
}

impl<T: Real> Modes<T> {
    /// For inertia, drag and the stiffness of external forces about the joint in the child's axes, over
    /// `h` seconds, with the Rayleigh alpha. `height` is the number of joints to the farthest tip,
    /// `kappa` the correction for their drag share ([`crate::block::drag_share`]).
    pub fn new(
        inertia: Sym3<T>,
        (drag, kappa): (Sym3<T>, T),
        (hanging, height): (Sym3<T>, u32),
        spring: &Spring<T>,
        alpha: T,
        h: T,
    ) -> Self {
        // Between a free joint and a rigid one there are twenty decades; beyond them nothing changes
        // within a step.
        let unit = inertia.trace().max(T::min_positive_value() / T::epsilon()) / (h * h);
        let range = T::epsilon().powf(T::of(-1.3));
        let (least, most) = (unit / range, unit * range);
        let k = spring.stiffness.max(Vec3::splat(least)).min(Vec3::splat(most));
        let beta = spring.beta;
        let d = Vec3::new(k.x.sqrt().recip(), k.y.sqrt().recip(), k.z.sqrt().recip());
        let scaled = |s: Sym3<T>| Sym3 {
            xx: s.xx * d.x * d.x,
            yy: s.yy * d.y * d.y,
            zz: s.zz * d.z * d.z,
            xy: s.xy * d.x * d.y,
            xz: s.xz * d.x * d.z,
            yz: s.yz * d.y * d.z,
        };
        let (mu, q) = eigen(scaled(inertia));
        let g = scaled(drag);
        let columns = q.transpose().rows;
        let project = |s: Sym3<T>| {
            Vec3::new(columns[0].dot(s * columns[0]), columns[1].dot(s * columns[1]), columns[2].dot(s * columns[2]))
        };
        let drag = project(g);
        // A negative stiffness, of a part that stands on its joint instead of hanging, is left to the
        // torque.
        let hanging = project(scaled(hanging)).max(Vec3::zero());
        let floor = h * h / range;
        let square = Vec3::new(mu.x.max(floor).recip(), mu.y.max(floor).recip(), mu.z.max(floor).recip());
        let hanging = followed(hanging, hanging.scale(square) * (h * h), height);
        let raised = |g: T, mu: T, hanging: T| {
            let held = mu * (T::one() + alpha * h) + (beta + (T::one() + hanging) * h) * h;
            g + kappa * share(held, g * h) * (g + held / h)
        };
        let drag = Vec3::new(
            raised(drag.x, mu.x, hanging.x),
            raised(drag.y, mu.y, hanging.y),
            raised(drag.z, mu.z, hanging.z),
        );
        let damping = Vec3::splat(alpha) + (Vec3::splat(beta) + drag).scale(square);
        let one = |p: T, o2: T, hanging: T| Response::new(p * T::of(0.5), o2 * (T::one() + hanging), h);
        let rows = q.rows;
        Self {
            theta_of_y: Mat3::from_rows(rows[0] * d.x, rows[1] * d.y, rows[2] * d.z),
            y_of_theta: Mat3::from_rows(rows[0] / d.x, rows[1] / d.y, rows[2] / d.z).transpose(),
            drag,
            square,
            damping,
            beta,
            hanging,
            response: [
                one(damping.x, square.x, hanging.x),
                one(damping.y, square.y, hanging.y),
                one(damping.z, square.z, hanging.z),
            ],
            h,
        }
    }

    /// theta, theta' and theta'' after the step, from those at its beginning and a constant torque; and
    /// the mean of K theta + C theta' over the step.
    pub fn advance(&self, theta: Vec3<T>, rate: Vec3<T>, torque: Vec3<T>) -> [Vec3<T>; 4] {
        let y = self.y_of_theta * theta;
        let v = self.y_of_theta * rate;
        // The torque already contains drag at the present velocity: only its change over the step is
        // damping. It also contains the weight at the present angle.
        let push = self.theta_of_y.transpose_mul(torque) + self.drag.scale(v) + self.hanging.scale(y);
        let stiffness = self.hanging + Vec3::splat(T::one());
        let (x0, v0) = self.response[0].apply(y.x, v.x, push.x / stiffness.x);
        let (x1, v1) = self.response[1].apply(y.y, v.y, push.y / stiffness.y);
        let (x2, v2) = self.response[2].apply(y.z, v.z, push.z / stiffness.z);
        let (place, velocity) = (Vec3::new(x0, x1, x2), Vec3::new(v0, v1, v2));
        let now = (push - place.scale(stiffness)).scale(self.square) - velocity.scale(self.damping);
        // For a mode that the step can't resolve the difference cancels, and only the mean over the step
        // has a meaning.
        let mean = (velocity - v) / self.h;
        let pick = |square: T, now: T, mean: T| if square * self.h * self.h > T::of(1e4) { mean } else { now };
        let acceleration = Vec3::new(
            pick(self.square.x, now.x, mean.x),
            pick(self.square.y, now.y, mean.y),
            pick(self.square.z, now.z, mean.z),
        );
        // The equation of motion, integrated over the step, gives the mean of y.
        let removed = (place - y) / self.h;
        let held = push - (velocity - v).scale(self.inverse_square()) / self.h - removed.scale(self.resisting());
        let mean_place = Vec3::new(held.x / stiffness.x, held.y / stiffness.y, held.z / stiffness.z);
        let spring = mean_place + removed * self.beta;
        let [place, velocity, acceleration] = [place, velocity, acceleration].map(|v| self.theta_of_y * v);
        [place, velocity, acceleration, self.y_of_theta.transpose_mul(spring)]
    }

    /// mu of each mode, s².
    fn inverse_square(&self) -> Vec3<T> {
        Vec3::new(self.square.x.recip(), self.square.y.recip(), self.square.z.recip())
    }

    /// alpha mu + beta + g of each mode, s.
    fn resisting(&self) -> Vec3<T> {
        self.damping.scale(self.inverse_square())
    }

    /// Displacement of theta per torque in the step, rad / (N m).
    pub fn compliance(&self) -> Sym3<T> {
        self.seen(|r, _, hanging| r.place_of_push / (T::one() + hanging))
    }

    /// Change of theta' per torque in the step, rad/s / (N m).
    pub fn mobility(&self) -> Sym3<T> {
        self.seen(|r, square, _| r.place_of_rate * square)
    }

    /// The velocity of theta for a touch, at the end of a step whose displacement leads to `after`:
    /// `((after - theta) / h - (1 - s) theta') / s`.
    pub fn end_rate(&self, seen: EndVelocity, theta: Vec3<T>, after: Vec3<T>, rate: Vec3<T>) -> Vec3<T> {
        let s = self.weights(seen);
        let removed = (self.y_of_theta * (after - theta)) / self.h;
        let before = self.y_of_theta * rate;
        let each = |s: T, removed: T, before: T| (removed - (T::one() - s) * before) / s;
        let y =
            Vec3::new(each(s.x, removed.x, before.x), each(s.y, removed.y, before.y), each(s.z, removed.z, before.z));
        self.theta_of_y * y
    }

    /// Change of that velocity with a torque, rad/s / (N m).
    pub fn end_mobility(&self, seen: EndVelocity) -> Sym3<T> {
        let s = self.weights(seen);
        let [a, b, c] = self.theta_of_y.transpose().rows;
        let each = |r: &Response<T>, hanging: T, s: T| r.place_of_push / ((T::one() + hanging) * self.h * s);
        let [p, q, r] = &self.response;
        let k = self.hanging;
        Sym3::outer(a, each(p, k.x, s.x)) + Sym3::outer(b, each(q, k.y, s.y)) + Sym3::outer(c, each(r, k.z, s.z))
    }

    /// The weights s.
    fn weights(&self, seen: EndVelocity) -> Vec3<T> {
        if seen == EndVelocity::OfHits {
            return Vec3::splat(T::of(0.5));
        }
        let each = |r: &Response<T>, square: T, hanging: T| {
            let free = square * self.h * self.h;
            let gets = r.place_of_push / (T::one() + hanging) / free;
            T::one() - if gets.is_finite() { gets.max(T::zero()).min(T::of(0.5)) } else { T::zero() }
        };
        let [p, q, r] = &self.response;
        let (o2, k) = (self.square, self.hanging);
        Vec3::new(each(p, o2.x, k.x), each(q, o2.y, k.y), each(r, o2.z, k.z))
    }

    fn seen(&self, f: impl Fn(&Response<T>, T, T) -> T) -> Sym3<T> {
        let [a, b, c] = self.theta_of_y.transpose().rows;
        let [p, q, r] = &self.response;
        let (o2, k) = (self.square, self.hanging);
        Sym3::outer(a, f(p, o2.x, k.x)) + Sym3::outer(b, f(q, o2.y, k.y)) + Sym3::outer(c, f(r, o2.z, k.z))
    }
}

/// If all joints of a chain moved straight to the place where a force pulls them, in the same step and
/// independently, the end of the chain would overshoot by the number of joints. Modes that a step can't
/// resolve (`z`, the square of frequency times h) are that much stiffer.
fn followed<T: Real>(hanging: Vec3<T>, z: Vec3<T>, height: u32) -> Vec3<T> {
    let count = T::of(f64::from(height));
    let each = |hanging: T, z: T| {
        let unresolved = ((z * count - T::of(0.5)) * T::of(2.0)).max(T::zero()).min(T::one());
        hanging * (T::one() + (count - T::one()) * unresolved)
    };
    Vec3::new(each(hanging.x, z.x), each(hanging.y, z.y), each(hanging.z, z.z))
}

/// The modes of a joint, in the child's axes. `below` is the drag share of the joints between it and the
/// root, `height` the number of joints to the farthest tip.
pub(crate) fn modes_of<T: Real>(
    work: &Work<T>,
    below: DragShare<T>,
    spring: &Spring<T>,
    step: &Step<T>,
    height: u32,
) -> Modes<T> {
    let kappa = work.pushed.outward.and(below).kappa();
    Modes::new(work.inertia, (work.pushed.drag_inertia, kappa), (work.hanging, height), spring, step.alpha, step.h)
}
