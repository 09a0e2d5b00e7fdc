#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""memory.py -- how much memory do large networks take? The rows of bench/history.md, by the commands that it names.

	bench/memory.py		all rows for which this machine has memory now; those of k=192 and 256 take minutes
	bench/memory.py k=64	those whose name begins with it"""

import shlex
import sys

import cost

GB = 10**9
FILE = "bench/fat-tree-64.ini"

# What, the command, and how much it took when it was last looked at.
ROWS = [
    ("k=64, 65,536 hosts, 40 us", f"run {FILE} --threads 1", 0.5 * GB),
    ("k=64, 100 us", f"run {FILE} --set measure.from=0ns --set measure.to=100us --threads 2", 1 * GB),
    ("k=128, 524,288 hosts, built", f"check {FILE} --set network.k=128", 1 * GB),
    ("k=128, 524,288 hosts, 20 us", f"run {FILE} --set network.k=128 --set measure.from=0ns --set measure.to=20us --threads 1", 3 * GB),
    ("k=192, 1.77 million hosts, 20 us", f"run {FILE} --set network.k=192 --set measure.to=20us --threads 1", 9.2 * GB),
    ("k=256, 4.2 million hosts, built", f"check {FILE} --set network.k=256", 6.8 * GB),
    ("k=256, 4.2 million hosts, 20 us", f"run {FILE} --set network.k=256 --set measure.from=0ns --set measure.to=20us --threads 1", 23 * GB),
]


def main():
    begins = sys.argv[1] if len(sys.argv) > 1 else ""
    print(f"{'what':34} {'peak':>9} {'wall':>8} {'program':>8} {'system':>8}")
    for name, command, needs in ROWS:
        if not name.startswith(begins):
            continue
        if cost.available_bytes() < needs:
            print(f"{name:34} not done: {needs / GB:.1f} GB are needed and {cost.available_bytes() / GB:.1f} GB free")
            continue
        quiet = ["--quiet"] if command.startswith("run") else []
        wall, user, system, peak = cost.take(["./weir"] + shlex.split(command) + quiet)
        print(f"{name:34} {peak / GB:6.3f} GB {wall:6.1f} s {user:6.1f} s {system:6.1f} s   weir {command}", flush=True)


if __name__ == "__main__":
    main()
