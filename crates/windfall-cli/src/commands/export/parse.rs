//! Options as people write them.

use windfall::io::BoneCount;

use crate::numbers::parse_count;

/// A number of bones, or all.
pub fn parse_bones(text: &str) -> Result<BoneCount, String> {
    if text == "all" {
        return Ok(BoneCount::All);
    }
    match parse_count(text) {
        Ok(0) | Err(_) => Err(format!("`{text}` is not a number of bones; write for example 64, 256, 1k or all")),
        Ok(bones) => Ok(BoneCount::AtMost(bones)),
    }
}

/// A length with its unit; without one in metres.
pub fn parse_length(text: &str) -> Result<f64, String> {
    let (number, unit) = [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0)]
        .into_iter()
        .find_map(|(unit, size)| text.strip_suffix(unit).map(|number| (number, size)))
        .unwrap_or((text, 1.0));
    let length = number.trim().parse::<f64>().ok().map(|n| n * unit).filter(|l| (1e-7..=10.0).contains(l));
    length.ok_or_else(|| format!("`{text}` is not a length from 0.0001mm to 10m; write for example 1mm"))
}

/// Frames in a second.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.1..=1000.0).contains(rate));
    rate.ok_or_else(|| format!("`{text}` should be a number of frames from 0.1 to 1000"))
}
