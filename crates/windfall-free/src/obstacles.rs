//! The ground and other static obstacles.

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Pose;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use parry3d_f64::shape::{SharedShape, TriMesh, TriMeshFlags};
use windfall_core::glam::{DQuat, DVec3};

use super::body::Surface;
use super::error::{FreeError, within};
use super::narrow::{self, ContactPoint};
use super::shape::{Shape, from_vector, pose, vector};

/// A half-space: everything on the far side of a plane is solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    /// A point of the plane, world metres.
    pub point: DVec3,
    /// Out of the solid side, of length 1.
    pub normal: DVec3,
    /// Its contact properties.
    pub surface: Surface,
}

impl HalfSpace {
    /// Height of a point above the plane, m.
    pub fn height(&self, point: DVec3) -> f64 {
        (point - self.point).dot(self.normal)
    }
}

/// A static solid.
#[derive(Clone)]
pub(super) struct Obstacle {
    pub pose: Pose,
    pub shape: SharedShape,
    pub surface: Surface,
    /// Half of its least thickness, m; unknown for a mesh.
    pub half_thickness: f64,
    /// Lowest and highest corner of a box about it, world metres.
    pub bounds: (DVec3, DVec3),
}

/// A contact of a shape with an obstacle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObstacleContact {
    /// On the surface of the obstacle, world metres.
    pub point: DVec3,
    /// Out of the obstacle, of length 1.
    pub normal: DVec3,
    /// Depth of the shape in the obstacle, m; negative for a gap.
    pub depth: f64,
    /// Contact properties of the obstacle.
    pub surface: Surface,
}

/// All static obstacles: the ground (there by default), half-spaces, shapes and meshes.
///
/// Changes don't wake sleeping bodies: call [`super::FreeBodies::wake_all`] after them.
#[derive(Clone)]
pub struct Obstacles {
    half_spaces: Vec<HalfSpace>,
    has_ground: bool,
    solids: Vec<Obstacle>,
    tree: Bvh,
}

impl std::fmt::Debug for Obstacles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let solids = self.solids.len();
        f.debug_struct("Obstacles")
            .field("half_spaces", &self.half_spaces)
            .field("solids", &solids)
            .finish_non_exhaustive()
    }
}

impl Default for Obstacles {
    fn default() -> Self {
        Self::ground()
    }
}

impl Obstacles {
    /// Level ground at the height 0 with the default surface.
    pub fn ground() -> Self {
        let ground = HalfSpace { point: DVec3::ZERO, normal: DVec3::Y, surface: Surface::default() };
        Self { half_spaces: vec![ground], has_ground: true, ..Self::none() }
    }

    /// No obstacles.
    pub fn none() -> Self {
        Self { half_spaces: Vec::new(), has_ground: false, solids: Vec::new(), tree: Bvh::new() }
    }

    /// Sets level ground at a height, and replaces any present ground.
    pub fn set_ground(&mut self, height: f64, surface: Surface) -> Result<(), FreeError> {
        within("height", height, -1e6, 1e6, "from -1e6 to 1e6 m")?;
        surface.check()?;
        let ground = HalfSpace { point: DVec3::new(0.0, height, 0.0), normal: DVec3::Y, surface };
        if self.has_ground {
            self.half_spaces[0] = ground;
        } else {
            self.half_spaces.insert(0, ground);
            self.has_ground = true;
        }
        Ok(())
    }

    /// Makes one side of a plane solid; `normal` points out of it.
    pub fn add_half_space(&mut self, point: DVec3, normal: DVec3, surface: Surface) -> Result<(), FreeError> {
        surface.check()?;
        check_place("point", point)?;
        let length = normal.length();
        if !(normal.is_finite() && length > 1e-9 && length < 1e9) {
            let (what, value) = ("normal", normal.to_string());
            return Err(FreeError::BadVector { what, value, rule: "finite and not zero" });
        }
        self.half_spaces.push(HalfSpace { point, normal: normal / length, surface });
        Ok(())
    }

    /// Adds a shape. `position` and `orientation` are those of the shape's own axes.
    pub fn add(
        &mut self,
        shape: Shape,
        position: DVec3,
        orientation: DQuat,
        surface: Surface,
    ) -> Result<(), FreeError> {
        shape.check()?;
        surface.check()?;
        check_place("position", position)?;
        if !orientation.is_finite() || (orientation.length_squared() - 1.0).abs() > 1e-3 {
            let (what, value) = ("orientation", orientation.to_string());
            return Err(FreeError::BadVector { what, value, rule: "a unit quaternion" });
        }
        let shared = match shape {
            Shape::Sphere { radius } => SharedShape::ball(radius),
            Shape::Box { half } => SharedShape::cuboid(half.x, half.y, half.z),
            Shape::Capsule { half_length, radius } => SharedShape::capsule_y(half_length, radius),
            Shape::Blade { .. } => {
                let [a, b, c, _] = shape.corners().map(vector);
                SharedShape::round_triangle(a, b, c, 0.5 * super::shape::BLADE_THICKNESS)
            }
        };
        let pose = pose(position, orientation.normalize());
        self.put(pose, shared, surface, shape.half_thickness());
        Ok(())
    }

    /// Adds a mesh of triangles, in world metres. It is solid on both sides of its surface and hollow inside.
    pub fn add_mesh(&mut self, points: &[DVec3], triangles: &[[u32; 3]], surface: Surface) -> Result<(), FreeError> {
        surface.check()?;
        for &point in points {
            check_place("point of a mesh", point)?;
        }
        if let Some(t) = triangles.iter().find(|t| t.iter().any(|&i| i as usize >= points.len())) {
            return Err(FreeError::BadMesh(format!("triangle {t:?} of {} points", points.len())));
        }
        let points = points.iter().copied().map(vector).collect();
        let mesh = TriMesh::with_flags(points, triangles.to_vec(), TriMeshFlags::empty());
        let mesh = mesh.map_err(|error| FreeError::BadMesh(error.to_string()))?;
        self.put(Pose::identity(), SharedShape::new(mesh), surface, 0.0);
        Ok(())
    }

    fn put(&mut self, pose: Pose, shape: SharedShape, surface: Surface, half_thickness: f64) {
        let aabb = shape.compute_aabb(&pose);
        let bounds = (from_vector(aabb.mins), from_vector(aabb.maxs));
        self.solids.push(Obstacle { pose, shape, surface, half_thickness, bounds });
        let boxes: Vec<Aabb> = self.solids.iter().map(|o| o.shape.compute_aabb(&o.pose)).collect();
        self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    }

    /// The ground and the other half-spaces.
    pub fn half_spaces(&self) -> &[HalfSpace] {
        &self.half_spaces
    }

    pub(super) fn solid(&self, index: u32) -> &Obstacle {
        &self.solids[index as usize]
    }

    /// Calls `found` with every obstacle whose box meets this one, in no particular order.
    pub(super) fn near(&self, low: DVec3, high: DVec3, mut found: impl FnMut(u32)) {
        if self.solids.is_empty() {
            return;
        }
        for index in self.tree.intersect_aabb(&Aabb::new(vector(low), vector(high))) {
            found(index);
        }
    }

    /// Whether a ball may touch anything.
    pub fn may_touch(&self, center: DVec3, radius: f64) -> bool {
        let mut near = self.half_spaces.iter().any(|plane| plane.height(center) <= radius);
        self.near(center - radius, center + radius, |_| near = true);
        near
    }

    /// Contacts of a ball with obstacles at less than `gap` metres, in a fixed order.
    pub fn contacts_of_sphere(&self, center: DVec3, radius: f64, gap: f64, out: &mut Vec<ObstacleContact>) {
        self.contacts(&Shape::Sphere { radius }, center, DQuat::IDENTITY, gap, out);
    }

    /// Contacts of a capsule about the line from `a` to `b` with obstacles at less than `gap` metres, in a
    /// fixed order.
    pub fn contacts_of_capsule(&self, a: DVec3, b: DVec3, radius: f64, gap: f64, out: &mut Vec<ObstacleContact>) {
        let length = a.distance(b);
        let axis = if length > 1e-12 { (b - a) / length } else { DVec3::Y };
        let shape = Shape::Capsule { half_length: 0.5 * length, radius };
        self.contacts(&shape, 0.5 * (a + b), DQuat::from_rotation_arc(DVec3::Y, axis), gap, out);
    }

    /// Contacts of a shape with obstacles at less than `gap` metres, in a fixed order. Appends to `out`.
    pub fn contacts(
        &self,
        shape: &Shape,
        position: DVec3,
        orientation: DQuat,
        gap: f64,
        out: &mut Vec<ObstacleContact>,
    ) {
        for plane in &self.half_spaces {
            narrow::with_half_space(shape, position, orientation, plane, gap, |touch: ContactPoint| {
                out.push(ObstacleContact {
                    point: touch.point,
                    normal: touch.normal,
                    depth: -touch.gap,
                    surface: plane.surface,
                });
            });
        }
        let reach = DVec3::splat(shape.reach(DVec3::ZERO) + gap);
        let mut near = Vec::new();
        self.near(position - reach, position + reach, |index| near.push(index));
        near.sort_unstable();
        let mut space = narrow::Space::default();
        for index in near {
            let solid = self.solid(index);
            let proxy = shape.proxy();
            let places = (&solid.pose, &pose(position, orientation));
            narrow::between(places, (&*solid.shape.0, proxy.shape()), gap, &mut space, |touch| {
                out.push(ObstacleContact {
                    point: touch.point,
                    normal: touch.normal,
                    depth: -touch.gap,
                    surface: solid.surface,
                });
            });
        }
    }
}

fn check_place(what: &'static str, place: DVec3) -> Result<(), FreeError> {
    if place.is_finite() && place.abs().max_element() <= 1e6 {
        Ok(())
    } else {
        Err(FreeError::BadVector { what, value: place.to_string(), rule: "finite and within 1e6 m" })
    }
}
