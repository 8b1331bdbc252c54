//! The damped oscillator in closed form: all three cases of its characteristic equation.
//!
//! ```text
//! y'' + 2 p y' + o2 y = o2 r          o2 > 0, p >= 0
//! ```
//!
//! Its roots are `-p +- sqrt(p^2 - o2)`: real and different (overdamped), equal (critical), complex (underdamped). With
//! `s(t)` the response to a unit impulse the solution is
//!
//! ```text
//! y(t)  = y0 c(t) + y'0 s(t) + r (1 - c(t))         c = exp(-p t) (cos(d t) + p sin(d t) / d),   s = exp(-p t) sin(d t) / d
//! y'(t) = (r - y0) o2 s(t) + y'0 (c(t) - 2 p s(t))                                               d^2 = o2 - p^2
//! ```
//!
//! with cosh and sinh where d is imaginary. Near the critical case sin(d t) / d and sinh(d t) / d are taken from their common series, so
//! nothing is divided by a small d. For a weak spring `1 - c` would cancel; it is then taken from the free motion.

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
        let (c, s, fall) = if x2.abs() < T::of(0.01) {
            // cos(x) and sin(x)/x, or cosh and sinh: the same series in x2 of either sign; the next terms are below 1e-15.
            let cosine =
                one - x2 * (half - x2 * (T::of(1.0 / 24.0) - x2 * (T::of(1.0 / 720.0) - x2 * T::of(1.0 / 40320.0))));
            let sinc = one - x2 * (T::of(1.0 / 6.0) - x2 * (T::of(1.0 / 120.0) - x2 * T::of(1.0 / 5040.0)));
            let e = (-p * t).exp();
            let s = e * t * sinc;
            (e * cosine + p * s, s, e * cosine - p * s)
        } else if d2 > T::zero() {
            let d = d2.sqrt();
            let (sine, cosine) = (d * t).sin_cos();
            let e = (-p * t).exp();
            let s = e * sine / d;
            (e * cosine + p * s, s, e * cosine - p * s)
        } else {
            let d = (-d2).sqrt();
            let fast = p + d;
            // p - d without cancellation
            let slow = o2 / fast;
            let (e_slow, e_fast) = ((-slow * t).exp(), (-fast * t).exp());
            let over = half / d;
            ((fast * e_slow - slow * e_fast) * over, (e_slow - e_fast) * over, (fast * e_fast - slow * e_slow) * over)
        };
        let push = if o2 * t * t < T::epsilon().sqrt() { o2 * free_push(p + p, t) } else { one - c };
        Self { place_of_place: c, place_of_rate: s, place_of_push: push, rate_of_place: -o2 * s, rate_of_rate: fall }
    }

    /// Place and velocity after the time, from those at the beginning and the push r.
    pub fn apply(&self, y: T, rate: T, push: T) -> (T, T) {
        let place = self.place_of_place * y + self.place_of_rate * rate + self.place_of_push * push;
        let velocity = self.rate_of_place * (y - push) + self.rate_of_rate * rate;
        (place, velocity)
    }
}

/// How far `y'' + a y' = 1` gets in `t` seconds: (a t - 1 + exp(-a t)) / a².
fn free_push<T: Real>(a: T, t: T) -> T {
    let x = a * t;
    if x < T::of(0.03) {
        return t * t * (T::of(0.5) - x * (T::of(1.0 / 6.0) - x * (T::of(1.0 / 24.0) - x * T::of(1.0 / 120.0))));
    }
    (x + (-x).exp_m1()) / (a * a)
}
