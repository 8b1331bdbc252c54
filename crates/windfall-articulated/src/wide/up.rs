//! The sweep up, eight bodies at a time: `implicit/sweep.rs` with the wind of `air/` and
//! `step/implicit/actions.rs`.

use std::ops::Add;

use fearless_simd::Simd;

use super::air::{self, Body};
use super::exchange::{Octets, add_rows, add_to, gathered, laid, lay, scattered};
use super::leaf::Blade;
use super::math::{F, Factors, LANES, M, Mask, Q, Sym, V, Wide, all, number};
use super::parent_kinematics::parents;
use super::rotation::{RotationVector, log};
use super::{guard, prefetch};
use crate::block::articulated::Articulated;
use crate::block::batch::{Batch, Way};
use crate::block::exchange::{Accumulators, ArticulatedAccumulator, RowLoad, WoodKinematics};
use crate::block::rows::Row;
use crate::block::{Block, Link};
use crate::implicit::{LOADED, Step};

/// The empty accumulator of most leaves.
static NOTHING: ArticulatedAccumulator<f32> = ArticulatedAccumulator([[0.0; 8]; 4]);
pub static NO_LOAD: RowLoad<f32> = [[Row([0.0; LANES]); 8]; 6];

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
    /// The part for a parent whose joint is at `-r`.
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

    /// With the terms of the joint's own motion in the accelerations.
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
fn octet<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: &[&ArticulatedAccumulator<f32>; LANES], k: usize) -> [F<S>; 8] {
    gathered(simd, [&a.0[k], &b.0[k], &c.0[k], &d.0[k], &e.0[k], &f.0[k], &g.0[k], &h.0[k]])
}

/// Whether the diagonal of a part lies between zero and the trace of the whole: with
/// [`Bundle::is_finite`], as [`Articulated::is_part_of`].
#[inline(always)]
pub fn between<S: Simd>(part: Sym<S>, trace: F<S>) -> Mask<S> {
    let (most, least) = (trace * all(trace.simd, 1.001), trace * all(trace.simd, -1e-3));
    part.xx.min(part.yy).min(part.zz).simd_ge(least) & part.xx.max(part.yy).max(part.zz).simd_le(most)
}

/// Mass of eight bodies with their riders, in their axes about their joints.
pub struct Lumped<S: Wide> {
    pub mass: F<S>,
    pub moment: V<S>,
    pub inertia: Sym<S>,
}

impl<S: Simd> Lumped<S> {
    /// Of any row.
    #[inline(always)]
    pub fn of(simd: S, block: &Block<f32>, row: usize) -> Self {
        let wood = block.model.masses.wood();
        if let Some(lumped) = wood.get(row) {
            let (moment, inertia) = (V::of(simd, &lumped.moment), Sym::of(simd, &lumped.inertia));
            return Self { mass: number(simd, &lumped.mass), moment, inertia };
        }
        let Blade { mass, moment, inertia } = Blade::of(simd, &block.model.masses, row - wood.len());
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
    let motion = &block.state.motions.rows()[row];
    let vector = log(Q::of(simd, &block.state.joints.rows()[row].q));
    let lumped = Lumped::of(simd, block, row);
    let rotation = Q::of(simd, &motion.orientation).matrix();
    let (omega, alpha) = (V::of(simd, &motion.omega), V::of(simd, &motion.alpha));
    let Lumped { mass: own, inertia, .. } = lumped;
    let moment = rotation * lumped.moment;
    let turning = guard::limited(omega, step.fastest_in_products);

    let ForParent { mut body, taut, pulled } = ForParent::borne(
        simd,
        collected(simd, (&mut block.scratch.accumulators, &mut block.scratch.wood_kinematics), (row, batch)),
    );
    if is_windy {
        let blade = lumped.blade();
        let around = Body { rotation, omega, alpha, turning, mass: own, inertia: inertia.trace(), blade };
        air::add(
            simd,
            &mut body,
            (&block.model.sails, &block.scratch.air),
            motion,
            row,
            batch.way == Way::Leaves,
            &around,
            step,
        );
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

    let pull = -(rotation * V::of(simd, &block.state.reactions.rows()[row].force));
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
    let work = &mut block.scratch.implicit.rows_mut()[row];
    body.put(&mut work.body);
    let (solved, push, to_top) = through_joint(&body, spring, turns, step);
    solved.put(&mut work.joint);
    push.put(&mut work.push);
    let arm = V::of(simd, &block.state.motions.rows()[row].arm);
    let said = ForParent::of(to_top, arm, pull);
    let links = parents(block, row);
    said.send(simd, block, (&links, row), !batch.apart);
}

/// The parts of children and actions for eight bodies.
#[inline(always)]
fn collected<'a, S: Simd>(
    simd: S,
    (accumulators, wood_kinematics): (&mut Accumulators<ArticulatedAccumulator<f32>>, &'a mut WoodKinematics<f32>),
    (row, batch): (usize, Batch),
) -> &'a RowLoad<f32> {
    let is_wood = batch.way == Way::Wood;
    // Leaves have no children.
    let is_given =
        if is_wood { batch.has_other_children || accumulators.is_filled() } else { !accumulators.leaves_are_free() };
    if !is_given && !batch.carries_bunch {
        return &NO_LOAD;
    }
    let row_load = &mut wood_kinematics.row_loads[row];
    if is_given && is_wood {
        let accumulators = accumulators.row(row);
        let mut given = ForParent::given(simd, &accumulators.each_ref());
        for (l, accumulator) in accumulators.iter_mut().enumerate() {
            if batch.apart >> l & 1 == 0 {
                accumulator.0 = [[0.0; 8]; 4];
            }
        }
        if batch.carries_bunch {
            given.add(ForParent::borne(simd, row_load));
        }
        given.row_load(row_load);
    } else if is_given {
        let accumulators = std::array::from_fn(|l| accumulators.of_leaf(row * LANES + l).unwrap_or(&NOTHING));
        ForParent::given(simd, &accumulators).row_load(row_load);
    }
    // Some thirty numbers that are needed one after the other: from here on they are read then, because
    // registers would be spilled to the stack.
    std::hint::black_box(row_load)
}

/// The parts of eight bodies for their parents, about their own joints.
#[derive(Clone, Copy)]
pub struct ForParent<S: Wide> {
    body: Bundle<S>,
    /// Their tension, and their pull.
    taut: F<S>,
    pulled: V<S>,
}

impl<S: Wide> ForParent<S> {
    /// Of bodies whose joints are at `arm`, given about these joints, with this pull.
    #[inline(always)]
    pub fn of(to_top: Bundle<S>, arm: V<S>, pull: V<S>) -> Self {
        Self { body: to_top.moved(arm), taut: guard::taut(arm, pull), pulled: pull }
    }

    /// Adds the parts of others.
    #[inline(always)]
    pub fn add(&mut self, o: Self) {
        self.body = self.body + o.body;
        self.taut += o.taut;
        self.pulled += o.pulled;
    }

    /// Adds it to the load of a row of wood.
    #[inline(always)]
    pub fn add_to(&self, row_load: &mut RowLoad<f32>) {
        for (rows, numbers) in row_load.iter_mut().zip(self.numbers()) {
            add_rows(rows, &numbers);
        }
    }

    /// In the order of the numbers of an [`ArticulatedAccumulator`].
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

impl<S: Simd> ForParent<S> {
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

    /// The contents of the accumulators.
    #[inline(always)]
    fn given(simd: S, accumulators: &[&ArticulatedAccumulator<f32>; LANES]) -> Self {
        let octet = [
            octet(simd, accumulators, 0),
            octet(simd, accumulators, 1),
            octet(simd, accumulators, 2),
            octet(simd, accumulators, 3),
        ];
        Self::of_numbers(octet)
    }

    /// The load of a row of wood.
    #[inline(always)]
    pub fn borne(simd: S, row_load: &RowLoad<f32>) -> Self {
        Self::of_numbers([
            laid(simd, &row_load[0]),
            laid(simd, &row_load[1]),
            laid(simd, &row_load[2]),
            laid(simd, &row_load[3]),
        ])
    }

    /// Stores it as the load of a row of wood.
    #[inline(always)]
    pub fn row_load(&self, row_load: &mut RowLoad<f32>) {
        for (rows, numbers) in row_load.iter_mut().zip(self.numbers()) {
            lay(rows, numbers);
        }
    }

    /// The numbers of each body.
    #[inline(always)]
    fn octets(&self) -> [Octets<S>; 4] {
        let [a, b, c, d] = self.numbers();
        [scattered(a), scattered(b), scattered(c), scattered(d)]
    }

    /// Adds it to the accumulators of those parents that lie in the block, and stores the parts for the
    /// top of those of a row that hang on it.
    #[inline(always)]
    pub fn send(&self, simd: S, block: &mut Block<f32>, (links, row): (&[Link; LANES], usize), lanes: u8) {
        let said = self.octets();
        for l in (0..LANES).filter(|l| lanes >> l & 1 == 1) {
            match links[l] {
                Link::Body(parent) => {
                    let accumulator = &mut block.scratch.accumulators.of_wood(parent as usize).0;
                    for k in 0..said.len() {
                        add_to(simd, &mut accumulator[k], said[k][l]);
                    }
                }
                Link::Top(_) => {
                    let entry = block.entry_of(row * LANES + l);
                    for k in 0..said.len() {
                        block.scratch.to_top[entry].0[k] = said[k][l].into();
                    }
                }
                Link::Base(_) | Link::Free(_) | Link::Removed => {}
            }
        }
    }
}

/// Effect of springs and dampers on the rotation vector of a joint.
#[derive(Clone, Copy)]
pub struct Spring<S: Wide> {
    pub force: V<S>,
    /// The diagonal of their resistance, and the share of damping in its sum.
    pub diagonal: V<S>,
    pub damped: F<S>,
    /// J^-1.
    pub rate: M<S>,
    /// The acceleration of the joint in the last step.
    pub last: V<S>,
}

impl<S: Wide> Spring<S> {
    /// Torque, and resistance, world axes.
    #[inline(always)]
    fn of_wood(&self, rotation: M<S>) -> (V<S>, Sym<S>) {
        let to_world = rotation * self.rate.transpose();
        (-(to_world * self.force), Sym::diagonal_turned(self.diagonal, to_world))
    }

    /// Torque, and a bound of the resistance, in the axes of the leaves: see the head of `implicit`.
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
    let (springs, states) =
        (&block.model.springs.rows()[row..][..S::ROWS], &block.state.joints.rows()[row..][..S::ROWS]);
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
    // A soft axis beside a rigid one is lost to rounding: none is more than `step.mixed` times as stiff
    // as another.
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
    let to_top = Bundle {
        inertia: a1,
        coupling: b1,
        mass: m1,
        torque: n.plus(a.full(), free),
        force: f.plus_transposed(b, free),
    }
    .moving(turns);
    let is_right = to_top.is_finite() & between(a1, a.trace()) & between(m1, m.trace());
    if is_right.all_true() {
        return (d, u, to_top);
    }
    // The small inertia is lost to rounding beside the large ones: the joint is rigid for this step.
    let rigid = body.moving(turns);
    (d.where_right(is_right), u, Bundle::select(is_right, to_top, rigid))
}
