//! Eigenvectors of a symmetric positive semidefinite 3x3 matrix of any scale.

use windfall_core::eigen::diagonalise;

use crate::math::{Mat3, Real, Sym3, Vec3};

/// `S = Q diag(mu) Q^T`: the values, and Q with the vectors as columns.
pub fn eigen<T: Real>(s: Sym3<T>) -> (Vec3<T>, Mat3<T>) {
    let scale = s.trace();
    if !(scale > T::zero() && scale.is_finite()) {
        return (Vec3::zero(), Mat3::identity());
    }
    // Entries may be 1e-30: their squares would underflow.
    let s = s * scale.recip();
    let mut a = [[s.xx, s.xy, s.xz], [s.xy, s.yy, s.yz], [s.xz, s.yz, s.zz]];
    let o = T::zero();
    let mut q = [[T::one(), o, o], [o, T::one(), o], [o, o, T::one()]];
    diagonalise(&mut a, &mut q);
    let values = Vec3::new(a[0][0].max(o), a[1][1].max(o), a[2][2].max(o)) * scale;
    let row = |i: usize| Vec3::new(q[i][0], q[i][1], q[i][2]);
    (values, Mat3::from_rows(row(0), row(1), row(2)))
}
