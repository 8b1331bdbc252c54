//! Windfall's own table: CSV with one cylinder per row. Other columns are allowed and ignored.
//!
//! | column | contents |
//! |---|---|
//! | `start_x`, `start_y`, `start_z`, `end_x`, `end_y`, `end_z` | centres of the two ends |
//! | `radius` | radius, or that of the base if there is a `tip_radius` |
//! | `parent` | id of the cylinder that it grows on; empty or -1 for a root, 0 too if no cylinder has the id 0 |
//! | `id` | if it is missing: the number of the row, from 0, or from 1 if the first has the parent 0 |
//! | `tip_radius`, `branch`, `tree` | may be missing; a cylinder with the `branch` of its parent continues it |
//!
//! The names are those of rTwig's standard table, whose files can therefore be read.

use super::Dialect;
use super::table::{self, Columns, Header};
use crate::cylinder::Scan;
use crate::error::ScanError;

pub(super) fn is_header(header: &Header) -> bool {
    header.has(&["start_x", "end_x", "radius"])
}

pub(super) fn read(text: &str) -> Result<Scan, ScanError> {
    let columns = Columns {
        dialect: Dialect::Plain,
        id: "id",
        parent: "parent",
        ends: ["start_x", "start_y", "start_z", "end_x", "end_y", "end_z"],
        radius: "radius",
        tip_radius: "tip_radius",
        branch: "branch",
        order: "",
        tree: "tree",
        row_names: true,
        no_parent: |id| id == -1,
    };
    table::read(text, &columns)
}
