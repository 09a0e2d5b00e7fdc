# SPDX-License-Identifier: BSD-3-Clause
"""Errors: the messages of Weir as exceptions, with their parts as fields."""
from __future__ import annotations

import re
from typing import Optional

_PLACE = re.compile(r"^(?P<file>[^\n:]+?):(?:(?P<line>\d+):)? (?P<rest>.*)$", re.DOTALL)
_OPTION = re.compile(r"^--set (?P<setting>[^=\s]+)=(?P<value>.*?): (?P<rest>.*)$", re.DOTALL)
_SETTING = re.compile(
    r"^(?P<setting>seed|(?:network|switch|host|rdma|traffic|measure|sweep|case|full)(?:\.[^\s:]+)?): (?P<rest>.*)$",
    re.DOTALL,
)
_READ = re.compile(r"'([^']*)'")
_NEAREST = re.compile(r"nearest: ([^)]*)\)")
_ALLOWED = re.compile(r"(?:allowed: |allowed are |there are |it has )(.*?)(?: \(nearest: [^)]*\))?$", re.DOTALL)


class Error(Exception):
    """An error of Weir; its text is the message that the program prints.

    The fields are the parts of that message, None where it has no such part:

    message  -- the whole message
    file     -- the file, or the name of a scenario that was given as text
    line     -- the line in it
    source   -- the text of that line
    setting  -- the setting, "switch.marking"
    read     -- what was read
    allowed  -- what is allowed
    nearest  -- the nearest valid name
    """

    def __init__(self, message: str):
        super().__init__(message)
        self.message = message
        self.file: Optional[str] = None
        self.line: Optional[int] = None
        self.source: Optional[str] = None
        self.setting: Optional[str] = None
        rest = self._read_place(message)
        read, allowed, nearest = _READ.search(rest), _ALLOWED.search(rest), _NEAREST.search(rest)
        self.read: Optional[str] = read.group(1) if read else None
        self.allowed: Optional[str] = allowed.group(1) if allowed else None
        self.nearest: Optional[str] = nearest.group(1) if nearest else None

    def _read_place(self, message: str) -> str:
        """Reads file, line and setting; returns what follows them."""
        option = _OPTION.match(message)
        if option:
            self.setting = option["setting"]
            return option["rest"]
        setting = _SETTING.match(message)
        place = None if setting else _PLACE.match(message)
        rest = message
        if place and (place["line"] or "." in place["file"] or "/" in place["file"]):
            self.file, rest = place["file"], place["rest"]
            self.line = int(place["line"]) if place["line"] else None
            setting = _SETTING.match(rest)
        if setting:
            self.setting, rest = setting["setting"], setting["rest"]
        return rest


class ScenarioError(Error, ValueError):
    """A mistake in a scenario or in a setting."""


class ResultsError(Error, ValueError):
    """A result folder that cannot be read, or a table that does not fit its runs."""


class RunError(Error, RuntimeError):
    """A run that failed: the system refused something, or a bug of Weir. `status` is the exit status."""

    def __init__(self, message: str, status: int = 1):
        super().__init__(message)
        self.status = status


class MissingPackage(Error, ImportError):
    """An optional package (numpy, pandas, matplotlib) is not installed."""


class NotFound(Error, OSError):
    """The library, the program, the headers or the figures of papers are not there."""

    __str__ = Error.__str__


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a sweep: runs that had ended are stored in `folder`, and the same call continues. Without a result
    folder, `folder` is "" and nothing is kept."""

    def __init__(self, message: str, folder: str = ""):
        super().__init__(message)
        self.folder = folder
