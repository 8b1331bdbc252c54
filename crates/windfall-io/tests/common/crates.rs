//! An independent reader of crate files (`.usdc`) for the tests, modelled on `OpenUSD`'s reader.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use std::collections::HashMap;

use windfall_core::glam::{DMat4, Quat, Vec3};

pub struct Crate {
    bytes: Vec<u8>,
    pub tokens: Vec<String>,
    strings: Vec<u32>,
    paths: Vec<String>,
    /// Type of spec and fields of each path.
    pub specs: HashMap<String, (u32, HashMap<String, u64>)>,
}

/// A sequential byte reader.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        self.at += count;
        &self.bytes[self.at - count..self.at]
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take(8).try_into().unwrap())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }

    fn compressed(&mut self, most: usize) -> Vec<u8> {
        let size = self.u64() as usize;
        let bytes = self.take(size);
        assert_eq!(bytes[0], 0, "one block");
        lz4_flex::block::decompress(&bytes[1..], most).unwrap()
    }

    fn ints(&mut self, count: usize) -> Vec<i32> {
        if count == 0 {
            assert_eq!(self.u64(), 0);
            return Vec::new();
        }
        let bytes = self.compressed(4 + count.div_ceil(4) + 4 * count);
        let common = i32::from_le_bytes(bytes[..4].try_into().unwrap());
        let (codes, mut rest) = bytes[4..].split_at(count.div_ceil(4));
        let mut value = 0_i32;
        let list = (0..count)
            .map(|i| {
                let size = [0, 1, 2, 4][usize::from(codes[i / 4] >> (2 * (i % 4)) & 3)];
                let (own, after) = rest.split_at(size);
                rest = after;
                value = value.wrapping_add(match *own {
                    [] => common,
                    [a] => i32::from(a.cast_signed()),
                    [a, b] => i32::from(i16::from_le_bytes([a, b])),
                    _ => i32::from_le_bytes(own.try_into().unwrap()),
                });
                value
            })
            .collect();
        assert!(rest.is_empty(), "bytes after the last number");
        list
    }
}

impl Crate {
    pub fn read(bytes: Vec<u8>) -> Self {
        assert_eq!((&bytes[..8], &bytes[8..11]), (&b"PXR-USDC"[..], &[0, 8, 0][..]));
        let mut cursor = Cursor { bytes: &bytes, at: 16 };
        let mut contents = Cursor { bytes: &bytes, at: cursor.u64() as usize };
        let mut sections = HashMap::new();
        for _ in 0..contents.u64() {
            let name = String::from_utf8(contents.take(16).to_vec()).unwrap();
            let (start, size) = (contents.u64() as usize, contents.u64() as usize);
            sections.insert(name.trim_end_matches('\0').to_owned(), &bytes[start..start + size]);
        }
        let section = |name: &str| Cursor { bytes: sections[name], at: 0 };

        let mut s = section("TOKENS");
        let (count, size) = (s.u64() as usize, s.u64() as usize);
        let text = String::from_utf8(s.compressed(size)).unwrap();
        let tokens: Vec<String> = text.strip_suffix('\0').unwrap().split('\0').map(str::to_owned).collect();
        assert_eq!((tokens.len(), text.len()), (count, size));

        let mut s = section("STRINGS");
        let strings = (0..s.u64()).map(|_| s.u32()).collect();

        let mut s = section("FIELDS");
        let count = s.u64() as usize;
        let names = s.ints(count);
        let values = s.compressed(8 * count);
        let values: Vec<u64> = values.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();

        let mut s = section("FIELDSETS");
        let count = s.u64() as usize;
        let sets = s.ints(count);

        let mut s = section("PATHS");
        let (count, written) = (s.u64() as usize, s.u64() as usize);
        let (places, elements, jumps) = (s.ints(written), s.ints(written), s.ints(written));
        let mut paths = vec![String::new(); count];
        let mut todo = vec![(0, String::new())];
        while let Some((mut at, parent)) = todo.pop() {
            loop {
                let name = &tokens[elements[at].unsigned_abs() as usize];
                let path = match &*parent {
                    "" => "/".to_owned(),
                    _ if elements[at] < 0 => format!("{parent}.{name}"),
                    "/" => format!("/{name}"),
                    _ => format!("{parent}/{name}"),
                };
                paths[places[at] as usize].clone_from(&path);
                let jump = jumps[at];
                if jump == -1 || jump > 0 {
                    todo.push((at + 1, path));
                }
                match jump {
                    0 => at += 1,
                    1.. => at += jump as usize,
                    _ => break,
                }
            }
        }

        let mut s = section("SPECS");
        let count = s.u64() as usize;
        let (spec_paths, firsts, types) = (s.ints(count), s.ints(count), s.ints(count));
        let mut specs = HashMap::new();
        for i in 0..count {
            let fields = sets[firsts[i] as usize..].iter().take_while(|&&field| field != -1);
            let fields = fields.map(|&f| (tokens[names[f as usize] as usize].clone(), values[f as usize])).collect();
            let path = paths[spec_paths[i] as usize].clone();
            assert!(specs.insert(path.clone(), (types[i] as u32, fields)).is_none(), "{path} twice");
        }
        assert!(paths.iter().all(|path| specs.contains_key(path)), "a spec for each path");
        Self { bytes, tokens, strings, paths, specs }
    }

    pub fn value(&self, path: &str, field: &str) -> u64 {
        let spec = self.specs.get(path).unwrap_or_else(|| panic!("no {path}; there are {:?}", self.paths));
        *spec.1.get(field).unwrap_or_else(|| panic!("no {field} of {path}; there are {:?}", spec.1.keys()))
    }

    /// Checks the type of a value and returns a reader at its offset.
    fn at(&self, value: u64, kind: u64) -> Cursor<'_> {
        assert_eq!(value >> 48 & 0xff, kind);
        Cursor { bytes: &self.bytes, at: (value & 0xffff_ffff_ffff) as usize }
    }

    pub fn token(&self, path: &str, field: &str) -> &str {
        let value = self.value(path, field);
        assert_eq!(value >> 48 & 0xff, 11);
        &self.tokens[value as u32 as usize]
    }

    pub fn text(&self, path: &str, field: &str) -> &str {
        let value = self.value(path, field);
        assert_eq!(value >> 48 & 0xff, 10);
        &self.tokens[self.strings[value as u32 as usize] as usize]
    }

    pub fn asset(&self, path: &str) -> &str {
        let value = self.value(path, "default");
        assert_eq!(value >> 48 & 0xff, 12);
        &self.tokens[value as u32 as usize]
    }

    pub fn double(&self, path: &str, field: &str) -> f64 {
        let value = self.value(path, field);
        if value >> 62 & 1 == 1 { f32::from_bits(value as u32).into() } else { f64::from_bits(self.at(value, 9).u64()) }
    }

    pub fn tokens(&self, path: &str) -> Vec<String> {
        let mut cursor = self.at(self.value(path, "default"), 11);
        (0..cursor.u64()).map(|_| self.tokens[cursor.u32() as usize].clone()).collect()
    }

    pub fn ints(&self, path: &str) -> Vec<i32> {
        let value = self.value(path, "default");
        let mut cursor = self.at(value, 3);
        let count = cursor.u64() as usize;
        if value >> 61 & 1 == 1 { cursor.ints(count) } else { (0..count).map(|_| cursor.u32() as i32).collect() }
    }

    /// Numbers of an array of vectors of f32 (20 to 28) or floats (8) or quaternions (17).
    pub fn floats(&self, value: u64, kind: u64, each: usize) -> Vec<f32> {
        let mut cursor = self.at(value, kind);
        let count = cursor.u64() as usize;
        assert_eq!(cursor.at % 8, 0, "readers use arrays where they lie");
        cursor.take(4 * each * count).chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub fn vectors(&self, value: u64) -> Vec<Vec3> {
        self.floats(value, 24, 3).chunks_exact(3).map(Vec3::from_slice).collect()
    }

    pub fn quats(&self, value: u64) -> Vec<Quat> {
        self.floats(value, 17, 4).chunks_exact(4).map(Quat::from_slice).collect()
    }

    pub fn matrices(&self, path: &str) -> Vec<DMat4> {
        let mut cursor = self.at(self.value(path, "default"), 15);
        let count = cursor.u64();
        (0..count).map(|_| DMat4::from_cols_array(&std::array::from_fn(|_| f64::from_bits(cursor.u64())))).collect()
    }

    /// Time codes and values of all samples.
    pub fn samples(&self, path: &str) -> (Vec<f64>, Vec<u64>) {
        let mut cursor = self.at(self.value(path, "timeSamples"), 46);
        let start = cursor.at;
        cursor.at = start + cursor.u64() as usize;
        let times = cursor.u64();
        let start = cursor.at;
        cursor.at = start + cursor.u64() as usize;
        let values = (0..cursor.u64()).map(|_| cursor.u64()).collect();
        let mut times = self.at(times, 48);
        let times = (0..times.u64()).map(|_| f64::from_bits(times.u64())).collect();
        (times, values)
    }

    /// The only path of a list of paths.
    pub fn target(&self, path: &str, field: &str) -> &str {
        let mut cursor = self.at(self.value(path, field), 34);
        assert_eq!((cursor.take(1), cursor.u64()), (&[3][..], 1));
        &self.paths[cursor.u32() as usize]
    }
}
