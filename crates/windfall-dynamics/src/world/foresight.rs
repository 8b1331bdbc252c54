//! One pass over memory in a step: a block that was swept down is at once swept up for the next step, while it is in the caches.
//!
//! The sweep up needs the state, the wind at the new places, and the length of the step. If the next step is another one (its length, the wind, gravity), or if anything
//! touched a block in between (`blocks.rs`), it is swept up again, as it would have been: the results are the same to the bit. So that this is not done in
//! vain, steps look ahead only when they go on as the step before, and not in blocks in which something was touched.
//!
//! A wind is therefore asked for the beginning of the next step at the end of this one. It is a function of place and time ([`Wind`]), and one that is replaced is asked again.

use std::sync::Arc;

use windfall_core::Wind;
use windfall_core::glam::DVec3;

use super::World;
use crate::math::Real;
use crate::{analytic, implicit};

/// The step of either method; [`analytic::Step::frames`] left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Key<T> {
    Implicit(implicit::Step<T>),
    Analytic(analytic::Step<T>),
}

/// What the blocks that are ready were swept up for.
#[derive(Debug, Clone)]
struct Outlook<T> {
    key: Key<T>,
    /// s.
    time: f64,
    wind: Option<Arc<dyn Wind>>,
}

impl<T: Real> Outlook<T> {
    fn has_wind(&self, wind: Option<&Arc<dyn Wind>>) -> bool {
        match (&self.wind, wind) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }
}

/// See the head of the module.
#[derive(Debug, Clone)]
pub(crate) struct Foresight<T> {
    outlook: Option<Outlook<T>>,
    /// Where the bases of the trees are, with it.
    anchors: Vec<DVec3>,
    /// Length of the last step, s.
    last: f64,
    /// Whether this step goes on as the last one.
    is_steady: bool,
}

impl<T> Default for Foresight<T> {
    fn default() -> Self {
        Self { outlook: None, anchors: Vec::new(), last: 0.0, is_steady: false }
    }
}

impl<T> Foresight<T> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        super::bytes::held(&self.anchors)
    }
}

impl<T: Real> World<T> {
    /// Before the sweep up: whether blocks that are ready need not be swept. `anchors` are those of this step.
    pub(crate) fn is_foreseen(&mut self, key: Key<T>, dt: f64, anchors: &[DVec3]) -> bool {
        let is_stirred = self.blocks.take_stirred();
        let (time, trees) = (self.time, self.bases.len());
        let Self { foresight, wind, .. } = self;
        let goes_on = |outlook: &Outlook<T>| !is_stirred && outlook.has_wind(wind.as_ref());
        let before = foresight.outlook.as_ref().filter(|outlook| goes_on(outlook));
        let is_known = before.is_some_and(|outlook| outlook.time == time && outlook.key == key)
            && foresight.anchors[..] == anchors[..trees];
        foresight.is_steady = before.is_some() && foresight.last == dt;
        foresight.last = dt;
        foresight.remember(Outlook { key, time, wind: wind.clone() }, anchors[..trees].iter().copied());
        is_known
    }

    /// Before the sweep down of a step of `dt` seconds: whether blocks are to be swept up at once for the next one, `key`; then it says where the trees will be.
    pub(crate) fn foresee(&mut self, key: Key<T>, dt: f64, anchors: &mut Vec<DVec3>) -> bool {
        if !self.foresight.is_steady {
            return false;
        }
        let time = self.time + dt;
        let Self { foresight, wind, bases, plant, .. } = self;
        anchors.clear();
        anchors.extend(plant.trees().iter().zip(bases).map(|(tree, base)| tree.origin + base.next.position));
        foresight.remember(Outlook { key, time, wind: wind.clone() }, anchors.iter().copied());
        true
    }
}

impl<T> Foresight<T> {
    fn remember(&mut self, outlook: Outlook<T>, anchors: impl Iterator<Item = DVec3>) {
        self.outlook = Some(outlook);
        self.anchors.clear();
        self.anchors.extend(anchors);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windfall_core::glam::DVec3;
    use windfall_core::{Actions, Base, BodyId, Grab, Load, Pose, Solver};

    use crate::world::block::NOBODY;
    use crate::{Method, Params, World};

    fn maple() -> World<f32> {
        let species = windfall_grow::Species::named("maple").expect("a species");
        let plant = windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(16_000), seed: 1 });
        World::new(plant.expect("it grows"), Params::default(), Method::Implicit).expect("fine parameters")
    }

    fn wind(speed: f64) -> Arc<dyn windfall_core::Wind> {
        let text = format!("kind = 'grid'\nspeed = {speed}");
        Arc::new(windfall_wind::WindSpec::from_toml(&text).expect("a wind").build().expect("it builds"))
    }

    /// What happens before step n, and what acts in it. All that a user may do between steps.
    fn happens(world: &mut World<f32>, n: usize) -> (f64, Vec<Load>, Vec<Grab>) {
        let last = BodyId(world.plant().body_count() as u32 - 1);
        match n {
            2 => world.set_wind(Some(wind(6.0))),
            12 => world.set_wind(Some(wind(9.0))),
            15 => world.set_gravity(DVec3::new(0.5, -9.0, 0.0)),
            18 => world.set_params(Params { mass_damping: 0.1, ..world.params().clone() }).expect("fine"),
            22 => drop(world.release(BodyId(900))),
            25 => world.remove(&[last]),
            30..36 => world.set_base(0, Base { position: DVec3::X * 0.01 * n as f64, ..Base::default() }),
            40 => world.set_method(Method::Analytic),
            52 => world.set_wind(None),
            56 => world.set_wind(Some(wind(7.0))),
            60 => world.set_method(Method::Implicit),
            // The uppermost of the boughs that blocks hang on: others stay where they are.
            64 => drop(
                world.release(BodyId(world.top.ids.iter().copied().filter(|&id| id != NOBODY).max().expect("some"))),
            ),
            _ => {}
        }
        let loads = if n % 10 == 7 { vec![Load::force(BodyId(500), DVec3::ZERO, DVec3::X * 0.1)] } else { vec![] };
        let grab = Grab {
            body: BodyId(300),
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
        let mut foreseen = 0;
        for n in 0..90 {
            let mut poses = [Pose::default(), Pose::default()];
            for (world, pose) in [&mut ahead, &mut plain].into_iter().zip(&mut poses) {
                let (dt, loads, grabs) = happens(world, n);
                world.step(dt, &Actions { loads: &loads, grabs: &grabs, touches: &[] }).expect("a step");
                world.write_pose(pose);
            }
            foreseen += usize::from(ahead.blocks.iter().any(|block| block.is_ready));
            // As if somebody had changed something.
            let _ = &mut plain.blocks[..];
            let [a, b] = poses;
            assert!(a.positions == b.positions && a.orientations == b.orientations, "step {n}");
            for body in (0..ahead.plant().body_count() as u32).step_by(37).map(BodyId) {
                assert_eq!(ahead.joint_load(body), plain.joint_load(body), "step {n}, body {}", body.0);
            }
        }
        assert!(foreseen > 40, "{foreseen} of 90 steps");
    }
}
