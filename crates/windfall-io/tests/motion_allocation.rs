//! Memory use of motions. A single test per process, because the counter includes all threads.

use peak_alloc::PeakAlloc;
use windfall_core::Pose;
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::{MotionReader, MotionWriter};

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

/// Peak of additional memory during `work`, bytes.
fn peak(work: impl FnOnce()) -> usize {
    PEAK.reset_peak_usage();
    let before = PEAK.current_usage();
    work();
    PEAK.peak_usage() - before
}

#[test]
fn memory_does_not_grow_with_frames_nor_with_lies() {
    let plant = grow(&Species::named("maple").unwrap(), &GrowOptions { bodies: Some(100_000), seed: 1 }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.wfm");
    let rest = Pose::rest(&plant);
    // Once before counting, because threads make their own allocations.
    let write = |frames: u32| {
        let mut writer = MotionWriter::create(&path, &plant, 1.0).unwrap();
        (0..frames).for_each(|i| writer.frame(f64::from(i), &rest).unwrap());
        writer.finish().unwrap();
    };
    write(1);
    // The buffers of a batch of 65536 bodies and of the file; a frame would have 2 MB more.
    let used = peak(|| write(40));
    assert!(used < 3_000_000, "{used} bytes to write");

    let mut pose = Pose::default();
    MotionReader::open(&path, &plant).unwrap().read(0, &mut pose).unwrap();
    let used = peak(|| {
        let mut reader = MotionReader::open(&path, &plant).unwrap();
        for i in 0..reader.len() {
            reader.read(i, &mut pose).unwrap();
        }
    });
    assert!(used < 2_000_000, "{used} bytes to read");

    let good = std::fs::read(&path).unwrap();
    for (at, lie) in [(12, u32::MAX.to_le_bytes().to_vec()), (28, u64::MAX.to_le_bytes().to_vec())] {
        let mut bytes = good.clone();
        bytes[at..at + lie.len()].copy_from_slice(&lie);
        let sum = crc32fast::hash(&bytes[..36]);
        bytes[36..40].copy_from_slice(&sum.to_le_bytes());
        std::fs::write(&path, &bytes).unwrap();
        let used = peak(|| assert!(MotionReader::open(&path, &plant).is_err()));
        assert!(used < 100_000, "{used} bytes for a lie");
    }
}
