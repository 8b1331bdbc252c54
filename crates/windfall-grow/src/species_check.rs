//! The rules of a species file: every number in a range within which growth terminates and the value is
//! meaningful.

use windfall_core::materials;

use crate::GrowError;
use crate::plan::LEAST_BODIES;
use crate::species::Species;
use crate::weber_penn::Level;

type Checked = Result<(), GrowError>;

/// One rule: field, value, smallest and largest.
type Rule<'a> = (&'a str, f64, f64, f64);

impl Species {
    /// Checks that every value is in its range and that every material exists.
    pub fn check(&self) -> Checked {
        self.check_name()?;
        self.within("", &self.rules())?;
        if self.size.max_height < self.size.height {
            return Err(self.wrong("size.max_height", self.size.max_height, "must be at least size.height"));
        }
        if !(2..=8).contains(&self.levels.len()) {
            return Err(self.wrong("number of levels", self.levels.len() as f64, "must be 2 to 8"));
        }
        for (i, level) in self.levels.iter().enumerate() {
            self.check_level(i, level)?;
        }
        if self.leaf.is_none() && self.blossom.is_none() {
            return Err(GrowError::Species(format!("{}: needs a [leaf] or a [blossom] table", self.name)));
        }
        self.check_organs()?;
        self.check_materials()
    }

    fn wrong(&self, field: &str, value: f64, rule: &str) -> GrowError {
        GrowError::Species(format!("{}: {field} = {value}: {rule}", self.name))
    }

    fn within(&self, table: &str, rules: &[Rule<'_>]) -> Checked {
        match rules.iter().find(|(_, value, low, high)| !(low..=high).contains(&value)) {
            None => Ok(()),
            Some((field, value, low, high)) => {
                Err(self.wrong(&format!("{table}{field}"), *value, &format!("must be between {low} and {high}")))
            }
        }
    }

    /// The name becomes part of file names.
    fn check_name(&self) -> Checked {
        let fine = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
        if self.name.is_empty() || self.name.chars().count() > 64 || !self.name.chars().all(fine) {
            let rule = "must be 1 to 64 letters, digits, spaces, - or _";
            return Err(GrowError::Species(format!("name = {:?}: {rule}", self.name)));
        }
        Ok(())
    }

    fn rules(&self) -> Vec<Rule<'_>> {
        let (size, trunk, crown) = (&self.size, &self.trunk, &self.crown);
        let mut rules = vec![
            ("size.height", size.height, 0.1, 200.0),
            ("size.max_height", size.max_height, 0.1, 200.0),
            ("size.bodies", size.bodies as f64, LEAST_BODIES as f64, 1e8),
            ("size.growth", size.growth, 0.05, 1.0),
            ("size.most_leafy", size.most_leafy, 0.01, 100.0),
            ("size.shoot", size.shoot, 1e-3, 100.0),
            ("trunk.dbh_ratio", trunk.dbh_ratio, 1e-4, 1.0),
            ("trunk.stoutness", trunk.stoutness, -1.0, 2.0),
            ("trunk.flare", trunk.flare, 0.0, 20.0),
            ("trunk.base_splits", trunk.base_splits, 0.0, 8.0),
            ("trunk.twig_radius", trunk.twig_radius, 1e-5, 1.0),
            ("trunk.disused", trunk.disused, 0.0, 20.0),
            ("crown.clear", crown.clear, 0.0, 0.99),
            ("crown.clearance", crown.clearance, 0.0, 0.9),
        ];
        if let Some(most) = size.most_bodies {
            rules.push(("size.most_bodies", most as f64, 2.0 * LEAST_BODIES as f64, 1e8));
        }
        if let Some(prune) = &crown.prune {
            rules.extend([
                ("crown.prune.ratio", prune.ratio, 0.0, 1.0),
                ("crown.prune.width", prune.width, 0.01, 10.0),
                ("crown.prune.width_peak", prune.width_peak, 0.01, 0.99),
                ("crown.prune.power_low", prune.power_low, 0.01, 20.0),
                ("crown.prune.power_high", prune.power_high, 0.01, 20.0),
            ]);
        }
        rules
    }

    fn check_level(&self, i: usize, level: &Level) -> Checked {
        let turn = |field, value| (field, value, -3600.0, 3600.0);
        let rules = [
            ("segments", level.segments as f64, 1.0, 200.0),
            ("least_segments", level.least_segments as f64, 1.0, level.segments as f64),
            ("whorl", level.whorl as f64, 1.0, 64.0),
            ("length", level.length, 1e-3, 5.0),
            ("length_v", level.length_v, 0.0, 0.9 * level.length),
            ("branches", level.branches, if i == 0 { 0.0 } else { 0.01 }, 10_000.0),
            ("seg_splits", level.seg_splits, 0.0, 3.0),
            ("bare", level.bare, 0.0, 0.99),
            ("attraction", level.attraction, -100.0, 100.0),
            turn("down_angle", level.down_angle),
            turn("down_angle_v", level.down_angle_v),
            turn("rotate", level.rotate),
            turn("rotate_v", level.rotate_v),
            turn("curve", level.curve),
            turn("curve_back", level.curve_back),
            turn("curve_v", level.curve_v),
            turn("split_angle", level.split_angle),
            turn("split_angle_v", level.split_angle_v),
        ];
        self.within(&format!("levels[{i}]."), &rules)
    }

    fn check_organs(&self) -> Checked {
        let measure = |field, value| (field, value, 1e-5, 10.0);
        let stalk = |field, value| (field, value, 0.0, 10.0);
        if let Some(leaf) = &self.leaf {
            let rules = [
                measure("length", leaf.length),
                measure("width", leaf.width),
                measure("petiole_radius", leaf.petiole_radius),
                stalk("petiole_length", leaf.petiole_length),
                ("spacing", leaf.spacing, 1e-3, 10.0),
                ("per_node", leaf.per_node as f64, 1.0, 64.0),
                ("variation", leaf.variation, 0.0, 0.9),
                ("divergence", leaf.divergence, -360.0, 360.0),
                ("angle", leaf.angle, 0.0, 180.0),
                ("droop", leaf.droop, 0.0, 1.0),
                ("to_light", leaf.to_light, 0.0, 1.0),
                ("bare", leaf.bare, 0.0, 0.99),
            ];
            self.within("leaf.", &rules)?;
        }
        if let Some(blossom) = &self.blossom {
            let rules = [
                measure("length", blossom.length),
                measure("width", blossom.width),
                measure("pedicel_length", blossom.pedicel_length),
                measure("pedicel_radius", blossom.pedicel_radius),
                ("spacing", blossom.spacing, 1e-3, 10.0),
                ("petals", blossom.petals as f64, 1.0, 200.0),
                ("flowers", blossom.flowers as f64, 1.0, 200.0),
                ("opening", blossom.opening, 0.0, 180.0),
            ];
            self.within("blossom.", &rules)?;
        }
        if let Some(fruit) = &self.fruit {
            let [from, to] = fruit.along;
            let rules = [
                measure("radius", fruit.radius),
                measure("stalk_radius", fruit.stalk_radius),
                stalk("stalk_length", fruit.stalk_length),
                ("variation", fruit.variation, 0.0, 0.9),
                ("per_shoot", fruit.per_shoot, 0.0, 100.0),
                ("along[0]", from, 0.0, 1.0),
                ("along[1]", to, from, 1.0),
            ];
            self.within("fruit.", &rules)?;
        }
        Ok(())
    }

    fn check_materials(&self) -> Checked {
        let known = |kind: &str, name: &str, found: bool| {
            if found { Ok(()) } else { Err(GrowError::Species(format!("{}: unknown {kind} `{name}`", self.name))) }
        };
        for name in [Some(&self.wood), self.limb_wood.as_ref()].into_iter().flatten() {
            known("wood", name, materials::wood(name).is_some())?;
        }
        let leaves = [self.leaf.as_ref().map(|l| &l.material), self.blossom.as_ref().map(|b| &b.material)];
        for name in leaves.into_iter().flatten() {
            known("leaf material", name, materials::leaf(name).is_some())?;
        }
        self.fruit.as_ref().map_or(Ok(()), |f| known("fruit", &f.material, materials::fruit(&f.material).is_some()))
    }
}
