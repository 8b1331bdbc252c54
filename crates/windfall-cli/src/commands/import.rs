//! `windfall import`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use windfall::core::{Summary, materials};
use windfall::scan::{
    AngleDistribution, Dialect, Foliage, ImportOptions, ImportReport, LeafArea, RepairOptions, UpAxis, import,
};

use crate::plants::find_species;
use crate::{progress, report};

/// Make a plant of a laser-scanned tree: a cylinder model (QSM) or an MTG.
#[derive(Args)]
#[command(after_help = "\
Examples:
  windfall import cylinder_oak.txt --wood oak -o oak.wfp     TreeQSM as text
  windfall import QSM.mat --wood maple --lai 4               TreeQSM, with leaves: 4 m2 per m2 of crown
  windfall import trees.txt --wood pine                      all trees of a raycloudtools treefile
  windfall import tree.csv --leaf-area 60 --leaf-angles planophile
  windfall import apple.mtg --scale 0.001 --radius-scale 0.0001   an MTG in mm, diameters in 1/10 mm
  windfall inspect out/tree.wfp                              then as any other plant

Read are TreeQSM (.mat up to -v7, cylinder_*.txt), SimpleForest CSV, aRchi CSV, raycloudtools treefiles,
AdTree skeletons (.ply), MTG with XX, YY, ZZ, and CSV with the columns id, parent, start_x, start_y, start_z,
end_x, end_y, end_z, radius. The content says which it is. Gaps, loose parts and wrong radii are repaired,
and what was done is printed; docs/scans.md explains it.")]
pub struct Import {
    /// The scan
    file: PathBuf,
    /// Where to save the plant: .wfp (compact) or .json (readable)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What the file is written in: auto, treeqsm-mat, treeqsm-text, simpleforest, archi, raycloud, adtree,
    /// mtg, csv
    #[arg(long, default_value = "auto", value_parser = dialect, hide_default_value = true)]
    format: Format,
    /// Which of several models of a tree in one MATLAB file, from 1
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    model: u32,
    /// The species whose wood and leaves it has (`windfall species` lists them), or a species file; oak if
    /// not given
    #[arg(long, value_name = "SPECIES")]
    wood: Option<String>,
    /// Which axis of the file points up
    #[arg(long, value_enum, default_value_t = UpArg::Z)]
    up: UpArg,
    /// Metres per unit of the file: 0.01 for centimetres, 0.001 for millimetres
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    scale: f64,
    /// Metres per unit of radii and diameters, if they have a unit of their own
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true)]
    radius_scale: Option<f64>,
    /// Join parts without a parent to other wood up to this distance, m
    #[arg(long, default_value_t = RepairOptions::default().join, value_name = "M", allow_hyphen_values = true)]
    join: f64,
    /// No segment is longer than this, m, but for cylinders that would be cut into more than 20
    #[arg(long, default_value_t = 1.0, value_name = "M", allow_hyphen_values = true)]
    longest: f64,
    /// Leave trees where the scan has them; otherwise the first stands at the origin
    #[arg(long)]
    keep_place: bool,
    /// Add leaves: one-sided area of all of them, m2
    #[arg(long, value_name = "M2", conflicts_with = "lai", allow_hyphen_values = true)]
    leaf_area: Option<f64>,
    /// Add leaves: area over the area of the crown from above
    #[arg(long, value_name = "INDEX", allow_hyphen_values = true)]
    lai: Option<f64>,
    /// How leaves are inclined: spherical, uniform, planophile, erectophile, plagiophile, extremophile
    #[arg(long, default_value = "spherical", value_parser = angles, value_name = "NAME", hide_default_value = true)]
    leaf_angles: AngleDistribution,
    /// Leaves grow on wood up to this radius, m; if not given, on the thinner half of the wood
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    leaf_radius: Option<f64>,
    /// Another seed is another arrangement of leaves
    #[arg(long, default_value_t = 0, allow_hyphen_values = true)]
    seed: u64,
    /// Print report and summary as JSON
    #[arg(long)]
    json: bool,
}

/// The dialect; none to find it out.
type Format = Option<Dialect>;

#[derive(Clone, Copy, ValueEnum)]
enum UpArg {
    Z,
    Y,
}

fn dialect(name: &str) -> Result<Format, String> {
    let all = || Dialect::ALL.map(Dialect::name).join(", ");
    match name {
        "auto" => Ok(None),
        name => Dialect::named(name).map(Some).ok_or_else(|| format!("choose auto or one of {}", all())),
    }
}

fn angles(name: &str) -> Result<AngleDistribution, String> {
    let all = || AngleDistribution::ALL.map(AngleDistribution::name).join(", ");
    AngleDistribution::named(name).ok_or_else(|| format!("choose one of {}", all()))
}

#[derive(Serialize)]
struct Output<'a> {
    report: &'a ImportReport,
    summary: &'a Summary,
}

impl Import {
    pub fn run(self) -> anyhow::Result<()> {
        let stem = self.file.file_stem().map_or_else(|| "scan".into(), |stem| stem.to_string_lossy().into_owned());
        let path = self.output.clone().unwrap_or_else(|| PathBuf::from(format!("out/{stem}.wfp")));
        windfall::io::check_destination(&path)?;
        let options = self.options(stem)?;
        let bytes = windfall::io::read_bytes(&self.file)?;
        let mut scan = progress::during("importing", || import(&bytes, &options))
            .with_context(|| self.file.display().to_string())?;
        if self.wood.is_none() {
            scan.report.notes.push("the wood is taken for oak: --wood SPECIES makes it another".to_owned());
        }
        progress::during("saving", || windfall::io::save(&scan.plant, &path))?;
        let summary = Summary::of(&scan.plant);
        let mut out = std::io::stdout().lock();
        if self.json {
            return report::json(&mut out, &Output { report: &scan.report, summary: &summary });
        }
        writeln!(out, "{}\n", scan.report)?;
        report::summary(&mut out, &summary)?;
        writeln!(out, "\nsaved as {}", path.display())?;
        Ok(())
    }

    fn options(&self, name: String) -> anyhow::Result<ImportOptions> {
        let (species, _) = find_species(self.wood.as_deref().unwrap_or("oak"))?;
        let wood = materials::wood(&species.wood)
            .with_context(|| format!("{} has the wood {}, which is unknown", species.name, species.wood))?;
        let area = self.leaf_area.map(LeafArea::Total).or(self.lai.map(LeafArea::Index));
        let leaves = area.map(|area| Foliage::of(&species, area, self.seed)).transpose()?;
        Ok(ImportOptions {
            name,
            dialect: self.format,
            model: self.model as usize - 1,
            up: match self.up {
                UpArg::Z => UpAxis::Z,
                UpArg::Y => UpAxis::Y,
            },
            scale: self.scale,
            radius_scale: self.radius_scale,
            keep_place: self.keep_place,
            longest: self.longest,
            repair: RepairOptions {
                join: self.join,
                twig_radius: species.trunk.twig_radius,
                ..RepairOptions::default()
            },
            wood: wood.clone(),
            leaves: leaves.map(|foliage| Foliage {
                angles: self.leaf_angles,
                most_radius: self.leaf_radius,
                ..foliage
            }),
        })
    }
}
