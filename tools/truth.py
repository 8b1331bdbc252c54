"""Computes from a GLB alone where its joints and some of its skinned vertices are in time: what engines are held against.

    python truth.py FILE.glb [TIME ...] > truth.json     seconds; without them seven times from beginning to end; needs numpy

It knows nothing of Windfall. It follows the specification of glTF 2.0 in double precision: node hierarchy, LINEAR and STEP samplers (rotations on the shorter
arc), inverse bind matrices, four joints and weights. tools/bevy-check and tools/godot-check read what it prints:

    clip, seconds    name and length of the first animation
    nodes            path of names to each joint of a skin, such as "oak/trunk/trunk_3", and to each node with a mesh that has no skin
    meshes           which of `nodes` have such a mesh
    skins            {node, joints}: name of a node with a skinned mesh, and which of `nodes` are its skin's joints, in the skin's order
    vertices         {node, surface, vertex, rest, uv}: node's name, primitive of its mesh, index, place before skinning, texture coordinates; every
                     STRIDE-th of each primitive
    moments          {time, nodes, vertices}: 3 x 4 matrices by rows (12 numbers, metres), and places in the world
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np

STRIDE = 17
# Parts of a clip: its ends, on frames and between them.
PARTS = (0, 0.125, 0.35, 0.5, 0.755, 0.95, 1)
COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}


class Glb:
    def __init__(self, path):
        raw = Path(path).read_bytes()
        magic, version, length, size, kind = struct.unpack_from("<4sIII4s", raw.ljust(20))
        if magic != b"glTF" or version != 2 or kind != b"JSON" or length != len(raw):
            sys.exit(f"{path}: not a GLB of version 2, or cut off")
        self.json = json.loads(raw[20:20 + size])
        self.blob = raw[20 + size + 8:]
        self.nodes = self.json["nodes"]
        self.parents = {child: n for n, node in enumerate(self.nodes) for child in node.get("children", [])}

    def accessor(self, index):
        """Rows of an accessor as doubles, integers scaled where the accessor says so."""
        a = self.json["accessors"][index]
        if "sparse" in a:
            sys.exit(f"accessor {index} is sparse, which this reader does not know")
        view = self.json["bufferViews"][a["bufferView"]]
        kind, width = np.dtype(TYPES[a["componentType"]]).newbyteorder("<"), COMPONENTS[a["type"]]
        stride = view.get("byteStride", kind.itemsize * width)
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        rows = np.ndarray((a["count"], width), kind, self.blob, start, (stride, kind.itemsize)).astype(float)
        return rows / np.iinfo(kind).max if a.get("normalized") else rows

    def name(self, node):
        return self.nodes[node].get("name", str(node))

    def path(self, node):
        names = [self.name(node)]
        while node in self.parents:
            node = self.parents[node]
            names.append(self.name(node))
        return "/".join(reversed(names))


def matrix(trs):
    """Of a node: its own matrix, or translation, rotation (x, y, z, w) and scale."""
    if "matrix" in trs:
        return np.array(trs["matrix"], float).reshape(4, 4).T
    x, y, z, w = np.array(trs.get("rotation", (0, 0, 0, 1)), float) / np.linalg.norm(trs.get("rotation", (0, 0, 0, 1)))
    result = np.eye(4)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    result[:3, :3] *= np.array(trs.get("scale", (1, 1, 1)), float)
    result[:3, 3] = trs.get("translation", (0, 0, 0))
    return result


def slerp(a, b, part):
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    cosine = a @ b
    if cosine < 0:
        b, cosine = -b, -cosine
    # The angle from the chord: exact for small angles, where arccos isn't.
    angle = 2 * np.arcsin(min(1.0, np.linalg.norm(b - a) / 2))
    if angle < 1e-12:
        return a
    return (np.sin((1 - part) * angle) * a + np.sin(part * angle) * b) / np.sin(angle)


def sample(times, values, way, path, time):
    if way not in ("LINEAR", "STEP"):
        sys.exit(f"a sampler is {way}, which this reader does not know")
    last = int(np.searchsorted(times, time, side="right")) - 1
    if last < 0 or last + 1 == len(times) or way == "STEP":
        return values[max(last, 0)]
    part = (time - times[last]) / (times[last + 1] - times[last])
    if path == "rotation":
        return slerp(values[last], values[last + 1], part)
    return (1 - part) * values[last] + part * values[last + 1]


class Clip:
    def __init__(self, glb):
        if not glb.json.get("animations"):
            sys.exit("the file has no animation: write it with --motion, --wind or --loop")
        animation = glb.json["animations"][0]
        self.name = animation.get("name", "")
        self.tracks = []
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            keys = glb.accessor(sampler["input"])[:, 0], glb.accessor(sampler["output"])
            self.tracks.append((channel["target"]["node"], channel["target"]["path"], sampler.get("interpolation", "LINEAR"), *keys))
        self.seconds = max(times[-1] for _, _, _, times, _ in self.tracks)

    def worlds(self, glb, time):
        """World matrices of all nodes."""
        posed = [dict(node) for node in glb.nodes]
        for node, path, way, times, values in self.tracks:
            posed[node][path] = sample(times, values, way, path, time)
        result = [None] * len(posed)

        todo = [(n, np.eye(4)) for n in range(len(posed)) if n not in glb.parents]
        while todo:
            node, above = todo.pop()
            result[node] = above @ matrix(posed[node])
            todo += [(child, result[node]) for child in posed[node].get("children", [])]
        return result


class Surface:
    """A skinned primitive; `at` places the vertices that were picked."""

    def __init__(self, glb, node, index):
        what = glb.nodes[node]
        skin = glb.json["skins"][what["skin"]]
        attributes = glb.json["meshes"][what["mesh"]]["primitives"][index]["attributes"]
        self.name, self.index = glb.name(node), index
        self.joints = skin["joints"]
        self.inverse = glb.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        rest = glb.accessor(attributes["POSITION"])
        self.picked = np.arange(0, len(rest), STRIDE)
        self.rest = rest[self.picked]
        self.uvs = glb.accessor(attributes["TEXCOORD_0"])[self.picked]
        self.slots = glb.accessor(attributes["JOINTS_0"])[self.picked].astype(int)
        weights = glb.accessor(attributes["WEIGHTS_0"])[self.picked]
        self.weights = weights / weights.sum(axis=1, keepdims=True)

    def at(self, worlds):
        matrices = np.array([worlds[j] for j in self.joints]) @ self.inverse
        blended = np.einsum("vs,vsij->vij", self.weights, matrices[self.slots])
        return np.einsum("vij,vj->vi", blended[:, :3, :3], self.rest) + blended[:, :3, 3]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    glb = Glb(sys.argv[1])
    clip = Clip(glb)
    skinned = [n for n, node in enumerate(glb.nodes) if "skin" in node]
    meshes = [n for n, node in enumerate(glb.nodes) if "mesh" in node and "skin" not in node]
    names = [glb.name(n) for n in skinned + meshes]
    if len(set(names)) < len(names):
        sys.exit("two nodes with meshes have the same name, so an engine's can't be told apart: give each tree a name of its own")
    joints = {n: glb.json["skins"][glb.nodes[n]["skin"]]["joints"] for n in skinned}
    nodes = sorted(set(meshes).union(*joints.values()))
    number = {node: i for i, node in enumerate(nodes)}
    surfaces = [Surface(glb, n, p) for n in skinned for p in range(len(glb.json["meshes"][glb.nodes[n]["mesh"]]["primitives"]))]
    moments = []
    for time in [float(t) for t in sys.argv[2:]] or [part * clip.seconds for part in PARTS]:
        worlds = clip.worlds(glb, time)
        moments.append({
            "time": time,
            "nodes": [worlds[n][:3].ravel().tolist() for n in nodes],
            "vertices": [at for s in surfaces for at in s.at(worlds).tolist()],
        })
    json.dump({
        "clip": clip.name,
        "seconds": clip.seconds,
        "nodes": [glb.path(n) for n in nodes],
        "meshes": [number[n] for n in meshes],
        "skins": [{"node": glb.name(n), "joints": [number[j] for j in joints[n]]} for n in skinned],
        "vertices": [
            {"node": s.name, "surface": s.index, "vertex": int(v), "rest": rest.tolist(), "uv": uv.tolist()}
            for s in surfaces for v, rest, uv in zip(s.picked, s.rest, s.uvs)
        ],
        "moments": moments,
    }, sys.stdout)


main()
