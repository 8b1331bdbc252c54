//! The user documentation: every example works, and every key is documented.

use windfall_wind::{
    GridCell, Gust, Measured, Model, Perlin, Profile, Sum, Turbulence, Uniform, WindSpec, beaufort, preset,
};

const PAGE: &str = include_str!("../../../../docs/wind.md");

fn blocks() -> Vec<&'static str> {
    PAGE.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn examples_parse_and_build() {
    let blocks = blocks();
    assert!(blocks.len() >= 12);
    for block in &blocks {
        let spec = WindSpec::from_toml(block).unwrap_or_else(|e| panic!("{block}\n{e}"));
        spec.build().unwrap_or_else(|e| panic!("{block}\n{e}"));
    }
    for kind in
        ["uniform", "gust", "profile", "grid", "wiggle", "perlin", "turbulence", "measured", "sum", "mask", "scale"]
    {
        assert!(blocks.iter().any(|block| block.contains(&format!("kind = \"{kind}\""))), "{kind} has no example");
        assert!(PAGE.contains(&format!("### `{kind}`")), "{kind} has no section");
    }
}

/// Every key of a description is in the page as code.
#[test]
fn every_key_is_explained() {
    let mut grid = windfall_wind::Grid { phase_degrees: Some(1.0), ..Default::default() };
    grid.cells.push(GridCell::default());
    let all = [
        Model::Uniform(Uniform::default()),
        Model::Gust(Gust::default()),
        Model::Profile(Profile::default()),
        Model::Grid(grid),
        Model::Perlin(Perlin::default()),
        Model::Turbulence(Turbulence::default()),
        Model::Measured(Measured { file: Some("a".into()), rows: vec![[0.0; 4]], start: 0.0 }),
        Model::Sum(Sum::default()),
    ];
    let mut texts: Vec<String> = all.into_iter().map(|model| WindSpec::from(model).to_toml()).collect();
    texts.extend(
        blocks().iter().filter(|block| block.contains("wiggle") || block.contains("mask")).map(|b| (*b).to_owned()),
    );
    for text in texts {
        for line in text.lines() {
            if let Some((key, _)) = line.split_once(" = ").filter(|_| !line.starts_with(['#', ' '])) {
                assert!(
                    PAGE.contains(&format!("`{key}`")) || PAGE.contains(&format!("`{key} = ")),
                    "`{key}` is not explained"
                );
            }
        }
    }
}

/// The table of presets.
#[test]
fn the_beaufort_table_is_right() {
    for (number, (name, ..)) in windfall_wind::BEAUFORT.iter().enumerate() {
        let line = PAGE.lines().find(|line| line.starts_with(&format!("| {number} | `{name}` |"))).expect(name);
        let speed: f64 = line.split('|').nth(4).unwrap().trim().parse().unwrap();
        let Model::Sum(sum) = beaufort(number as u8).model else { panic!("a sum") };
        let Model::Turbulence(turbulence) = &sum.winds[1] else { panic!("turbulence") };
        assert_eq!(turbulence.speed, speed, "{name}");
        assert_eq!(preset(name), Some(beaufort(number as u8)));
    }
}
