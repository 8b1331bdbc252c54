//! Capabilities that a scene needs of its solver, checked before anything moves.

use windfall_solver::{Solver, Unsupported};
use windfall_stage::{CollisionMode, Settings};

use crate::prepared::PreparedScene;

impl PreparedScene {
    /// Whether a solver can do what the scene will ask of it.
    pub fn needs(&self, solver: &dyn Solver) -> Result<(), Unsupported> {
        let unless = |can: bool, what| if can { Ok(()) } else { Err(Unsupported { solver: solver.name(), what }) };
        let settings: Vec<&Settings> = std::iter::once(&self.scene.stage).chain(self.script.settings()).collect();
        settings.iter().try_for_each(|settings| settings.needs(solver))?;
        unless(
            solver.breakable().is_some() || !self.script.cuts(),
            "cutting branches and letting go of leaves and fruit",
        )?;
        unless(solver.loads().is_some() || self.probes.is_empty(), "the loads of joints, which probes record")?;
        unless(solver.contact().is_some() || self.creatures.is_empty(), "creatures on branches")?;
        let collides = settings.iter().any(|settings| settings.collisions.mode != CollisionMode::Off);
        unless(
            solver.contact().is_some() || self.thrown.is_empty() || !collides,
            "bodies that hit trees (or set collisions.mode to off)",
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windfall_articulated::Method;
    use windfall_conformance::Bare;

    use crate::file::SceneFile;

    const QUIET: &str = "[stage]\nfracture = false\ndetachment = false\ncollisions.mode = \"off\"\n";

    /// Each thing that needs a capability is refused with its name; without them the scene is fine.
    #[test]
    fn scenes_say_what_a_solver_lacks() {
        let plants = "[[plants]]\nspecies = \"oak\"\nbodies = 60\n";
        let cases = [
            ("", QUIET, None),
            ("", "", Some("breaking")),
            ("[output]\nprobes = [\"top\"]\n", QUIET, Some("loads of joints")),
            ("[[events]]\nat = 0.1\ncut = [5]\n", QUIET, Some("cutting")),
            ("[[events]]\nat = 0.1\nstage.detachment = true\n", QUIET, Some("breaking")),
        ];
        for (extra, stage, lacks) in cases {
            let text = format!("seconds = 0.2\n{stage}{plants}{extra}");
            let scene = SceneFile::from_text(&text)
                .and_then(|file| file.set_up())
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            let plant = Arc::clone(&scene.plants.whole);
            let solver = windfall_articulated::double(plant, scene.params.clone(), Method::Implicit).unwrap();
            assert_eq!(scene.needs(&*solver), Ok(()), "{text}");
            let said = scene.needs(&Bare(solver)).map_err(|error| error.to_string());
            match lacks {
                None => assert_eq!(said, Ok(()), "{text}"),
                Some(what) => {
                    let said = said.expect_err(&text);
                    assert!(said.contains("`bare`") && said.contains(what), "{text}: {said}");
                }
            }
        }
    }
}
