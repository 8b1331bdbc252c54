"""The programs that move a tree, and one way to call them all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "peers"
WINDFALL = ROOT / "target" / "release" / "windfall"
PROGRAMS = WORK / "release"

# Name in the tables: the command, and which file of the tree it reads.
ENGINES = {
    "Windfall Implicit, f32": ([PROGRAMS / "ours"], "wfp"),
    "Windfall Implicit, f64": ([PROGRAMS / "ours", "--f64"], "wfp"),
    "Windfall Analytic, f32": ([PROGRAMS / "ours", "--method", "analytic"], "wfp"),
    "MuJoCo discrete": ([sys.executable, HERE / "mujoco_run.py", "--integrator", "discrete"], "json"),
    "MuJoCo implicitfast": ([sys.executable, HERE / "mujoco_run.py", "--integrator", "implicitfast"], "json"),
    # One small step within a step, so that dt is dt.
    "Rapier multibody, f32": ([PROGRAMS / "rapier", "--joints", "multibody", "--iterations", "1"], "json"),
    "Rapier impulse, f32": ([PROGRAMS / "rapier", "--joints", "impulse"], "json"),
}


def tree(bodies):
    """Grows the maple with so many bodies: its path without the ending."""
    path = WORK / f"maple-{bodies}"
    subprocess.run([WINDFALL, "grow", "maple", "--bodies", str(bodies), "-o", f"{path}.wfp"], check=True, capture_output=True)
    printed = subprocess.run([WINDFALL, "inspect", f"{path}.wfp", "--bodies", "--json"], check=True, capture_output=True).stdout
    file = path.with_suffix(".json")
    # What was made of the same tree before stays younger than it.
    if not file.exists() or file.read_bytes() != printed:
        file.write_bytes(printed)
    return path


def height(path):
    """Height of the tree, m."""
    with open(f"{path}.json") as file:
        return json.load(file)["summary"]["trees"][0]["height_m"]


def run(engine, path, dt, isotropic=True, **options):
    """Runs an engine: seconds that a step takes, and the centres of all bodies (samples x bodies x 3)."""
    command, ending = ENGINES[engine]
    out = WORK / f"run-{os.getpid()}.bin"
    arguments = [f"{path}.{ending}", "--dt", repr(dt), "--out", out]
    arguments += [word for key, value in options.items() for word in (f"--{key}", repr(value))]
    arguments += ["--isotropic"] if isotropic else []
    done = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True, cwd=WORK)
    step = json.loads(done.stdout.splitlines()[-1])["step_s"]
    bodies = int(path.name.split("-")[1])
    places = np.fromfile(out, dtype="<f8").reshape(-1, bodies, 3)
    out.unlink()
    return step, places
