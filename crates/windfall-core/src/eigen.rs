//! Eigenvalues of symmetric matrices by Jacobi's rotations (1846): small ones, accurate also for small
//! eigenvalues beside large ones.
//!
//! Golub and Van Loan, Matrix Computations, 8.5.2. One rotation in the plane (i, j) makes the entry there
//! vanish; sweeps over all planes converge quadratically.

use num_traits::{Float, NumAssign};

/// More sweeps than any matrix needs: each squares the error.
const MOST_SWEEPS: usize = 50;

/// Turns a symmetric matrix, given by its rows, into its eigenvalues on the diagonal; `vectors`, the identity
/// or any rotation, is multiplied by the rotations from the right, so that its columns become the
/// eigenvectors.
///
/// # Panics
/// If the rows are shorter than there are rows.
pub fn diagonalise<T: Float + NumAssign, R: AsRef<[T]> + AsMut<[T]>>(matrix: &mut [R], vectors: &mut [R]) {
    for _ in 0..MOST_SWEEPS {
        let mut turned = false;
        for i in 0..matrix.len() {
            for j in i + 1..matrix.len() {
                turned |= rotate(matrix, vectors, i, j);
            }
        }
        if !turned {
            break;
        }
    }
}

/// Relative threshold: an entry that is small beside both diagonal ones is left, which also guards the pair
/// of equal values (0/0).
#[inline]
fn rotate<T: Float + NumAssign, R: AsRef<[T]> + AsMut<[T]>>(a: &mut [R], q: &mut [R], i: usize, j: usize) -> bool {
    let at = |a: &[R], i: usize, j: usize| a[i].as_ref()[j];
    let (ii, jj, off) = (at(a, i, i), at(a, j, j), at(a, i, j));
    let zero = T::zero();
    if off.abs() <= T::epsilon() * (ii.abs() * jj.abs()).sqrt() || off == zero || off.is_nan() {
        (a[i].as_mut()[j], a[j].as_mut()[i]) = (zero, zero);
        return false;
    }
    let ratio = (jj - ii) / (off + off);
    // tan of the angle: the smaller root of t² + 2 ratio t - 1 = 0
    let t = if ratio.is_infinite() {
        zero
    } else {
        let root = ratio.abs() + (ratio * ratio + T::one()).sqrt();
        if ratio < zero { -root.recip() } else { root.recip() }
    };
    let c = (t * t + T::one()).sqrt().recip();
    let s = t * c;
    a[i].as_mut()[i] -= t * off;
    a[j].as_mut()[j] += t * off;
    (a[i].as_mut()[j], a[j].as_mut()[i]) = (zero, zero);
    for k in (0..a.len()).filter(|&k| k != i && k != j) {
        let (x, y) = (at(a, k, i), at(a, k, j));
        let (x, y) = (c * x - s * y, s * x + c * y);
        (a[k].as_mut()[i], a[k].as_mut()[j]) = (x, y);
        (a[i].as_mut()[k], a[j].as_mut()[k]) = (x, y);
    }
    for row in q {
        let row = row.as_mut();
        let (x, y) = (row[i], row[j]);
        (row[i], row[j]) = (c * x - s * y, s * x + c * y);
    }
    true
}

/// All eigenvalues of a symmetric matrix given by its rows, largest first, and the unit vectors that belong
/// to them.
pub fn eigen(mut matrix: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    let n = matrix.len();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    diagonalise(&mut matrix, &mut vectors);
    let pair = |j: usize| (matrix[j][j], vectors.iter().map(|row| row[j]).collect());
    let mut pairs: Vec<_> = (0..n).map(pair).collect();
    pairs.sort_by(|x: &(f64, Vec<f64>), y| y.0.total_cmp(&x.0));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_springs_has_its_known_eigenvalues() {
        // The second difference on n points: 2 - 2 cos(k pi / (n + 1)).
        let n = 40;
        let entry = |i: usize, j: usize| if i == j { 2.0 } else { -f64::from(u8::from(i.abs_diff(j) == 1)) };
        let matrix: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        for (k, (value, vector)) in eigen(matrix.clone()).into_iter().enumerate() {
            let exact = 2.0 - 2.0 * (std::f64::consts::PI * (n - k) as f64 / (n as f64 + 1.0)).cos();
            assert!((value - exact).abs() < 1e-13, "{k}: {value} {exact}");
            let image = |row: &Vec<f64>| row.iter().zip(&vector).map(|(a, x)| a * x).sum::<f64>();
            let error = matrix.iter().zip(&vector).map(|(row, x)| (image(row) - value * x).abs()).fold(0.0, f64::max);
            assert!(error < 1e-13, "{k}: {error:e}");
        }
    }

    #[test]
    fn small_eigenvalues_beside_large_ones_are_right() {
        // D A D with the eigenvalues of a graded matrix: relative accuracy is what Jacobi is for.
        let (a, b, c) = (1.0, 1e-10, 1e-20);
        let matrix = vec![vec![a, 1e-6, 1e-11], vec![1e-6, b, 1e-16], vec![1e-11, 1e-16, c]];
        let values: Vec<f64> = eigen(matrix).into_iter().map(|(value, _)| value).collect();
        // To first order b - 1e-12 / a, and c - 1e-22 / a - ...: the determinant is the product.
        let minor = a * b - 1e-12;
        assert!((values[0] * values[1] / minor - 1.0).abs() < 1e-9, "{values:?}");
        assert!((values[1] / (minor / a) - 1.0).abs() < 1e-9, "{values:?}");
    }

    #[test]
    fn what_is_no_number_ends() {
        let found = eigen(vec![vec![1.0, f64::NAN], vec![f64::NAN, 2.0]]);
        assert_eq!(found.len(), 2);
        assert_eq!(eigen(vec![vec![0.0; 3]; 3])[0].0, 0.0);
        assert!(eigen(Vec::new()).is_empty());
    }
}
