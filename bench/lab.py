#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lab.py -- what the lab takes for stores with many flows: 10^6, in one run and in ten; with an argument another number. A scenario of 10^7 is checked.
Where pandas is installed, also the flows as a DataFrame.

	bench/lab.py [FLOWS]"""

import importlib.util
import pathlib
import sys
import tempfile

import cost

CHECKED = 10**7

# With the Python package of the tree.
DATA_FRAME = "import sys; sys.path.insert(0, 'python'); import weir; print(len(weir.Results(sys.argv[1]).flows))"

SCENARIO = """# So many short flows of many sizes.
[network]
topology = leaf-spine
leaves = 8
spines = 8
hosts-per-leaf = 16
rate = 100Gbps
delay = 1us
[switch]
marking = ecn(k=65pkts)
buffer = 1000pkts
[host]
cc = dctcp
[traffic all]
pattern = all-to-all
load = 0.5
sizes = uniform(min=100B, max=3KB)
flows = {flows}
"""
SWEEP = """[sweep]
switch.marking = ecn(k=65pkts), ecn(k=20pkts)
seed = 1..5
"""


def main():
    flows = int(sys.argv[1]) if len(sys.argv) > 1 else 10**6
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "one.ini").write_text(SCENARIO.format(flows=flows))
        (folder / "ten.ini").write_text(SCENARIO.format(flows=flows // 10) + SWEEP)
        (folder / "check.ini").write_text(SCENARIO.format(flows=CHECKED))
        rows = [(f"check of {CHECKED} flows", ["check", f"{folder}/check.ini"])]
        for runs in ("one", "ten"):
            store = f"{folder}/{runs}.results"
            rows += [
                (f"{runs}: run, with its store", ["run", f"{folder}/{runs}.ini", "--quiet", "--threads", "1", "--out", store]),
                (f"{runs}: table", ["table", store]),
                (f"{runs}: table --by flow-size", ["table", store, "--by", "flow-size"]),
                (f"{runs}: report", ["report", store]),
                (f"{runs}: export --csv", ["export", store, "--csv", f"{folder}/csv"]),
                (f"{runs}: export --json", ["export", store, "--json", f"{folder}/json"]),
            ]
        if importlib.util.find_spec("pandas"):
            rows.append(("one: DataFrame of flows, with imports", [sys.executable, "-c", DATA_FRAME, f"{folder}/one.results"]))
        print(f"{str(flows) + ' flows':38} {'wall':>8} {'program':>8} {'system':>8} {'peak':>9}")
        for what, command in rows:
            wall, user, system, peak = cost.take(command if command[0] == sys.executable else ["./weir"] + command)
            print(f"{what:38} {wall:6.2f} s {user:6.2f} s {system:6.2f} s {peak / 1e6:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
