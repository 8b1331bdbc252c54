//! The capabilities of a group, by those of its members.

use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyRef, JointLoad};

use super::Group;
use crate::capabilities::{BodyPlace, Breakable, ContactResponse, JointAccess, JointLoads};
use crate::strengths::{Overload, Strengths};

const ALL_CAN: &str = "the group offers only what all members can do";

impl JointLoads for Group {
    fn joint_load(&self, body: BodyRef) -> JointLoad {
        let (member, own) = self.at(body);
        member.solver.loads().expect(ALL_CAN).joint_load(own)
    }

    fn write_joint_loads(&self, instance: u32, loads: &mut Vec<JointLoad>) {
        self.members[instance as usize].solver.loads().expect(ALL_CAN).write_joint_loads(0, loads);
    }
}

impl ContactResponse for Group {
    fn place(&self, body: BodyRef) -> BodyPlace {
        let (member, own) = self.at(body);
        let BodyPlace { joint, orientation } = member.solver.contact().expect(ALL_CAN).place(own);
        let placement = &member.placement;
        BodyPlace { joint: placement.point(joint), orientation: placement.orientation * orientation }
    }

    fn velocity_at(&self, body: BodyRef, point: DVec3) -> DVec3 {
        let (member, own) = self.at(body);
        member.placement.orientation * member.solver.contact().expect(ALL_CAN).velocity_at(own, point)
    }

    fn velocity_before_step(&self, body: BodyRef, point: DVec3) -> DVec3 {
        let (member, own) = self.at(body);
        member.placement.orientation * member.solver.contact().expect(ALL_CAN).velocity_before_step(own, point)
    }

    fn touch_impulses(&self) -> &[DVec3] {
        &self.impulses
    }

    fn moves_with_new_velocity(&self, body: BodyRef) -> bool {
        let (member, own) = self.at(body);
        member.solver.contact().expect(ALL_CAN).moves_with_new_velocity(own)
    }

    fn shift_piece(&mut self, piece: BodyRef, way: DVec3) {
        let (member, own) = self.at_mut(piece);
        let way = member.placement.orientation.inverse() * way;
        member.solver.contact_mut().expect(ALL_CAN).shift_piece(own, way);
    }
}

impl Breakable for Group {
    fn pieces(&self) -> &[BodyRef] {
        &self.pieces
    }

    fn is_loose(&self, body: BodyRef) -> bool {
        let (member, own) = self.at(body);
        member.solver.breakable().expect(ALL_CAN).is_loose(own)
    }

    fn any_removed(&self) -> bool {
        self.members.iter().any(|member| member.solver.breakable().expect(ALL_CAN).any_removed())
    }

    fn overloads(&mut self, strengths: &Strengths, found: &mut Vec<Overload>) {
        found.clear();
        let mut own = Vec::new();
        for (instance, member) in (0..).zip(&mut self.members) {
            member.solver.breakable_mut().expect(ALL_CAN).overloads(strengths, &mut own);
            found.extend(own.iter().map(|o| Overload { body: BodyRef { instance, id: o.body.id }, used: o.used }));
        }
    }

    fn release(&mut self, bodies: &[BodyRef]) {
        self.each(bodies, |breakable, own| breakable.release(own));
        self.list_pieces();
    }

    fn remove(&mut self, bodies: &[BodyRef]) {
        self.each(bodies, |breakable, own| breakable.remove(own));
    }
}

/// Joint coordinates are relative to the parent, so that placing changes nothing; those of the first
/// instance come first.
impl JointAccess for Group {
    fn numbers_per_joint(&self) -> usize {
        self.members[0].solver.joints().expect(ALL_CAN).numbers_per_joint()
    }

    fn write_joints(&self, numbers: &mut Vec<f32>) {
        numbers.clear();
        let mut own = Vec::new();
        for member in &self.members {
            member.solver.joints().expect(ALL_CAN).write_joints(&mut own);
            numbers.extend_from_slice(&own);
        }
    }

    fn pull_joints(&mut self, numbers: &[f32], share: f64) {
        let of_each = numbers.len() / self.members.len();
        for (member, own) in self.members.iter_mut().zip(numbers.chunks(of_each.max(1))) {
            member.solver.joints_mut().expect(ALL_CAN).pull_joints(own, share);
        }
    }

    fn joint_rotation(&self, body: BodyRef) -> DQuat {
        let (member, own) = self.at(body);
        member.solver.joints().expect(ALL_CAN).joint_rotation(own)
    }

    fn set_joint(&mut self, body: BodyRef, rotation: DQuat, velocity: DVec3) {
        let (member, own) = self.at_mut(body);
        member.solver.joints_mut().expect(ALL_CAN).set_joint(own, rotation, velocity);
    }
}

impl Group {
    /// Calls `act` for every member with its share of these bodies.
    fn each(&mut self, bodies: &[BodyRef], act: impl Fn(&mut dyn Breakable, &[BodyRef])) {
        for (instance, member) in (0..).zip(&mut self.members) {
            let own: Vec<BodyRef> =
                bodies.iter().filter(|body| body.instance == instance).map(|body| body.id.into()).collect();
            if !own.is_empty() {
                act(member.solver.breakable_mut().expect(ALL_CAN), &own);
            }
        }
    }
}
