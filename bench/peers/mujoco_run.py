"""MuJoCo in the runs of bench/peers: the same options, files and line of JSON as the programs in rapier/."""

import argparse
import json
import math
import time
from pathlib import Path

import mujoco

from mjcf import mjcf, read


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bodies", help="what `windfall inspect --bodies --json` printed")
    parser.add_argument("--integrator", default="discrete")
    parser.add_argument("--isotropic", action="store_true", help="one ball joint in the place of three hinges")
    parser.add_argument("--dt", type=float, required=True)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--sample", type=float, default=0.05)
    parser.add_argument("--alpha", type=float, default=0.0, help="mass-proportional damping, 1/s")
    parser.add_argument("--damping", type=float, default=1.0, help="multiplier of the damping of all joints")
    parser.add_argument("--gravity", type=float, default=9.81)
    parser.add_argument("--out", required=True)
    return parser.parse_args()


def load(args):
    """The model, and where it has the bodies of the plant. Compiling takes a minute for 10,000 bodies, so it is kept in a file."""
    source = Path(args.bodies)
    kept = source.with_suffix(f".{'ball' if args.isotropic else 'hinges'}-{mujoco.__version__}.mjb")
    if not kept.exists() or kept.stat().st_mtime < source.stat().st_mtime:
        mujoco.mj_saveModel(mujoco.MjModel.from_xml_string(mjcf(read(source), args.isotropic)), str(kept))
    model = mujoco.MjModel.from_binary_path(str(kept))
    model.opt.timestep = args.dt
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{args.integrator.upper()}")
    model.opt.gravity = (0, -args.gravity, 0)
    model.dof_damping *= args.damping
    # A tree that blows up must not begin anew unseen.
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    # The world itself is body 0.
    return model, [model.body(str(i)).id for i in range(model.nbody - 1)]


def main():
    args = options()
    model, order = load(args)
    data = mujoco.MjData(model)
    per_sample = round(args.sample / args.dt)
    assert abs(per_sample * args.dt / args.sample - 1) < 1e-6, "samples must be a multiple of the step"
    kept = math.exp(-args.alpha * args.dt)
    samples = round(args.seconds / args.sample)
    best = math.inf

    with open(args.out, "wb") as out:

        def write_sample():
            # A step leaves the places of its beginning behind.
            mujoco.mj_kinematics(model, data)
            out.write(data.xipos[order].astype("<f8").tobytes())

        write_sample()
        for sample in range(samples):
            start = time.perf_counter()
            if args.alpha == 0:
                mujoco.mj_step(model, data, nstep=per_sample)
            else:
                for _ in range(per_sample):
                    mujoco.mj_step(model, data)
                    data.qvel *= kept
            wall = time.perf_counter() - start
            # The first steps fill caches.
            if sample > 0 or samples == 1:
                best = min(best, wall / per_sample)
            write_sample()
    print(json.dumps({"step_s": best}))


main()
