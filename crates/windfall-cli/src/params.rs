//! Parameters of the command line.

use std::path::Path;

use anyhow::Context;
use windfall::core::glam::DVec3;
use windfall::solver::Params;

/// Parameters of a file, or the defaults. Plants keep their shape unless the file or `sag` sets otherwise.
pub fn read(path: Option<&Path>, gravity: Option<DVec3>, sag: bool) -> anyhow::Result<Params> {
    let (mut params, mut keep_shape) = (Params::default(), None);
    if let Some(path) = path {
        let name = || path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(name)?;
        params = Params::from_toml(&text).with_context(name)?;
        // The default of the library differs from that of the program, so it matters whether the file has
        // the key.
        let given = text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("keep_shape"));
        keep_shape = given.then_some(params.keep_shape);
    }
    params.gravity = gravity.unwrap_or(params.gravity);
    params.keep_shape = !sag && keep_shape.unwrap_or(true);
    Ok(params)
}
