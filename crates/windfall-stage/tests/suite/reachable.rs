//! Reachable workspaces miss no body, and skip nearly all.

use proptest::prelude::*;
use windfall_articulated::Method;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, Plant};
use windfall_solver::Params;
use windfall_stage::reach::{Reach, collision_shape};
use windfall_testkit::World;

fn tree(bodies: usize) -> Plant {
    super::grown("maple", bodies)
}

/// The tree with every joint turned at random.
fn crumpled(plant: &Plant, seed: u64, angle: f64) -> World<f64> {
    let mut world = World::new(plant.clone(), Params::default(), Method::Implicit).unwrap();
    let unit = |k: u64| {
        (windfall_core::random::mix(seed.wrapping_mul(7919).wrapping_add(k)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let turns: Vec<DVec3> = (0..plant.body_count() as u64)
        .map(|i| DVec3::new(unit(3 * i) - 0.5, unit(3 * i + 1) - 0.5, unit(3 * i + 2) - 0.5) * angle)
        .collect();
    for (i, &turn) in turns.iter().enumerate().filter(|(i, _)| i % 7 == 0 && i / 7 < 80) {
        world.set_joint(BodyId(i as u32), DQuat::from_scaled_axis(turn), DVec3::ZERO);
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn no_body_near_a_place_is_missed(seed in 0u64..1000, angle in 0.0f64..4.0, x in -3.0f64..3.0, y in 0.0f64..6.0, z in -3.0f64..3.0, radius in 0.01f64..1.0) {
        let plant = tree(600);
        let world = crumpled(&plant, seed, angle);
        let reach = Reach::new(&plant);
        let center = DVec3::new(x, y, z);
        let mut found = std::collections::HashSet::new();
        let mut stack = Vec::new();
        for &root in reach.roots() {
            reach.visit(root, &mut stack, |body, ball| {
                let near = world.motion(body).joint.distance(center) <= ball + radius;
                if near {
                    found.insert(body);
                }
                near
            });
        }
        for body in plant.body_ids() {
            let motion = world.motion(body);
            // Points all over its shape.
            let (shape, origin) = collision_shape(&plant, body);
            let extent = shape.reach(-origin);
            for k in 0..60 {
                let (a, b) = (f64::from(k) * 2.399_963, 1.0 - 2.0 * (f64::from(k) + 0.5) / 60.0);
                let way = DVec3::new((1.0 - b * b).sqrt() * a.cos(), b, (1.0 - b * b).sqrt() * a.sin());
                let far = support(&shape, way) + origin;
                prop_assert!(far.length() <= extent * (1.0 + 1e-9));
                let point = motion.joint + motion.orientation * far;
                if point.distance(center) <= radius {
                    prop_assert!(found.contains(&body), "{:?} was missed", body);
                }
            }
        }
    }
}

/// The farthest point of a shape in a direction, from its own measures.
fn support(shape: &windfall_free::Shape, way: DVec3) -> DVec3 {
    use windfall_free::Shape;
    match *shape {
        Shape::Sphere { radius } => way * radius,
        Shape::Capsule { half_length, radius } => DVec3::Y * half_length * way.y.signum() + way * radius,
        Shape::Box { half } => half * way.signum(),
        Shape::Blade { width, length, petiole } => {
            if way.y > 0.6 {
                DVec3::new(0.0, petiole + length, 0.0)
            } else {
                DVec3::new(0.5 * width * way.x.signum(), petiole, 0.0)
            }
        }
    }
}

#[test]
fn a_small_ball_looks_at_a_few_bodies_only() {
    let plant = tree(20_000);
    let world = crumpled(&plant, 1, 0.1);
    let reach = Reach::new(&plant);
    let tip = plant.body_ids().max_by(|a, b| world.motion(*a).joint.y.total_cmp(&world.motion(*b).joint.y)).unwrap();
    let center = world.motion(tip).joint;
    let mut stack = Vec::new();
    let looked: usize = reach
        .roots()
        .iter()
        .map(|&root| {
            reach.visit(root, &mut stack, |body: BodyId, ball| world.motion(body).joint.distance(center) <= ball + 0.05)
        })
        .sum();
    assert!(looked < plant.body_count() / 20, "{looked} of {}", plant.body_count());
}
