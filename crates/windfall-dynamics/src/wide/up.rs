//! The sweep up, eight bodies at a time: `implicit/sweep.rs` with the wind of `air/` and `implicit/actions.rs`.

use std::ops::Add;

use fearless_simd::Simd;

use super::air::{self, Body};
use super::exchange::{Octets, add_rows, add_to, gathered, laid, lay, scattered};
use super::heard::parents;
use super::leaf::Blade;
use super::math::{F, Factors, LANES, M, Mask, Q, Sym, V, Wide, all, number};
use super::rotation::{RotationVector, log};
use super::{guard, prefetch};
use crate::implicit::{Articulated, LOADED, Step};
use crate::world::block::{Block, Link};
use crate::world::exchange::{Burden, Inbox, Inboxes, Told};
use crate::world::order::{Batch, Way};
use crate::world::rows::Row;

/// What most leaves are given.
static NOTHING: Inbox<f32> = Inbox([[0.0; 8]; 4]);
pub static NO_BURDEN: Burden<f32> = [[Row([0.0; LANES]); 8]; 6];

/// `[N; F] = [A B; Bᵀ M] [alpha; a] + [n; f]` of eight bodies.
#[derive(Clone, Copy)]
pub struct Bundle<S: Wide> {
    pub inertia: Sym<S>,
    pub coupling: M<S>,
    pub mass: Sym<S>,
    pub torque: V<S>,
    pub force: V<S>,
}

impl<S: Wide> Bundle<S> {
    /// What a parent whose joint is at `-r` feels of it.
    #[inline(always)]
    fn moved(self, r: V<S>) -> Self {
        let moved = self.mass.full().crossed_by(r);
        let coupled = (self.coupling + self.coupling + moved).times_cross(r);
        Self {
            inertia: self.inertia - coupled.symmetric_part(),
            coupling: self.coupling + moved,
            torque: r.cross_plus(self.force, self.torque),
            ..self
        }
    }
}

impl<S: Simd> Bundle<S> {
    #[inline(always)]
    fn put(self, row: &mut Articulated<Row<f32>>) {
        self.inertia.put(&mut row.inertia);
        self.coupling.put(&mut row.coupling);
        self.mass.put(&mut row.mass);
        self.torque.put(&mut row.torque);
        self.force.put(&mut row.force);
    }

    /// As [`Articulated::add_at`].
    #[inline(always)]
    pub fn add_at(&mut self, p: V<S>, g: Sym<S>, f: V<S>, centripetal: V<S>) {
        let pulled = g.full().crossed_by(p);
        self.inertia = self.inertia - pulled.times_cross_symmetric(p);
        self.coupling = self.coupling + pulled;
        self.mass = self.mass + g;
        let f = (-f).plus(g.full(), centripetal);
        self.force += f;
        self.torque = p.cross_plus(f, self.torque);
    }

    #[inline(always)]
    pub fn select(mask: Mask<S>, yes: Self, no: Self) -> Self {
        Self {
            inertia: Sym::select(mask, yes.inertia, no.inertia),
            coupling: M::select(mask, yes.coupling, no.coupling),
            mass: Sym::select(mask, yes.mass, no.mass),
            torque: V::select(mask, yes.torque, no.torque),
            force: V::select(mask, yes.force, no.force),
        }
    }

    #[inline(always)]
    pub fn is_finite(&self) -> Mask<S> {
        let [a, b, c] = self.coupling.rows;
        let sum = (a + b + c + self.torque + self.force).sum() + self.inertia.trace();
        sum.is_finite()
    }

    /// With what the joint's own motion adds to the accelerations.
    #[inline(always)]
    pub fn moving(self, (coriolis, centripetal): (V<S>, V<S>)) -> Self {
        let Self { inertia: a, coupling: b, mass: m, torque: n, force: f } = self;
        Self {
            torque: n.plus(a.full(), coriolis).plus(b, centripetal),
            force: f.plus_transposed(b, coriolis).plus(m.full(), centripetal),
            ..self
        }
    }
}

impl<S: Wide> Add for Bundle<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            inertia: self.inertia + o.inertia,
            coupling: self.coupling + o.coupling,
            mass: self.mass + o.mass,
            torque: self.torque + o.torque,
            force: self.force + o.force,
        }
    }
}

/// Eight numbers of each.
#[inline(always)]
fn octet<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: &[&Inbox<f32>; LANES], k: usize) -> [F<S>; 8] {
    gathered(simd, [&a.0[k], &b.0[k], &c.0[k], &d.0[k], &e.0[k], &f.0[k], &g.0[k], &h.0[k]])
}

/// Whether the diagonal of a part lies between zero and the trace of the whole: with [`Bundle::is_finite`], as [`Articulated::is_part_of`].
#[inline(always)]
pub fn between<S: Simd>(part: Sym<S>, trace: F<S>) -> Mask<S> {
    let (most, least) = (trace * all(trace.simd, 1.001), trace * all(trace.simd, -1e-3));
    part.xx.min(part.yy).min(part.zz).simd_ge(least) & part.xx.max(part.yy).max(part.zz).simd_le(most)
}

/// Mass of eight bodies and of what rides on them, in their axes about their joints.
pub struct Lumped<S: Wide> {
    pub mass: F<S>,
    pub moment: V<S>,
    pub inertia: Sym<S>,
}

impl<S: Simd> Lumped<S> {
    /// Of any row.
    #[inline(always)]
    pub fn of(simd: S, block: &Block<f32>, row: usize) -> Self {
        let wood = block.masses.wood();
        if let Some(lumped) = wood.get(row) {
            let (moment, inertia) = (V::of(simd, &lumped.moment), Sym::of(simd, &lumped.inertia));
            return Self { mass: number(simd, &lumped.mass), moment, inertia };
        }
        let Blade { mass, moment, inertia } = Blade::of(simd, &block.masses, row - wood.len());
        let o = all(simd, 0.0);
        let inertia = Sym { xx: inertia.x, yy: inertia.y, zz: inertia.z, xy: o, xz: o, yz: o };
        Self { mass, moment: V::new(o, moment, o), inertia }
    }

    /// Of leaves.
    #[inline(always)]
    pub fn blade(&self) -> Blade<S> {
        Blade { mass: self.mass, moment: self.moment.y, inertia: self.inertia.on_diagonal() }
    }
}

/// Sweeps one row.
#[inline(always)]
pub fn row<S: Simd>(simd: S, block: &mut Block<f32>, row: usize, batch: Batch, step: &Step<f32>, is_windy: bool) {
    let is_far = step.is_far && batch.way == Way::Wood;
    prefetch::wood_up(block, row, is_far);
    let motion = &block.motions.rows()[row];
    let vector = log(Q::of(simd, &block.states.rows()[row].q));
    let lumped = Lumped::of(simd, block, row);
    let rotation = Q::of(simd, &motion.orientation).matrix();
    let (omega, alpha) = (V::of(simd, &motion.omega), V::of(simd, &motion.alpha));
    let Lumped { mass: own, inertia, .. } = lumped;
    let moment = rotation * lumped.moment;
    let turning = guard::limited(omega, step.fastest_in_products);

    let Said { mut body, taut, pulled } =
        Said::borne(simd, collected(simd, (&mut block.inboxes, &mut block.told), (row, batch)));
    if is_windy {
        let blade = lumped.blade();
        let around = Body { rotation, omega, alpha, turning, mass: own, inertia: inertia.trace(), blade };
        air::add(simd, &mut body, &block.sails, motion, row, batch.way == Way::Leaves, &around, step);
    }
    let inertia = inertia.turned(rotation);
    body.inertia = body.inertia + inertia;
    let [a, b, c] = &mut body.coupling.rows;
    (a.y, a.z) = (a.y - moment.z, a.z + moment.y);
    (b.x, b.z) = (b.x + moment.z, b.z - moment.x);
    (c.x, c.y) = (c.x - moment.y, c.y + moment.x);
    body.mass = body.mass.plus_diagonal(own);
    body.torque = turning.cross_plus(inertia * turning, body.torque);
    body.force = turning.cross_plus(turning.cross(moment), body.force);

    let pull = -(rotation * V::of(simd, &block.reactions.rows()[row].force));
    let tip = moment * (all(simd, 2.0) / own);
    let taut = taut + guard::taut(tip, pull - pulled);
    let old = alpha.times_plus(all(simd, -step.age), omega);
    guard::tension(&mut body, taut, rotation.column(1), old, step);

    prefetch::wood_up_on(block, row, is_far);
    let spring = spring(simd, block, row, (vector, body.inertia.trace()), step, batch.way == Way::Leaves);
    let spring = match batch.way {
        Way::Leaves => {
            let (torque, bound) = spring.of_leaf();
            (rotation * torque, Sym::diagonal_turned(bound, rotation))
        }
        Way::Wood | Way::Single => spring.of_wood(rotation),
    };
    let turns = (V::of(simd, &motion.coriolis), V::of(simd, &motion.centripetal));
    let work = &mut block.implicit.rows_mut()[row];
    body.put(&mut work.body);
    let (solved, push, handed) = through_joint(&body, spring, turns, step);
    solved.put(&mut work.joint);
    push.put(&mut work.push);
    let arm = V::of(simd, &block.motions.rows()[row].arm);
    let said = Said::of(handed, arm, pull);
    let links = parents(block, row);
    said.send(simd, block, (&links, row), !batch.apart);
}

/// What children and actions give to eight bodies.
#[inline(always)]
fn collected<'a, S: Simd>(
    simd: S,
    (inboxes, told): (&mut Inboxes<Inbox<f32>>, &'a mut Told<f32>),
    (row, batch): (usize, Batch),
) -> &'a Burden<f32> {
    let is_wood = batch.way == Way::Wood;
    // Leaves carry nothing.
    let is_given = if is_wood { batch.talks || inboxes.is_filled() } else { !inboxes.leaves_are_free() };
    if !is_given && !batch.is_laden {
        return &NO_BURDEN;
    }
    let burden = &mut told.burdens[row];
    if is_given && is_wood {
        let inboxes = inboxes.row(row);
        let mut given = Said::given(simd, &inboxes.each_ref());
        for (l, inbox) in inboxes.iter_mut().enumerate() {
            if batch.apart >> l & 1 == 0 {
                inbox.0 = [[0.0; 8]; 4];
            }
        }
        if batch.is_laden {
            given.add(Said::borne(simd, burden));
        }
        given.burden(burden);
    } else if is_given {
        let inboxes = std::array::from_fn(|l| inboxes.of_leaf(row * LANES + l).unwrap_or(&NOTHING));
        Said::given(simd, &inboxes).burden(burden);
    }
    // Some thirty numbers that are needed one after the other: they are read then, instead of being kept in registers, or rather written to the stack, from here on.
    std::hint::black_box(burden)
}

/// What parents feel of eight bodies, about their own joints.
#[derive(Clone, Copy)]
pub struct Said<S: Wide> {
    body: Bundle<S>,
    /// How strongly they are pulled taut, and what they are pulled with.
    taut: F<S>,
    pulled: V<S>,
}

impl<S: Wide> Said<S> {
    /// Of bodies whose joints are at `arm`, given about these joints, and that pull so.
    #[inline(always)]
    pub fn of(handed: Bundle<S>, arm: V<S>, pull: V<S>) -> Self {
        Self { body: handed.moved(arm), taut: guard::taut(arm, pull), pulled: pull }
    }

    /// Adds what is said by others.
    #[inline(always)]
    pub fn add(&mut self, o: Self) {
        self.body = self.body + o.body;
        self.taut += o.taut;
        self.pulled += o.pulled;
    }

    /// Adds it to what a row of wood bears.
    #[inline(always)]
    pub fn add_to(&self, burden: &mut Burden<f32>) {
        for (rows, numbers) in burden.iter_mut().zip(self.numbers()) {
            add_rows(rows, &numbers);
        }
    }

    /// In the order of the numbers of an [`Inbox`].
    #[inline(always)]
    fn numbers(&self) -> [[F<S>; 8]; 4] {
        let Bundle { inertia: i, coupling: M { rows: [a, b, c] }, mass: m, torque: t, force: f } = self.body;
        let (taut, p) = (self.taut, self.pulled);
        [
            [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz, m.xx, m.yy],
            [m.zz, m.xy, m.xz, m.yz, a.x, a.y, a.z, b.x],
            [b.y, b.z, c.x, c.y, c.z, t.x, t.y, t.z],
            [f.x, f.y, f.z, taut, p.x, p.y, p.z, all(taut.simd, 0.0)],
        ]
    }
}

impl<S: Simd> Said<S> {
    #[inline(always)]
    fn of_numbers(numbers: [[F<S>; 8]; 4]) -> Self {
        let [a, b, c, d] = numbers;
        let [xx, yy, zz, xy, xz, yz, mxx, myy] = a;
        let inertia = Sym { xx, yy, zz, xy, xz, yz };
        let [mzz, xy, xz, yz, ax, ay, az, bx] = b;
        let mass = Sym { xx: mxx, yy: myy, zz: mzz, xy, xz, yz };
        let [by, bz, cx, cy, cz, tx, ty, tz] = c;
        let [fx, fy, fz, taut, px, py, pz, _] = d;
        let body = Bundle {
            inertia,
            coupling: M::new(V::new(ax, ay, az), V::new(bx, by, bz), V::new(cx, cy, cz)),
            mass,
            torque: V::new(tx, ty, tz),
            force: V::new(fx, fy, fz),
        };
        Self { body, taut, pulled: V::new(px, py, pz) }
    }

    /// What is in the inboxes.
    #[inline(always)]
    fn given(simd: S, inboxes: &[&Inbox<f32>; LANES]) -> Self {
        let octet =
            [octet(simd, inboxes, 0), octet(simd, inboxes, 1), octet(simd, inboxes, 2), octet(simd, inboxes, 3)];
        Self::of_numbers(octet)
    }

    /// What a row of wood bears.
    #[inline(always)]
    pub fn borne(simd: S, burden: &Burden<f32>) -> Self {
        Self::of_numbers([
            laid(simd, &burden[0]),
            laid(simd, &burden[1]),
            laid(simd, &burden[2]),
            laid(simd, &burden[3]),
        ])
    }

    /// Lays it onto a row of wood.
    #[inline(always)]
    pub fn burden(&self, burden: &mut Burden<f32>) {
        for (rows, numbers) in burden.iter_mut().zip(self.numbers()) {
            lay(rows, numbers);
        }
    }

    /// The numbers of each body.
    #[inline(always)]
    fn octets(&self) -> [Octets<S>; 4] {
        let [a, b, c, d] = self.numbers();
        [scattered(a), scattered(b), scattered(c), scattered(d)]
    }

    /// Puts it into the inboxes of those parents that lie in the block, and keeps what the top is given by those of a row that hang on it.
    #[inline(always)]
    pub fn send(&self, simd: S, block: &mut Block<f32>, (links, row): (&[Link; LANES], usize), lanes: u8) {
        let said = self.octets();
        for l in (0..LANES).filter(|l| lanes >> l & 1 == 1) {
            match links[l] {
                Link::Body(parent) => {
                    let inbox = &mut block.inboxes.of_wood(parent as usize).0;
                    for k in 0..said.len() {
                        add_to(simd, &mut inbox[k], said[k][l]);
                    }
                }
                Link::Top(_) => {
                    let entry = block.entry_of(row * LANES + l);
                    for k in 0..said.len() {
                        block.handed[entry].0[k] = said[k][l].into();
                    }
                }
                Link::Base(_) | Link::Free(_) | Link::Gone => {}
            }
        }
    }
}

/// What springs and dampers do to the rotation vector of a joint.
#[derive(Clone, Copy)]
pub struct Spring<S: Wide> {
    pub force: V<S>,
    /// The diagonal of what they resist with, and how much damping is part of its sum.
    pub diagonal: V<S>,
    pub damped: F<S>,
    /// J^-1.
    pub rate: M<S>,
    /// The acceleration of the joint in the last step.
    pub last: V<S>,
}

impl<S: Wide> Spring<S> {
    /// Torque, and what resists, world axes.
    #[inline(always)]
    fn of_wood(&self, rotation: M<S>) -> (V<S>, Sym<S>) {
        let to_world = rotation * self.rate.transpose();
        (-(to_world * self.force), Sym::diagonal_turned(self.diagonal, to_world))
    }

    /// Torque, and a bound of what resists, in the axes of the leaves: see the head of `implicit`.
    #[inline(always)]
    pub fn of_leaf(&self) -> (V<S>, V<S>) {
        let back = self.rate.transpose();
        let bound = Sym::diagonal_turned(self.diagonal, back).row_sums();
        let share = self.damped / self.diagonal.sum().max(all(bound.x.simd, f32::MIN_POSITIVE));
        ((self.last * share).scale(bound) - back * self.force, bound)
    }
}

/// `trace` is that of the inertia that they hold.
#[inline(always)]
pub fn spring<S: Wide>(
    simd: S,
    block: &Block<f32>,
    row: usize,
    (vector, trace): (RotationVector<S>, F<S>),
    step: &Step<f32>,
    are_leaves: bool,
) -> Spring<S> {
    let (springs, states) = (&block.springs.rows()[row..][..S::ROWS], &block.states.rows()[row..][..S::ROWS]);
    let h = all(simd, step.h);
    let share = all(simd, step.spring);
    let mut stiffness = V::at(simd, |j| &springs[j].stiffness).min(trace * all(simd, step.stiffest));
    let mut beta = F::at(simd, |j| &springs[j].beta);
    let least = stiffness.x.min(stiffness.y).min(stiffness.z);
    let largest = stiffness.x.max(stiffness.y).max(stiffness.z);
    let most_damped = trace * all(simd, step.most_damped);
    let is_over = (largest * beta).simd_gt(most_damped);
    if is_over.any_true() {
        beta = is_over.select(most_damped / largest, beta);
    }
    // Beside a rigid axis a soft one drowns in rounding errors: none is more than `step.mixed` times as stiff as another.
    let each = beta.mul_add(h, share);
    let most = least.mul_add(each, trace) * all(simd, step.mixed);
    if (largest * each).simd_gt(most).any_true() {
        stiffness = stiffness.min(most / each);
    }
    let beta = beta + all(simd, step.settle);
    let sum = stiffness.sum();
    let weight = damping_weight(sum * beta * h, sum.mul_add(share, trace), step);
    let damped = beta * weight;
    let rate = vector.rate_matrix();
    let last = V::at(simd, |j| &states[j].rate);
    let tension = vector.spring_force(stiffness, are_leaves);
    let lag = all(simd, step.lag);
    let lag = if are_leaves { lag + damped } else { lag };
    let moved = V::at(simd, |j| &states[j].w).times_plus(beta * all(simd, step.keep), last * lag);
    let force = stiffness.scale_plus(rate * moved, tension);
    let loaded = tension.length() * all(simd, LOADED as f32 * step.spring);
    let diagonal = stiffness.times_plus(share + damped, V::splat(loaded));
    Spring { force, diagonal, damped: sum * damped, rate, last }
}

/// As [`Step::damping_weight`].
#[inline(always)]
pub fn damping_weight<S: Wide>(damping: F<S>, inertia: F<S>, step: &Step<f32>) -> F<S> {
    let simd = damping.simd;
    let excess = damping / inertia.mul_add(all(simd, 6.0), damping);
    let excess = excess.is_finite().select(excess, all(simd, 1.0));
    let half = all(simd, 0.5 * step.kick);
    excess.mul_add(half, half)
}

#[inline(always)]
fn through_joint<S: Simd>(
    body: &Bundle<S>,
    (spring, resistance): (V<S>, Sym<S>),
    turns: (V<S>, V<S>),
    step: &Step<f32>,
) -> (Factors<S>, V<S>, Bundle<S>) {
    let Bundle { inertia: a, coupling: b, mass: m, torque: n, force: f } = *body;
    let d = (a + resistance).factor();
    let u = spring - n;
    let free = guard::rate(d.solve(u), step.largest_rate);
    let pull = d.solve_matrix(b);
    let held = d.solve_matrix(resistance.full());
    let a1 = Sym::product(a.full(), held);
    let b1 = resistance.full() * pull;
    let m1 = m - Sym::product(b, pull);
    let handed = Bundle {
        inertia: a1,
        coupling: b1,
        mass: m1,
        torque: n.plus(a.full(), free),
        force: f.plus_transposed(b, free),
    }
    .moving(turns);
    let is_right = handed.is_finite() & between(a1, a.trace()) & between(m1, m.trace());
    if is_right.all_true() {
        return (d, u, handed);
    }
    // Rounding has eaten up the small inertia beside the large ones: the joint is rigid for this step.
    let rigid = body.moving(turns);
    (d.where_right(is_right), u, Bundle::select(is_right, handed, rigid))
}
