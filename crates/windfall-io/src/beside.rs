//! Companion files.

use std::path::{Path, PathBuf};

use serde::Serializer;

/// The companion of a file: its name without extension, plus `tail`.
pub(crate) fn beside(path: &Path, tail: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(tail);
    path.with_file_name(name)
}

/// A path in a report. Invalid UTF-8 is shown by replacement characters.
pub(crate) fn shown<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn only_the_ending_is_replaced() {
        for (path, expected) in [("a/oak.glb", "a/oak_vat.exr"), ("tree.v1.glb", "tree.v1_vat.exr"), ("x", "x_vat.exr")]
        {
            assert_eq!(super::beside(Path::new(path), "_vat.exr"), Path::new(expected));
        }
    }
}
