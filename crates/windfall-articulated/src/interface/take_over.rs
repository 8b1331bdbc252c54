//! Continuing the motion of another solver: positions, velocities, ground, selection, pieces and rest shape.
//! The parameters and the method stay.

use std::any::Any;
use std::sync::Arc;

use windfall_core::glam::DQuat;
use windfall_core::{BodyId, BodyMotion};
use windfall_solver::Solver;

use crate::block::JointState;
use crate::math::{Quat, Real, Vec3};
use crate::world::{BodyJoint, World};

/// Frames of a joint relative to the axes of the parent: in the rest shape, and where its spring is relaxed.
#[derive(Debug, Clone, Copy)]
struct RestFrame {
    shape: DQuat,
    neutral: DQuat,
}

impl<T: Real> World<T> {
    /// Takes over the motion of a solver of the same plant.
    pub(super) fn take_motion_of(&mut self, other: &dyn Solver) {
        let any = other as &dyn Any;
        let Some(same) = any.downcast_ref::<Self>() else {
            let rest = any.downcast_ref().map(World::<f32>::rest_frames);
            let rest = rest.or_else(|| any.downcast_ref().map(World::<f64>::rest_frames));
            self.take_motion(other, rest.as_deref());
            // What carries the weight of the trees in the rest shape depends on the parameters.
            if self.params != *other.params() {
                if self.params.keep_shape {
                    self.compensate_gravity();
                } else if other.params().keep_shape {
                    self.relax();
                }
            }
            return;
        };
        let (params, method, vectors) = (self.params.clone(), self.method, self.vectors);
        self.clone_from(same);
        self.set_vectors(vectors);
        self.set_method(method);
        if params != self.params {
            self.set_params(params).expect("these parameters were in force for the same plant");
        }
    }

    /// Rest shape and relaxed frame of every joint.
    fn rest_frames(&self) -> Vec<RestFrame> {
        let frame =
            |entry: &BodyJoint<T>| RestFrame { shape: entry.joint.shape.f64(), neutral: entry.joint.neutral.f64() };
        self.joint_table().iter().map(frame).collect()
    }

    /// Takes over the motion of a solver of another type, and its rest shape, if it has another than the
    /// plant.
    fn take_motion(&mut self, other: &dyn Solver, rest: Option<&[RestFrame]>) {
        (self.time, self.last_dt) = (other.time(), 0.0);
        let plant = Arc::clone(&self.plant);
        for (tree, base) in self.bases.iter_mut().enumerate() {
            let ground = other.base(0, tree);
            (base.now, base.next) = (ground, ground);
        }
        self.move_bases();
        self.select(other.selection().clone());
        let motions: Vec<BodyMotion> = plant.body_ids().map(|id| other.motion(id.into())).collect();
        let (mut pieces, mut removed) = (Vec::new(), Vec::new());
        if let Some(breakable) = other.breakable() {
            pieces.extend(breakable.pieces().iter().map(|piece| piece.id));
            let is_piece = |id: &BodyId| pieces.contains(id);
            removed.extend(plant.body_ids().filter(|id| breakable.is_loose((*id).into()) && !is_piece(id)));
        }
        let mut joints = self.joint_table();
        for id in plant.body_ids() {
            let (m, entry) = (&motions[id.0 as usize], &mut joints[id.0 as usize]);
            if let Some(rest) = rest {
                let RestFrame { shape, neutral } = rest[id.0 as usize];
                (entry.joint.shape, entry.joint.neutral) = (Quat::of(shape), Quat::of(neutral));
            }
            let ground = || {
                let base = &self.bases[plant.tree_index(id)].now;
                (base.orientation, base.angular_velocity)
            };
            let (frame, omega) = plant.parent(id).map_or_else(ground, |parent| {
                let parent = &motions[parent.0 as usize];
                (parent.orientation, parent.angular_velocity)
            });
            let turn = frame.inverse() * m.orientation;
            entry.state = JointState {
                q: (entry.joint.neutral.inverse() * Quat::of(turn)).normalized(),
                w: Vec3::of(m.orientation.inverse() * (m.angular_velocity - omega)),
                rate: Vec3::zero(),
            };
        }
        self.lay_out(&joints);
        self.release_all(&pieces);
        for piece in pieces {
            let m = &motions[piece.0 as usize];
            let at_joint = m.velocity + m.angular_velocity.cross(m.joint - m.center);
            self.edit_free(piece, |state, free| {
                (state.q, state.w) = (Quat::of(m.orientation), Vec3::of(m.orientation.inverse() * m.angular_velocity));
                (free.position, free.velocity) = (m.joint, Vec3::of(at_joint));
            });
        }
        if !removed.is_empty() {
            self.remove(&removed);
        }
        self.replace_all();
    }
}
