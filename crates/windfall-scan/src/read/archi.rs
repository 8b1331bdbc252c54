//! aRchi (Martin-Ducup and Lecigne), an R package: CSV with one cylinder per row.
//!
//! Ids begin at 1, a root has the parent 0. `extension_ID` is not used: in published files it sometimes
//! names a side twig, while `axis_ID` continues.

use super::Dialect;
use super::table::{self, Columns, Header};
use crate::cylinder::Scan;
use crate::error::ScanError;

pub(super) fn is_header(header: &Header) -> bool {
    header.has(&["cyl_id", "parent_id", "startx", "endx", "radius_cyl"])
}

pub(super) fn read(text: &str) -> Result<Scan, ScanError> {
    let columns = Columns {
        dialect: Dialect::Archi,
        id: "cyl_id",
        parent: "parent_id",
        ends: ["startx", "starty", "startz", "endx", "endy", "endz"],
        radius: "radius_cyl",
        tip_radius: "",
        branch: "axis_id",
        order: "",
        tree: "",
        row_names: true,
        no_parent: |id| id <= 0,
    };
    table::read(text, &columns)
}
