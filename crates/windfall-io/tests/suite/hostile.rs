//! Truncated, corrupted and hostile files: an error, never a panic, never a large allocation.

use crate::common::{any_plant, binary, json, sapling, with_right_sums};
use proptest::prelude::*;
use windfall_io::{ReadError, read};

#[test]
fn every_truncation_is_an_error() {
    let plant = sapling();
    for bytes in [binary(&plant), json(&plant).trim_ascii_end().to_vec()] {
        let step = (bytes.len() / 3000).max(1);
        for end in (0..bytes.len()).step_by(step).chain([bytes.len() - 1]) {
            assert!(read(&bytes[..end]).is_err(), "cut at {end}");
        }
    }
}

#[test]
fn every_flipped_bit_of_a_binary_file_is_an_error() {
    let mut bytes = binary(&sapling());
    let step = (bytes.len() / 4000).max(1);
    for at in (0..200).chain((200..bytes.len()).step_by(step)) {
        for bit in [0, 5] {
            bytes[at] ^= 1 << bit;
            assert!(read(&bytes).is_err(), "byte {at} bit {bit}");
            bytes[at] ^= 1 << bit;
        }
    }
    read(&bytes).unwrap();
}

#[test]
fn errors_say_what_is_wrong() {
    let good = binary(&sapling());
    let error = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert_eq!(error(b""), "the file is empty");
    assert!(error(b"glTF....").contains("not a plant file"));
    assert!(error(b"{\"asset\":{\"version\":\"2.0\"}}").contains("format"));
    assert!(error(b"{\"format\":\"windfall-plant\",\"version\":99}").contains("newer windfall"));
    assert!(error(b"{\"format\":\"windfall-plant\",\"version\":1}").contains("missing field"));
    let mut newer = good.clone();
    newer[8] = 4;
    assert!(matches!(read(&newer), Err(ReadError::Version { found: 4, known: 3 })));
    let mut longer = good.clone();
    longer.push(0);
    assert!(error(&longer).contains("its header says"));
    // Correct checksums around an invalid plant: the rules of the plant are still checked.
    let mut wrong = good;
    let segments = u64::from_le_bytes(wrong[24 + 2 * 24 + 8..24 + 2 * 24 + 16].try_into().unwrap()) as usize;
    wrong[segments + 28..segments + 32].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(error(&with_right_sums(wrong)).contains("segment 0: length = NaN"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..400), magic: bool) {
        let bytes = if magic { [windfall_io::binary::MAGIC, &bytes].concat() } else { bytes };
        let _ = read(&bytes);
    }

    /// Random damage with correct checksums: any plant that is read is valid.
    #[test]
    fn tampered_binary_files_are_answered(
        plant in any_plant(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
        shorten: bool,
    ) {
        let mut bytes = binary(&plant);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if shorten {
            bytes.truncate(cut.index(bytes.len()));
        }
        let bytes = with_right_sums(bytes);
        if let Ok(plant) = read(&bytes) {
            for id in plant.body_ids() {
                prop_assert!(plant.mass_properties(id).mass > 0.0);
            }
        }
    }

    #[test]
    fn tampered_json_files_are_answered(
        plant in any_plant(),
        at in any::<prop::sample::Index>(),
        insert in prop_oneof![
            Just("null"), Just("-1"), Just("1e999"), Just("[]"), Just("{"), Just("\""), Just("4294967295"), Just("NaN")
        ],
        remove in 0..6_usize,
    ) {
        let mut text = json(&plant);
        let at = at.index(text.len());
        let end = (at + remove).min(text.len());
        text.splice(at..end, insert.bytes());
        if let Ok(plant) = read(&text) {
            prop_assert!(plant.body_count() > 0);
        }
    }
}
