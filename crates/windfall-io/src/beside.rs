//! Files that belong to another one.

use std::path::{Path, PathBuf};

/// The file beside another whose name is that of the other without its ending, and `tail`.
pub(crate) fn beside(path: &Path, tail: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(tail);
    path.with_file_name(name)
}
