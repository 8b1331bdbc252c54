"""Opens USD files with Pixar's library (`usd-core`), lets its validators look at them, and compares vertices with the full simulation's skin.

    python usd.py FILE.usda|FILE.usdc|FILE.usdz ...

Files with FILE.EXT.check.json beside them (written by the example `cache_check` of windfall-io) are compared at some frames; where both FILE.usda and FILE.usdc are
given, all their values must be the same.
"""

import json
import sys
from pathlib import Path

import numpy as np
from pxr import Sdf, Usd, UsdGeom, UsdShade, UsdSkel, UsdUtils

try:
    from pxr import UsdValidation
except ImportError:
    UsdValidation = None


def complaints(path):
    """What Pixar's validators say; before 25.11 they were the compliance checker."""
    if UsdValidation is None:
        checker = UsdUtils.ComplianceChecker(arkit=False, skipARKitRootLayerCheck=True)
        checker.CheckCompliance(str(path))
        return checker.GetErrors() + checker.GetFailedChecks() + checker.GetWarnings()
    stage = Usd.Stage.Open(str(path))
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    found = UsdValidation.ValidationContext(validators).Validate(stage)
    return [f"{error.GetIdentifier()}: {error.GetErrorAsString()}" for error in found]


def skinned(meshes, time):
    """Vertices as UsdSkel moves them, in world axes."""
    cache = UsdSkel.Cache()
    out = {}
    for mesh in meshes:
        root = UsdSkel.Root.Find(mesh.GetPrim())
        cache.Populate(root, Usd.PrimDefaultPredicate)
        skeleton = cache.GetSkelQuery(UsdSkel.BindingAPI(mesh.GetPrim()).GetInheritedSkeleton())
        skin = cache.GetSkinningQuery(mesh.GetPrim())
        transforms = skeleton.ComputeSkinningTransforms(time)
        points = mesh.GetPointsAttr().Get(time)
        assert skin.ComputeSkinnedPoints(transforms, points, time), "skinning failed"
        out[mesh.GetPath()] = points
    return out


def vertices(stage, meshes, time):
    moved = skinned(meshes, time) if any(p.IsA(UsdSkel.Root) for p in stage.Traverse()) else {}
    found = []
    for mesh in meshes:
        points = np.array(moved.get(mesh.GetPath()) or mesh.GetPointsAttr().Get(time), dtype=float)
        # USD multiplies rows from the left.
        matrix = np.array(mesh.ComputeLocalToWorldTransform(time))
        found.append(points @ matrix[:3, :3] + matrix[3, :3])
        extent = mesh.GetExtentAttr().Get(time)
        if not moved:
            assert np.allclose(extent, [points.min(axis=0), points.max(axis=0)], atol=1e-6), "extent"
            normals = np.array(mesh.GetNormalsAttr().Get(time))
            assert len(normals) == len(points) and np.allclose(np.linalg.norm(normals, axis=1), 1, atol=6e-3)
    return np.concatenate(found)


def check(path):
    problems = complaints(path)
    for problem in problems:
        print(f"{path.name}: {problem}", file=sys.stderr)
    stage = Usd.Stage.Open(str(path))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetDefaultPrim() and Usd.ModelAPI(stage.GetDefaultPrim()).GetKind() == "component"
    meshes = [UsdGeom.Mesh(p) for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    for mesh in meshes:
        corners = np.array(mesh.GetFaceVertexIndicesAttr().Get())
        assert set(mesh.GetFaceVertexCountsAttr().Get()) == {3} and corners.min() >= 0
        assert len(UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st").Get()) > corners.max()
        material, _ = UsdShade.MaterialBindingAPI(mesh.GetPrim()).ComputeBoundMaterial()
        assert material and material.ComputeSurfaceSource()[0], "a surface for each mesh"
    report_path = path.with_name(path.name + ".check.json")
    if not report_path.exists():
        print(f"{path.name}: {len(meshes)} meshes, {len(problems)} complaints")
        return not problems
    report = json.loads(report_path.read_text())
    assert stage.GetTimeCodesPerSecond() == report["frames_per_second"] and stage.GetStartTimeCode() == 0
    assert [m.GetPrim().GetName() for m in meshes] == report["meshes"]
    worst = moved = 0.0
    first = None
    for moment in report["moments"]:
        found = vertices(stage, meshes, moment["frame"])
        assert len(found) == report["points"], f"{len(found)} vertices, not {report['points']}"
        first = found if first is None else first
        moved = max(moved, np.linalg.norm(found - first, axis=1).max())
        places = found[[sample["vertex"] for sample in moment["samples"]]]
        expected = np.array([sample["at"] for sample in moment["samples"]])
        worst = max(worst, np.linalg.norm(places - expected, axis=1).max())
    print(f"{path.name}: {len(meshes)} meshes, {report['points']} vertices moving by up to {moved:.3f} m, within {worst * 1e3:.4f} mm "
          f"(allowed {report['allowed_m'] * 1e3:.4f}), {len(problems)} complaints")
    return not problems and worst <= report["allowed_m"] and moved > 0.01


def same(text, binary):
    """Whether both forms say the same, but for the names of their images, which begin with that of the file."""
    def plain(path):
        return Sdf.Layer.FindOrOpen(str(path)).ExportToString().replace(f"{path.name}_", "")
    good = len(plain(text)) > 1000 and plain(text) == plain(binary)
    print(f"{text.name} and {binary.name}: {'the same' if good else 'DIFFERENT'}")
    return good


def main():
    paths = [Path(path) for path in sys.argv[1:]]
    good = bool(paths)
    for path in paths:
        if not check(path):
            print(f"WRONG: {path}", file=sys.stderr)
            good = False
    for path in paths:
        if path.suffix == ".usda" and path.with_suffix(".usdc") in paths:
            good = same(path, path.with_suffix(".usdc")) and good
    sys.exit(0 if good else 1)


main()
