//! Fingerprints of plants.

use windfall_core::Plant;

/// CRC-32 of the properties that a motion depends on: the number of bodies of each kind, their parents,
/// and their rest positions. Names, materials and the origins of trees are excluded: a stiffer or
/// displaced plant can be shown with the same motion.
pub(super) fn fingerprint(plant: &Plant) -> u32 {
    let mut sum = Sum { hasher: crc32fast::Hasher::new(), bytes: Vec::with_capacity(ROOM + 64) };
    for count in [plant.segments().len(), plant.leaves().len(), plant.fruit().len()] {
        sum.words([count as u32]);
    }
    for branch in plant.branches() {
        sum.words([branch.parent.unwrap_or(u32::MAX), branch.tree, branch.segment_count]);
    }
    for segment in plant.segments() {
        sum.place(segment.position, segment.orientation);
    }
    for leaf in plant.leaves() {
        sum.words([leaf.parent]);
        sum.place(leaf.position, leaf.orientation);
    }
    for fruit in plant.fruit() {
        sum.words([fruit.parent]);
        sum.place(fruit.position, fruit.orientation);
    }
    sum.hasher.update(&sum.bytes);
    sum.hasher.finalize()
}

/// Size of a batch in bytes: fast, and still in the cache.
const ROOM: usize = 1 << 14;

struct Sum {
    hasher: crc32fast::Hasher,
    bytes: Vec<u8>,
}

impl Sum {
    fn words<const N: usize>(&mut self, words: [u32; N]) {
        for word in words {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
        if self.bytes.len() >= ROOM {
            self.hasher.update(&self.bytes);
            self.bytes.clear();
        }
    }

    fn place(&mut self, position: glam::Vec3, orientation: glam::Quat) {
        self.words(position.to_array().map(f32::to_bits));
        self.words(orientation.to_array().map(f32::to_bits));
    }
}
