"""Builds rigged trees in Blender (the `bpy` module), lets `windfall animate` add wind, and looks at the result in Blender again.

    python check.py WINDFALL FOLDER     the program, and where to write

For each way to build and export a tree: joints are where the report says, at several frames; they move; meshes, materials and weights are as
they were. The module is that of tools/blender-check/requirements.txt.
"""

import json
import math
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

RATE = 30


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = RATE, 1.0


def branches():
    """Centre lines: parent branch, place on it, points with radii."""
    trunk = [((0, 0, 0), 0.08), ((0.05, 0, 1.2), 0.065), ((0, 0.08, 2.5), 0.05), ((-0.1, 0.05, 3.8), 0.035), ((-0.05, 0, 5.0), 0.015)]
    limbs = [(None, 0, trunk)]
    for k in range(6):
        angle, at = 2.4 * k, 1 + k % 3
        (x, y, z), radius = trunk[at]
        way = Vector((math.cos(angle), math.sin(angle), 0.6))
        points = [(Vector((x, y, z)) + way * d, radius * r) for d, r in ((0.0, 0.5), (0.6, 0.4), (1.2, 0.25), (1.8, 0.12))]
        limbs.append((0, at, points))
    return limbs


def mass():
    """Of white oak, kg."""
    volume = 0.0
    for _, _, points in branches():
        for (a, r), (b, q) in zip(points, points[1:]):
            volume += math.pi / 3 * (Vector(b) - Vector(a)).length * (r * r + r * q + q * q)
    return 1010 * volume


def build(scale, turn, automatic, control):
    """An armature, a bark mesh with weights, and leaf cards on bones."""
    clear()
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    place = Matrix.LocRotScale(Vector((0.4, -0.2, 0.0)), turn, Vector((scale,) * 3))
    into = place.inverted()
    bpy.ops.object.mode_set(mode="EDIT")
    names, lines = [], branches()
    for b, (parent, at, points) in enumerate(lines):
        names.append([])
        for k in range(len(points) - 1):
            bone = data.edit_bones.new(f"b{b}_{k}")
            bone.head, bone.tail = into @ Vector(points[k][0]), into @ Vector(points[k + 1][0])
            bone.roll = 0.5 * k
            if k:
                bone.parent, bone.use_connect = data.edit_bones[names[b][k - 1]], True
            elif parent is not None:
                bone.parent = data.edit_bones[names[parent][at - 1]]
            names[b].append(bone.name)
    if control:
        root = data.edit_bones.new("control")
        root.head, root.tail, root.use_deform = into @ Vector((0, 0, -1)), into @ Vector((0, 0, -0.5)), False
        data.edit_bones["b0_0"].parent = root
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.matrix_world = place

    vertices, faces, weights = [], [], []
    for b, (_, _, points) in enumerate(lines):
        for k, (point, radius) in enumerate(points):
            along = Vector(points[min(k + 1, len(points) - 1)][0]) - Vector(points[max(k - 1, 0)][0])
            frame = along.to_track_quat("Z", "Y")
            first, last = len(vertices), len(points) - 1
            for side in range(10):
                angle = 2 * math.pi * side / 10
                vertices.append(Vector(point) + frame @ Vector((radius * math.cos(angle), radius * math.sin(angle), 0)))
                own = min(k, last - 1)
                weights.append({names[b][own]: 1.0} if k in (0, last) else {names[b][k - 1]: 0.5, names[b][k]: 0.5})
                if k:
                    a, c = first + side, first + (side + 1) % 10
                    faces.append((a - 10, c - 10, c, a))
    mesh = bpy.data.meshes.new("Tree")
    mesh.from_pydata([rig.matrix_world.inverted() @ v for v in vertices], [], faces)
    mesh.materials.append(bpy.data.materials.new("Skin"))
    tree = bpy.data.objects.new("Tree", mesh)
    bpy.context.scene.collection.objects.link(tree)
    if automatic:
        tree.matrix_world = rig.matrix_world
        bpy.context.view_layer.update()
        for thing in (tree, rig):
            thing.select_set(True)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    else:
        tree.parent = rig
        tree.modifiers.new("Armature", "ARMATURE").object = rig
        for i, own in enumerate(weights):
            for name, weight in own.items():
                group = tree.vertex_groups.get(name) or tree.vertex_groups.new(name=name)
                group.add([i], weight, "REPLACE")
    green = bpy.data.materials.new("Green")
    card = bpy.data.meshes.new("Card")
    card.from_pydata([(-0.2, 0, 0), (0.2, 0, 0), (0.2, 0.4, 0), (-0.2, 0.4, 0)], [], [(0, 1, 2, 3)])
    card.materials.append(green)
    bpy.context.view_layer.update()
    for b in range(1, len(lines)):
        for k in range(4):
            leaf = bpy.data.objects.new(f"leaf{b}_{k}", card)
            bpy.context.scene.collection.objects.link(leaf)
            leaf.parent, leaf.parent_type, leaf.parent_bone = rig, "BONE", names[b][-1]
            leaf.matrix_world = Matrix.LocRotScale(Vector(lines[b][2][-1][0]), Euler((0.4 * k, 0.2, 1.5 * k)), Vector((1, 1, 1)))
    return rig


def still(path):
    """What must not change: of each mesh its vertices at rest, of materials their names, of groups their weights."""
    found = {}
    for thing in (o for o in bpy.data.objects if o.type == "MESH"):
        mesh = thing.data
        flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", flat)
        groups = {g.index: g.name for g in thing.vertex_groups}
        weights = [sorted((groups[g.group], round(g.weight, 5)) for g in v.groups) for v in mesh.vertices]
        found[thing.name] = (flat.tobytes(), [m.name for m in mesh.materials], weights)
    return found


def load(path):
    clear()
    bpy.ops.import_scene.gltf(filepath=str(path))
    return still(path)


def heads():
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    places = {}
    for rig in (o for o in bpy.data.objects if o.type == "ARMATURE"):
        seen = rig.evaluated_get(graph)
        for bone in seen.pose.bones:
            x, y, z = seen.matrix_world @ bone.head
            places[bone.name] = np.array([x, z, -y])
    return places


def play(clip):
    """Lets all armatures play a clip."""
    for rig in (o for o in bpy.data.objects if o.type == "ARMATURE"):
        action = next(a for a in bpy.data.actions if a.name.startswith(clip))
        rig.animation_data_create()
        for track in rig.animation_data.nla_tracks:
            track.mute = True
        rig.animation_data.action = action
        if action.slots:
            rig.animation_data.action_slot = action.slots[0]


def check(windfall, folder, name, source, options):
    before = load(source)
    rest = heads()
    output = source.with_name(source.stem + "_wind" + source.suffix)
    command = [windfall, "animate", source, "-o", output, "--wind", "breeze", "--wind", "gale", "--loop", "2", "--json", *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        return f"windfall animate: {done.stderr.strip()}"
    report = json.loads(done.stdout)
    if load(output) != before:
        return "meshes, materials or weights have changed"
    size = max(np.linalg.norm(a - b) for a in rest.values() for b in rest.values())
    worst, moved = 0.0, 0.0
    for clip in report["clips"]:
        play(clip["name"])
        for moment in clip["moments"]:
            # Blender's first frame is that at 0 s.
            bpy.context.scene.frame_set(moment["frame"])
            now = heads()
            for joint in moment["joints"]:
                worst = max(worst, np.linalg.norm(now[joint["name"]] - np.array(joint["at"])) / size)
                moved = max(moved, np.linalg.norm(now[joint["name"]] - rest[joint["name"]]) / size)
    rig = report["rig"]
    print(f"{name}: {rig['bones']} of {rig['joints']} joints, {rig['height_m']:.2f} m, {rig['wood_mass_kg']:.0f} kg, "
          f"{rig['leaf_area_m2']:.2f} m2 of leaves, {report['first_frequency_hz']:.2f} Hz; joints within {worst:.1e} of the size, "
          f"moved by {moved:.3f}; {len(rig['warnings'])} warnings")
    if worst > 2e-4:
        return f"joints are off by {worst:.1e} of the size"
    if moved < 5e-3:
        return f"nothing moves: {moved:.1e} of the size"
    if not 0.6 < rig["wood_mass_kg"] / mass() < 1.5:
        return f"{rig['wood_mass_kg']:.1f} kg of wood; there are {mass():.1f}"
    if not 3.5 < rig["leaf_area_m2"] < 4.2:
        return f"{rig['leaf_area_m2']} m2 of leaves; there are 24 cards of 0.16 m2"
    return None


def main():
    windfall, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    upright, down = Euler((0, 0, 0)).to_quaternion(), Euler((math.radians(-90), 0.3, 0)).to_quaternion()
    cases = [
        ("plain", (1.0, upright, False, False), {"export_format": "GLB"}, []),
        ("automatic weights", (1.0, upright, True, False), {"export_format": "GLB"}, []),
        ("scaled 0.01 and turned", (0.01, down, False, True), {"export_format": "GLB"}, []),
        ("deform bones only", (1.0, upright, False, True), {"export_format": "GLB", "export_def_bones": True}, []),
        ("separate files", (1.0, upright, False, False), {"export_format": "GLTF_SEPARATE"}, []),
        ("z up", (1.0, upright, False, False), {"export_format": "GLB", "export_yup": False}, ["--up", "z"]),
    ]
    wrong = []
    for name, made, how, options in cases:
        build(*made)
        source = folder / (name.replace(" ", "_") + (".glb" if how["export_format"] == "GLB" else ".gltf"))
        bpy.ops.export_scene.gltf(filepath=str(source), export_animations=False, **how)
        problem = check(windfall, folder, name, source, options)
        if problem:
            wrong.append(f"{name}: {problem}")
    for text in wrong:
        print(f"WRONG: {text}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
