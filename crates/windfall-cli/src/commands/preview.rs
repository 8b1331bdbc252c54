//! `windfall preview`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use windfall::core::Plant;
use windfall::core::glam::Vec3;
use windfall::preview::encode::{Animation, ApngWriter, GifWriter, jpeg, png};
use windfall::preview::options::MOST_SIDE;
use windfall::preview::{Background, Camera, Options, Picture, Scene, Surface, contact_sheet, draw};
use windfall::skin::{Binding, Skin};

use crate::appearance::AppearanceArgs;
use crate::focus::Focus;
use crate::plants::{GrowArgs, load_or_grow};
use crate::progress;

/// Draw plants on the CPU: a picture, a contact sheet, a turntable.
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
    /// With --target or --focus: how many metres fill the shorter side of the picture [default: 2, or what fits]
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
    /// Frames in a second of a moving picture
    #[arg(long, default_value_t = 20.0, value_parser = parse_rate, allow_hyphen_values = true)]
    fps: f64,
    /// Pictures in a row of a contact sheet
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    columns: Option<u32>,
    #[command(flatten)]
    appearance: AppearanceArgs,
    #[command(flatten)]
    grow: GrowArgs,
}

/// What the ending of the file names.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Png,
    Jpeg,
    Gif,
    Apng,
}

impl Preview {
    pub fn run(&self) -> anyhow::Result<()> {
        let path = self.output.clone().unwrap_or_else(|| default_path(&self.plants[0]));
        let format = Format::of(&path)?;
        let moving = matches!(format, Format::Gif | Format::Apng);
        if moving && (self.turntable.is_none() || self.plants.len() > 1) {
            bail!("{}: a moving picture needs --turntable and one plant", path.display());
        }
        let (count, columns) = self.layout();
        let (across, down) = (columns.saturating_mul(self.size.0), count.div_ceil(columns).saturating_mul(self.size.1));
        if !moving && count > 1 && across.max(down) > MOST_SIDE {
            bail!(
                "a contact sheet of {count} pictures would be {across} x {down} pixels, and a side must have at most {MOST_SIDE}; choose a smaller --size or fewer pictures"
            );
        }
        windfall::io::atomic::check(&path).with_context(|| path.display().to_string())?;
        let mut pictures = Vec::new();
        let mut labels = Vec::new();
        for name in &self.plants {
            let plant = load_or_grow(name, &self.grow)?;
            let mut skin = self.appearance.skin(&plant)?;
            if self.bare {
                strip(&mut skin);
            }
            let studio = Studio::new(self, &plant, &skin)?;
            if moving {
                self.animate(&studio, &path, format)?;
            } else {
                let views = self.turntable.unwrap_or(1);
                for i in 0..views {
                    let turn = 360.0 * i as f32 / views as f32;
                    pictures.push(progress::during(format!("drawing {name}"), || studio.draw(turn))?);
                    let view = if views > 1 { format!("{turn:.0} degrees") } else { String::new() };
                    let title = if self.plants.len() > 1 { stem(name) } else { "" };
                    labels.push(format!("{title} {view}").trim().to_owned());
                }
            }
        }
        if !moving {
            let picture = self.sheet(pictures, &labels)?;
            let encode = if format == Format::Jpeg { |p: &Picture, out: &mut dyn Write| jpeg(p, 90, out) } else { png };
            write(&path, |out| encode(&picture, out))?;
        }
        writeln!(std::io::stdout(), "saved as {}", path.display())?;
        Ok(())
    }

    /// How many pictures there are, and how many stand in a row of their sheet.
    fn layout(&self) -> (u32, u32) {
        let count = (self.plants.len() as u32).saturating_mul(self.turntable.unwrap_or(1));
        (count, self.columns.unwrap_or((count as f32).sqrt().ceil() as u32))
    }

    /// One picture stays as it is; several come onto one sheet.
    fn sheet(&self, mut pictures: Vec<Picture>, labels: &[String]) -> anyhow::Result<Picture> {
        if pictures.len() == 1 {
            return Ok(pictures.remove(0));
        }
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        Ok(contact_sheet(&pictures, self.layout().1, &labels)?)
    }

    fn animate(&self, studio: &Studio<'_>, path: &Path, format: Format) -> anyhow::Result<()> {
        let frames = self.turntable.unwrap_or(1);
        let (width, height) = self.size;
        let bar = progress::bar("drawing", frames as usize);
        let result = write(path, |out| {
            let mut file: Box<dyn Animation + '_> = match format {
                Format::Gif => Box::new(GifWriter::new(out, width, height, self.fps)?),
                _ => Box::new(ApngWriter::new(out, width, height, frames, self.fps)?),
            };
            for i in 0..frames {
                file.add(&studio.draw(360.0 * i as f32 / frames as f32)?)?;
                bar.inc(1);
            }
            file.finish()
        });
        bar.finish_and_clear();
        result
    }
}

/// A plant ready to be drawn.
struct Studio<'a> {
    args: &'a Preview,
    skin: &'a Skin,
    surfaces: Vec<Surface>,
    offsets: Vec<Vec3>,
    azimuth: f32,
    close_up: Option<(Vec3, f32)>,
}

/// Where the camera stands when nobody says anything else, degrees.
const AZIMUTH: f32 = 25.0;

impl<'a> Studio<'a> {
    fn new(args: &'a Preview, plant: &Plant, skin: &'a Skin) -> anyhow::Result<Self> {
        let first = plant.trees().first().map(|tree| tree.origin).unwrap_or_default();
        let offsets = plant.trees().iter().map(|tree| (tree.origin - first).as_vec3()).collect();
        let mut azimuth = args.azimuth.unwrap_or(AZIMUTH).to_radians();
        let mut close_up = args.target.map(|target| (target, args.span.unwrap_or(2.0)));
        if let Some(focus) = args.focus {
            let found = focus.find(plant, azimuth).context("--focus: this plant has nothing of the kind")?;
            close_up = Some((found.target, args.span.unwrap_or(found.span)));
            azimuth = found.azimuth.filter(|_| args.azimuth.is_none()).unwrap_or(azimuth);
        }
        Ok(Self { args, skin, surfaces: Surface::all(&skin.materials)?, offsets, azimuth, close_up })
    }

    /// A whole tree is grand from below; a close-up from there might be from under the ground.
    fn elevation(&self) -> f32 {
        self.args.elevation.unwrap_or(if self.close_up.is_some() { 4.0 } else { -5.0 })
    }

    /// Draws from the camera's place, turned by some degrees.
    fn draw(&self, turn: f32) -> Result<Picture, windfall::preview::PreviewError> {
        let args = self.args;
        let scene = Scene::of_skin(self.skin, &self.surfaces, &self.offsets);
        let (azimuth, elevation) = (self.azimuth + turn.to_radians(), self.elevation().to_radians());
        let (fov, aspect) = (args.fov.to_radians(), args.size.0 as f32 / args.size.1 as f32);
        let camera = match self.close_up {
            Some((target, span)) => Camera::close_up(target, span / args.zoom, azimuth, elevation, fov, aspect),
            // A turntable keeps its distance: what is framed is all that the plant sweeps.
            None if args.turntable.is_some() => {
                Camera::framing(swept(scene.points()), azimuth, elevation, fov, aspect, args.zoom)
            }
            None => Camera::framing(scene.points(), azimuth, elevation, fov, aspect, args.zoom),
        };
        let options = Options {
            width: args.size.0,
            height: args.size.1,
            samples: args.samples,
            sun_azimuth: azimuth + args.sun.0.to_radians(),
            sun_elevation: args.sun.1.to_radians(),
            background: args.background,
            ..Options::default()
        };
        draw(&scene, &camera, &options)
    }
}

/// Points of the body that a scene sweeps when it turns once about the first tree.
fn swept(points: impl Iterator<Item = Vec3> + Clone) -> Vec<Vec3> {
    const SLICES: usize = 64;
    let heights = points.clone().map(|p| p.y);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
    let step = ((high - low) / SLICES as f32).max(1e-6);
    let mut radii = [0.0f32; SLICES];
    for p in points {
        let slice = &mut radii[(((p.y - low) / step) as usize).min(SLICES - 1)];
        *slice = slice.max(p.x.hypot(p.z));
    }
    let circle = |(i, &radius): (usize, &f32)| {
        let y = low + step * (i as f32 + 0.5);
        (0..180).map(move |k| {
            let (sin, cos) = (k as f32 * 2.0).to_radians().sin_cos();
            Vec3::new(radius * sin, y, radius * cos)
        })
    };
    radii.iter().enumerate().flat_map(circle).collect()
}

/// Takes off what hangs on the wood.
fn strip(skin: &mut Skin) {
    for tree in &mut skin.trees {
        tree.parts.retain(|part| matches!(part.mesh.binding, Binding::Blended { .. }));
    }
}

/// Writes through a temporary file, with the error of the encoder rather than the one that carries it.
fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), windfall::preview::PreviewError>,
) -> anyhow::Result<()> {
    windfall::io::atomic::write(path, |out| fill(out).map_err(std::io::Error::other))
        .with_context(|| path.display().to_string())
}

/// `out/NAME.png` for a species or a file.
fn default_path(plant: &str) -> PathBuf {
    PathBuf::from(format!("out/{}.png", stem(plant)))
}

/// A plant as it was named, without folder and ending.
fn stem(plant: &str) -> &str {
    Path::new(plant).file_stem().and_then(|s| s.to_str()).unwrap_or("plant")
}

impl Format {
    fn of(path: &Path) -> anyhow::Result<Self> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("jpg" | "jpeg") => Ok(Self::Jpeg),
            Some("gif") => Ok(Self::Gif),
            Some("apng") => Ok(Self::Apng),
            _ => bail!("{}: the ending must be .png, .jpg, .gif or .apng", path.display()),
        }
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("`{text}` is not a size; write for example 1280x720");
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
    let (width, height): (u32, u32) = (width.parse().map_err(|_| wrong())?, height.parse().map_err(|_| wrong())?);
    if !(1..=MOST_SIDE).contains(&width) || !(1..=MOST_SIDE).contains(&height) {
        return Err(format!("`{text}`: sides must have 1 to {MOST_SIDE} pixels"));
    }
    Ok((width, height))
}

fn parse_within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n| (low..=high).contains(n));
    number.ok_or_else(|| format!("`{text}` should be a number from {low} to {high}"))
}

fn parse_fov(text: &str) -> Result<f32, String> {
    parse_within(text, 1.0, 150.0).map(|n| n as f32)
}

fn parse_positive(text: &str) -> Result<f32, String> {
    parse_within(text, 1e-4, 1e4).map(|n| n as f32)
}

fn parse_degrees(text: &str) -> Result<f32, String> {
    parse_within(text, -36_000.0, 36_000.0).map(|n| n as f32)
}

fn parse_rate(text: &str) -> Result<f64, String> {
    parse_within(text, 0.01, 100.0)
}

fn parse_numbers<const N: usize>(text: &str, example: &str) -> Result<[f32; N], String> {
    let wrong = || format!("`{text}` should be {N} numbers such as {example}");
    let numbers: Option<Vec<f32>> =
        text.split(',').map(|t| t.trim().parse().ok().filter(|n: &f32| n.is_finite())).collect();
    numbers.and_then(|n| n.try_into().ok()).ok_or_else(wrong)
}

fn parse_point(text: &str) -> Result<Vec3, String> {
    parse_numbers(text, "0,2.5,0").map(Vec3::from_array)
}

fn parse_pair(text: &str) -> Result<(f32, f32), String> {
    parse_numbers(text, "-40,50").map(|[a, b]| (a, b))
}

fn parse_background(text: &str) -> Result<Background, String> {
    match text {
        "sky" => return Ok(Background::Sky),
        "none" => return Ok(Background::Transparent),
        _ => {}
    }
    let wrong = || format!("`{text}` is no background; write sky, none or a colour such as #ffffff");
    let hex = text.strip_prefix('#').filter(|h| h.len() == 6).ok_or_else(wrong)?;
    let rgb = u32::from_str_radix(hex, 16).map_err(|_| wrong())?;
    Ok(Background::Plain([(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8]))
}
