//! `.usdz`: a crate file and its images in one ZIP file, according to `OpenUSD`'s specification of
//! packages.
//!
//! Nothing is compressed, and each file begins at a multiple of 64 bytes, so that readers can use it in
//! place. The crate file comes first. No file has a date, so that the same tree yields the same bytes.

use std::io::{self, Read, Seek, Write};

/// Alignment of files, bytes.
const ALIGNED: u64 = 64;
/// Padding extra field; the same ID as in Pixar's tools.
const FILLING: u16 = 0x1986;
/// Bit 11: names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// ZIP 2.0.
const VERSION: u16 = 20;
/// The first of January 1980: ZIP has no earlier one.
const DATE: u16 = 0x21;

/// Sizes of a local file header (without name and padding), of a directory entry (without name), and of
/// the end record.
const HEAD: u64 = 30 + 4;
const ENTRY: u64 = 46;
const END: u64 = 22;

/// Maximum size of a package: offsets and sizes are u32, and the largest u32 is reserved for ZIP64.
pub(super) const MOST: u64 = u32::MAX as u64 - 1;

/// The size of a package of files with these names and sizes.
pub(super) fn package_bytes<'n>(files: impl Iterator<Item = (&'n str, u64)>) -> u64 {
    let (mut at, mut directory) = (0, END);
    for (name, size) in files {
        at = begin_of(at, name) + size;
        directory += ENTRY + name.len() as u64;
    }
    at + directory
}

/// Offset of a file's content for a header at `head`.
fn begin_of(head: u64, name: &str) -> u64 {
    (head + HEAD + name.len() as u64).next_multiple_of(ALIGNED)
}

/// A package writer.
pub(super) struct Package<'o, W: Write> {
    out: &'o mut W,
    at: u64,
    /// Entries of the directory at the end.
    directory: Vec<u8>,
    files: u16,
}

impl<'o, W: Write> Package<'o, W> {
    pub fn new(out: &'o mut W) -> Self {
        Self { out, at: 0, directory: Vec::new(), files: 0 }
    }

    /// Adds a file, which is read twice: its checksum precedes it.
    pub fn add(&mut self, name: &str, file: &mut (impl Read + Seek)) -> io::Result<()> {
        let (sum, size) = check_sum(file)?;
        let begin = self.at;
        let fill = (begin_of(begin, name) - begin - HEAD - name.len() as u64) as u16;
        let name_length = u16::try_from(name.len()).map_err(|_| io::Error::other("a name of more than 65535 bytes"))?;
        let mut about = Vec::new();
        shorts(&mut about, &[VERSION, FLAGS, 0, 0, DATE]);
        about.extend(sum.to_le_bytes());
        about.extend([bytes(size)?; 2].map(u32::to_le_bytes).as_flattened());
        shorts(&mut about, &[name_length]);

        self.write(&0x0403_4b50_u32.to_le_bytes())?;
        self.write(&about)?;
        self.write(&(fill + 4).to_le_bytes())?;
        self.write(name.as_bytes())?;
        self.write([FILLING, fill].map(u16::to_le_bytes).as_flattened())?;
        self.write(&[0; ALIGNED as usize][..usize::from(fill)])?;

        self.directory.extend(0x0201_4b50_u32.to_le_bytes());
        shorts(&mut self.directory, &[VERSION]);
        self.directory.extend(about);
        // No extra field, comment, disk or attributes.
        self.directory.extend([0; 12]);
        self.directory.extend(bytes(begin)?.to_le_bytes());
        self.directory.extend_from_slice(name.as_bytes());
        self.files = self.files.checked_add(1).ok_or_else(|| io::Error::other("more than 65535 files"))?;

        file.rewind()?;
        self.at += io::copy(file, self.out)?;
        Ok(())
    }

    /// Writes the directory.
    pub fn finish(mut self) -> io::Result<()> {
        let (begin, directory) = (self.at, std::mem::take(&mut self.directory));
        self.write(&directory)?;
        let mut end = 0x0605_4b50_u32.to_le_bytes().to_vec();
        shorts(&mut end, &[0, 0, self.files, self.files]);
        end.extend([bytes(directory.len() as u64)?, bytes(begin)?].map(u32::to_le_bytes).as_flattened());
        shorts(&mut end, &[0]);
        self.write(&end)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

fn shorts(to: &mut Vec<u8>, numbers: &[u16]) {
    for number in numbers {
        to.extend(number.to_le_bytes());
    }
}

/// Sizes and offsets as u32: the caller has checked [`package_bytes`].
fn bytes(count: u64) -> io::Result<u32> {
    u32::try_from(count).map_err(|_| io::ErrorKind::FileTooLarge.into())
}

fn check_sum(file: &mut (impl Read + Seek)) -> io::Result<(u32, u64)> {
    file.rewind()?;
    let (mut sum, mut size) = (crc32fast::Hasher::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok((sum.finalize(), size));
        }
        sum.update(&buffer[..count]);
        size += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn the_size_is_known_before() {
        let files = [("a.usdc", 1), ("a.usdc_bark_color.png", 64), ("b", 1000), ("c", 0)];
        let mut out = Vec::new();
        let mut package = Package::new(&mut out);
        for (name, size) in files {
            package.add(name, &mut Cursor::new(vec![7; size])).unwrap();
        }
        package.finish().unwrap();
        assert_eq!(package_bytes(files.iter().map(|&(name, size)| (name, size as u64))), out.len() as u64);
    }
}
