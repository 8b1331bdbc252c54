//! A glTF file in memory: its parsed content, its buffers and its JSON text, so that it can be written
//! again unchanged except for additions.
//!
//! | module | content |
//! |---|---|
//! | `container` | the chunks of a `.glb` |
//! | `raw` | JSON as text |
//! | `schema` | the parsed part of glTF |
//! | `uri` | buffers in data URIs and in files beside the document |
//! | `accessor` | numbers |

mod accessor;
mod container;
pub(crate) mod raw;
pub(crate) mod schema;
pub(crate) mod uri;

pub(crate) use accessor::{Numbers, Wanted};

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use self::raw::Object;
use self::schema::Schema;
use self::uri::Address;
use crate::error::RigError;

/// Maximum number of joints, vertices and triangles processed. Items of a file can be referenced
/// repeatedly, so the file size does not bound them.
pub(crate) const MOST_ITEMS: usize = 100_000_000;

/// A glTF 2.0 file.
#[derive(Debug)]
pub struct Document {
    /// The root object as text.
    pub(crate) root: Object,
    /// The parsed part.
    pub(crate) schema: Schema,
    pub(crate) buffers: Vec<Buffer>,
    /// Whether the source was a `.glb`.
    pub(crate) is_glb: bool,
    /// Chunks of a `.glb` that are neither JSON nor binary.
    pub(crate) others: Vec<Vec<u8>>,
}

/// The bytes of a buffer. A file referenced by several buffers is loaded once.
#[derive(Debug)]
pub(crate) struct Buffer {
    bytes: Arc<Vec<u8>>,
    length: usize,
}

impl Buffer {
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Document {
    /// Reads a `.glb` or `.gltf` file and the buffers beside it.
    pub fn open(path: &Path) -> Result<Self, RigError> {
        let os = |error: windfall_io::FileError| match error {
            windfall_io::FileError::Os { reason, .. } => reason.to_string(),
            error => error.to_string(),
        };
        let bytes = windfall_io::read_bytes(path).map_err(|e| RigError::Os(std::io::Error::other(os(e))))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::read(&bytes, &mut |uri| windfall_io::read_bytes(&folder.join(uri)).map_err(os))
    }

    /// Reads the bytes of a `.glb` or `.gltf` file; `fetch` returns the external files.
    pub fn read(bytes: &[u8], fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Result<Self, RigError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let is_glb = container::is_glb(bytes);
        let (json, binary, others) = if is_glb {
            let chunks = container::chunks(bytes)?;
            (chunks.json, chunks.binary, chunks.others.into_iter().map(<[u8]>::to_vec).collect())
        } else if bytes.is_empty() {
            return Err(RigError::Empty);
        } else if bytes.trim_ascii_start().starts_with(b"{") {
            (bytes, None, Vec::new())
        } else {
            return Err(RigError::NotGltf);
        };
        let json = json.trim_ascii_end();
        // Some writers pad with zeros.
        let json = &json[..json.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1)];
        let root: Object = serde_json::from_slice(json)?;
        let schema: Schema = serde_json::from_slice(json)?;
        if !schema.asset.version.starts_with("2.") {
            let reason = format!("asset.version = {:?}: export the tree as glTF 2.0", schema.asset.version);
            return Err(RigError::Unsupported(reason));
        }
        for compression in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"] {
            if schema.extensions_required.iter().any(|name| name == compression) {
                let reason = format!("the meshes are compressed ({compression}): export the tree without compression");
                return Err(RigError::Unsupported(reason));
            }
        }
        let buffers = read_buffers(&schema, binary, fetch)?;
        Ok(Self { root, schema, buffers, is_glb, others })
    }

    /// External files still referenced when the document is written as `.glb` (or in its own format).
    pub(crate) fn beside(&self, as_glb: bool) -> Vec<&str> {
        let buffers = self.schema.buffers.iter().skip(usize::from(as_glb)).filter_map(|b| b.uri.as_deref());
        let images = self.schema.images.iter().filter_map(|i| i.uri.as_deref());
        buffers.chain(images).filter(|uri| uri::is_beside(uri)).collect()
    }

    /// A readable name of a node.
    pub(crate) fn node_name(&self, node: usize) -> String {
        self.schema.nodes[node].name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("node {node}"))
    }
}

/// Limit of all buffers together: the maximum size of a .glb.
const MOST_BYTES: u64 = u32::MAX as u64;

fn read_buffers(
    schema: &Schema,
    binary: Option<&[u8]>,
    fetch: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Buffer>, RigError> {
    let mut buffers = Vec::new();
    let mut files: HashMap<String, Arc<Vec<u8>>> = HashMap::new();
    let mut held = 0;
    for (i, buffer) in schema.buffers.iter().enumerate() {
        let broken = |reason: String| RigError::broken(format!("buffers[{i}]"), reason);
        let (bytes, is_new) = match (&buffer.uri, binary) {
            (Some(uri), _) => match uri::read(uri)? {
                Address::Data(bytes) => (Arc::new(bytes), true),
                Address::File(path) => {
                    if let Some(known) = files.get(&path) {
                        (known.clone(), false)
                    } else {
                        let read = fetch(&path);
                        let bytes = Arc::new(read.map_err(|reason| RigError::Beside { uri: path.clone(), reason })?);
                        files.insert(path, bytes.clone());
                        (bytes, true)
                    }
                }
            },
            (None, Some(binary)) if i == 0 => (Arc::new(binary.to_vec()), true),
            (None, _) => return Err(broken("it has no data; export the tree as .glb without compression".into())),
        };
        if (bytes.len() as u64) < buffer.byte_length {
            let reason = format!("it should have {} bytes, but ends after {}", buffer.byte_length, bytes.len());
            return Err(broken(reason));
        }
        held += if is_new { bytes.len() as u64 } else { 0 };
        if held > MOST_BYTES {
            return Err(broken(format!(
                "the buffers up to here have {held} bytes; {MOST_BYTES} are the most that a tree may have"
            )));
        }
        buffers.push(Buffer { bytes, length: buffer.byte_length as usize });
    }
    if let (Some(binary), Some(first)) = (binary, schema.buffers.first())
        && first.uri.is_some()
        && !binary.is_empty()
    {
        let reason = "it has a binary chunk that its first buffer does not use: export the tree once more".into();
        return Err(RigError::Unsupported(reason));
    }
    Ok(buffers)
}
