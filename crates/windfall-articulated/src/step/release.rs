//! Cutting bodies off during a run: the new pieces, and the accelerations that their next step begins with.

use windfall_core::BodyId;

use super::implicit;
use crate::math::Real;
use crate::world::{Method, World};

impl<T: Real> World<T> {
    /// Cuts a body off its parent (a root: off the ground). It keeps its velocity, and its subtree goes
    /// with it. Returns the number of the piece; the same again if it was cut before.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn release(&mut self, body: BodyId) -> usize {
        self.release_all(&[body]);
        let known = self.pieces.iter().position(|&p| p == body).expect("it was cut off just now, or before");
        self.bases.len() + known
    }

    /// Cuts many bodies off at once: equal to one after the other, but in one pass. Bodies that were cut
    /// off before stay as they are.
    ///
    /// # Panics
    /// If the plant has no such body, or it is a leaf or fruit that fell off.
    pub fn release_all(&mut self, bodies: &[BodyId]) {
        let Some(first) = self.cut(bodies) else { return };
        if self.method() == Method::Analytic {
            implicit::find_accelerations(self, first);
        }
        self.forget_pushes();
    }
}
