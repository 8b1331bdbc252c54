"""Opens point caches and USD files in Blender (the `bpy` module) and compares evaluated vertices with the full simulation's skin.

    python blender.py FILE.pc2|FILE.mdd|FILE.usda|FILE.usdc|FILE.usdz ...

Each has FILE.EXT.check.json beside it, and FILE.EXT.obj if it is a cache, written by the example `cache_check` of windfall-io.

Caches go through a Mesh Cache modifier with the settings that docs/interchange.md tells: all as they are, but for the file. Blender's importers of OBJ and USD
turn the object (y up becomes z up) and leave vertices as they are in the file.
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np


def evaluated(thing):
    graph = bpy.context.evaluated_depsgraph_get()
    copy = thing.evaluated_get(graph)
    mesh = copy.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    places = flat.reshape(-1, 3).astype(float)
    matrix = np.array(copy.matrix_world, dtype=float)
    world = places @ matrix[:3, :3].T + matrix[:3, 3]
    copy.to_mesh_clear()
    # z up to y up.
    return np.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1)


def with_cache(path):
    bpy.ops.wm.obj_import(filepath=str(path.with_name(path.name + ".obj")))
    things = [o for o in bpy.context.scene.objects if o.type == "MESH"]
    assert len(things) == 1, f"{len(things)} meshes in the OBJ"
    modifier = things[0].modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = path.suffix[1:].upper()
    modifier.filepath = str(path.resolve())
    return lambda: evaluated(things[0])


def with_usd(path):
    bpy.ops.wm.usd_import(filepath=str(path))
    things = {o.name: o for o in bpy.context.scene.objects if o.type == "MESH"}

    def vertices():
        # In the order of the file: parents are trees, names are those of the file.
        return np.concatenate([evaluated(things[name]) for name in usd_meshes(path, things)])

    return vertices


def usd_meshes(path, things):
    order = json.loads(check_path(path).read_text())["meshes"]
    missing = [name for name in order if name not in things]
    assert not missing, f"no mesh {missing}; there are {sorted(things)}"
    return order


def check_path(path):
    return path.with_name(path.name + ".check.json")


def check(path):
    report = json.loads(check_path(path).read_text())
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = round(report["frames_per_second"]), 1.0
    is_cache = path.suffix in (".pc2", ".mdd")
    vertices = with_cache(path) if is_cache else with_usd(path)
    origin = np.array(report["origin"]) if is_cache else np.zeros(3)
    allowed = report["allowed_m"]
    worst = moved = 0.0
    first = None
    for moment in report["moments"]:
        scene.frame_set(moment["frame"])
        found = vertices() + origin
        assert len(found) == report["points"], f"{len(found)} vertices, not {report['points']}"
        first = found if first is None else first
        moved = max(moved, np.linalg.norm(found - first, axis=1).max())
        places = found[[sample["vertex"] for sample in moment["samples"]]]
        expected = np.array([sample["at"] for sample in moment["samples"]])
        worst = max(worst, np.linalg.norm(places - expected, axis=1).max())
    print(f"{path.name}: {report['points']} vertices in Blender {bpy.app.version_string}, moving by up to {moved:.3f} m, "
          f"within {worst * 1e3:.4f} mm (allowed {allowed * 1e3:.4f})")
    return worst <= allowed and moved > 0.01


def main():
    results = {path: check(Path(path)) for path in sys.argv[1:]}
    for path, good in results.items():
        if not good:
            print(f"WRONG: {path}", file=sys.stderr)
    sys.exit(0 if results and all(results.values()) else 1)


main()
