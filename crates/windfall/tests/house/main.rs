//! Rules of the workspace: allowed dependencies between its crates, allowed licences, and no dependency
//! in several versions.
//!
//! The data about the workspace comes from cargo itself, offline.

mod layers;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Allowed dependencies of every crate of the workspace, in addition to `windfall-core`. A crate that is
/// not listed fails the test: add it here first.
const MAY_KNOW: [(&str, &[&str]); 18] = [
    ("core", &[]),
    ("solver", &[]),
    ("conformance", &["solver"]),
    ("grow", &[]),
    ("scan", &["grow"]),
    ("rig", &["grow", "io"]),
    ("wind", &["solver"]),
    ("articulated", &["solver"]),
    ("free", &["solver"]),
    ("stage", &["solver", "free"]),
    ("assess", &["solver", "articulated", "wind"]),
    ("skin", &[]),
    ("preview", &["skin"]),
    ("io", &["skin"]),
    ("scene", &["solver", "articulated", "free", "stage", "wind", "grow", "skin", "preview", "io"]),
    ("testkit", &["solver", "articulated", "stage", "grow"]),
    ("", &[]),
    ("cli", &[""]),
];

/// Licences that may be linked to a program under MIT or Apache-2.0. Of licences joined by OR, one is
/// enough.
const LICENCES: [&str; 13] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "CC0-1.0",
    "Unlicense",
    "MIT-0",
    "IJG",
];

/// Crates with several versions in the dependency tree, each with the reason why that is unavoidable
/// now.
const TWICE: [(&str, &str); 4] = [
    ("glam", "parry3d has another version than we"),
    ("hashbrown", "parry3d and indexmap have different versions"),
    ("miniz_oxide", "exr and png have another version than flate2"),
    ("syn", "derive macros, which are not in programs"),
];

fn metadata() -> Value {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    // Packages for other systems may be missing.
    let version = Command::new("rustc").arg("-vV").output().expect("rustc runs").stdout;
    let version = String::from_utf8(version).expect("rustc writes text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1", "--filter-platform", host])
        .args(["--manifest-path", manifest])
        .output()
        .expect("cargo runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("cargo writes JSON")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Short name: `io` for `windfall-io`, the empty name for `windfall` itself.
fn room(package: &str) -> Option<&str> {
    if package == "windfall" { Some("") } else { package.strip_prefix("windfall-") }
}

#[test]
fn rooms_know_only_the_rooms_before_them() {
    let metadata = metadata();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for package in list(&metadata, "packages") {
        let Some(name) = room(text(package, "name")).filter(|_| package["source"].is_null()) else { continue };
        seen.insert(name.to_owned());
        let Some((_, may)) = MAY_KNOW.iter().find(|(room, _)| *room == name) else {
            wrong.push(format!("windfall-{name} has no place in the house: list what it may know"));
            continue;
        };
        // Dependencies of tests are not restricted.
        let needs = list(package, "dependencies").iter().filter(|needs| text(needs, "kind") != "dev");
        for known in needs.filter_map(|needs| room(text(needs, "name"))) {
            let is_facade = name.is_empty() && !["cli", "testkit", "conformance"].contains(&known);
            if known != "core" && !may.contains(&known) && !is_facade {
                wrong.push(format!("windfall-{name} must not know windfall-{known}"));
            }
        }
    }
    for (room, _) in &MAY_KNOW {
        if !seen.contains(*room) {
            wrong.push(format!("there is no windfall-{room} any more: take it off the list"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Packages that are linked to a program: all normal dependencies, direct and indirect, of the members
/// of the workspace.
fn shipped(metadata: &Value) -> BTreeSet<String> {
    let nodes = list(&metadata["resolve"], "nodes");
    let needs: BTreeMap<&str, Vec<&str>> = nodes
        .iter()
        .map(|node| {
            let is_shipped = |needs: &&Value| list(needs, "dep_kinds").iter().any(|kind| text(kind, "kind") != "dev");
            (text(node, "id"), list(node, "deps").iter().filter(is_shipped).map(|needs| text(needs, "pkg")).collect())
        })
        .collect();
    let mut found = BTreeSet::new();
    // The program leads to everything but the rooms that only tests use.
    let is_program = |package: &&Value| text(package, "name") == "windfall-cli";
    let mut todo: Vec<&str> =
        list(metadata, "packages").iter().filter(is_program).map(|package| text(package, "id")).collect();
    while let Some(id) = todo.pop() {
        if found.insert(id.to_owned()) {
            todo.extend(needs.get(id).into_iter().flatten());
        }
    }
    found
}

#[test]
fn licences_may_be_linked() {
    let metadata = metadata();
    let is_good = |licence: &str| {
        let one = |licence: &str| LICENCES.contains(&licence.trim());
        let any = |part: &str| part.replace('/', " OR ").split(" OR ").any(one);
        // `A AND (B OR C)`: every part needs one that may be linked.
        licence.replace(['(', ')'], "").split(" AND ").all(any)
    };
    let all = list(&metadata, "packages");
    let wrong: Vec<String> = all
        .iter()
        .filter(|package| !is_good(text(package, "license")))
        .map(|package| {
            format!("{} {}: {:?}", text(package, "name"), text(package, "version"), text(package, "license"))
        })
        .collect();
    assert!(all.len() > 50, "cargo lists {} packages", all.len());
    assert!(wrong.is_empty(), "licences that are not on the list:\n{}", wrong.join("\n"));
}

#[test]
fn no_dependency_stands_there_twice() {
    let metadata = metadata();
    let shipped = shipped(&metadata);
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in list(&metadata, "packages").iter().filter(|package| shipped.contains(text(package, "id"))) {
        versions.entry(text(package, "name")).or_default().push(text(package, "version"));
    }
    let several = versions.iter().filter(|(_, versions)| versions.len() > 1);
    let (known, new): (Vec<_>, Vec<_>) =
        several.partition(|(name, _)| TWICE.iter().any(|(twice, reason)| twice == *name && !reason.is_empty()));
    let lines: Vec<String> = new.iter().map(|(name, versions)| format!("{name}: {}", versions.join(", "))).collect();
    assert!(lines.is_empty(), "in several versions:\n{}", lines.join("\n"));
    assert_eq!(known.len(), TWICE.len(), "a crate of the list stands there once now: take it off");
}

#[test]
fn solvers_name_their_numbers_nowhere_else() {
    // No public signature outside the articulated solver's crate names its number type or its methods.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut wrong = Vec::new();
    for room in ["core", "solver", "free", "stage", "wind", "io", "scene", "skin", "preview", "cli"] {
        for file in files(&std::path::Path::new(folder).join(format!("windfall-{room}/src")), "rs") {
            let source = std::fs::read_to_string(&file).expect("a source file");
            for (number, line) in source.lines().enumerate() {
                let code = line.split("//").next().unwrap_or("");
                let is_public = code.trim_start().starts_with("pub ");
                if is_public && (code.contains("Real") || code.contains("Method") || code.contains("World<")) {
                    wrong.push(format!("{}:{}: {}", file.display(), number + 1, code.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files of a folder and its subfolders with this ending.
fn files(folder: &std::path::Path, ending: &str) -> Vec<std::path::PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all.extend(files(&path, ending));
        } else if path.extension().is_some_and(|own| own == ending) {
            all.push(path);
        }
    }
    all
}

/// The first example of the README is that of the facade, which is compiled and run as a test of its
/// documentation.
#[test]
fn readme_and_facade_show_the_same_example() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let read = |file: &str| std::fs::read_to_string(format!("{folder}/{file}")).expect("a file of the repository");
    let readme = read("README.md");
    let shown = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let facade = read("crates/windfall/src/lib.rs");
    let docs: Vec<&str> = facade.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let tested = docs.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let tested = tested.skip_while(|line| *line != "```").skip(1).take_while(|line| *line != "```");
    let tested: Vec<&str> = tested.filter(|line| !line.starts_with("# ")).collect();
    assert_eq!(shown.lines().collect::<Vec<_>>(), tested);
}

/// The longest line of prose, in characters. Code may be longer: rustfmt keeps it below 120.
const LONGEST_LINE: usize = 110;

/// Lines of comments and pages. Tables, code, links and single words cannot be broken.
#[test]
fn lines_of_prose_are_short() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut wrong = Vec::new();
    let mut look = |file: &std::path::Path, comments: bool| {
        let text = std::fs::read_to_string(file).expect("a text file");
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            let prose = if comments { line.trim_start().strip_prefix("//") } else { Some(line) };
            let Some(prose) = prose.map(|prose| prose.trim_start_matches(['/', '!']).trim()) else { continue };
            is_code ^= prose.starts_with("```");
            let can_break = prose.contains(' ') && !prose.starts_with('|') && !is_code;
            if can_break && line.chars().count() > LONGEST_LINE {
                wrong.push(format!("{}:{}", file.display(), number + 1));
            }
        }
    };
    for file in files(&root.join("crates"), "rs") {
        look(&file, true);
    }
    let pages = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|page| root.join(page));
    for file in pages.into_iter().chain(files(&root.join("docs"), "md")) {
        look(&file, false);
    }
    assert!(wrong.is_empty(), "longer than {LONGEST_LINE} characters:\n{}", wrong.join("\n"));
}

/// A map is read in one sitting.
#[test]
fn the_map_is_short() {
    let map = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ARCHITECTURE.md");
    let bytes = std::fs::metadata(map).expect("the map").len();
    assert!(bytes <= 8 * 1024, "ARCHITECTURE.md has {bytes} bytes");
}
