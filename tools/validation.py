#!/usr/bin/env python3
"""Renews the figures in docs/validation/*.md from what the tests print.

Run from the root of the repository. Every table row that a test prints with `--nocapture` replaces the row of the docs that begins with the
same cell and stands under a heading or paragraph of its own; rows that no test prints are left as they are and counted.
"""
import collections, pathlib, re, subprocess, sys

out = subprocess.run(
    ["cargo", "test", "-p", "windfall-dynamics", "--no-fail-fast", "--", "--nocapture", "--test-threads=1"],
    capture_output=True, text=True,
).stdout
printed = collections.defaultdict(list)
for line in out.splitlines():
    line = re.sub(r"^test [\w:]+ \.\.\. ", "", line)
    if line.startswith("| "):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        printed[(cells[0], len(cells))].append(line.rstrip())

renewed = kept = 0
for page in sorted(pathlib.Path("docs/validation").glob("*.md")):
    lines = page.read_text().splitlines()
    seen = collections.Counter()
    for i, line in enumerate(lines):
        if not line.startswith("| ") or set(line) <= set("|- "):
            continue
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        key = (cells[0], len(cells))
        # Rows with the same first cell are told apart by the second, then by their order.
        candidates = [p for p in printed.get(key, []) if p.strip("|").split("|")[1].strip() == cells[1]] or printed.get(key, [])
        n = seen[(key, cells[1])]
        seen[(key, cells[1])] += 1
        if n < len(candidates):
            lines[i] = candidates[n]
            renewed += 1
        else:
            kept += 1
    page.write_text("\n".join(lines) + "\n")
print(f"{renewed} rows renewed, {kept} left as they are", file=sys.stderr)
