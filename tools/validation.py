#!/usr/bin/env python3
"""Renews the figures in docs/validation/*.md from what the tests print.

Run from the root of the repository. Every table row that a test prints with `--nocapture` replaces the row of the docs that begins with
the same cells; rows that no test prints are left as they are and counted. Read the difference afterwards.
"""
import collections, pathlib, re, subprocess, sys

out = subprocess.run(
    ["cargo", "test", "-p", "windfall-articulated", "-p", "windfall-free", "-p", "windfall-stage", "-p", "windfall-assess",
     "-p", "windfall-solver", "-p", "windfall-wind", "--no-fail-fast", "--", "--nocapture", "--test-threads=1"],
    capture_output=True, text=True,
).stdout
printed = collections.defaultdict(list)
for line in out.splitlines():
    line = re.sub(r"^test [\w:]+ \.\.\. ", "", line)
    if line.startswith("| "):
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        printed[(cells[0], len(cells))].append(line.rstrip())

def cells_of(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def shared(a, b):
    """How many cells at the beginning are the same."""
    n = 0
    while n < len(a) and a[n] == b[n]:
        n += 1
    return n


renewed = kept = 0
for page in sorted(pathlib.Path("docs/validation").glob("*.md")):
    lines = page.read_text().splitlines()
    used = collections.Counter()
    for i, line in enumerate(lines):
        is_rule = set(line) <= set("|-: ")
        is_head = i + 1 < len(lines) and lines[i + 1].startswith("|-")
        if not line.startswith("| ") or is_rule or is_head:
            continue
        cells = cells_of(line)
        candidates = [p for p in printed.get((cells[0], len(cells)), []) if not used[p]]
        # The row with the most cells in common at the beginning; the first of them, if there are several.
        best = max(candidates, key=lambda p: shared(cells_of(p), cells), default=None)
        if best is None or (len(cells) > 3 and shared(cells_of(best), cells) < 2):
            kept += 1
            continue
        used[best] += 1
        lines[i] = best
        renewed += 1
    page.write_text("\n".join(lines) + "\n")
print(f"{renewed} rows renewed, {kept} left as they are", file=sys.stderr)
