//! The headers of GLB files and of their chunks.

use std::io::{self, Write};

const HEADER: u64 = 12;
const CHUNK_HEADER: u64 = 8;

/// Sizes of the parts of a GLB file.
pub struct Head<'a> {
    /// Its JSON, which must be padded with spaces to a multiple of four bytes.
    pub json: &'a [u8],
    /// Size of its binary chunk, a multiple of four; 0 for no chunk.
    pub binary: u64,
    /// Size of further chunks, with their headers.
    pub others: u64,
}

impl Head<'_> {
    /// Size of the file.
    pub fn file_bytes(&self) -> u64 {
        let binary_chunk = if self.binary == 0 { 0 } else { CHUNK_HEADER + self.binary };
        HEADER + CHUNK_HEADER + self.json.len() as u64 + binary_chunk + self.others
    }

    /// Writes everything before the content of the binary chunk. The file size must fit u32.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"glTF")?;
        put(out, 2)?;
        put(out, self.file_bytes())?;
        put(out, self.json.len() as u64)?;
        out.write_all(b"JSON")?;
        out.write_all(self.json)?;
        if self.binary > 0 {
            put(out, self.binary)?;
            out.write_all(b"BIN\0")?;
        }
        Ok(())
    }
}

fn put(out: &mut dyn Write, number: u64) -> io::Result<()> {
    out.write_all(&(number as u32).to_le_bytes())
}
