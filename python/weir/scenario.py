# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios: from a file, from text, or from a dict."""
from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional, Union

from . import _library, values
from .errors import Error, RunError, ScenarioError

Source = Union[str, "os.PathLike[str]", Mapping[str, Any], "Scenario"]

EXIT_MISTAKE = 2

_SEVERAL = re.compile(r"^\s*\[\s*(?:sweep|case)\b", re.MULTILINE)


def _write_section(lines: list[str], name: str, keys: Mapping[str, Any]) -> None:
    nested = {key: value for key, value in keys.items() if isinstance(value, Mapping)}
    if len(nested) < len(keys) or not keys:
        lines.append(f"[{name}]")
    for key, value in keys.items():
        if key in nested:
            continue
        if name == "sweep":
            lines.append(f"{key} = {values.listed(value)}")
        elif not isinstance(value, str) and isinstance(value, Iterable):
            lines.extend(f"{key} = {values.text(one)}" for one in value)
        else:
            lines.append(f"{key} = {values.text(value)}")
    for key, value in nested.items():
        _write_section(lines, f"{name} {key}", value)


def text_of(tree: Mapping[str, Any]) -> str:
    """The scenario file of a dict: {"network": {"hosts": 9}, "traffic": {"web": {...}}, "seed": 1}.

    A key with a dict is a section, "traffic": {"web": {...}} is [traffic web]. A list is several lines of a key,
    and in "sweep" the values of a setting. "title" is the first comment.
    """
    lines: list[str] = []
    if "title" in tree:
        lines.append(f"# {tree['title']}")
    lines.extend(
        f"{key} = {values.text(value)}"
        for key, value in tree.items()
        if key != "title" and not isinstance(value, Mapping)
    )
    for key, value in tree.items():
        if isinstance(value, Mapping):
            _write_section(lines, key, value)
    return "\n".join(lines) + "\n"


class Scenario:
    """A scenario, checked when it is made: a mistake is a ScenarioError with file, line and what is allowed.

        weir.Scenario("mine.ini")                       a file
        weir.Scenario("[network]\\ntopology = star\\n")   text: anything with a line end
        weir.Scenario({"network": {"topology": "star"}, "traffic": {"web": {"pattern": "incast"}}})

    Files that a scenario names are found from the current directory, as by the program.
    """

    def __init__(self, source: Source, *, name: str = "scenario", check: bool = True):
        """name: what messages call a scenario that is no file. check: False leaves checking to the run."""
        self.file: Optional[str] = None
        self.name = name
        if isinstance(source, Scenario):
            self.file, self.name, self.text = source.file, source.name, source.text
        elif isinstance(source, Mapping):
            self.text = text_of(source)
        elif isinstance(source, str) and "\n" in source:
            self.text = source
        else:
            self.file = os.fspath(source)
            self.name = self.file
            self.text = self._read_file(self.file)
        if check:
            self.check()

    @staticmethod
    def _read_file(file: str) -> str:
        try:
            return Path(file).read_text(encoding="utf-8", errors="surrogateescape")
        except OSError as problem:
            raise ScenarioError(f"{file}: {problem.strerror}") from None

    @property
    def is_sweep(self) -> bool:
        """Does it stand for several runs, by a [sweep] or by cases?"""
        return _SEVERAL.search(self.text) is not None

    def check(self, settings: Optional[values.Settings] = None) -> str:
        """What `weir check` says: it reads and builds the scenario, and runs nothing, no plug-in either."""
        with self.path() as path:
            argv = [_library.program(), "check", path] + options(settings)
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
            if done.returncode:
                raise self.error(done.stderr, done.returncode, path)
        return done.stdout.replace(path, self.name)

    @contextmanager
    def path(self) -> Iterator[str]:
        """A file with the scenario, for the program; temporary where it was given as text."""
        if self.file is not None:
            yield self.file
            return
        with tempfile.TemporaryDirectory(prefix="weir-") as folder:
            path = os.path.join(folder, "scenario.ini")
            Path(path).write_text(self.text, encoding="utf-8", errors="surrogateescape")
            yield path

    def error(self, stderr: str, status: int, path: str) -> Error:
        """The exception for what the program printed about the scenario, which it read from `path`."""
        lines = [line[len("weir: "):] for line in stderr.splitlines() if line.startswith("weir: ")]
        message = ("\n".join(lines) or stderr.strip() or f"weir ended with status {status}").replace(path, self.name)
        if status != EXIT_MISTAKE:
            return RunError(message, status)
        return self.locate(ScenarioError(message))

    def locate(self, error: ScenarioError) -> ScenarioError:
        """Adds the text of the line, and the line itself to the message where the scenario is no file."""
        lines = self.text.split("\n")
        if error.line and error.file == self.name and error.line <= len(lines):
            error.source = lines[error.line - 1].strip()
            if self.file is None:
                error.args = (f"{error.message}\n    {error.line}: {error.source}",)
        return error

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"weir.Scenario({self.name!r})"


def options(settings: Optional[values.Settings]) -> list[str]:
    """Settings as options of the program."""
    argv = []
    for path, value in (settings or {}).items():
        argv += ["--seed", str(value)] if path == "seed" else ["--set", values.assignment(path, value)]
    return argv
