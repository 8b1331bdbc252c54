//! The description of a wind: data in TOML that is checked and built.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::air::WindField;
use crate::check::{Check, WindError};
use crate::combine::{Scale, Sum};
use crate::flow::Flow;
use crate::grid::Grid;
use crate::gust::Gust;
use crate::mask::Mask;
use crate::measured::Measured;
use crate::perlin::Perlin;
use crate::profile::Profile;
use crate::turbulence::Turbulence;
use crate::uniform::Uniform;
use crate::wiggle::Wiggle;

/// Maximum nesting depth of winds: a batch needs some kilobytes of stack per level.
const DEEPEST: usize = 16;
/// Maximum number of winds in a description, over all levels.
const MOST_WINDS: usize = 1000;

/// A wind as data. Change it and build it again at any time: phases count from time zero, so unchanged
/// parts continue without a jump.
///
/// In TOML the keys of the model are at the same level as `period`:
///
/// ```toml
/// period = 10
/// kind = "uniform"
/// speed = 8
/// gusts = 0.2
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WindSpec {
    /// Period in seconds after which the wind repeats exactly, for looping clips; 0.1 to 1e6, default
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<f64>,
    /// The model.
    #[serde(flatten)]
    pub model: Model,
}

/// A model of the wind or a combination of winds, by its `kind`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Model {
    /// Uniform in space, with gusts.
    Uniform(Uniform),
    /// A single gust.
    Gust(Gust),
    /// Increases with height.
    Profile(Profile),
    /// Columns of air on a grid.
    Grid(Grid),
    /// Turns back and forth around axes.
    Wiggle(Wiggle),
    /// Noise in space and time.
    Perlin(Perlin),
    /// Turbulence with the spectrum of the atmosphere.
    Turbulence(Turbulence),
    /// A measured record.
    Measured(Measured),
    /// The sum of several winds.
    Sum(Sum),
    /// A wind restricted to a region.
    Mask(Mask),
    /// A wind times a factor.
    Scale(Scale),
}

impl From<Model> for WindSpec {
    fn from(model: Model) -> Self {
        Self { period: None, model }
    }
}

/// Manual, because serde's `flatten` cannot reject unknown keys.
impl<'de> Deserialize<'de> for WindSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = toml::Table::deserialize(deserializer)?;
        let period = table.remove("period").map(toml::Value::try_into).transpose();
        let period = period.map_err(|e| D::Error::custom(format_args!("{} in `period`", e.message())))?;
        Ok(Self { period, model: model_of(table).map_err(D::Error::custom)? })
    }
}

/// Manual, because the errors of serde's tagged enums do not name the wrong key.
impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        model_of(toml::Table::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn model_of(mut table: toml::Table) -> Result<Model, String> {
    const KINDS: &str = "uniform, gust, profile, grid, wiggle, perlin, turbulence, measured, sum, mask, scale";
    let kind = match table.remove("kind") {
        Some(toml::Value::String(kind)) => kind,
        Some(other) => return Err(format!("kind = {other}: must be one of {KINDS}")),
        None => return Err(format!("a wind without `kind`: give one of {KINDS}")),
    };
    let model = match &*kind {
        "uniform" => Uniform::deserialize(table).map(Model::Uniform),
        "gust" => Gust::deserialize(table).map(Model::Gust),
        "profile" => Profile::deserialize(table).map(Model::Profile),
        "grid" => Grid::deserialize(table).map(Model::Grid),
        "wiggle" => Wiggle::deserialize(table).map(Model::Wiggle),
        "perlin" => Perlin::deserialize(table).map(Model::Perlin),
        "turbulence" => Turbulence::deserialize(table).map(Model::Turbulence),
        "measured" => Measured::deserialize(table).map(Model::Measured),
        "sum" => Sum::deserialize(table).map(Model::Sum),
        "mask" => Mask::deserialize(table).map(Model::Mask),
        "scale" => Scale::deserialize(table).map(Model::Scale),
        _ => return Err(format!("kind = \"{kind}\": must be one of {KINDS}")),
    };
    // The message and the key path.
    model.map_err(|e| format!("{} (kind `{kind}`)", e.to_string().trim_end().replace('\n', " ")))
}

impl WindSpec {
    /// Still air.
    pub fn calm() -> Self {
        Model::Sum(Sum::default()).into()
    }

    /// Reads a description in TOML. Values are checked by [`WindSpec::build`].
    pub fn from_toml(text: &str) -> Result<Self, WindError> {
        toml::from_str(text).map_err(|e| WindError::Toml(e.to_string().trim_end().to_owned()))
    }

    /// The description in TOML.
    ///
    /// # Panics
    /// Never: every description can be written.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("only tables, lists, numbers and names")
    }

    /// Reads the CSV files that measured winds name; `read` returns the text of a file. This crate opens
    /// no files itself, so that it runs in a browser. Files that could not be read keep their names, so
    /// the call can be repeated.
    pub fn read_files(&mut self, mut read: impl FnMut(&str) -> Result<String, String>) -> Result<(), WindError> {
        let mut check = Check::new(None);
        self.model.read_files(&mut read, &mut check);
        check.finish()
    }

    /// Checks every rule and builds the wind.
    pub fn build(&self) -> Result<WindField, WindError> {
        let mut check = Check::new(self.period);
        if let Some(period) = self.period {
            check.number("period", period, 0.1..=1e6);
        }
        self.model.check(&mut check);
        check.finish()?;
        Ok(WindField::new(self.model.flow(self.period), self.period))
    }
}

impl Model {
    pub(crate) fn check(&self, check: &mut Check) {
        if check.depth() >= DEEPEST {
            check.broken("depth", check.depth() + 1, format_args!("winds must nest at most {DEEPEST} deep"));
            return;
        }
        check.winds += 1;
        if check.winds > MOST_WINDS {
            // Reported only once.
            if check.winds == MOST_WINDS + 1 {
                check.broken("winds", "too many", format_args!("there must be at most {MOST_WINDS} in all"));
            }
            return;
        }
        match self {
            Self::Uniform(m) => m.check(check),
            Self::Gust(m) => m.check(check),
            Self::Profile(m) => m.check(check),
            Self::Grid(m) => m.check(check),
            Self::Wiggle(m) => m.check(check),
            Self::Perlin(m) => m.check(check),
            Self::Turbulence(m) => m.check(check),
            Self::Measured(m) => m.check(check),
            Self::Sum(m) => m.check(check),
            Self::Mask(m) => m.check(check),
            Self::Scale(m) => m.check(check),
        }
    }

    /// Builds the model. Requires that [`Model::check`] found no error.
    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        match self {
            Self::Uniform(m) => m.flow(period),
            Self::Gust(m) => m.flow(period),
            Self::Profile(m) => m.flow(period),
            Self::Grid(m) => m.flow(period),
            Self::Wiggle(m) => m.flow(period),
            Self::Perlin(m) => m.flow(period),
            Self::Turbulence(m) => m.flow(period),
            Self::Measured(m) => m.flow(period),
            Self::Sum(m) => m.flow(period),
            Self::Mask(m) => m.flow(period),
            Self::Scale(m) => m.flow(period),
        }
    }

    fn read_files(&mut self, read: &mut impl FnMut(&str) -> Result<String, String>, check: &mut Check) {
        match self {
            Self::Measured(measured) => measured.read_file(read, check),
            Self::Sum(sum) => {
                for (i, wind) in sum.winds.iter_mut().enumerate() {
                    check.inside(format_args!("winds[{i}]"), |check| wind.read_files(read, check));
                }
            }
            Self::Profile(Profile { wind, .. })
            | Self::Wiggle(Wiggle { wind, .. })
            | Self::Mask(Mask { wind, .. })
            | Self::Scale(Scale { wind, .. }) => check.inside("wind", |check| wind.read_files(read, check)),
            Self::Uniform(_) | Self::Gust(_) | Self::Grid(_) | Self::Perlin(_) | Self::Turbulence(_) => {}
        }
    }
}
