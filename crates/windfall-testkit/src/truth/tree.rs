//! The system: rigid links with ball joints, made from a plant, and its state.

use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{Body, BodyId, Plant};
use windfall_solver::{Base, BodyMotion, Load};

use super::so3;

/// One rigid body and the joint to its parent.
#[derive(Debug, Clone)]
pub struct Link {
    /// Its id in the plant.
    pub id: BodyId,
    /// Index of its parent link; none for a root.
    pub parent: Option<usize>,
    /// Its tree.
    pub tree: usize,
    /// Position of its joint from the parent's joint, parent's axes, m; for a root from the origin of
    /// its tree, world axes.
    pub offset: DVec3,
    /// Its joint frame at rest: rotates the child's rest axes to the parent's axes (to world axes for a
    /// root).
    pub rest: DQuat,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass from the joint, body axes, m.
    pub center: DVec3,
    /// Principal moments about the centre of mass, kg m².
    pub inertia: DVec3,
    /// Stiffness K about the child's own axes at rest, N m/rad.
    pub stiffness: DVec3,
    /// Damping C about the same axes, N m s/rad.
    pub damping: DVec3,
    /// The far end of the body, body axes, m.
    pub tip: DVec3,
}

/// Motion of the foot of each tree: tree index and time to base.
pub type BaseMotion = Box<dyn Fn(usize, f64) -> Base>;

/// Loads on the bodies, besides gravity, as a function of the time and the motion of all links
/// (accelerations are not yet known then and zero). `drag` and `spin_drag` must be zero: a force that
/// depends on velocity is computed from the motion.
pub type Loads = Box<dyn Fn(f64, &[BodyMotion]) -> Vec<Load>>;

/// Rigid-body dynamics of small trees as in a textbook, in f64: the reference solution for solvers.
pub struct Reference {
    /// Parents before children; with all bodies of the plant, link i is body i.
    pub links: Vec<Link>,
    /// Origins of the trees, world metres.
    pub origins: Vec<DVec3>,
    /// Gravitational acceleration, m/s².
    pub gravity: DVec3,
    /// Moving ground; ignored by free roots.
    pub base: BaseMotion,
    /// Forces and torques.
    pub loads: Loads,
    /// Mass-proportional damping alpha, 1/s: every joint velocity loses `alpha w` per second.
    pub mass_damping: f64,
    /// Whether roots are free bodies with six degrees of freedom and no spring, instead of clamped in
    /// the ground.
    pub free: bool,
}

/// The variables that depend on time.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Time, s.
    pub time: f64,
    /// Rotation of each joint: body axes to its joint frame at rest.
    pub q: Vec<DQuat>,
    /// Velocity of each joint relative to the parent, parent-side joint axes, rad/s.
    pub w: Vec<DVec3>,
    /// The root joint of each tree, world metres; used for free roots only.
    pub root_position: Vec<DVec3>,
    /// Its velocity, m/s.
    pub root_velocity: Vec<DVec3>,
}

impl Reference {
    /// All bodies of the plant with its masses, springs and dampers, under normal gravity, fixed to the
    /// ground.
    pub fn new(plant: &Plant) -> Self {
        let links = plant.body_ids().map(|id| link(plant, id)).collect();
        Self {
            links,
            origins: plant.trees().iter().map(|t| t.origin).collect(),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            base: Box::new(|_, _| Base::default()),
            loads: Box::new(|_, _| Vec::new()),
            mass_damping: 0.0,
            free: false,
        }
    }

    /// The same without gravity.
    pub fn weightless(plant: &Plant) -> Self {
        Self { gravity: DVec3::ZERO, ..Self::new(plant) }
    }

    /// Without any damping, independent of the materials.
    pub fn undamped(mut self) -> Self {
        self.links.iter_mut().for_each(|link| link.damping = DVec3::ZERO);
        self
    }

    /// With constant forces and torques in world axes; the points move with their bodies.
    pub fn with_constant_loads(mut self, loads: Vec<Load>) -> Self {
        self.loads = Box::new(move |_, _| loads.clone());
        self
    }

    /// With free roots.
    pub fn with_free_roots(mut self) -> Self {
        self.free = true;
        self
    }

    /// At rest, in the shape in which the plant was grown.
    pub fn rest_state(&self) -> State {
        let mut root_position = self.origins.clone();
        for link in self.links.iter().filter(|l| l.parent.is_none()) {
            root_position[link.tree] += link.offset;
        }
        State {
            time: 0.0,
            q: vec![DQuat::IDENTITY; self.links.len()],
            w: vec![DVec3::ZERO; self.links.len()],
            root_velocity: vec![DVec3::ZERO; root_position.len()],
            root_position,
        }
    }

    /// The state with this motion of the bodies (in the order of the links), for the measurement of
    /// energy, momentum and joint angles of any solver.
    pub fn state_of(&self, time: f64, motion: &[BodyMotion]) -> State {
        let mut state = State { time, ..self.rest_state() };
        for (i, link) in self.links.iter().enumerate() {
            let (frame, spin) = if let Some(p) = link.parent {
                (motion[p].orientation, motion[p].angular_velocity)
            } else if self.free {
                (DQuat::IDENTITY, DVec3::ZERO)
            } else {
                let base = (self.base)(link.tree, time);
                (base.orientation, base.angular_velocity)
            };
            let frame = frame * link.rest;
            let m = &motion[i];
            state.q[i] = (frame.inverse() * m.orientation).normalize();
            state.w[i] = frame.inverse() * (m.angular_velocity - spin);
            if link.parent.is_none() {
                state.root_position[link.tree] = m.joint;
                state.root_velocity[link.tree] = m.velocity - m.angular_velocity.cross(m.center - m.joint);
            }
        }
        state
    }

    /// The link of a body.
    pub fn index_of(&self, id: BodyId) -> usize {
        self.links.iter().position(|l| l.id == id).expect("a link of this reference")
    }

    /// This link and its ancestors, from itself to its root.
    pub fn path(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(link), |&i| self.links[i].parent)
    }

    /// The subtree that begins with this body, cut off at its joint with its current motion: a free
    /// piece under the same gravity, without loads.
    pub fn cut(&self, body: BodyId, state: &State) -> (Self, State) {
        let root = self.index_of(body);
        let members: Vec<usize> = (0..self.links.len()).filter(|&i| self.path(i).any(|j| j == root)).collect();
        let new_index = |old: usize| members.iter().position(|&i| i == old);
        let motion = self.positions_and_velocities(state);
        let mut links: Vec<Link> = members.iter().map(|&i| self.links[i].clone()).collect();
        for link in &mut links {
            link.parent = link.parent.and_then(new_index);
        }
        let tree = links[0].tree;
        (links[0].offset, links[0].rest) = (motion[root].joint - self.origins[tree], motion[root].orientation);
        let piece = Self {
            links,
            origins: self.origins.clone(),
            gravity: self.gravity,
            base: Box::new(|_, _| Base::default()),
            loads: Box::new(|_, _| Vec::new()),
            mass_damping: 0.0,
            free: true,
        };
        let mut start = piece.rest_state();
        start.time = state.time;
        for (new, &old) in members.iter().enumerate() {
            (start.q[new], start.w[new]) = (state.q[old], state.w[old]);
        }
        let m = &motion[root];
        start.q[0] = DQuat::IDENTITY;
        start.w[0] = m.orientation.inverse() * m.angular_velocity;
        start.root_velocity[tree] = m.velocity - m.angular_velocity.cross(m.center - m.joint);
        (piece, start)
    }
}

/// Far end of a body, body axes, m: tip of a segment, apex of a leaf, far pole of a fruit.
pub fn local_tip(plant: &Plant, id: BodyId) -> DVec3 {
    let y = match plant.body(id).expect("a body of the plant") {
        Body::Wood(s) => f64::from(s.length),
        Body::Leaf(l) => f64::from(l.petiole_length) + f64::from(l.length),
        Body::Fruit(f) => f64::from(f.stalk_length) + 2.0 * f64::from(f.radius),
    };
    DVec3::new(0.0, y, 0.0)
}

fn link(plant: &Plant, id: BodyId) -> Link {
    let parent = plant.parent(id);
    let tree = plant.tree_index(id);
    let (from, frame) = match parent {
        Some(p) => (plant.rest_position(p), plant.rest_orientation(p)),
        None => (plant.trees()[tree].origin, DQuat::IDENTITY),
    };
    let mass = plant.mass_properties(id);
    let joint = plant.joint_properties(id);
    Link {
        id,
        parent: parent.map(|p| p.0 as usize),
        tree,
        offset: frame.inverse() * (plant.rest_position(id) - from),
        rest: (frame.inverse() * plant.rest_orientation(id)).normalize(),
        mass: mass.mass,
        center: mass.center_of_mass,
        inertia: mass.inertia,
        stiffness: joint.stiffness,
        damping: joint.damping,
        tip: local_tip(plant, id),
    }
}

impl State {
    /// The rotation vector of a joint, in its joint frame, rad.
    pub fn angle(&self, link: usize) -> DVec3 {
        so3::log(self.q[link])
    }

    /// Rotates a joint by a rotation vector in parent-side joint axes, on top of its current rotation.
    pub fn turn(&mut self, link: usize, by: DVec3) {
        self.q[link] = (so3::exp(by) * self.q[link]).normalize();
    }
}
