#!/usr/bin/env python3
"""same-figures.py -- do two programs give the same results for the figures of all papers?

	tools/same-figures.py OLD NEW FOLDER [--jobs N] [--papers DIR] [--discard] [FIGURE...]

OLD and NEW are programs, or folders with the results of one (weir reproduce --out). Each figure is run in quick size by programs, from the
same files, into FOLDER/old and FOLDER/new; then every run is
looked for in both stores by its settings, and compared: the rows of each table by the digest that the store keeps of them, and
metrics one by one, but for those that are of the machine. What came out is a line of FOLDER/same.csv for each figure, the cheapest
first; the same command goes on where it was interrupted, and does nothing twice. --discard deletes what was run for a figure that is
the same. The exit status is 1 where something differs, and 0 where all that was asked for is the same."""

import argparse
import csv
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

# What depends on the machine and on what else it does.
OF_THE_MACHINE = {"cpu_seconds", "packet_hops_per_cpu_second", "peak_rss_bytes"}
# Which program it was and how long it took; and metrics, which are looked at one by one.
NOT_BY_DIGEST = {"run", "metric"}


def version_of(program):
    if pathlib.Path(program).is_dir():
        return program
    return subprocess.run([program, "version"], check=True, capture_output=True, text=True).stdout.split()[1]


SECONDS = {"ms": 1e-3, "s": 1, "min": 60, "h": 3600}


def seconds_of(claims):
    """What the file says of how long its runs take, for the order of figures."""
    found = re.search(r"^time\s*=\s*([0-9.]+)\s*(\w+)", claims.read_text(), re.M)
    return float(found[1]) * SECONDS.get(found[2], 1) if found else 0


def runs_of(folder):
    """Settings of each run of the latest sweep -> (digests by part, metrics by name)."""
    runs = {}
    if not (folder / "results.db").exists():
        return runs
    with sqlite3.connect(f"file:{folder / 'results.db'}?mode=ro", uri=True) as store:
        for (run,) in store.execute("SELECT id FROM run WHERE key IN (SELECT key FROM plan)").fetchall():
            settings = tuple(store.execute("SELECT path, value FROM setting WHERE run = ? ORDER BY path", (run,)))
            digests = dict(store.execute("SELECT part, digest FROM digest WHERE run = ?", (run,)))
            metrics = dict(store.execute("SELECT name, value FROM metric WHERE run = ?", (run,)))
            runs[settings] = digests, metrics
    return runs


def compare(old, new):
    """How many runs there are, and the names of whatever is not the same in some of them."""
    differs = set()
    if old.keys() != new.keys() or not new:
        differs.add("which runs there are")
    for settings in old.keys() & new.keys():
        for before, after, skipped in zip(old[settings], new[settings], (NOT_BY_DIGEST, OF_THE_MACHINE)):
            differs |= {name for name in before.keys() | after.keys()
                        if name not in skipped and before.get(name, "none") != after.get(name, "none")}
    return len(new), sorted(differs)


def store_of(program, name, figure, arguments):
    """Where the results of a figure are; a program makes them first."""
    if pathlib.Path(program).is_dir():
        return pathlib.Path(program) / figure
    folder = arguments.folder / name
    done = subprocess.run([program, "reproduce", figure, "--papers", arguments.papers, "--out", folder, "--jobs",
                           str(arguments.jobs)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program} reproduce {figure}: {done.stderr.strip()}")
    return folder / figure


def main():
    parser = argparse.ArgumentParser(description="compares the results of two programs, figure by figure")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("figures", nargs="*", help="PAPER/FIGURE; all unless given")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--papers", default="scenarios/papers")
    parser.add_argument("--discard", action="store_true")
    arguments = parser.parse_intermixed_args()
    programs = {"old": arguments.old, "new": arguments.new}
    versions = [version_of(p) for p in programs.values()]
    table = arguments.folder / "same.csv"
    arguments.folder.mkdir(parents=True, exist_ok=True)
    known = {}
    if table.exists():
        for row in csv.DictReader(table.open()):
            if [row["old"], row["new"]] == versions:
                known[row["figure"]] = row["differs"]
    else:
        table.write_text("figure,runs,differs,old,new\n")
    files = sorted(pathlib.Path(arguments.papers).glob("*/*.claims"), key=seconds_of)
    figures = arguments.figures or [f"{f.parent.name}/{f.stem}" for f in files]
    for number, figure in enumerate(figures, 1):
        if figure not in known:
            stores = [store_of(program, name, figure, arguments) for name, program in programs.items()]
            count, differs = compare(*map(runs_of, stores))
            known[figure] = " ".join(differs)
            with table.open("a") as f:
                csv.writer(f, lineterminator="\n").writerow([figure, count, known[figure], *versions])
            for name in programs if arguments.discard and not differs else []:
                shutil.rmtree(arguments.folder / name / figure, ignore_errors=True)
        print(f"{number:3}/{len(figures)} {figure:20} {'differs: ' + known[figure] if known[figure] else 'the same'}", flush=True)
    others = [f for f in figures if known[f]]
    print(f"{len(figures) - len(others)} of {len(figures)} figures are the same" + (": not " + ", ".join(others) if others else ""))
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
