//! The energy spectrum of isotropic turbulence.
//!
//! T. von Kármán (Progress in the statistical theory of turbulence, PNAS 34, 1948), in the form used in
//! wind engineering (isotropic case of Mann's model, IEC 61400-1; quoted from memory, checked by
//! quadrature in the tests):
//!
//! ```text
//! E(k) = sigma² l C (l k)^4 / (1 + (l k)²)^(17/6),    l = L Gamma(1/3) / (sqrt(pi) Gamma(5/6)) = 1.339 L
//! ```
//!
//! with C such that the integral of E is 3/2 sigma². k is the wave number, rad/m; L the integral length of
//! the component along the line of sight, m. For an anemometer in a mean wind U (Taylor's frozen
//! turbulence) this corresponds to the one-sided spectra
//!
//! ```text
//! S_u(f) = 4 sigma² (L/U) / (1 + 70.8 n²)^(5/6),    n = f L / U
//! S_v = S_w = 2 sigma² (L/U) (1 + 188.8 n²) / (1 + 70.8 n²)^(11/6)
//! ```

/// Ratio l / L.
pub(crate) const LENGTH_RATIO: f64 = 1.338_985;

/// Cumulative energy fraction, tabulated over the logarithm of the wave number.
pub(crate) struct Energy {
    ln_from: f64,
    step: f64,
    /// Energy from the lowest wave number to each, as a fraction of the total between lowest and highest.
    up_to: Vec<f64>,
}

impl Energy {
    const STEPS: usize = 2000;

    /// Between two values of l k.
    pub(crate) fn between(from: f64, to: f64) -> Self {
        let ln_from = libm::log(from);
        let step = (libm::log(to) - ln_from) / Self::STEPS as f64;
        // E(k) dk = E(k) k d ln k.
        let density = |i: f64| {
            let q = libm::exp(ln_from + step * i);
            libm::pow(q, 5.0) / libm::pow(1.0 + q * q, 17.0 / 6.0)
        };
        let mut sum = 0.0;
        let mut up_to = vec![0.0];
        for i in 0..Self::STEPS {
            let i = i as f64;
            // Simpson's rule.
            sum += density(i) + 4.0 * density(i + 0.5) + density(i + 1.0);
            up_to.push(sum);
        }
        for share in &mut up_to {
            *share /= sum;
        }
        Self { ln_from, step, up_to }
    }

    /// The cumulative energy fraction at a fraction of the logarithmic range from the lowest to the
    /// highest wave number.
    pub(crate) fn share_at(&self, fraction: f64) -> f64 {
        let place = fraction.clamp(0.0, 1.0) * Self::STEPS as f64;
        let i = (place as usize).min(Self::STEPS - 1);
        self.up_to[i] + (place - i as f64) * (self.up_to[i + 1] - self.up_to[i])
    }

    /// The value of l k below which this fraction of the energy lies.
    pub(crate) fn wave_number(&self, share: f64) -> f64 {
        let i = self.up_to.partition_point(|s| *s <= share).clamp(1, Self::STEPS) - 1;
        let part = (share - self.up_to[i]) / (self.up_to[i + 1] - self.up_to[i]);
        libm::exp(self.ln_from + self.step * (i as f64 + part.clamp(0.0, 1.0)))
    }
}
