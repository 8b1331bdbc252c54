//! An independent estimate of spectra: Welch's method on a radix-2 Fourier transform.
#![allow(clippy::disallowed_methods, reason = "a test needs no portable bits")]

/// The discrete Fourier transform of a power of two of complex numbers (re, im), in place.
fn transform(data: &mut [(f64, f64)]) {
    let n = data.len();
    assert!(n.is_power_of_two());
    let turns: Vec<(f64, f64)> =
        (0..n / 2).map(|i| (-2.0 * std::f64::consts::PI * i as f64 / n as f64).sin_cos()).collect();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - n.trailing_zeros());
        if i < j {
            data.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for start in (0..n).step_by(2 * half) {
            for i in 0..half {
                let (sin, cos) = turns[i * (n / (2 * half))];
                let ((a, b), (c, d)) = (data[start + i], data[start + i + half]);
                let (re, im) = (c * cos - d * sin, c * sin + d * cos);
                data[start + i] = (a + re, b + im);
                data[start + i + half] = (a - re, b - im);
            }
        }
        half *= 2;
    }
}

/// One-sided power spectral density at the frequencies i / (segment dt), i = 0 .. segment / 2: Hann
/// windows, half overlapping.
pub fn welch(series: &[f64], dt: f64, segment: usize) -> Vec<f64> {
    let window: Vec<f64> =
        (0..segment).map(|i| 0.5 - 0.5 * (2.0 * std::f64::consts::PI * i as f64 / segment as f64).cos()).collect();
    let power: f64 = window.iter().map(|w| w * w).sum();
    let mut density = vec![0.0; segment / 2 + 1];
    let starts: Vec<usize> = (0..=series.len() - segment).step_by(segment / 2).collect();
    for start in &starts {
        let mut data: Vec<_> = series[*start..].iter().zip(&window).map(|(x, w)| (x * w, 0.0)).collect();
        transform(&mut data);
        for (density, (re, im)) in density.iter_mut().zip(&data) {
            *density += 2.0 * dt / power * (re * re + im * im) / starts.len() as f64;
        }
    }
    density
}

/// Mean and variance.
pub fn moments(series: &[f64]) -> (f64, f64) {
    let n = series.len() as f64;
    let mean = series.iter().sum::<f64>() / n;
    (mean, series.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n)
}
