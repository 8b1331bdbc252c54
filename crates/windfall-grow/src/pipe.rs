//! Radii by the pipe model (Shinozaki et al. 1964; Leonardo's rule). A pipe runs from every leaf down to
//! the roots, so cross-sections add up at forks: `r_parent^n = sum of r_child^n`.
//!
//! The number of pipes at a point is the number of leaves beyond it plus one for each tip. Old pipes
//! stay in the wood after their leaves have fallen: `disused` of them are added over a tree's height,
//! which gives bare trunks their taper.
//!
//! The exponent n follows from two measurable radii, the trunk at breast height and the thinnest twig.
//! It is 2.0 to 2.3 for the standard trees (Leonardo: 2) and limited to 2.4 for saplings, whose twigs
//! are then thinner.

use crate::math::{ln, pow};
use crate::skeleton::Skeleton;

/// Two measured radii, m, which determine the exponent, and the taper of bare wood.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pipes {
    /// Radius of the trunk at `reference_height`.
    pub(crate) trunk_radius: f64,
    /// Height of this measurement above the ground, m.
    pub(crate) reference_height: f64,
    /// Radius of the tip of a twig.
    pub(crate) twig_radius: f64,
    /// Height of the tree, m.
    pub(crate) height: f64,
    /// The larger of height and width of the tree, m.
    pub(crate) extent: f64,
    /// Disused pipes added per pipe over the tree's extent.
    pub(crate) disused: f64,
    /// Leaves per metre of leafy shoot.
    pub(crate) leaves_per_metre: f64,
    /// Flare of the foot of the trunk (Weber & Penn, section 4.4).
    pub(crate) flare: f64,
}

/// Upper limit of the number of pipes: taper along an endless stem would leave the range of f64.
const MOST_PIPES: f64 = 1e100;

/// Smallest and largest exponents of real trees (McMahon and Kronauer 1976; Minamino and Tateno 2014).
const EXPONENTS: (f64, f64) = (1.7, 2.4);

impl Pipes {
    /// Computes the radii of all nodes; returns the exponent.
    pub(crate) fn fill(&self, skeleton: &mut Skeleton) -> f64 {
        let (base, tip) = self.count(skeleton);
        let trunk = skeleton.stems[0].node_range();
        // From the foot upwards: a trunk that bends over passes the height twice.
        let below = trunk.clone().take_while(|&i| skeleton.nodes[i].y <= self.reference_height).last();
        let at_trunk = base[below.unwrap_or(trunk.start)].max(1.0 + 1e-9);
        let wanted = ln(at_trunk) / ln((self.trunk_radius / self.twig_radius).max(1.0 + 1e-9));
        let exponent = wanted.clamp(EXPONENTS.0, EXPONENTS.1);
        let radius = |count: &f64| self.trunk_radius * pow(count / at_trunk, 1.0 / exponent);
        skeleton.base_radii = base.iter().map(radius).collect();
        skeleton.tip_radii = tip.iter().map(radius).collect();
        exponent
    }

    /// Numbers of pipes above and below each node, from the tips down. They differ where stems leave at
    /// the node itself.
    fn count(&self, skeleton: &Skeleton) -> (Vec<f64>, Vec<f64>) {
        let mut above = vec![0.0; skeleton.nodes.len()];
        let mut leaving = vec![0.0; skeleton.nodes.len()];
        for stem in skeleton.stems.iter().rev() {
            let nodes = stem.node_range();
            // All children are counted before their parent, and their pipes are at its nodes.
            above[nodes.end - 1] += 1.0;
            let mut from_base = skeleton.length(stem);
            for i in nodes.clone().rev().skip(1) {
                let step = skeleton.nodes[i].distance(skeleton.nodes[i + 1]);
                let leafy = (from_base - stem.leafy_from).clamp(0.0, step);
                from_base -= step;
                let coming = (above[i + 1] + leaving[i + 1]) * (1.0 + self.disused * step / self.extent);
                above[i] = (above[i] + coming + leafy * self.leaves_per_metre).min(MOST_PIPES);
            }
            if let Some((parent, segment)) = stem.parent {
                let on = (skeleton.stems[parent as usize].first + segment) as usize;
                if stem.at_node {
                    leaving[on + 1] += above[nodes.start];
                } else {
                    above[on] += above[nodes.start];
                }
            }
        }
        let below = above.iter().zip(&leaving).map(|(above, leaving)| above + leaving).collect();
        (above, below)
    }

    /// Increase of the trunk's radius at this height above its foot, m.
    pub(crate) fn flare_at(&self, y: f64) -> f64 {
        let z = (1.0 - 8.0 * y / self.height).max(0.0);
        1.0 + self.flare * (pow(100.0, z) - 1.0) / 100.0
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests may use the platform's own functions")]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::skeleton::Stem;

    /// A trunk of two segments with two leafy laterals on its second segment.
    fn fork() -> Skeleton {
        let stem = |parent, first, nodes, leafy_from| Stem {
            parent,
            order: u16::from(first > 0),
            at_node: false,
            first,
            nodes,
            leafy_from,
            key: 0,
        };
        Skeleton {
            stems: vec![stem(None, 0, 3, f64::INFINITY), stem(Some((0, 1)), 3, 2, 0.0), stem(Some((0, 1)), 5, 2, 0.5)],
            nodes: vec![
                DVec3::ZERO,
                DVec3::Y * 2.0,
                DVec3::Y * 4.0,
                DVec3::Y * 3.0,
                DVec3::new(1.0, 3.0, 0.0),
                DVec3::Y * 3.0,
                DVec3::new(-1.0, 3.0, 0.0),
            ],
            ..Skeleton::default()
        }
    }

    fn pipes(disused: f64) -> Pipes {
        Pipes {
            trunk_radius: 0.05,
            reference_height: 1.3,
            twig_radius: 0.004,
            height: 4.0,
            extent: 4.0,
            disused,
            leaves_per_metre: 100.0,
            flare: 0.5,
        }
    }

    #[test]
    fn powers_of_radii_add_up_at_a_fork() {
        let mut skeleton = fork();
        let n = pipes(0.0).fill(&mut skeleton);
        let r = |i: usize| skeleton.base_radii[i].powf(n);
        assert!((r(1) - (r(2) + r(3) + r(5))).abs() < 1e-12 * r(1));
        // No leaf and no fork between them: the same pipes, the same radius.
        assert!((r(0) - r(1)).abs() < 1e-12 * r(0));
        // 100 leaves and a tip against 50 leaves and a tip.
        assert!((r(3) / r(5) - 101.0 / 51.0).abs() < 1e-9);
        assert!((skeleton.base_radii[0] - 0.05).abs() < 1e-12, "the trunk has its measured radius");
        assert!((skeleton.base_radii[4] - 0.004).abs() < 1e-9, "the twig has its measured radius");
    }

    #[test]
    fn a_fork_at_a_node_is_carried_up_to_that_node() {
        let mut skeleton = fork();
        skeleton.stems[1].at_node = true;
        // Its base moves to the node at the end of the trunk's second segment, which is the trunk's tip.
        let n = pipes(0.0).fill(&mut skeleton);
        let power = |r: f64| r.powf(n);
        let (below, above) = (power(skeleton.tip_radii[2]), power(skeleton.base_radii[2]));
        assert!((below - (above + power(skeleton.base_radii[3]))).abs() < 1e-12);
        assert!((power(skeleton.base_radii[1]) - (below + power(skeleton.base_radii[5]))).abs() < 1e-12);
    }

    #[test]
    fn a_trunk_that_bends_over_is_measured_on_its_way_up() {
        let mut skeleton = fork();
        skeleton.nodes[2] = DVec3::new(2.0, 0.5, 0.0);
        pipes(0.0).fill(&mut skeleton);
        assert!((skeleton.base_radii[0] - 0.05).abs() < 1e-12);
    }

    #[test]
    fn disused_pipes_taper_bare_wood() {
        let mut skeleton = fork();
        let n = pipes(0.4).fill(&mut skeleton);
        // Two metres of four: 1 + 0.4 / 2 times the pipes.
        let ratio = (skeleton.base_radii[0] / skeleton.tip_radii[1]).powf(n);
        assert!((ratio - 1.2).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn the_flare_ends_at_an_eighth_of_the_height() {
        let pipes = pipes(0.0);
        assert!((pipes.flare_at(0.0) - (1.0 + 0.5 * 0.99)).abs() < 1e-12);
        assert!((pipes.flare_at(0.5) - 1.0).abs() < 1e-12);
        assert!((pipes.flare_at(3.0) - 1.0).abs() < 1e-12);
    }
}
