//! Temporary files that don't stay: not after an error, not after a signal, and not for good after a crash.
//!
//! Dropping one deletes it. What a signal would leave is on a list, for [`give_up`]. What a crash leaves is deleted by a later
//! run ([`sweep`]); a lock on every file that is being written tells the two apart.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::NamedTempFile;

const PREFIX: &str = ".windfall-";
const SUFFIX: &str = ".part";

/// How long nobody has written into a file before it may be swept. The lock alone would do, but there are network drives on
/// which one machine does not see the locks of another.
const OLD: Duration = Duration::from_hours(24);

/// The temporary files of this process.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Deletes every file that this process has not finished, then runs `then`, which should end the process: until it
/// returns, no other thread begins a file, and none gets its name. For handlers of signals that run in a thread of their own.
pub fn give_up(then: impl FnOnce()) {
    let mut live = live();
    for path in live.drain(..) {
        // There is nobody left to tell.
        let _ = fs::remove_file(path);
    }
    then();
}

/// A file under a temporary name; gone when dropped.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: NamedTempFile,
    /// After `file`: fields are dropped in this order, and a file is on the list as long as it is there.
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
            // What a plain new file would get; the process's mask still applies.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // Held over both, or a signal between them would leave the file.
        let mut live = live();
        let file = builder.tempfile_in(folder)?;
        live.push(file.path().to_owned());
        // A drive without locks: then nobody gets one to sweep with either.
        let _ = file.as_file().try_lock();
        Ok(Self { listed: Listed(file.path().to_owned()), file })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_all()
    }

    /// Gives the file its name.
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

/// Deletes what crashed runs have left in a folder.
pub(crate) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX)) {
            // One that can't be deleted is in nobody's way.
            let _ = sweep_file(&entry.path());
        }
    }
}

fn sweep_file(path: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(path)?;
    // A clock that was set back makes files of the future: they are not old.
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
        // A run that has written nothing for a day.
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
        // The same file when its run has crashed: the system takes the lock away.
        waiting.file.as_file().unlock().unwrap();
        sweep(folder.path());
        assert!(!waiting.file.path().exists());
        assert_eq!(files(folder.path()), 3);
    }
}
