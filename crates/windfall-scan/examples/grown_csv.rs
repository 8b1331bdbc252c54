//! Writes a grown tree as cylinders, as test input for the import:
//! `cargo run -p windfall-scan --example grown_csv maple 20000 > maple.csv`.

use windfall_grow::{GrowOptions, Species, grow};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "maple".to_owned());
    let bodies = arguments.next().map(|n| n.parse()).transpose()?;
    let species = Species::named(&name).ok_or_else(|| format!("there is no species {name}"))?;
    let plant = grow(&species, &GrowOptions { bodies, seed: 1 })?;
    print!("{}", windfall_scan::write::plain_csv(&plant));
    Ok(())
}
