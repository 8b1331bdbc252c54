//! Parsers of options.

use windfall::io::BoneCount;

use crate::numbers::parse_count;

/// A number of bones, or all.
pub fn parse_bones(text: &str) -> Result<BoneCount, String> {
    if text == "all" {
        return Ok(BoneCount::All);
    }
    match parse_count(text) {
        Ok(0) | Err(_) => Err(format!("`{text}` is not a number of bones; write for example 64, 256, 1k or all")),
        Ok(bones) => Ok(BoneCount::AtMost(bones)),
    }
}
