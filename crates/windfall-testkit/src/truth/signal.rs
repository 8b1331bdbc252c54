//! Frequency and damping of a vibration from equidistant samples.

/// Frequency of a vibration about `middle`, Hz: from its first to its last upward crossing.
///
/// # Panics
/// If there are fewer than two upward crossings.
pub fn frequency(samples: &[f64], dt: f64, middle: f64) -> f64 {
    let crossing = |i: usize| {
        let (a, b) = (samples[i] - middle, samples[i + 1] - middle);
        (a < 0.0 && b >= 0.0).then(|| (i as f64 + a / (a - b)) * dt)
    };
    let times: Vec<f64> = (0..samples.len() - 1).filter_map(crossing).collect();
    assert!(times.len() >= 2, "{} upward crossings in {} samples", times.len(), samples.len());
    (times.len() - 1) as f64 / (times[times.len() - 1] - times[0])
}

/// The maxima, each with its time, by a parabola through three samples.
pub fn peaks(samples: &[f64], dt: f64) -> Vec<(f64, f64)> {
    let peak = |i: usize| {
        let (a, b, c) = (samples[i - 1], samples[i], samples[i + 1]);
        let bend = a - 2.0 * b + c;
        let shift = 0.5 * (a - c) / bend;
        (b > a && b >= c).then_some(((i as f64 + shift) * dt, b - 0.25 * (a - c) * shift))
    };
    (1..samples.len().max(2) - 1).filter_map(peak).collect()
}

/// Damping ratio of a decaying vibration about `middle`, from the mean logarithmic decrement of its maxima.
///
/// # Panics
/// If there are fewer than two maxima above the middle.
pub fn damping_ratio(samples: &[f64], dt: f64, middle: f64) -> f64 {
    let heights: Vec<f64> = peaks(samples, dt).into_iter().map(|(_, h)| h - middle).filter(|h| *h > 0.0).collect();
    assert!(heights.len() >= 2, "{} maxima in {} samples", heights.len(), samples.len());
    let decrement = (heights[0] / heights[heights.len() - 1]).ln() / (heights.len() - 1) as f64;
    decrement / decrement.hypot(std::f64::consts::TAU)
}
