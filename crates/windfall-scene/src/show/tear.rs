//! Bark that tears where wood breaks: no triangle spans the gap, and no vertex follows both sides.

use windfall_skin::{Binding, Mesh};

/// Assigns every vertex to the piece of its strongest body, and removes triangles between pieces. `piece`
/// holds the piece of every segment.
pub(super) fn tear(mesh: &mut Mesh, piece: &[u32]) {
    let Binding::Blended { bodies, weights } = &mut mesh.binding else { return };
    for (bodies, weights) in bodies.iter_mut().zip(weights.iter_mut()) {
        let own = piece[bodies[0] as usize];
        if bodies.iter().zip(&*weights).all(|(&b, &w)| w == 0.0 || piece[b as usize] == own) {
            continue;
        }
        // Weights of its own piece move up; the rest goes to the strongest.
        let old: Vec<(u32, f32)> = bodies.iter().copied().zip(weights.iter().copied()).collect();
        let kept: Vec<(u32, f32)> = old.iter().copied().filter(|&(b, w)| w > 0.0 && piece[b as usize] == own).collect();
        let sum: f32 = kept.iter().map(|(_, w)| w).sum();
        for i in 0..4 {
            let (body, weight) = kept.get(i).copied().unwrap_or((bodies[0], 0.0));
            bodies[i] = body;
            weights[i] = weight / sum;
        }
    }
    let of = |v: u32| piece[bodies[v as usize][0] as usize];
    mesh.triangles.retain(|&[a, b, c]| of(a) == of(b) && of(b) == of(c));
}

#[cfg(test)]
mod tests {
    use windfall_core::glam::Vec3;

    use super::*;

    #[test]
    fn nothing_spans_the_gap_and_weights_add_up() {
        // Four vertices along two bodies, the second of which breaks off.
        let weights = vec![[1.0, 0.0, 0.0, 0.0], [0.6, 0.4, 0.0, 0.0], [0.5, 0.3, 0.2, 0.0], [1.0, 0.0, 0.0, 0.0]];
        let bodies = vec![[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 2, 1], [1, 1, 1, 1]];
        let mut mesh = Mesh {
            positions: vec![Vec3::ZERO; 4],
            normals: vec![Vec3::Y; 4],
            triangles: vec![[0, 1, 2], [1, 2, 3], [0, 1, 0], [2, 3, 2]],
            binding: Binding::Blended { bodies, weights },
            ..Mesh::default()
        };
        tear(&mut mesh, &[0, 1, 1]);
        assert_eq!(mesh.triangles, [[0, 1, 0], [2, 3, 2]]);
        let Binding::Blended { bodies, weights } = &mesh.binding else { unreachable!() };
        assert_eq!((bodies[1][0], weights[1]), (0, [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(bodies[2][..2], [1, 2]);
        assert!((weights[2].iter().sum::<f32>() - 1.0).abs() < 1e-6 && (weights[2][0] - 5.0 / 7.0).abs() < 1e-6);
    }
}
