"""Opens moving trees in Blender (the `bpy` module) and compares evaluated vertices with the full simulation's skin.

    python check.py FILE.glb ...     each with FILE.json beside it, written by the example `export_check` of windfall-io

Blender has z up where glTF has y up, keeps only vertices that a triangle uses, and goes between keys on straight lines.
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np


def load(path, rate):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    # Times become frames by the scene's rate when a file is read.
    scene.render.fps, scene.render.fps_base = round(rate), 1.0
    bpy.ops.import_scene.gltf(filepath=str(path))
    return scene


def vertices(scene, moment):
    """Vertices of all skinned meshes as Blender evaluates them, in glTF's axes, object by object."""
    scene.frame_set(moment["frame"])
    graph = bpy.context.evaluated_depsgraph_get()
    found = []
    for thing in sorted((o for o in scene.objects if o.type == "MESH"), key=lambda o: o.name):
        if not any(modifier.type == "ARMATURE" for modifier in thing.modifiers):
            continue
        evaluated = thing.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", flat)
        places = flat.reshape(-1, 3).astype(float)
        matrix = np.array(evaluated.matrix_world, dtype=float)
        world = places @ matrix[:3, :3].T + matrix[:3, 3]
        found.append(np.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1))
        evaluated.to_mesh_clear()
    return found


def check(path):
    report = json.loads(path.with_suffix(".json").read_text())
    if "moments" not in report:
        return None
    animation = report["animation"]
    scene = load(path, report["frames_per_second"])
    armatures = [o for o in scene.objects if o.type == "ARMATURE"]
    bones = sum(len(a.data.bones) for a in armatures)
    # Bones, and rounding of weights and places.
    allowed = animation["clips"][0]["error"]["largest_m"] + 1e-4
    worst, box = 0.0, 0.0
    for moment in report["moments"]:
        found = vertices(scene, moment)
        everything = np.concatenate(found)
        box = max(box, np.abs(everything.min(axis=0) - moment["min"]).max())
        box = max(box, np.abs(everything.max(axis=0) - moment["max"]).max())
        if len(animation["joints"]) == 1:
            places = found[0][[sample["used"] for sample in moment["samples"]]]
            expected = np.array([sample["at"] for sample in moment["samples"]])
            worst = max(worst, np.linalg.norm(places - expected, axis=1).max())
    print(f"{path.name}: {len(armatures)} armatures, {bones} bones; vertices within {worst * 1e3:.3f} mm, "
          f"bounds within {box * 1e3:.3f} mm (allowed {allowed * 1e3:.3f})")
    return max(worst, box) <= allowed


def main():
    results = {path: check(Path(path)) for path in sys.argv[1:]}
    looked = [good for good in results.values() if good is not None]
    for path, good in results.items():
        if good is False:
            print(f"WRONG: {path}", file=sys.stderr)
    if not looked:
        print("WRONG: no file to check", file=sys.stderr)
    sys.exit(0 if looked and all(looked) else 1)


main()
