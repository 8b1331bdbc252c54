//! Output with a byte counter.

use std::io::{self, Write};

/// A writer that tracks its offset.
pub(super) struct Sink<'o, W: Write> {
    out: &'o mut W,
    at: u64,
}

impl<'o, W: Write> Sink<'o, W> {
    pub fn new(out: &'o mut W) -> Self {
        Self { out, at: 0 }
    }

    /// Bytes written so far.
    pub fn place(&self) -> u64 {
        self.at
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    pub fn number(&mut self, number: u64) -> io::Result<()> {
        self.write(&number.to_le_bytes())
    }

    /// Pads to a multiple of eight, so that readers can use arrays in place; returns the offset.
    pub fn align(&mut self) -> io::Result<u64> {
        let missing = (self.at.wrapping_neg() % 8) as usize;
        self.write(&[0; 8][..missing])?;
        Ok(self.at)
    }

    /// Writes items as bytes, in small batches.
    pub fn items<T, const N: usize>(&mut self, list: &[T], bytes: impl Fn(&T) -> [u8; N]) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(N * 4096);
        for some in list.chunks(4096) {
            buffer.clear();
            for item in some {
                buffer.extend_from_slice(&bytes(item));
            }
            self.write(&buffer)?;
        }
        Ok(())
    }

    pub fn finish(self) -> &'o mut W {
        self.out
    }
}
