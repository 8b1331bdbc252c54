//! Winds and points shared by several tests.
#![allow(dead_code, reason = "each test file uses some of it")]

pub mod spectrum;

use windfall_core::glam::DVec3;
use windfall_wind::{Points, Velocities, Wind, WindField, WindSpec};

/// One wind of every kind and of every combination, with an upper bound of its speed, m/s.
pub const WINDS: [(&str, f64, &str); 21] = [
    ("uniform", 8.0, "kind = 'uniform'\nspeed = 8\nfrom_degrees = 30\nelevation_degrees = 10"),
    ("gusts", 16.0, "kind = 'uniform'\nspeed = 8\ngusts = 0.25\ngust_period = 3"),
    ("gust", 12.0, "kind = 'gust'\nspeed = 12\nstart = 1.5\nduration = 5"),
    ("profile", 10.0, "kind = 'profile'\nground = -1\ndisplacement = 0.5\nroughness = 0.1"),
    (
        "grid",
        20.0,
        "kind = 'grid'\ncolumns = 5\nrows = 4\ncell_size = 3.7\ncorner = [-9, -8]\noctaves = 4\npersistence = 0.7\ncells = [{ column = 2, row = 1, speed = 12, from_degrees = 10, octaves = 8 }, { column = 0, row = 3, octaves = 0, elevation_degrees = 20 }]",
    ),
    (
        "wiggle",
        8.0,
        "kind = 'wiggle'\naxes = [[0, 0], [6, -5]]\nswing = [[0, 0], [3, 4], [8, 1], [20, 2]]\nwavelength = 7\nwind = { kind = 'uniform', speed = 8, elevation_degrees = 15 }",
    ),
    ("wiggle of grid", 15.0, "kind = 'wiggle'\nwind = { kind = 'grid', corner = [-9.03, -8.01] }"),
    ("perlin", 12.0, "kind = 'perlin'\nspeed = 10\nsize = 6"),
    (
        "perlin, ten octaves",
        12.0,
        "kind = 'perlin'\nspeed = 10\nsize = 60\noctaves = 10\npersistence = 0.8\nmean = false",
    ),
    ("turbulence", 15.0, "kind = 'turbulence'\nspeed = 10\nelevation_degrees = 5\nfrom_degrees = 200"),
    (
        "turbulence, 200 m/s",
        300.0,
        "kind = 'turbulence'\nspeed = 200\nmodes = 200\nsmallest = 0.5\nmean = false\nseed = -7",
    ),
    (
        "measured",
        10.0,
        "kind = 'measured'\nrows = [[5, 1, 2, 0.5], [6, 3, -4, 0], [7.5, 8, 1, 1], [18, 0, 0, 0], [60, 3, 2, 1]]\nstart = 1",
    ),
    ("measured, one row", 4.0, "kind = 'measured'\nrows = [[5, 1, 2, 0.5]]"),
    (
        "sum",
        20.0,
        "kind = 'sum'\nwinds = [{ kind = 'uniform', gusts = 0.2 }, { kind = 'perlin', mean = false }, { kind = 'gust' }]",
    ),
    (
        "box",
        8.0,
        "kind = 'mask'\nregion = { shape = 'box', min = [-4, 1, -5], max = [3, 7, 6], edge = 2 }\nwind = { kind = 'uniform' }",
    ),
    (
        "outside a sphere",
        8.0,
        "kind = 'mask'\ninvert = true\nregion = { shape = 'sphere', center = [1, 4, 0], radius = 5 }\nwind = { kind = 'perlin' }",
    ),
    ("above", 8.0, "kind = 'mask'\nregion = { shape = 'above', height = 4, edge = 3 }\nwind = { kind = 'turbulence' }"),
    (
        "window",
        8.0,
        "kind = 'mask'\nregion = { shape = 'time', from = 2, to = 5, edge = 1.5 }\nwind = { kind = 'uniform' }",
    ),
    ("scale", 16.0, "kind = 'scale'\nfactor = [[1, 0.5], [4, 2], [5, -1]]\nwind = { kind = 'perlin' }"),
    ("constant scale", 16.0, "kind = 'scale'\nfactor = -1.5\nwind = { kind = 'uniform' }"),
    (
        "nest",
        30.0,
        "kind = 'profile'\n[wind]\nkind = 'sum'\n[[wind.winds]]\nkind = 'mask'\nregion = { shape = 'time', from = 1, to = 4 }\n[wind.winds.wind]\nkind = 'wiggle'\nwind = { kind = 'scale', factor = 2, wind = { kind = 'turbulence' } }\n[[wind.winds]]\nkind = 'grid'\ncorner = [-9.03, -8.01]",
    ),
];

/// All of [`WINDS`], and the presets.
pub fn all() -> Vec<(String, f64, WindSpec)> {
    let mut all: Vec<_> = WINDS
        .iter()
        .map(|(name, bound, text)| {
            let spec = WindSpec::from_toml(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            ((*name).to_owned(), *bound, spec)
        })
        .collect();
    for (i, (name, ..)) in windfall_wind::BEAUFORT.iter().enumerate() {
        let bound = 2.0 * windfall_wind::beaufort_speed(i as f64) + 1.0;
        all.push(((*name).to_owned(), bound, windfall_wind::beaufort(i as u8)));
    }
    all
}

pub fn build(text: &str) -> WindField {
    WindSpec::from_toml(text)
        .unwrap_or_else(|e| panic!("{text}\n{e}"))
        .build()
        .unwrap_or_else(|e| panic!("{text}\n{e}"))
}

/// A low-discrepancy sequence from 0 to 1: the additive recurrence of the generalised golden ratio.
pub fn spread(i: usize) -> [f64; 3] {
    [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_770_4].map(|a| (a * (i as f64 + 0.5)).fract())
}

/// Independent numbers from 0 to 1 (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A random point in a cube of this size around the origin.
    pub fn place(&mut self, size: f64) -> DVec3 {
        (DVec3::new(self.roll(), self.roll(), self.roll()) - 0.5) * size
    }
}

/// Points in a box around a tree, exact in f32.
pub fn crown(count: usize) -> Vec<DVec3> {
    (0..count)
        .map(|i| {
            let [a, b, c] = spread(i);
            DVec3::new(30.0 * a - 15.0, 14.0 * b - 2.0, 30.0 * c - 15.0).as_vec3().as_dvec3()
        })
        .collect()
}

/// The batched form at these points.
pub fn batch(wind: &impl Wind, time: f64, points: &[DVec3]) -> Vec<DVec3> {
    let [x, y, z] = [0, 1, 2].map(|i| points.iter().map(|p| p[i] as f32).collect::<Vec<f32>>());
    let [mut u, mut v, mut w] = [0; 3].map(|_| vec![f32::NAN; points.len()]);
    wind.velocities(time, Points::new(&x, &y, &z), Velocities::new(&mut u, &mut v, &mut w));
    (0..points.len()).map(|i| DVec3::new(u[i].into(), v[i].into(), w[i].into())).collect()
}
