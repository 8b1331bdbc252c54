//! Numbers, names and lines of text formats, written fast.

use std::collections::HashSet;
use std::io::{self, Write};

use rayon::prelude::*;

/// Lines that one thread formats at a time, and how many such blocks are in memory at once.
const BLOCK: usize = 1 << 12;
const BLOCKS: usize = 64;

/// Writes lines that are formatted by all threads, in their order.
pub(crate) fn lines(out: &mut dyn Write, count: usize, format: impl Fn(&mut Vec<u8>, usize) + Sync) -> io::Result<()> {
    blocks(out, count, |text, i| {
        format(text, i);
        text.push(b'\n');
    })
}

/// Writes items that are formatted by all threads, in their order, with nothing between them.
pub(crate) fn blocks(out: &mut dyn Write, count: usize, format: impl Fn(&mut Vec<u8>, usize) + Sync) -> io::Result<()> {
    for start in (0..count).step_by(BLOCK * BLOCKS) {
        let end = count.min(start + BLOCK * BLOCKS);
        let blocks: Vec<Vec<u8>> = (start..end)
            .into_par_iter()
            .step_by(BLOCK)
            .map(|first| {
                let mut text = Vec::with_capacity(BLOCK * 32);
                (first..end.min(first + BLOCK)).for_each(|i| format(&mut text, i));
                text
            })
            .collect();
        blocks.iter().try_for_each(|block| out.write_all(block))?;
    }
    Ok(())
}

/// Appends a number with at most `D` digits after the point, without needless zeros. Many times faster than `write!`.
///
/// Numbers beyond 10^11 lose digits; bodies are not that far from each other.
pub(crate) fn number<const D: u32>(out: &mut Vec<u8>, value: f64) {
    let scaled = (value * f64::from(10_u32.pow(D))).round() as i64;
    if scaled < 0 {
        out.push(b'-');
    }
    let (whole, mut fraction) = (scaled.unsigned_abs() / 10_u64.pow(D), scaled.unsigned_abs() % 10_u64.pow(D));
    integer(out, whole);
    if fraction == 0 {
        return;
    }
    let mut digits = D as usize;
    while fraction % 10 == 0 {
        fraction /= 10;
        digits -= 1;
    }
    out.push(b'.');
    let start = out.len();
    out.resize(start + digits, b'0');
    for place in out[start..].iter_mut().rev() {
        *place = b'0' + (fraction % 10) as u8;
        fraction /= 10;
    }
}

/// Appends a whole number.
pub(crate) fn integer(out: &mut Vec<u8>, mut value: u64) {
    let start = out.len();
    loop {
        out.push(b'0' + (value % 10) as u8);
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out[start..].reverse();
}

/// A name without anything that some reader takes for the end of it: letters, digits, `_`, `-` and `.` stay, all else becomes
/// `_`.
pub(crate) fn word(name: &str) -> String {
    let good = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let word: String = name.chars().map(|c| if good(c) { c } else { '_' }).collect();
    // Texture lines may have options, which begin with a minus.
    if word.is_empty() || word.starts_with('-') { format!("_{word}") } else { word }
}

/// Words for names, no two of them the same, even where capitals don't count.
pub(crate) fn words<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    names
        .map(|name| {
            let word = word(name);
            let numbered = (2..).map(|n| format!("{word}_{n}"));
            let mut tries = std::iter::once(word.clone()).chain(numbered);
            tries.find(|word| taken.insert(word.to_lowercase())).expect("numbers don't end")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{number, words};

    fn text(value: f64) -> String {
        let mut out = Vec::new();
        number::<5>(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_short_and_right() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.00001, "0.00001"),
            (-0.000004, "0"),
            (0.999996, "1"),
            (12.3456789, "12.34568"),
            (-1000.00010, "-1000.0001"),
            (12345678.25, "12345678.25"),
        ] {
            assert_eq!(text(value), expected);
        }
    }

    #[test]
    fn numbers_agree_with_the_standard_library() {
        for i in -100_000..100_000_i32 {
            let value = f64::from(i) * 0.012_345_678_9;
            assert!((text(value).parse::<f64>().unwrap() - value).abs() <= 0.500_001e-5, "{value}");
        }
    }

    #[test]
    fn words_are_plain_and_different() {
        let names = ["bark-2.b", "Ölbaum", "a b", "a_b", "A\nb", "a_b_2", "a#b", "", "-bm", "_-bm", "a/b", "a\\b"];
        let expected = [
            "bark-2.b", "Ölbaum", "a_b", "a_b_2", "A_b_3", "a_b_2_2", "a_b_4", "_", "_-bm", "_-bm_2", "a_b_5", "a_b_6",
        ];
        assert_eq!(words(names.into_iter()), expected);
    }
}
