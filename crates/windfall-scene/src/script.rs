//! Events of a scene, and parameters that change over time (ramps).

use std::sync::Arc;

use serde::de::DeserializeOwned;
use toml::{Table, Value};
use windfall_core::{BodyId, BodyRef};
use windfall_solver::params::{ParamField, ParamValue};
use windfall_solver::{Actions, Grab, Load, Params, Selection, Solver, StepError, StepInput, Wind};
use windfall_stage::{Event as StageEvent, Settings, Stage};
use windfall_wind::WindField;

use crate::error::{Problems, SceneError, plain};
use crate::file::SceneFile;
use crate::hand::{Force, Hand};
use crate::plants::Plants;
use crate::player::Director;
use crate::prepared::{PreparedScene, air, chance, find, selection};
use crate::schema::{EventEntry, LetGo};
use crate::solver_spec::SolverSpec;

/// All events, in the order of time.
#[derive(Debug, Clone, Default)]
pub struct Script {
    deeds: Vec<(f64, Deed)>,
    forces: Vec<Force>,
    hands: Vec<Hand>,
    /// Leaves and fruit to detach, with their times.
    falls: Vec<(f64, BodyRef)>,
}

#[derive(Debug, Clone)]
enum Deed {
    Cut(Vec<BodyRef>),
    Set { values: Vec<(ParamField, ParamValue)>, over: f64 },
    Stage(Settings),
    Wind { air: WindField, over: f64 },
    Solver(SolverSpec),
    Select(Selection),
}

impl Script {
    /// The settings that events set.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Settings> {
        self.deeds.iter().filter_map(|(_, deed)| match deed {
            Deed::Stage(settings) => Some(settings),
            _ => None,
        })
    }

    /// Whether any event cuts wood or detaches leaves or fruit.
    pub(crate) fn cuts(&self) -> bool {
        !self.falls.is_empty() || self.deeds.iter().any(|(_, deed)| matches!(deed, Deed::Cut(_)))
    }
}

/// Resolves and checks the input of every event.
pub(crate) fn script(file: &SceneFile, plants: &Plants, problems: &mut Problems<'_>) -> Script {
    let scene = &file.scene;
    let mut script = Script::default();
    let mut order: Vec<usize> = (0..scene.events.len()).collect();
    order.sort_by(|&a, &b| scene.events[a].at.total_cmp(&scene.events[b].at));
    let (mut params, mut settings) = (table_of(&file.params), scene.stage);
    for i in order {
        let (event, key) = (&scene.events[i], format!("events[{i}]"));
        let time = event.at..event.at + event.over;
        if !event.cut.is_empty() {
            let bodies = event.cut.iter().enumerate();
            let bodies = bodies.filter_map(|(k, pick)| find(plants, &format!("{key}.cut[{k}]"), pick, problems));
            script.deeds.push((event.at, Deed::Cut(bodies.map(BodyRef::from).collect())));
        }
        if let Some(let_go) = &event.let_go {
            let members =
                plants.members.iter().enumerate().filter(|(k, _)| let_go.plant.is_none_or(|plant| plant == *k));
            if members.map(|(_, member)| member.kind(&plants.whole, let_go.kind).len()).sum::<usize>() == 0 {
                problems.note(
                    format_args!("{key}.let_go"),
                    format!("there is no {:?} to let go", let_go.kind).to_lowercase(),
                );
            }
            script.falls.extend(falls(event, let_go, plants, scene.seed.wrapping_add(i as u64)));
        }
        if let Some(set) = &event.set {
            let key = format!("{key}.set");
            let values = leaves(set);
            if let Some(new) = changed::<Params>(&mut params, &key, &values, problems) {
                crate::check::violations(&key, new.check(&plants.whole).err(), problems);
                let typed = values.iter().filter_map(|(path, _)| field(&key, path, &new, problems)).collect();
                script.deeds.push((event.at, Deed::Set { values: typed, over: event.over }));
            }
        }
        if let Some(set) = &event.stage {
            let key = format!("{key}.stage");
            let mut table = Table::try_from(settings).expect("settings are a table");
            if let Some(new) = changed::<Settings>(&mut table, &key, &leaves(set), problems) {
                crate::check::bad_number(&format!("{key}.collisions"), new.check(), problems);
                settings = new;
                script.deeds.push((event.at, Deed::Stage(new)));
            }
        }
        if let Some(wind) = &event.wind {
            let from = event.wind_from_degrees;
            if let Some(air) = air(&format!("{key}."), Some(wind), from, &file.source, problems) {
                script.deeds.push((event.at, Deed::Wind { air, over: event.over }));
            }
        }
        if let Some(push) = &event.push
            && let Some(body) = find(plants, &format!("{key}.push.body"), &push.body, problems)
        {
            script.forces.push(Force { body, force: push.force, time: time.clone() });
        }
        if let Some(hand) = &event.hand
            && let Some(body) = find(plants, &format!("{key}.hand.body"), &hand.body, problems)
        {
            script.hands.push(Hand::new(body, hand.places(), time, &plants.whole, scene.step()));
        }
        if let Some(solver) = event.solver {
            script.deeds.push((event.at, Deed::Solver(scene.solver_of(solver))));
        }
        if let Some(select) = &event.select {
            let selection = selection(plants, &format!("{key}.select"), select, problems);
            script.deeds.push((event.at, Deed::Select(selection)));
        }
    }
    script.falls.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    script
}

/// The leaves or fruit that detach, with times evenly over the event.
fn falls(event: &EventEntry, let_go: &LetGo, plants: &Plants, seed: u64) -> Vec<(f64, BodyRef)> {
    let members = plants.members.iter().enumerate().filter(|(i, _)| let_go.plant.is_none_or(|plant| plant == *i));
    let ids = members.flat_map(|(_, member)| member.kind(&plants.whole, let_go.kind));
    let chosen = ids.map(|id| (chance(seed, id as u64), id)).filter(|(chance, _)| *chance < let_go.share);
    chosen.map(|(chance, id)| (event.at + event.over * chance / let_go.share, BodyId(id as u32).into())).collect()
}

fn table_of(params: &Params) -> Table {
    Table::try_from(params).expect("parameters are a table")
}

/// Puts values into a table and reads it. An error is attributed to the value that causes it alone, if
/// there is one; then the table stays as it was.
fn changed<T: DeserializeOwned>(
    table: &mut Table,
    key: &str,
    values: &[(Vec<String>, Value)],
    problems: &mut Problems<'_>,
) -> Option<T> {
    let with = |values: &[(Vec<String>, Value)]| {
        let mut table = table.clone();
        for (path, value) in values {
            put(&mut table, path, value.clone());
        }
        let read = table.clone().try_into::<T>().map_err(|e| plain(e.message()));
        read.map(|read| (table, read))
    };
    match with(values) {
        Ok((changed, read)) => {
            *table = changed;
            Some(read)
        }
        Err(error) => {
            let alone =
                |value: &&(Vec<String>, Value)| with(std::slice::from_ref(value)).err().as_ref() == Some(&error);
            let path = values.iter().find(alone).map_or(String::new(), |(path, _)| format!(".{}", path.join(".")));
            problems.note(format_args!("{key}{path}"), error);
            None
        }
    }
}

/// A parameter by its keys, with its value.
fn field(key: &str, path: &[String], params: &Params, problems: &mut Problems<'_>) -> Option<(ParamField, ParamValue)> {
    let field: ParamField = problems.check(key, path.join(".").parse())?;
    Some((field, field.get(params)))
}

/// All values of a table that are no tables, with their keys.
fn leaves(table: &Table) -> Vec<(Vec<String>, Value)> {
    let mut all = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                all.extend(leaves(inner).into_iter().map(|(mut path, value)| {
                    path.insert(0, key.clone());
                    (path, value)
                }));
            }
            value => all.push((vec![key.clone()], value.clone())),
        }
    }
    all
}

fn put(table: &mut Table, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let inner = table.entry(first.clone()).or_insert_with(|| Value::Table(Table::new()));
            if !inner.is_table() {
                *inner = Value::Table(Table::new());
            }
            if let Value::Table(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

/// A parameter that changes linearly from one value to another.
struct Ramp {
    field: ParamField,
    from: ParamValue,
    to: ParamValue,
    start: f64,
    over: f64,
}

/// A running scene: the sole owner of parameters, gravity and air.
pub(crate) struct Playing<'a> {
    scene: &'a PreparedScene,
    next: usize,
    next_fall: usize,
    next_throw: usize,
    hands: Vec<Hand>,
    ramps: Vec<Ramp>,
    params: Params,
    air: Option<WindField>,
    wind: Option<Arc<dyn Wind>>,
    loads: Vec<Load>,
    grabs: Vec<Grab>,
    /// Events since they were last taken.
    pub events: Vec<StageEvent>,
    /// Steps so far.
    pub steps: usize,
}

impl<'a> Playing<'a> {
    pub fn new(scene: &'a PreparedScene) -> Self {
        Self {
            scene,
            next: 0,
            next_fall: 0,
            next_throw: 0,
            hands: scene.script.hands.clone(),
            ramps: Vec::new(),
            params: scene.params.clone(),
            air: scene.air.clone(),
            wind: scene.air.clone().map(|air| Arc::new(air) as Arc<dyn Wind>),
            loads: Vec::new(),
            grabs: Vec::new(),
            events: Vec::new(),
            steps: 0,
        }
    }

    /// Throws the bodies due at a time, s.
    pub fn throw(&mut self, stage: &mut Stage, time: f64) -> Result<(), SceneError> {
        while let Some(thrown) = self.scene.thrown.get(self.next_throw).filter(|thrown| thrown.time <= time) {
            self.next_throw += 1;
            // Names of thrown bodies are numbers, each once.
            stage.throw(thrown.body).map_err(|error| SceneError::refused(time, error))?;
        }
        Ok(())
    }

    fn play(&mut self, deed: &Deed, stage: &mut Stage, time: f64) -> Result<(), SceneError> {
        match deed {
            Deed::Cut(bodies) => stage.cut(bodies).map_err(|error| SceneError::Step { time, error })?,
            Deed::Set { values, over } => {
                for (field, to) in values {
                    let from = field.get(&self.params);
                    // The newest ramp wins, also after it has ended.
                    self.ramps.retain(|ramp| ramp.field != *field);
                    self.ramps.push(Ramp { field: *field, from, to: to.clone(), start: time, over: *over });
                }
            }
            Deed::Stage(settings) => {
                stage.set_settings(*settings).map_err(|error| SceneError::refused(time, error))?;
            }
            Deed::Wind { air, over } => {
                let new = match &self.air {
                    Some(old) if *over > 0.0 => old.fade_to(air, time, *over),
                    _ => air.clone(),
                };
                self.wind = Some(Arc::new(new.clone()));
                self.air = Some(new);
            }
            Deed::Solver(spec) => {
                let plant = stage.plant().clone();
                let solver = spec.build(plant, &self.params).map_err(|error| SceneError::refused(time, error))?;
                self.scene.needs(&*solver).map_err(|error| SceneError::refused(time, error))?;
                stage.replace_solver(solver).map_err(|error| SceneError::refused(time, error))?;
            }
            Deed::Select(selection) => {
                stage.select(selection).map_err(|error| SceneError::refused(time, error))?;
            }
        }
        Ok(())
    }

    fn move_parameters(&mut self, stage: &mut Stage, time: f64) -> Result<(), SceneError> {
        if self.ramps.is_empty() {
            return Ok(());
        }
        for Ramp { field, from, to, start, over } in &self.ramps {
            let share = if *over > 0.0 { ((time - start) / over).min(1.0) } else { 1.0 };
            field.set(&mut self.params, &from.towards(to, share));
        }
        self.ramps.retain(|ramp| time < ramp.start + ramp.over);
        stage.set_params(&self.params).map_err(|error| SceneError::refused(time, error))
    }
}

impl Director<Stage> for Playing<'_> {
    type Error = SceneError;

    fn before_step(&mut self, stage: &mut Stage, dt: f64) -> Result<(), SceneError> {
        // Events of the last step are known already; those of cuts come after them.
        let known = stage.events().len();
        let (time, soon) = (stage.time(), stage.time() + 0.5 * dt);
        let script = &self.scene.script;
        while let Some((_, deed)) = script.deeds.get(self.next).filter(|(at, _)| *at <= soon) {
            self.next += 1;
            self.play(deed, stage, time)?;
        }
        let falls = script.falls[self.next_fall..].partition_point(|(at, _)| *at <= soon);
        if falls > 0 {
            let bodies: Vec<BodyRef> = script.falls[self.next_fall..][..falls].iter().map(|(_, body)| *body).collect();
            self.next_fall += falls;
            stage.cut(&bodies).map_err(|error| SceneError::Step { time, error })?;
        }
        self.throw(stage, soon)?;
        self.move_parameters(stage, time + dt)?;
        self.events.extend_from_slice(&stage.events()[known..]);
        Ok(())
    }

    fn input<'a>(&'a mut self, stage: &Stage, dt: f64) -> StepInput<'a> {
        self.loads.clear();
        self.loads.extend(self.scene.script.forces.iter().filter_map(|force| force.load(stage, dt)));
        self.grabs.clear();
        self.grabs.extend(self.hands.iter_mut().filter_map(|hand| hand.grab(stage, dt)));
        let actions = Actions { loads: &self.loads, grabs: &self.grabs, ..Actions::default() };
        let input = StepInput::new().gravity(self.params.gravity).wind(self.wind.as_ref()).actions(actions);
        if self.scene.bases.is_empty() { input } else { input.bases(&self.scene.bases) }
    }

    fn after_step(&mut self, stage: &Stage) -> Result<(), SceneError> {
        self.events.extend_from_slice(stage.events());
        self.steps += 1;
        Ok(())
    }

    fn step_error(&self, time: f64, error: StepError) -> SceneError {
        SceneError::Step { time, error }
    }
}
