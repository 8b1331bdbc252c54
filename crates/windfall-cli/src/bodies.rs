//! Bodies, vectors and times as people write them on the command line.

use std::str::FromStr;

use windfall::core::glam::DVec3;
use windfall::core::{BodyId, Plant};

/// A body: its number (`windfall inspect --bodies` lists them), `root`, or `top`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BodyName {
    Number(u32),
    Root,
    Top,
}

impl FromStr for BodyName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "root" => Ok(Self::Root),
            "top" => Ok(Self::Top),
            _ => text.parse().map(Self::Number).map_err(|_| {
                format!("`{text}` is not a body; write its number, root (the foot) or top (the highest wood)")
            }),
        }
    }
}

impl BodyName {
    /// The body of this name.
    pub fn find(self, plant: &Plant) -> anyhow::Result<BodyId> {
        match self {
            Self::Number(n) if (n as usize) < plant.body_count() => Ok(BodyId(n)),
            Self::Number(n) => anyhow::bail!("no body {n}: the plant has bodies 0 to {}", plant.body_count() - 1),
            Self::Root => Ok(BodyId(0)),
            Self::Top => {
                let height = |i: &usize| plant.segments()[*i].tip().y;
                let top = (0..plant.segments().len()).max_by(|a, b| height(a).total_cmp(&height(b)));
                top.map(|i| plant.segment_id(i)).ok_or_else(|| anyhow::anyhow!("the plant has no wood"))
            }
        }
    }
}

/// What happens to a body for some time, `BODY:X,Y,Z:FROM:TO`: a force in newtons, or the way of a hand in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Push {
    pub body: BodyName,
    pub vector: DVec3,
    pub from: f64,
    pub to: f64,
}

impl FromStr for Push {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let [body, force, from, to] = parts[..] else {
            return Err(
                "write BODY:X,Y,Z:FROM:TO, for example top:50,0,0:0.5:1 for 50 along x from 0.5 s to 1 s".into()
            );
        };
        let push = Self { body: body.parse()?, vector: vector(force)?, from: seconds(from)?, to: seconds(to)? };
        if push.to <= push.from {
            return Err(format!("the push ends at {to} s, before it begins at {from} s"));
        }
        Ok(push)
    }
}

/// A cut: `BODY:TIME`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    pub body: BodyName,
    pub time: f64,
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (body, time) = text.rsplit_once(':').ok_or("write BODY:TIME, for example 120:1.5")?;
        Ok(Self { body: body.parse()?, time: seconds(time)? })
    }
}

/// Three numbers with commas.
pub fn vector(text: &str) -> Result<DVec3, String> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|n| n.trim().parse().ok().filter(|v: &f64| v.is_finite())).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
        _ => Err(format!("`{text}` is not a vector; write three numbers such as 50,0,-3.5")),
    }
}

/// Gravity: a number (downwards) or a vector.
pub fn gravity(text: &str) -> Result<DVec3, String> {
    match text.parse::<f64>() {
        Ok(down) if down.is_finite() => Ok(DVec3::new(0.0, -down, 0.0)),
        _ => vector(text).map_err(|_| format!("`{text}` is not gravity; write 9.81 (downwards) or 0,-9.81,0")),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a time in seconds"))?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(format!("`{text}` is not a time in seconds")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushes_are_read_as_people_write_them() {
        let push: Push = "top:50,0,-3.5:0.5:1".parse().unwrap();
        assert_eq!(push, Push { body: BodyName::Top, vector: DVec3::new(50.0, 0.0, -3.5), from: 0.5, to: 1.0 });
        for wrong in ["", "1:2:3", "x:1,2,3:0:1", "1:1,2:0:1", "1:1,2,3:1:0", "1:1,2,nan:0:1", "1:1,2,3:-1:0"] {
            assert!(wrong.parse::<Push>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn gravity_is_a_number_or_a_vector() {
        assert_eq!(gravity("9.81"), Ok(DVec3::new(0.0, -9.81, 0.0)));
        assert_eq!(gravity("1,2,3"), Ok(DVec3::new(1.0, 2.0, 3.0)));
        assert!(gravity("inf").is_err() && gravity("down").is_err());
    }
}
