//! Cutting a centre line into segments.

use super::centreline::{CentreLine, Knot, LineError};
use glam::DVec3;

/// How a centre line is cut. Shorter segments let a branch bend more finely and cost more bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segmentation {
    /// A segment is not longer than this, m.
    pub longest: f64,
    /// A segment is not longer than this many radii of its own base; infinite for no such limit. Keeps thin twigs finely
    /// cut without cutting the trunk to discs.
    pub longest_in_radii: f64,
    /// A segment is not shorter than this, m, unless the whole branch is; it also merges points that nearly coincide.
    pub shortest: f64,
    /// Where the line turns by more than this at one point, that point becomes a joint, rad.
    pub kink: f64,
    /// Radii below this are lifted to it, m: pointed tips of modelled branches have zero radius and so no strength.
    pub least_radius: f64,
}

/// Between two segments: a point of the line with the radii on its two sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Place, m.
    pub position: DVec3,
    /// Tip radius of the segment that ends here, m.
    pub radius_before: f64,
    /// Base radius of the segment that begins here, m.
    pub radius_after: f64,
}

impl Segmentation {
    /// Segments of about this length, m, and nothing else special.
    pub fn by_length(longest: f64) -> Self {
        Self {
            longest,
            longest_in_radii: f64::INFINITY,
            shortest: (0.2 * longest).min(1e-3),
            kink: 0.5,
            least_radius: 1e-4,
        }
    }

    /// Cuts the line. The nodes lie on it; their first is its base and their last its tip.
    ///
    /// Kinks and jumps of the radius become nodes; between them the line is cut into pieces of equal length.
    pub fn cut(&self, line: &CentreLine) -> Result<Vec<Node>, LineError> {
        let merge = self.shortest.max(1e-6);
        let knots = line.cleaned(merge, self.least_radius.max(2e-6))?;
        let mut nodes = vec![Node::at(&knots[0])];
        let mut from = 0;
        for i in 1..knots.len() {
            if i + 1 == knots.len() || self.is_break(&knots, i) {
                self.cut_run(&knots[from..=i], &mut nodes);
                from = i;
            }
        }
        Ok(nodes)
    }

    fn is_break(&self, knots: &[Knot], i: usize) -> bool {
        let knot = &knots[i];
        let jump = (knot.radius_after - knot.radius_before).abs() > 0.01 * knot.radius_before;
        let before = knot.position - knots[i - 1].position;
        let after = knots[i + 1].position - knot.position;
        jump || before.angle_between(after) > self.kink
    }

    /// Cuts a run without breaks and appends its nodes, without its first.
    fn cut_run(&self, run: &[Knot], nodes: &mut Vec<Node>) {
        let mut lengths = vec![0.0];
        for pair in run.windows(2) {
            lengths.push(lengths[lengths.len() - 1] + pair[0].position.distance(pair[1].position));
        }
        let total = lengths[lengths.len() - 1];
        let thinnest = run.iter().map(|k| k.radius_before.min(k.radius_after)).fold(f64::INFINITY, f64::min);
        let target = self.longest.min(self.longest_in_radii * thinnest).max(self.shortest);
        // The small slack keeps a length that is an exact multiple from gaining a piece by rounding.
        let most = (total / self.shortest.max(1e-6)).floor().max(1.0);
        let pieces = (total / target - 1e-9).ceil().clamp(1.0, most) as usize;
        let mut k = 0;
        for piece in 1..pieces {
            let at = total * piece as f64 / pieces as f64;
            while lengths[k + 1] < at {
                k += 1;
            }
            let u = (at - lengths[k]) / (lengths[k + 1] - lengths[k]);
            let radius = run[k].radius_after + (run[k + 1].radius_before - run[k].radius_after) * u;
            let position = run[k].position.lerp(run[k + 1].position, u);
            nodes.push(Node { position, radius_before: radius, radius_after: radius });
        }
        nodes.push(Node::at(&run[run.len() - 1]));
    }
}

impl Node {
    fn at(knot: &Knot) -> Self {
        Self { position: knot.position, radius_before: knot.radius_before, radius_after: knot.radius_after }
    }
}
