#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""acc-proof.py -- compares ECN tuners with the front of constant settings, by completion times.

	tools/acc-proof.py OUT [TUNER...] [--scenario NAME|FILE]... [--seeds 1..3] [--jobs N] [--weir PROGRAM]
	tools/acc-proof.py --show NAME

Runs every scenario with 50 constants and with every TUNER, a value of switch.tune such as 'acc' or
'acc(model=mine.model)', with DCQCN without and with a sender window. A FILE is a scenario without [sweep];
it keeps its own host.cc. Without --scenario all built-in ones run: some 30 CPU minutes. Runs are plain sweeps
in OUT, and existing ones are kept, so further tuners can be added later.

A run has two costs: the p99 completion time of small flows, and the inverse of the goodput or the mean
completion time of large flows. For each scenario, senders and second cost the tool prints

  front    the constants that no other one beats in both costs; of neighbours within 1 % the first
  behind   max over constants of min over both costs of tuner / constant - 1: above 0 one constant is better in
           both by that much, below 0 every constant is worse in one of them by that much
  beyond   hypervolume that the tuner adds to that of the constants, in logarithms of the costs and per cent

and at the end how often a tuner is behind by more than 3 %. Means over seeds; +- is a 95 % confidence interval."""

import argparse
import csv
import math
import pathlib
import re
import subprocess
import sys

PAIRS = ((5, 50), (5, 200), (20, 200), (20, 1000), (50, 400), (100, 400), (100, 1600), (400, 1600), (400, 4000),
         (1000, 4000))
PERCENTS = (1, 5, 20, 50, 100)
SENDERS = {"none": "dcqcn(preset=hpcc)", "bdp": "dcqcn(preset=hpcc, window=bdp)"}
SECN1 = "5-200-1"
BEHIND = 0.03
STUDENT = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78}

# --- scenarios ---

RULES = """[switch]
marking = red
buffer = 10MB
buffer-per = switch
lossless = all
pfc-alpha = 1/8
[rdma]
cnp-interval = 4us
min-rate = 1Mbps
"""


def star(hosts, gbps, long):
    return f"""[network]
topology = star
hosts = {hosts}
rate = {gbps}Gbps
delay = 500ns
[traffic long]
pattern = many-to-one
receiver = 0
senders = {long}
size = unlimited
"""


def clos(gbps, load, senders, size_kb, incast):
    return f"""[network]
topology = leaf-spine
leaves = 8
spines = 4
hosts-per-leaf = 16
rate = {gbps}Gbps
fabric-rate = {4 * gbps}Gbps
delay = 1us
[traffic web]
pattern = all-to-all
sizes = websearch
load = {load}
[traffic incast]
pattern = incast
senders = {senders}
size = {size_kb}KB
load = {incast}
"""


def mice(load):
    return f"[traffic mice]\npattern = all-to-one\nreceiver = 0\nsize = 20KB\nload = {load}\n"


def bursts(senders, period_us, on_us, first_us, end_us):
    """Senders that start together every period and stop after on_us."""
    return "".join(
        f"[traffic burst{at}]\npattern = many-to-one\nreceiver = 0\nsenders = {senders}\nsize = unlimited\n"
        f"start = {at}us\nstop = {at + on_us}us\n" for at in range(first_us, end_us - on_us + 1, period_us))


def answers(name, senders, size_kb, period_us, first_us, rounds):
    """Messages of all senders at once, every period."""
    return (f"[traffic {name}]\npattern = incast\nreceiver = 0\nsenders = {senders}\nsize = {size_kb}KB\n"
            f"period = {period_us}us\nstart = {first_us}us\nflows = {senders * rounds}\nconnections = persistent\n")


def measure(first_ms, end_ms, drain="100ms"):
    return f"[measure]\nfrom = {first_ms}ms\nto = {end_ms}ms\ndrain = {drain}\nflows = none\nlarge = 1MB\n"


# The first block chose the constants of policy=constant, the margin and the weight; the others are held out.
SCENARIOS = {
    "bursts-40G": (star(25, 40, 4), mice(0.05), bursts(20, 8000, 1500, 5000, 155000), measure(5, 165)),
    "bursts-25G": (star(33, 25, 2), mice(0.05), bursts(28, 11000, 1000, 5000, 205000), measure(5, 215)),
    "bursts-100G": (star(33, 100, 6), mice(0.03), bursts(12, 9000, 3000, 5000, 100000), measure(5, 105)),
    "bursts-10G": (star(17, 10, 3), mice(0.05), bursts(14, 15000, 2000, 5000, 305000), measure(5, 315)),
    "regimes-40G": (
        star(25, 40, 3), mice(0.05), bursts(20, 5000, 1000, 65000, 125000),
        bursts(20, 5000, 1000, 185000, 245000), measure(5, 245)),
    "regimes-100G": (
        star(41, 100, 5), mice(0.03), bursts(30, 6000, 800, 45000, 85000),
        bursts(30, 6000, 800, 125000, 165000), measure(5, 165)),
    "regimes-25G": (
        star(21, 25, 3), mice(0.05), bursts(12, 10000, 4000, 5000, 105000),
        bursts(12, 10000, 4000, 205000, 305000), measure(5, 305)),
    "answers-100G": (
        star(41, 100, 4), answers("a", 40, 60, 3000, 5000, 20), answers("b", 12, 2000, 9000, 65000, 7),
        answers("c", 40, 60, 3000, 130000, 20), measure(5, 195)),
    "answers-25G": (
        star(25, 25, 3), answers("a", 24, 80, 5000, 5000, 16), answers("b", 8, 1500, 12000, 85000, 7),
        answers("c", 24, 80, 5000, 170000, 16), measure(5, 250)),
    "answers-50G": (
        star(33, 50, 6), answers("a", 8, 2000, 8000, 5000, 8), answers("b", 30, 50, 2000, 69000, 32),
        answers("c", 8, 2000, 8000, 133000, 8), measure(5, 197)),
    "steady-25G": (star(17, 25, 8), mice(0.05), measure(20, 180)),
    "steady-100G": (star(17, 100, 4), mice(0.03), measure(20, 100)),
    "clos-60": (clos(25, 0.6, 30, 50, 0.02), measure(1, 17, "1s")),
    "clos-40": (clos(25, 0.4, 60, 30, 0.03), measure(1, 17, "1s")),
    # held out, except that answers-80G and regimes-20G helped to choose margin and weight, and that the Clos
    # networks chose their constant
    "bursts-50G": (star(31, 50, 3), mice(0.04), bursts(26, 10000, 1200, 5000, 165000), measure(5, 165)),
    "bursts-15G": (star(21, 15, 5), mice(0.06), bursts(16, 12000, 2500, 5000, 245000), measure(5, 245)),
    "regimes-60G": (
        star(35, 60, 4), mice(0.04), bursts(24, 6000, 1000, 5000, 65000),
        bursts(24, 6000, 1000, 125000, 185000), measure(5, 245)),
    "regimes-20G": (
        star(25, 20, 2), mice(0.06), bursts(18, 9000, 1500, 85000, 165000),
        bursts(18, 9000, 1500, 245000, 325000), measure(5, 325)),
    "answers-40G": (
        star(33, 40, 4), answers("a", 30, 60, 4000, 5000, 20), answers("b", 10, 1200, 10000, 85000, 8),
        answers("c", 30, 60, 4000, 170000, 20), measure(5, 250)),
    "answers-80G": (
        star(37, 80, 5), answers("a", 10, 2000, 9000, 5000, 8), answers("b", 36, 60, 3000, 80000, 25),
        answers("c", 10, 2000, 9000, 160000, 8), measure(5, 235)),
    "steady-50G": (star(17, 50, 6), mice(0.04), measure(20, 140)),
    "clos-50": (clos(25, 0.5, 45, 40, 0.03), measure(1, 9, "1s")),
    "closfast-60": (clos(100, 0.6, 40, 40, 0.02), measure(1, 4, "1s")),
    # run when everything was fixed
    "regimes-80G": (
        star(33, 80, 3), mice(0.03), bursts(26, 7000, 1200, 45000, 85000),
        bursts(26, 7000, 1200, 125000, 165000), measure(5, 165)),
    "answers-60G": (
        star(33, 60, 3), answers("a", 32, 50, 3500, 5000, 18), answers("b", 9, 1800, 9000, 70000, 7),
        answers("c", 32, 50, 3500, 135000, 18), measure(5, 200)),
}
CHANGING = ("regimes", "answers", "bursts")  # their best setting changes within the run


def text_of(name):
    return RULES + "".join(SCENARIOS[name])


# --- runs ---


def constants():
    return [f"fixed(min={low}KB, max={high}KB, p={p}%)" for low, high in PAIRS for p in PERCENTS]


def label(tune):
    """A case's name: a constant as K_min-K_max-P in KB and per cent, others as they are but for punctuation."""
    constant = re.fullmatch(r"fixed\(min=(\d+)KB, max=(\d+)KB, p=(\d+)%\)", tune)
    return "-".join(constant.groups()) if constant else re.sub(r"[^A-Za-z0-9]+", "-", tune).strip("-")


def run(options, name, text):
    """Runs a scenario with all tuners; returns {(senders, case): [row of runs.csv]}."""
    out = pathlib.Path(options.out)
    tunes = {label(tune): tune for tune in constants() + options.tuners}
    text += "".join(f"[case {case}]\nswitch.tune = {tune}\n" for case, tune in tunes.items())
    text += f"[sweep]\nseed = {options.seeds}\ncase = {', '.join(tunes)}\n"
    if name in SCENARIOS:
        text += f"host.cc = {', '.join(SENDERS.values())}\n"
    ini, results, table = (out / f"{name}{end}" for end in (".ini", ".results", ".csv"))
    ini.write_text(text)
    jobs = ["--jobs", str(options.jobs)] if options.jobs else []
    subprocess.run([options.weir, "run", ini, "--out", results, "--quiet", *jobs], check=True)
    subprocess.run([options.weir, "export", results, "--csv", table], check=True, stdout=subprocess.DEVNULL)
    found = {}
    with open(table / "runs.csv", newline="") as file:
        for row in csv.DictReader(file):
            senders = "bdp" if "window=bdp" in row.get("host.cc", "") else "none"
            if row["case"] in tunes:  # others are of earlier calls
                found.setdefault((senders if name in SCENARIOS else "as given", row["case"]), []).append(row)
    return found


# --- fronts ---


class Point:
    """A tuner in a scenario: means over seeds of its costs, and intervals in per cent."""

    def __init__(self, rows, cost):
        def values(metric, sign):
            return [float(r[metric]) ** sign for r in rows if r.get(metric)]

        small = values("fct_small_p99_ns", 1)
        other = values("goodput_bps", -1) if cost == "goodput" else values("fct_large_mean_ns", 1)
        self.costs = [sum(v) / len(v) if v else math.nan for v in (small, other)]
        self.spread = [self.interval(v) for v in (small, other)]

    @staticmethod
    def interval(values):
        n = len(values)
        if n < 2:
            return math.nan
        mean = sum(values) / n
        deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
        return 100 * STUDENT.get(n, 2.5) * deviation / math.sqrt(n) / mean


def ratio(a, b):
    return min(x / y for x, y in zip(a.costs, b.costs)) - 1


def behind(point, others):
    return max(ratio(point, other) for other in others)


def hypervolume(points, worst):
    """Area in logarithms of costs between the points' front and the worst corner."""
    area, floor = 0.0, math.log(worst[1])
    for x, y in sorted((math.log(p.costs[0]), math.log(p.costs[1])) for p in points):
        if y < floor and x < math.log(worst[0]):
            area += (math.log(worst[0]) - x) * (floor - y)
            floor = y
    return area


def unit(cost, value):
    return f"{1e-9 / value:.2f} Gb/s" if cost == "goodput" else f"{value / 1e6:.2f} ms"


def judge(name, senders, cost, runs, totals):
    points = {tune: Point(rows, cost) for (of, tune), rows in runs.items() if of == senders}
    if any(math.isnan(c) for p in points.values() for c in p.costs):
        return
    front = {t: p for t, p in points.items() if re.fullmatch(r"\d+-\d+-\d+", t)}
    worst = [max(p.costs[i] for p in front.values()) for i in (0, 1)]
    area = hypervolume(front.values(), worst)
    best = sorted((t for t in front if behind(front[t], [p for o, p in front.items() if o != t]) <= 0),
                  key=lambda t: front[t].costs[0])
    print(f"\n{name}, window {senders}: p99 of small flows against "
          f"{'goodput' if cost == 'goodput' else 'mean of large flows'}")
    shown = []  # one of those that cost the same within 1 %
    for t in best:
        if not shown or max(abs(x / y - 1) for x, y in zip(front[t].costs, front[shown[-1]].costs)) > 0.01:
            shown.append(t)
    print("  front: " + "; ".join(f"{t} {front[t].costs[0] / 1e3:.0f} us {unit(cost, front[t].costs[1])}" for t in shown))
    for tune, p in points.items():
        if tune in front and tune != SECN1:
            continue
        others = [q for o, q in front.items() if o != tune]
        more = 100 * (hypervolume([*front.values(), p], worst) / area - 1) if area else 0.0
        print(f"  {tune:40} {p.costs[0] / 1e3:8.0f} us +-{p.spread[0]:3.0f} %  {unit(cost, p.costs[1]):>12} "
              f"+-{p.spread[1]:3.0f} %  behind {behind(p, others):+.3f}  beyond {more:4.1f} %")
        cell = totals.setdefault(tune, {})
        cell[name, senders] = max(cell.get((name, senders), -1), behind(p, others))


def report(totals):
    print(f"\n{'tuner':40} behind by more than 3 % | worst | best | ahead of every constant, changing traffic")
    for tune, cells in totals.items():
        changing = [v for (name, _), v in cells.items() if name.startswith(CHANGING)]
        print(f"{tune:40} {sum(v > BEHIND for v in cells.values())} of {len(cells)} | {max(cells.values()):+.2f} | "
              f"{min(cells.values()):+.2f} | {sum(v < 0 for v in changing)} of {len(changing)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?")
    parser.add_argument("tuners", nargs="*")
    parser.add_argument("--scenario", action="append", default=[])
    parser.add_argument("--seeds", default="1..3")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--weir", default="./weir")
    parser.add_argument("--show")
    options = parser.parse_args()
    if options.show:
        if options.show not in SCENARIOS:
            sys.exit(f"acc-proof.py: --show {options.show}: built in are {', '.join(SCENARIOS)}")
        print(text_of(options.show), end="")
        return
    if not options.out:
        parser.error("OUT is missing")
    pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)
    totals = {}
    for scenario in options.scenario or SCENARIOS:
        file = pathlib.Path(scenario)
        if scenario not in SCENARIOS and not file.is_file():
            sys.exit(f"acc-proof.py: --scenario {scenario}: no such file; built in are {', '.join(SCENARIOS)}")
        name = scenario if scenario in SCENARIOS else file.stem
        runs = run(options, name, text_of(name) if scenario in SCENARIOS else file.read_text())
        for senders in dict.fromkeys(of for of, _ in runs):
            for cost in ("goodput", "large"):
                judge(name, senders, cost, runs, totals)
    report(totals)


if __name__ == "__main__":
    main()
