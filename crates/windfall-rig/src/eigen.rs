//! Principal axes: eigenvalues of symmetric 3 by 3 matrices.

use glam::{DMat3, DVec3};
use windfall_core::eigen::diagonalise;

/// Sum of `weight * v v^T`.
pub(crate) fn outer(v: DVec3, weight: f64) -> DMat3 {
    DMat3::from_cols(v * (v.x * weight), v * (v.y * weight), v * (v.z * weight))
}

/// Eigenvalues, largest first, and unit eigenvectors as the columns of a rotation.
pub(crate) fn eigen(matrix: DMat3) -> ([f64; 3], DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut turn = DMat3::IDENTITY.to_cols_array_2d();
    diagonalise(&mut a, &mut turn);
    // Its columns are the eigenvectors.
    let v = DMat3::from_cols_array_2d(&turn).transpose().to_cols_array_2d();
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
