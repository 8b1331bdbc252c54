//! Values of the options of `windfall preview`.

use std::path::Path;

use anyhow::bail;
use windfall::core::glam::Vec3;
use windfall::preview::Background;
use windfall::preview::options::MOST_SIDE;

/// The format of a file, by its ending.
#[derive(Clone, Copy, PartialEq)]
pub enum Format {
    Png,
    Jpeg,
    Gif,
    Apng,
}

impl Format {
    pub fn of(path: &Path) -> anyhow::Result<Self> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("jpg" | "jpeg") => Ok(Self::Jpeg),
            Some("gif") => Ok(Self::Gif),
            Some("apng") => Ok(Self::Apng),
            _ => bail!("{}: the ending must be .png, .jpg, .gif or .apng", path.display()),
        }
    }

    /// Whether it holds an animation.
    pub fn moves(self) -> bool {
        matches!(self, Self::Gif | Self::Apng)
    }
}

pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("`{text}` is not a size; write for example 1280x720");
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
    let (width, height): (u32, u32) = (width.parse().map_err(|_| wrong())?, height.parse().map_err(|_| wrong())?);
    if !(1..=MOST_SIDE).contains(&width) || !(1..=MOST_SIDE).contains(&height) {
        return Err(format!("`{text}`: sides must have 1 to {MOST_SIDE} pixels"));
    }
    Ok((width, height))
}

fn parse_within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n| (low..=high).contains(n));
    number.ok_or_else(|| format!("`{text}` should be a number from {low} to {high}"))
}

pub fn parse_fov(text: &str) -> Result<f32, String> {
    parse_within(text, 1.0, 150.0).map(|n| n as f32)
}

pub fn parse_positive(text: &str) -> Result<f32, String> {
    parse_within(text, 1e-4, 1e4).map(|n| n as f32)
}

pub fn parse_degrees(text: &str) -> Result<f32, String> {
    parse_within(text, -36_000.0, 36_000.0).map(|n| n as f32)
}

pub fn parse_rate(text: &str) -> Result<f64, String> {
    parse_within(text, 0.01, 100.0)
}

fn parse_numbers<const N: usize>(text: &str, example: &str) -> Result<[f32; N], String> {
    let wrong = || format!("`{text}` should be {N} numbers such as {example}");
    let numbers: Option<Vec<f32>> =
        text.split(',').map(|t| t.trim().parse().ok().filter(|n: &f32| n.is_finite())).collect();
    numbers.and_then(|n| n.try_into().ok()).ok_or_else(wrong)
}

pub fn parse_point(text: &str) -> Result<Vec3, String> {
    parse_numbers(text, "0,2.5,0").map(Vec3::from_array)
}

pub fn parse_pair(text: &str) -> Result<(f32, f32), String> {
    parse_numbers(text, "-40,50").map(|[a, b]| (a, b))
}

pub fn parse_background(text: &str) -> Result<Background, String> {
    match text {
        "sky" => return Ok(Background::Sky),
        "none" => return Ok(Background::Transparent),
        _ => {}
    }
    let wrong = || format!("`{text}` is no background; write sky, none or a colour such as #ffffff");
    let hex = text.strip_prefix('#').filter(|h| h.len() == 6).ok_or_else(wrong)?;
    let rgb = u32::from_str_radix(hex, 16).map_err(|_| wrong())?;
    Ok(Background::Plain([(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8]))
}
