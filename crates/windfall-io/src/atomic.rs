//! Atomic writes: a temporary file in the same folder, renamed when complete.

use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::export::ExportError;
pub use crate::temporary::give_up;
use crate::temporary::{Temporary, sweep};

/// Writes a file by `fill`. On any error the destination is unchanged. Missing folders are created; links
/// are followed.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    stage(path, fill)?.publish()
}

/// An unfinished file under a temporary name; deleted when dropped before publication.
pub(crate) struct Begun {
    target: PathBuf,
    /// The output; seekable.
    pub(crate) out: BufWriter<Temporary>,
}

/// A complete file under a temporary name; deleted when dropped. For sets of files: all are staged before
/// the first is published.
#[derive(Debug)]
pub(crate) struct Staged {
    target: PathBuf,
    file: Temporary,
}

/// Opens a temporary file beside the destination.
pub(crate) fn begin(path: &Path) -> io::Result<Begun> {
    let (target, temporary) = prepare(path)?;
    Ok(Begun { target, out: BufWriter::with_capacity(1 << 20, temporary) })
}

/// Fills a temporary file beside the destination.
pub(crate) fn stage(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Staged> {
    let mut begun = begin(path)?;
    fill(&mut begun.out)?;
    begun.complete()
}

impl Begun {
    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        folder_of(&self.target)
    }

    /// Completes the file.
    pub(crate) fn complete(self) -> io::Result<Staged> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync()?;
        Ok(Staged { target: self.target, file })
    }
}

impl Staged {
    /// Its temporary name.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Renames the file to its destination.
    pub(crate) fn publish(self) -> io::Result<()> {
        self.file.publish(&self.target)
    }
}

/// Renames a set of files to their destinations, in this order: files that refer to others come last. If a
/// rename fails although the folder is writable (on some systems a file opened by another program can't be
/// replaced), the previous files have been replaced, and this file and the following ones are unchanged.
pub(crate) fn publish_all(files: impl IntoIterator<Item = Staged>) -> io::Result<()> {
    files.into_iter().try_for_each(Staged::publish)
}

/// Checks that a file can be written here; to be called before long computations. Creates missing folders,
/// and deletes unfinished files of crashed runs older than a day.
pub fn check(path: &Path) -> io::Result<()> {
    let (target, _) = prepare(path)?;
    sweep(folder_of(&target));
    Ok(())
}

/// Checks that all of these files can be written; to be called before long computations. The error names
/// the file.
pub(crate) fn check_all<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), ExportError> {
    let mut paths = paths.into_iter();
    paths.try_for_each(|path| match prepare(path) {
        Ok(_) => Ok(()),
        Err(reason) => Err(ExportError::Os { path: path.to_owned(), reason }),
    })
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Target of a link, existing or not.
fn followed(link: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(link).or_else(|_| {
        let target = std::fs::read_link(link)?;
        Ok(link.parent().unwrap_or(Path::new(".")).join(target))
    })
}

/// The resolved destination, and a new temporary file beside it.
fn prepare(path: &Path) -> io::Result<(PathBuf, Temporary)> {
    // Without a trailing slash, which only folders may have.
    let path: PathBuf = path.components().collect();
    let target = if path.is_symlink() { followed(&path)? } else { path };
    match target.metadata() {
        Ok(about) if !about.is_file() => return Err(io::Error::other("is there already and is not a file")),
        // Invalid names (too long) are reported now, not when the file is complete. Invalid folders are
        // reported separately below.
        Err(e) if !matches!(e.kind(), NotFound | NotADirectory | PermissionDenied) => return Err(e),
        _ => (),
    }
    let folder = folder_of(&target);
    let in_folder = |e: io::Error| {
        let why = match folder.ancestors().find(|place| place.symlink_metadata().is_ok() && !place.is_dir()) {
            None => e.kind().to_string(),
            Some(place) if place == folder => "it is not a folder".into(),
            Some(place) => format!("{} is not a folder", place.display()),
        };
        io::Error::new(e.kind(), format!("can't write into {}: {why}", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(in_folder)?;
    let temporary = Temporary::new_in(folder).map_err(in_folder)?;
    Ok((target, temporary))
}

#[cfg(test)]
mod tests {
    use std::io;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_rubbish() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/plant.json");
        super::write(&path, |out| out.write_all(b"old")).unwrap();
        let failed = super::write(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, b"old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        super::write(&link, |out| out.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&real).unwrap(), b"new");
        std::fs::remove_file(&real).unwrap();
        super::write(&link, |out| out.write_all(b"again")).unwrap();
        assert_eq!(std::fs::read(&real).unwrap(), b"again");
    }

    #[test]
    fn a_file_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, b"x").unwrap();
        let error = super::check(&file.join("tree.wfp")).unwrap_err().to_string();
        assert_eq!(error, format!("can't write into {}: it is not a folder", file.display()));
        let error = super::check(&file.join("new/tree.wfp")).unwrap_err().to_string();
        assert!(error.ends_with(&format!("new: {} is not a folder", file.display())), "{error}");
        super::check(&file).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"x");
    }

    /// Almost all file systems allow at most 255 bytes. Longer names must fail before any work, not when a
    /// file is complete.
    #[cfg(unix)]
    #[test]
    fn names_that_are_too_long_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = |letters: usize| folder.path().join("x".repeat(letters));
        super::write(&path(255), |out| out.write_all(b"x")).unwrap();
        super::check(&path(256)).unwrap_err();
        super::write(&path(256), |_| panic!("it is not begun")).unwrap_err();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_slash_at_the_end_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.glb/");
        super::write(&path, |out| out.write_all(b"x")).unwrap();
        assert_eq!(std::fs::read(folder.path().join("tree.glb")).unwrap(), b"x");
    }

    #[test]
    fn a_folder_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        assert!(super::write(folder.path(), |out| out.write_all(b"x")).is_err());
    }
}
