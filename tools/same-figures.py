#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""same-figures.py -- compares the results of two programs for the figures of all papers.

	tools/same-figures.py OLD NEW FOLDER [--jobs N] [--papers DIR] [--discard] [FIGURE...]

OLD and NEW are programs, or folders with the results of one (weir reproduce --out). Programs run each figure
in quick size, from the same files, into FOLDER/old and FOLDER/new. Runs are matched by their settings and
compared: the rows of each table by a digest, and metrics one by one, except for costs. FOLDER/same.csv gets
a line for each figure, the cheapest first; the same command resumes and repeats nothing. --discard deletes
the runs of equal figures. The exit status is 1 if something differs, and 0 if everything is equal."""

import argparse
import csv
import hashlib
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

# Metrics that depend on the machine and its load.
OF_THE_MACHINE = {"cpu_seconds", "packet_hops_per_cpu_second", "peak_rss_bytes"}
# Tables compared by digests of their rows (flows, if both stores keep them). Metrics that both programs know
# are compared one by one.
TABLES = ("reason", "traffic", "flow", "port", "pauses", "series")


def version_of(program):
    if pathlib.Path(program).is_dir():
        return program
    return subprocess.run([program, "version"], check=True, capture_output=True, text=True).stdout.split()[1]


SECONDS = {"ms": 1e-3, "s": 1, "min": 60, "h": 3600}


def seconds_of(claims):
    """The time of its runs that the claims file states, for the order of figures."""
    found = re.search(r"^time\s*=\s*([0-9.]+)\s*(\w+)", claims.read_text(), re.M)
    return float(found[1]) * SECONDS.get(found[2], 1) if found else 0


def digest_of(store, table, run):
    """A digest of all rows of a run in a table. The store's own digests also cover the row number of the run, which
    depends on the order in which runs ended."""
    columns = [c[1] for c in store.execute(f"PRAGMA table_info({table})") if c[1] != "run"]
    names = ", ".join(columns)
    digest = hashlib.sha256()
    for row in store.execute(f"SELECT {names} FROM {table} WHERE run = ? ORDER BY {columns[0]}", (run,)):
        digest.update(repr(row).encode())
    return digest.hexdigest()


def runs_of(folder):
    """(settings, digests by table, metrics by name) of each run of the latest sweep."""
    runs = []
    if not (folder / "results.db").exists():
        return runs
    with sqlite3.connect(f"file:{folder / 'results.db'}?mode=ro", uri=True) as store:
        for (run,) in store.execute("SELECT id FROM run WHERE key IN (SELECT key FROM plan)").fetchall():
            settings = dict(store.execute("SELECT path, value FROM setting WHERE run = ?", (run,)))
            metrics = dict(store.execute("SELECT name, value FROM metric WHERE run = ?", (run,)))
            kept = [t for t in TABLES if t != "flow" or settings.get("measure.flows") != "none"]
            runs.append((settings, {t: digest_of(store, t, run) for t in kept}, metrics))
    return runs


def by_settings(runs, others):
    """Runs by the settings that both programs know; newer settings are at their defaults."""
    known = {path for settings, _, _ in others for path in settings}
    return {tuple(sorted(s for s in settings.items() if s[0] in known)): (tables, metrics) for settings, tables, metrics in runs}


def compare(old_runs, new_runs):
    """The number of runs, and the names of everything that differs in some of them."""
    old, new = by_settings(old_runs, new_runs), by_settings(new_runs, old_runs)
    differs = set()
    if old.keys() != new.keys() or len(new) != len(new_runs) or not new:
        differs.add("which runs there are")
    for settings in old.keys() & new.keys():
        (tables, metrics), (tables_after, metrics_after) = old[settings], new[settings]
        differs |= {t for t in tables.keys() & tables_after.keys() if tables[t] != tables_after[t]}
        differs |= {m for m in (metrics.keys() & metrics_after.keys()) - OF_THE_MACHINE if metrics[m] != metrics_after[m]}
    return len(new), sorted(differs)


def store_of(program, name, figure, arguments):
    """The folder with the results of a figure, made first if OLD or NEW is a program."""
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
