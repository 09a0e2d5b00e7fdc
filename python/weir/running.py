# SPDX-License-Identifier: BSD-3-Clause
"""Runs and sweeps: the program executes them, in processes of its own, and stores each run whole."""
from __future__ import annotations

import ctypes
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from pathlib import Path
from typing import Any, Callable, Optional, Union

from . import _library, values
from .errors import Interrupted
from .results import Results
from .scenario import Scenario, Source, options

Progress = Union[bool, Callable[[int, int], None]]

EXIT_INTERRUPTED = 130
POLL_SECONDS = 0.1
PROGRESS_SECONDS = 0.5


def progress_of(folder: str) -> Optional[tuple[int, int]]:
    """Runs that are stored and runs of the latest sweep into a folder; None: there is none yet."""
    if not (Path(folder) / "results.db").is_file():
        return None
    planned, done, error = ctypes.c_uint64(), ctypes.c_uint64(), _library.ErrorBuffer()
    if _library.load().weir_results_progress(folder.encode(), planned, done, error):
        return None  # being created
    return done.value, planned.value


class _Display:
    """Shows progress while the program runs."""

    def __init__(self, progress: Progress, folder: str):
        self._progress, self._folder = progress, folder
        self._shown: Optional[tuple[int, int]] = None
        self._next = time.monotonic() + PROGRESS_SECONDS
        self._line = ""

    def show(self, last: bool = False) -> None:
        if not self._progress or (not last and time.monotonic() < self._next):
            return
        self._next = time.monotonic() + PROGRESS_SECONDS
        at = progress_of(self._folder)
        if at is None or at == self._shown:
            return
        self._shown = at
        if callable(self._progress):
            self._progress(*at)
        else:
            self._line = f"\rweir: {at[0]} of {at[1]} runs"
            print(self._line, end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        self.show(last=True)
        if self._line:
            print(file=sys.stderr)


def _execute(scenario: Scenario, arguments: list[str], folder: str, progress: Progress) -> None:
    """Runs the program to its end. On any exception here, Ctrl-C included, the program is stopped first: runs that
    have ended stay stored. It has a session of its own, so that Ctrl-C reaches it once and through here."""
    display = _Display(progress, folder)
    with scenario.path() as path, tempfile.TemporaryFile() as log:
        argv = [_library.program(), "run", path, "--out", folder, "--quiet"] + arguments
        program = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True
        )
        try:
            while True:
                try:
                    status = program.wait(POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    display.show()
        except BaseException as problem:
            program.send_signal(signal.SIGINT)
            program.wait()
            display.end()
            if isinstance(problem, KeyboardInterrupt):
                raise _interrupted(folder) from None
            raise
        display.end()
        if status == EXIT_INTERRUPTED:
            raise _interrupted(folder)
        if status:
            log.seek(0)
            raise scenario.error(log.read().decode("utf-8", "replace"), status, path)


def _interrupted(folder: str) -> Interrupted:
    done, planned = progress_of(folder) or (0, 0)
    return Interrupted(
        f"interrupted; {done} of {planned} runs are stored in {folder}; the same call continues", folder
    )


def _settings(settings: Optional[values.Settings], more: dict[str, Any]) -> dict[str, Any]:
    """The settings of a call: short forms have the paths that they stand for."""
    short = {"marking": "switch.marking", "scheduler": "switch.scheduler", "cc": "host.cc"}
    merged = dict(settings or {})
    merged.update({short.get(key, key): value for key, value in more.items() if value is not None})
    return merged


def _call(scenario: Scenario, arguments: list[str], out: Optional[str], progress: Progress) -> Results:
    """Executes, and opens the results. Without a folder they are in a temporary one, deleted with the Results."""
    if out is not None:
        _execute(scenario, arguments, out, progress)
        return Results(out)
    temporary = tempfile.mkdtemp(prefix="weir-")
    try:
        _execute(scenario, arguments, temporary, progress)
        results = Results(temporary)
    except BaseException as problem:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(problem, Interrupted):
            raise Interrupted("interrupted; nothing is kept without out=, a result folder", "") from None
        raise
    weakref.finalize(results, shutil.rmtree, temporary, ignore_errors=True)
    return results


def _common(full: bool, allow_plugins: bool, threads: Optional[int]) -> list[str]:
    arguments = ["--full"] if full else []
    arguments += ["--allow-plugins"] if allow_plugins else []
    return arguments + (["--threads", str(threads)] if threads is not None else [])


def run(
    scenario: Source,
    settings: Optional[values.Settings] = None,
    *,
    seed: Optional[int] = None,
    marking: Optional[str] = None,
    scheduler: Optional[str] = None,
    cc: Optional[str] = None,
    out: Optional[str] = None,
    threads: Optional[int] = None,
    full: bool = False,
    allow_plugins: bool = False,
    **more: Any,
) -> Results:
    """Runs a scenario once and returns its results.

        weir.run("mine.ini", seed=3, marking="tcn")
        weir.run("mine.ini", {"network.hosts": 17, "traffic.web.load": 0.5})

    settings -- settings by their paths, as --set; also as **{"network.hosts": 17}
    out      -- a result folder to keep the run in; without it, it goes with the Results object
    threads  -- threads of the run; results do not depend on it
    """
    read = Scenario(scenario, check=False)
    if read.is_sweep:
        raise ValueError(f"{read.name} has a [sweep] or cases, which are several runs: use weir.sweep")
    chosen = _settings(settings, {"seed": seed, "marking": marking, "scheduler": scheduler, "cc": cc, **more})
    return _call(read, options(chosen) + _common(full, allow_plugins, threads), out, False)


def sweep(
    scenario: Source,
    values_of: Optional[values.Settings] = None,
    *,
    settings: Optional[values.Settings] = None,
    out: Optional[str] = None,
    jobs: Optional[int] = None,
    threads: Optional[int] = None,
    again: bool = False,
    full: bool = False,
    allow_plugins: bool = False,
    progress: Progress = True,
) -> Results:
    """Runs all combinations of a [sweep], in parallel processes, and returns the results.

        weir.sweep("mine.ini", {"switch.marking": ["none", "tcn"], "seed": range(1, 6)}, out="mine.results")

    values_of -- lists of values by the paths of their settings; they replace those of the file's [sweep]
    settings  -- settings of all runs
    out       -- the result folder. Runs that it has are not repeated, so an interrupted sweep continues by the same
                 call. Without it, a file mine.ini has mine.results in the current directory, and other scenarios
                 a temporary folder, which goes with the Results object
    jobs      -- parallel runs; one per core unless given
    again     -- True repeats runs that are in the folder
    progress  -- True prints "12 of 40 runs" on stderr; a function is called with both numbers; False: neither

    Ctrl-C raises weir.Interrupted, a KeyboardInterrupt; runs that have ended are stored.
    """
    read = Scenario(scenario, check=False)
    arguments = []
    for path, several in (values_of or {}).items():
        arguments += ["--set", f"sweep.{path}={values.listed(several)}"]
    arguments += options(settings) + _common(full, allow_plugins, threads)
    arguments += ["--jobs", str(jobs)] if jobs is not None else []
    arguments += ["--again"] if again else []
    if out is None and read.file is not None:
        out = Path(read.file).name.removesuffix(".ini") + (".full" if full else "") + ".results"
    return _call(read, arguments, out, progress)
