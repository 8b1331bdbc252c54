//! Reading a scene file.

use std::path::{Path, PathBuf};

use windfall_solver::Params;

use crate::check;
use crate::error::{Problems, SceneError};
use crate::prepared::PreparedScene;
use crate::schema::{FileOr, Scene};
use crate::source::Source;

/// A scene that was read and checked, with its text.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneFile {
    /// The parsed scene.
    pub scene: Scene,
    /// The text.
    pub source: Source,
    /// Its parameters, inline or from a file of their own.
    pub(crate) params: Params,
}

impl SceneFile {
    /// Reads a scene file and does all checks that don't need a grown plant.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| SceneError::Read { file: path.to_owned(), reason: error.to_string() })?;
        Self::new(Source { path: path.to_owned(), text })
    }

    /// Reads a scene from a text; files that it names are relative to the present folder.
    pub fn from_text(text: &str) -> Result<Self, SceneError> {
        Self::new(Source { path: PathBuf::from("scene"), text: text.to_owned() })
    }

    fn new(source: Source) -> Result<Self, SceneError> {
        let file = source.path.clone();
        let toml_error = |error: toml::de::Error| SceneError::Toml { file: file.clone(), error: Box::new(error) };
        let mut scene: Scene = toml::from_str(&source.text).map_err(toml_error)?;
        if scene.name.is_empty() {
            scene.name = source.path.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
        }
        let mut problems = Problems::new(&source);
        check::scene(&scene, &mut problems);
        let params = params(&scene, &source, &mut problems);
        problems.finish()?;
        Ok(Self { scene, source, params })
    }

    /// Prepares the scene to run: grows and reads the plants, finds all bodies, builds the winds.
    pub fn set_up(&self) -> Result<PreparedScene, SceneError> {
        PreparedScene::new(self)
    }
}

/// The parameters, inline or from their file. By default trees keep their shape.
fn params(scene: &Scene, source: &Source, problems: &mut Problems<'_>) -> Params {
    let (mut params, text) = match &scene.params {
        FileOr::Inline(params) => (params.clone(), source.text.clone()),
        FileOr::File(name) => {
            let path = source.folder().join(name);
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()));
            let Some(text) = problems.check("params", text) else { return Params::default() };
            let read = Params::from_toml(&text).map_err(|e| format!("{}: {e}", path.display()));
            let Some(params) = problems.check("params", read) else { return Params::default() };
            (params, text)
        }
    };
    let table: toml::Table = toml::from_str(&text).unwrap_or_default();
    let own = match &scene.params {
        FileOr::Inline(_) => table.get("params").and_then(toml::Value::as_table),
        FileOr::File(_) => Some(&table),
    };
    if !own.is_some_and(|table| table.contains_key("keep_shape")) {
        params.keep_shape = true;
    }
    params
}
