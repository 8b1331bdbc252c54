//! Eigenvalues of a small symmetric matrix.

/// Sweeps over the whole matrix; convergence is quadratic, a dozen are many.
const MOST_SWEEPS: usize = 50;

/// All eigenvalues, largest first, and the vectors that belong to them, of a symmetric matrix given by its rows. Jacobi's method (1846) as
/// Golub and Van Loan, Matrix Computations, 8.5.2, write it: accurate for small eigenvalues beside large ones, too.
pub(super) fn eigen(mut a: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    let n = a.len();
    // Row i holds what becomes the i-th vector.
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let turn = |x: &mut f64, y: &mut f64, (c, s): (f64, f64)| (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    for _ in 0..MOST_SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() <= f64::EPSILON * (a[p][p] * a[q][q]).abs().sqrt() {
                    continue;
                }
                turned = true;
                let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = tau.signum() / (tau.abs() + 1.0_f64.hypot(tau));
                let c = 1.0 / 1.0_f64.hypot(t);
                let angle = (c, t * c);
                for row in &mut a {
                    let (left, right) = row.split_at_mut(q);
                    turn(&mut left[p], &mut right[0], angle);
                }
                for rows in [&mut a, &mut vectors] {
                    let (above, below) = rows.split_at_mut(q);
                    above[p].iter_mut().zip(&mut below[0]).for_each(|(x, y)| turn(x, y, angle));
                }
            }
        }
        if !turned {
            break;
        }
    }
    let mut pairs: Vec<_> = vectors.into_iter().enumerate().map(|(i, vector)| (a[i][i], vector)).collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0));
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
}
