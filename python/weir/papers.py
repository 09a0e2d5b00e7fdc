# SPDX-License-Identifier: BSD-3-Clause
"""Figures of papers: what they claim, and the verdicts."""
from __future__ import annotations

import ctypes
import os
import subprocess
from typing import Any, Optional

from . import _library
from ._frames import Frame, optional
from .errors import ResultsError, RunError
from .results import Results


def _read(call: Any, *arguments: Optional[str]) -> Frame:
    head, error = ctypes.POINTER(_library.FrameHead)(), _library.ErrorBuffer()
    if call(*[None if one is None else one.encode() for one in arguments], head, error):
        raise ResultsError(error.message)
    return Frame(head)


def _figures() -> Frame:
    return _read(_library.load().weir_papers_read, _library.papers())


class Figure:
    """A figure of a paper: weir.paper("tcn/fig5").

    title, paper, about, scenario (its file), and claims: for each of the paper's statements and each size, what was
    expected, the verdict, what was measured, and whether that is of runs here or shipped with Weir.
    """

    def __init__(self, figure: str, out: str = "reproduction"):
        found = [row for row in _figures().rows() if row["figure"] == figure]
        if not found:
            _read(_library.load().weir_paper_claims, _library.papers(), figure, out)  # raises: names the figures
            raise ResultsError(f"'{figure}' is no figure")
        self.figure, self.out = figure, out
        self.title: str = found[0]["title"]
        self.paper: str = found[0]["paper"]
        self.about: str = found[0]["about"]
        self.scenario: str = found[0]["scenario"]

    def _claims(self) -> Frame:
        return _read(_library.load().weir_paper_claims, _library.papers(), self.figure, self.out)

    def rows(self) -> list[dict[str, Any]]:
        """The claims as dicts."""
        return self._claims().rows()

    @property
    def claims(self) -> Any:
        """The claims as a DataFrame; without pandas, as dicts."""
        return self._claims().pandas() if optional("pandas") else self.rows()

    def run(self, *, full: bool = False, jobs: Optional[int] = None, allow_plugins: bool = False) -> Results:
        """Runs what is missing of the figure, as `weir reproduce`, and returns its results. full: in the size of the
        paper, which may take hours."""
        argv = [_library.program(), "reproduce", self.figure, "--out", self.out]
        argv += ["--papers", _library.papers()] if _library.papers() else []
        argv += ["--full"] if full else []
        argv += ["--jobs", str(jobs)] if jobs is not None else []
        argv += ["--allow-plugins"] if allow_plugins else []
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise RunError(done.stderr.strip().removeprefix("weir: "), done.returncode)
        return self.results(full=full)

    def results(self, *, full: bool = False) -> Results:
        """The results of an earlier run of the figure."""
        return Results(os.path.join(self.out, self.figure + (".full" if full else "")))

    def __repr__(self) -> str:
        return f"weir.paper({self.figure!r}): {self.title}"


def paper(figure: str, out: str = "reproduction") -> Figure:
    """A figure of a paper by its label, "tcn/fig5". out: the result folder of `weir reproduce`."""
    return Figure(figure, out)


def papers() -> Any:
    """The figures of all papers as a DataFrame; without pandas, as dicts."""
    return _figures().pandas() if optional("pandas") else _figures().rows()
