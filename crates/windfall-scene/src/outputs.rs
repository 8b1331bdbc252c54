//! Output files of a run: each is written under a temporary name first, so that none is ever incomplete
//! under its own.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use windfall_free::Name;
use windfall_io::motion::{MotionError, MotionWriter};
use windfall_io::{ProbeWriter, atomic};
use windfall_preview::encode::{Animation, GifWriter, png};
use windfall_preview::{Picture, contact_sheet};
use windfall_stage::Event;

use crate::error::SceneError;
use crate::prepared::PreparedScene;
use crate::report::RunReport;
use crate::run::{Frame, run};
use crate::show::Show;

/// Options of the output.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// The folder; created if it is missing.
    pub folder: PathBuf,
    /// Whether pictures are drawn.
    pub pictures: bool,
}

/// Files that are written frame by frame.
struct Open<'a> {
    set: &'a PreparedScene,
    motion: Option<MotionWriter>,
    probes: Vec<(PathBuf, ProbeWriter)>,
    events: Option<String>,
    bodies: Option<String>,
    show: Option<Show>,
    stills: Vec<Picture>,
    labels: Vec<String>,
    gif: Option<Box<dyn Animation + 'a>>,
}

impl Outputs {
    /// Runs a scene and writes its outputs. `watch` is called for every frame after it was written.
    pub fn run(
        &self,
        set: &PreparedScene,
        watch: &mut dyn FnMut(&Frame<'_>) -> Result<(), SceneError>,
    ) -> Result<RunReport, SceneError> {
        let preview = &set.scene.preview;
        if !(self.pictures && preview.gif) {
            return self.run_with(set, None, watch);
        }
        // The animation is written while the scene runs, and renamed at the end.
        let path = self.path(set, "gif");
        let mut result = None;
        let written = atomic::write(&path, |out| {
            let [width, height] = preview.size;
            let ran = GifWriter::new(out, width, height, Self::gif_rate(set))
                .map_err(SceneError::from)
                .and_then(|gif| self.run_with(set, Some(Box::new(gif)), watch));
            let failed = ran.is_err();
            result = Some(ran);
            if failed { Err(std::io::Error::other("the run ended early")) } else { Ok(()) }
        });
        match (result, written) {
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(mut report)), Ok(())) => {
                report.files.push(shown(&path));
                self.summary(set, &mut report)?;
                Ok(report)
            }
            (_, Err(error)) => Err(unwritten(&path)(error)),
            (None, Ok(())) => unreachable!("it is filled before it is written"),
        }
    }

    /// Checks before long work that all files can be written.
    pub fn check(&self, set: &PreparedScene) -> Result<(), SceneError> {
        let (output, preview) = (&set.scene.output, &set.scene.preview);
        let files = [
            ("json", output.summary),
            ("events.csv", output.events),
            ("bodies.csv", output.bodies),
            ("wfm", output.motion),
            ("wfp", output.motion),
            ("png", self.pictures && preview.stills > 0),
            ("gif", self.pictures && preview.gif),
        ];
        let files = files.into_iter().filter(|(_, written)| *written).map(|(ending, _)| ending.to_owned());
        for ending in files.chain((0..set.probes.len()).map(|i| format!("probe{i}.csv"))) {
            let path = self.path(set, &ending);
            atomic::check(&path).map_err(unwritten(&path))?;
        }
        Ok(())
    }

    /// Number of frames between pictures of the animation.
    fn gif_stride(set: &PreparedScene) -> usize {
        (set.scene.fps / set.scene.preview.fps).round().max(1.0) as usize
    }

    fn gif_rate(set: &PreparedScene) -> f64 {
        (set.scene.fps / Self::gif_stride(set) as f64).min(50.0)
    }

    fn path(&self, set: &PreparedScene, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", set.scene.name))
    }

    fn run_with<'a>(
        &self,
        set: &'a PreparedScene,
        gif: Option<Box<dyn Animation + 'a>>,
        watch: &mut dyn FnMut(&Frame<'_>) -> Result<(), SceneError>,
    ) -> Result<RunReport, SceneError> {
        let moves = gif.is_some();
        let mut open = self.open(set, gif)?;
        let mut report = run(set, &mut |frame| {
            open.frame(frame)?;
            watch(frame)
        })?;
        report.files = self.close(set, open)?;
        if !moves {
            self.summary(set, &mut report)?;
        }
        Ok(report)
    }

    fn open<'a>(&self, set: &'a PreparedScene, gif: Option<Box<dyn Animation + 'a>>) -> Result<Open<'a>, SceneError> {
        let output = &set.scene.output;
        let motion =
            output.motion.then(|| MotionWriter::create(&self.path(set, "wfm"), &set.plants.whole, set.scene.fps));
        let motion = motion.transpose().map_err(motion_unwritten)?;
        let probe = |i: usize| {
            let path = self.path(set, &format!("probe{i}.csv"));
            let writer = ProbeWriter::create(&path).map_err(unwritten(&path))?;
            Ok::<_, SceneError>((path, writer))
        };
        let pictures = self.pictures && (set.scene.preview.stills > 0 || gif.is_some());
        let has_things = !set.thrown.is_empty() || !set.creatures.is_empty();
        Ok(Open {
            set,
            motion,
            probes: (0..set.probes.len()).map(probe).collect::<Result<_, _>>()?,
            events: output.events.then(|| "time_s,what,body,kind,used_of_strength\n".into()),
            bodies: (output.bodies && has_things)
                .then(|| "time_s,what,number,x_m,y_m,z_m,vx_m_s,vy_m_s,vz_m_s\n".into()),
            show: pictures.then(|| Show::new(set)).transpose()?,
            stills: Vec::new(),
            labels: Vec::new(),
            gif,
        })
    }

    fn close(&self, set: &PreparedScene, open: Open<'_>) -> Result<Vec<String>, SceneError> {
        let mut files = Vec::new();
        if let Some(motion) = open.motion {
            let path = self.path(set, "wfm");
            motion.finish().map_err(motion_unwritten)?;
            files.push(shown(&path));
            let path = self.path(set, "wfp");
            windfall_io::save(&set.plants.whole, &path).map_err(|error| unwritten(&path)(error))?;
            files.push(shown(&path));
        }
        for (path, probe) in open.probes {
            probe.finish().map_err(unwritten(&path))?;
            files.push(shown(&path));
        }
        for (ending, table) in [("events.csv", open.events), ("bodies.csv", open.bodies)] {
            if let Some(table) = table {
                let path = self.path(set, ending);
                atomic::write(&path, |out| out.write_all(table.as_bytes())).map_err(unwritten(&path))?;
                files.push(shown(&path));
            }
        }
        if !open.stills.is_empty() {
            let path = self.path(set, "png");
            let labels: Vec<&str> = open.labels.iter().map(String::as_str).collect();
            let columns = set.scene.preview.columns(open.stills.len() as u32);
            let sheet = if open.stills.len() == 1 {
                open.stills[0].clone()
            } else {
                contact_sheet(&open.stills, columns, &labels)?
            };
            atomic::write(&path, |out| png(&sheet, out).map_err(std::io::Error::other)).map_err(unwritten(&path))?;
            files.push(shown(&path));
        }
        if let Some(gif) = open.gif {
            gif.finish()?;
        }
        Ok(files)
    }

    fn summary(&self, set: &PreparedScene, report: &mut RunReport) -> Result<(), SceneError> {
        if !set.scene.output.summary {
            return Ok(());
        }
        let path = self.path(set, "json");
        report.files.push(shown(&path));
        let text = serde_json::to_string_pretty(report).expect("numbers and texts");
        atomic::write(&path, |out| writeln!(out, "{text}")).map_err(unwritten(&path))
    }
}

impl Open<'_> {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), SceneError> {
        if let Some(motion) = &mut self.motion {
            // Times free of accumulated rounding.
            let time = frame.number as f64 / self.set.scene.fps;
            motion.frame(time, frame.pose).map_err(motion_unwritten)?;
        }
        for ((path, probe), &body) in self.probes.iter_mut().zip(&self.set.probes) {
            let load = frame.solver.loads().expect("the scene asked before it began").joint_load(body.into());
            let row = probe.row(frame.time, &frame.solver.motion(body.into()), &load);
            row.map_err(unwritten(path))?;
        }
        self.tables(frame);
        self.pictures(frame)
    }

    fn tables(&mut self, frame: &Frame<'_>) {
        if let Some(table) = &mut self.events {
            for event in frame.events {
                let (what, (body, used, time)) = match event {
                    Event::Broke { body, used, time } => ("broke", (body, used, time)),
                    Event::LetGo { body, used, time } => ("let go", (body, used, time)),
                };
                let kind = frame.plant.kind_name(body.id);
                let _ = writeln!(table, "{time:?},{what},{},{kind},{used:?}", body.id.0);
            }
        }
        if let Some(table) = &mut self.bodies {
            let mut row = |what: &str, number: usize, p: windfall_core::glam::DVec3, v: windfall_core::glam::DVec3| {
                let _ = writeln!(
                    table,
                    "{:?},{what},{number},{:?},{:?},{:?},{:?},{:?},{:?}",
                    frame.time, p.x, p.y, p.z, v.x, v.y, v.z
                );
            };
            for body in frame.free.iter() {
                if let Name::Thrown(number) = body.name {
                    row("thrown", number as usize, body.position, body.velocity);
                }
            }
            // Before the first step a creature has no place yet.
            for (i, creature) in frame.creatures.iter().enumerate().filter(|_| frame.number > 0) {
                row("creature", i, creature.position(), creature.velocity());
            }
        }
    }

    fn pictures(&mut self, frame: &Frame<'_>) -> Result<(), SceneError> {
        let Some(show) = &mut self.show else { return Ok(()) };
        show.see(frame);
        let (frames, stills) = (self.set.scene.frames(), self.set.scene.preview.stills as usize);
        // The k-th of n stills is at k / (n - 1) of the time; one alone at the end.
        let still = |k: usize| if stills == 1 { frames } else { (k * frames + (stills - 1) / 2) / (stills - 1) };
        let is_still = (0..stills).any(|k| still(k) == frame.number);
        let is_moving = self.gif.is_some() && frame.number.is_multiple_of(Outputs::gif_stride(self.set));
        if !(is_still || is_moving) {
            return Ok(());
        }
        let picture = show.draw(frame)?;
        if let Some(gif) = self.gif.as_mut().filter(|_| is_moving) {
            gif.add(&picture)?;
        }
        if is_still {
            self.stills.push(picture);
            self.labels.push(format!("{:.2} s", frame.time));
        }
        Ok(())
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn motion_unwritten(error: MotionError) -> SceneError {
    SceneError::Write { file: error.path, reason: error.problem.to_string() }
}

fn unwritten<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> SceneError {
    let file = path.to_owned();
    move |error| SceneError::Write { file: file.clone(), reason: error.to_string() }
}
