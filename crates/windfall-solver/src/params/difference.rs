//! What two sets of parameters have in common: a solver computes only what differs.

use windfall_core::BodyClass;

use super::Params;

/// What differs between two sets of parameters. Classes are in the order wood, leaves, fruit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Difference {
    /// The acceleration of free fall.
    pub gravity: bool,
    /// Whether gravity bends the rest shape.
    pub keep_shape: bool,
    /// Loads at which joints give way.
    pub strengths: [bool; 3],
    /// Mass and inertia.
    pub masses: [bool; 3],
    /// Stiffness, damping and limits of joints.
    pub joints: [bool; 3],
    /// How air acts on bodies.
    pub air: bool,
}

impl Difference {
    /// From one set to another.
    pub fn between(old: &Params, new: &Params) -> Self {
        let of_wood = |p: &Params| (p.fork_stiffening, p.stiffness.clone(), p.damping.clone(), p.overrides.clone());
        let each =
            |differs: &dyn Fn(BodyClass) -> bool| [BodyClass::Wood, BodyClass::Leaf, BodyClass::Fruit].map(differs);
        let joint = |p: &Params, class| {
            let own = p.class(class);
            (own.stiffness, own.damping, own.axes, *p.limits.class(class))
        };
        let strength = |p: &Params, class| {
            let own = p.class(class);
            (own.strength, own.strength_spread, p.seed)
        };
        let mut joints = each(&|class| joint(old, class) != joint(new, class));
        joints[0] |= of_wood(old) != of_wood(new);
        Self {
            gravity: old.gravity != new.gravity,
            keep_shape: old.keep_shape != new.keep_shape,
            strengths: each(&|class| strength(old, class) != strength(new, class)),
            masses: each(&|class| old.class(class).density != new.class(class).density),
            joints,
            air: old.air != new.air,
        }
    }

    /// The classes whose masses or joints differ.
    pub fn mechanics(&self) -> [bool; 3] {
        [0, 1, 2].map(|class| self.masses[class] || self.joints[class])
    }
}

#[cfg(test)]
mod tests {
    use super::super::ParamField;
    use super::super::field::another;
    use super::*;

    /// Every parameter but those of the step itself is noticed, and by the right class.
    #[test]
    fn every_parameter_is_noticed() {
        for field in ParamField::all() {
            let mut params = Params::default();
            let value = another(&field.get(&params));
            field.set(&mut params, &value);
            let found = Difference::between(&Params::default(), &params);
            let name = field.name();
            let class = ["branches", "leaves", "fruit"].iter().position(|class| name.contains(class));
            let only = |class: usize| [0, 1, 2].map(|i| i == class);
            match name.rsplit('.').next().unwrap_or("") {
                _ if name.starts_with("fictitious") || name == "mass_damping" => {
                    assert_eq!(found, Difference::default(), "{name}: steps read it from the parameters");
                }
                "gravity" => assert!(found.gravity),
                "keep_shape" => assert!(found.keep_shape),
                "seed" => assert_eq!(found.strengths, [true; 3]),
                _ if name.starts_with("air") => assert!(found.air && found.mechanics() == [false; 3], "{name}"),
                "density" => assert_eq!(found.masses, only(class.unwrap()), "{name}"),
                "strength" | "strength_spread" => assert_eq!(found.strengths, only(class.unwrap()), "{name}"),
                _ => assert_eq!(found.joints, only(class.unwrap_or(0)), "{name}"),
            }
            assert_eq!(Difference::between(&params, &params), Difference::default());
        }
    }
}
