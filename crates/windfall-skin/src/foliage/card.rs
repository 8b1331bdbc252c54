//! The shape of one card in the frame of its leaf: x along the width, y along the length, z towards the
//! upper side.

use glam::{Vec2, Vec3};
use windfall_core::{Leaf, LeafKind};

use crate::look::LeafLook;
use crate::look::noise::random;

/// Numbers of vertices and triangles of the cards of a kind and detail level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// Number of cards that cross along the y axis.
    pub(super) planes: usize,
    /// Number of vertices of the petiole: 4 (a strip), 3 (a triangle) or none.
    pub(super) petiole: usize,
}

impl Grid {
    pub(super) fn new(kind: LeafKind, level: u8, petiole: bool) -> Self {
        let petiole = match (kind, level) {
            (LeafKind::Petal, _) => 0,
            (_, 0) if petiole => 4,
            (_, 1) if petiole => 3,
            _ => 0,
        };
        match (kind, level) {
            (LeafKind::Needles, 0) => Self { columns: 2, rows: 2, planes: 3, petiole },
            (LeafKind::Needles, _) => Self { columns: 2, rows: 2, planes: 2, petiole },
            (_, 0) => Self { columns: 3, rows: 5, planes: 1, petiole },
            (_, 1) => Self { columns: 3, rows: 3, planes: 1, petiole },
            _ => Self { columns: 2, rows: 2, planes: 1, petiole },
        }
    }

    pub(super) fn vertices(self) -> usize {
        self.columns * self.rows * self.planes + self.petiole
    }

    pub(super) fn triangles(self) -> usize {
        2 * (self.columns - 1) * (self.rows - 1) * self.planes + self.petiole.saturating_sub(2)
    }

    /// Writes the triangles of a card whose first vertex is `first`: counter-clockwise from above.
    pub(super) fn write_triangles(self, first: u32, triangles: &mut [[u32; 3]]) {
        let mut out = triangles.iter_mut();
        let mut put = |triangle: [u32; 3]| {
            if let Some(slot) = out.next() {
                *slot = triangle.map(|i| first + i);
            }
        };
        let (columns, rows) = (self.columns as u32, self.rows as u32);
        for plane in 0..self.planes as u32 {
            for row in 0..rows - 1 {
                for column in 0..columns - 1 {
                    let a = (plane * rows + row) * columns + column;
                    let (b, c, d) = (a + 1, a + columns, a + columns + 1);
                    put([a, b, d]);
                    put([a, d, c]);
                }
            }
        }
        let petiole = (self.columns * self.rows * self.planes) as u32;
        if self.petiole >= 3 {
            put([petiole, petiole + 1, petiole + 2]);
        }
        if self.petiole == 4 {
            put([petiole, petiole + 2, petiole + 3]);
        }
    }
}

/// One vertex of a card.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    pub(super) position: Vec3,
    pub(super) normal: Vec3,
    pub(super) uv: Vec2,
}

/// Random bends of one leaf, from its body's number. Angles in radians.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bend {
    width: f32,
    length: f32,
    /// Start of the blade, m.
    base: f32,
    fold: f32,
    curl: f32,
    twist: f32,
    variant: f32,
    variants: f32,
    mirror: f32,
}

impl Bend {
    /// `width` is that of the real blade, m; it and the length are multiplied by `growth`.
    pub(super) fn new(look: &LeafLook, leaf: &Leaf, width: f32, growth: f32, body: u32, seed: u32) -> Self {
        let (variants, kind) = (look.variants, look.kind);
        // Needles have gaps: the look gives the width of the brush, not that of the solid blade that the
        // wind acts on.
        let (width, growth) =
            look.needles.as_ref().map_or((width, growth), |n| (n.aspect * leaf.length, n.reach * growth));
        let look = &look.card;
        // The claws of petals are part of the blade's texture: petals meet in the middle of their
        // flower.
        let claw = if kind == LeafKind::Petal { leaf.petiole_length } else { 0.0 };
        let chance = |channel| random(body, channel, seed);
        let vary = |value: f32, most: f32, channel| {
            (value * (1.0 + look.vary * (chance(channel) - 0.5))).clamp(-most, most).to_radians()
        };
        Self {
            width: width * growth,
            length: leaf.length * growth + claw,
            base: leaf.petiole_length - claw,
            fold: vary(look.fold, 30.0, 1),
            curl: vary(look.curl, 80.0, 2),
            twist: (look.twist * (2.0 * chance(3) - 1.0)).to_radians(),
            // The petals of a flower have one colour.
            variant: (random(if kind == LeafKind::Petal { leaf.parent } else { body }, 4, seed) * variants as f32)
                .floor()
                .min(variants as f32 - 1.0),
            variants: variants as f32,
            mirror: if chance(5) < 0.5 { -1.0 } else { 1.0 },
        }
    }

    fn uv(&self, side: f32, along: f32) -> Vec2 {
        Vec2::new((self.variant + 0.5 + 0.5 * side * self.mirror) / self.variants, 1.0 - along)
    }

    /// Calls `put` for every vertex, in the order that [`Grid::write_triangles`] expects.
    pub(super) fn write(&self, grid: Grid, leaf: &Leaf, mut put: impl FnMut(Vertex)) {
        if grid.planes > 1 {
            self.write_planes(grid, &mut put);
        } else {
            self.write_blade(grid, &mut put);
        }
        self.write_petiole(grid, leaf, &mut put);
    }

    /// A blade that rises at its base and bends down towards its tip, folded along the midrib.
    fn write_blade(&self, grid: Grid, put: &mut impl FnMut(Vertex)) {
        let steps = (grid.rows - 1) as f32;
        let heading = |t: f32| self.curl * (0.4 - t);
        let (fold_sin, fold_cos) = if grid.columns > 2 { libm::sincosf(self.fold) } else { (0.0, 1.0) };
        let mut midrib = Vec3::new(0.0, self.base, 0.0);
        for row in 0..grid.rows {
            let t = row as f32 / steps;
            if row > 0 {
                // The chord of an arc has the direction of the arc's middle.
                let (sin, cos) = libm::sincosf(heading(t - 0.5 / steps));
                midrib += Vec3::new(0.0, cos, sin) * (self.length / steps);
            }
            let (sin, cos) = libm::sincosf(heading(t));
            let up = Vec3::new(0.0, -sin, cos);
            let (twist_sin, twist_cos) = libm::sincosf(self.twist * t);
            let across = Vec3::X * twist_cos + up * twist_sin;
            let normal = up * twist_cos - Vec3::X * twist_sin;
            for column in 0..grid.columns {
                let side = 2.0 * column as f32 / (grid.columns - 1) as f32 - 1.0;
                let lift = if side == 0.0 { 0.0 } else { fold_sin };
                put(Vertex {
                    position: midrib + (across * (side * fold_cos) + normal * lift) * (0.5 * self.width),
                    normal: normal * fold_cos.max(1.0 - side.abs()) - across * (side * fold_sin),
                    uv: self.uv(side, t),
                });
            }
        }
    }

    /// Cards that cross along the shoot; their normals lean outward, as on a brush. They also open like
    /// a flower, so that a brush seen from its end does not degenerate to a star of lines.
    fn write_planes(&self, grid: Grid, put: &mut impl FnMut(Vertex)) {
        const LEAN: f32 = 0.6;
        const OPEN: f32 = 0.28;
        let (open_sin, open_cos) = libm::sincosf(OPEN);
        let scale = 1.0 / (1.0 + LEAN * LEAN).sqrt();
        for plane in 0..grid.planes {
            // Three planes open to three sides; two, which cross at a right angle, to one each.
            let step = if grid.planes == 2 { 0.25 } else { 1.0 / grid.planes as f32 };
            let (sin, cos) = libm::sincosf(self.twist + std::f32::consts::TAU * step * plane as f32);
            let (across, flat) = (Vec3::new(cos, 0.0, -sin), Vec3::new(sin, 0.0, cos));
            let (along, normal) = (Vec3::Y * open_cos - flat * open_sin, flat * open_cos + Vec3::Y * open_sin);
            for row in 0..grid.rows {
                let t = row as f32 / (grid.rows - 1) as f32;
                for side in [-1.0, 1.0] {
                    put(Vertex {
                        position: Vec3::Y * self.base + along * (t * self.length) + across * (0.5 * side * self.width),
                        normal: (normal + across * (side * LEAN)) * scale,
                        uv: self.uv(side, t),
                    });
                }
            }
        }
    }

    fn write_petiole(&self, grid: Grid, leaf: &Leaf, put: &mut impl FnMut(Vertex)) {
        let (radius, end) = (leaf.petiole_radius, leaf.petiole_length);
        let corners: &[(f32, f32)] = match grid.petiole {
            4 => &[(-radius, 0.0), (radius, 0.0), (0.7 * radius, end), (-0.7 * radius, end)],
            3 => &[(-radius, 0.0), (radius, 0.0), (0.0, end)],
            _ => &[],
        };
        for &(x, y) in corners {
            // The whole petiole has the colour of the midrib's base.
            put(Vertex { position: Vec3::new(x, y, 0.0), normal: Vec3::Z, uv: self.uv(0.0, 0.03) });
        }
    }
}
