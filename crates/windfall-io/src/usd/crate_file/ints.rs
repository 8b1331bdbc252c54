//! Compression of integers: differences, the most common of them in zero bytes, others in one, two or four
//! bytes; then LZ4.

use std::collections::HashMap;

/// Maximum size of one compressed block.
pub(super) const MOST_BYTES: usize = 0x7E00_0000;

/// LZ4 with a leading byte that marks a single block.
pub(super) fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0];
    out.extend(lz4_flex::block::compress(bytes));
    out
}

/// Compressed numbers.
pub(super) fn compressed_ints(numbers: &(impl ExactSizeIterator<Item = i32> + Clone)) -> Vec<u8> {
    if numbers.len() == 0 { Vec::new() } else { compressed(&encoded(numbers)) }
}

fn encoded(numbers: &(impl ExactSizeIterator<Item = i32> + Clone)) -> Vec<u8> {
    let count = numbers.len();
    let differences = || {
        let mut before = 0_i32;
        numbers.clone().map(move |number| number.wrapping_sub(std::mem::replace(&mut before, number)))
    };
    let common = most_common(differences());
    let mut out = common.to_le_bytes().to_vec();
    let codes = out.len();
    out.resize(codes + count.div_ceil(4), 0);
    for (i, difference) in differences().enumerate() {
        let code = if difference == common {
            0
        } else if let Ok(small) = i8::try_from(difference) {
            out.extend(small.to_le_bytes());
            1
        } else if let Ok(medium) = i16::try_from(difference) {
            out.extend(medium.to_le_bytes());
            2
        } else {
            out.extend(difference.to_le_bytes());
            3
        };
        out[codes + i / 4] |= code << (2 * (i % 4));
    }
    out
}

/// The larger one for equal counts, which saves most.
fn most_common(differences: impl Iterator<Item = i32>) -> i32 {
    let mut counts: HashMap<i32, u32> = HashMap::new();
    differences.for_each(|difference| *counts.entry(difference).or_default() += 1);
    counts.into_iter().max_by_key(|&(difference, count)| (count, difference)).map_or(0, |(difference, _)| difference)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Decoder as in a reader.
    fn decoded(bytes: &[u8], count: usize) -> Vec<i32> {
        let common = i32::from_le_bytes(bytes[..4].try_into().unwrap());
        let (codes, mut rest) = bytes[4..].split_at(count.div_ceil(4));
        let mut number = 0_i32;
        (0..count)
            .map(|i| {
                let (own, after) = rest.split_at([0, 1, 2, 4][usize::from(codes[i / 4] >> (2 * (i % 4)) & 3)]);
                rest = after;
                number = number.wrapping_add(match *own {
                    [] => common,
                    [a] => i32::from(a.cast_signed()),
                    [a, b] => i32::from(i16::from_le_bytes([a, b])),
                    _ => i32::from_le_bytes(own.try_into().unwrap()),
                });
                number
            })
            .collect()
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(
            wild in prop::collection::vec(any::<i32>(), 1..200),
            tame in prop::collection::vec(-300..300, 1..200),
        ) {
            for numbers in [wild, tame] {
                let bytes = compressed_ints(&numbers.iter().copied());
                prop_assert_eq!(bytes[0], 0);
                let encoded = lz4_flex::block::decompress(&bytes[1..], 5 * numbers.len() + 8).unwrap();
                prop_assert_eq!(decoded(&encoded, numbers.len()), numbers);
            }
        }
    }

    /// The example of the format's source: 1 is the most common difference.
    #[test]
    fn the_example_of_the_format() {
        let numbers = [123, 124, 125, 100_125, 100_125, 100_126, 100_126];
        let found = encoded(&numbers.into_iter());
        let mut expected = vec![1, 0, 0, 0, 0b1100_0001, 0b0001_0001, 123];
        expected.extend(100_000_i32.to_le_bytes());
        expected.extend([0, 0]);
        assert_eq!(found, expected);
    }

    #[test]
    fn extremes_wrap_around() {
        // Differences: MAX, 1, -1; all are equally common, so the largest takes zero bytes.
        let found = encoded(&[i32::MAX, i32::MIN, i32::MAX].into_iter());
        let mut expected = i32::MAX.to_le_bytes().to_vec();
        expected.extend([0b01_0100, 1, 255]);
        assert_eq!(found, expected);
    }
}
