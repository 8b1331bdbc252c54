"""Runs what the tables of docs/peers.md show, and writes them there."""

import json
import os
import platform
import re
import sys
import time

import numpy as np

from engines import ENGINES, ROOT, WORK, height, run, tree

SIZES = (100, 1000, 10000)
STEPS = {"1/60": 1 / 60, "1/240": 1 / 240, "1/1000": 1 / 1000}
OURS, PEER = "Windfall Implicit, f64", "MuJoCo implicitfast"
MULTIBODY = "Rapier multibody, f32"
# Rapier's multibody takes a minute for one step of 1,000 bodies.
LARGEST_MULTIBODY = 100
# Steps of the references. MuJoCo is first order, so two runs are extrapolated to a step of zero.
OUR_FINE = 1 / 4000
PEER_FINE = {100: 1 / 8000, 1000: 1 / 4000, 10000: 1 / 1000}


def rms(x):
    return float(np.sqrt(np.mean(np.sum(np.square(x), axis=-1))))


def largest(x):
    return float(np.sqrt(np.max(np.sum(np.square(x), axis=-1))))


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


def extrapolated(path, bodies, **options):
    """The motion in MuJoCo at a step of zero."""
    fine = PEER_FINE[bodies]
    once = run(PEER, path, 2 * fine, **options)[1]
    return 2 * run(PEER, path, fine, **options)[1] - once


def possible(engine, bodies):
    return engine != MULTIBODY or bodies <= LARGEST_MULTIBODY


def sag(path, bodies):
    """Where bodies come to rest, in each engine against ours: rms and largest, over the height of the tree."""
    settle = {"alpha": 6.0, "seconds": 10.0}
    ours = run(OURS, path, 1 / 60, **settle)[1]
    result = {"still": largest(ours[-1] - ours[-21]) / height(path), "of": rms(ours[-1] - ours[0]) / height(path)}
    for engine in ENGINES:
        if engine != OURS and possible(engine, bodies):
            say("sag", bodies, engine)
            off = run(engine, path, 1 / 60, **settle)[1][-1] - ours[-1]
            result[engine] = [rms(off) / height(path), largest(off) / height(path)]
    return result


def errors(path, bodies, **options):
    """The rms error of each engine at each step, over the rms motion of the reference."""
    truth = run(OURS, path, OUR_FINE, **options)[1]
    motion = rms(truth - truth[0])
    result = {"motion_m": motion, "finer": rms(run(OURS, path, OUR_FINE / 2, **options)[1] - truth) / motion}
    result["references"] = rms(extrapolated(path, bodies, **options) - truth) / motion
    for engine in ENGINES:
        if not possible(engine, bodies):
            continue
        result[engine] = {}
        for name, dt in STEPS.items():
            say("motion", bodies, engine, name)
            places = run(engine, path, dt, **options)[1]
            # JSON has no infinity.
            result[engine][name] = rms(places - truth) / motion if np.isfinite(places).all() else None
    return result


def hinges(path, bodies):
    """How far the real tree with three hinges a joint is from ours, at less and less gravity: relative to the motion."""
    result = {}
    for gravity in (9.81, 0.981, 0.0981):
        say("hinges", gravity)
        truth = run(OURS, path, OUR_FINE, isotropic=False, gravity=gravity)[1]
        other = extrapolated(path, bodies, isotropic=False, gravity=gravity)
        result[gravity] = rms(other - truth) / rms(truth - truth[0])
    return result


def accuracy():
    result = {}
    for bodies in SIZES:
        path = tree(bodies)
        result[bodies] = {"height_m": height(path), "sag": sag(path, bodies), "motion": errors(path, bodies)}
    result["tenth"] = errors(tree(100), 100, damping=0.1)
    result["hinges"] = hinges(tree(100), 100)
    return result


def speed():
    """Seconds that a step takes, the best of three runs."""
    result = {}
    for bodies in SIZES:
        path = tree(bodies)
        result[bodies] = {}
        for engine in ENGINES:
            once = {"seconds": 1 / 240, "sample": 1 / 240}
            if possible(engine, bodies):
                seconds = {100: 1.0, 1000: 1.0, 10000: 0.2}[bodies]
                runs = 1 if engine == MULTIBODY else 3
                best = min(run(engine, path, 1 / 240, seconds=seconds)[0] for _ in range(runs))
            elif bodies == 1000:
                best = run(engine, path, 1 / 240, **once)[0]
            else:
                continue
            result[bodies][engine] = best
            say("speed", bodies, engine, f"{best * 1e3:.3f} ms")
    return result


def figure(x):
    """Two digits, in the words of people."""
    return f"{x:.2g}" if 1e-3 <= x < 100 else f"{x:.0f}" if x >= 100 else f"{x:.1e}"


def percent(x):
    if x is None:
        return "blows up"
    return f"{figure(100 * x)} %" if x < 1 else f"lost ({100 * x:.0f} %)"


def machine():
    names = re.findall(r"model name\s*: (.*)", open("/proc/cpuinfo").read()) if os.path.exists("/proc/cpuinfo") else []
    return f"{names[0] if names else platform.processor()}, one thread"


def tables(accuracy, speed):
    """All tables as Markdown."""
    versions = re.findall(r'name = "(rapier3d)"\nversion = "(.*)"', (ROOT / "bench/peers/rapier/Cargo.lock").read_text())
    import mujoco

    lines = [f"{time.strftime('%Y-%m-%d')}; MuJoCo {mujoco.__version__}, Rapier {versions[0][1]}; {machine()}.", ""]
    lines += ["### Static sag", ""]
    lines += ["Where every body comes to rest, against Windfall in f64: rms and largest distance over the height of the tree.", ""]
    names = [name for name in ENGINES if name != OURS]
    lines += ["| | " + " | ".join(f"{int(b):,} bodies" for b in map(str, SIZES)) + " |", "|---|" + "---|" * len(SIZES)]
    lines += ["| how far the tree sags, rms | " + " | ".join(percent(accuracy[str(b)]["sag"]["of"]) for b in SIZES) + " |"]
    for name in names:
        cells = [accuracy[str(b)]["sag"].get(name) for b in SIZES]
        lines += [f"| {name} | " + " | ".join(" / ".join(map(percent, c)) if c else "not run" for c in cells) + " |"]
    lines += ["", "### The references", ""]
    lines += ["| bodies | rms motion | ours at half the step | MuJoCo at a step of zero against ours |", "|---|---|---|---|"]
    for b in SIZES:
        motion = accuracy[str(b)]["motion"]
        lines += [f"| {b:,} | {1e3 * motion['motion_m']:.0f} mm | {percent(motion['finer'])} | {percent(motion['references'])} |"]
    for b in SIZES:
        lines += ["", f"### {b:,} bodies", ""] + rows(accuracy[str(b)]["motion"], speed.get(str(b), {}))
    lines += ["", "### 100 bodies with a tenth of the damping", "", "What a step costs does not change.", ""]
    lines += rows(accuracy["tenth"], speed.get("100", {}))
    lines += ["", "### The real tree, three hinges for a joint in MuJoCo", ""]
    lines += ["| gravity | difference of the motion |", "|---|---|"]
    lines += [f"| {g} m/s² | {percent(x)} |" for g, x in accuracy["hinges"].items()]
    return "\n".join(lines)


def rows(motion, speed):
    heads = [f"error, {name}" for name in STEPS] + ["ms a step"] + [f"s for 1 s, {name}" for name in STEPS]
    lines = ["| | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    for engine in ENGINES:
        error, step = motion.get(engine), speed.get(engine)
        cells = [percent(error[name]) if error else "not run" for name in STEPS]
        cells += ["not run"] * 4 if step is None else [figure(1e3 * step)] + [figure(step / dt) for dt in STEPS.values()]
        lines += [f"| {engine} | " + " | ".join(cells) + " |"]
    return lines


def main():
    asked = sys.argv[1:] or ["accuracy", "speed"]
    results = {}
    for name, measure in (("accuracy", accuracy), ("speed", speed)):
        stored = WORK / f"{name}.json"
        if name in asked:
            stored.write_text(json.dumps(measure(), indent=1))
        results[name] = json.loads(stored.read_text()) if stored.exists() else None
    if None in results.values():
        sys.exit("half of the tables is missing: run both accuracy and speed")
    text = tables(**results)
    page = ROOT / "docs" / "peers.md"
    inside = r"(?<=<!-- written by bench/peers/run.sh -->\n).*(?=<!-- end -->)"
    page.write_text(re.sub(inside, lambda _: f"\n{text}\n\n", page.read_text(), flags=re.S))
    print(text)


if __name__ == "__main__":
    main()
