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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windfall_core::glam::DVec3;
    use windfall_core::{BodyId, Pose};
    use windfall_solver::input::EARTH;
    use windfall_solver::{Base, Grab, Load, MovingBases, Solver, StepInput};

    use crate::block::PADDING;
    use crate::{Method, World};
    use windfall_solver::Params;

    fn maple() -> World<f32> {
        let species = windfall_grow::Species::named("maple").expect("a species");
        let plant = windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(16_000), seed: 1 });
        World::new(plant.expect("it grows"), Params::default(), Method::Implicit).expect("fine parameters")
    }

    fn wind(speed: f64) -> Arc<dyn windfall_solver::Wind> {
        let text = format!("kind = 'grid'\nspeed = {speed}");
        Arc::new(windfall_wind::WindSpec::from_toml(&text).expect("a wind").build().expect("it builds"))
    }

    /// The environment of a world.
    #[derive(Clone)]
    struct Around {
        wind: Option<Arc<dyn windfall_solver::Wind>>,
        gravity: DVec3,
        bases: MovingBases,
    }

    /// The changes before step n, and the actions in it: all kinds that a caller may make between steps.
    fn happens(world: &mut World<f32>, around: &mut Around, n: usize) -> (f64, Vec<Load>, Vec<Grab>) {
        let last = BodyId(world.plant().body_count() as u32 - 1);
        match n {
            2 => around.wind = Some(wind(6.0)),
            12 => around.wind = Some(wind(9.0)),
            15 => around.gravity = DVec3::new(0.5, -9.0, 0.0),
            18 => world.set_params(Params { mass_damping: 0.1, ..world.params().clone() }).expect("fine"),
            22 => drop(world.release(BodyId(900))),
            25 => world.remove(&[last]),
            30..36 => around.bases.set(0, Base { position: DVec3::X * 0.01 * n as f64, ..Base::default() }),
            40 => world.set_method(Method::Analytic),
            52 => around.wind = None,
            56 => around.wind = Some(wind(7.0)),
            60 => world.set_method(Method::Implicit),
            // The uppermost of the boughs of the top block: the other blocks stay in place.
            64 => {
                let ids = world.top.model.ids.iter().copied();
                world.release(BodyId(ids.filter(|&id| id != PADDING).max().expect("some")));
            }
            _ => {}
        }
        let loads = if n % 10 == 7 { vec![Load::force(BodyId(500), DVec3::ZERO, DVec3::X * 0.1)] } else { vec![] };
        let grab = Grab {
            body: BodyId(300).into(),
            point: DVec3::ZERO,
            target: DVec3::new(0.3, 2.0, 0.1),
            target_velocity: DVec3::ZERO,
            stiffness: 5.0,
            damping: 0.1,
        };
        let grabs = if (44..47).contains(&n) || n == 5 { vec![grab] } else { vec![] };
        (if n == 10 { 0.02 } else { 1.0 / 30.0 }, loads, grabs)
    }

    #[test]
    fn what_was_swept_ahead_is_what_would_have_been_swept_later() {
        let (mut ahead, mut plain) = (maple(), maple());
        let mut looked_ahead = 0;
        let around = Around { wind: None, gravity: EARTH, bases: MovingBases::at_rest(1) };
        let mut arounds = [around.clone(), around];
        for n in 0..90 {
            let mut poses = [Pose::default(), Pose::default()];
            for ((world, around), pose) in [&mut ahead, &mut plain].into_iter().zip(&mut arounds).zip(&mut poses) {
                let (dt, loads, grabs) = happens(world, around, n);
                around.bases.end_at(world.time() + dt);
                let input = StepInput::new().gravity(around.gravity).wind(around.wind.as_ref()).bases(&around.bases);
                world.step(dt, &mut input.loads(&loads).grabs(&grabs)).expect("a step");
                around.bases.go_on();
                *pose = world.pose();
            }
            looked_ahead += usize::from(ahead.blocks.iter().any(|block| block.plan.is_ready));
            // Marks all blocks as changed.
            let _ = plain.blocks.change_joints();
            let [a, b] = poses;
            assert!(a.positions == b.positions && a.orientations == b.orientations, "step {n}");
            for body in (0..ahead.plant().body_count() as u32).step_by(37).map(BodyId) {
                assert_eq!(ahead.joint_load(body), plain.joint_load(body), "step {n}, body {}", body.0);
            }
        }
        assert!(looked_ahead > 40, "{looked_ahead} of 90 steps");
    }
}
