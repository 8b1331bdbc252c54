//! What happens when.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use toml::{Table, Value};
use windfall_core::{BodyId, Grab, Load, Solver};
use windfall_dynamics::math::Real;
use windfall_dynamics::stage::Settings;
use windfall_dynamics::{Method, Params, Selection, Stage};
use windfall_wind::Air;

use crate::bases::base_at;
use crate::error::{Problems, SceneError, plain};
use crate::file::SceneFile;
use crate::hand::{Force, Hand};
use crate::plants::Plants;
use crate::schema::{Event, LetGo};
use crate::set::{Set, air, chance, find, selection};

/// All that happens, in the order of time.
#[derive(Debug, Clone, Default)]
pub struct Script {
    deeds: Vec<(f64, Deed)>,
    forces: Vec<Force>,
    hands: Vec<Hand>,
    /// Leaves and fruit that let go, and when.
    falls: Vec<(f64, BodyId)>,
}

#[derive(Debug, Clone)]
enum Deed {
    Cut(Vec<BodyId>),
    Set { values: Vec<(Vec<String>, Value)>, over: f64 },
    Stage(Settings),
    Wind { air: Air, over: f64 },
    Solver(Method),
    Select(Selection),
}

/// Finds and checks everything that an event needs.
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
            script.deeds.push((event.at, Deed::Cut(bodies.collect())));
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
            }
            script.deeds.push((event.at, Deed::Set { values, over: event.over }));
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
            script.deeds.push((event.at, Deed::Solver(solver.method())));
        }
        if let Some(select) = &event.select {
            let selection = selection(plants, &format!("{key}.select"), select, problems);
            script.deeds.push((event.at, Deed::Select(selection)));
        }
    }
    script.falls.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    script
}

/// Which leaves or fruit let go, and when: evenly over the time of the event.
fn falls(event: &Event, let_go: &LetGo, plants: &Plants, seed: u64) -> Vec<(f64, BodyId)> {
    let members = plants.members.iter().enumerate().filter(|(i, _)| let_go.plant.is_none_or(|plant| plant == *i));
    let ids = members.flat_map(|(_, member)| member.kind(&plants.whole, let_go.kind));
    let chosen = ids.map(|id| (chance(seed, id as u64), id)).filter(|(chance, _)| *chance < let_go.share);
    chosen.map(|(chance, id)| (event.at + event.over * chance / let_go.share, BodyId(id as u32))).collect()
}

fn table_of(params: &Params) -> Table {
    Table::try_from(params).expect("parameters are a table")
}

/// Puts values into a table and reads it. An error is put down to the value that makes it alone, if there is one; then the table stays as it was.
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

/// All values of a table that are no tables, with the keys that lead to them.
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

fn get<'a>(table: &'a Table, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let value = table.get(first)?;
    if rest.is_empty() { Some(value) } else { get(value.as_table()?, rest) }
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|n| n as f64))
}

/// Between two values; what is no number, or not finite, is the new one at once.
fn between(from: &Value, to: &Value, share: f64) -> Value {
    if let (Some(a), Some(b)) = (number(from), number(to)) {
        return if share < 1.0 && a.is_finite() && b.is_finite() {
            Value::Float(a + (b - a) * share)
        } else {
            to.clone()
        };
    }
    match (from, to) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            Value::Array(a.iter().zip(b).map(|(a, b)| between(a, b, share)).collect())
        }
        _ => to.clone(),
    }
}

/// A parameter on its way from one value to another.
struct Ramp {
    path: Vec<String>,
    from: Value,
    to: Value,
    start: f64,
    over: f64,
}

/// A script while it is played.
pub(crate) struct Playing<'a> {
    set: &'a Set,
    next: usize,
    next_fall: usize,
    next_throw: usize,
    hands: Vec<Hand>,
    ramps: Vec<Ramp>,
    params: Table,
    air: Option<Air>,
    loads: Vec<Load>,
    grabs: Vec<Grab>,
}

impl<'a> Playing<'a> {
    pub fn new(set: &'a Set) -> Self {
        Self {
            set,
            next: 0,
            next_fall: 0,
            next_throw: 0,
            hands: set.script.hands.clone(),
            ramps: Vec::new(),
            params: table_of(&set.params),
            air: set.air.clone(),
            loads: Vec::new(),
            grabs: Vec::new(),
        }
    }

    /// Does all that is due before the step of `dt` seconds.
    pub fn before_step<T: Real>(&mut self, stage: &mut Stage<T>, dt: f64) -> Result<(), SceneError> {
        let (time, soon) = (stage.time(), stage.time() + 0.5 * dt);
        let script = &self.set.script;
        let step_error = |error| SceneError::Step { time, error };
        while let Some((_, deed)) = script.deeds.get(self.next).filter(|(at, _)| *at <= soon) {
            self.next += 1;
            self.play(deed, stage, time).map_err(step_error)?;
        }
        let falls = script.falls[self.next_fall..].partition_point(|(at, _)| *at <= soon);
        if falls > 0 {
            let bodies: Vec<BodyId> = script.falls[self.next_fall..][..falls].iter().map(|(_, body)| *body).collect();
            self.next_fall += falls;
            stage.cut(&bodies).map_err(step_error)?;
        }
        self.throw(stage, soon);
        self.move_parameters(stage, time + dt);
        for motion in &self.set.scene.bases {
            for tree in self.set.plants.members[motion.plant].trees() {
                stage.set_base(tree, base_at(motion, time + dt));
            }
        }
        Ok(())
    }

    /// Throws what is due at a time, s.
    pub fn throw<T: Real>(&mut self, stage: &mut Stage<T>, time: f64) {
        while let Some(thrown) = self.set.thrown.get(self.next_throw).filter(|thrown| thrown.time <= time) {
            self.next_throw += 1;
            stage.throw(thrown.body).expect("names of thrown bodies are numbers, each once");
        }
    }

    fn play<T: Real>(&mut self, deed: &Deed, stage: &mut Stage<T>, time: f64) -> Result<(), windfall_core::StepError> {
        match deed {
            Deed::Cut(bodies) => stage.cut(bodies)?,
            Deed::Set { values, over } => {
                for (path, to) in values {
                    // What is not there yet (a limit) has nothing to come from.
                    let from = get(&self.params, path).unwrap_or(to).clone();
                    // The newest wish counts, also after it is reached.
                    self.ramps.retain(|ramp| ramp.path != *path);
                    self.ramps.push(Ramp { path: path.clone(), from, to: to.clone(), start: time, over: *over });
                }
            }
            Deed::Stage(settings) => stage.set_settings(*settings).expect("was checked before"),
            Deed::Wind { air, over } => {
                let new = match &self.air {
                    Some(old) if *over > 0.0 => old.fade_to(air, time, *over),
                    _ => air.clone(),
                };
                stage.set_wind(Some(Arc::new(new.clone())));
                self.air = Some(new);
            }
            Deed::Solver(method) => stage.world_mut().set_method(*method),
            Deed::Select(selection) => stage.world_mut().select(selection.clone()),
        }
        Ok(())
    }

    fn move_parameters<T: Real>(&mut self, stage: &mut Stage<T>, time: f64) {
        if self.ramps.is_empty() {
            return;
        }
        for ramp in &self.ramps {
            let share = if ramp.over > 0.0 { ((time - ramp.start) / ramp.over).min(1.0) } else { 1.0 };
            put(&mut self.params, &ramp.path, between(&ramp.from, &ramp.to, share));
        }
        self.ramps.retain(|ramp| time < ramp.start + ramp.over);
        // The ends were checked; every rule is a range, so what lies between keeps it too.
        if let Ok(params) = self.params.clone().try_into::<Params>() {
            let _ = stage.set_params(params);
        }
    }

    /// What pushes and hands do in this step.
    pub fn actions<T: Real>(&mut self, stage: &Stage<T>, dt: f64) -> (&[Load], &[Grab]) {
        self.loads.clear();
        self.loads.extend(self.set.script.forces.iter().filter_map(|force| force.load(stage.world(), dt)));
        self.grabs.clear();
        self.grabs.extend(self.hands.iter_mut().filter_map(|hand| hand.grab(stage, dt)));
        (&self.loads, &self.grabs)
    }
}
