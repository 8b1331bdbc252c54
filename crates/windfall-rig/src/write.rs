//! The same file with clips added.
//!
//! A `.glb` keeps the bytes of its binary chunk; the keys are appended. Its JSON text is unchanged except
//! for the extended lists (buffer views, accessors, animations), the length of the first buffer, and
//! joints with a matrix: the matrix is replaced by translation, rotation and scale, because glTF animates
//! nothing else.
//!
//! | from | to | method |
//! |---|---|---|
//! | `.glb` | `.glb` | the keys are added to the binary chunk |
//! | `.gltf` | `.glb` | the first buffer becomes the binary chunk, the keys are added to it; other buffers and images stay external files |
//! | `.gltf` | `.gltf` | all buffers stay as they are, the keys are one more, as a data URI |
//!
//! Files referenced by relative paths are not moved, so the result must be saved in the same folder.

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;
use serde_json::value::RawValue;
use windfall_io::glb::Head;

use crate::clips::RecordedClip;
use crate::document::raw::{self, Object};
use crate::document::uri::Encoder;
use crate::document::{Buffer, Document};
use crate::error::RigError;
use crate::graph::Local;
use crate::rig::Rig;

const FLOAT: u32 = 5126;

/// Checks that the result can be saved at `output`; to be called before long computations.
pub fn check_output(document: &Document, input: &Path, output: &Path) -> Result<(), RigError> {
    let as_glb = is_glb(output)?;
    if document.is_glb && !as_glb {
        let reason = format!("{}: a .glb stays a .glb; choose a name that ends so", output.display());
        return Err(RigError::Option(reason));
    }
    if output.canonicalize().is_ok_and(|output| input.canonicalize().is_ok_and(|input| input == output)) {
        let reason = format!("{}: is the tree itself; save the result under another name", output.display());
        return Err(RigError::Option(reason));
    }
    let beside = document.beside(as_glb);
    let folder = |path: &Path| {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        parent.canonicalize().unwrap_or_else(|_| parent.to_owned())
    };
    if !beside.is_empty() && folder(input) != folder(output) {
        let names = beside.iter().take(3).copied().collect::<Vec<_>>().join(", ");
        return Err(RigError::Option(format!(
            "{}: the file needs others beside it ({names}): save the result in the same folder as {}, or export the tree as one .glb",
            output.display(),
            input.display()
        )));
    }
    windfall_io::atomic::check(output).map_err(RigError::Os)
}

fn is_glb(output: &Path) -> Result<bool, RigError> {
    match output.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("glb") => Ok(true),
        Some("gltf") => Ok(false),
        _ => Err(RigError::Option(format!("{}: the ending must be .glb or .gltf", output.display()))),
    }
}

impl Document {
    /// Names of the existing animations.
    pub fn clip_names(&self) -> Vec<&str> {
        self.schema.animations.iter().filter_map(|animation| animation.name.as_deref()).collect()
    }

    /// Writes the document with clips added. After an error the destination is unchanged. Returns the size
    /// of the file.
    pub fn write_with(&self, rig: &Rig, clips: &mut [RecordedClip], output: &Path) -> Result<u64, RigError> {
        let more: u64 =
            clips.iter().map(|clip| streams(clip).iter().map(|(stream, ..)| stream.bytes()).sum::<u64>()).sum();
        let mut root = self.root.clone();
        plain_places(&mut root, self, rig)?;
        if is_glb(output)? {
            let old = self.buffers.first().map_or(&[][..], Buffer::as_slice);
            let gap = padding(old.len() as u64);
            let begin = old.len() as u64 + gap;
            add(&mut root, self, rig, clips, 0, begin)?;
            grow_first_buffer(&mut root, begin + more)?;
            let mut json = root.text().into_bytes();
            json.resize(json.len() + padding(json.len() as u64) as usize, b' ');
            let others: u64 = self.others.iter().map(|chunk| chunk.len() as u64).sum();
            let head = Head { json: &json, binary: begin + more, others };
            let bytes = head.file_bytes();
            if bytes > u64::from(u32::MAX) {
                return Err(RigError::TooLarge { bytes });
            }
            windfall_io::atomic::write(output, |out| {
                head.write(out)?;
                out.write_all(old)?;
                out.write_all(&[0; 3][..gap as usize])?;
                copy(clips, out)?;
                self.others.iter().try_for_each(|chunk| out.write_all(chunk))
            })?;
            return Ok(bytes);
        }
        add(&mut root, self, rig, clips, self.buffers.len(), 0)?;
        // A placeholder for the keys that does not occur in the text or in the names of the clips.
        let mut mark = "@keys@".to_owned();
        while root.text().contains(&mark) {
            mark.push('@');
        }
        let uri = format!("data:application/octet-stream;base64,{mark}");
        root.extend("buffers", &[json!({ "byteLength": more, "uri": uri }).to_string()])?;
        let text = root.text();
        let (head, tail) = text.split_once(&mark).unwrap_or((&text, ""));
        windfall_io::atomic::write(output, |out| {
            out.write_all(head.as_bytes())?;
            let mut encoder = Encoder::new(out);
            copy(clips, &mut encoder)?;
            encoder.finish()?;
            out.write_all(tail.as_bytes())
        })?;
        Ok((head.len() + tail.len()) as u64 + more.div_ceil(3) * 4)
    }
}

fn padding(bytes: u64) -> u64 {
    bytes.wrapping_neg() % 4
}

/// Values of a clip in the order of the file: times and values of rotations, then of translations.
fn streams(clip: &RecordedClip) -> [(&windfall_io::skeletal::spill::Spilled, &'static str, u64); 4] {
    [
        (&clip.rotation_times, "SCALAR", 4),
        (&clip.rotations, "VEC4", 16),
        (&clip.position_times, "SCALAR", 4),
        (&clip.positions, "VEC3", 12),
    ]
}

fn copy(clips: &mut [RecordedClip], out: &mut dyn Write) -> io::Result<()> {
    for clip in clips {
        for stream in [&mut clip.rotation_times, &mut clip.rotations, &mut clip.position_times, &mut clip.positions] {
            stream.copy(out)?;
        }
    }
    Ok(())
}

/// Adds buffer views, accessors and animations for keys that begin at a byte of a buffer.
fn add(
    root: &mut Object,
    document: &Document,
    rig: &Rig,
    clips: &[RecordedClip],
    buffer: usize,
    mut byte: u64,
) -> Result<(), RigError> {
    let first_view = document.schema.buffer_views.len();
    let first_accessor = document.schema.accessors.len();
    let (mut views, mut accessors, mut animations) = (Vec::new(), Vec::new(), Vec::new());
    for clip in clips {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for ([times, values], path) in streams(clip).as_chunks().0.iter().zip(["rotation", "translation"]) {
            let mut begins = [0, 0];
            for (slot, (stream, ..)) in begins.iter_mut().zip([times, values]) {
                *slot = byte;
                byte += stream.bytes();
            }
            if times.0.bytes() == 0 {
                continue;
            }
            let view = first_view + views.len();
            for (begin, (stream, ..)) in begins.iter().zip([times, values]) {
                views.push(json!({ "buffer": buffer, "byteOffset": begin, "byteLength": stream.bytes() }).to_string());
            }
            let mut before = 0;
            for (joint, count) in rig.moved.iter().zip(times.0.counts()).filter(|(_, count)| *count > 0) {
                let input = first_accessor + accessors.len();
                let last = if count == 1 { 0.0 } else { clip.end as f32 };
                let accessor = |view: usize, size: u64, kind: &str| json!({ "bufferView": view, "byteOffset": size * before, "componentType": FLOAT, "count": count, "type": kind });
                let mut input_accessor = accessor(view, 4, "SCALAR");
                (input_accessor["min"], input_accessor["max"]) = (json!([0.0]), json!([last]));
                accessors.push(input_accessor.to_string());
                accessors.push(accessor(view + 1, values.2, values.1).to_string());
                channels.push(json!({ "sampler": samplers.len(), "target": { "node": joint.node, "path": path } }));
                samplers.push(json!({ "input": input, "interpolation": "LINEAR", "output": input + 1 }));
                before += count;
            }
        }
        animations.push(json!({ "name": clip.report.name, "channels": channels, "samplers": samplers }).to_string());
    }
    root.extend("bufferViews", &views)?;
    root.extend("accessors", &accessors)?;
    root.extend("animations", &animations)?;
    Ok(())
}

/// Makes the first buffer the binary chunk with this number of bytes.
fn grow_first_buffer(root: &mut Object, bytes: u64) -> Result<(), RigError> {
    let mut buffers = raw::items(root.get("buffers").unwrap_or("[{}]"))?;
    if buffers.is_empty() {
        buffers.push(RawValue::from_string("{}".into())?);
    }
    let mut first: Object = serde_json::from_str(buffers[0].get())?;
    first.set("byteLength", bytes.to_string())?;
    first.remove("uri");
    buffers[0] = RawValue::from_string(first.text())?;
    root.set("buffers", raw::list(&buffers))?;
    Ok(())
}

/// Replaces the matrices of moving joints by translation, rotation and scale.
fn plain_places(root: &mut Object, document: &Document, rig: &Rig) -> Result<(), RigError> {
    let with_matrix = || rig.moved.iter().filter(|joint| document.schema.nodes[joint.node].matrix.is_some());
    if with_matrix().next().is_none() {
        return Ok(());
    }
    let mut nodes = raw::items(root.get("nodes").unwrap_or("[]"))?;
    for joint in with_matrix() {
        let Some(local) = Local::of(&document.schema.nodes[joint.node]) else { continue };
        let mut node: Object = serde_json::from_str(nodes[joint.node].get())?;
        node.remove("matrix");
        node.set("translation", json!(local.translation.to_array()).to_string())?;
        node.set("rotation", json!(local.rotation.to_array()).to_string())?;
        node.set("scale", json!(local.scale.to_array()).to_string())?;
        nodes[joint.node] = RawValue::from_string(node.text())?;
    }
    root.set("nodes", raw::list(&nodes))?;
    Ok(())
}
