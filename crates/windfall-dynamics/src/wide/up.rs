//! The sweep up, eight bodies at a time: `implicit/sweep.rs` with the wind of `air/` and `implicit/actions.rs`.

use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::air::{self, Body};
use super::guard;
use super::math::{F, Factors, LANES, M, Mask, Q, Sym, V, all};
use super::plan::{Batch, Way};
use super::rotation::log;
use crate::implicit::{Articulated, LOADED, Step, Work};
use crate::math::{Factored, Vec3};
use crate::world::block::{Block, Link};

/// `[N; F] = [A B; Bᵀ M] [alpha; a] + [n; f]` of eight bodies.
#[derive(Clone, Copy)]
pub struct Bundle<S: Simd> {
    pub inertia: Sym<S>,
    pub coupling: M<S>,
    pub mass: Sym<S>,
    pub torque: V<S>,
    pub force: V<S>,
}

impl<S: Simd> Bundle<S> {
    #[inline(always)]
    fn load(simd: S, work: &[&Work<f32>; LANES]) -> Self {
        Self {
            inertia: Sym::load(simd, |l| work[l].body.inertia),
            coupling: M::load(simd, |l| work[l].body.coupling),
            mass: Sym::load(simd, |l| work[l].body.mass),
            torque: V::load(simd, |l| work[l].body.torque),
            force: V::load(simd, |l| work[l].body.force),
        }
    }

    #[inline(always)]
    fn lane(&self, l: usize) -> Articulated<f32> {
        Articulated {
            inertia: self.inertia.lane(l),
            coupling: self.coupling.lane(l),
            mass: self.mass.lane(l),
            torque: self.torque.lane(l),
            force: self.force.lane(l),
        }
    }

    /// As [`Articulated::add_at`].
    #[inline(always)]
    pub fn add_at(&mut self, p: V<S>, g: Sym<S>, f: V<S>, centripetal: V<S>) {
        let pulled = g.full().crossed_by(p);
        self.inertia = self.inertia - pulled.times_cross(p).symmetric_part();
        self.coupling = self.coupling + pulled;
        self.mass = self.mass + g;
        let f = g * centripetal - f;
        self.force += f;
        self.torque += p.cross(f);
    }

    /// What a parent whose joint is at `-r` feels of it.
    #[inline(always)]
    fn moved(self, r: V<S>) -> Self {
        let moved = self.mass.full().crossed_by(r);
        let coupled = (self.coupling + self.coupling + moved).times_cross(r);
        Self {
            inertia: self.inertia - coupled.symmetric_part(),
            coupling: self.coupling + moved,
            torque: self.torque + r.cross(self.force),
            ..self
        }
    }

    #[inline(always)]
    fn select(mask: Mask<S>, yes: Self, no: Self) -> Self {
        Self {
            inertia: Sym::select(mask, yes.inertia, no.inertia),
            coupling: M::select(mask, yes.coupling, no.coupling),
            mass: Sym::select(mask, yes.mass, no.mass),
            torque: V::select(mask, yes.torque, no.torque),
            force: V::select(mask, yes.force, no.force),
        }
    }

    /// As [`Articulated::is_part_of`].
    #[inline(always)]
    fn is_part_of(&self, whole: &Self) -> Mask<S> {
        let [a, b, c] = self.coupling.rows;
        let sum = (a + b + c + self.torque + self.force).sum() + self.inertia.trace();
        sum.is_finite() & between(self.inertia, whole.inertia) & between(self.mass, whole.mass)
    }
}

/// Whether the diagonal of a part lies between zero and the whole.
#[inline(always)]
fn between<S: Simd>(part: Sym<S>, whole: Sym<S>) -> Mask<S> {
    let trace = whole.trace();
    let (most, least) = (trace * all(trace.simd, 1.001), trace * all(trace.simd, -1e-3));
    part.xx.min(part.yy).min(part.zz).simd_ge(least) & part.xx.max(part.yy).max(part.zz).simd_le(most)
}

/// Sweeps one batch.
#[inline(always)]
pub fn batch<S: Simd>(simd: S, block: &mut Block<f32>, batch: &Batch, step: &Step<f32>, is_windy: bool) {
    let at = batch.indices.map(|i| i as usize);
    let motion = at.map(|i| &block.motions[i]);
    let mass = at.map(|i| &block.masses[i]);
    let works = at.map(|i| &block.implicit[i]);
    let rotation = Q::load(simd, |l| motion[l].orientation).matrix();
    let (omega, alpha) = (V::load(simd, |l| motion[l].omega), V::load(simd, |l| motion[l].alpha));
    let arm = V::load(simd, |l| motion[l].arm);
    let own = all_of(simd, |l| mass[l].mass);
    let inertia = Sym::load(simd, |l| mass[l].inertia);
    let moment = rotation * V::load(simd, |l| mass[l].moment);
    let turning = guard::in_products(omega, step.h);

    let mut body = Bundle::load(simd, &works);
    if is_windy {
        let around = Body { rotation, omega, alpha, turning, mass: own, inertia: inertia.trace() };
        air::add(simd, &mut body, &block.sails, &motion, &at, batch.way == Way::Leaves, &around, step);
    }
    let inertia = inertia.turned(rotation);
    body.inertia = body.inertia + inertia;
    let [a, b, c] = &mut body.coupling.rows;
    (a.y, a.z) = (a.y - moment.z, a.z + moment.y);
    (b.x, b.z) = (b.x + moment.z, b.z - moment.x);
    (c.x, c.y) = (c.x - moment.y, c.y + moment.x);
    body.mass = body.mass.plus_diagonal(own);
    body.torque += turning.cross(inertia * turning);
    body.force += turning.cross(turning.cross(moment));

    let pull = -(rotation * V::load(simd, |l| block.reactions[at[l]].force));
    let tip = moment * (all(simd, 2.0) / own);
    let pulled = V::load(simd, |l| works[l].pulled);
    let taut = all_of(simd, |l| works[l].taut) + guard::taut(tip, pull - pulled);
    let old = omega - alpha * all(simd, step.age);
    guard::tension(&mut body, taut, rotation.column(1), old, step);

    let spring = spring(simd, block, &at, rotation, body.inertia.trace(), step);
    let (solved, push, handed) = through_joint(simd, &body, &spring, motion, step);

    for l in 0..batch.count {
        if block.links[at[l]] == Link::Gone {
            // The sweep down would not clear it again.
            continue;
        }
        let work = &mut block.implicit[at[l]];
        work.body = body.lane(l);
        work.joint = factored(&solved, l);
        work.push = push.lane(l);
        (work.taut, work.pulled) = (0.0, Vec3::zero());
    }
    let moved = handed.moved(arm);
    let hold = guard::taut(arm, pull);
    for l in 0..batch.count {
        match block.links[at[l]] {
            Link::Body(parent) => {
                let work = &mut block.implicit[parent as usize];
                let (body, more) = (&mut work.body, moved.lane(l));
                body.inertia += more.inertia;
                body.coupling += more.coupling;
                body.mass += more.mass;
                body.torque += more.torque;
                body.force += more.force;
                work.taut += hold[l];
                work.pulled += pull.lane(l);
            }
            Link::Top(_) => {
                let entry = block.entry_of(at[l]);
                block.handed[entry] = handed.lane(l);
            }
            Link::Base(_) | Link::Free(_) | Link::Gone => {}
        }
    }
}

/// One number of each body.
#[inline(always)]
pub fn all_of<S: Simd>(simd: S, of: impl Fn(usize) -> f32) -> F<S> {
    let numbers: [f32; LANES] = std::array::from_fn(of);
    numbers.simd_into(simd)
}

fn factored<S: Simd>(f: &Factors<S>, l: usize) -> Factored<f32> {
    Factored { i0: f.i0[l], i1: f.i1[l], i2: f.i2[l], l10: f.l10[l], l20: f.l20[l], l21: f.l21[l] }
}

/// Torque of springs and dampers, and their share of D.
#[derive(Clone, Copy)]
struct Spring<S: Simd> {
    torque: V<S>,
    resistance: Sym<S>,
}

#[inline(always)]
fn spring<S: Simd>(
    simd: S,
    block: &Block<f32>,
    at: &[usize; LANES],
    rotation: M<S>,
    trace: F<S>,
    step: &Step<f32>,
) -> Spring<S> {
    let springs = at.map(|i| &block.springs[i]);
    let states = at.map(|i| &block.states[i]);
    let h = all(simd, step.h);
    let share = all(simd, step.spring);
    let mut stiffness = V::load(simd, |l| springs[l].stiffness).min(trace * all(simd, step.stiffest));
    let mut damping = V::load(simd, |l| springs[l].damping).min(trace * all(simd, step.most_damped));
    // Beside a rigid axis a soft one drowns in rounding errors: none is more than `step.mixed` times as stiff as another.
    let each = stiffness * share + damping * h;
    let most = (trace + each.x.min(each.y).min(each.z)) * all(simd, step.mixed);
    let largest = each.x.max(each.y).max(each.z);
    if largest.simd_gt(most).any_true() {
        let scale = |x: F<S>| x.simd_gt(most).select(most / x, all(simd, 1.0));
        let scale = V::new(scale(each.x), scale(each.y), scale(each.z));
        (stiffness, damping) = (stiffness.scale(scale), damping.scale(scale));
    }
    let damping = damping + stiffness * all(simd, step.settle);
    let weight = damping_weight(damping.sum() * h, trace + stiffness.sum() * share, step);
    let vector = log(Q::load(simd, |l| states[l].q));
    let rate = vector.rate_matrix();
    let theta_rate = rate * (V::load(simd, |l| states[l].w) * all(simd, step.keep));
    let lag = stiffness.scale(rate * (V::load(simd, |l| states[l].rate) * all(simd, step.lag)));
    let tension = vector.spring_force(stiffness);
    let to_world = rotation * rate.transpose();
    let torque = -(to_world * (tension + damping.scale(theta_rate) + lag));
    let loaded = V::splat(tension.length() * all(simd, LOADED as f32));
    let diagonal = (stiffness + loaded) * share + damping * weight;
    Spring { torque, resistance: Sym::diagonal_turned(diagonal, to_world) }
}

/// As [`Step::damping_weight`].
#[inline(always)]
pub fn damping_weight<S: Simd>(damping: F<S>, inertia: F<S>, step: &Step<f32>) -> F<S> {
    let simd = damping.simd;
    let half = all(simd, 0.5);
    let excess = damping / (damping + inertia * all(simd, 6.0)) * half;
    let excess = excess.is_finite().select(excess, half);
    (half + excess) * all(simd, step.kick)
}

#[inline(always)]
fn through_joint<S: Simd>(
    simd: S,
    body: &Bundle<S>,
    spring: &Spring<S>,
    motion: [&crate::world::block::Motion<f32>; LANES],
    step: &Step<f32>,
) -> (Factors<S>, V<S>, Bundle<S>) {
    let Bundle { inertia: a, coupling: b, mass: m, torque: n, force: f } = *body;
    let resistance = spring.resistance;
    let d = (a + resistance).factor();
    let u = spring.torque - n;
    let free = guard::rate(d.solve(u), step.h);
    let pull = d.solve_matrix(b);
    let held = d.solve_matrix(resistance.full());
    let a1 = Sym::product(a.full(), held);
    let b1 = resistance.full() * pull;
    let m1 = m - Sym::product(b, pull);
    let coriolis = V::load(simd, |l| motion[l].coriolis);
    let centripetal = V::load(simd, |l| motion[l].centripetal);
    let handed = Bundle {
        inertia: a1,
        coupling: b1,
        mass: m1,
        torque: n + a * free + a1 * coriolis + b1 * centripetal,
        force: f + b.transpose_mul(free) + b1.transpose_mul(coriolis) + m1 * centripetal,
    };
    let is_right = handed.is_part_of(body);
    if is_right.all_true() {
        return (d, u, handed);
    }
    // Rounding has eaten up the small inertia beside the large ones: the joint is rigid for this step.
    let rigid = Bundle {
        torque: n + a * coriolis + b * centripetal,
        force: f + b.transpose_mul(coriolis) + m * centripetal,
        ..*body
    };
    let o = all(simd, 0.0);
    let keep = |x: F<S>| is_right.select(x, o);
    let d = Factors {
        i0: keep(d.i0),
        i1: keep(d.i1),
        i2: keep(d.i2),
        l10: keep(d.l10),
        l20: keep(d.l20),
        l21: keep(d.l21),
    };
    (d, u, Bundle::select(is_right, handed, rigid))
}
