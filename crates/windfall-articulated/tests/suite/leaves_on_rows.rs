//! Leaves that sit on rows of wood, and exchange data with eight bodies at once.

use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_solver::{Breakable, Load, Solver, StepInput, Wind};

use windfall_articulated::{Method, Vectors, World};
use windfall_solver::Params;

fn maple(method: Method, vectors: Vectors) -> World<f32> {
    let species = windfall_grow::Species::named("maple").expect("a species");
    let plant = windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(3000), seed: 3 });
    let mut world = World::new(plant.expect("it grows"), Params::default(), method).expect("fine parameters");
    world.set_vectors(vectors);
    world
}

/// The number of rows of wood that carry a bunch, and of those among them without other children.
fn laden(world: &World<f32>) -> (usize, usize) {
    let blocks = world.inspect();
    let laden = || blocks[1..].iter().flat_map(|block| &block.rows).filter(|row| row.carries_bunch);
    (laden().count(), laden().filter(|row| !row.has_other_children).count())
}

/// Leaves that sit on rows of wood move as they do one by one: when something acts on one of them,
/// when one has fallen, when their wood breaks off, and afterwards.
#[test]
fn bunches_on_rows_of_wood_move_as_leaves_one_by_one() {
    let methods = [Method::Implicit, Method::Analytic];
    for (method, vectors) in
        methods.into_iter().flat_map(|m| [Vectors::Best, Vectors::Avx2, Vectors::Least].map(|v| (m, v)))
    {
        let (mut together, mut alone) = (maple(method, vectors), maple(method, Vectors::None));
        let wind = windfall_wind::WindSpec::from_toml("kind = 'grid'\nspeed = 5").expect("a wind");
        let wind: Arc<dyn Wind> = Arc::new(wind.build().expect("it builds"));
        // A leaf of the first bunch that sits on a row, another of it, and a body of that row.
        let (leaf, other, wood) = {
            let block = &together.inspect()[1];
            let row = block.rows.iter().position(|row| row.wood_row.is_some()).expect("a bunch sits on a row");
            let on = block.rows[row].wood_row.expect("it does");
            let id = |row: usize, l: usize| block.rows[row].bodies[l].expect("a body").0;
            assert_eq!(together.plant().parent(id(row, 2)), Some(id(on, 2)));
            (id(row, 2), id(row, 5), id(on, 6))
        };
        let mut borne = Vec::new();
        for n in 0..24 {
            for world in [&mut together, &mut alone] {
                match n {
                    12 => Breakable::remove(world, &[other.into()]),
                    18 => drop(world.release(wood)),
                    _ => {}
                }
                let pull = Load::force(leaf, DVec3::ZERO, DVec3::new(2e-3, 1e-3, 0.0));
                let loads = if (6..9).contains(&n) { vec![pull] } else { vec![] };
                world.step(1.0 / 60.0, &mut StepInput::new().wind(Some(&wind)).loads(&loads)).expect("a step");
            }
            borne.push(laden(&together));
            let (a, b) = (together.pose(), alone.pose());
            let far = a.positions.iter().zip(&b.positions).map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max);
            assert!(far < 2e-6, "{method:?}, {vectors:?}, step {n}: {far} m apart");
            let force = |world: &World<f32>| world.joint_load(leaf).force;
            let (a, b) = (force(&together), force(&alone));
            assert!((a - b).length() < 1e-3 * b.length(), "{method:?}, step {n}: {a} and {b}");
        }
        let (many, silent) = borne[5];
        assert!(many > 30 && silent > 10, "{borne:?}");
        // Counted after a step, which has swept up for the next: one bunch less while something acts,
        // none less for a removed leaf, one less for good where wood has broken.
        assert!(borne[6..8].iter().all(|(rows, _)| *rows == many - 1), "{borne:?}");
        assert!(borne[10..18].iter().all(|rows| *rows == (many, silent)), "{borne:?}");
        assert!(borne[19..].iter().all(|(rows, _)| *rows < many), "{borne:?}");
    }
}
