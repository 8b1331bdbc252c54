"""The tree of `windfall inspect --bodies --json` as a MuJoCo model.

MuJoCo's ball joint has one stiffness for all axes. Our joints bend and twist with different ones, so a joint becomes three hinges about the
body's own x, y and z, in this order from the parent outward. For small angles that is our model; for large ones three hinges measure
Euler angles where we measure the rotation vector. With `isotropic` every joint is as stiff about y and z as about x, and one ball joint is
the same model at any angle.
"""

import json

import numpy as np


def read(path):
    """The records of all bodies, in the order of their ids."""
    with open(path) as file:
        return json.load(file)["bodies"]


def turn(q, v):
    """Turns the vector v by the quaternion q = (x, y, z, w)."""
    u, w = np.array(q[:3]), q[3]
    return v + 2 * np.cross(u, np.cross(u, v) + w * np.array(v))


def relative(p, q):
    """The quaternion conj(p) q, both as (x, y, z, w)."""
    u, a = -np.array(p[:3]), p[3]
    v, b = np.array(q[:3]), q[3]
    return np.append(a * v + b * u + np.cross(u, v), a * b - u @ v)


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def joints(body, isotropic):
    k, c = body["stiffness_nm_per_rad"], body["damping_nms_per_rad"]
    if isotropic:
        return f'<joint type="ball" stiffness="{k[0]!r}" damping="{c[0]!r}"/>'
    axes = ("1 0 0", "0 1 0", "0 0 1")
    return "".join(f'<joint axis="{a}" stiffness="{k[i]!r}" damping="{c[i]!r}"/>' for i, a in enumerate(axes))


def mjcf(bodies, isotropic):
    """The model as XML. Body i of the plant is MuJoCo's body named `i`."""
    children = [[] for _ in bodies]
    roots = []
    for body in bodies:
        (roots if body["parent"] is None else children[body["parent"]]).append(body["id"])
    lines = [
        "<mujoco>",
        '<compiler angle="radian" autolimits="false"/>',
        "<option>",
        # Nothing collides and nothing is limited.
        '<flag contact="disable" constraint="disable"/>',
        "</option>",
        # By itself MuJoCo reserves room for dense matrices, which no machine has for 10,000 bodies.
        '<size memory="1G"/>',
        "<worldbody>",
    ]

    # Not recursive: trees may be deep. A body that is done closes its tag.
    todo = [(root, False) for root in reversed(roots)]
    while todo:
        i, done = todo.pop()
        if done:
            lines.append("</body>")
            continue
        body = bodies[i]
        position, orientation = body["joint_position_m"], np.array(body["rest_orientation_xyzw"])
        if body["parent"] is not None:
            parent = bodies[body["parent"]]
            back = np.array(parent["rest_orientation_xyzw"]) * [-1, -1, -1, 1]
            position = turn(back, np.subtract(position, parent["joint_position_m"]))
            orientation = relative(parent["rest_orientation_xyzw"], orientation)
        inertia = np.diag(body["inertia_kg_m2"])
        lines.append(
            f'<body name="{i}" pos="{numbers(position)}" quat="{numbers(np.roll(orientation, 1))}">'
            f'<inertial pos="{numbers(body["center_of_mass_m"])}" mass="{body["mass_kg"]!r}" diaginertia="{numbers(inertia)}"/>'
            + joints(body, isotropic)
        )
        todo.append((i, True))
        todo.extend((child, False) for child in reversed(children[i]))
    lines += ["</worldbody>", "</mujoco>"]
    return "\n".join(lines)
