//! `windfall preview`.

mod film;
mod studio;
mod values;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use film::{Film, Times};
use studio::{Studio, strip};
use values::{
    Format, parse_background, parse_degrees, parse_fov, parse_pair, parse_point, parse_positive, parse_rate, parse_size,
};
use windfall::core::glam::Vec3;
use windfall::preview::encode::{Animation, ApngWriter, GifWriter, jpeg, png};
use windfall::preview::options::MOST_SIDE;
use windfall::preview::{Background, Picture, contact_sheet};

use crate::appearance::AppearanceArgs;
use crate::focus::Focus;
use crate::plants::{GrowArgs, load_or_grow};
use crate::progress;

/// Draw plants on the CPU: a picture, a contact sheet, a turntable, a motion.
#[derive(Args)]
#[command(after_help = "\
Examples:
  windfall preview oak.wfp                                    a picture, saved as out/oak.png
  windfall preview maple --bodies 20k -o maple.jpg            grown on the spot
  windfall preview oak.wfp --bare --azimuth 90                without leaves, from the east
  windfall preview oak.wfp --lod 0 --target 0,2.5,0 --span 1  a close-up, one metre high
  windfall preview oak.wfp --lod 0 --focus fork --bare        the strongest fork
  windfall preview apple oak pine --size 480x480 -o sheet.png a contact sheet
  windfall preview oak.wfp --turntable 36 -o oak.gif          once around
  windfall preview oak.wfp --turntable 8 -o around.png        the same as a contact sheet
  windfall preview oak.wfp --motion gust.wfm -o gust.gif      a motion
  windfall preview oak.wfp --motion gust.wfm --frames 12      twelve moments of it, as a contact sheet
  windfall preview oak.wfp --background none -o icon.png      for a thumbnail

The ending chooses the format: .png, .jpg, and .gif or .apng for moving pictures.")]
pub struct Preview {
    /// .wfp or .json plants, or species that are grown on the spot; several make a contact sheet
    #[arg(required = true, value_name = "PLANT")]
    plants: Vec<String>,
    /// Where to save it: .png, .jpg, .gif or .apng
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Width and height in pixels, of one picture
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    size: (u32, u32),
    /// Where the camera stands, degrees: 0 is south of the tree (+z), 90 is east (+x) [default: 25]
    #[arg(long, value_name = "DEGREES", value_parser = parse_degrees, allow_hyphen_values = true)]
    azimuth: Option<f32>,
    /// How steeply the camera looks down, degrees [default: -5, 4 in close-ups]
    #[arg(long, value_name = "DEGREES", value_parser = parse_degrees, allow_hyphen_values = true)]
    elevation: Option<f32>,
    /// Angle between the lower and the upper edge of the picture, degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 30.0, value_parser = parse_fov, allow_hyphen_values = true)]
    fov: f32,
    /// 2 shows the middle half of what 1 shows
    #[arg(long, default_value_t = 1.0, value_parser = parse_positive, allow_hyphen_values = true)]
    zoom: f32,
    /// Look at this point instead of the whole plant, metres from the first tree's foot
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    target: Option<Vec3>,
    /// A close-up of a place that is found for you
    #[arg(long, conflicts_with = "target")]
    focus: Option<Focus>,
    /// With --target or --focus: how many metres fill the shorter side of the picture
    /// [default: 2, or what fits]
    #[arg(long, value_name = "METRES", value_parser = parse_positive)]
    span: Option<f32>,
    /// Where the sun stands relative to the camera, degrees: azimuth (90 is to the right), elevation
    #[arg(long, value_name = "AZ,EL", default_value = "-55,44", value_parser = parse_pair, allow_hyphen_values = true)]
    sun: (f32, f32),
    /// Wood alone
    #[arg(long)]
    bare: bool,
    /// What is behind the plant: sky (with ground), none (transparent) or a colour such as #ffffff
    #[arg(long, default_value = "sky", value_parser = parse_background)]
    background: Background,
    /// Samples along each side of a pixel
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=3))]
    samples: u32,
    /// This many views once around the plant: frames of a .gif or .apng, otherwise a contact sheet
    #[arg(long, value_name = "FRAMES", value_parser = clap::value_parser!(u32).range(1..=3600))]
    turntable: Option<u32>,
    /// Show this motion of the plant: frames of a .gif or .apng, otherwise a contact sheet
    #[arg(long, value_name = "FILE.wfm")]
    motion: Option<PathBuf>,
    /// With --motion: how many pictures a contact sheet shows, from beginning to end [default: 6]
    #[arg(long, value_name = "COUNT", requires = "motion", value_parser = clap::value_parser!(u32).range(1..=3600))]
    frames: Option<u32>,
    /// Frames in a second of a moving picture [default: 20]
    #[arg(long, value_parser = parse_rate, allow_hyphen_values = true)]
    fps: Option<f64>,
    /// Pictures in a row of a contact sheet
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    columns: Option<u32>,
    #[command(flatten)]
    appearance: AppearanceArgs,
    #[command(flatten)]
    grow: GrowArgs,
}

/// Default frames per second.
const RATE: f64 = 20.0;
/// Default number of pictures of a motion on a contact sheet.
const STILLS: u32 = 6;

impl Preview {
    pub fn run(&self) -> anyhow::Result<()> {
        let path = self.output.clone().unwrap_or_else(|| default_path(&self.plants[0]));
        let format = Format::of(&path)?;
        self.check(&path, format)?;
        windfall::io::atomic::check(&path).with_context(|| path.display().to_string())?;
        let (mut pictures, mut labels) = (Vec::new(), Vec::new());
        for name in &self.plants {
            let plant = load_or_grow(name, &self.grow)?;
            // Before the skin, which takes a while: a motion of another plant is refused.
            let motion = self.motion.as_ref().map(|file| film::open(file, &plant)).transpose()?;
            let mut skin = self.appearance.skin(&plant)?;
            if self.bare {
                strip(&mut skin);
            }
            let studio = Studio::new(self, &plant, &skin)?;
            if let Some(motion) = motion {
                let times = if format.moves() {
                    Times::Rate(self.fps.unwrap_or(RATE))
                } else {
                    Times::Count(self.frames.unwrap_or(STILLS))
                };
                let mut film = Film::new(&studio, &plant, motion, times)?;
                if format.moves() {
                    self.animate(&path, format, film.len(), |i| film.draw(i))?;
                } else {
                    for i in 0..film.len() {
                        pictures.push(progress::during(format!("drawing {name}"), || film.draw(i))?);
                        labels.push(format!("{:.2} s", film.time(i)));
                    }
                }
                continue;
            }
            let views = self.turntable.unwrap_or(1);
            let turn = |i: usize| 360.0 * i as f32 / views as f32;
            if format.moves() {
                self.animate(&path, format, views as usize, |i| Ok(studio.draw(turn(i))?))?;
                continue;
            }
            for i in 0..views as usize {
                pictures.push(progress::during(format!("drawing {name}"), || studio.draw(turn(i)))?);
                let view = if views > 1 { format!("{:.0} degrees", turn(i)) } else { String::new() };
                let title = if self.plants.len() > 1 { stem(name) } else { "" };
                labels.push(format!("{title} {view}").trim().to_owned());
            }
        }
        if !format.moves() {
            let picture = self.sheet(pictures, &labels)?;
            let encode = if format == Format::Jpeg { |p: &Picture, out: &mut dyn Write| jpeg(p, 90, out) } else { png };
            write(&path, |out| Ok(encode(&picture, out)?))?;
        }
        writeln!(std::io::stdout(), "saved as {}", path.display())?;
        Ok(())
    }

    /// Refuses contradictory options before any work.
    fn check(&self, path: &Path, format: Format) -> anyhow::Result<()> {
        let path = path.display();
        if self.motion.is_some() {
            if self.plants.len() > 1 {
                bail!("--motion moves one plant; name the one that it was simulated with alone");
            }
            if self.turntable.is_some() {
                bail!(
                    "--motion and --turntable: while the plant moves the camera stands still; choose its place with --azimuth"
                );
            }
            if format.moves() && self.frames.is_some() {
                bail!("{path}: --frames is for contact sheets (.png, .jpg); a moving picture has --fps");
            }
            if !format.moves() && self.fps.is_some() {
                bail!("{path}: --fps is for moving pictures (.gif, .apng); a contact sheet has --frames");
            }
        } else if format.moves() && (self.turntable.is_none() || self.plants.len() > 1) {
            bail!("{path}: a moving picture needs one plant, and --turntable or --motion");
        }
        let (count, columns) = self.layout();
        let (across, down) = (columns.saturating_mul(self.size.0), count.div_ceil(columns).saturating_mul(self.size.1));
        if !format.moves() && count > 1 && across.max(down) > MOST_SIDE {
            bail!(
                "a contact sheet of {count} pictures would be {across} x {down} pixels, and a side must have at most {MOST_SIDE}; choose a smaller --size or fewer pictures"
            );
        }
        Ok(())
    }

    /// Number of pictures, and number in a row of their sheet.
    fn layout(&self) -> (u32, u32) {
        let views = if self.motion.is_some() { self.frames.unwrap_or(STILLS) } else { self.turntable.unwrap_or(1) };
        let count = (self.plants.len() as u32).saturating_mul(views);
        (count, self.columns.unwrap_or((count as f32).sqrt().ceil() as u32))
    }

    /// One picture stays as it is; several are combined on one sheet.
    fn sheet(&self, mut pictures: Vec<Picture>, labels: &[String]) -> anyhow::Result<Picture> {
        if pictures.len() == 1 {
            return Ok(pictures.remove(0));
        }
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        Ok(contact_sheet(&pictures, self.layout().1, &labels)?)
    }

    fn animate(
        &self,
        path: &Path,
        format: Format,
        frames: usize,
        mut draw: impl FnMut(usize) -> anyhow::Result<Picture>,
    ) -> anyhow::Result<()> {
        let ((width, height), fps) = (self.size, self.fps.unwrap_or(RATE));
        let bar = progress::bar("drawing", frames);
        let result = write(path, |out| {
            let mut file: Box<dyn Animation + '_> = match format {
                Format::Gif => Box::new(GifWriter::new(out, width, height, fps)?),
                _ => Box::new(ApngWriter::new(out, width, height, frames as u32, fps)?),
            };
            for i in 0..frames {
                file.add(&draw(i)?)?;
                bar.inc(1);
            }
            Ok(file.finish()?)
        });
        bar.finish_and_clear();
        result
    }
}

/// Writes through a temporary file. The error is that of the encoder, not the I/O error around it.
fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    windfall::io::atomic::write(path, |out| fill(out).map_err(std::io::Error::other))
        .with_context(|| path.display().to_string())
}

/// `out/NAME.png` for a species or a file.
fn default_path(plant: &str) -> PathBuf {
    PathBuf::from(format!("out/{}.png", stem(plant)))
}

/// The name of a plant, without folder and ending.
fn stem(plant: &str) -> &str {
    Path::new(plant).file_stem().and_then(|s| s.to_str()).unwrap_or("plant")
}
