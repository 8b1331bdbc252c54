"""Reads trees that textures move with programs of others, and compares vertices with the full simulation's skin.

    python check.py FOLDER     written by the example `texture_check` of windfall-io

OpenEXR (the reference library) and Pillow read the textures as engines do, rows from the top. Blender (the `bpy` module) reads mesh and texture by itself: it has z up
and rows from the bottom, and turns texture coordinates of a .glb accordingly.
"""

import json
import struct
import sys
from pathlib import Path

import bpy
import numpy as np
import OpenEXR
from PIL import Image

KINDS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def glb_parts(path):
    """Positions and second texture coordinates of each primitive."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + length])
    binary = data[20 + length + 8 :]

    def numbers(index):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        size = SIZES[accessor["type"]]
        flat = np.frombuffer(binary, KINDS[accessor["componentType"]], accessor["count"] * size, view.get("byteOffset", 0))
        return flat.reshape(-1, size)

    attributes = [p["attributes"] for mesh in document["meshes"] for p in mesh["primitives"]]
    return [(numbers(a["POSITION"]), numbers(a["TEXCOORD_1"])) for a in attributes]


def exr_pixels(path):
    """Rows from the top; channels as they are stored."""
    with OpenEXR.File(str(path), separate_channels=True) as file:
        channels = file.channels()
        kinds = {channel.pixels.dtype for channel in channels.values()}
        names = [name for name in "RGBA" if name in channels]
        return np.stack([channels[name].pixels for name in names], axis=2), kinds.pop()


def blender_pixels(path):
    """As Blender has them, turned to rows from the top."""
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    image.alpha_mode = "CHANNEL_PACKED"
    width, height = image.size
    flat = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(flat)
    return flat.reshape(height, width, 4)[::-1]


def sample(pixels, uv):
    """The pixel at texture coordinates whose v runs down."""
    height, width = pixels.shape[:2]
    return pixels[int(uv[1] * height), int(uv[0] * width)].astype(float)


def unit(vector):
    return vector / np.linalg.norm(vector)


def check_vat(folder, name):
    expected = json.loads((folder / f"{name}.json").read_text())
    report = expected["report"]
    remap = json.loads((folder / f"{name}-remap_info.json").read_text())["os-remap"]
    low, high = np.array(remap["Min"]), np.array(remap["Max"])
    texture = folder / Path(report["texture"]).name
    pictures = {"Blender": blender_pixels(texture)[:, :, :3]}
    kind = None
    if texture.suffix == ".exr":
        pictures["OpenEXR"], kind = exr_pixels(texture)
    good = remap["Frames"] == report["frames"]
    parts = glb_parts(folder / f"{name}.glb")
    for reader, pixels in pictures.items():
        worst, turn = 0.0, 0.0
        for moment in expected["moments"]:
            for s in moment["samples"]:
                places, uvs = parts[s["part"]]
                uv = uvs[s["vertex"]] + [0.0, moment["frame"] / pixels.shape[0]]
                x, y, z = low + sample(pixels, uv) * (high - low)
                worst = max(worst, np.linalg.norm(places[s["vertex"]] + [x, z, -y] - s["at"]))
                x, y, z = 2.0 * sample(pixels, uv + [0.0, 0.5]) - 1.0
                turn = max(turn, np.linalg.norm(unit(np.array([x, z, -y])) - s["normal"]))
        # Places are f32, a few metres from the origin.
        allowed = report["largest_m"] + 2e-6
        print(f"{texture.name} {pixels.shape[1]} x {pixels.shape[0]} {kind or ''} by {reader}: vertices within {worst * 1e3:.4f} mm "
              f"(allowed {allowed * 1e3:.4f}), normals within {np.degrees(turn):.4f} degrees")
        good &= worst <= allowed and turn <= np.radians(report["largest_turn_deg"]) + 1e-5
    return good and check_in_blender(folder, name, expected, texture, low, high)


def check_in_blender(folder, name, expected, texture, low, high):
    """Mesh and texture as Blender has them, in its own axes: a place is that of the vertex plus the offset, without any turning."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(folder / f"{name}.glb"), merge_vertices=False)
    pixels = blender_pixels(texture)[::-1, :, :3]
    height, width = pixels.shape[:2]
    meshes = [o.data for o in bpy.context.scene.objects if o.type == "MESH"]
    lookup = {}
    for mesh in meshes:
        uvs = mesh.uv_layers[1].uv
        for loop in mesh.loops:
            lookup[loop.vertex_index] = tuple(uvs[loop.index].vector)
    mesh = meshes[0]
    worst, seen = 0.0, 0
    # All parts are one mesh, part after part; unused vertices are left out, so vertices are found by their pixels.
    parts = glb_parts(folder / f"{name}.glb")
    by_pixel = {(int(u * width), int(v * height)): i for i, (u, v) in lookup.items()}
    for moment in expected["moments"]:
        for s in moment["samples"]:
            u, v = parts[s["part"]][1][s["vertex"]]
            vertex = by_pixel.get((int(u * width), height - 1 - int(v * height)))
            if vertex is None:
                continue
            u, v = lookup[vertex]
            pixel = pixels[int((v - moment["frame"] / height) * height), int(u * width)].astype(float)
            place = np.array(mesh.vertices[vertex].co) + low + pixel * (high - low)
            x, y, z = s["at"]
            worst, seen = max(worst, np.linalg.norm(place - [x, -z, y])), seen + 1
    total = sum(len(moment["samples"]) for moment in expected["moments"])
    allowed = expected["report"]["largest_m"] + 1e-5
    print(f"{name}.glb in Blender: {seen} of {total} samples within {worst * 1e3:.4f} mm (allowed {allowed * 1e3:.4f})")
    return len(meshes) == 1 and seen > 0.9 * total and worst <= allowed


def check_pivots(folder, name):
    expected = json.loads((folder / f"{name}.json").read_text())
    report = expected["report"]
    pivots, kind = exr_pixels(folder / Path(report["pivots"]).name)
    axes = np.array(Image.open(folder / Path(report["axes"]).name))
    good = kind == np.float16 and axes.dtype == np.uint8 and axes.shape == pivots.shape
    flat = pivots.reshape(-1, 4)
    # The bits of the half float, as they are in the file.
    parents = flat[:, 3].copy().view(np.uint16).astype(int) - 1024
    places = flat[:, :3].astype(float)[:, [0, 2, 1]] / 100.0
    height, width = pivots.shape[:2]
    parts = glb_parts(folder / f"{name}.glb")
    worst, turn, steps = 0.0, 0.0, 0
    for s in expected["samples"]:
        u, v = parts[s["part"]][1][s["vertex"]]
        element = int(v * height) * width + int(u * width)
        worst = max(worst, np.linalg.norm(places[element] - s["pivot"]))
        axis = axes.reshape(-1, 4)[element, :3].astype(float)[[0, 2, 1]] / 255.0 * 2.0 - 1.0
        turn = max(turn, np.linalg.norm(unit(axis) - s["axis"]))
        level = 1
        while parents[element] != element and level < 9:
            element, level = parents[element], level + 1
        steps = max(steps, level)
        good &= np.linalg.norm(places[element] - expected["root"]) <= report["largest_m"] + 1e-6
    print(f"{name}: {len(expected['samples'])} vertices of leaves and fruit turn within {worst * 1e3:.3f} mm of their joints (allowed "
          f"{report['largest_m'] * 1e3:.3f}), axes within {np.degrees(turn):.2f} degrees, {steps} levels up to the trunk")
    return good and worst <= report["largest_m"] + 1e-6 and turn < 0.01 and steps == report["levels"]


def main():
    folder = Path(sys.argv[1])
    results = {name: check_vat(folder, name) for name in ["vat half", "vat float", "vat png"]}
    results["pivots"] = check_pivots(folder, "pivots")
    wrong = [name for name, good in results.items() if not good]
    if wrong:
        print(f"WRONG: {', '.join(wrong)}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
