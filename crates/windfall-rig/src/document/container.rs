//! GLB: a header and chunks (Khronos, glTF 2.0 specification, section 4).

use crate::error::RigError;

const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// The chunks of a GLB file.
#[derive(Debug)]
pub(crate) struct Chunks<'a> {
    pub json: &'a [u8],
    pub binary: Option<&'a [u8]>,
    /// Chunks of other kinds, unchanged, with their headers.
    pub others: Vec<&'a [u8]>,
}

/// Whether these are the bytes of a GLB file.
pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(b"glTF")
}

/// Splits a GLB file into chunks.
pub(crate) fn chunks(bytes: &[u8]) -> Result<Chunks<'_>, RigError> {
    let broken = |reason: String| RigError::Damaged(reason);
    let (version, length) = match (number(bytes, 4), number(bytes, 8)) {
        (Some(version), Some(length)) => (version, length as usize),
        _ => return Err(broken(format!("it has {} bytes, and its head alone takes 12", bytes.len()))),
    };
    if version != 2 {
        return Err(RigError::Unsupported(format!(
            "a .glb of version {version}: export it as glTF 2.0 (old files open in Blender with an older add-on)"
        )));
    }
    if length > bytes.len() {
        let reason = format!("it says that it has {length} bytes, but ends after {}: copy it once more", bytes.len());
        return Err(broken(reason));
    }
    let (mut json, mut binary, mut others) = (None, None, Vec::new());
    let mut at = 12;
    while at + 8 <= length {
        let (size, kind) = (number(bytes, at).unwrap_or(0) as usize, number(bytes, at + 4).unwrap_or(0));
        let end = at.checked_add(8).and_then(|begin| begin.checked_add(size)).filter(|&end| end <= length);
        let Some(end) = end else {
            return Err(broken(format!("the chunk at byte {at} says that it has {size} bytes, more than are left")));
        };
        let content = &bytes[at + 8..end];
        match kind {
            JSON if json.is_none() => json = Some(content),
            BIN if json.is_some() && binary.is_none() => binary = Some(content),
            _ => others.push(&bytes[at..end]),
        }
        at = end;
    }
    let json = json.ok_or_else(|| broken("it has no JSON chunk".into()))?;
    Ok(Chunks { json, binary, others })
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}
