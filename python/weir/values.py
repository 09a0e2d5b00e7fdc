# SPDX-License-Identifier: BSD-3-Clause
"""Values as Weir writes them: quantities with units, and lists of a sweep."""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from .errors import ScenarioError

Time = Union[int, str]
Settings = Mapping[str, Any]

_PS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([A-Za-z%]*)\s*$")


def time_ps(time: Time) -> int:
    """A time in picoseconds: "5ms", or a whole number of picoseconds."""
    if isinstance(time, int):
        return time
    match = _NUMBER.match(time)
    if not match or match[2] not in _PS:
        raise ScenarioError(f"'{time}' is no time; allowed: a number and ps, ns, us, ms or s, as in 5ms")
    number = match[1]
    if "." not in number and "e" not in number:
        return int(number) * _PS[match[2]]
    return round(float(number) * _PS[match[2]])


# The units that Weir writes: factor and unit of the number that a plot shows.
_UNITS = {"": (1.0, ""), "%": (0.01, ""), "pkts": (1.0, "pkts")}
_UNITS.update({name: (factor / 1e3, "ns") for name, factor in _PS.items()})
_UNITS.update({f"{name}B": (1e3**power, "bytes") for power, name in enumerate(["", "K", "M", "G"])})
_UNITS.update({f"{name}iB": (1024.0**power, "bytes") for power, name in enumerate("KMG", 1)})
_UNITS.update({f"{name}bps": (1e3**power, "bps") for power, name in enumerate(["", "K", "M", "G", "T"])})


def number(text: str) -> Optional[tuple[float, str]]:
    """Number and unit ("", "ns", "bytes", "bps" or "pkts") of "0.3", "20KB" or "50us"; None: it is no quantity."""
    match = _NUMBER.match(text)
    if not match or match[2] not in _UNITS:
        return None
    factor, unit = _UNITS[match[2]]
    return float(match[1]) * factor, unit


def text(value: Any) -> str:
    """One value as a scenario has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and "e" in str(value):
        return f"{value:.20f}".rstrip("0").rstrip(".")  # without an exponent
    return str(value)


def listed(values: Any) -> str:
    """The values of a setting in [sweep]."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        return text(values)
    return ", ".join(text(value) for value in values)


def assignment(path: str, value: Any) -> str:
    """SECTION.KEY=VALUE; several values are the lines of a repeated key."""
    if not isinstance(value, str) and isinstance(value, Iterable):
        return f"{path}=" + "; ".join(text(line) for line in value)
    return f"{path}={text(value)}"
