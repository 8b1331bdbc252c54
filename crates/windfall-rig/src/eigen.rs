//! Eigenvalues of symmetric 3 by 3 matrices, by Jacobi's rotations.

use glam::{DMat3, DVec3};

/// Sum of `weight * v v^T`.
pub(crate) fn outer(v: DVec3, weight: f64) -> DMat3 {
    DMat3::from_cols(v * (v.x * weight), v * (v.y * weight), v * (v.z * weight))
}

/// Eigenvalues, largest first, and unit eigenvectors as the columns of a rotation.
pub(crate) fn eigen(matrix: DMat3) -> ([f64; 3], DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut v = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..30 {
        let (p, q) = [(0, 1), (0, 2), (1, 2)]
            .into_iter()
            .max_by(|&(i, j), &(k, l)| f64::total_cmp(&a[i][j].abs(), &a[k][l].abs()))
            .unwrap_or((0, 1));
        let scale = (a[p][p].abs() + a[q][q].abs()).max(f64::MIN_POSITIVE);
        if a[p][q].abs() <= 1e-15 * scale || !a[p][q].is_finite() {
            break;
        }
        let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let s = t * c;
        for row in &mut a {
            (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
        }
        for k in 0..3 {
            (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
            (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| f64::total_cmp(&a[j][j], &a[i][i]));
    let columns = order.map(|i| DVec3::from_array(v[i]).normalize_or(DVec3::X));
    let third = columns[0].cross(columns[1]).normalize_or(columns[2]);
    (order.map(|i| a[i][i]), DMat3::from_cols(columns[0], columns[1], third))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_diagonal_is_found_again() {
        let turn = DMat3::from_quat(glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -1.1, 2.0));
        let values = [5.0, 2.0, 0.25];
        let matrix = (0..3).map(|i| outer(turn.col(i), values[i])).fold(DMat3::ZERO, |sum, m| sum + m);
        let (found, axes) = eigen(matrix);
        for i in 0..3 {
            assert!((found[i] - values[i]).abs() < 1e-12);
            assert!(axes.col(i).dot(turn.col(i)).abs() > 1.0 - 1e-12);
        }
        assert!((axes.determinant() - 1.0).abs() < 1e-12);
        assert_eq!(eigen(DMat3::ZERO).0, [0.0; 3]);
    }
}
