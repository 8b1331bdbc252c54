//! Fast output of numbers, names and lines of text formats.

use std::collections::HashMap;
use std::io::{self, Write};

use rayon::prelude::*;

/// Lines formatted by one thread at a time, and number of such blocks in memory.
const BLOCK: usize = 1 << 12;
const BLOCKS: usize = 64;

/// Writes lines formatted by all threads, in order.
pub(crate) fn lines(out: &mut dyn Write, count: usize, format: impl Fn(&mut Vec<u8>, usize) + Sync) -> io::Result<()> {
    blocks(out, count, |text, i| {
        format(text, i);
        text.push(b'\n');
    })
}

/// Writes items formatted by all threads, in order, without separators.
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

/// Appends a number with at most `D` digits after the point, without trailing zeros. Many times faster
/// than `write!`.
///
/// Numbers beyond 10^11 lose digits; distances between bodies are smaller.
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

/// A name without characters that a reader may take for its end: letters, digits, `_`, `-` and `.` are
/// kept, all others become `_`.
pub(crate) fn word(name: &str) -> String {
    let good = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let word: String = name.chars().map(|c| if good(c) { c } else { '_' }).collect();
    // Texture lines may have options, which begin with a minus.
    if word.is_empty() || word.starts_with('-') { format!("_{word}") } else { word }
}

/// Assigns unique names. Duplicates get a number; the next number to try is stored, so that thousands of
/// equal names take no longer than others.
pub(crate) struct Names {
    /// Assigned names in their compared form, each with the first number to try for the next duplicate.
    taken: HashMap<String, u64>,
    /// Conversion to the compared form.
    compared: fn(&str) -> String,
    /// Number of lookups.
    tries: u64,
}

impl Names {
    pub fn new(compared: fn(&str) -> String) -> Self {
        Self { taken: HashMap::new(), compared, tries: 0 }
    }

    /// The name itself, or the first of `name_2`, `name_3` and so on that is free.
    pub fn take(&mut self, name: String) -> String {
        let key = (self.compared)(&name);
        let mut free = name;
        if let Some(mut number) = self.taken.get(&key).copied() {
            let word = free;
            loop {
                free = format!("{word}_{number}");
                number += 1;
                self.tries += 1;
                if !self.taken.contains_key(&(self.compared)(&free)) {
                    break;
                }
            }
            self.taken.insert(key, number);
        }
        self.taken.insert((self.compared)(&free), 2);
        free
    }
}

/// Unique words for names, also under case-insensitive comparison.
pub(crate) fn words<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut given = Names::new(str::to_lowercase);
    names.map(|name| given.take(word(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Names, number, words};

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

    /// Each requested name, and each conflicting one, is looked up once or twice, not once for every
    /// other.
    #[test]
    fn thousands_of_one_name_take_no_longer() {
        const COUNT: u64 = 20_000;
        let mut names = Names::new(str::to_owned);
        // Half of the numbers are already assigned.
        for i in 0..COUNT / 2 {
            names.take(format!("oak_{}", 2 * i));
        }
        let given: std::collections::HashSet<String> = (0..COUNT).map(|_| names.take("oak".into())).collect();
        assert_eq!(given.len() as u64, COUNT);
        assert!(given.contains("oak") && given.contains("oak_3") && !given.contains("oak_4"));
        assert!(names.tries <= 2 * COUNT, "{}", names.tries);
    }
}
