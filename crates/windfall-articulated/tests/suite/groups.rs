//! Groups of solvers, and solvers that take over the motion of others.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use windfall_articulated::{Method, World};
use windfall_conformance::{
    Bare, BoxOfAir, Steady, Tolerances, conformance_suite, horizontal_branch, leafy_branch, symmetric_tree,
};
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, BodyRef, Plant, Pose};
use windfall_solver::{
    Base, Bases, Group, Load, Params, Placement, PoseRequest, Selection, SnapshotError, Solver, StepError, StepInput,
    Strengths, Wind,
};

const DT: f64 = 1.0 / 60.0;

fn world(plant: &Arc<Plant>, method: Method) -> Box<dyn Solver> {
    Box::new(World::<f64>::new(plant.clone(), Params::default(), method).unwrap())
}

fn of_one(plant: &Arc<Plant>, params: &Params) -> Box<dyn Solver> {
    let world = World::<f64>::new(plant.clone(), params.clone(), Method::Implicit).unwrap();
    Box::new(Group::new(vec![(Box::new(world), Placement::GROWN)]).unwrap())
}

// A group of one solver behaves as that solver.
conformance_suite!(group_of_one, Tolerances::default(), of_one);

fn places() -> [Placement; 3] {
    let at = |x: f64, z: f64, turn: f64| Placement {
        position: DVec3::new(x, 0.5, z),
        orientation: DQuat::from_rotation_y(turn),
    };
    [Placement::GROWN, at(10.0, -3.0, 0.0), at(-7.0, 4.0, FRAC_PI_2)]
}

fn grove(plant: &Arc<Plant>) -> Group {
    Group::new(places().map(|place| (world(plant, Method::Implicit), place)).into()).unwrap()
}

fn pose_of(solver: &dyn Solver, instance: u32) -> Pose {
    let mut pose = Pose::default();
    solver.write_pose(PoseRequest { instance, ..PoseRequest::default() }, &mut pose);
    pose
}

fn farthest(a: &Pose, b: &Pose) -> f32 {
    a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// An equal force and wind on every instance, rotated with it, move all alike; in world axes each moves
/// in its place.
#[test]
fn instances_move_alike_wherever_they_stand() {
    let plant = Arc::new(leafy_branch());
    let mut group = grove(&plant);
    let mut alone = world(&plant, Method::Implicit);
    let last = BodyId(7);
    let force = DVec3::new(0.3, 1.0, -0.4);
    for _ in 0..60 {
        let loads: Vec<Load> = (0..)
            .zip(places())
            .map(|(instance, place)| {
                Load::force(BodyRef { instance, id: last }, DVec3::Y * 0.1, place.orientation * force)
            })
            .collect();
        group.step(DT, &mut StepInput::new().loads(&loads)).unwrap();
        alone.step(DT, &mut StepInput::new().loads(&[Load::force(last, DVec3::Y * 0.1, force)])).unwrap();
    }
    let theory = alone.motion(last.into());
    for (instance, place) in (0..).zip(places()) {
        assert!(farthest(&pose_of(&group, instance), &alone.pose()) < 1e-6, "instance {instance}");
        let motion = group.motion(BodyRef { instance, id: last });
        assert!(motion.center.distance(place.point(theory.center)) < 1e-9, "instance {instance}");
        assert!(motion.velocity.distance(place.orientation * theory.velocity) < 1e-9, "instance {instance}");
    }
}

/// Wind in the plane x = 10 alone.
#[derive(Debug)]
struct Here;
impl Wind for Here {
    fn velocity(&self, point: DVec3, _: f64) -> DVec3 {
        if (point.x - 10.0).abs() < 2.0 { DVec3::Z * 10.0 } else { DVec3::ZERO }
    }
}

/// Ground that is lost under the third instance.
#[derive(Debug)]
struct Lost;

impl Bases for Lost {
    fn base(&self, instance: u32, _: usize, _: f64) -> Base {
        let position = if instance == 2 { DVec3::NAN } else { DVec3::X };
        Base { position, ..Base::default() }
    }
}

/// An action on one instance moves that one alone, and each instance samples the wind at its own place.
#[test]
fn instances_are_addressed_one_by_one() {
    let plant = Arc::new(symmetric_tree());
    let mut group = grove(&plant);
    let mut calm = grove(&plant);
    let body = BodyRef { instance: 1, id: BodyId(4) };
    for _ in 0..30 {
        group.step(DT, &mut StepInput::new().loads(&[Load::force(body, DVec3::ZERO, DVec3::X)])).unwrap();
        calm.step(DT, &mut StepInput::new()).unwrap();
    }
    let moved = |instance| farthest(&pose_of(&group, instance), &pose_of(&calm, instance));
    assert!(moved(1) > 1e-4 && moved(0) == 0.0 && moved(2) == 0.0, "{} {} {}", moved(0), moved(1), moved(2));
    let before = pose_of(&group, 0);
    assert_eq!(group.check(DT, &StepInput::new().bases(&Lost)), Err(StepError::BadBase { tree: 0 }));
    assert!(group.step(DT, &mut StepInput::new().bases(&Lost)).is_err());
    assert_eq!(pose_of(&group, 0), before, "all or none of the instances move");
    let nowhere = Load::force(BodyRef { instance: 3, id: BodyId(4) }, DVec3::ZERO, DVec3::X);
    let refused = group.step(DT, &mut StepInput::new().loads(&[nowhere]));
    assert_eq!(refused, Err(StepError::NoSuchInstance { instance: 3, instances: 3 }));

    let wind: Arc<dyn Wind> = Arc::new(Here);
    let mut windy = grove(&plant);
    let mut calm = grove(&plant);
    let still: Arc<dyn Wind> = Arc::new(Steady(DVec3::ZERO));
    for _ in 0..30 {
        windy.step(DT, &mut StepInput::new().wind(Some(&wind))).unwrap();
        calm.step(DT, &mut StepInput::new().wind(Some(&still))).unwrap();
    }
    let moved = |instance| farthest(&pose_of(&windy, instance), &pose_of(&calm, instance));
    assert!(moved(1) > 1e-4 && moved(0) == 0.0 && moved(2) == 0.0, "{} {} {}", moved(0), moved(1), moved(2));
}

/// One box of air around several trees: the momentum that all of them take leaves the air.
#[test]
fn one_flow_feels_all_instances() {
    let plant = Arc::new(symmetric_tree());
    let slowed = |members: usize| {
        let members = places().into_iter().take(members).map(|place| (world(&plant, Method::Implicit), place));
        let mut group = Group::new(members.collect()).unwrap();
        let mut air = BoxOfAir::new(1000.0, DVec3::Y * 8.0);
        group.step(DT, &mut StepInput::new().flow(&mut air)).unwrap();
        8.0 - air.velocity.y
    };
    let [one, three] = [1, 3].map(slowed);
    assert!(one > 0.0 && (three / one - 3.0).abs() < 1e-6, "one takes {one} m/s, three {three} m/s");
}

/// Breaking and loads reach the right member of the group.
#[test]
fn what_members_can_do_the_group_can() {
    let plant = Arc::new(symmetric_tree());
    let mut group = grove(&plant);
    for _ in 0..30 {
        group.step(DT, &mut StepInput::new()).unwrap();
    }
    let body = |instance| BodyRef { instance, id: BodyId(3) };
    let [a, b] = [0, 2].map(|instance| group.loads().unwrap().joint_load(body(instance)));
    assert!((a.force - b.force).length() < 1e-9 * a.force.length(), "{a:?} {b:?}");
    let mut weak = Params::default();
    weak.branches.strength = 0.0;
    let mut found = Vec::new();
    let breakable = group.breakable_mut().unwrap();
    breakable.overloads(&Strengths::new(&weak, &plant), &mut found);
    assert_eq!(found.len(), 3 * plant.body_count());
    assert!(found.is_sorted_by_key(|overload| overload.body));
    breakable.release(&[body(2)]);
    assert_eq!(breakable.pieces(), [body(2)]);
    assert!(breakable.is_loose(body(2)) && !breakable.is_loose(body(0)));
    let (before, snapshot) = (pose_of(&group, 2), group.snapshot());
    for _ in 0..30 {
        group.step(DT, &mut StepInput::new()).unwrap();
    }
    assert!(farthest(&before, &pose_of(&group, 2)) > 0.5, "what broke off falls");
    group.restore(&snapshot).unwrap();
    assert_eq!(pose_of(&group, 2), before);
}

/// Joints that were written down come back when they are pulled all the way, in every instance; one that is
/// set moves its own instance alone.
#[test]
fn joints_of_every_instance_are_recorded_and_pulled() {
    let plant = Arc::new(symmetric_tree());
    let mut group = grove(&plant);
    let tip = |instance| BodyRef { instance, id: BodyId(4) };
    let step = |group: &mut Group, force: f64| {
        let loads = [1, 2].map(|i| Load::force(tip(i), DVec3::ZERO, DVec3::X * force * f64::from(i)));
        group.step(DT, &mut StepInput::new().loads(&loads)).unwrap();
    };
    (0..20).for_each(|_| step(&mut group, 0.5));
    let mut numbers = vec![7.0];
    group.joints().unwrap().write_joints(&mut numbers);
    let each = group.joints().unwrap().numbers_per_joint() * plant.body_count();
    assert_eq!(numbers.len(), 3 * each);
    let recorded = [0, 1, 2].map(|instance| pose_of(&group, instance));
    assert!(numbers[..each] != numbers[each..2 * each] && numbers[each..2 * each] != numbers[2 * each..]);
    (0..20).for_each(|_| step(&mut group, -0.8));
    for (instance, recorded) in (0..).zip(&recorded).skip(1) {
        assert!(farthest(&pose_of(&group, instance), recorded) > 1e-3, "instance {instance} has not moved");
    }
    group.joints_mut().unwrap().pull_joints(&numbers, 1.0);
    for (instance, recorded) in (0..).zip(&recorded) {
        assert!(farthest(&pose_of(&group, instance), recorded) < 1e-5, "instance {instance} is elsewhere");
    }
    let turn = DQuat::from_rotation_z(0.3);
    group.joints_mut().unwrap().set_joint(tip(2), turn, DVec3::ZERO);
    assert!(group.joints().unwrap().joint_rotation(tip(2)).angle_between(turn) < 1e-9);
    let far = |instance: u32| farthest(&pose_of(&group, instance), &recorded[instance as usize]);
    let orientation = |instance: u32| pose_of(&group, instance).orientations[4];
    assert!(far(1) < 1e-5 && orientation(2).angle_between(recorded[2].orientations[4]) > 0.1);
}

/// A tree that comes near continues its motion with another method, in another precision or in a group.
#[test]
fn motion_is_taken_over() {
    let plant = Arc::new(leafy_branch());
    for method in [Method::Implicit, Method::Analytic, Method::Explicit] {
        let mut group = grove(&plant);
        let push =
            |i: u32| Load::force(BodyRef { instance: 1, id: BodyId(3) }, DVec3::ZERO, DVec3::Z * f64::from(i % 5));
        for i in 0..20 {
            group.step(DT, &mut StepInput::new().loads(&[push(i)])).unwrap();
        }
        let bodies = || plant.body_ids().map(|id| BodyRef { instance: 1, id });
        let before: Vec<_> = bodies().map(|body| group.motion(body)).collect();
        let single = World::<f32>::new(plant.clone(), Params::default(), method).unwrap();
        let time = group.time();
        group.replace(1, Box::new(single)).unwrap();
        assert_eq!(group.time(), time);
        assert_eq!(group.member(1).name(), method.name());
        let fastest = before.iter().map(|m| m.velocity.length()).fold(0.0, f64::max);
        assert!(fastest > 0.1);
        for (body, before) in bodies().zip(&before) {
            let after = group.motion(body);
            assert!(after.center.distance(before.center) < 1e-5, "{method:?}, {body}");
            let off = after.velocity.distance(before.velocity);
            assert!(off < 1e-4 * fastest, "{method:?}, {body}: {} m/s, {} before", after.velocity, before.velocity);
        }
        for _ in 0..3 {
            group.step(1e-3, &mut StepInput::new()).unwrap();
        }
        assert!(bodies().all(|body| group.motion(body).velocity.is_finite()));
    }
    // A free piece and a leaf that has come off stay so.
    let mut old = World::<f64>::new(plant.clone(), Params::default(), Method::Implicit).unwrap();
    let leaf = plant.leaf_id(3);
    old.step(DT, &mut StepInput::new()).unwrap();
    let breakable = old.breakable_mut().unwrap();
    breakable.release(&[BodyId(2).into()]);
    breakable.remove(&[leaf.into()]);
    for _ in 0..20 {
        old.step(DT, &mut StepInput::new()).unwrap();
    }
    let mut new = World::<f32>::new(plant.clone(), Params::default(), Method::Analytic).unwrap();
    new.take_over(&old).unwrap();
    let [a, b] = [&old as &dyn Solver, &new].map(|solver| solver.motion(BodyId(3).into()));
    assert!(a.center.distance(b.center) < 1e-4 && a.velocity.distance(b.velocity) < 1e-2, "{a:?} {b:?}");
    let breakable = new.breakable().unwrap();
    assert!(breakable.is_loose(leaf.into()) && breakable.pieces() == [BodyRef::from(BodyId(2))]);
}

/// Ground that is turned and moves, and a selection, are taken over, too.
#[test]
fn motion_on_moving_ground_is_taken_over() {
    #[derive(Debug)]
    struct Tilting;
    impl Bases for Tilting {
        fn base(&self, _: u32, _: usize, time: f64) -> Base {
            let rate = DVec3::new(0.2, 0.5, 0.3);
            Base {
                position: DVec3::X * time,
                velocity: DVec3::X,
                orientation: DQuat::from_scaled_axis(rate * time),
                angular_velocity: rate,
                ..Base::default()
            }
        }
    }
    let plant = Arc::new(symmetric_tree());
    let mut old = World::<f64>::new(plant.clone(), Params::default(), Method::Implicit).unwrap();
    old.select(Selection::Thicker { radius: 0.015 });
    for _ in 0..60 {
        old.step(DT, &mut StepInput::new().bases(&Tilting)).unwrap();
    }
    let mut new = World::<f32>::new(plant.clone(), Params::default(), Method::Implicit).unwrap();
    new.take_over(&old).unwrap();
    assert_eq!(new.selection(), old.selection());
    for step in 0..3 {
        for id in plant.body_ids() {
            let [a, b] = [old.motion(id), new.motion(id)];
            let apart = a.center.distance(b.center);
            let turned = a.orientation.angle_between(b.orientation);
            assert!(apart < 1e-4 && turned < 1e-3, "step {step}, body {}: {apart} m, {turned} rad", id.0);
        }
        old.step(1e-3, &mut StepInput::new().bases(&Tilting)).unwrap();
        new.step(1e-3, &mut StepInput::new().bases(&Tilting)).unwrap();
    }
}

/// A snapshot is restored by the method and the precision that made it; a refused one changes nothing.
#[test]
fn snapshots_of_other_methods_are_refused() {
    let plant = Arc::new(symmetric_tree());
    let mut implicit = World::<f64>::new(plant.clone(), Params::default(), Method::Implicit).unwrap();
    implicit.step(DT, &mut StepInput::new()).unwrap();
    let snapshot = implicit.snapshot();
    let before = implicit.pose();
    let others: [Box<dyn Solver>; 2] = [
        world(&plant, Method::Analytic),
        Box::new(World::<f32>::new(plant.clone(), Params::default(), Method::Implicit).unwrap()),
    ];
    for mut other in others {
        let (name, pose) = (other.name(), other.pose());
        let refused = other.restore(&snapshot);
        assert_eq!(refused, Err(SnapshotError::OtherSolver { solver: "implicit" }));
        assert!(other.name() == name && other.pose() == pose && other.time() == 0.0);
    }
    implicit.restore(&snapshot).unwrap();
    assert_eq!(implicit.pose(), before);
}

/// An adopted rest shape is taken over in any precision and by any method: the tree stays where it is. The
/// parameters are those of the new solver.
#[test]
fn rest_shapes_are_taken_over() {
    let plant = Arc::new(horizontal_branch());
    let params = Params { keep_shape: true, ..Params::default() };
    let mut old = World::<f64>::new(plant.clone(), params.clone(), Method::Implicit).unwrap();
    let tip = BodyRef::from(BodyId(3));
    let pull = Load::force(BodyId(3), DVec3::Y * 0.2, DVec3::new(0.0, 5.0, 8.0));
    for _ in 0..120 {
        old.step(DT, &mut StepInput::new().loads(&[pull])).unwrap();
    }
    old.rest_shape().unwrap().adopt_shape();
    let bent = Solver::motion(&old, tip).center;
    let grown = Solver::motion(&*world(&plant, Method::Implicit), tip).center;
    assert!(bent.distance(grown) > 0.02);
    let mut stiff = params.clone();
    stiff.branches.stiffness = 2.0;
    for (own, method) in [(&params, Method::Implicit), (&stiff, Method::Implicit), (&params, Method::Analytic)] {
        let single = World::<f32>::new(plant.clone(), own.clone(), method).unwrap();
        let double = World::<f64>::new(plant.clone(), own.clone(), method).unwrap();
        for mut new in [Box::new(single) as Box<dyn Solver>, Box::new(double)] {
            new.take_over(&old).unwrap();
            assert_eq!((new.params(), new.name()), (own, method.name()));
            for _ in 0..120 {
                new.step(DT, &mut StepInput::new()).unwrap();
            }
            let off = new.motion(tip).center.distance(bent);
            assert!(off < 1e-4, "{method:?}, stiffness {}: {off} m from the adopted shape", own.branches.stiffness);
        }
    }
}

/// A member that refuses the air is asked before any other moves, and a selection that one refuses changes
/// none.
#[test]
fn all_members_of_a_group_move_or_none() {
    let plant = Arc::new(symmetric_tree());
    let bare = Box::new(Bare(world(&plant, Method::Implicit)));
    let mut group =
        Group::new(vec![(world(&plant, Method::Implicit), Placement::GROWN), (bare as Box<dyn Solver>, places()[1])])
            .unwrap();
    let before = pose_of(&group, 0);
    let mut air = BoxOfAir::new(10.0, DVec3::Y * 8.0);
    assert!(matches!(group.step(DT, &mut StepInput::new().flow(&mut air)), Err(StepError::Unsupported(_))));
    assert!(pose_of(&group, 0) == before && group.time() == 0.0 && group.member(0).time() == 0.0);
    assert!(group.select(&Selection::Thicker { radius: 0.015 }).is_err());
    assert_eq!(*group.member(0).selection(), Selection::All);
    group.step(DT, &mut StepInput::new()).unwrap();
}
