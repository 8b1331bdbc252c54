//! The symmetric eigenproblem K x = omega^2 M x.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Natural vibrations, slowest first.
#[derive(Debug, Clone)]
pub struct Modes {
    /// Squared circular frequencies, rad²/s²; negative where the shape is unstable.
    pub omega_squared: Vec<f64>,
    /// Shapes with unit modal mass, one column per mode.
    pub shapes: DMatrix<f64>,
}

impl Modes {
    /// Frequency of a mode, Hz; NaN where unstable.
    pub fn hertz(&self, mode: usize) -> f64 {
        self.omega_squared[mode].sqrt() / std::f64::consts::TAU
    }

    /// The shape of a mode.
    pub fn shape(&self, mode: usize) -> DVector<f64> {
        self.shapes.column(mode).into_owned()
    }
}

/// All modes of a stiffness and a (positive definite) mass matrix.
///
/// Where K is positive definite, the inverse problem M x = K x / omega^2 is solved: its largest
/// eigenvalues are the slow modes, which are then not lost in the rounding of the fast ones. (The K of a
/// tree at rest is diagonal and its root exact; that of n beam elements costs about epsilon n^4.)
pub fn modes(stiffness: &DMatrix<f64>, mass: &DMatrix<f64>) -> Modes {
    let inverse = stiffness.clone().cholesky();
    let (factor, other) = match &inverse {
        Some(factor) => (factor.l(), mass),
        None => (mass.clone().cholesky().expect("a positive definite mass matrix").l(), stiffness),
    };
    // L^-1 A L^-T, symmetric.
    let half = factor.solve_lower_triangular(other).expect("a regular factor");
    let reduced = factor.solve_lower_triangular(&half.transpose()).expect("a regular factor");
    let eigen = SymmetricEigen::new((&reduced + reduced.transpose()) * 0.5);
    let vectors = factor.transpose().solve_upper_triangular(&eigen.eigenvectors).expect("a regular factor");
    let omega_squared = |i: usize| if inverse.is_some() { 1.0 / eigen.eigenvalues[i] } else { eigen.eigenvalues[i] };
    let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
    order.sort_by(|&a, &b| omega_squared(a).total_cmp(&omega_squared(b)));
    let mut shapes = DMatrix::zeros(mass.nrows(), order.len());
    for (new, &old) in order.iter().enumerate() {
        let column = vectors.column(old);
        let modal_mass = (column.transpose() * mass * column)[(0, 0)];
        shapes.set_column(new, &(column / modal_mass.sqrt()));
    }
    Modes { omega_squared: order.into_iter().map(omega_squared).collect(), shapes }
}
