"""Rigged trees of Sapling Tree Gen, for `windfall animate`. By hand, with a Blender that has this add-on (3.4 of Debian, with python3-numpy):

    blender -b --factory-startup --python tools/animate-check/sapling.py -- FOLDER

writes FOLDER/sapling_2.glb and sapling_3.glb (two and three levels of branches): 15 boughs and a trunk with bones, bark from the skin modifier, leaves.
"""

import os
import sys

import addon_utils
import bpy

folder = sys.argv[-1]
os.makedirs(folder, exist_ok=True)
for add_on in ("add_curve_sapling", "io_scene_gltf2"):
    addon_utils.enable(add_on)

for levels in (2, 3):
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.curve.tree_add(
        do_update=True,
        bevel=True,
        showLeaves=True,
        useArm=True,
        makeMesh=True,
        seed=3,
        levels=levels,
        branches=(0, 25, 12, 10),
        armLevels=2,
        boneStep=(1, 1, 1, 1),
    )
    # The curve that the mesh was made from would be exported as a second tree.
    bpy.data.objects.remove(next(o for o in bpy.data.objects if o.type == "CURVE"))
    wood = next(o for o in bpy.data.objects if any(m.type == "SKIN" for m in o.modifiers))
    bpy.context.view_layer.objects.active = wood
    bpy.ops.object.modifier_apply(modifier=next(m.name for m in wood.modifiers if m.type == "SKIN"))
    bpy.ops.export_scene.gltf(
        filepath=os.path.join(folder, f"sapling_{levels}.glb"), export_format="GLB", export_skins=True, export_animations=False
    )
