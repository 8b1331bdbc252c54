//! Cutting a centre line into segments.

use glam::DVec3;

use super::centreline::{CentreLine, Knot, LineError};
use crate::validate::LARGEST_MEASURE;

/// How a centre line is cut. Shorter segments let a branch bend more finely and cost more bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segmentation {
    /// A segment is not longer than this, m.
    pub longest: f64,
    /// A segment is not longer than this many radii of the wood there; infinite for no such limit. Keeps thin ends finely
    /// cut without cutting the thick base to discs.
    pub longest_in_radii: f64,
    /// A segment is not shorter than this, m, unless a kink, a jump of the radius or the end of the branch makes it so; points
    /// nearer to each other become one. Where it contradicts the longest, it wins.
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
    /// Kinks and jumps of the radius become nodes; between them the line is cut into pieces of equal length, or of equal
    /// length over radius where the radius limits it.
    pub fn cut(&self, line: &CentreLine) -> Result<Vec<Node>, LineError> {
        self.check()?;
        let merge = self.shortest.max(1e-6);
        let knots = line.cleaned(merge, self.least_radius.max(2e-6))?;
        let mut nodes = vec![Node::at(&knots[0])];
        let mut from = 0;
        for i in 1..knots.len() {
            if i + 1 == knots.len() || self.is_break(&knots, i) {
                self.cut_run(&knots[from..=i], &mut nodes)?;
                from = i;
            }
        }
        Ok(nodes)
    }

    fn check(&self) -> Result<(), LineError> {
        let wrong = |field, value, rule| Err(LineError::Segmentation { field, value, rule });
        if self.longest.is_nan() || self.longest <= 0.0 {
            return wrong("longest", self.longest, "must be above zero");
        }
        if self.longest_in_radii.is_nan() || self.longest_in_radii <= 0.0 {
            return wrong("longest_in_radii", self.longest_in_radii, "must be above zero");
        }
        if !(0.0..=self.longest).contains(&self.shortest) {
            return wrong("shortest", self.shortest, "must be at least zero and not above longest");
        }
        if self.kink.is_nan() || self.kink < 0.0 {
            return wrong("kink", self.kink, "must be at least zero");
        }
        if !(0.0..=f64::from(LARGEST_MEASURE)).contains(&self.least_radius) {
            return wrong("least_radius", self.least_radius, "must be at least zero and finite");
        }
        Ok(())
    }

    fn is_break(&self, knots: &[Knot], i: usize) -> bool {
        let knot = &knots[i];
        let jump = (knot.radius_after - knot.radius_before).abs() > 0.01 * knot.radius_before;
        let before = knot.position - knots[i - 1].position;
        let after = knots[i + 1].position - knot.position;
        jump || before.angle_between(after) > self.kink
    }

    /// Cuts a run without breaks and appends its nodes, without its first.
    fn cut_run(&self, run: &[Knot], nodes: &mut Vec<Node>) -> Result<(), LineError> {
        // Places along the run with how many of the longest segments fit before them.
        let mut places = vec![(0.0, Node::at(&run[0]))];
        for pair in run.windows(2) {
            for step in 1..=FINENESS {
                let node = Node::between(&pair[0], &pair[1], step as f64 / FINENESS as f64);
                let (count, before) = places[places.len() - 1];
                let radius = 0.5 * (before.radius_after + node.radius_before);
                let longest = self.longest.min(self.longest_in_radii * radius).max(self.shortest);
                places.push((count + before.position.distance(node.position) / longest, node));
            }
        }
        let total = places[places.len() - 1].0;
        let length = run.windows(2).map(|pair| pair[0].position.distance(pair[1].position)).sum::<f64>();
        if total > MOST_PIECES {
            return Err(LineError::TooFine { length, piece: length / total });
        }
        // The small slack keeps a length that is an exact multiple from gaining a piece by rounding.
        let most = if self.shortest > 0.0 { (length / self.shortest + 1e-9).floor() } else { MOST_PIECES };
        let pieces = (total - 1e-9).ceil().min(most).max(1.0) as usize;
        let mut k = 0;
        for piece in 1..pieces {
            let at = total * piece as f64 / pieces as f64;
            while places[k + 1].0 < at {
                k += 1;
            }
            let ((from, a), (to, b)) = (places[k], places[k + 1]);
            let u = (at - from) / (to - from);
            let radius = a.radius_after + (b.radius_before - a.radius_after) * u;
            let position = a.position.lerp(b.position, u);
            nodes.push(Node { position, radius_before: radius, radius_after: radius });
        }
        nodes.push(places[places.len() - 1].1);
        Ok(())
    }
}

/// Steps into which a piece of line is divided to follow its radius.
const FINENESS: usize = 16;
/// Most segments of one run.
const MOST_PIECES: f64 = 1e7;

impl Node {
    fn between(a: &Knot, b: &Knot, u: f64) -> Self {
        if u >= 1.0 {
            return Self::at(b);
        }
        let radius = a.radius_after + (b.radius_before - a.radius_after) * u;
        Self { position: a.position.lerp(b.position, u), radius_before: radius, radius_after: radius }
    }

    fn at(knot: &Knot) -> Self {
        Self { position: knot.position, radius_before: knot.radius_before, radius_after: knot.radius_after }
    }
}
