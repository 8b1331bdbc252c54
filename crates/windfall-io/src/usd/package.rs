//! `.usdz`: a crate file and its images in one ZIP file, as `OpenUSD`'s specification of packages has it.
//!
//! Nothing is compressed, and each file begins at a multiple of 64 bytes, so that readers can use it where it lies. The crate file comes first. No file has a
//! date, so that the same tree gives the same bytes.

use std::io::{self, Read, Seek, Write};

/// Bytes before which files begin.
const ALIGNED: u64 = 64;
/// Extra field that fills up; the number is the one that Pixar's tools use.
const FILLING: u16 = 0x1986;
/// Bit 11: names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// ZIP 2.0.
const VERSION: u16 = 20;
/// The first of January 1980: ZIP has no earlier one.
const DATE: u16 = 0x21;

/// Bytes that a package can tell.
pub(super) const MOST: u64 = u32::MAX as u64;

/// A package that is being written.
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

    /// Adds a file, which is read twice: its check sum stands before it.
    pub fn add(&mut self, name: &str, file: &mut (impl Read + Seek)) -> io::Result<()> {
        let (sum, size) = check_sum(file)?;
        let begin = self.at;
        let head = self.at + 30 + name.len() as u64 + 4;
        let fill = (head.next_multiple_of(ALIGNED) - head) as u16;
        let mut about = Vec::new();
        shorts(&mut about, &[VERSION, FLAGS, 0, 0, DATE]);
        about.extend(sum.to_le_bytes());
        about.extend([bytes(size)?; 2].map(u32::to_le_bytes).as_flattened());
        shorts(&mut about, &[name.len() as u16]);

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

/// Sizes and places that packages can tell: USD knows no larger ZIP files.
fn bytes(count: u64) -> io::Result<u32> {
    u32::try_from(count).map_err(|_| {
        let most = "a .usdz file holds at most 4.29 GB: write .usdc, or take a shorter clip, bones (--usd skel) or a skin with less detail";
        io::Error::new(io::ErrorKind::FileTooLarge, most)
    })
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
