//! Temporary files that are removed after errors, after signals, and eventually after crashes.
//!
//! Dropping one deletes it. Live files are listed for [`give_up`], which is called on signals. Files of
//! crashed runs are deleted by a later run ([`sweep`]); files in use are identified by a lock.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::NamedTempFile;

const PREFIX: &str = ".windfall-";
const SUFFIX: &str = ".part";

/// Minimum time since the last write before a file may be swept. The lock alone would suffice, but on some
/// network drives a machine does not see the locks of another.
const OLD: Duration = Duration::from_hours(24);

/// The temporary files of this process.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Deletes all unfinished files of this process, then runs `then`, which should end the process: until it
/// returns, no other thread can begin or publish a file. For signal handlers that run in their own thread.
pub fn give_up(then: impl FnOnce()) {
    let mut live = live();
    for path in live.drain(..) {
        // The error cannot be reported any more.
        let _ = fs::remove_file(path);
    }
    then();
}

/// A file under a temporary name; deleted when dropped.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: NamedTempFile,
    /// After `file`: fields are dropped in this order, and a file is listed as long as it exists.
    listed: Listed,
}

#[derive(Debug)]
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        live().retain(|path| *path != self.0);
    }
}

impl Temporary {
    pub(crate) fn new_in(folder: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The permissions of a plain new file; the process's umask still applies.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // The lock covers both operations; otherwise a signal between them would leave the file.
        let mut live = live();
        let file = builder.tempfile_in(folder)?;
        live.push(file.path().to_owned());
        // On a drive without locks sweeping cannot lock either.
        let _ = file.as_file().try_lock();
        Ok(Self { listed: Listed(file.path().to_owned()), file })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_all()
    }

    /// Renames the file to its destination.
    pub(crate) fn publish(self, target: &Path) -> io::Result<()> {
        let Self { file, listed } = self;
        let held = live();
        let published = file.persist(target).map(drop).map_err(|e| e.error);
        drop(held);
        drop(listed);
        published
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

impl Read for Temporary {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.as_file_mut().read(bytes)
    }
}

impl Seek for Temporary {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.as_file_mut().seek(to)
    }
}

/// Deletes files of crashed runs in a folder.
pub(crate) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX)) {
            // A file that cannot be deleted is harmless.
            let _ = sweep_file(&entry.path());
        }
    }
}

fn sweep_file(path: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(path)?;
    // After the clock was set back, files may be dated in the future: they are not old.
    if !about.is_file() || about.modified()?.elapsed().unwrap_or_default() < OLD {
        return Ok(());
    }
    let file = File::options().write(true).open(path)?;
    file.try_lock()?;
    fs::remove_file(path)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn only_what_is_old_and_nobody_writes_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - OLD - Duration::from_mins(1);
        let old = |name: &str| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(long_ago).unwrap();
        };
        // A run without writes for a day.
        let waiting = Temporary::new_in(folder.path()).unwrap();
        waiting.file.as_file().set_modified(long_ago).unwrap();
        old(".windfall-crashd.part");
        old(".windfall-config");
        old("oak.wfm.part");
        File::create(folder.path().join(".windfall-yesnow.part")).unwrap();
        sweep(folder.path());
        assert!(!folder.path().join(".windfall-crashd.part").exists());
        assert!(waiting.file.path().exists());
        assert_eq!(files(folder.path()), 4);
        // The same file after a crash of its run: the system releases the lock.
        waiting.file.as_file().unlock().unwrap();
        sweep(folder.path());
        assert!(!waiting.file.path().exists());
        assert_eq!(files(folder.path()), 3);
    }
}
