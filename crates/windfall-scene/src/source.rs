//! The text of a scene file. It finds the line of a key, so that every error can name it.

use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

/// A scene file as text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Source {
    /// Its path; empty for a text without a file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

impl Source {
    /// The folder that paths in the scene are relative to.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The line, from 1, of a key such as `plants[1].bodies`; that of the nearest key around it where it is
    /// not written.
    pub fn line(&self, key: &str) -> Option<usize> {
        let root = DeTable::parse(&self.text).ok()?;
        let mut at: Option<usize> = None;
        let mut table = Some(root.get_ref());
        'steps: for step in key.split('.') {
            let (name, indices) = step.split_once('[').map_or((step, ""), |(name, rest)| (name, rest));
            let Some((key, value)) = table.and_then(|t| t.iter().find(|(k, _)| k.get_ref().as_ref() == name)) else {
                break;
            };
            at = Some(key.span().start);
            let mut value = value;
            for index in indices.split('[').filter_map(|text| text.trim_end_matches(']').parse::<usize>().ok()) {
                let Some(item) = value.get_ref().as_array().and_then(|list| list.get(index)) else { break 'steps };
                // The span of a table of `[[plants]]` begins with its head.
                at = Some(item.span().start);
                value = item;
            }
            table = match value.get_ref() {
                DeValue::Table(table) => Some(table),
                _ => None,
            };
        }
        at.map(|byte| self.text[..byte].matches('\n').count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_on_their_lines() {
        let text = "name = 'a'\n\n[[plants]]\nspecies = 'oak'\n\n[[plants]]\nspecies = 'pine'\nbodies = 3\n\n[params.leaves]\ndensity = 1\n\
                    [[events]]\nat = 1\ncut = [\n  1,\n  { near = [0, 1, 2] },\n]\n";
        let source = Source { path: PathBuf::new(), text: text.into() };
        for (key, line) in [
            ("name", Some(1)),
            ("plants[0]", Some(3)),
            ("plants[0].species", Some(4)),
            ("plants[1].bodies", Some(8)),
            ("plants[1].seed", Some(6)),
            ("params.leaves.density", Some(11)),
            ("events[0].cut[1].near", Some(16)),
            ("events[0].cut[9]", Some(14)),
            ("nothing", None),
        ] {
            assert_eq!(source.line(key), line, "{key}");
        }
    }
}
