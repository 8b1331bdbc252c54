//! Motion of a free body through the air: eq. 22 for balls, (23) and (24) for leaves and petals (see
//! [`AirParams`]).
//!
//! With u the velocity of the air relative to the body and rates r in its own axes (leaves:
//! `kappa rho A |u| / m + nu` along the normal, `nu / xi` across it), each component obeys `u' = -g - r u`.
//! A sub-step of h seconds is
//!
//! ```text
//! drift h/2     move and turn freely (rotation.rs)
//! kick  h       u exactly for rates frozen at the middle of the kick; the torque (24) at the middle;
//!               -nu I omega exactly
//! drift h/2
//! ```
//!
//! which is of second order, exact for parabolas and terminal velocities, and stable however light the body
//! is. The remaining stiff term is the torque, which holds a leaf across the wind like a spring of
//! frequency `Omega^2 = c |u|^2 / I`: it determines the number of sub-steps, and where that is at its limit
//! the torque is divided by `1 + (h Omega)^2 / 4`, which is stable for any sub-step.
//!
//! A leaf in contact is not flat: its windward edge stands up by the angle c of
//! [`windfall_solver::params::LeafAirParams::curl_degrees`]. For the air it is turned by c about the axis
//! across the wind in its plane, so that (23) lifts and drags it and (24) turns it further. c fades as the
//! leaf itself stands up from the surface it lies on.
//!
//! Boxes have `f = kappa rho A_i |u| u_i` along each of their axes, with `A_i` the face across it and
//! kappa = 0.525 (a cube has a drag coefficient of 1.05, Hoerner 1965). Capsules have the force of wood
//! (21) across their axis and that of a ball (22). The air does not slow their spin.

use std::f64::consts::PI;

use windfall_core::glam::{DMat3, DQuat, DVec3};

use super::body::FreeBody;
use super::rotation::{drift, exp};
use super::shape::Shape;
use windfall_solver::params::AirParams;

/// Half the drag coefficient of a cube.
const BOX_DRAG: f64 = 0.525;
/// 16 / (15 pi): the ratio of the moments of |x|^3 and x^2 over a disc of radius 1, times half.
const SPIN_LENGTH: f64 = 0.339_530_545_262_710_1;
/// Largest phase or decay in a sub-step, rad.
const PHASE: f64 = 0.125;
/// Largest angle of spin in a sub-step, rad.
const SPIN: f64 = 0.25;
/// Longest sub-step of a held body, s: it swings about the hand.
const HELD: f64 = 1.0 / 240.0;
/// Most sub-steps of a step.
const MOST_SUBSTEPS: f64 = 64.0;
/// Largest wind speed, m/s: faster wind is clipped, so that products of it do not overflow.
const FASTEST_WIND: f64 = 1e4;

/// Coefficients of the air's action on one body, per mass.
#[derive(Debug, Clone, Copy, Default)]
pub struct Drag {
    /// Whether there is air at all.
    any: bool,
    /// Rates that don't depend on the speed, body axes, 1/s.
    constant: DVec3,
    /// Rates over the speed, body axes, 1/m.
    by_speed: DVec3,
    /// Rate over the speed across y, 1/m, across y.
    across: f64,
    /// Coefficients of the torque (24) for the two directions, kg m²/m²: c cos phi, c sin phi.
    torque: [f64; 2],
    /// nu: decay of spin, 1/s.
    spin: f64,
    /// Decay of spin about x and y over the speed, 1/m.
    turning: f64,
    /// Factor from angular speed to speed, m.
    spin_length: f64,
    /// Angle by which the edge of a leaf in contact stands up, rad.
    curl: f64,
}

impl Drag {
    /// Coefficients of a body in this air.
    pub fn new(body: &FreeBody, air: &AirParams) -> Self {
        let per_mass = air.density / body.mass;
        let drag = match body.shape {
            Shape::Sphere { radius } => {
                Self { by_speed: DVec3::splat(air.fruit * per_mass * PI * radius * radius), ..Self::default() }
            }
            Shape::Box { half } => {
                let faces = 4.0 * DVec3::new(half.y * half.z, half.x * half.z, half.x * half.y);
                Self { by_speed: BOX_DRAG * per_mass * faces, ..Self::default() }
            }
            Shape::Capsule { half_length, radius } => Self {
                by_speed: DVec3::splat(air.fruit * per_mass * PI * radius * radius),
                across: air.branches * per_mass * 4.0 * radius * half_length,
                ..Self::default()
            },
            Shape::Blade { width, length, .. } => {
                let leaf = &air.leaves;
                let area = 0.5 * width * length;
                let pressure = leaf.drag * air.density;
                let arm = leaf.torque * pressure * 0.5 * area * (area / PI).sqrt();
                let (sin, cos) = libm::sincos(leaf.spiral_degrees.to_radians());
                let along = leaf.friction / leaf.friction_ratio;
                Self {
                    constant: DVec3::new(along, along, leaf.friction),
                    by_speed: DVec3::new(0.0, 0.0, pressure * area / body.mass),
                    torque: [arm * cos, arm * sin],
                    spin: leaf.friction,
                    turning: leaf.spin_drag * pressure * area / body.mass,
                    spin_length: SPIN_LENGTH * (area / PI).sqrt(),
                    curl: leaf.curl_degrees.to_radians(),
                    ..Self::default()
                }
            }
        };
        Self { any: true, ..drag }
    }

    fn rates(&self, u: DVec3) -> DVec3 {
        let across = self.across * (u.x * u.x + u.z * u.z).sqrt();
        self.constant + self.by_speed * u.length() + DVec3::new(across, 0.0, across)
    }

    /// Acceleration by this wind (world axes, m/s) of a body at rest on a surface with this normal (zero
    /// for none), body axes, m/s².
    pub fn acceleration(&self, body: &FreeBody, wind: DVec3, surface: DVec3) -> DVec3 {
        let turn = self.curled(body.orientation, wind, surface);
        let q = turn.map_or(body.orientation, |turn| turn * body.orientation);
        let u = q.conjugate() * wind;
        body.orientation.conjugate() * (q * (self.rates(u) * u))
    }

    /// The rotation of the world that accounts for the curl of a blade on a surface with this normal; none
    /// without curl.
    fn curled(&self, orientation: DQuat, u: DVec3, surface: DVec3) -> Option<DQuat> {
        if self.curl == 0.0 || surface == DVec3::ZERO {
            return None;
        }
        let normal = orientation * DVec3::Z;
        let flat = normal.dot(surface);
        let normal = normal * flat.signum();
        let along = u - normal * u.dot(normal);
        let speed = along.length();
        (speed > 1e-9).then(|| exp(normal.cross(along) * (self.curl * flat.abs() / speed)))
    }

    /// Squared frequencies of the torque about x and y, 1/s².
    fn stiffness(&self, u: DVec3, inertia: DVec3) -> DVec3 {
        let c = (self.torque[0].abs() + self.torque[1].abs()) * u.length_squared();
        DVec3::new(c / inertia.x, c / inertia.y, 0.0)
    }

    /// Decay rate of turning about each axis, 1/s.
    fn spin_rates(&self, u: DVec3, spin: DVec3) -> DVec3 {
        let edge = self.spin_length * self.spin_length * (spin.x * spin.x + spin.y * spin.y);
        let turning = self.turning * (u.length_squared() + edge).sqrt();
        DVec3::new(self.spin + turning, self.spin + turning, self.spin)
    }

    /// The torque (24) without its friction, body axes, N m.
    fn torque(&self, u: DVec3) -> DVec3 {
        let [cos, sin] = self.torque;
        u.z * DVec3::new(-cos * u.y - sin * u.x, cos * u.x - sin * u.y, 0.0)
    }
}

/// A hand that holds a body at a point: a spring and a damper whose force is taken at the end of each
/// sub-step, so that it is stable for any stiffness. The point turns with the body: a force held constant
/// for a whole step would spin a leaf up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hold {
    /// Held point from the centre of mass, body axes, m.
    pub point: DVec3,
    /// Position of the hand, world metres.
    pub target: DVec3,
    /// Velocity of the hand, m/s.
    pub target_velocity: DVec3,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Damping, N s/m.
    pub damping: f64,
}

impl Hold {
    fn pull(&self, body: &mut FreeBody, h: f64) {
        // Beyond this the hold is rigid.
        let (stiffness, damping) = (self.stiffness.min(1e12), self.damping.min(1e12));
        let resistance = h * (h * stiffness + damping);
        if resistance <= 0.0 {
            return;
        }
        let arm = body.orientation * self.point;
        let towards = self.target_velocity - body.velocity_at(body.position + arm);
        let response = |f: DVec3| f / body.mass + body.inverse_inertia_times(arm.cross(f)).cross(arm);
        let gives = DMat3::from_cols(response(DVec3::X), response(DVec3::Y), response(DVec3::Z));
        let way = (self.target - body.position - arm + towards * h) * stiffness + towards * damping;
        let impulse = (gives + DMat3::IDENTITY / resistance).inverse() * (way / resistance) * h;
        if impulse.is_finite() {
            body.push(body.position + arm, impulse);
        }
    }
}

/// Actions on a body during a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pull {
    /// Gravity and applied forces over the mass, world axes, m/s².
    pub acceleration: DVec3,
    /// Applied torque, world axes, N m.
    pub torque: DVec3,
    /// The wind at the body, m/s.
    pub wind: DVec3,
    /// The air's coefficients; zero in a vacuum.
    pub drag: Drag,
    /// A hold by a hand.
    pub hold: Option<Hold>,
}

impl Pull {
    fn move_hand(&mut self, seconds: f64) {
        if let Some(hold) = &mut self.hold {
            hold.target += hold.target_velocity * seconds;
        }
    }

    /// Bound on the distance of a body after `dt` seconds from straight motion at its velocity, m.
    pub fn sway(&self, body: &FreeBody, dt: f64) -> f64 {
        let u = body.orientation.conjugate() * (self.wind - body.velocity);
        let part = (0.5 * dt * self.drag.rates(u).max_element()).min(1.0);
        (0.5 * dt * self.acceleration.length() + part * u.length()) * dt
    }
}

/// The wind clipped to the valid range; not finite counts as still air.
pub fn usable(wind: DVec3) -> DVec3 {
    if wind.is_finite() { wind.clamp(DVec3::splat(-FASTEST_WIND), DVec3::splat(FASTEST_WIND)) } else { DVec3::ZERO }
}

/// The longest sub-step that resolves the present motion of a body, s.
pub fn longest_substep(body: &FreeBody, pull: &Pull) -> f64 {
    let to_body = body.orientation.conjugate();
    let u = to_body * (pull.wind - body.velocity);
    let stiffness = pull.drag.stiffness(u, body.inertia).max_element().sqrt();
    let decay = 0.5 * pull.drag.rates(u).max_element();
    // At least the spin, and constant in free flight: sub-steps that change with the motion would let its
    // energy drift.
    let momentum = (body.inertia * (to_body * body.angular_velocity)).length();
    let spin = momentum / body.inertia.min_element() * (PHASE / SPIN);
    let longest = PHASE / stiffness.max(decay).max(spin).max(1e-9);
    if pull.hold.is_some() { longest.min(HELD) } else { longest }
}

/// Moves a body without contacts by `dt` seconds, in as many sub-steps as its motion needs.
pub fn fly(body: &mut FreeBody, pull: &Pull, dt: f64) {
    let mut pull = *pull;
    let substep = |body: &FreeBody, pull: &Pull, left: f64| {
        let wanted = longest_substep(body, pull).max(dt / MOST_SUBSTEPS);
        left / (left / wanted).ceil().max(1.0)
    };
    let mut left = dt;
    let mut h = substep(body, &pull, left);
    drift(body, 0.5 * h);
    pull.move_hand(0.5 * h);
    loop {
        kick(body, &pull, DVec3::ZERO, h);
        left -= h;
        if left < 1e-9 * dt {
            break;
        }
        // The second half of this drift and the first of the next.
        let next = substep(body, &pull, left);
        drift(body, 0.5 * (h + next));
        pull.move_hand(0.5 * (h + next));
        h = next;
    }
    drift(body, 0.5 * h);
}

/// Changes the velocities of a body by air, gravity and applied forces over `h` seconds. `surface` is the
/// normal of the surface it lies on, or zero.
pub fn kick(body: &mut FreeBody, pull: &Pull, surface: DVec3, h: f64) {
    let drag = &pull.drag;
    let to_body = body.orientation.conjugate();
    if !drag.any {
        body.velocity += pull.acceleration * h;
        body.angular_velocity += body.inverse_inertia_times(pull.torque) * h;
        if let Some(hold) = &pull.hold {
            hold.pull(body, h);
        }
        return;
    }
    let curled = drag.curled(body.orientation, pull.wind - body.velocity, surface);
    let seen = curled.map_or(body.orientation, |turn| turn * body.orientation);
    let to_seen = seen.conjugate();
    let start = to_seen * (pull.wind - body.velocity);
    let g = to_seen * pull.acceleration;
    let middle = relaxed(start, g, drag.rates(start), 0.5 * h);
    let end = relaxed(start, g, drag.rates(middle), h);
    body.velocity = pull.wind - seen * end;

    let softened = DVec3::ONE + drag.stiffness(middle, body.inertia) * (0.25 * h * h);
    let mut torque = drag.torque(middle) / softened;
    if curled.is_some() {
        torque = to_body * (seen * torque);
    }
    torque += to_body * pull.torque;
    let spin = to_body * body.angular_velocity;
    let rates = drag.spin_rates(middle, spin);
    body.angular_velocity = body.orientation * -relaxed(-spin, torque / body.inertia, rates, h);
    if let Some(hold) = &pull.hold {
        hold.pull(body, h);
    }
}

/// `u' = -g - r u` after `h` seconds.
fn relaxed(u: DVec3, g: DVec3, rates: DVec3, h: f64) -> DVec3 {
    let (x, y, z) = (decay(rates.x, h), decay(rates.y, h), decay(rates.z, h));
    u * DVec3::new(x.0, y.0, z.0) - g * DVec3::new(x.1, y.1, z.1)
}

/// `exp(-r h)`, and its integral over h.
fn decay(rate: f64, h: f64) -> (f64, f64) {
    let phase = rate * h;
    if phase < 0.25 {
        // (1 - exp(-p)) / p = 1 - p/2 (1 - p/3 (1 - p/4 ...)), to 1e-13.
        let mut part = 1.0;
        for inverse in INVERSES {
            part = 1.0 - phase * inverse * part;
        }
        return (1.0 - phase * part, h * part);
    }
    let lost = -libm::expm1(-phase);
    (1.0 - lost, lost / rate)
}

/// 1/11 to 1/2.
const INVERSES: [f64; 10] =
    [1.0 / 11.0, 1.0 / 10.0, 1.0 / 9.0, 1.0 / 8.0, 1.0 / 7.0, 1.0 / 6.0, 1.0 / 5.0, 1.0 / 4.0, 1.0 / 3.0, 1.0 / 2.0];
