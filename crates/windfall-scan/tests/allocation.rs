//! Memory use of the readers. One test alone in its process: the counter counts all allocations of the
//! process.

mod common;

use common::mat::{Style, bomb, many_cells, treeqsm};
use peak_alloc::PeakAlloc;
use windfall_scan::{ImportOptions, import};

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

/// Peak memory of an import, bytes.
fn needed(bytes: &[u8]) -> usize {
    PEAK.reset_peak_usage();
    let before = PEAK.current_usage();
    let _ = import(bytes, &ImportOptions::default());
    PEAK.peak_usage() - before
}

#[test]
fn lies_do_not_allocate() {
    // Every length, count and dimension of the file set to a huge value.
    let good = treeqsm(&Style { compressed: false, ..Style::default() });
    for at in (128..good.len() - 4).step_by(4) {
        for lie in [u32::MAX, 0x7fff_fff8, 0x1000_0000] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&lie.to_le_bytes());
            let needed = needed(&bytes);
            assert!(needed < 16 * good.len() + (1 << 20), "{at} {lie}: {needed}");
        }
    }
    for count in ["9999999", "4294967295", "99999999999999999999"] {
        let ply = format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty float x\nelement edge {count}\n\
             property list uchar int vertex_indices\nend_header\n"
        );
        assert!(needed(ply.as_bytes()) < 1 << 20, "{count}");
    }
    // A million entities in a few bytes.
    let mtg = common::mtg() + "^<E9<<E1000000000\t\t\t0\t0\t9\t0.1\n";
    assert!(needed(mtg.as_bytes()) < 1 << 20);
    // The size limit applies before decompression, and the buffer grows with the output.
    let large = bomb(1 << 30);
    let error = import(&large, &ImportOptions::default()).unwrap_err().to_string();
    assert!(error.contains("more than 256 MiB"), "{error}");
    assert!(needed(&large) < 1 << 20);
    assert!(needed(&bomb(200 << 20)) < 220 << 20);
    // Twenty million empty cells in 160 kB: they would take fifty bytes each.
    let cells = many_cells(20_000_000);
    assert!(cells.len() < 1 << 20, "{}", cells.len());
    let error = import(&cells, &ImportOptions::default()).unwrap_err().to_string();
    assert!(error.contains("more than 2000000 fields"), "{error}");
    assert!(needed(&cells) < 180 << 20);
}
