//! The damped oscillator in closed form: all three cases of its characteristic equation.
//!
//! ```text
//! y'' + 2 p y' + o2 y = o2 r          o2 > 0, p >= 0
//! ```
//!
//! Its roots are `-p +- sqrt(p^2 - o2)`: real and different (overdamped), equal (critical), complex
//! (underdamped). With `s(t)` the response to a unit impulse the solution is
//!
//! ```text
//! y(t)  = y0 c(t) + y'0 s(t) + r (1 - c(t))
//! y'(t) = (r - y0) o2 s(t) + y'0 (c(t) - 2 p s(t))
//! c(t)  = exp(-p t) (cos(d t) + p sin(d t) / d),   s(t) = exp(-p t) sin(d t) / d,   d^2 = o2 - p^2
//! ```
//!
//! with cosh and sinh where d is imaginary. Near the critical case sin(d t) / d and sinh(d t) / d are
//! taken from their common series, so nothing is divided by a small d. `1 - c` would cancel where the
//! spring is weak or the damping strong: it has forms of its own there.

use crate::math::Real;

/// The solution at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response<T> {
    /// y over y0: c.
    pub place_of_place: T,
    /// y over y'0, s: the impulse response.
    pub place_of_rate: T,
    /// y over r: 1 - c.
    pub place_of_push: T,
    /// y' over y0, 1/s.
    pub rate_of_place: T,
    /// y' over y'0.
    pub rate_of_rate: T,
}

impl<T: Real> Response<T> {
    /// For damping `p` (1/s) and squared frequency `o2` (1/s²), after `t` seconds.
    pub fn new(p: T, o2: T, t: T) -> Self {
        let (one, half) = (T::one(), T::of(0.5));
        let d2 = o2 - p * p;
        let x2 = d2 * t * t;
        let (c, s, push, fall) = if x2.abs() < T::of(0.01) {
            // cos(x) and sin(x)/x, or cosh and sinh: the same series in x2 of either sign; the next terms
            // are below 1e-15.
            let cosine =
                one - x2 * (half - x2 * (T::of(1.0 / 24.0) - x2 * (T::of(1.0 / 720.0) - x2 * T::of(1.0 / 40320.0))));
            let sinc = one
                - x2 * (T::of(1.0 / 6.0)
                    - x2 * (T::of(1.0 / 120.0) - x2 * (T::of(1.0 / 5040.0) - x2 * T::of(1.0 / 362_880.0))));
            let e = (-p * t).exp();
            let s = e * t * sinc;
            let c = e * cosine + p * s;
            let push = if p * t < T::of(0.3) { weak_push(p * t, o2 * t * t) } else { one - c };
            (c, s, push, e * cosine - p * s)
        } else if d2 > T::zero() {
            let d = d2.sqrt();
            let (sine, cosine) = (d * t).sin_cos();
            let e = (-p * t).exp();
            let s = e * sine / d;
            let c = e * cosine + p * s;
            (c, s, one - c, e * cosine - p * s)
        } else {
            // p² may overflow
            let d = p * (one - o2 / p / p).sqrt();
            let fast = p + d;
            // p - d without cancellation
            let slow = o2 / fast;
            let (slower, faster) = ((-slow * t).exp_m1(), (-fast * t).exp_m1());
            let (e_slow, e_fast) = (one + slower, one + faster);
            // Shares of the two roots: fast / (2 d) and slow / (2 d).
            let (much, little) = (half * (fast / d), half * (slow / d));
            let s = half * ((slower - faster) / d);
            (much * e_slow - little * e_fast, s, little * faster - much * slower, much * e_fast - little * e_slow)
        };
        Self { place_of_place: c, place_of_rate: s, place_of_push: push, rate_of_place: -o2 * s, rate_of_rate: fall }
    }

    /// Position and velocity after the time, from those at the beginning and the equilibrium r.
    pub fn apply(&self, y: T, rate: T, push: T) -> (T, T) {
        let place = self.place_of_place * y + self.place_of_rate * rate + self.place_of_push * push;
        let velocity = self.rate_of_place * (y - push) + self.rate_of_rate * rate;
        (place, velocity)
    }
}

/// `1 - c` for `pt = p t` and `w = o2 t²` both well below one, where it is nearly w / 2: the power series
/// of the solution, w times the sum of `a_n`, with
/// `(n + 1)(n + 2) a_(n+2) = -2 pt (n + 1) a_(n+1) - w a_n`.
fn weak_push<T: Real>(pt: T, w: T) -> T {
    let two_pt = pt + pt;
    let (mut before, mut last) = (T::zero(), T::of(0.5));
    let mut sum = last;
    // 0.6^14 / 16! is below the precision of f64.
    for n in 1..15 {
        let (n1, n2) = (T::of(f64::from(n + 1)), T::of(f64::from(n + 2)));
        let next = -(two_pt * n1 * last + w * before) / (n1 * n2);
        (before, last) = (last, next);
        sum += next;
    }
    w * sum
}
