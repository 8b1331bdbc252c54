//! The sum of the parts of actions and children of a body before it is swept up: one row of numbers for
//! each body, moved eight numbers at a time (`wide/exchange.rs`).

use super::composite::Composite;
use super::drag_share::DragShare;
use crate::math::{Mat3, Real, Sym3, Vec3};

/// A composite in 43 numbers, and the largest drag share of a path to a tip. Only the first
/// [`WITHOUT_FORCES`] groups of eight are used where nothing but weight acts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct CompositeAccumulator<T>(pub [[T; 8]; 6]);

/// Groups of eight that are not zero without external forces.
pub(crate) const WITHOUT_FORCES: usize = 2;
/// The group of eight that holds the drag share, in the places 3 and 4: the last.
pub(crate) const DRAG_SHARE: usize = 5;

impl<T: Real> CompositeAccumulator<T> {
    pub fn of(composite: &Composite<T>, outward: DragShare<T>) -> Self {
        let Composite { mass, moment: h, inertia: i, force: f, torque: t, lever: l, .. } = *composite;
        let (d, Mat3 { rows: [p, q, r] }, s) = (composite.drag, composite.drag_moment, composite.drag_inertia);
        let o = T::zero();
        Self([
            [mass, h.x, h.y, h.z, i.xx, i.yy, i.zz, i.xy],
            [i.xz, i.yz, f.x, f.y, f.z, t.x, t.y, t.z],
            [l.xx, l.yy, l.zz, l.xy, l.xz, l.yz, d.xx, d.yy],
            [d.zz, d.xy, d.xz, d.yz, p.x, p.y, p.z, q.x],
            [q.y, q.z, r.x, r.y, r.z, s.xx, s.yy, s.zz],
            [s.xy, s.xz, s.yz, outward.sum, outward.squares, o, o, o],
        ])
    }

    pub fn read(&self) -> (Composite<T>, DragShare<T>) {
        let [a, b, c, d, e, f] = self.0;
        let composite = Composite {
            mass: a[0],
            moment: Vec3::new(a[1], a[2], a[3]),
            inertia: Sym3 { xx: a[4], yy: a[5], zz: a[6], xy: a[7], xz: b[0], yz: b[1] },
            force: Vec3::new(b[2], b[3], b[4]),
            torque: Vec3::new(b[5], b[6], b[7]),
            lever: Sym3 { xx: c[0], yy: c[1], zz: c[2], xy: c[3], xz: c[4], yz: c[5] },
            drag: Sym3 { xx: c[6], yy: c[7], zz: d[0], xy: d[1], xz: d[2], yz: d[3] },
            drag_moment: Mat3::from_rows(
                Vec3::new(d[4], d[5], d[6]),
                Vec3::new(d[7], e[0], e[1]),
                Vec3::new(e[2], e[3], e[4]),
            ),
            drag_inertia: Sym3 { xx: e[5], yy: e[6], zz: e[7], xy: f[0], xz: f[1], yz: f[2] },
        };
        (composite, DragShare { sum: f[3], squares: f[4] })
    }

    /// Changes the composite.
    pub fn edit(&mut self, change: impl FnOnce(&mut Composite<T>)) {
        let (mut composite, outward) = self.read();
        change(&mut composite);
        *self = Self::of(&composite, outward);
    }

    /// Adds a child, about this joint.
    pub fn add(&mut self, child: &Self) {
        let drag_share = self.read().1.or(child.read().1);
        for (own, more) in self.0.iter_mut().flatten().zip(child.0.iter().flatten()) {
            *own += *more;
        }
        (self.0[DRAG_SHARE][3], self.0[DRAG_SHARE][4]) = (drag_share.sum, drag_share.squares);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_read_again() {
        let is_free = |q: usize, k: usize| q == DRAG_SHARE && k > 4;
        let number = |q: usize, k: usize| if is_free(q, k) { 0.0 } else { (q * 8 + k + 1) as f64 };
        let numbers = std::array::from_fn(|q| std::array::from_fn(|k| number(q, k)));
        let mut composites = CompositeAccumulator(numbers);
        composites.edit(|_| {});
        assert_eq!(composites.0, numbers);
        let mut child = CompositeAccumulator(numbers);
        (child.0[DRAG_SHARE][3], child.0[DRAG_SHARE][4]) = (50.0, 1.0);
        composites.add(&child);
        // The sum of both, but the larger drag share of two paths.
        assert_eq!((composites.0[0][0], composites.0[DRAG_SHARE][0]), (2.0, 82.0));
        assert_eq!(composites.read().1, DragShare { sum: 50.0, squares: 1.0 });
    }
}
