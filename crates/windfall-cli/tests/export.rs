//! Exports that fail leave no files, and report the reason.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const WINDFALL: &str = env!("CARGO_BIN_EXE_windfall");

fn input(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/caches.in").join(name);
    path.to_str().unwrap().to_owned()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The shell's limit of the file size stands for a full disk.
#[test]
fn a_full_disk_leaves_nothing() {
    for (name, more) in [
        ("tree.pc2", &[][..]),
        ("tree.mdd", &[]),
        ("tree.usda", &[]),
        ("tree.usdc", &[]),
        ("tree.usdc", &["--usd", "skel"]),
        ("tree.csv", &[]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        // Without the trap the signal at the limit would end the program.
        let limited = "trap '' XFSZ; ulimit -f 4; exec \"$@\"";
        let run = Command::new("sh")
            .args(["-c", limited, "sh", WINDFALL, "export", &input("twig.json"), "--motion", &input("sway.wfm")])
            .args(["--texture-size", "64", "--lod", "2", "--fps", "1000", "-o", name])
            .args(more)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(1), "{name}: {said}");
        // The file itself or one beside it.
        assert!(said.starts_with(&format!("error: {name}")) && said.contains("File too large"), "{said}");
        assert_eq!(files(folder.path()), [] as [PathBuf; 0], "{name}");
    }
}

/// While samples are written, the file and those beside it have temporary names; a signal removes them.
#[test]
fn a_stopped_export_leaves_nothing() {
    for name in ["tree.pc2", "tree.usda", "tree.usdc"] {
        let folder = tempfile::tempdir().unwrap();
        let motion = folder.path().join("long.wfm");
        let simulated = Command::new(WINDFALL)
            .args(["simulate", &input("twig.json"), "--seconds", "120", "-o", motion.to_str().unwrap()])
            .stdout(Stdio::null())
            .status();
        assert!(simulated.unwrap().success());
        let mut run = Command::new(WINDFALL)
            .args(["export", &input("twig.json"), "--motion", motion.to_str().unwrap(), "--fps", "1000"])
            .args(["--texture-size", "64", "--lod", "0", "-o", name])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let is_large = |path: &PathBuf| path.metadata().is_ok_and(|about| about.len() > 2 << 20);
        while !files(folder.path()).iter().any(|path| *path != motion && is_large(path)) {
            assert!(begin.elapsed() < Duration::from_mins(1), "nothing happens");
            assert_eq!(run.try_wait().unwrap(), None, "{name}: it was too fast");
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap().success());
        assert_eq!(run.wait().unwrap().signal(), Some(15), "{name}");
        assert_eq!(files(folder.path()), [motion], "{name}");
    }
}

/// A file beside the output that can't be written is reported by its name, before the simulation.
#[test]
fn a_folder_in_the_way_of_what_stands_beside() {
    for (name, beside, more) in [
        ("tree.pc2", "tree.pc2.obj", &[][..]),
        ("tree.mdd", "tree.mdd.mtl", &[]),
        ("tree.usda", "tree.usda_test_wood_bark_color.png", &[]),
        ("tree.glb", "tree-remap_info.json", &["--vat"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(beside)).unwrap();
        let run = Command::new(WINDFALL)
            .args([
                "export",
                &input("twig.json"),
                "--wind",
                "gale",
                "--loop",
                "2",
                "--texture-size",
                "64",
                "--lod",
                "2",
            ])
            .args(["-o", name])
            .args(more)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(1), "{name}: {said}");
        assert_eq!(said, format!("error: {beside}: is there already and is not a file\n"), "{name}");
        assert_eq!(files(folder.path()), [folder.path().join(beside)], "{name}");
    }
}
