//! Joint loads.

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, JointLoad};

use crate::plants::{LENGTH, LINE_DENSITY, horizontal_branch, leafy_branch, symmetric_tree};
use crate::{Checked, DOWN, Subject, ensure, tier};

tier! {
    [|solver| solver.loads().is_some()]
    joints_carry_the_load,
    each_joint_carries_what_hangs_on_it,
    batches_are_the_single_loads,
}

/// At rest the joint of the root carries the weight of the branch, m g, and its moment, m g L / 2.
pub fn joints_carry_the_load(subject: &Subject<'_>) -> Checked {
    let mut solver = subject.solver(&horizontal_branch());
    subject.run(&mut *solver, DOWN, 3.0);
    let load = solver.loads().expect("was asked").joint_load(BodyId(0).into());
    let to_world = solver.motion(BodyId(0).into()).orientation;
    let (force, torque) = (to_world * load.force, to_world * load.torque);
    let weight = LINE_DENSITY * LENGTH * -DOWN.y;
    let (up, about_z) = (DVec3::Y * weight, DVec3::Z * (0.5 * weight * LENGTH));
    let tolerance = subject.tolerances.loads;
    ensure!((force - up).length() < tolerance * up.length(), "the root's force is {force} N; the weight is {up} N");
    let off = (torque - about_z).length();
    ensure!(off < tolerance * about_z.length(), "the root's moment is {torque} N m, not {about_z} N m");
    Ok(())
}

/// Every joint of a tree at rest carries the weight of all its descendants.
pub fn each_joint_carries_what_hangs_on_it(subject: &Subject<'_>) -> Checked {
    for plant in [symmetric_tree(), leafy_branch()] {
        let mut solver = subject.solver(&plant);
        subject.run(&mut *solver, DOWN, 5.0);
        let mut masses: Vec<f64> = plant.body_ids().map(|id| plant.mass_properties(id).mass).collect();
        for id in plant.body_ids().rev() {
            if let Some(parent) = plant.parent(id) {
                masses[parent.0 as usize] += masses[id.0 as usize];
            }
        }
        for id in plant.body_ids() {
            let load = solver.loads().expect("was asked").joint_load(id.into());
            let force = solver.motion(id.into()).orientation * load.force;
            let up = -DOWN * masses[id.0 as usize];
            let off = (force - up).length() / up.length();
            let (name, body) = (plant.name(), id.0);
            ensure!(off < subject.tolerances.loads, "{name}: joint {body} carries {force} N; its weight is {up} N");
        }
    }
    Ok(())
}

/// Joint loads in a batch equal those one by one.
pub fn batches_are_the_single_loads(subject: &Subject<'_>) -> Checked {
    let plant = leafy_branch();
    let mut solver = subject.solver(&plant);
    subject.run(&mut *solver, DOWN, 0.3);
    let loads = solver.loads().expect("was asked");
    // Previous contents of the list do not matter.
    let mut all = vec![JointLoad { force: DVec3::ONE, torque: DVec3::ONE }; 3];
    loads.write_joint_loads(0, &mut all);
    ensure!(all.len() == plant.body_count(), "{} loads of {} joints", all.len(), plant.body_count());
    for (id, load) in plant.body_ids().zip(&all) {
        let one = loads.joint_load(id.into());
        ensure!(one == *load, "joint {}: {load:?} among all, {one:?} by itself", id.0);
    }
    Ok(())
}
