//! Energy and momentum, in f64 whatever the precision of the solver.

use windfall_core::glam::{DMat3, DQuat, DVec3};

use crate::block::{Block, Link, Motion, guard};
use crate::math::{Quat, Real, Vec3, log};
use crate::world::{Method, World};

/// Energy of all simulated bodies, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Elastic energy of the joint springs; rigid joints have none.
    pub spring: f64,
    /// Potential energy of height: zero at the origin of each tree.
    pub gravity: f64,
}

impl Energy {
    /// The sum, J.
    pub fn total(&self) -> f64 {
        self.kinetic + self.spring + self.gravity
    }
}

/// Mass and momentum of one piece: a tree, or a part that has broken off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Momentum {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, world metres.
    pub center: DVec3,
    /// Linear momentum, kg m/s.
    pub linear: DVec3,
    /// Angular momentum about the centre of mass, kg m²/s.
    pub angular: DVec3,
    /// Inertia about the centre of mass as if the piece were rigid, kg m².
    pub inertia: DMat3,
}

impl Momentum {
    /// Velocity of the centre of mass, m/s.
    pub fn velocity(&self) -> DVec3 {
        if self.mass > 0.0 { self.linear / self.mass } else { DVec3::ZERO }
    }

    /// The angular velocity of a rigid body with the same inertia and angular momentum, rad/s.
    pub fn angular_velocity(&self) -> DVec3 {
        let scale = self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z;
        if scale > 0.0 { (self.inertia * scale.recip()).inverse() * (self.angular / scale) } else { DVec3::ZERO }
    }
}

impl<T: Real> World<T> {
    /// The energy of all simulated bodies.
    pub fn energy(&self) -> Energy {
        let mut energy = Energy::default();
        for block in self.all_blocks() {
            for i in 0..block.len() {
                let body = self.body_energy(block, i);
                energy.kinetic += body.kinetic;
                energy.spring += body.spring;
                energy.gravity += body.gravity;
            }
        }
        energy
    }

    /// The energy of one body and its joint.
    pub(crate) fn body_energy(&self, block: &Block<T>, i: usize) -> Energy {
        if block.state.links[i] == Link::Removed {
            return Energy::default();
        }
        let (motion, mass) = (block.motion(i), block.model.masses.get(i));
        let (m, moment) = (mass.mass.f64(), (motion.rotation() * mass.moment).f64());
        let (v, omega) = (motion.velocity, motion.omega);
        let spin = motion.rotation().transpose_mul(omega);
        let turning = (mass.inertia * spin).dot(spin).f64();
        let (v, omega) = (v.f64(), omega.f64());
        let tree = self.plant.tree_index(windfall_core::BodyId(block.model.ids[i]));
        let from = self.anchor_position(motion.anchor) - self.plant.trees()[tree].origin;
        let mut energy = Energy {
            kinetic: 0.5 * m * v.length_squared() + v.dot(omega.cross(moment)) + 0.5 * turning,
            spring: 0.0,
            gravity: -self.gravity.dot(m * (from + motion.position.f64()) + moment),
        };
        if !matches!(block.state.links[i], Link::Free(_)) {
            let vector = log(block.state.joints.get(i).q);
            let theta = vector.theta.f64();
            let scale = match self.method() {
                // The closed form of the method covers the linear spring only.
                Method::Analytic if (motion.anchor as usize) < self.bases.len() => 1.0,
                _ => vector.spring_energy_scale().f64(),
            };
            let k = block.spring(i).stiffness.f64();
            let part = |k: f64, t: f64| if k.is_finite() { 0.5 * k * t * t } else { 0.0 };
            energy.spring = scale * (part(k.x, theta.x) + part(k.y, theta.y) + part(k.z, theta.z));
        }
        energy
    }

    /// Mass and momentum of a piece: trees come first, then the parts that broke off ([`World::pieces`]).
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn momentum(&self, piece: usize) -> Momentum {
        self.momentum_of(piece as u32)
    }

    /// Mass and momentum of all free pieces, in one pass.
    pub(crate) fn piece_momenta(&self) -> Vec<Momentum> {
        let trees = self.bases.len();
        let mut sums = vec![Sum::ZERO; self.pieces.len()];
        if sums.is_empty() {
            return Vec::new();
        }
        for block in self.all_blocks() {
            for i in 0..block.len() {
                let motion = block.motion(i);
                if let Some(piece) = (motion.anchor as usize).checked_sub(trees) {
                    sums[piece].add(block, i, &motion);
                }
            }
        }
        sums.into_iter().enumerate().map(|(i, sum)| sum.momentum(self.anchor_position((trees + i) as u32))).collect()
    }

    pub(crate) fn momentum_of(&self, anchor: u32) -> Momentum {
        let mut sum = Sum::ZERO;
        for block in self.all_blocks() {
            for i in 0..block.len() {
                let motion = block.motion(i);
                if motion.anchor == anchor {
                    sum.add(block, i, &motion);
                }
            }
        }
        sum.momentum(self.anchor_position(anchor))
    }
}

/// Sums about the anchor.
#[derive(Clone)]
struct Sum {
    mass: f64,
    first: DVec3,
    linear: DVec3,
    angular: DVec3,
    inertia: DMat3,
}

impl Sum {
    /// Not derived, because the default of a glam matrix is the identity.
    const ZERO: Self =
        Self { mass: 0.0, first: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO, inertia: DMat3::ZERO };

    fn add<T: Real>(&mut self, block: &Block<T>, i: usize, motion: &Motion<T>) {
        if block.state.links[i] == Link::Removed {
            return;
        }
        let (mass, rotation) = (block.model.masses.get(i), motion.rotation());
        let (v, omega) = (motion.velocity, motion.omega);
        let (v, omega) = (v.f64(), omega.f64());
        let (m, moment) = (mass.mass.f64(), (rotation * mass.moment).f64());
        let full = mass.inertia.turned(rotation).full();
        let about_joint = DMat3::from_cols(full.column(0).f64(), full.column(1).f64(), full.column(2).f64());
        let x = motion.position.f64();
        let p = m * v + omega.cross(moment);
        let center = moment / m;
        self.mass += m;
        self.first += m * x + moment;
        self.linear += p;
        self.angular += x.cross(p) + moment.cross(v) + about_joint * omega;
        self.inertia += about_joint + point_inertia(center, -m) + point_inertia(x + center, m);
    }

    fn momentum(self, anchor: DVec3) -> Momentum {
        if self.mass == 0.0 {
            let o = DVec3::ZERO;
            return Momentum { mass: 0.0, center: anchor, linear: o, angular: o, inertia: DMat3::ZERO };
        }
        let center = self.first / self.mass;
        Momentum {
            mass: self.mass,
            center: anchor + center,
            linear: self.linear,
            angular: self.angular - center.cross(self.linear),
            inertia: self.inertia + point_inertia(center, -self.mass),
        }
    }
}

fn point_inertia(r: DVec3, m: f64) -> DMat3 {
    let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
    (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer) * m
}

impl<T: Real> World<T> {
    /// Turns a piece with all of its velocities about its centre; `now` is its momentum. The caller must
    /// call [`World::replace_pieces`] afterwards.
    pub(crate) fn turn_piece(&mut self, piece: usize, now: &Momentum, turn: DVec3) {
        let rotation = DQuat::from_scaled_axis(turn);
        self.edit_free(self.pieces[piece], |state, free| {
            free.position = now.center + rotation * (free.position - now.center);
            free.velocity = Vec3::of(now.velocity() + rotation * (free.velocity.f64() - now.velocity()));
            state.q = (Quat::of(rotation) * state.q).normalized();
        });
    }

    /// Moves and turns the root of every piece so that centre and momentum at the time of the pose change
    /// from `now` to `wanted`.
    pub(crate) fn restore_momenta(&mut self, now: &[Momentum], wanted: &[Momentum]) {
        for (i, (wanted, now)) in wanted.iter().zip(now).enumerate() {
            let body = self.pieces[i];
            let missing =
                Momentum { linear: wanted.linear - now.linear, angular: wanted.angular - now.angular, ..*now };
            let omega = missing.angular_velocity();
            let rotation = self.motion_of(body).rotation();
            self.edit_free(body, |state, free| {
                let velocity = missing.velocity() - omega.cross(now.center - free.position);
                let fast = wanted.velocity().length() > guard::FASTEST
                    || wanted.angular_velocity().length() > guard::FASTEST_SPIN;
                if fast || !(omega.is_finite() && velocity.is_finite() && wanted.center.is_finite()) {
                    return;
                }
                free.position += wanted.center - now.center;
                free.velocity = guard::velocity(free.velocity + Vec3::of(velocity));
                state.w += rotation.transpose_mul(Vec3::of(omega));
            });
        }
        self.replace_pieces();
    }
}

/// Called before the joints of each free piece lose the factor `keep` of their velocity: gives its root
/// the velocity that keeps the momentum of the piece.
pub(crate) fn keep_momentum<T: Real>(world: &mut World<T>, keep: impl Fn(usize) -> T) {
    for (i, mean) in world.piece_momenta().into_iter().enumerate() {
        let body = world.pieces[i];
        let keep = keep(i);
        let rotation = world.motion_of(body).rotation();
        let mean_omega = mean.angular_velocity();
        let mean_w = rotation.transpose_mul(Vec3::of(mean_omega));
        world.edit_free(body, |state, free| {
            let mean_velocity = Vec3::of(mean.velocity() + mean_omega.cross(free.position - mean.center));
            free.velocity = mean_velocity + (free.velocity - mean_velocity) * keep;
            state.w = mean_w + (state.w - mean_w) * keep;
        });
    }
}

#[cfg(test)]
mod tests {
    use windfall_core::BodyId;
    use windfall_core::glam::DVec3;

    use super::Momentum;
    use crate::{Method, World};
    use windfall_solver::Params;

    /// Momentum that would spin a piece beyond the range of numbers is not applied; smaller momentum is.
    #[test]
    fn no_piece_spins_faster_than_light() {
        let species = windfall_grow::Species::named("maple").expect("a species");
        let plant = windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(200), seed: 1 });
        let mut world =
            World::<f32>::new(plant.expect("it grows"), Params::default(), Method::Implicit).expect("fine parameters");
        let piece = BodyId(10);
        world.release(piece);
        for (asked, given) in [(50.0, 50.0), (1e20, 50.0)] {
            let now = world.piece_momenta();
            let wanted = [Momentum { angular: now[0].inertia * DVec3::new(asked, 0.0, 0.0), ..now[0] }];
            world.restore_momenta(&now, &wanted);
            let spin = world.motion_of(piece).omega.f64();
            assert!((spin - DVec3::X * given).length() < 0.05 * given, "{asked} rad/s: {spin}");
        }
    }
}
