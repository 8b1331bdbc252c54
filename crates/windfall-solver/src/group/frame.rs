//! Transforms between the world and the frame of a member.

use std::sync::Arc;

use windfall_core::BodyMotion;
use windfall_core::glam::{DMat3, DQuat, DVec3};

use crate::actions::{Actions, Grab, Load, PieceContact, Touch};
use crate::base::{Base, Bases};
use crate::flow::Flow;
use crate::solver::Placement;
use crate::wind::{Points, Velocities, Wind};

/// The actions on one instance, in its frame.
pub(super) struct LocalActions {
    loads: Vec<Load>,
    grabs: Vec<Grab>,
    touches: Vec<Touch>,
    piece_contacts: Vec<PieceContact>,
}

impl LocalActions {
    pub fn actions(&self) -> Actions<'_> {
        let Self { loads, grabs, touches, piece_contacts } = self;
        Actions { loads, grabs, touches, piece_contacts }
    }
}

/// R^T M R.
fn turned(m: DMat3, back: DQuat) -> DMat3 {
    let r = DMat3::from_quat(back);
    r * m * r.transpose()
}

pub(super) fn local_actions(actions: &Actions<'_>, instance: u32, placement: &Placement) -> LocalActions {
    let back = placement.orientation.inverse();
    let load = |l: &Load| Load {
        body: l.body.id.into(),
        point: l.point,
        force: back * l.force,
        torque: back * l.torque,
        drag: turned(l.drag, back),
        spin_drag: turned(l.spin_drag, back),
    };
    let grab = |g: &Grab| Grab {
        body: g.body.id.into(),
        target: back * (g.target - placement.position),
        target_velocity: back * g.target_velocity,
        ..*g
    };
    let touch = |t: &Touch| Touch {
        body: t.body.id.into(),
        point: t.point,
        velocity: back * t.velocity,
        mass: turned(t.mass, back),
        pushes_along: t.pushes_along.map(|along| back * along),
    };
    let contact = |c: &PieceContact| PieceContact {
        sides: c.sides.map(|(body, point)| (body.id.into(), point)),
        normal: back * c.normal,
        ..*c
    };
    let is_own = |body: windfall_core::BodyRef| body.instance == instance;
    LocalActions {
        loads: actions.loads.iter().filter(|l| is_own(l.body)).map(load).collect(),
        grabs: actions.grabs.iter().filter(|g| is_own(g.body)).map(grab).collect(),
        touches: actions.touches.iter().filter(|t| is_own(t.body)).map(touch).collect(),
        piece_contacts: actions.piece_contacts.iter().filter(|c| is_own(c.sides[0].0)).map(contact).collect(),
    }
}

pub(super) fn world_motion(placement: &Placement, own: &BodyMotion) -> BodyMotion {
    let turn = placement.orientation;
    BodyMotion {
        joint: placement.point(own.joint),
        center: placement.point(own.center),
        velocity: turn * own.velocity,
        acceleration: turn * own.acceleration,
        orientation: turn * own.orientation,
        angular_velocity: turn * own.angular_velocity,
        angular_acceleration: turn * own.angular_acceleration,
    }
}

/// The wind of the world in the frame of a member.
#[derive(Debug)]
pub(super) struct PlacedWind {
    pub wind: Arc<dyn Wind>,
    pub placement: Placement,
}

/// Samples velocities at the world positions of a member's points.
fn ask(
    placement: &Placement,
    points: Points<'_>,
    mut out: Velocities<'_>,
    all: impl FnOnce(Points<'_>, Velocities<'_>),
) {
    let count = points.len();
    let [mut x, mut y, mut z] = [(); 3].map(|()| vec![0.0f32; count]);
    for i in 0..count {
        let point = placement.point(points.get(i)).as_vec3();
        (x[i], y[i], z[i]) = (point.x, point.y, point.z);
    }
    {
        let [u, v, w] = out.slices();
        all(Points::new(&x, &y, &z), Velocities::new(u, v, w));
    }
    let back = placement.orientation.inverse();
    let [u, v, w] = out.slices();
    for i in 0..count {
        let local = back * DVec3::new(u[i].into(), v[i].into(), w[i].into());
        (u[i], v[i], w[i]) = (local.x as f32, local.y as f32, local.z as f32);
    }
}

impl Wind for PlacedWind {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        self.placement.orientation.inverse() * self.wind.velocity(self.placement.point(point), time)
    }

    fn velocities(&self, time: f64, points: Points<'_>, out: Velocities<'_>) {
        ask(&self.placement, points, out, |points, out| self.wind.velocities(time, points, out));
    }
}

/// A coupled flow in the frame of a member.
#[derive(Debug)]
pub(super) struct PlacedFlow<'a> {
    pub flow: &'a mut dyn Flow,
    pub placement: Placement,
}

impl Flow for PlacedFlow<'_> {
    fn velocities(&self, points: Points<'_>, out: Velocities<'_>) {
        ask(&self.placement, points, out, |points, out| self.flow.velocities(points, out));
    }

    fn give(&mut self, point: DVec3, impulse: DVec3) {
        self.flow.give(self.placement.point(point), self.placement.orientation * impulse);
    }

    fn advance(&mut self, dt: f64) {
        self.flow.advance(dt);
    }
}

/// The moving ground of one instance in the frame of its member.
#[derive(Debug)]
pub(super) struct PlacedBases<'a> {
    pub all: &'a dyn Bases,
    pub instance: u32,
    pub placement: Placement,
}

impl Bases for PlacedBases<'_> {
    /// Bases are relative to where the tree was placed, in world axes; the origin of the tree stays the
    /// centre of rotation.
    fn base(&self, _: u32, tree: usize, time: f64) -> Base {
        turned_base(&self.all.base(self.instance, tree, time), self.placement.orientation.inverse())
    }
}

/// A base in axes that are turned: from the frame of a member to the world by its orientation, back by the
/// inverse.
pub(super) fn turned_base(base: &Base, turn: DQuat) -> Base {
    Base {
        position: turn * base.position,
        orientation: turn * base.orientation * turn.inverse(),
        velocity: turn * base.velocity,
        angular_velocity: turn * base.angular_velocity,
        acceleration: turn * base.acceleration,
        angular_acceleration: turn * base.angular_acceleration,
    }
}
