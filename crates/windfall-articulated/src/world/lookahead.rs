//! One pass over memory in a step: each block is swept up for the next step right after its sweep down,
//! while it is in the caches.
//!
//! The sweep up needs the state, the wind at the new places, and the length of the step. If any of these
//! turns out different (step length, wind, gravity), or if a block was changed in between (`blocks.rs`),
//! it is swept up again as usual: the results are the same to the bit. To avoid wasted sweeps, steps look
//! ahead only when they continue the step before, and not in blocks on whose bodies loads acted.
//!
//! A wind is therefore sampled at the end of this step for the beginning of the next. It is a function of
//! place and time ([`Wind`]), and one that is replaced is sampled again.

use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_solver::Wind;

use crate::math::Real;
use crate::world::World;
use crate::{analytic, implicit};

/// The key of a step of either method; [`analytic::Step::frames`] left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Key<T> {
    Implicit(implicit::Step<T>),
    Analytic(analytic::Step<T>),
}

/// The step for which the ready blocks were swept up.
#[derive(Debug, Clone)]
struct Prepared<T> {
    key: Key<T>,
    /// Time at the beginning of the step, s.
    time: f64,
    wind: Option<Arc<dyn Wind>>,
}

impl<T: Real> Prepared<T> {
    fn has_wind(&self, wind: Option<&Arc<dyn Wind>>) -> bool {
        match (&self.wind, wind) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }
}

/// See the head of the module.
#[derive(Debug, Clone)]
pub(crate) struct Lookahead<T> {
    prepared: Option<Prepared<T>>,
    /// Anchors of the trees at that time.
    anchors: Vec<DVec3>,
    /// Length of the last step, s.
    last: f64,
    /// Whether this step continues the last one.
    is_steady: bool,
}

impl<T> Default for Lookahead<T> {
    fn default() -> Self {
        Self { prepared: None, anchors: Vec::new(), last: 0.0, is_steady: false }
    }
}

impl<T> Lookahead<T> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        crate::block::bytes::held(&self.anchors)
    }
}

impl<T: Real> World<T> {
    /// Before the sweep up: whether blocks that are ready need not be swept. `anchors` are those of this
    /// step.
    pub(crate) fn was_looked_ahead(&mut self, key: Key<T>, dt: f64, anchors: &[DVec3]) -> bool {
        let is_changed = self.blocks.take_changed();
        let (time, trees) = (self.time, self.bases.len());
        let Self { lookahead, wind, .. } = self;
        let goes_on = |prepared: &Prepared<T>| !is_changed && prepared.has_wind(wind.as_ref());
        let before = lookahead.prepared.as_ref().filter(|prepared| goes_on(prepared));
        let is_known = before.is_some_and(|prepared| prepared.time == time && prepared.key == key)
            && lookahead.anchors[..] == anchors[..trees];
        lookahead.is_steady = before.is_some() && lookahead.last == dt;
        lookahead.last = dt;
        lookahead.remember(Prepared { key, time, wind: wind.clone() }, anchors[..trees].iter().copied());
        is_known
    }

    /// Before the sweep down of a step of `dt` seconds: whether blocks are to be swept up at once for the
    /// next step, `key`; if so, `anchors` becomes the anchors of the trees in that step.
    pub(crate) fn look_ahead(&mut self, key: Key<T>, dt: f64, anchors: &mut Vec<DVec3>) -> bool {
        if !self.lookahead.is_steady {
            return false;
        }
        let time = self.time + dt;
        let Self { lookahead, wind, bases, plant, .. } = self;
        anchors.clear();
        anchors.extend(plant.trees().iter().zip(bases).map(|(tree, base)| tree.origin + base.next.position));
        lookahead.remember(Prepared { key, time, wind: wind.clone() }, anchors.iter().copied());
        true
    }
}

impl<T> Lookahead<T> {
    fn remember(&mut self, prepared: Prepared<T>, anchors: impl Iterator<Item = DVec3>) {
        self.prepared = Some(prepared);
        self.anchors.clear();
        self.anchors.extend(anchors);
    }
}
