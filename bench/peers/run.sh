#!/usr/bin/env bash
# Windfall, MuJoCo and Rapier on the same trees; writes the tables of docs/peers.md anew. See README.md.
#   bench/peers/run.sh            everything, about half an hour
#   bench/peers/run.sh speed      only how long steps take (a few minutes, wants a quiet machine)
#   bench/peers/run.sh accuracy   only checks and errors (the same on a busy machine)
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/target/peers
mkdir -p "$work"
if [ ! -x "$work/venv/bin/python" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet numpy mujoco==4.0.0
fi
(cd "$root" && cargo build --release --quiet -p windfall-cli)
(cd "$root/bench/peers/rapier" && cargo build --release --quiet --target-dir "$work")
exec "$work/venv/bin/python" "$root/bench/peers/table.py" "$@"
