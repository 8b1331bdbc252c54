//! Eigenvectors of a symmetric positive semidefinite matrix by Jacobi's rotations.

use crate::math::{Mat3, Real, Sym3, Vec3};

/// Sweeps over the three off-diagonal entries; each squares the error, four reach the precision of f64.
const SWEEPS: usize = 6;

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
    for _ in 0..SWEEPS {
        let mut turned = false;
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            turned |= rotate(&mut a, &mut q, i, j);
        }
        if !turned {
            break;
        }
    }
    let values = Vec3::new(a[0][0].max(o), a[1][1].max(o), a[2][2].max(o)) * scale;
    let row = |i: usize| Vec3::new(q[i][0], q[i][1], q[i][2]);
    (values, Mat3::from_rows(row(0), row(1), row(2)))
}

/// Turns the plane (i, j) so that the entry there vanishes. Relative threshold: an entry that is small beside both diagonal
/// ones is left, which also guards the pair of equal values (0/0).
fn rotate<T: Real>(a: &mut [[T; 3]; 3], q: &mut [[T; 3]; 3], i: usize, j: usize) -> bool {
    let off = a[i][j];
    if off.abs() <= T::epsilon() * (a[i][i].abs() * a[j][j].abs()).sqrt() || off == T::zero() {
        a[i][j] = T::zero();
        a[j][i] = T::zero();
        return false;
    }
    let ratio = (a[j][j] - a[i][i]) / (off + off);
    // tan of the angle: the smaller root of t^2 + 2 ratio t - 1 = 0
    let t = if ratio.is_infinite() {
        T::zero()
    } else {
        let root = ratio.abs() + (ratio * ratio + T::one()).sqrt();
        if ratio < T::zero() { -root.recip() } else { root.recip() }
    };
    let c = (t * t + T::one()).sqrt().recip();
    let s = t * c;
    a[i][i] -= t * off;
    a[j][j] += t * off;
    a[i][j] = T::zero();
    a[j][i] = T::zero();
    let k = 3 - i - j;
    let (x, y) = (a[k][i], a[k][j]);
    a[k][i] = c * x - s * y;
    a[i][k] = a[k][i];
    a[k][j] = s * x + c * y;
    a[j][k] = a[k][j];
    for row in q {
        let (x, y) = (row[i], row[j]);
        row[i] = c * x - s * y;
        row[j] = s * x + c * y;
    }
    true
}
