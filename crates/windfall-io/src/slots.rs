//! Lists of numbers in a temporary file, in rewritable slots: per-frame data of long computations that
//! need not be in memory.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::temporary::Temporary;

/// Slots 0, 1, 2 and so on. The file is deleted on drop, or if a signal ends the process.
#[derive(Debug)]
pub struct Slots {
    file: Temporary,
    bytes: Vec<u8>,
}

impl Slots {
    /// Creates the file in this folder, for lists of this many numbers.
    pub fn new_in(folder: &Path, numbers: usize) -> io::Result<Self> {
        Ok(Self { file: Temporary::new_in(folder)?, bytes: vec![0; numbers * size_of::<f32>()] })
    }

    /// Writes a list to a slot.
    ///
    /// # Panics
    /// If its length is not that of the slots.
    pub fn write(&mut self, place: usize, numbers: &[f32]) -> io::Result<()> {
        let (chunks, _) = self.bytes.as_chunks_mut::<{ size_of::<f32>() }>();
        assert_eq!(chunks.len(), numbers.len(), "all lists have the same length");
        for (chunk, number) in chunks.iter_mut().zip(numbers) {
            *chunk = number.to_le_bytes();
        }
        self.go_to(place)?;
        self.file.write_all(&self.bytes)
    }

    /// Reads a list from a slot that was written before.
    pub fn read(&mut self, place: usize, numbers: &mut Vec<f32>) -> io::Result<()> {
        self.go_to(place)?;
        self.file.read_exact(&mut self.bytes)?;
        numbers.clear();
        let (chunks, _) = self.bytes.as_chunks::<{ size_of::<f32>() }>();
        numbers.extend(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)));
        Ok(())
    }

    fn go_to(&mut self, place: usize) -> io::Result<()> {
        self.file.seek(SeekFrom::Start((place * self.bytes.len()) as u64)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_can_be_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut slots = Slots::new_in(folder.path(), 3).unwrap();
        for place in 0..4_u8 {
            slots.write(place.into(), &[f32::from(place), -0.0, f32::MAX]).unwrap();
        }
        slots.write(2, &[7.0, 8.0, 9.0]).unwrap();
        let mut numbers = Vec::new();
        for (place, first) in [(3, 3.0), (2, 7.0), (0, 0.0)] {
            slots.read(place, &mut numbers).unwrap();
            assert_eq!((numbers.len(), numbers[0]), (3, first));
        }
        assert!(slots.read(4, &mut numbers).is_err(), "there is none");
        drop(slots);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
