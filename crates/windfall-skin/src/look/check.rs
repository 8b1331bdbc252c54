//! The rules of a look file: every number in a range within which painting terminates and gives a
//! plausible texture.

use windfall_core::LeafKind;

use super::LookError;
use super::data::{BarkLook, FruitLook, LeafLook, Look};

type Checked = Result<(), LookError>;

/// One rule: field, value, smallest and largest.
type Rule<'a> = (&'a str, f32, f32, f32);

/// Largest number of leaves in one texture.
const MOST_VARIANTS: u32 = 16;

impl Look {
    /// Checks that every value is in its range.
    pub fn check(&self) -> Checked {
        let fine = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
        if self.name.is_empty() || self.name.chars().count() > 64 || !self.name.chars().all(fine) {
            return Err(self.wrong("name", &self.name, "must be 1 to 64 letters, digits, spaces, - or _"));
        }
        for (i, wood) in self.wood.iter().enumerate() {
            self.check_bark(&format!("wood[{i}].bark."), &wood.bark)?;
            self.check_bark(&format!("wood[{i}].twig."), &wood.twig)?;
        }
        for (i, leaf) in self.leaf.iter().enumerate() {
            self.check_leaf(&format!("leaf[{i}]."), leaf)?;
        }
        for (i, fruit) in self.fruit.iter().enumerate() {
            self.check_fruit(&format!("fruit[{i}]."), fruit)?;
        }
        Ok(())
    }

    fn wrong(&self, field: &str, value: &str, rule: &str) -> LookError {
        LookError::Rule { look: self.name.clone(), field: field.into(), value: value.into(), rule: rule.into() }
    }

    fn within(&self, table: &str, rules: &[Rule<'_>]) -> Checked {
        match rules.iter().find(|(_, value, low, high)| !(low..=high).contains(&value)) {
            None => Ok(()),
            Some((field, value, low, high)) => {
                let field = format!("{table}{field}");
                Err(self.wrong(&field, &value.to_string(), &format!("must be between {low} and {high}")))
            }
        }
    }

    fn check_bark(&self, table: &str, bark: &BarkLook) -> Checked {
        let mut rules = vec![
            ("tile", bark.tile, 0.005, 10.0),
            ("relief", bark.relief, 0.0, 0.2 * bark.tile),
            ("roughness", bark.roughness, 0.0, 1.0),
            ("fibre", bark.fibre, 0.0, 1.0),
            ("grain", bark.grain, 0.0, 1.0),
        ];
        if let Some(plates) = &bark.plates {
            rules.extend([
                ("plates.across", plates.across as f32, 3.0, 128.0),
                ("plates.along", plates.along as f32, 3.0, 128.0),
                ("plates.jitter", plates.jitter, 0.0, 1.0),
                ("plates.warp", plates.warp, 0.0, 1.0),
                ("plates.crack", plates.crack, 0.01, 1.0),
                ("plates.round", plates.round, 0.0, 1.0),
                ("plates.flakes", plates.flakes as f32, 0.0, 16.0),
                ("plates.fissures", plates.fissures, 0.0, 1.0),
                ("plates.lift", plates.lift, 0.0, 1.0),
                ("plates.tone", plates.tone, 0.0, 1.0),
                ("plates.cross", plates.cross, 0.0, 1.0),
            ]);
        }
        if let Some(rings) = &bark.rings {
            rules.extend([
                ("rings.count", rings.count as f32, 1.0, 128.0),
                ("rings.waver", rings.waver, 0.0, 1.0),
                ("rings.groove", rings.groove, 0.01, 0.9),
                ("rings.gaps", rings.gaps, 0.0, 1.0),
            ]);
        }
        if let Some(l) = &bark.lenticels {
            // A lens extends no further than into the cells next to its own.
            let (width, height) = (bark.tile / l.across.max(1) as f32, bark.tile / l.along.max(1) as f32);
            rules.extend([
                ("lenticels.across", l.across as f32, 3.0, 128.0),
                ("lenticels.along", l.along as f32, 3.0, 256.0),
                ("lenticels.share", l.share, 0.0, 1.0),
                ("lenticels.width", l.width, 1e-5, 1.3 * width),
                ("lenticels.height", l.height, 1e-5, 1.3 * height),
                ("lenticels.raise", l.raise, -1.0, 1.0),
            ]);
        }
        if let Some(k) = &bark.knots {
            let (width, height) = (bark.tile / k.across.max(1) as f32, bark.tile / k.along.max(1) as f32);
            rules.extend([
                ("knots.across", k.across as f32, 3.0, 64.0),
                ("knots.along", k.along as f32, 3.0, 64.0),
                ("knots.share", k.share, 0.0, 1.0),
                ("knots.width", k.width, 1e-4, 0.6 * width),
                ("knots.height", k.height, 1e-4, 0.6 * height),
            ]);
        }
        if let Some(patches) = &bark.patches {
            rules.extend([
                ("patches.across", patches.across as f32, 1.0, 128.0),
                ("patches.along", patches.along as f32, 1.0, 128.0),
                ("patches.share", patches.share, 0.0, 1.0),
                ("patches.sharp", patches.sharp, 0.0, 1.0),
            ]);
        }
        self.within(table, &rules)
    }

    fn check_leaf(&self, table: &str, leaf: &LeafLook) -> Checked {
        let card = &leaf.card;
        let mut rules = vec![
            ("fill", leaf.fill, 0.05, 1.0),
            ("variants", leaf.variants as f32, 1.0, MOST_VARIANTS as f32),
            ("colors (how many)", leaf.colors.len() as f32, 1.0, 16.0),
            ("dry_edge", leaf.dry_edge, 0.0, 1.0),
            ("spots", leaf.spots as f32, 0.0, 200.0),
            ("stamens", leaf.stamens as f32, 0.0, 40.0),
            ("mottle", leaf.mottle, 0.0, 1.0),
            ("roughness", leaf.roughness, 0.0, 1.0),
            // Beyond these a card leaves the neighbourhood of the flat blade that the wind acts on.
            ("card.fold", card.fold, -30.0, 30.0),
            ("card.curl", card.curl, -80.0, 80.0),
            ("card.twist", card.twist, 0.0, 60.0),
            ("card.vary", card.vary, 0.0, 1.0),
            ("card.shade", card.shade, 0.0, 1.0),
            ("card.hue", card.hue, 0.0, 1.0),
            ("card.young", card.young, 0.0, 1.0),
            ("card.puff", card.puff, 0.0, 0.3),
        ];
        if let Some(teeth) = &leaf.teeth {
            rules.extend([("teeth.count", teeth.count as f32, 0.0, 200.0), ("teeth.size", teeth.size, 0.0, 0.2)]);
        }
        if let Some(veins) = &leaf.veins {
            rules.extend([
                ("veins.pairs", veins.pairs as f32, 0.0, 60.0),
                ("veins.angle", veins.angle, 0.0, 90.0),
                ("veins.parallel", veins.parallel as f32, 0.0, 60.0),
                ("veins.tips (how many)", veins.tips.len() as f32, 0.0, 12.0),
                ("veins.width", veins.width, 0.0, 0.1),
                ("veins.strength", veins.strength, 0.0, 1.0),
            ]);
            rules.extend(veins.tips.iter().flatten().map(|&c| ("veins.tips", c, -1e3, 1e3)));
        }
        if let Some(needles) = &leaf.needles {
            let drawn = (needles.count * needles.bundle) as f32 * needles.thickness;
            rules.extend([
                ("needles.count", needles.count as f32, 1.0, 500.0),
                ("needles.bundle", needles.bundle as f32, 1.0, 8.0),
                ("needles.aspect", needles.aspect, 0.02, 10.0),
                ("needles.angle", needles.angle, 5.0, 90.0),
                ("needles.thickness", needles.thickness, 0.001, 0.2),
                ("needles.shoot", needles.shoot, 0.005, 0.3),
                ("needles.reach", needles.reach, 0.5, 2.0),
                // Each needle is drawn over the pixels around it: many thick ones would take minutes.
                ("needles.count times bundle times thickness", drawn, 0.0, 60.0),
            ]);
        }
        self.within(table, &rules)?;
        match leaf.kind {
            LeafKind::Needles if leaf.needles.is_none() => {
                Err(self.wrong(&format!("{table}needles"), "nothing", "the kind needles needs a [leaf.needles] table"))
            }
            LeafKind::Needles => Ok(()),
            LeafKind::Blossom if !(3..=40).contains(&leaf.petals) => {
                Err(self.wrong(&format!("{table}petals"), &leaf.petals.to_string(), "must be 3 to 40 for a blossom"))
            }
            _ => self.check_outline(table, leaf),
        }
    }

    fn check_outline(&self, table: &str, leaf: &LeafLook) -> Checked {
        let (field, points) = (format!("{table}outline"), &leaf.outline);
        if !(3..=200).contains(&points.len()) {
            return Err(self.wrong(&field, &format!("{} points", points.len()), "must have 3 to 200 points"));
        }
        if let Some(point) = points.iter().find(|p| !((0.0..=1e3).contains(&p[0]) && (-1e3..=1e3).contains(&p[1]))) {
            let rule = "x must be between 0 and 1000, y between -1000 and 1000";
            return Err(self.wrong(&field, &format!("{point:?}"), rule));
        }
        let width = points.iter().fold(0.0_f32, |w, p| w.max(p[0]));
        let [low, high] = points.iter().fold([f32::MAX, f32::MIN], |[l, h], p| [l.min(p[1]), h.max(p[1])]);
        if !(width > 0.0 && high > low) || width < 1e-3 * (high - low) || high - low < 1e-2 * width {
            let rule = "must have a width and a length, neither much smaller than the other";
            return Err(self.wrong(&field, &format!("{} by {}", 2.0 * width, high - low), rule));
        }
        Ok(())
    }

    fn check_fruit(&self, table: &str, fruit: &FruitLook) -> Checked {
        let mut rules = vec![
            ("cover", fruit.cover, 0.0, 1.0),
            ("streaks", fruit.streaks, 0.0, 1.0),
            ("dots", fruit.dots as f32, 0.0, 128.0),
            ("roughness", fruit.roughness, 0.0, 1.0),
            ("length", fruit.length, 0.3, 3.0),
            ("dimple", fruit.dimple, 0.0, 0.5),
        ];
        if let Some(cup) = &fruit.cup {
            rules.extend([("cup.reach", cup.reach, 0.0, 0.9), ("cup.scales", cup.scales as f32, 3.0, 100.0)]);
        }
        self.within(table, &rules)
    }
}
