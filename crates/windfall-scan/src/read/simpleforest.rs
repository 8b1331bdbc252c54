//! `SimpleForest`, the `CompuTree` plugin (Hackenberg et al. 2015): CSV with one cylinder per row.
//!
//! Ids begin at 0, a root has the parent -1. The names in the header have leading spaces. A branch of
//! the stem and its whole subtree have the same `branchID`, so a cylinder continues its parent only if
//! its `branchOrder` is the same, too. Early versions write one more value than names, after the radius;
//! then the shape determines the continuation.

use super::Dialect;
use super::table::{self, Columns, Header};
use crate::cylinder::Scan;
use crate::error::ScanError;

pub(super) fn is_header(header: &Header) -> bool {
    header.has(&["id", "parentid", "startx", "endx", "radius"])
}

pub(super) fn read(text: &str) -> Result<Scan, ScanError> {
    table::read(
        text,
        &Columns {
            dialect: Dialect::SimpleForest,
            id: "id",
            parent: "parentid",
            ends: ["startx", "starty", "startz", "endx", "endy", "endz"],
            radius: "radius",
            tip_radius: "",
            branch: "branchid",
            order: "branchorder",
            tree: "",
            row_names: false,
            no_parent: |id| id == -1,
        },
    )
}
