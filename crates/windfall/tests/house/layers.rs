//! Inside a crate of several layers modules use only those below them.

use std::path::Path;

use super::files;

/// The modules of the articulated solver, each with those that it may use.
const ARTICULATED: [(&str, &[&str]); 9] = [
    ("math", &[]),
    ("block", &["math"]),
    ("air", &["math", "block"]),
    ("implicit", &["math", "block"]),
    ("analytic", &["math", "block"]),
    ("wide", &["math", "block", "implicit", "analytic"]),
    ("world", &["math", "block", "implicit", "analytic"]),
    ("step", &["math", "block", "air", "implicit", "analytic", "wide", "world"]),
    ("interface", &["math", "block", "world"]),
];

/// The part of a source file before its unit tests, without comments.
fn code(source: &str) -> String {
    let program = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    program.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// First names after `crate::`, also of groups: `crate::{a, b::{c, d}}` names a and b.
fn used_modules(code: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut used = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            used.push(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut item = String::new();
        for c in group.chars() {
            match c {
                '}' if depth == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => used.push(word(std::mem::take(&mut item).trim())),
                _ => item.push(c),
            }
        }
        used.push(word(item.trim()));
    }
    used.retain(|name| !name.is_empty());
    used
}

#[test]
fn groups_of_imports_are_read() {
    let used = used_modules("use crate::{a, b::{c, d}};\nuse crate::e::f; crate::g::h()");
    assert_eq!(used, ["a", "b", "e", "g"]);
    assert_eq!(used_modules(&code("crate::a // crate::b\n#[cfg(test)]\nmod tests {\ncrate::c")), ["a"]);
}

#[test]
fn modules_of_the_articulated_solver_use_only_lower_layers() {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../windfall-articulated/src"));
    let mut wrong = Vec::new();
    for file in files(source, "rs") {
        let path = file.strip_prefix(source).expect("a file below");
        let parts: Vec<&str> = path.iter().map(|part| part.to_str().expect("text")).collect();
        let module = parts[0].trim_end_matches(".rs");
        // The facade of the crate; and modules that consist of tests.
        if module == "lib" || path.ends_with("tests.rs") {
            continue;
        }
        let Some((_, may)) = ARTICULATED.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{module} has no layer: list what it may use"));
            continue;
        };
        let code = code(&std::fs::read_to_string(&file).expect("a source file"));
        for used in used_modules(&code) {
            if used != module && !may.contains(&used.as_str()) {
                wrong.push(format!("{}: crate::{used}", path.display()));
            }
        }
        // The head of a module is one step below the crate; other files are deeper.
        let levels = parts.len() - usize::from(path.ends_with("mod.rs"));
        if code.contains(&"super::".repeat(levels)) {
            wrong.push(format!("{}: leaves its module by super::", path.display()));
        }
    }
    assert!(wrong.is_empty(), "upwards:\n{}", wrong.join("\n"));
}

/// A source file that a comment or a page names by its folder is a file of the repository.
#[test]
fn files_that_are_named_exist() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let sources = files(&root.join("crates"), "rs");
    let known: Vec<String> = sources.iter().map(|file| file.to_str().expect("text").replace('\\', "/")).collect();
    let mut wrong = Vec::new();
    let mut look = |file: &Path, text: &str| {
        for quoted in text.split('`').skip(1).step_by(2) {
            let has_slash = quoted.contains('/') && !quoted.contains(['*', ' ', '\n', '{']);
            let is_path = has_slash && Path::new(quoted).extension().is_some_and(|end| end == "rs");
            if is_path && !known.iter().any(|path| path.ends_with(&format!("/{quoted}"))) {
                wrong.push(format!("{}: {quoted}", file.display()));
            }
        }
    };
    for file in &sources {
        let source = std::fs::read_to_string(file).expect("a source file");
        source.lines().filter(|line| line.trim_start().starts_with("//")).for_each(|line| look(file, line));
    }
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root.join(page));
    for file in pages.into_iter().chain(files(&root.join("docs"), "md")) {
        std::fs::read_to_string(&file).expect("a page").lines().for_each(|line| look(&file, line));
    }
    assert!(wrong.is_empty(), "no such file:\n{}", wrong.join("\n"));
}
