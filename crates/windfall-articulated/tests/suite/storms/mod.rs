//! Random plants, and random events.

use windfall_core::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use windfall_core::{BodyId, Branch, Fruit, Leaf, Plant, PlantParts, Segment, Tree, WoodMaterial, materials};
use windfall_solver::params::Limit;
use windfall_solver::{Base, Grab, Load};
use windfall_solver::{Params, Selection};

/// `SplitMix64` (Steele, Lea and Flood 2014).
pub struct Dice(pub u64);

impl Dice {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// 10 to a power between these.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(self.between(low, high))
    }

    pub fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count - 1)
    }

    pub fn chance(&mut self, part: f64) -> bool {
        self.unit() < part
    }

    pub fn direction(&mut self) -> DVec3 {
        let v = DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0));
        if v.length() > 0.1 { v.normalize() } else { DVec3::X }
    }

    pub fn turn(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(0.0, 3.1))
    }
}

/// A measure: usually that of a tree, sometimes the smallest allowed.
fn measure(dice: &mut Dice, low: f64, high: f64) -> f32 {
    if dice.chance(0.03) { dice.decades(-6.0, -4.0) as f32 } else { dice.decades(low, high) as f32 }
}

/// A chain, a star, a fork or any tree of up to 60 bodies, with leaves and fruit.
pub fn random_plant(dice: &mut Dice) -> Plant {
    let young = dice.decades(6.0, 16.0);
    let wood = WoodMaterial {
        name: "wood of the storm".into(),
        source: "dice".into(),
        density: dice.decades(1.5, 3.5),
        youngs_modulus: young,
        shear_modulus: young * dice.decades(-2.0, 0.0),
        damping: if dice.chance(0.3) { 0.0 } else { dice.decades(-4.0, 1.0) },
        modulus_of_rupture: 1e12,
        shear_strength: 1e12,
    };
    let mut parts = PlantParts {
        name: "storm".into(),
        trees: vec![Tree { name: "storm".into(), origin: dice.direction() * dice.decades(-3.0, 4.0) }],
        wood_materials: vec![wood],
        leaf_materials: vec![materials::leaf("sugar maple").unwrap().clone()],
        fruit_materials: vec![materials::fruit("apple").unwrap().clone()],
        ..PlantParts::default()
    };
    // One long branch is a chain, many of one segment on the first are a star.
    let (branches, longest, star) = match dice.below(4) {
        0 => (1, 40, false),
        1 => (1 + dice.below(30), 1, true),
        2 => (3, 8, false),
        _ => (1 + dice.below(12), 5, false),
    };
    for b in 0..branches {
        let parent = (b > 0).then(|| if star { 0 } else { dice.below(parts.segments.len()) as u32 });
        let order = parent.map_or(0, |p| order_of(&parts, p) + u16::from(dice.chance(0.7)));
        let count = 1 + dice.below(longest);
        let mut position = parent.map_or(Vec3::ZERO, |p| {
            let on = parts.segments[p as usize];
            on.position + on.orientation * Vec3::Y * (on.length * dice.unit() as f32)
        });
        let mut frame = dice.turn();
        for _ in 0..count {
            frame *= DQuat::from_axis_angle(dice.direction(), dice.between(0.0, 0.3));
            let segment = Segment {
                position,
                orientation: Quat::from_xyzw(frame.x as f32, frame.y as f32, frame.z as f32, frame.w as f32)
                    .normalize(),
                length: measure(dice, -2.0, 0.5),
                base_radius: measure(dice, -3.0, -0.5),
                tip_radius: measure(dice, -3.0, -0.5),
            };
            position = segment.tip();
            parts.segments.push(segment);
        }
        parts.branches.push(Branch { parent, tree: 0, segment_count: count as u32, material: 0, order });
    }
    for _ in 0..dice.below(12) {
        let parent = dice.below(parts.segments.len());
        let on = parts.segments[parent];
        let (position, orientation) = (on.tip(), dice.turn().as_quat());
        if dice.chance(0.7) {
            parts.leaves.push(Leaf {
                parent: parent as u32,
                material: 0,
                position,
                orientation,
                width: measure(dice, -2.5, -0.7),
                length: measure(dice, -2.5, -0.7),
                petiole_length: if dice.chance(0.3) { 0.0 } else { measure(dice, -3.0, -1.0) },
                petiole_radius: measure(dice, -4.0, -2.5),
            });
        } else {
            parts.fruit.push(Fruit {
                parent: parent as u32,
                material: 0,
                position,
                orientation,
                radius: measure(dice, -2.0, -1.0),
                stalk_length: if dice.chance(0.3) { 0.0 } else { measure(dice, -3.0, -1.0) },
                stalk_radius: measure(dice, -3.5, -2.5),
            });
        }
    }
    Plant::new(parts).expect("the dice throw valid plants")
}

fn order_of(parts: &PlantParts, segment: u32) -> u16 {
    let mut first = 0;
    let holds = |branch: &&Branch| {
        first += branch.segment_count;
        segment < first
    };
    parts.branches.iter().find(holds).map_or(0, |branch| branch.order)
}

/// A multiplier: often 1, sometimes 0, sometimes infinite.
fn multiplier(dice: &mut Dice, infinite: bool) -> f64 {
    match dice.below(10) {
        0 => 0.0,
        1 if infinite => f64::INFINITY,
        2 | 3 => dice.decades(-3.0, 3.0),
        _ => 1.0,
    }
}

pub fn random_params(dice: &mut Dice) -> Params {
    let mut params = Params::default();
    if dice.chance(0.3) {
        return params;
    }
    params.gravity = dice.direction() * dice.decades(-1.0, 2.0);
    params.mass_damping = if dice.chance(0.7) { 0.0 } else { dice.decades(-2.0, 2.0) };
    params.keep_shape = dice.chance(0.2);
    for class in [&mut params.branches, &mut params.leaves, &mut params.fruit] {
        class.density = multiplier(dice, false);
        class.stiffness = multiplier(dice, true);
        class.damping = multiplier(dice, false);
        class.axes = [multiplier(dice, true), multiplier(dice, true), 1.0];
    }
    for limit in [&mut params.limits.branches, &mut params.limits.leaves, &mut params.limits.fruit] {
        if dice.chance(0.2) {
            let mut angle = || dice.chance(0.7).then(|| dice.between(0.0, 180.0));
            *limit = Limit { bend_degrees: angle(), twist_degrees: angle() };
        }
    }
    params
}

pub fn random_selection(dice: &mut Dice, plant: &Plant) -> Selection {
    match dice.below(5) {
        0 => Selection::Orders { highest: dice.below(3) as u16, foliage: dice.chance(0.5) },
        1 => Selection::Thicker { radius: dice.decades(-3.0, -1.0) },
        2 => Selection::Subtrees(vec![BodyId(dice.below(plant.body_count()) as u32)]),
        3 => Selection::Bodies(plant.body_ids().map(|_| dice.chance(0.7)).collect()),
        _ => Selection::All,
    }
}

pub fn random_load(dice: &mut Dice, plant: &Plant) -> Load {
    let body = BodyId(dice.below(plant.body_count()) as u32);
    let force = dice.direction() * dice.decades(-2.0, 6.0);
    let mut load = Load::force(body, dice.direction() * dice.decades(-3.0, 0.0), force);
    if dice.chance(0.3) {
        load.torque = dice.direction() * dice.decades(-4.0, 4.0);
    }
    if dice.chance(0.3) {
        load.drag = DMat3::from_diagonal(DVec3::new(dice.unit(), dice.unit(), dice.unit()) * dice.decades(-4.0, 4.0));
        load.spin_drag = DMat3::IDENTITY * dice.decades(-6.0, 2.0);
    }
    load
}

pub fn random_grab(dice: &mut Dice, plant: &Plant) -> Grab {
    let body = BodyId(dice.below(plant.body_count()) as u32);
    Grab {
        body: body.into(),
        point: dice.direction() * dice.decades(-3.0, 0.0),
        target: plant.rest_position(body) + dice.direction() * dice.decades(-3.0, 1.0),
        target_velocity: if dice.chance(0.5) { DVec3::ZERO } else { dice.direction() * dice.decades(-2.0, 2.0) },
        stiffness: if dice.chance(0.1) { f64::INFINITY } else { dice.decades(0.0, 12.0) },
        damping: if dice.chance(0.5) { 0.0 } else { dice.decades(-2.0, 8.0) },
    }
}

/// The pose of the base after one step: up to a decimetre and a tenth of a radian away.
pub fn random_base(dice: &mut Dice, from: &Base, dt: f64) -> Base {
    let position = dice.direction() * dice.between(0.0, 0.1);
    let turn = DQuat::from_axis_angle(dice.direction(), dice.between(0.0, 0.1));
    from.moved_to(position, turn, dt)
}

/// Largest distance of every joint from the origin of its tree: the sum of the arms of the joints that
/// carry it, m.
pub fn reaches(plant: &Plant) -> Vec<f64> {
    let mut reaches: Vec<f64> = Vec::with_capacity(plant.body_count());
    for id in plant.body_ids() {
        let at = plant.rest_position(id);
        reaches.push(match plant.parent(id) {
            None => (at - plant.trees()[plant.tree_index(id)].origin).length(),
            Some(parent) => reaches[parent.0 as usize] + (at - plant.rest_position(parent)).length(),
        });
    }
    reaches
}
