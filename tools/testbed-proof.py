#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""testbed-proof.py [WORD...] -- compares real with simulated packets: runs scenarios with weir testbed --both and
prints the tables of docs/results/testbed.md.

Every case runs REPEAT times (default 3) with different seeds; a cell has the real median, the simulated one,
and their ratio. WORDs select the cases whose name has one of them. A run that the machine held up is repeated,
up to TRIES times in all; a row ends with the number of these, and with "!" if the last was held up, too.
Needs root; WEIR (./weir) is the program. The machine should be idle; its load is printed."""
import json, os, platform, shutil, statistics, subprocess, sys, tempfile, time

WEIR = os.environ.get("WEIR", "./weir")
REPEAT = int(os.environ.get("REPEAT", "3"))
TRIES = 5
STAR, QUEUES = "scenarios/testbed.ini", "scenarios/testbed-queues.ini"
METRICS = (("queue_mean_pkts", "mean queue", 1), ("queue_p99_pkts", "p99 queue", 1), ("goodput_bps", "goodput, Mb/s", 1e-6),
           ("mark_fraction", "marked", 1), ("jain", "Jain", 1))
# Tolerated relative difference between the worlds; larger for p99, a whole number of packets.
GOALS = {"queue_mean_pkts": 0.15, "queue_p99_pkts": 0.25, "goodput_bps": 0.15, "mark_fraction": 0.15}
MARKINGS = ("ecn(k=20pkts)", "red(min=10pkts, max=30pkts, p=0.1)", "tcn(threshold=2ms)", "codel(target=1ms, interval=10ms)",
            "codel(target=2ms, interval=10ms)", "pred", "diffecn(rtt=3ms)")
FABRICS = {
    "dumbbell": ("network.topology=dumbbell", "network.left-hosts=1", "network.right-hosts=8"),
    "leaf-spine": ("network.topology=leaf-spine", "network.leaves=2", "network.spines=2", "network.hosts-per-leaf=5"),
}


def cases():
    for marking in MARKINGS:
        for flows in (2, 4, 8):
            yield "%s, %d flows" % (marking, flows), STAR, ("switch.marking=" + marking, "sweep.traffic.long.senders=%d" % flows)
    for name, settings in FABRICS.items():
        yield "%s, ecn(k=20pkts), 8 flows" % name, "fabric", settings
    for case in ("dwrr-mq-ecn", "wfq-ecn", "sp-wfq-tcn"):
        yield "queues: " + case, QUEUES, ("sweep.case=" + case,)


def scenario(file, folder):
    """The star's scenario without its [network], for fabrics."""
    if file != "fabric":
        return file
    text = open(STAR).read().replace("topology = star\nhosts = 9\n", "topology = dumbbell\n").replace("2, 4, 8", "8")
    path = os.path.join(folder, "fabric.ini")
    open(path, "w").write(text)
    return path


def run(file, settings, seed):
    """The exported runs of both worlds, and how often the real one was repeated."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        command = [WEIR, "testbed", scenario(file, folder), "--both", "--quiet", "--tries", str(TRIES), "--out", out]
        for s in settings + ("seed=%d" % seed,):
            command += ["--set", s]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        runs = json.loads(subprocess.run([WEIR, "export", out, "--json", "-"], capture_output=True, text=True, check=True).stdout)["runs"]
    worlds = {r["settings"].get("world", "simulated"): r for r in runs}
    return worlds["real"], worlds["simulated"], done.stderr.count("it is repeated")


def shares(run):
    """The share of each section in the payload received in the measured interval."""
    sums = {s["name"].split(":")[1]: sum(v for t, v in zip(s["time_ps"], s["value"]) if t > 5e11) for s in run["series"]
            if s["name"].startswith("throughput traffic:")}
    return {name: value / sum(sums.values()) for name, value in sums.items()}


def cell(pairs, scale):
    real, simulated = (statistics.median(values) * scale for values in zip(*pairs))
    return "%.4g / %.4g | %.2f" % (real, simulated, real / simulated if simulated else float("nan")), real, simulated


def row(name, file, settings):
    done = [run(file, settings, seed) for seed in range(1, REPEAT + 1)]
    line, off = "| %s |" % name, []
    for metric, title, scale in METRICS:
        pairs = [(r["metrics"][metric], s["metrics"][metric]) for r, s, _ in done]
        text, real, simulated = cell(pairs, scale)
        line += " %s |" % text
        if metric in GOALS and abs(real - simulated) > GOALS[metric] * simulated:
            off.append(title)
    if file == QUEUES:
        first, second = ([shares(d[world]) for d in done] for world in (0, 1))
        for section in first[0]:
            a, b = (statistics.median(s[section] for s in x) for x in (first, second))
            line += " %s %.1f %% / %.1f %%;" % (section, 100 * a, 100 * b)
            if abs(a - b) > 0.03:
                off.append("share of " + section)
    again = sum(d[2] for d in done)
    print(line + (" beyond the goal: " + ", ".join(off) if off else "") + (" %d again" % again if again else "") +
          (" !" if any(d[0]["held_up"] for d in done) else ""), flush=True)
    return not off


def main():
    words = sys.argv[1:]
    print("%s, Linux %s, %d cores, load %s at the start; %d runs each, medians; real / simulated, ratio" %
          (time.strftime("%Y-%m-%d"), platform.release(), os.cpu_count(), open("/proc/loadavg").read().split()[0], REPEAT))
    print("| case |" + "".join(" %s | |" % title for _, title, _ in METRICS) + " |")
    print("|---" * (2 + 2 * len(METRICS)) + "|")
    good = [row(*c) for c in cases() if not words or any(w in c[0] for w in words)]
    print("%d of %d cases within 15 %% (p99 queue 25 %%, shares 3 points); load %s at the end" %
          (sum(good), len(good), open("/proc/loadavg").read().split()[0]))


main()
