//! Eight composite bodies: see `block/composite.rs` and, for the order of the numbers,
//! `block/composite_accumulator.rs`.

use fearless_simd::Simd;

use super::drag_share::DragShares;
use crate::block::composite_accumulator::{CompositeAccumulator, DRAG_SHARE, WITHOUT_FORCES};
use crate::block::composite_work::Pushed;
use crate::block::exchange::RowLoad;
use crate::block::rows::Row;
use crate::wide::exchange::{Octets, add_rows, add_to, gathered, laid, scattered};
use crate::wide::math::{F, LANES, M, Mask, Sym, V, Wide, all, number};

/// The part that is always there, without external forces.
#[derive(Clone, Copy)]
pub struct Heavy<S: Wide> {
    pub mass: F<S>,
    pub moment: V<S>,
    pub inertia: Sym<S>,
}

/// The part of external forces other than weight.
#[derive(Clone, Copy)]
pub struct Forces<S: Wide> {
    pub force: V<S>,
    pub torque: V<S>,
    pub lever: Sym<S>,
    pub drag: Sym<S>,
    pub drag_moment: M<S>,
    pub drag_inertia: Sym<S>,
    pub outward: DragShares<S>,
}

/// Eight numbers of each.
#[inline(always)]
fn octet<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: &[&CompositeAccumulator<f32>; LANES], k: usize) -> [F<S>; 8] {
    gathered(simd, [&a.0[k], &b.0[k], &c.0[k], &d.0[k], &e.0[k], &f.0[k], &g.0[k], &h.0[k]])
}

/// In the order of the numbers of a [`CompositeAccumulator`]; without external forces only the first
/// [`WITHOUT_FORCES`].
#[derive(Clone, Copy)]
pub struct Numbers<S: Wide> {
    light: [[F<S>; 8]; WITHOUT_FORCES],
    forced: Option<[[F<S>; 8]; FORCED]>,
}

/// Groups of eight that only external forces fill.
const FORCED: usize = DRAG_SHARE + 1 - WITHOUT_FORCES;

impl<S: Wide> Numbers<S> {
    #[inline(always)]
    pub fn of(heavy: &Heavy<S>, forces: &Forces<S>, is_forced: bool) -> Self {
        let (h, i, o) = (heavy.moment, heavy.inertia, all(heavy.mass.simd, 0.0));
        let (f, t) = if is_forced { (forces.force, forces.torque) } else { (V::splat(o), V::splat(o)) };
        let light = [[heavy.mass, h.x, h.y, h.z, i.xx, i.yy, i.zz, i.xy], [i.xz, i.yz, f.x, f.y, f.z, t.x, t.y, t.z]];
        if !is_forced {
            return Self { light, forced: None };
        }
        let Forces { lever: l, drag: d, drag_moment: M { rows: [p, q, r] }, drag_inertia: s, outward, .. } = *forces;
        let forced = [
            [l.xx, l.yy, l.zz, l.xy, l.xz, l.yz, d.xx, d.yy],
            [d.zz, d.xy, d.xz, d.yz, p.x, p.y, p.z, q.x],
            [q.y, q.z, r.x, r.y, r.z, s.xx, s.yy, s.zz],
            [s.xy, s.xz, s.yz, outward.sum, outward.squares, o, o, o],
        ];
        Self { light, forced: Some(forced) }
    }

    /// Adds them to the load of a row of wood, as [`Handed::give`].
    #[inline(always)]
    pub fn add_to(self, row_load: &mut RowLoad<f32>) {
        let [first, second, rows_a, rows_b, rows_c, rows_d] = row_load;
        add_rows(first, &self.light[0]);
        add_rows(second, &self.light[1]);
        if let Some([a, b, c, d]) = self.forced {
            add_rows(rows_a, &a);
            add_rows(rows_b, &b);
            add_rows(rows_c, &c);
            add_rows(&mut rows_d[..3], &d[..3]);
            let machine = d[3].simd.machine();
            let mut most = DragShares { sum: number(machine, &rows_d[3]), squares: number(machine, &rows_d[4]) };
            for row in 0..S::ROWS {
                most = most.or(DragShares { sum: d[3].part(row), squares: d[4].part(row) });
            }
            (rows_d[3].0, rows_d[4].0) = (most.sum.into(), most.squares.into());
        }
    }
}

impl<S: Simd> Numbers<S> {
    /// Of eight bodies.
    #[inline(always)]
    pub fn composites(simd: S, composites: &[&CompositeAccumulator<f32>; LANES], is_forced: bool) -> Self {
        let light = [octet(simd, composites, 0), octet(simd, composites, 1)];
        if !is_forced {
            return Self { light, forced: None };
        }
        let forced = [
            octet(simd, composites, 2),
            octet(simd, composites, 3),
            octet(simd, composites, 4),
            octet(simd, composites, DRAG_SHARE),
        ];
        Self { light, forced: Some(forced) }
    }

    /// Of the load of a row of wood.
    #[inline(always)]
    pub fn borne(simd: S, row_load: &RowLoad<f32>, is_forced: bool) -> Self {
        let light = [laid(simd, &row_load[0]), laid(simd, &row_load[1])];
        if !is_forced {
            return Self { light, forced: None };
        }
        let forced = [
            laid(simd, &row_load[2]),
            laid(simd, &row_load[3]),
            laid(simd, &row_load[4]),
            laid(simd, &row_load[DRAG_SHARE]),
        ];
        Self { light, forced: Some(forced) }
    }

    #[inline(always)]
    pub fn read(self, simd: S) -> (Heavy<S>, Forces<S>) {
        let [[mass, x, y, z, xx, yy, zz, xy], [xz, yz, fx, fy, fz, tx, ty, tz]] = self.light;
        let heavy = Heavy { mass, moment: V::new(x, y, z), inertia: Sym { xx, yy, zz, xy, xz, yz } };
        let Some([a, b, c, d]) = self.forced else { return (heavy, Forces::zero(simd)) };
        let [xx, yy, zz, xy, xz, yz, dxx, dyy] = a;
        let lever = Sym { xx, yy, zz, xy, xz, yz };
        let [dzz, xy, xz, yz, ax, ay, az, bx] = b;
        let drag = Sym { xx: dxx, yy: dyy, zz: dzz, xy, xz, yz };
        let [by, bz, cx, cy, cz, xx, yy, zz] = c;
        let [xy, xz, yz, sum, squares, ..] = d;
        let forces = Forces {
            force: V::new(fx, fy, fz),
            torque: V::new(tx, ty, tz),
            lever,
            drag,
            drag_moment: M::new(V::new(ax, ay, az), V::new(bx, by, bz), V::new(cx, cy, cz)),
            drag_inertia: Sym { xx, yy, zz, xy, xz, yz },
            outward: DragShares { sum, squares },
        };
        (heavy, forces)
    }
}

/// The numbers of each of eight bodies.
pub struct Handed<S: Simd> {
    light: [Octets<S>; WITHOUT_FORCES],
    forced: Option<[Octets<S>; FORCED]>,
}

impl<S: Simd> Handed<S> {
    #[inline(always)]
    pub fn of(numbers: Numbers<S>) -> Self {
        let [a, b] = numbers.light;
        let light = [scattered(a), scattered(b)];
        let Some([a, b, c, d]) = numbers.forced else { return Self { light, forced: None } };
        Self { light, forced: Some([scattered(a), scattered(b), scattered(c), scattered(d)]) }
    }

    /// Adds the part of a child to the composite of its parent.
    #[inline(always)]
    pub fn give(&self, simd: S, composites: &mut CompositeAccumulator<f32>, l: usize) {
        for k in 0..WITHOUT_FORCES {
            add_to(simd, &mut composites.0[k], self.light[k][l]);
        }
        if let Some(forced) = &self.forced {
            for k in WITHOUT_FORCES..DRAG_SHARE {
                add_to(simd, &mut composites.0[k], forced[k - WITHOUT_FORCES][l]);
            }
            let said: [f32; 8] = forced[DRAG_SHARE - WITHOUT_FORCES][l].into();
            let own = &mut composites.0[DRAG_SHARE];
            (own[0], own[1], own[2]) = (own[0] + said[0], own[1] + said[1], own[2] + said[2]);
            // The larger drag share of two paths: a branch here would be unpredictable.
            let is_more = said[3] > own[3];
            own[4] = if is_more { said[4] } else { own[4] };
            own[3] = if is_more { said[3] } else { own[3] };
        }
    }
}

impl<S: Wide> Heavy<S> {
    #[inline(always)]
    pub fn zero(simd: S) -> Self {
        let o = all(simd, 0.0);
        Self { mass: o, moment: V::splat(o), inertia: Sym::identity(o) }
    }

    #[inline(always)]
    pub fn add_other(&mut self, o: Self) {
        self.mass += o.mass;
        self.moment += o.moment;
        self.inertia = self.inertia + o.inertia;
    }

    /// The lanes of a mask.
    #[inline(always)]
    pub fn only(self, mask: Mask<S>) -> Self {
        let none = Self::zero(self.mass.simd);
        Self {
            mass: mask.select(self.mass, none.mass),
            moment: V::select(mask, self.moment, none.moment),
            inertia: Sym::select(mask, self.inertia, none.inertia),
        }
    }

    /// About a joint at `-r`: with g = h + m r / 2 the inertia grows by `2 (r.g) 1 - r gᵀ - g rᵀ`.
    #[inline(always)]
    pub fn moved(self, r: V<S>) -> Self {
        let moment = r.times_plus(self.mass, self.moment);
        let twice = Sym::mixed(r, moment + self.moment);
        let i = self.inertia;
        let inertia = Sym {
            xx: i.xx + (twice.yy + twice.zz),
            yy: i.yy + (twice.xx + twice.zz),
            zz: i.zz + (twice.xx + twice.yy),
            xy: i.xy - twice.xy,
            xz: i.xz - twice.xz,
            yz: i.yz - twice.yz,
        };
        Self { mass: self.mass, moment, inertia }
    }
}

impl<S: Wide> Forces<S> {
    #[inline(always)]
    pub fn zero(simd: S) -> Self {
        let o = all(simd, 0.0);
        let (v, s) = (V::splat(o), Sym::identity(o));
        Self {
            force: v,
            torque: v,
            lever: s,
            drag: s,
            drag_moment: M::new(v, v, v),
            drag_inertia: s,
            outward: DragShares::no_drag(simd),
        }
    }

    /// As [`Handed::give`].
    #[inline(always)]
    pub fn add_other(&mut self, o: Self) {
        self.force += o.force;
        self.torque += o.torque;
        self.lever = self.lever + o.lever;
        self.drag = self.drag + o.drag;
        self.drag_moment = self.drag_moment + o.drag_moment;
        self.drag_inertia = self.drag_inertia + o.drag_inertia;
        self.outward = self.outward.or(o.outward);
    }

    /// The lanes of a mask.
    #[inline(always)]
    pub fn only(self, mask: Mask<S>) -> Self {
        let none = Self::zero(self.force.x.simd);
        let (own, other) = (self.outward, none.outward);
        Self {
            force: V::select(mask, self.force, none.force),
            torque: V::select(mask, self.torque, none.torque),
            lever: Sym::select(mask, self.lever, none.lever),
            drag: Sym::select(mask, self.drag, none.drag),
            drag_moment: M::select(mask, self.drag_moment, none.drag_moment),
            drag_inertia: Sym::select(mask, self.drag_inertia, none.drag_inertia),
            outward: DragShares {
                sum: mask.select(own.sum, other.sum),
                squares: mask.select(own.squares, other.squares),
            },
        }
    }

    /// A force at `p` with its drag derivative.
    #[inline(always)]
    pub fn at(p: V<S>, force: V<S>, drag: Sym<S>) -> Self {
        let moved = drag.full().crossed_by(p);
        Self {
            force,
            torque: p.cross(force),
            lever: Sym::mixed(p, force),
            drag,
            drag_moment: moved,
            drag_inertia: moved.times_cross_symmetric(-p),
            outward: DragShares::no_drag(p.x.simd),
        }
    }

    /// About a joint at `-r`.
    #[inline(always)]
    pub fn moved(self, r: V<S>) -> Self {
        let moved = self.drag.full().crossed_by(r);
        let coupled = (self.drag_moment + self.drag_moment + moved).times_cross(r);
        Self {
            torque: self.torque + r.cross(self.force),
            lever: self.lever + Sym::mixed(r, self.force),
            drag_moment: self.drag_moment + moved,
            drag_inertia: self.drag_inertia - coupled.symmetric_part(),
            ..self
        }
    }
}

impl<S: Simd> Forces<S> {
    /// Keeps the values that the sweep down needs; `drag_inertia` in the axes of the children.
    #[inline(always)]
    pub fn put(&self, drag_inertia: Sym<S>, inward: DragShares<S>, pushed: &mut Pushed<Row<f32>>) {
        self.force.put(&mut pushed.force);
        self.drag.put(&mut pushed.drag);
        self.drag_moment.put(&mut pushed.drag_moment);
        drag_inertia.put(&mut pushed.drag_inertia);
        (pushed.inward.sum.0, pushed.inward.squares.0) = (inward.sum.into(), inward.squares.into());
        (pushed.outward.sum.0, pushed.outward.squares.0) = (self.outward.sum.into(), self.outward.squares.into());
    }
}
