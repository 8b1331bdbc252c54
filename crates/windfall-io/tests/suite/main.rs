//! All tests of the crate in one binary, which builds much faster than one for each file:
//! `cargo test -p windfall-io --test suite animated::` runs one file.
//! Tests that count memory have binaries of their own.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/crates.rs"]
mod crates;
#[path = "../common/grown.rs"]
mod grown;
#[path = "../common/player.rs"]
mod player;
#[path = "../common/skins.rs"]
mod skins;
#[path = "../common/source.rs"]
mod source;
#[path = "../common/sway.rs"]
mod sway;
#[path = "../common/textures.rs"]
mod textures;

mod animated;
mod beside;
mod early;
mod glb;
mod grown_skins;
mod hostile;
mod looped;
mod motion;
mod obj;
mod pivots;
mod points;
mod probe;
mod round_trip;
mod seen_bones;
mod sides;
mod skin_report;
mod strange_poses;
mod times;
mod usd;
mod vat;
mod vat_hostile;
