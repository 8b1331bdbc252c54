//! Volume, centroid and second moments of the space enclosed by triangles (divergence theorem).
//!
//! A tetrahedron with corners 0, a, b, c has the volume `V = a . (b x c) / 6`, the first moment
//! `V (a + b + c) / 4` and the second moments `V / 20 (a a^T + b b^T + c c^T + s s^T)`, s = a + b + c.
//! Summed over the triangles of a closed surface, with their signs, they give the moments of the enclosed
//! body.

use glam::{DMat3, DVec3};

use crate::eigen::outer;

/// Moments of a homogeneous body about the caller's origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Solid {
    pub volume: f64,
    /// Volume times centroid.
    pub moment: DVec3,
    /// Integral of `x x^T`.
    pub second: DMat3,
    /// Half of the surface (the area of a round body exposed to the wind) times `n n^T`, n the normals.
    pub sheets: DMat3,
}

impl Solid {
    pub const NONE: Self = Self { volume: 0.0, moment: DVec3::ZERO, second: DMat3::ZERO, sheets: DMat3::ZERO };

    /// The tetrahedron between the origin and a triangle.
    pub fn below([a, b, c]: [DVec3; 3]) -> Self {
        let volume = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        let second =
            outer(a, volume / 20.0) + outer(b, volume / 20.0) + outer(c, volume / 20.0) + outer(sum, volume / 20.0);
        Self { volume, moment: sum * (volume / 4.0), second, sheets: DMat3::ZERO }
    }

    /// A point mass.
    pub fn at(place: DVec3, volume: f64) -> Self {
        Self { volume, moment: place * volume, second: outer(place, volume), sheets: DMat3::ZERO }
    }

    pub fn add(&mut self, other: &Self, times: f64) {
        self.volume += times * other.volume;
        self.moment += other.moment * times;
        self.second += other.second * times;
        // Inverted solids have the same surface.
        self.sheets += other.sheets * times.abs();
    }

    /// Moments about another origin; `from` is the old origin relative to the new one.
    pub fn moved(&self, from: DVec3) -> Self {
        let cross = DMat3::from_cols(self.moment * from.x, self.moment * from.y, self.moment * from.z);
        Self {
            moment: self.moment + from * self.volume,
            second: self.second + cross + cross.transpose() + outer(from, self.volume),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box from 1 to 2, 1 to 3 and 1 to 4, by its closed forms.
    #[test]
    fn a_box_and_its_moments() {
        let (low, size) = (DVec3::ONE, DVec3::new(1.0, 2.0, 3.0));
        let corner = |i: usize| low + size * DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let mut whole = Solid::NONE;
        for [a, b, c, d] in faces.map(|face| face.map(corner)) {
            whole.add(&Solid::below([a, b, c]), 1.0);
            whole.add(&Solid::below([a, c, d]), 1.0);
        }
        assert!((whole.volume - 6.0).abs() < 1e-12);
        let middle = low + 0.5 * size;
        assert!((whole.moment / 6.0 - middle).length() < 1e-12);
        let spread = whole.moved(-middle);
        assert!(spread.moment.length() < 1e-12);
        let expected = DMat3::from_diagonal(size * size * (6.0 / 12.0));
        assert!((spread.second - expected).to_cols_array().iter().all(|x| x.abs() < 1e-12), "{:?}", spread.second);
    }
}
