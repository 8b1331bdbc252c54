//! Eigenvectors of eight symmetric positive semidefinite matrices by Jacobi's rotations: see
//! `analytic/eigen.rs`.

use crate::wide::math::{F, Mask, Sym, V, Wide, all};

/// Largest number of sweeps over the three off-diagonal entries. Each squares the error.
const SWEEPS: usize = 6;
/// Off-diagonal entries this small relative to the diagonal ones are left.
const SMALL: f32 = 8.0 * f32::EPSILON;

/// The values, and the vectors.
#[inline(always)]
pub fn eigen<S: Wide>(matrix: Sym<S>) -> (V<S>, [V<S>; 3]) {
    let scale = matrix.trace();
    let simd = scale.simd;
    let (o, one) = (all(simd, 0.0), all(simd, 1.0));
    // Entries may be 1e-30: their squares would underflow.
    let is_good = scale.simd_gt(o) & scale.is_finite();
    let mut a = matrix * is_good.select(one / scale, o);
    let mut columns = [V::new(one, o, o), V::new(o, one, o), V::new(o, o, one)];
    for _ in 0..SWEEPS {
        let small = is_small(a.xx, a.yy, a.xy) & is_small(a.xx, a.zz, a.xz) & is_small(a.yy, a.zz, a.yz);
        if small.all_true() {
            break;
        }
        let [mut x, mut y, mut z] = columns;
        rotate((&mut a.xx, &mut a.yy, &mut a.xy), (&mut a.xz, &mut a.yz), (&mut x, &mut y));
        rotate((&mut a.xx, &mut a.zz, &mut a.xz), (&mut a.xy, &mut a.yz), (&mut x, &mut z));
        rotate((&mut a.yy, &mut a.zz, &mut a.yz), (&mut a.xy, &mut a.xz), (&mut y, &mut z));
        columns = [x, y, z];
    }
    let scale = is_good.select(scale, o);
    (V::new(a.xx.max(o), a.yy.max(o), a.zz.max(o)) * scale, columns)
}

/// Relative to both diagonal entries.
#[inline(always)]
fn is_small<S: Wide>(pp: F<S>, qq: F<S>, pq: F<S>) -> Mask<S> {
    (pq * pq).simd_le((pp * qq).abs() * all(pq.simd, SMALL * SMALL))
}

/// Turns the plane (p, q) so that the entry there vanishes, by the smaller of both angles:
/// `tan = 2 pq / (qq - pp +- root)`, which is defined for equal values, too; a zero entry gives no
/// rotation.
#[inline(always)]
fn rotate<S: Wide>(
    (pp, qq, pq): (&mut F<S>, &mut F<S>, &mut F<S>),
    (rp, rq): (&mut F<S>, &mut F<S>),
    (p, q): (&mut V<S>, &mut V<S>),
) {
    let simd = pp.simd;
    let (o, one) = (all(simd, 0.0), all(simd, 1.0));
    let (off, difference) = (*pq + *pq, *qq - *pp);
    let root = difference.mul_add(difference, off * off).sqrt();
    let below = (difference.abs() + root).max(all(simd, f32::MIN_POSITIVE)).copysign(difference);
    // Where squares underflow the result is only approximate.
    let t = (off / below).min(one).max(-one);
    let c = one / t.mul_add(t, one).sqrt();
    let s = t * c;
    (*pp, *qq) = (*pp - t * *pq, t.mul_add(*pq, *qq));
    *pq = o;
    (*rp, *rq) = (c * *rp - s * *rq, s.mul_add(*rp, c * *rq));
    (*p, *q) = (*p * c - *q * s, p.times_plus(s, *q * c));
}
