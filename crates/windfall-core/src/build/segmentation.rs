//! Division of a centre line into segments.

use glam::DVec3;

use super::centreline::{CentreLine, Knot, LineError};
use crate::validate::LARGEST_MEASURE;

/// Parameters for the division of a centre line. Shorter segments let a branch bend more finely and cost
/// more bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segmentation {
    /// Largest length of a segment, m.
    pub longest: f64,
    /// Largest length of a segment in local radii of the wood; infinite for no such limit. It keeps thin
    /// ends finely divided without cutting the thick base into discs.
    pub longest_in_radii: f64,
    /// Smallest length of a segment, m, except at a kink, a jump of the radius or the end of the branch.
    /// Points nearer to each other than this are merged. It takes precedence over the largest length.
    pub shortest: f64,
    /// A point at which the line turns by more than this angle becomes a joint, rad.
    pub kink: f64,
    /// Smallest radius, m; smaller ones are raised to it. Pointed tips of modelled branches have zero
    /// radius and thus no strength.
    pub least_radius: f64,
}

/// End of a segment: a point of the line with the radii on its two sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Position, m.
    pub position: DVec3,
    /// Tip radius of the segment that ends here, m.
    pub radius_before: f64,
    /// Base radius of the segment that begins here, m.
    pub radius_after: f64,
}

impl Segmentation {
    /// Segments of about this length, m; default values for all other fields.
    pub fn by_length(longest: f64) -> Self {
        Self {
            longest,
            longest_in_radii: f64::INFINITY,
            shortest: (0.2 * longest).min(1e-3),
            kink: 0.5,
            least_radius: 1e-4,
        }
    }

    /// Divides the line. The nodes lie on it; the first is its base and the last its tip.
    ///
    /// Kinks and jumps of the radius become nodes. Between them the line is divided into pieces of equal
    /// length, or of equal ratio of length to radius where the radius limits it.
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

    /// Divides a run without breaks and appends its nodes, except the first.
    fn cut_run(&self, run: &[Knot], nodes: &mut Vec<Node>) -> Result<(), LineError> {
        // Positions along the run, each with the number of longest segments that fit before it.
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
        // A small slack: rounding must not add a piece to a length that is an exact multiple.
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

/// Integration steps per piece of line, to follow its radius.
const FINENESS: usize = 16;
/// Largest number of segments of one run.
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
