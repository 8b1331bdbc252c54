//! Memory use of reading. A single test per process, because the counter includes all threads.

mod common;

use common::{binary, json, sapling, with_right_sums};
use peak_alloc::PeakAlloc;
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::read;

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

#[test]
fn reading_allocates_a_small_multiple_of_the_file() {
    lengths_that_lie_do_not_allocate();
    a_good_file_needs_a_small_multiple_of_its_size();
}

fn lengths_that_lie_do_not_allocate() {
    let good = binary(&sapling());
    let budget = 8 * good.len() + (1 << 20);
    for section in 0..5 {
        for lie in [u64::MAX, u64::MAX / 2, 1 << 40, good.len() as u64 + 1] {
            for field in [8, 16] {
                let mut bytes = good.clone();
                let at = 24 + section * 24 + field;
                bytes[at..at + 8].copy_from_slice(&lie.to_le_bytes());
                let bytes = with_right_sums(bytes);
                PEAK.reset_peak_usage();
                let before = PEAK.current_usage();
                assert!(read(&bytes).is_err());
                assert!(PEAK.peak_usage() - before < budget, "section {section} field {field} lie {lie}");
            }
        }
    }
    // A branch with a declared count of four thousand million segments.
    let branches = u64::from_le_bytes(good[24 + 24 + 8..24 + 24 + 16].try_into().unwrap()) as usize;
    let mut bytes = good.clone();
    bytes[branches + 8..branches + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let bytes = with_right_sums(bytes);
    PEAK.reset_peak_usage();
    let before = PEAK.current_usage();
    assert!(read(&bytes).unwrap_err().to_string().contains("add up"));
    assert!(PEAK.peak_usage() - before < budget);
}

fn a_good_file_needs_a_small_multiple_of_its_size() {
    let plant = grow(&Species::named("maple").unwrap(), &GrowOptions { bodies: Some(50_000), seed: 1 }).unwrap();
    for (bytes, factor) in [(binary(&plant), 3), (json(&plant), 3)] {
        PEAK.reset_peak_usage();
        let before = PEAK.current_usage();
        let back = read(&bytes).unwrap();
        assert!(PEAK.peak_usage() - before < factor * bytes.len(), "{} of {}", PEAK.peak_usage() - before, bytes.len());
        assert_eq!(back, plant);
    }
}
