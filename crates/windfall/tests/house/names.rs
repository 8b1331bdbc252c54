//! One name, one meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::files;

/// Rooms whose types are not for users: the program, and what only tests use.
const APART: [&str; 2] = ["windfall-cli", "windfall-testkit"];
/// Folders of private modules.
const PRIVATE: [&str; 1] = ["windfall-articulated/src/wide"];

/// Two crates have no public types of the same name.
#[test]
fn types_of_different_rooms_have_different_names() {
    let crates = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(crates, "rs") {
        let path = file.strip_prefix(crates).expect("a file below").to_str().expect("text").replace('\\', "/");
        let room = path.split('/').next().expect("a folder").to_owned();
        let is_library = path.starts_with(&format!("{room}/src/"));
        if !is_library || APART.contains(&&*room) || PRIVATE.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        for line in std::fs::read_to_string(&file).expect("a source file").lines() {
            let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
            let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else { continue };
            let name = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            rooms.entry(name).or_default().insert(room.clone());
        }
    }
    assert!(rooms.len() > 300, "{} types", rooms.len());
    let several = rooms.iter().filter(|(_, rooms)| rooms.len() > 1);
    let several: Vec<String> = several.map(|(name, rooms)| format!("{name}: {rooms:?}")).collect();
    assert!(several.is_empty(), "{}", several.join("\n"));
}
