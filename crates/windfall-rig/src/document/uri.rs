//! Buffer URIs: data inside the document, or an external file.

use std::io::{self, Write};

use crate::error::RigError;

/// A resolved URI.
pub(crate) enum Address {
    /// The bytes themselves.
    Data(Vec<u8>),
    /// A path relative to the document.
    File(String),
}

/// Whether a URI refers to an external file.
pub(crate) fn is_beside(uri: &str) -> bool {
    !uri.starts_with("data:")
}

pub(crate) fn read(uri: &str) -> Result<Address, RigError> {
    if let Some(rest) = uri.strip_prefix("data:") {
        let (kind, text) =
            rest.split_once(',').ok_or_else(|| RigError::Damaged("a data URI without a comma".into()))?;
        return if kind.ends_with(";base64") {
            let bytes = decode(text).ok_or_else(|| RigError::Damaged("a data URI that is not base64".into()))?;
            Ok(Address::Data(bytes))
        } else {
            Ok(Address::Data(percent(text)))
        };
    }
    let path = String::from_utf8_lossy(&percent(uri)).into_owned();
    let scheme = uri.split_once(':').is_some_and(|(scheme, _)| scheme.len() > 1 && !scheme.contains('/'));
    if scheme || path.starts_with('/') || path.starts_with('\\') {
        let reason = "is no path relative to the file: export the tree as .glb, which has everything inside".into();
        return Err(RigError::Beside { uri: uri.chars().take(200).collect(), reason });
    }
    Ok(Address::File(path))
}

/// Decodes percent-encoding (`%20`).
fn percent(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let code =
            digits.and_then(|two| std::str::from_utf8(two).ok()).and_then(|two| u8::from_str_radix(two, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    out
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for four in text.chunks(4) {
        let mut bits = 0_u32;
        for &letter in four {
            let value = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let bytes = (bits << (6 * (4 - four.len()))).to_be_bytes();
        match four.len() {
            4 => out.extend_from_slice(&bytes[1..4]),
            3 => out.extend_from_slice(&bytes[1..3]),
            2 => out.push(bytes[1]),
            _ => return None,
        }
    }
    Some(out)
}

/// Writes bytes as base64 into another writer.
pub(crate) struct Encoder<'a> {
    out: &'a mut dyn Write,
    waiting: Vec<u8>,
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl<'a> Encoder<'a> {
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self { out, waiting: Vec::new() }
    }

    pub fn finish(mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.waiting);
        if rest.is_empty() {
            return Ok(());
        }
        let mut letters = encode([rest[0], rest.get(1).copied().unwrap_or(0), 0]);
        letters[rest.len() + 1..].fill(b'=');
        self.out.write_all(&letters)
    }
}

impl Write for Encoder<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        let whole = self.waiting.len() / 3 * 3;
        let mut text = Vec::with_capacity(whole / 3 * 4);
        for three in self.waiting[..whole].chunks_exact(3) {
            text.extend_from_slice(&encode([three[0], three[1], three[2]]));
        }
        self.out.write_all(&text)?;
        self.waiting.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn encode(three: [u8; 3]) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
    [18, 12, 6, 0].map(|shift| LETTERS[(bits >> shift & 63) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_the_rfc_has_it() {
        // RFC 4648, section 10.
        for (plain, coded) in
            [("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(decode(coded).unwrap(), plain.as_bytes());
            let mut out = Vec::new();
            let mut encoder = Encoder::new(&mut out);
            for byte in plain.bytes() {
                encoder.write_all(&[byte]).unwrap();
            }
            encoder.finish().unwrap();
            assert_eq!(out, coded.as_bytes());
        }
        assert!(decode("Zm9v!").is_none() && decode("A").is_none());
    }

    #[test]
    fn addresses() {
        assert!(matches!(read("my%20tree.bin"), Ok(Address::File(path)) if path == "my tree.bin"));
        assert!(
            matches!(read("data:application/octet-stream;base64,Zm9v"), Ok(Address::Data(bytes)) if bytes == b"foo")
        );
        for bad in ["https://x.example/a.bin", "/etc/passwd", "file:///a", "data:x", "data:;base64,?"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
