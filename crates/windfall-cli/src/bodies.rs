//! Parsers of bodies, vectors and times on the command line.

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

/// An action on a body over a time, `BODY:X,Y,Z:FROM:TO`: a force in newtons, or the displacement of a hand
/// in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Push {
    pub body: BodyName,
    pub vector: DVec3,
    pub from: f64,
    pub to: f64,
}

/// Largest force along an axis, N: far beyond any tree, and far within single precision.
const LARGEST_FORCE: f64 = 1e12;
/// Largest displacement along an axis, m; likewise.
const LARGEST_WAY: f64 = 1e6;

/// A push: a force, N.
pub fn push(text: &str) -> Result<Push, String> {
    let push = Push::parse(text, "push")?;
    let force = push.vector.abs().max_element();
    if force > LARGEST_FORCE {
        return Err(format!("a push of {force:e} N; it must be at most {LARGEST_FORCE:e} N"));
    }
    Ok(push)
}

/// A pull: the displacement of a hand, m.
pub fn pull(text: &str) -> Result<Push, String> {
    let pull = Push::parse(text, "pull")?;
    let way = pull.vector.abs().max_element();
    if way > LARGEST_WAY {
        return Err(format!("a pull of {way:e} m; it must be at most {LARGEST_WAY:e} m"));
    }
    Ok(pull)
}

impl Push {
    fn parse(text: &str, what: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let [body, vector_text, from, to] = parts[..] else {
            return Err(
                "write BODY:X,Y,Z:FROM:TO, for example top:50,0,0:0.5:1 for 50 along x from 0.5 s to 1 s".into()
            );
        };
        let push = Self { body: body.parse()?, vector: vector(vector_text)?, from: seconds(from)?, to: seconds(to)? };
        if push.to < push.from {
            Err(format!("the {what} ends at {to} s, before it begins at {from} s"))
        } else if push.to == push.from {
            Err(format!("the {what} begins and ends at {to} s; the end must be later"))
        } else {
            Ok(push)
        }
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
        let read = push("top:50,0,-3.5:0.5:1").unwrap();
        assert_eq!(read, Push { body: BodyName::Top, vector: DVec3::new(50.0, 0.0, -3.5), from: 0.5, to: 1.0 });
        for wrong in ["", "1:2:3", "x:1,2,3:0:1", "1:1,2:0:1", "1:1,2,3:1:0", "1:1,2,nan:0:1", "1:1,2,3:-1:0"] {
            assert!(push(wrong).is_err() && pull(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_single_precision_can_not_hold_is_refused() {
        assert!(push("0:1e12,0,0:0:1").is_ok() && pull("0:0,-1e6,0:0:1").is_ok());
        for (wrong, message) in [
            (push("0:1e39,0,0:0:1"), "a push of 1e39 N; it must be at most 1e12 N"),
            (push("0:0,0,-1e300:0:1"), "a push of 1e300 N; it must be at most 1e12 N"),
            (pull("0:0,2e6,0:0:1"), "a pull of 2e6 m; it must be at most 1e6 m"),
        ] {
            assert_eq!(wrong.unwrap_err(), message);
        }
    }

    #[test]
    fn gravity_is_a_number_or_a_vector() {
        assert_eq!(gravity("9.81"), Ok(DVec3::new(0.0, -9.81, 0.0)));
        assert_eq!(gravity("1,2,3"), Ok(DVec3::new(1.0, 2.0, 3.0)));
        assert!(gravity("inf").is_err() && gravity("down").is_err());
    }
}
