//! Numbers in input and output.

/// Reads a count such as `5000`, `20k`, `3.3M`, `138,965` or `1_000_000`.
pub fn parse_count(text: &str) -> Result<usize, String> {
    let plain: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let (digits, factor) = match plain.char_indices().last() {
        Some((i, 'k' | 'K')) => (&plain[..i], 1e3),
        Some((i, 'm' | 'M')) => (&plain[..i], 1e6),
        _ => (plain.as_str(), 1.0),
    };
    let wrong = || format!("`{text}` is not a count; write for example 5000, 20k or 3.3M");
    let is_number = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let value: f64 = digits.parse().ok().filter(|_| is_number).ok_or_else(wrong)?;
    let value = value * factor;
    if value.fract().abs() > 1e-6 || value > 1e15 { Err(wrong()) } else { Ok(value.round() as usize) }
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

/// Frames per second.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.1..=1000.0).contains(rate));
    rate.ok_or_else(|| format!("`{text}` should be a number of frames from 0.1 to 1000"))
}

/// A time after the beginning.
pub fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| format!("`{text}` should be a number of seconds from 0 on, such as 2.5"))
}

/// Writes a count with thousands separators.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Writes a number with about three significant digits.
pub fn short(value: f64) -> String {
    let magnitude = value.abs();
    if value.fract() == 0.0 && magnitude < 1000.0 {
        format!("{value:.0}")
    } else if magnitude >= 1e9 {
        format!("{value:.2e}")
    } else if magnitude >= 1000.0 {
        count(value.round() as usize)
    } else if magnitude >= 100.0 {
        format!("{value:.0}")
    } else if magnitude >= 10.0 {
        format!("{value:.1}")
    } else if magnitude >= 0.095 {
        format!("{value:.2}")
    } else if magnitude >= 0.0095 {
        format!("{value:.3}")
    } else {
        format!("{value:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        for (text, value) in [("5000", 5000), ("20k", 20_000), ("3.3M", 3_300_000), ("138,965", 138_965), ("1_0", 10)] {
            assert_eq!(parse_count(text), Ok(value));
        }
        for text in ["", "k", "-5", "1.5", "1e5", "many", "nan", "inf", "99999999999999999999"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_keep_about_three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (5.0, "5"),
            (0.034, "0.034"),
            (1.234, "1.23"),
            (56.78, "56.8"),
            (4321.9, "4,322"),
            (2.5e12, "2.50e12"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn counts_are_written_with_separators() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(3_267_482), "3,267,482");
    }
}
