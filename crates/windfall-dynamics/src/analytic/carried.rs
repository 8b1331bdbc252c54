//! What actions and children give to a body before it is swept up: one row of numbers for each body, so that it is moved four numbers at a time
//! (`wide/exchange.rs`).

use super::composite::Composite;
use super::crowd::Crowd;
use crate::math::{Mat3, Real, Sym3, Vec3};

/// A composite in 43 numbers, and how crowded the most crowded path to a tip is. Only the first [`WITHOUT_FORCES`] fours are there where nothing but weight acts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Carried<T>(pub [[T; 4]; 12]);

/// Fours that are not zero without external forces.
pub(crate) const WITHOUT_FORCES: usize = 3;
/// The four that holds the crowd, in the places 1 and 2.
pub(crate) const CROWD: usize = 11;

impl<T: Real> Carried<T> {
    pub fn of(composite: &Composite<T>, outward: Crowd<T>) -> Self {
        let Composite { mass, moment: h, inertia: i, force: f, torque: t, lever: l, .. } = *composite;
        let (d, Mat3 { rows: [p, q, r] }, s) = (composite.drag, composite.drag_moment, composite.drag_inertia);
        let o = T::zero();
        Self([
            [mass, h.x, h.y, h.z],
            [i.xx, i.yy, i.zz, i.xy],
            [i.xz, i.yz, o, o],
            [f.x, f.y, f.z, t.x],
            [t.y, t.z, l.xx, l.yy],
            [l.zz, l.xy, l.xz, l.yz],
            [d.xx, d.yy, d.zz, d.xy],
            [d.xz, d.yz, p.x, p.y],
            [p.z, q.x, q.y, q.z],
            [r.x, r.y, r.z, s.xx],
            [s.yy, s.zz, s.xy, s.xz],
            [s.yz, outward.sum, outward.squares, o],
        ])
    }

    pub fn read(&self) -> (Composite<T>, Crowd<T>) {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.0;
        let composite = Composite {
            mass: a[0],
            moment: Vec3::new(a[1], a[2], a[3]),
            inertia: Sym3 { xx: b[0], yy: b[1], zz: b[2], xy: b[3], xz: c[0], yz: c[1] },
            force: Vec3::new(d[0], d[1], d[2]),
            torque: Vec3::new(d[3], e[0], e[1]),
            lever: Sym3 { xx: e[2], yy: e[3], zz: f[0], xy: f[1], xz: f[2], yz: f[3] },
            drag: Sym3 { xx: g[0], yy: g[1], zz: g[2], xy: g[3], xz: h[0], yz: h[1] },
            drag_moment: Mat3::from_rows(
                Vec3::new(h[2], h[3], i[0]),
                Vec3::new(i[1], i[2], i[3]),
                Vec3::new(j[0], j[1], j[2]),
            ),
            drag_inertia: Sym3 { xx: j[3], yy: k[0], zz: k[1], xy: k[2], xz: k[3], yz: l[0] },
        };
        (composite, Crowd { sum: l[1], squares: l[2] })
    }

    /// Changes what is known of the composite.
    pub fn edit(&mut self, change: impl FnOnce(&mut Composite<T>)) {
        let (mut composite, outward) = self.read();
        change(&mut composite);
        *self = Self::of(&composite, outward);
    }

    /// Adds a child, about this joint.
    pub fn add(&mut self, child: &Self) {
        let crowd = self.read().1.or(child.read().1);
        for (own, more) in self.0.iter_mut().flatten().zip(child.0.iter().flatten()) {
            *own += *more;
        }
        (self.0[CROWD][1], self.0[CROWD][2]) = (crowd.sum, crowd.squares);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_read_again() {
        let is_free = |q: usize, k: usize| (q == 2 && k > 1) || (q == CROWD && k == 3);
        let number = |q: usize, k: usize| if is_free(q, k) { 0.0 } else { (q * 4 + k + 1) as f64 };
        let numbers = std::array::from_fn(|q| std::array::from_fn(|k| number(q, k)));
        let mut carried = Carried(numbers);
        carried.edit(|_| {});
        assert_eq!(carried.0, numbers);
        let mut child = Carried(numbers);
        (child.0[CROWD][1], child.0[CROWD][2]) = (50.0, 1.0);
        carried.add(&child);
        // Twice everything, but the more crowded of two paths.
        assert_eq!((carried.0[0][0], carried.0[CROWD][0]), (2.0, 90.0));
        assert_eq!(carried.read().1, Crowd { sum: 50.0, squares: 1.0 });
    }
}
