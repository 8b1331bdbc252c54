//! Transposition of keys through a temporary file: they are produced stretch by stretch, each with some
//! keys of every bone, and written bone by bone. Meanwhile they are in a temporary file beside the
//! destination.

use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::temporary::Temporary;

/// Number of counts in memory while reading.
const COUNTS: usize = 1 << 18;

/// Values of one kind for all bones. Memory does not grow with the product of bones and stretches: the
/// number of items of each bone in each stretch is in a file, too.
pub struct Spill {
    out: BufWriter<Temporary>,
    /// Items of each bone in each stretch, stretch by stretch, u32.
    counts: BufWriter<Temporary>,
    about: About,
    /// The next bone of the stretch.
    bone: usize,
}

/// The complete data, for reading.
pub struct Spilled {
    file: Temporary,
    counts: Temporary,
    about: About,
}

#[derive(Default)]
struct About {
    /// Bytes of an item.
    item: u64,
    /// Items of each bone.
    of_bone: Vec<u64>,
    /// Items of each stretch.
    of_stretch: Vec<u64>,
}

impl Spill {
    /// Creates temporary files in `folder` for items of `item` bytes.
    pub fn new(folder: &Path, item: usize) -> io::Result<Self> {
        let file = || io::Result::Ok(BufWriter::with_capacity(1 << 18, Temporary::new_in(folder)?));
        let about = About { item: item as u64, ..About::default() };
        Ok(Self { out: file()?, counts: file()?, about, bone: 0 })
    }

    /// Begins the next stretch.
    pub fn begin_stretch(&mut self) {
        self.about.of_stretch.push(0);
        self.bone = 0;
    }

    /// Adds the items of the next bone. All stretches have the same bones.
    pub fn bone<const N: usize>(&mut self, items: impl ExactSizeIterator<Item = [f32; N]>) -> io::Result<()> {
        let count = items.len() as u32;
        self.counts.write_all(&count.to_le_bytes())?;
        if let Some(stretch) = self.about.of_stretch.last_mut() {
            *stretch += u64::from(count);
        }
        if self.bone == self.about.of_bone.len() {
            self.about.of_bone.push(0);
        }
        self.about.of_bone[self.bone] += u64::from(count);
        self.bone += 1;
        for item in items {
            self.out.write_all(item.map(f32::to_le_bytes).as_flattened())?;
        }
        Ok(())
    }

    /// Completes the last stretch.
    pub fn finish(self) -> io::Result<Spilled> {
        let file = |out: BufWriter<Temporary>| out.into_inner().map_err(io::IntoInnerError::into_error);
        Ok(Spilled { file: file(self.out)?, counts: file(self.counts)?, about: self.about })
    }
}

impl Spilled {
    /// Items of each bone.
    pub fn counts(&self) -> Vec<u64> {
        self.about.of_bone.clone()
    }

    /// Total size in bytes.
    pub fn bytes(&self) -> u64 {
        self.about.item * self.about.of_stretch.iter().sum::<u64>()
    }

    /// Writes all items bone by bone.
    pub fn copy(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.copy_some(out, COUNTS)
    }

    /// The same with this number of counts in memory, at least those of one bone.
    fn copy_some(&mut self, out: &mut dyn Write, counts: usize) -> io::Result<()> {
        let About { item, of_bone, of_stretch } = &self.about;
        if let [items] = &**of_stretch {
            self.file.seek(SeekFrom::Start(0))?;
            return io::copy(&mut (&mut self.file).take(item * items), out).map(drop);
        }
        let mut places = Vec::with_capacity(of_stretch.len());
        let mut end = 0;
        for items in of_stretch {
            places.push(end);
            end += item * items;
        }
        let at_once = (counts / of_stretch.len().max(1)).max(1);
        for first in (0..of_bone.len()).step_by(at_once) {
            let some = at_once.min(of_bone.len() - first);
            let mut bytes = vec![0; 4 * some * of_stretch.len()];
            for (stretch, bytes) in bytes.chunks_exact_mut(4 * some).enumerate() {
                self.counts.seek(SeekFrom::Start(4 * (stretch as u64 * of_bone.len() as u64 + first as u64)))?;
                self.counts.read_exact(bytes)?;
            }
            let (numbers, _) = bytes.as_chunks::<4>();
            for bone in 0..some {
                for (stretch, place) in places.iter_mut().enumerate() {
                    let bytes = item * u64::from(u32::from_le_bytes(numbers[stretch * some + bone]));
                    self.file.seek(SeekFrom::Start(*place))?;
                    io::copy(&mut (&mut self.file).take(bytes), out)?;
                    *place += bytes;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_come_out_bone_by_bone() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(folder.path(), 4).unwrap();
        for stretch in 0..3_u8 {
            spill.begin_stretch();
            for bone in 0..2_u8 {
                let items = (0..=stretch).map(|i| [f32::from(100 * bone + 10 * stretch + i)]);
                spill.bone(items.collect::<Vec<_>>().into_iter()).unwrap();
            }
        }
        let mut spilled = spill.finish().unwrap();
        // For any number of counts in memory.
        for counts in [1, 3, 6, COUNTS] {
            let mut bytes = Vec::new();
            spilled.copy_some(&mut bytes, counts).unwrap();
            let found: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
            assert_eq!(found, [0.0, 10.0, 11.0, 20.0, 21.0, 22.0, 100.0, 110.0, 111.0, 120.0, 121.0, 122.0]);
        }
        assert_eq!((spilled.counts(), spilled.bytes()), (vec![6, 6], 48));
        drop(spilled);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
