#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mutants.py -- mutation testing with a kept list of mistakes: do the tests notice them?

	tools/mutants.py [--check] [--all] [--fresh] [--root DIR] [WORD...]

A mutant is a small mistake in one file, listed in tests/mutants/*.txt with the tests that must fail because of it. The runner
applies one mutant at a time to a copy of the tree (build/mutants/tree), builds what depends on the changed file, runs the named tests
and restores the file. An entry is a paragraph:

	codel-interval-halved                  its name
	file lib/mark/codel.c                  the mutated file
	breaks CoDel counts ...                what the mistake does, for readers
	test codel red                         words for weir-test, or one tests/.../NAME.sh; the line may be repeated
	only test_red                          in place of test, for a header that everything includes: the file of tests that
	                                       alone is compiled with the mistake
	survives WHY                           only where no test can notice: the reason
	- a piece of a line                    the original text, which occurs exactly once in the file
	+ another piece of a line              what it becomes

Several '-' lines are consecutive lines of the file; neither their indentation nor blank lines between them matter. Lines with '#' are comments.

--check only verifies that the list is well formed and that each original text still occurs; nothing is built. --all also runs every test of
weir-test on a mutant that its own tests let live. WORDs select the mutants whose name or file has one of them.

Verdicts are kept in build/mutants/verdicts: a run that was interrupted continues, and a killed mutant is not tried again until
its entry or its file changes; --fresh forgets them. A survivor is tried again each time, because tests may have been added.
The exit status is 1 when an entry does not apply or does not build, when a mutant survives without a reason, and when one
that has a reason is killed."""

import argparse
import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading

# Guards against mutants that loop or wait for ever, not measures of speed.
CPU_SECONDS, WALL_SECONDS = 15, 600
FIELDS = {"file", "breaks", "test", "only", "survives"}
ARCHIVES = ["build/release/libhouse.a", "build/release/libweir.a"]


class Mistake(Exception):
    """A mistake in an entry, with its file and line."""


class Mutant:
    def __init__(self, place, name):
        self.place, self.name = place, name
        self.file = self.breaks = self.only = self.survives = None
        self.tests, self.old, self.new = [], [], []

    def add(self, line):
        key, _, value = line.partition(" ")
        if key in ("-", "+"):
            (self.old if key == "-" else self.new).append(value.strip())
        elif key not in FIELDS or not value.strip():
            raise Mistake(f"{self.place}: {self.name}: '{line}' is none of file, breaks, test, only, survives, -, +")
        elif key == "test":
            self.tests.append(value.split())
        elif getattr(self, key):
            raise Mistake(f"{self.place}: {self.name}: a second '{key}'")
        else:
            setattr(self, key, value.strip())

    def check_whole(self):
        for key, value in (("file", self.file), ("breaks", self.breaks), ("test", self.tests or self.only), ("-", self.old)):
            if not value:
                raise Mistake(f"{self.place}: {self.name}: has no '{key}' line")
        if self.old == self.new:
            raise Mistake(f"{self.place}: {self.name}: changes nothing")

    def apply(self, text):
        """The text of the file with the mistake applied."""
        pattern = r"\s*\n\s*".join(re.escape(line) for line in self.old)
        found = [m.span() for m in re.finditer(pattern, text)]
        if len(found) != 1:
            raise Mistake(f"{self.place}: {self.name}: its text occurs {len(found)} times in {self.file}; it must occur once")
        start, end = found[0]
        return text[:start] + "\n".join(self.new) + text[end:]

    def digest(self, text):
        parts = [self.file, text, repr(self.tests), repr(self.only), repr(self.old), repr(self.new)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def read_list(path, root):
    mutants, current = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            current = None
        elif current is None:
            current = Mutant(f"{path.relative_to(root)}:{number}", line.strip())
            mutants.append(current)
        else:
            current.add(line)
    return mutants


def read_lists(root):
    mutants = [m for path in sorted((root / "tests/mutants").glob("*.txt")) for m in read_list(path, root)]
    names = set()
    for m in mutants:
        m.check_whole()
        if m.name in names:
            raise Mistake(f"{m.place}: {m.name}: the name is taken")
        names.add(m.name)
        if not (root / m.file).is_file():
            raise Mistake(f"{m.place}: {m.name}: {m.file}: no such file")
        for word in (words[0] for words in m.tests if words[0].endswith(".sh")):
            if not (root / word).is_file():
                raise Mistake(f"{m.place}: {m.name}: {word}: no such test")
    return mutants


def check(root, mutants):
    """Names the entries that do not apply; returns their number."""
    bad = 0
    for m in mutants:
        try:
            m.apply((root / m.file).read_text())
        except Mistake as e:
            print(e)
            bad += 1
    return bad


# --- the copy of the tree ---


def files_of(root):
    if (root / ".git").exists():
        listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], check=True, capture_output=True)
        names = [name.decode() for name in listed.stdout.split(b"\0") if name]
        return [name for name in names if (root / name).is_file()]
    return [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and p.relative_to(root).parts[0] != "build"]


def write_if_other(path, data):
    """Writes a file only if it differs, so that make builds only what changed."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def copy_tree(root, tree):
    wanted = set(files_of(root))
    if tree.exists():
        for name in files_of(tree):
            if name not in wanted and name != "weir":
                (tree / name).unlink()
    for name in wanted:
        write_if_other(tree / name, (root / name).read_bytes())
        shutil.copymode(root / name, tree / name)


# --- building and testing ---


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def run(tree, command, limited=True):
    """Exit status and output. A test is ended at its first failure; -1: it did not end in time."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    environment.update(CCACHE_NOHASHDIR="1", WEIR="./weir")
    output = []
    with subprocess.Popen(command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", start_new_session=True, preexec_fn=limit_cpu if limited else None) as process:
        guard = threading.Timer(WALL_SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        if limited:
            guard.start()
        for line in process.stdout:
            output.append(line)
            if limited and line.startswith("FAILED "):
                os.killpg(process.pid, signal.SIGKILL)
                break
        status = process.wait()
        guard.cancel()
    return -1 if status < 0 else status, "".join(output)


def build(tree, tests):
    targets = ["build/release/weir-test"] + (["weir"] if any(words[0].endswith(".sh") for words in tests) else [])
    return run(tree, ["make", "-s", "WERROR=", *targets], limited=False)


def first_failure(tree, words, program="build/release/weir-test"):
    """The name of the first test that fails; None if all pass."""
    script = words and words[0].endswith(".sh")
    status, output = run(tree, ["sh", words[0]] if script else [program, "-j1", *words])
    if status == 0:
        return None
    if script and status == 77:
        raise Mistake(f"{words[0]} is skipped here")
    if script:
        return words[0]
    failed = re.search(r"^FAILED (\S+)", output, re.M)
    return failed.group(1) if failed else "no end"


def kill(tree, tests, everything):
    for words in tests + ([["test_"]] if everything else []):
        by = first_failure(tree, words)
        if by:
            return by
    return None


def check_tests_hold(tree, mutants):
    """Runs the tests without a mutant: a test that fails anyway would kill every mutant."""
    for words in sorted({tuple(words) for m in mutants for words in m.tests or [[m.only]]}):
        by = first_failure(tree, list(words))
        if by:
            raise Mistake(f"test {' '.join(words)}: fails without any mutant ({by})")


def build_only(tree, name):
    """Builds one file of tests alone; other users of the changed header are not rebuilt."""
    old = [word for archive in ARCHIVES for word in ("-o", archive)]
    return run(tree, ["make", "-s", "WERROR=", *old, "build/release/only/" + name], limited=False)


def forget_only(tree, path, name, times):
    """Restores the header with its old time, so that nothing is rebuilt, and deletes what was built with the mistake."""
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    for made in [tree / "build/release/only" / name, *(tree / "build/release/tests").rglob(name + ".o")]:
        made.unlink(missing_ok=True)


def try_mutant(tree, m, everything):
    """(killed, survived or broken, the evidence)."""
    path = tree / m.file
    original, times = path.read_text(), path.stat()
    path.write_text(m.apply(original))
    try:
        status, output = build_only(tree, m.only) if m.only else build(tree, m.tests)
        if status != 0:
            return "broken", "does not build: " + output.strip().split("\n")[0]
        if m.only:
            by = first_failure(tree, [], "build/release/only/" + m.only)
        else:
            by = kill(tree, m.tests, everything)
        return ("killed", by) if by else ("survived", m.survives or "no reason given")
    finally:
        path.write_text(original)
        if m.only:
            forget_only(tree, path, m.only, times)


# --- all of them ---


def read_verdicts(path):
    rows = [line.split("\t") for line in path.read_text().splitlines()] if path.is_file() else []
    return {row[0]: row[2:] for row in rows if len(row) == 4}


def try_all(tree, kept, mutants, everything):
    known = read_verdicts(kept)
    digests = {m.name: m.digest((tree / m.file).read_text()) for m in mutants}
    left = [m for m in mutants if known.get(digests[m.name], [""])[0] != "killed"]
    verdicts = {m.name: known[digests[m.name]] for m in mutants if m not in left}
    if left:
        status, output = build(tree, [words for m in left for words in m.tests])
        if status != 0:
            raise Mistake("the tree does not build without any mutant:\n" + output)
        check_tests_hold(tree, left)
    for number, m in enumerate(left, 1):
        verdict, why = try_mutant(tree, m, everything)
        verdicts[m.name] = [verdict, why]
        with kept.open("a") as f:
            f.write(f"{digests[m.name]}\t{m.name}\t{verdict}\t{why}\n")
        print(f"[{number}/{len(left)}] {m.name}: {verdict} ({why})", flush=True)
    return verdicts


def report(mutants, verdicts):
    """Prints problems and the sum; returns the exit status."""
    count = {"killed": 0, "survived": 0, "broken": 0}
    wrong = 0
    for m in mutants:
        verdict, why = verdicts[m.name]
        count[verdict] += 1
        if verdict == "broken" or (verdict == "survived" and not m.survives):
            print(f"{m.place}: {m.name}: {verdict}: {m.breaks} ({why})")
            wrong += 1
        elif verdict == "killed" and m.survives:
            print(f"{m.place}: {m.name}: killed by {why}, but listed as a survivor: {m.survives}")
            wrong += 1
    share = 100 * count["killed"] / max(1, len(mutants))
    print(f"{count['killed']} killed ({share:.1f} %), {count['survived']} survived, {count['broken']} do not build, "
          f"of {len(mutants)}")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only: does each entry apply?")
    parser.add_argument("--all", action="store_true", help="run every test on a mutant that its own tests let live")
    parser.add_argument("--fresh", action="store_true", help="forget the kept verdicts")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent, help="the tree")
    parser.add_argument("word", nargs="*", help="only mutants whose name or file has one of these")
    o = parser.parse_args()
    root = o.root.resolve()
    mutants = [m for m in read_lists(root) if not o.word or any(w in m.name or w in m.file for w in o.word)]
    if not mutants:
        raise Mistake("no mutant has that in its name or file")
    bad = check(root, mutants)
    if bad or o.check:
        print(f"{len(mutants) - bad} of {len(mutants)} mutants apply")
        return 1 if bad else 0
    work = root / "build/mutants"
    work.mkdir(parents=True, exist_ok=True)
    if o.fresh:
        (work / "verdicts").unlink(missing_ok=True)
    copy_tree(root, work / "tree")
    return report(mutants, try_all(work / "tree", work / "verdicts", mutants, o.all))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Mistake as e:
        print(f"mutants: {e}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
