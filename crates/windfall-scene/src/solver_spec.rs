//! Specification of a solver: one list of names, with the parameters of each, for scenes, commands and
//! programs.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use windfall_articulated::{Method, Vectors};
use windfall_core::Plant;
use windfall_solver::{Params, ParamsError, Solver};

/// A solver by name, with its parameters.
///
/// In a file a name alone (`solver = "analytic"`), or a table
/// (`solver = { kind = "analytic", precision = "f64" }`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SolverSpec {
    /// Articulated bodies, linearly implicit: accurate at one step per frame.
    Implicit(ArticulatedSpec),
    /// Articulated bodies by the closed form of quigley2017.
    Analytic(ArticulatedSpec),
    /// Articulated bodies by forward Euler, for comparison: stable only in small steps.
    Explicit(ArticulatedSpec),
}

/// The form of the specification as a table.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Described {
    Implicit(ArticulatedSpec),
    Analytic(ArticulatedSpec),
    Explicit(ArticulatedSpec),
}

/// Parameters of the articulated solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArticulatedSpec {
    /// Precision of its numbers; f32 by default.
    pub precision: Precision,
    /// Vector instructions; the best of the machine by default. Only for f32.
    pub simd: Simd,
}

/// Precision of a solver's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Single.
    #[default]
    F32,
    /// Double.
    F64,
}

/// Vector instructions of a solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Simd {
    /// The best of the machine.
    #[default]
    Best,
    /// AVX2 at most.
    Avx2,
    /// The least of any machine of its kind.
    Least,
    /// None: body by body.
    None,
}

/// Description of a solver for users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolverInfo {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// Its description in one line.
    pub about: &'static str,
    /// Its specification with default parameters.
    pub spec: SolverSpec,
}

const ARTICULATED: ArticulatedSpec = ArticulatedSpec { precision: Precision::F32, simd: Simd::Best };

/// All solvers; the first is the default.
pub const SOLVERS: [SolverInfo; 3] = [
    SolverInfo {
        name: "implicit",
        about: "accurate at one step per frame; the default",
        spec: SolverSpec::Implicit(ARTICULATED),
    },
    SolverInfo {
        name: "analytic",
        about: "the method of Quigley et al. 2017",
        spec: SolverSpec::Analytic(ARTICULATED),
    },
    SolverInfo {
        name: "explicit",
        about: "forward Euler, for comparison; needs many substeps",
        spec: SolverSpec::Explicit(ARTICULATED),
    },
];

impl Default for SolverSpec {
    fn default() -> Self {
        SOLVERS[0].spec
    }
}

impl SolverSpec {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Implicit(_) => "implicit",
            Self::Analytic(_) => "analytic",
            Self::Explicit(_) => "explicit",
        }
    }

    /// With another precision.
    pub fn with_precision(mut self, precision: Precision) -> Self {
        self.articulated_mut().precision = precision;
        self
    }

    /// With other vector instructions.
    pub fn with_simd(mut self, simd: Simd) -> Self {
        self.articulated_mut().simd = simd;
        self
    }

    fn articulated_mut(&mut self) -> &mut ArticulatedSpec {
        match self {
            Self::Implicit(spec) | Self::Analytic(spec) | Self::Explicit(spec) => spec,
        }
    }

    /// Makes the solver for a plant, at rest.
    pub fn build(&self, plant: Arc<Plant>, params: &Params) -> Result<Box<dyn Solver>, ParamsError> {
        let (method, spec) = match self {
            Self::Implicit(spec) => (Method::Implicit, spec),
            Self::Analytic(spec) => (Method::Analytic, spec),
            Self::Explicit(spec) => (Method::Explicit, spec),
        };
        let vectors = match spec.simd {
            Simd::Best => Vectors::Best,
            Simd::Avx2 => Vectors::Avx2,
            Simd::Least => Vectors::Least,
            Simd::None => Vectors::None,
        };
        match spec.precision {
            Precision::F32 => windfall_articulated::single(plant, params.clone(), method, vectors),
            Precision::F64 => windfall_articulated::double(plant, params.clone(), method),
        }
    }
}

/// An unknown solver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no solver called `{name}`; there are {}", SOLVERS.map(|info| info.name).join(", "))]
pub struct NoSuchSolver {
    /// The requested name.
    name: String,
}

impl FromStr for SolverSpec {
    type Err = NoSuchSolver;

    fn from_str(name: &str) -> Result<Self, NoSuchSolver> {
        let info = SOLVERS.iter().find(|info| info.name == name);
        info.map(|info| info.spec).ok_or_else(|| NoSuchSolver { name: name.to_owned() })
    }
}

impl<'de> Deserialize<'de> for SolverSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpecVisitor;

        impl<'de> Visitor<'de> for SpecVisitor {
            type Value = SolverSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a solver, or a table with its kind and parameters")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<SolverSpec, E> {
                name.parse().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SolverSpec, A::Error> {
                Ok(match Described::deserialize(MapAccessDeserializer::new(map))? {
                    Described::Implicit(spec) => SolverSpec::Implicit(spec),
                    Described::Analytic(spec) => SolverSpec::Analytic(spec),
                    Described::Explicit(spec) => SolverSpec::Explicit(spec),
                })
            }
        }

        deserializer.deserialize_any(SpecVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_builds_the_solver_that_says_so() {
        let species = windfall_grow::Species::named("maple").unwrap();
        let options = windfall_grow::GrowOptions { bodies: Some(200), seed: 1 };
        let plant = Arc::new(windfall_grow::grow(&species, &options).unwrap());
        for info in SOLVERS {
            assert_eq!(info.name.parse(), Ok(info.spec));
            assert_eq!(info.spec.name(), info.name);
            for precision in [Precision::F32, Precision::F64] {
                let solver = info.spec.with_precision(precision).build(plant.clone(), &Params::default()).unwrap();
                assert_eq!(solver.name(), info.name);
            }
        }
        let error = "euler".parse::<SolverSpec>().unwrap_err().to_string();
        assert_eq!(error, "no solver called `euler`; there are implicit, analytic, explicit");
    }

    #[test]
    fn a_solver_is_a_name_or_a_table() {
        #[derive(Debug, Deserialize)]
        struct File {
            solver: SolverSpec,
        }
        let read = |text: &str| toml::from_str::<File>(text).map(|file| file.solver);
        assert_eq!(read("solver = 'analytic'").unwrap(), SOLVERS[1].spec);
        let f64 = SOLVERS[0].spec.with_precision(Precision::F64);
        assert_eq!(read("solver = { kind = 'implicit', precision = 'f64' }").unwrap(), f64);
        for wrong in ["'euler'", "1", "{ kind = 'implicit', precison = 'f64' }", "{ kind = 'euler' }", "{}"] {
            assert!(read(&format!("solver = {wrong}")).is_err(), "{wrong}");
        }
        let text = toml::to_string(&f64).unwrap();
        assert_eq!(read(&format!("[solver]\n{text}")).unwrap(), f64);
    }
}
