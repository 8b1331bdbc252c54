//! Printed tables.

use std::io::{self, Write};

use serde::Serialize;

use super::machine::Machine;
use crate::numbers::{count, short};

/// One measurement.
#[derive(Debug, Serialize)]
pub struct Row {
    pub tree: String,
    /// Number of trees.
    pub trees: usize,
    pub bodies: usize,
    /// Bodies with a velocity above zero after the warm-up: if not all, the figures are too good.
    pub moving_bodies: usize,
    pub solver: &'static str,
    pub threads: usize,
    pub steps: usize,
    pub best_ms: f64,
    pub median_ms: f64,
    /// By the median.
    pub body_steps_per_s: f64,
    pub bytes_per_body: f64,
    /// The median over the median rate of the machine between the steps.
    pub body_steps_per_fma_flop: f64,
    /// The best over the best.
    pub best_body_steps_per_fma_flop: f64,
    /// Rate of the machine between the steps, 1/s: the median and the best.
    pub fma_flops: f64,
    pub best_fma_flops: f64,
    pub body_steps_per_triad_byte: f64,
    /// quigley2017, 15 threads of a machine that it does not name.
    pub paper_ms: Option<f64>,
}

impl Row {
    /// Whether half of the steps took much longer than the best, which equal work does not explain.
    pub fn is_disturbed(&self) -> bool {
        self.median_ms > 1.5 * self.best_ms
    }
}

pub fn machines(out: &mut impl Write, instructions: &str, machines: &[Machine]) -> io::Result<()> {
    writeln!(out, "  threads   f32 FMA, GFLOP/s   triad, GB/s      ({instructions})")?;
    for m in machines {
        let (fma, triad) = (m.fma_flops * 1e-9, m.triad_bytes_per_s * 1e-9);
        writeln!(out, "  {:>7} {fma:>18.1} {triad:>13.1}", m.threads)?;
    }
    writeln!(out)
}

pub fn head(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "  {:16} {:>9} {:8} {:>7} {:>9} {:>9} {:>12} {:>8} {:>10} {:>10} {:>10} {:>9}",
        "", "", "", "", "ms/step", "", "M bodies", "bytes", "per FMA", "FLOP,", "per triad", "paper,"
    )?;
    writeln!(
        out,
        "  {:16} {:>9} {:8} {:>7} {:>9} {:>9} {:>12} {:>8} {:>10} {:>10} {:>10} {:>9}",
        "tree",
        "bodies",
        "solver",
        "threads",
        "best",
        "median",
        "x steps/s",
        "per body",
        "best",
        "median",
        "byte",
        "ms/step"
    )
}

pub fn row(out: &mut impl Write, row: &Row) -> io::Result<()> {
    writeln!(
        out,
        "  {:16} {:>9} {:8} {:>7} {:>9} {:>9} {:>12} {:>8.0} {:>10.2e} {:>10.2e} {:>10.2e} {:>9}",
        if row.trees == 1 { row.tree.clone() } else { format!("{} x {}", count(row.trees), row.tree) },
        count(row.bodies),
        row.solver,
        row.threads,
        milliseconds(row.best_ms),
        milliseconds(row.median_ms),
        format!("{:.2}", row.body_steps_per_s * 1e-6),
        row.bytes_per_body,
        row.best_body_steps_per_fma_flop,
        row.body_steps_per_fma_flop,
        row.body_steps_per_triad_byte,
        row.paper_ms.map_or_else(|| "-".to_owned(), short)
    )?;
    if row.moving_bodies < row.bodies {
        let still = count(row.bodies - row.moving_bodies);
        writeln!(out, "  {:16} {still} of these bodies did not move", "")?;
    }
    Ok(())
}

/// Three significant digits.
fn milliseconds(ms: f64) -> String {
    if ms < 1.0 {
        format!("{ms:.4}")
    } else if ms < 100.0 {
        format!("{ms:.2}")
    } else {
        format!("{ms:.0}")
    }
}

/// Cost of a body by the size of the tree, and by the number of threads.
pub fn scaling(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    writeln!(out, "\n  {:8} {:>9} {:>7} {:>12} {:>9} {:>14}", "", "", "", "ns per body", "over the", "times as fast")?;
    writeln!(
        out,
        "  {:8} {:>9} {:>7} {:>12} {:>9} {:>14}",
        "solver", "bodies", "threads", "and step", "smallest", "as the fewest"
    )?;
    for scaled in scaled(rows) {
        let Scaled { row, ns_per_body, over_smallest, speed_up } = scaled;
        writeln!(
            out,
            "  {:8} {:>9} {:>7} {ns_per_body:>12.1} {over_smallest:>9.2} {speed_up:>14.2}",
            row.solver,
            count(row.bodies),
            row.threads
        )?;
    }
    Ok(())
}

/// A row relative to others of its solver.
struct Scaled<'a> {
    row: &'a Row,
    ns_per_body: f64,
    /// Cost over that of the smallest tree on as many threads.
    over_smallest: f64,
    /// Speed over that of the same tree on the fewest threads.
    speed_up: f64,
}

/// Sorted by solver, then by size, then by threads.
fn scaled(rows: &[Row]) -> Vec<Scaled<'_>> {
    let cost = |row: &Row| 1e9 / row.body_steps_per_s;
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| (std::cmp::Reverse(row.solver), row.bodies, row.threads));
    let of = |row: &Row| sorted.iter().filter(|r| r.solver == row.solver).copied().collect::<Vec<_>>();
    let compare = |&row: &&'_ Row| {
        let same = of(row);
        // They are in the order of size and threads, and the row itself is among them.
        let smallest = same.iter().find(|r| r.threads == row.threads).map_or(1.0, |r| cost(r));
        let fewest = same.iter().find(|r| (r.bodies, &r.tree) == (row.bodies, &row.tree)).map_or(1.0, |r| cost(r));
        (cost(row), cost(row) / smallest, fewest / cost(row))
    };
    sorted
        .iter()
        .map(|row| {
            let (ns_per_body, over_smallest, speed_up) = compare(row);
            Scaled { row, ns_per_body, over_smallest, speed_up }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(solver: &'static str, bodies: usize, threads: usize, rate: f64) -> Row {
        Row {
            tree: "maple".into(),
            trees: 1,
            bodies,
            moving_bodies: bodies,
            solver,
            threads,
            steps: 1,
            best_ms: 1.0,
            median_ms: 1.0,
            body_steps_per_s: rate,
            bytes_per_body: 1.0,
            body_steps_per_fma_flop: 1.0,
            best_body_steps_per_fma_flop: 1.0,
            fma_flops: 1.0,
            best_fma_flops: 1.0,
            body_steps_per_triad_byte: 1.0,
            paper_ms: None,
        }
    }

    #[test]
    fn costs_are_held_against_the_smallest_tree_and_the_fewest_threads() {
        // 100 and 125 ns on one thread, 62.5 and 50 ns on two: 1.6 and 2.5 times as fast.
        let rows = [
            measured("implicit", 1_000, 1, 1e7),
            measured("implicit", 1_000, 2, 1.6e7),
            measured("implicit", 9_000, 1, 8e6),
            measured("implicit", 9_000, 2, 2e7),
            measured("analytic", 9_000, 1, 1e6),
        ];
        let found: Vec<_> = scaled(&rows)
            .iter()
            .map(|s| [s.ns_per_body, s.over_smallest, s.speed_up].map(|x| (x * 1000.0).round() / 1000.0))
            .collect();
        let wanted = [[100.0, 1.0, 1.0], [62.5, 1.0, 1.6], [125.0, 1.25, 1.0], [50.0, 0.8, 2.5], [1000.0, 1.0, 1.0]];
        assert_eq!(found, wanted);
    }
}
