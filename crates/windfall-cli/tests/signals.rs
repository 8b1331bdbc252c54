//! A stopped run leaves no files behind.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// A run of eleven days, which is ended even if the test fails.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Begins a run in an empty folder, and waits until it has written some frames.
fn begin(folder: &Path, start: &[&str]) -> Run {
    let twig = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/simulate.in/twig.json");
    let simulate = ["simulate", twig.to_str().unwrap(), "--seconds", "1e6", "--probe", "top", "-o", "run.wfm"];
    let words: Vec<&str> = start.iter().copied().chain([env!("CARGO_BIN_EXE_windfall")]).chain(simulate).collect();
    let run = Run(Command::new(words[0]).args(&words[1..]).current_dir(folder).spawn().unwrap());
    // The motion and the probe, each with some of its bytes on the disk.
    let begun = || {
        let files = files(folder);
        files.len() == 2 && files.iter().all(|file| file.metadata().is_ok_and(|m| m.len() > 0))
    };
    wait_for(begun);
    run
}

fn files(folder: &Path) -> Vec<PathBuf> {
    folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn wait_for(mut what: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !what() {
        assert!(begin.elapsed() < Duration::from_mins(1), "nothing happens");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, run: &Run) {
    assert!(Command::new("kill").args([signal, &run.0.id().to_string()]).status().unwrap().success());
}

/// Whether the tests themselves were started with an ignored signal, as shells start background jobs; then
/// runs ignore it, too.
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

#[test]
fn a_stopped_run_leaves_nothing_and_says_what_stopped_it() {
    for (name, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        if is_ignored(number as u32) {
            println!("{name} is ignored here");
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut run = begin(folder.path(), &[]);
        send(name, &run);
        let status = run.0.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{name}");
        assert_eq!(files(folder.path()), [] as [PathBuf; 0], "{name}");
    }
}

#[test]
fn another_run_in_the_same_folder_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = begin(folder.path(), &[]);
    let before = files(folder.path());
    let twig = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/simulate.in/twig.json");
    let mut other = Command::new(env!("CARGO_BIN_EXE_windfall"));
    other.arg("simulate").arg(twig).args(["--seconds", "0.1", "-o", "other.wfm"]).current_dir(folder.path());
    assert!(other.output().unwrap().status.success());
    assert!(before.iter().all(|file| file.exists()));
    send("-TERM", &run);
    run.0.wait().unwrap();
    assert_eq!(files(folder.path()), [folder.path().join("other.wfm")]);
}

/// `nohup` starts programs with an ignored signal; a handler must not change that.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = begin(folder.path(), &["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]);
    send("-HUP", &run);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(run.0.try_wait().unwrap(), None);
    assert_eq!(files(folder.path()).len(), 2);
    send("-TERM", &run);
    assert_eq!(run.0.wait().unwrap().signal(), Some(15));
    assert_eq!(files(folder.path()), [] as [PathBuf; 0]);
}
