//! Placement of the feet of side branches on a tube: each takes a rectangle of cells out of the grid of
//! rings and columns, and no two overlap.

use super::sides::Zone;

/// A foot to place, in the coordinates of the unrolled tube: columns around (0 to `columns`), metres
/// along.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foot {
    /// Index of the child.
    pub child: u32,
    /// Centre: column and length.
    pub column: f32,
    pub s: f32,
    /// Semi-axes of the ellipse: in columns and in metres.
    pub half_columns: f32,
    pub half_height: f32,
}

/// A rectangle of cells without triangles, with the foot inside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hole {
    /// The foot, moved and shrunk to fit.
    pub foot: Foot,
    /// First column and number of columns; the range may cross the seam.
    pub first_column: u32,
    pub columns: u32,
    /// First and last ring, as lengths, m. Both are rings of the zone.
    pub from: f32,
    pub to: f32,
}

/// Rings of one zone (sorted lengths) and the holes among them.
#[derive(Debug)]
pub(super) struct Grid {
    pub zone: Zone,
    pub rings: Vec<f32>,
    pub holes: Vec<Hole>,
    /// For each column the intervals of the holes, sorted; they never overlap.
    taken: Vec<Vec<(f32, f32)>>,
    /// Number of feet without room.
    refused: u32,
}

/// Number of refusals after which a zone counts as crowded, and the search stays near the foot.
const MOST_REFUSALS: u32 = 64;
/// Range of the search along the tube in an uncrowded zone, in steps of a small foot.
const FAR: u32 = 48;
/// Attempts to place a foot: its size, then its offset from the ideal position to the right in columns
/// and up in heights. First smaller in the same position, then lower, because a foot above the start of
/// its branch folds the collar back.
const TRIES: [(f32, f32, f32); 18] = [
    (1.0, 0.0, 0.0),
    (0.75, 0.0, 0.0),
    (0.75, 0.5, 0.0),
    (0.75, -0.5, 0.0),
    (0.5, 0.0, 0.0),
    (0.5, 0.5, 0.0),
    (0.5, -0.5, 0.0),
    (0.5, 0.0, -0.5),
    (0.5, 0.0, 0.3),
    (0.35, 0.0, 0.0),
    (0.35, 0.0, -0.6),
    (0.35, 1.0, 0.0),
    (0.35, -1.0, 0.0),
    (0.5, 0.0, -1.1),
    (0.35, 1.0, -0.6),
    (0.35, -1.0, -0.6),
    (0.5, 0.0, 1.1),
    (0.25, 0.0, 0.0),
];

impl Grid {
    /// `rings` holds at least both ends of the zone, sorted.
    pub fn new(zone: Zone, rings: Vec<f32>) -> Self {
        Self { zone, rings, holes: Vec::new(), taken: vec![Vec::new(); zone.columns as usize], refused: 0 }
    }

    /// Places a foot; `false` if there is no room near.
    pub fn place(&mut self, foot: Foot) -> bool {
        let columns = self.zone.columns;
        // In a crowded neighbourhood: a small foot, on all sides, at increasing distance along the tube.
        let far = if self.refused < MOST_REFUSALS { FAR } else { 0 };
        let far = (1..=far).flat_map(|k| {
            let step = 0.25 * k as f32;
            let size = if k > FAR / 2 { 0.08 } else { 0.2 };
            (0..columns).flat_map(move |c| [(size, c as f32, -step), (size, c as f32, step)])
        });
        for (size, right, up) in TRIES.into_iter().chain(far) {
            let moved = Foot {
                child: foot.child,
                column: (foot.column + right).rem_euclid(columns as f32),
                s: foot.s + up * foot.half_height,
                half_columns: foot.half_columns * size,
                half_height: foot.half_height * size,
            };
            if let Some(hole) = self.rectangle(moved) {
                self.add_ring(hole.from);
                self.add_ring(hole.to);
                for column in hole.column_range(columns) {
                    let taken = &mut self.taken[column];
                    let i = taken.partition_point(|&(from, _)| from < hole.from);
                    taken.insert(i, (hole.from, hole.to));
                }
                self.holes.push(hole);
                return true;
            }
        }
        self.refused += 1;
        false
    }

    /// The rectangle around a foot, if it is free.
    fn rectangle(&self, mut foot: Foot) -> Option<Hole> {
        let Zone { from: low, to: high, columns } = self.zone;
        // Across: one column, or as many as the foot spans, up to half the tube.
        let most = (columns / 2).max(1) as f32;
        let wide = if foot.half_columns <= 0.36 { 1.0 } else { (2.0 * foot.half_columns + 0.7).ceil().min(most) };
        let first = if wide == 1.0 { foot.column.floor() } else { (foot.column - 0.5 * wide).round() };
        // A foot that touches the edge would leave sliver triangles.
        foot.half_columns = foot.half_columns.min(0.5 * wide - if wide > 1.0 { 0.3 } else { 0.14 });
        let edge = foot.half_columns + 0.12;
        foot.column = foot.column.clamp(first + edge, first + wide - edge);
        // Along: a fifth more than the foot, snapped to existing rings.
        let reach = 1.2 * foot.half_height;
        if high - low < 2.0 * reach {
            foot.half_height = (high - low) / 2.4;
        }
        let reach = 1.2 * foot.half_height;
        foot.s = foot.s.clamp(low + reach, (high - reach).max(low + reach));
        let from = self.snapped((foot.s - reach).max(low), 0.3 * reach);
        let to = self.snapped((foot.s + reach).min(high), 0.3 * reach);
        // NaN and rectangles of zero height fail here too.
        if !(to - from > 0.5 * reach && to > from) {
            return None;
        }
        let margin = (0.4 * (to - from)).min(1.1 * foot.half_height);
        foot.s = foot.s.clamp(from + margin, to - margin);
        foot.half_height = foot.half_height.min(0.88 * (foot.s - from)).min(0.88 * (to - foot.s));
        let first_column = (first as i64).rem_euclid(i64::from(columns)) as u32;
        // The foot's column is counted from the unwrapped first column.
        foot.column += first_column as f32 - first;
        let hole = Hole { foot, first_column, columns: wide as u32, from, to };
        let free = |column: usize| {
            let taken = &self.taken[column];
            let next = taken.partition_point(|&(_, to)| to <= hole.from);
            taken.get(next).is_none_or(|&(from, _)| from >= hole.to)
        };
        hole.column_range(columns).all(free).then_some(hole)
    }

    fn snapped(&self, s: f32, within: f32) -> f32 {
        let i = self.rings.partition_point(|&r| r < s);
        let near = [i.checked_sub(1), Some(i)].into_iter().flatten().filter_map(|i| self.rings.get(i));
        let best = near.min_by(|a, b| (*a - s).abs().total_cmp(&(*b - s).abs()));
        best.copied().filter(|r| (r - s).abs() <= within).unwrap_or(s)
    }

    fn add_ring(&mut self, s: f32) {
        let i = self.rings.partition_point(|&r| r < s);
        if self.rings.get(i) != Some(&s) {
            self.rings.insert(i, s);
        }
    }
}

impl Hole {
    /// Its columns, modulo the number of columns.
    fn column_range(&self, columns: u32) -> impl Iterator<Item = usize> + use<> {
        let first = self.first_column;
        (0..self.columns).map(move |c| ((first + c) % columns) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(columns: u32) -> Grid {
        Grid::new(Zone { from: 0.0, to: 1.0, columns }, vec![0.0, 0.5, 1.0])
    }

    fn foot(column: f32, s: f32) -> Foot {
        Foot { child: 0, column, s, half_columns: 0.3, half_height: 0.02 }
    }

    #[test]
    fn feet_never_overlap_and_stay_inside() {
        let mut grid = grid(8);
        let mut placed = 0;
        for i in 0..300 {
            let t = i as f32;
            placed += usize::from(grid.place(foot((t * 2.39) % 8.0, (t * 0.0377) % 1.0)));
        }
        assert!(placed > 100, "only {placed} of 300 feet found room");
        for (i, a) in grid.holes.iter().enumerate() {
            assert!(a.from >= 0.0 && a.to <= 1.0 && a.from < a.to);
            assert!(grid.rings.contains(&a.from) && grid.rings.contains(&a.to));
            let f = a.foot;
            assert!(f.s - f.half_height > a.from && f.s + f.half_height < a.to);
            assert!(f.column - f.half_columns > a.first_column as f32);
            assert!(f.column + f.half_columns < (a.first_column + a.columns) as f32);
            for b in &grid.holes[i + 1..] {
                let shared = a.column_range(8).any(|c| b.column_range(8).any(|d| c == d));
                assert!(!shared || a.to <= b.from || b.to <= a.from);
            }
        }
        assert!(grid.rings.is_sorted());
    }

    #[test]
    fn room_is_kept_across_the_seam() {
        let mut grid = grid(8);
        let wide = Foot { half_columns: 1.4, ..foot(0.0, 0.5) };
        assert!(grid.place(wide));
        assert!(grid.holes[0].first_column > 4, "begins before the seam");
        assert!(grid.taken[7] == grid.taken[0] && !grid.taken[0].is_empty());
    }

    #[test]
    fn a_crowd_at_one_point_ends() {
        let mut grid = grid(3);
        let placed = (0..20_000).filter(|_| grid.place(foot(1.0, 0.5))).count();
        assert!(placed == grid.holes.len() && (10..1000).contains(&placed), "{placed}");
    }
}
