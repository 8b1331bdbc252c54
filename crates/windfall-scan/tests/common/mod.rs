//! One small tree in every dialect.
#![allow(dead_code, reason = "each test uses some of it")]

pub mod mat;

use std::fmt::Write as _;

use windfall_core::glam::DVec3;
use windfall_scan::{Cylinder, Dialect};

/// A cylinder of the sample: ends, radius, parent, branch, order.
pub struct Row {
    pub start: [f64; 3],
    pub end: [f64; 3],
    pub radius: f64,
    pub parent: Option<usize>,
    pub branch: usize,
    pub order: usize,
}

/// A trunk of three cylinders and a limb of two that leaves it at the tip of the first. z is up.
pub fn tree() -> Vec<Row> {
    let row = |start, end, radius, parent, branch, order| Row { start, end, radius, parent, branch, order };
    vec![
        row([5.0, 7.0, 1.0], [5.0, 7.0, 2.0], 0.1, None, 1, 0),
        row([5.0, 7.0, 2.0], [5.0, 7.0, 3.0], 0.08, Some(0), 1, 0),
        row([5.0, 7.0, 2.0], [6.0, 7.0, 2.5], 0.03, Some(0), 2, 1),
        row([6.0, 7.0, 2.5], [6.5, 7.0, 3.25], 0.02, Some(2), 2, 1),
        row([5.0, 7.0, 3.0], [5.0, 7.5, 4.0], 0.05, Some(1), 1, 0),
    ]
}

/// The list that a reader should return for [`tree`].
pub fn expected(says_continues: bool) -> Vec<Cylinder> {
    let rows = tree();
    rows.iter()
        .map(|row| Cylinder {
            start: DVec3::from_array(row.start),
            end: DVec3::from_array(row.end),
            base_radius: row.radius,
            tip_radius: row.radius,
            parent: row.parent,
            continues: row.parent.filter(|_| says_continues).map(|p| rows[p].branch == row.branch),
            tree: 0,
        })
        .collect()
}

/// Length and unit axis.
pub fn axis(row: &Row) -> (f64, [f64; 3]) {
    let along = DVec3::from_array(row.end) - DVec3::from_array(row.start);
    (along.length(), along.normalize().to_array())
}

/// The first columns of a `TreeQSM` row, common to all versions, parents from 1.
fn treeqsm_head(row: &Row) -> Vec<f64> {
    let (length, axis) = axis(row);
    let mut values = vec![row.radius, length];
    values.extend(row.start);
    values.extend(axis);
    values.extend([row.parent.map_or(0.0, |p| p as f64 + 1.0), 0.0]);
    values
}

fn lines(rows: impl Iterator<Item = Vec<f64>>) -> String {
    let line = |values: Vec<f64>| values.iter().map(ToString::to_string).collect::<Vec<_>>().join("\t");
    rows.map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// `cylinder_*.txt` of `TreeQSM` 2.4: 13 names above 17 columns.
pub fn treeqsm_24() -> String {
    let names = "radius (m)\tlength (m)\tstart_point\taxis_direction\tparent\textension\tbranch\tbranch_order\t\
                 position_in_branch\tmad\tSurfCov\tadded\tUnmodRadius (m)\n";
    let row = |row: Row| {
        let tail = [row.branch as f64, row.order as f64, 1.0, 0.002, 0.7, 0.0, row.radius];
        [treeqsm_head(&row), tail.to_vec()].concat()
    };
    names.to_owned() + &lines(tree().into_iter().map(row))
}

/// The older order of 15 columns, `added` and `UnmodRadius` before the branch.
pub fn treeqsm_23() -> String {
    let row = |row: Row| [treeqsm_head(&row), vec![0.0, row.radius, row.branch as f64, row.order as f64, 1.0]].concat();
    lines(tree().into_iter().map(row))
}

/// The other order of 15 columns.
pub fn treeqsm_23_branch_first() -> String {
    let row = |row: Row| [treeqsm_head(&row), vec![row.branch as f64, row.order as f64, 1.0, 0.0, row.radius]].concat();
    lines(tree().into_iter().map(row))
}

fn comma(values: &[f64]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

pub fn simpleforest() -> String {
    let mut text = "ID, parentID, startX, startY, startZ, endX, endY, endZ, radius, length, growthLength, segmentID, \
                    parentSegmentID, branchOrder, reverseBranchOrder, branchID\n"
        .to_owned();
    for (i, row) in tree().iter().enumerate() {
        let parent = row.parent.map_or(-1, |p| p as i64);
        let (length, _) = axis(row);
        let ends = comma(&[row.start, row.end].concat());
        let _ = writeln!(
            text,
            "{i}, {parent}, {ends}, {}, {length}, 3.5, 0, -1, {}, 2, {}",
            row.radius, row.order, row.branch
        );
    }
    text
}

pub fn archi() -> String {
    let mut text =
        "startX,startY,startZ,endX,endY,endZ,cyl_ID,parent_ID,extension_ID,radius_cyl,length,volume,axis_ID,\
                    segment_ID,node_ID,branching_order\n"
            .to_owned();
    for (i, row) in tree().iter().enumerate() {
        let parent = row.parent.map_or(0, |p| p + 1);
        let (length, _) = axis(row);
        let ends = comma(&[row.start, row.end].concat());
        let _ = writeln!(
            text,
            "{ends},{},{parent},3,{},{length},0.1,{},4,0,{}",
            i + 1,
            row.radius,
            row.branch,
            row.order + 1
        );
    }
    text
}

pub fn plain() -> String {
    let mut text = "id,parent,start_x,start_y,start_z,end_x,end_y,end_z,radius,branch,colour\n".to_owned();
    for (i, row) in tree().iter().enumerate() {
        let parent = row.parent.map(|p| (10 + p).to_string()).unwrap_or_default();
        let ends = comma(&[row.start, row.end].concat());
        let _ = writeln!(text, "{},{parent},{ends},{},{},green", i + 10, row.radius, row.branch);
    }
    text
}

/// The tree as a line of a treefile; its segment 0 is the point at the foot of the trunk.
fn raycloud_segments() -> String {
    let rows = tree();
    let mut parts = vec![format!("{},0.1,-1,0", comma(&rows[0].start))];
    for row in &rows {
        let parent = row.parent.map_or(0, |p| p + 1);
        parts.push(format!("{},{},{parent},7", comma(&row.end), row.radius));
    }
    parts.join(", ")
}

/// Two trees with attributes of the whole tree.
pub fn raycloud() -> String {
    let tree = raycloud_segments();
    format!(
        "# Tree file. Optional per-tree attributes\nheight,crown_radius, x,y,z,radius,parent_id,section\n12.5,3, {tree}\n\
         # a comment\n9,2, {tree}\n"
    )
}

/// The older form: the first segment has its own fields.
pub fn raycloud_old() -> String {
    let rows = tree();
    let mut line = format!("{},0.1,99", comma(&rows[0].start));
    for row in &rows {
        let parent = row.parent.map_or(0, |p| p + 1);
        let _ = write!(line, ", {},{},{parent}", comma(&row.end), row.radius);
    }
    format!("# Tree file.\nx,y,z,radius,height x,y,z,radius,parent_id\n{line}\n")
}

/// Vertices of the skeleton: the limb has its own copy of its first vertex. Edges run in either
/// direction.
const EDGES: [(u32, u32); 5] = [(1, 0), (1, 2), (4, 5), (6, 5), (2, 3)];

fn skeleton() -> Vec<([f64; 3], f64)> {
    let rows = tree();
    vec![
        (rows[0].start, 0.1),
        (rows[0].end, 0.1),
        (rows[1].end, 0.08),
        (rows[4].end, 0.05),
        (rows[2].start, 0.03),
        (rows[2].end, 0.03),
        (rows[3].end, 0.02),
    ]
}

fn ply_header(format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment a skeleton\nelement vertex 7\nproperty float x\nproperty float y\nproperty float z\n\
         property float radius\nelement edge 5\nproperty list uchar int vertex_indices\nend_header\n"
    )
}

pub fn adtree_ascii() -> Vec<u8> {
    let mut text = ply_header("ascii");
    for ([x, y, z], r) in skeleton() {
        let _ = writeln!(text, "{x} {y} {z} {r}");
    }
    for (a, b) in EDGES {
        let _ = writeln!(text, "2 {a} {b}");
    }
    text.into_bytes()
}

pub fn adtree_binary(big_endian: bool) -> Vec<u8> {
    let mut bytes = ply_header(if big_endian { "binary_big_endian" } else { "binary_little_endian" }).into_bytes();
    for ([x, y, z], r) in skeleton() {
        for value in [x, y, z, r] {
            let value = value as f32;
            bytes.extend(if big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
        }
    }
    for (a, b) in EDGES {
        bytes.push(2);
        for value in [a, b] {
            bytes.extend(if big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
        }
    }
    bytes
}

/// Diameters in the unit of the coordinates.
pub fn mtg() -> String {
    let rows = tree();
    let mut text = "\
# a tree by hand
CODE :\tFORM-A

CLASSES :
SYMBOL\tSCALE\tDECOMPOSITION\tINDEXATION\tDEFINITION
$\t0\tFREE\tFREE\tIMPLICIT
P\t1\tFREE\tFREE\tEXPLICIT
A\t2\tFREE\tFREE\tEXPLICIT
E\t3\tFREE\tFREE\tEXPLICIT

DESCRIPTION :
LEFT\tRIGHT\tRELTYPE\tMAX
E\tE\t<\t1

FEATURES :
NAME\tTYPE
XX\tREAL
YY\tREAL
ZZ\tREAL
TopDia\tREAL

MTG :
ENTITY-CODE\t\t\tXX\tYY\tZZ\tTopDia
"
    .to_owned();
    let values = |[x, y, z]: [f64; 3], radius: f64| format!("{x}\t{y}\t{z}\t{}", 2.0 * radius);
    let _ = writeln!(text, "/P1/A1\t\t\t{}", values(rows[0].start, 0.1));
    let _ = writeln!(text, "^/E1<<E5\t\t\t{}", values(rows[0].end, rows[0].radius));
    let _ = writeln!(text, "\t+A2/E1\t\t{}", values(rows[2].end, rows[2].radius));
    let _ = writeln!(text, "\t^<E2\t\t{}", values(rows[3].end, rows[3].radius));
    let _ = writeln!(text, "^<E6\t\t\t{}", values(rows[1].end, rows[1].radius));
    let _ = writeln!(text, "^<E7<E8\t\t\t{}", values(rows[4].end, rows[4].radius));
    text
}

/// Every sample with its dialect.
pub fn samples() -> Vec<(Dialect, Vec<u8>)> {
    vec![
        (Dialect::TreeQsmMat, mat::treeqsm(&mat::Style::default())),
        (Dialect::TreeQsmText, treeqsm_24().into_bytes()),
        (Dialect::TreeQsmText, treeqsm_23().into_bytes()),
        (Dialect::TreeQsmText, treeqsm_23_branch_first().into_bytes()),
        (Dialect::SimpleForest, simpleforest().into_bytes()),
        (Dialect::Archi, archi().into_bytes()),
        (Dialect::Raycloud, raycloud().into_bytes()),
        (Dialect::Raycloud, raycloud_old().into_bytes()),
        (Dialect::AdTree, adtree_ascii()),
        (Dialect::AdTree, adtree_binary(false)),
        (Dialect::AdTree, adtree_binary(true)),
        (Dialect::Mtg, mtg().into_bytes()),
        (Dialect::Plain, plain().into_bytes()),
    ]
}
