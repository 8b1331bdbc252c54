//! Projected triangles: widened if too thin for the samples, clipped at the near plane.

use glam::{Vec2, Vec3};

use crate::camera::{Corner, View};
use crate::scene::{Item, is_near};

/// A triangle on the raster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScreenTriangle {
    pub corners: [Corner; 3],
    /// Twice its area; positive for counter-clockwise corners as seen by the viewer.
    pub area: f32,
    /// Fraction of its samples that it covers: less than one after widening.
    pub cover: f32,
}

impl ScreenTriangle {
    fn new(corners: [Corner; 3], cover: f32) -> Self {
        let [a, b, c] = corners;
        // The raster's y axis points down, which reverses the winding.
        let area = (c.x - a.x) * (b.y - a.y) - (b.x - a.x) * (c.y - a.y);
        Self { corners, area, cover }
    }
}

/// Calls `found` for each part of a triangle to draw: none, one, or two triangles after clipping at the
/// near plane.
///
/// Round wood thinner than `least_radius` raster places is widened to that radius and drawn with a reduced
/// coverage that keeps its mean darkness, so that twigs neither vanish nor flicker. The radius is derived
/// from the mesh: along an edge, distance over change of normal is the radius of curvature.
pub(crate) fn on_raster(
    view: &View,
    item: &Item<'_>,
    triangle: u32,
    least_radius: f32,
    mut found: impl FnMut(&ScreenTriangle),
) {
    let world = item.corners(triangle);
    if !world.iter().all(|&p| is_near(p)) {
        return;
    }
    let mut local = world.map(|p| view.local(p));
    let textured = item.surface.holes.is_some() && !item.mesh.uvs.is_empty();
    let indices = item.mesh.triangles[triangle as usize];
    let uvs = if textured { indices.map(|v| item.mesh.uvs[v as usize]) } else { [Vec2::ZERO; 3] };
    let outside = |p: &Vec3| view.perspective && p.z < view.near;
    let hidden = local.iter().filter(|p| outside(p)).count();
    if hidden == 3 {
        return;
    }
    if hidden > 0 {
        let (polygon, n) = clipped(view.near, local, uvs);
        let corner = |i: usize| view.corner(polygon[i].0, polygon[i].1);
        for i in 1..n - 1 {
            keep(ScreenTriangle::new([corner(0), corner(i), corner(i + 1)], 1.0), item, view, &mut found);
        }
        return;
    }
    let mut cover = 1.0;
    if !textured && !item.surface.double_sided {
        let least = least_radius * view.place_size(local[0].z);
        if shortest_edge_squared(local) < 4.0 * least * least {
            let normals = indices.map(|v| item.normals()[v as usize]);
            let radius = radius_of_curvature(world, normals);
            if radius < least {
                cover = radius / least;
                let push = least - radius;
                local = [0, 1, 2].map(|i| view.local(world[i] + normals[i] * push));
            }
        }
    }
    let corners = [0, 1, 2].map(|i| view.corner(local[i], uvs[i]));
    keep(ScreenTriangle::new(corners, cover), item, view, &mut found);
}

/// Culls triangles without area (or with NaN) and, for the camera, back faces of one-sided surfaces.
fn keep(triangle: ScreenTriangle, item: &Item<'_>, view: &View, found: &mut impl FnMut(&ScreenTriangle)) {
    let culls = view.perspective && !item.surface.double_sided;
    let area = if culls { triangle.area } else { triangle.area.abs() };
    if area > 1e-12 && area.is_finite() {
        found(&triangle);
    }
}

fn shortest_edge_squared([a, b, c]: [Vec3; 3]) -> f32 {
    a.distance_squared(b).min(b.distance_squared(c)).min(c.distance_squared(a))
}

/// m; infinite when flat.
fn radius_of_curvature(p: [Vec3; 3], n: [Vec3; 3]) -> f32 {
    let mut least = f32::INFINITY;
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let turn = n[i].distance_squared(n[j]);
        if turn > 1e-6 {
            least = least.min(p[i].distance_squared(p[j]) / turn);
        }
    }
    least.sqrt()
}

/// The part beyond the near plane: three or four corners.
fn clipped(near: f32, p: [Vec3; 3], uv: [Vec2; 3]) -> ([(Vec3, Vec2); 4], usize) {
    let mut out = [(Vec3::ZERO, Vec2::ZERO); 4];
    let mut n = 0;
    for i in 0..3 {
        let j = (i + 1) % 3;
        if p[i].z >= near {
            out[n] = (p[i], uv[i]);
            n += 1;
        }
        if (p[i].z >= near) != (p[j].z >= near) {
            let t = (near - p[i].z) / (p[j].z - p[i].z);
            let mut cut = p[i].lerp(p[j], t);
            cut.z = near;
            out[n] = (cut, uv[i].lerp(uv[j], t));
            n += 1;
        }
    }
    (out, n)
}
