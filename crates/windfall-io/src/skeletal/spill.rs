//! Keys on their way into a file: they come a stretch of time after the other, each with some keys of every bone, and are needed bone after
//! bone. Until then they lie in a temporary file beside the destination.

use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::temporary::Temporary;

/// Numbers of one kind for all bones.
pub struct Spill {
    out: BufWriter<Temporary>,
    /// Bytes of an item.
    item: u64,
    /// Items of each bone in each stretch.
    stretches: Vec<Vec<u32>>,
}

/// The same, to be read.
pub struct Spilled {
    file: Temporary,
    item: u64,
    stretches: Vec<Vec<u32>>,
}

impl Spill {
    /// A temporary file in `folder` for items of so many bytes.
    pub fn new(folder: &Path, item: usize) -> io::Result<Self> {
        let out = BufWriter::with_capacity(1 << 18, Temporary::new_in(folder)?);
        Ok(Self { out, item: item as u64, stretches: Vec::new() })
    }

    /// The next stretch of time begins.
    pub fn begin_stretch(&mut self) {
        self.stretches.push(Vec::new());
    }

    /// The items of the next bone.
    pub fn bone<const N: usize>(&mut self, items: impl ExactSizeIterator<Item = [f32; N]>) -> io::Result<()> {
        if let Some(stretch) = self.stretches.last_mut() {
            stretch.push(items.len() as u32);
        }
        for item in items {
            self.out.write_all(item.map(f32::to_le_bytes).as_flattened())?;
        }
        Ok(())
    }

    /// All stretches are there.
    pub fn finish(self) -> io::Result<Spilled> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Spilled { file, item: self.item, stretches: self.stretches })
    }
}

impl Spilled {
    /// Items of each bone.
    pub fn counts(&self) -> Vec<u64> {
        let bones = self.stretches.first().map_or(0, Vec::len);
        (0..bones).map(|bone| self.stretches.iter().map(|stretch| u64::from(stretch[bone])).sum()).collect()
    }

    /// What it takes.
    pub fn bytes(&self) -> u64 {
        self.item * self.stretches.iter().flatten().map(|&n| u64::from(n)).sum::<u64>()
    }

    /// Writes all items bone after bone.
    pub fn copy(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.stretches.len() == 1 {
            self.file.seek(SeekFrom::Start(0))?;
            let bytes = self.bytes();
            return io::copy(&mut (&mut self.file).take(bytes), out).map(drop);
        }
        let mut places = Vec::with_capacity(self.stretches.len());
        let mut end = 0;
        for stretch in &self.stretches {
            places.push(end);
            end += self.item * stretch.iter().map(|&n| u64::from(n)).sum::<u64>();
        }
        for bone in 0..self.stretches.first().map_or(0, Vec::len) {
            for (place, stretch) in places.iter_mut().zip(&self.stretches) {
                let bytes = self.item * u64::from(stretch[bone]);
                self.file.seek(SeekFrom::Start(*place))?;
                io::copy(&mut (&mut self.file).take(bytes), out)?;
                *place += bytes;
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
        let mut bytes = Vec::new();
        spilled.copy(&mut bytes).unwrap();
        let found: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(found, [0.0, 10.0, 11.0, 20.0, 21.0, 22.0, 100.0, 110.0, 111.0, 120.0, 121.0, 122.0]);
        assert_eq!((spilled.counts(), spilled.bytes()), (vec![6, 6], 48));
        drop(spilled);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
