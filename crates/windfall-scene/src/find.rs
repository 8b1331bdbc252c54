//! Bodies by their names in scenes.

use windfall_core::glam::DVec3;
use windfall_core::{Body, BodyId, Plant};

use crate::plants::{Member, Plants};
use crate::schema::{BodyKind, BodyPick, Pick, PickBy};

/// A body, and a position along it (0 at its joint, 1 at its tip).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The body in the combined plant.
    pub body: BodyId,
    /// Position along it, 0 to 1; meaningless for leaves and fruit.
    pub along: f64,
}

impl Place {
    /// Position at rest, world metres.
    pub fn at_rest(&self, plant: &Plant) -> DVec3 {
        let (axis, length) = axis(plant, self.body);
        plant.rest_position(self.body) + axis * (self.along * length)
    }
}

impl Plants {
    /// Finds the body of a description.
    pub fn find(&self, pick: &Pick) -> Result<Place, String> {
        let whole = &*self.whole;
        match pick {
            Pick::Body(BodyPick::Number(n)) => {
                let count = whole.body_count();
                if (*n as usize) < count {
                    Ok(Place { body: BodyId(*n), along: 0.5 })
                } else {
                    Err(format!("no body {n}: the scene has bodies 0 to {}", count - 1))
                }
            }
            Pick::Body(name) => self.members[0].named(whole, name),
            Pick::By(by) => self.find_by(by),
        }
    }

    fn find_by(&self, by: &PickBy) -> Result<Place, String> {
        let member = &self.members[by.plant.unwrap_or(0)];
        if let Some(name) = &by.body {
            return member.named(&self.whole, name);
        }
        if let Some(branch) = by.branch {
            let count = member.plant.branches().len();
            if branch >= count {
                return Err(format!("no branch {branch}: the plant has branches 0 to {}", count - 1));
            }
            let segments = member.plant.branch_segments(branch);
            let at = by.along.unwrap_or(0.0) * segments.len() as f64;
            let index = (at as usize).min(segments.len() - 1);
            let body = member.id(&self.whole, (segments.start + index) as u32).expect("a segment of its branch");
            return Ok(Place { body, along: (at - index as f64).clamp(0.0, 1.0) });
        }
        let (point, kind) = (by.near.unwrap_or_default(), by.kind.unwrap_or(BodyKind::Wood));
        let members = self.members.iter().enumerate().filter(|(i, _)| by.plant.is_none_or(|plant| plant == *i));
        let ids = members.flat_map(|(_, member)| member.kind(&self.whole, kind)).map(|i| BodyId(i as u32));
        let nearest = ids
            .map(|body| (nearness(&self.whole, body, point), body))
            .min_by(|a, b| a.0.0.total_cmp(&b.0.0).then(a.1.cmp(&b.1)));
        let ((_, along), body) = nearest.ok_or_else(|| format!("no {kind:?} there at all").to_lowercase())?;
        Ok(Place { body, along })
    }
}

impl Member {
    fn named(&self, whole: &Plant, name: &BodyPick) -> Result<Place, String> {
        let plant = &*self.plant;
        let own = match name {
            BodyPick::Number(n) if (*n as usize) < plant.body_count() => *n,
            BodyPick::Number(n) => {
                return Err(format!("no body {n}: the plant has bodies 0 to {}", plant.body_count() - 1));
            }
            BodyPick::Root => 0,
            BodyPick::Top => {
                let height = |i: &usize| plant.segments()[*i].tip().y;
                let top = (0..plant.segments().len()).max_by(|a, b| height(a).total_cmp(&height(b)));
                top.expect("a plant has wood") as u32
            }
        };
        let along = if *name == BodyPick::Top { 1.0 } else { 0.5 };
        Ok(Place { body: self.id(whole, own).expect("a body of the member"), along })
    }
}

/// Squared distance of a point from a body at rest, m², and the nearest position along it.
fn nearness(plant: &Plant, body: BodyId, point: DVec3) -> (f64, f64) {
    let joint = plant.rest_position(body);
    let (along, length) = axis(plant, body);
    let y = (point - joint).dot(along).clamp(0.0, length);
    ((joint + along * y).distance_squared(point), if length > 0.0 { y / length } else { 0.0 })
}

/// Axis and length of wood at rest, m; leaves and fruit are points.
fn axis(plant: &Plant, body: BodyId) -> (DVec3, f64) {
    match plant.body(body) {
        Some(Body::Wood(segment)) => {
            let axis = (segment.orientation * windfall_core::glam::Vec3::Y).as_dvec3();
            (axis, f64::from(segment.length))
        }
        _ => (DVec3::Y, 0.0),
    }
}
