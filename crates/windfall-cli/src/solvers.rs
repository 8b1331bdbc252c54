//! Solvers on the command line: names of the common list.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use windfall::scene::{SOLVERS, SolverSpec};

/// Reads the name of a solver.
pub fn parser() -> impl TypedValueParser<Value = SolverSpec> {
    let names = SOLVERS.map(|info| PossibleValue::new(info.name).help(info.about));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<SolverSpec>())
}
