# SPDX-License-Identifier: BSD-3-Clause
"""Plots of results with matplotlib. The numbers are those of Results.table and Results.flows."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from . import values
from ._frames import required
from .errors import ResultsError

if TYPE_CHECKING:
    from .results import Results, Table

# Display units, ascending: factor and label.
_SCALES = {
    "ns": [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")],
    "ps": [(1e3, "ns"), (1e6, "µs"), (1e9, "ms"), (1e12, "s")],
    "bps": [(1.0, "b/s"), (1e3, "Kb/s"), (1e6, "Mb/s"), (1e9, "Gb/s")],
    "bytes": [(1.0, "B"), (1e3, "KB"), (1e6, "MB"), (1e9, "GB")],
}

_INSTEAD = "Results.table and Results.rows give the numbers"


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    pyplot = required("matplotlib.pyplot", _INSTEAD)
    return pyplot.subplots(layout="constrained")[1]


def _scale(unit: str, largest: float) -> tuple[float, str]:
    """The largest display unit that keeps the largest number at or above 1."""
    chosen = (1.0, unit)
    for factor, label in _SCALES.get(unit, []):
        if chosen[1] == unit or largest >= factor:
            chosen = (factor, label)
    return chosen


def _label(name: str, unit: str) -> str:
    words = name
    for ending in ("_ns", "_ps", "_bps", "_bytes", "_pkts"):
        words = words.removesuffix(ending)
    return words.replace("_", " ") + (f" ({unit})" if unit else "")


def _legend(ax: Any, count: int) -> None:
    if count > 1:
        ax.legend(frameon=False)


# --- a metric over a setting ---


def _is_numeric(table: Table, setting: str) -> bool:
    """Are all values quantities of one unit?"""
    parsed = [values.number(row[setting]) for row in table.rows()]
    return None not in parsed and len({one[1] for one in parsed if one}) == 1


def _quantity(row: dict[str, Any], setting: str) -> tuple[float, str]:
    parsed = values.number(row[setting])
    assert parsed is not None
    return parsed


def _choose(results: Results, x: Optional[str], by: Optional[str]) -> tuple[Optional[str], Optional[str]]:
    """The settings of the axis and of the lines."""
    table = results.table()
    left = [name for name in table.settings if name not in (x, by)]
    if x is None:
        numeric = [name for name in left if _is_numeric(table, name)]
        x = max(numeric or left, key=lambda name: len({row[name] for row in table.rows()}), default=None)
        left = [name for name in left if name != x]
    if by is None and left:
        by = left.pop(0)
    if left:
        raise ResultsError(f"runs also differ in {', '.join(left)}: a plot shows two settings; choose x and by of each")
    return x, by


def metric(results: Results, name: str, x: Optional[str], by: Optional[str], ax: Any) -> Any:
    x, by = _choose(results, x, by)
    table = results.table(by=[setting for setting in (x, by) if setting], metrics=name)
    rows = [row for row in table.rows() if row[name] is not None]
    if not rows:
        raise ResultsError(f"no run has a value of {name}")
    ax = _axes(ax)
    factor, unit = _scale(table.units.get(name, ""), max(abs(row[name]) for row in rows))
    lines: dict[Optional[str], list[dict[str, Any]]] = {}
    for row in rows:
        lines.setdefault(row[f"{by}_label"] if by else None, []).append(row)
    if x is not None and _is_numeric(table, x):
        _draw_lines(ax, lines, name, x, factor)
    else:
        _draw_bars(ax, lines, name, x, factor)
    ax.set_ylabel(_label(name, unit))
    ax.set_ylim(bottom=0)
    _legend(ax, len(lines))
    return ax


def _errors(rows: list[dict[str, Any]], name: str, factor: float) -> list[list[float]]:
    """Lengths of the error bars below and above; 0 where there is no interval."""

    def length(one: Optional[float], other: Optional[float]) -> float:
        return 0.0 if one is None or other is None else (one - other) / factor

    return [
        [length(row[name], row[f"{name}_low"]) for row in rows],
        [length(row[f"{name}_high"], row[name]) for row in rows],
    ]


def _draw_lines(ax: Any, lines: dict, name: str, x: str, factor: float) -> None:
    everything = [_quantity(row, x) for rows in lines.values() for row in rows]
    x_factor, x_unit = _scale(everything[0][1], max(abs(one[0]) for one in everything))
    for label, rows in lines.items():
        rows.sort(key=lambda row: _quantity(row, x)[0])
        ax.errorbar(
            [_quantity(row, x)[0] / x_factor for row in rows],
            [row[name] / factor for row in rows],
            yerr=_errors(rows, name, factor),
            marker="o",
            capsize=3,
            label=label,
        )
    ax.set_xlabel(x + (f" ({x_unit})" if x_unit else ""))


def _draw_bars(ax: Any, lines: dict, name: str, x: Optional[str], factor: float) -> None:
    places: dict[str, int] = {}
    width = 0.8 / len(lines)
    for i, (label, rows) in enumerate(lines.items()):
        at = [places.setdefault(row[f"{x}_label"] if x else "", len(places)) for row in rows]
        ax.bar(
            [place + (i - (len(lines) - 1) / 2) * width for place in at],
            [row[name] / factor for row in rows],
            width=width,
            yerr=_errors(rows, name, factor),
            capsize=3,
            label=label,
        )
    ax.set_xticks(list(places.values()), list(places))
    ax.set_xlabel(x or "")


# --- distributions ---


def cdf(results: Results, column: str, by: Optional[str], ax: Any) -> Any:
    numpy = required("numpy", _INSTEAD)
    flows = results.flows[results.flows["counted"] == 1]
    if column not in flows:
        raise ResultsError(f"flows have no column '{column}'; there are {', '.join(flows.columns)}")
    if by is None:
        by = next(iter(results.compared), None)
    labels = _labels(results, by)
    groups = [(label, flows[flows["run"].isin(runs)]) for label, runs in labels.items()]
    samples = [(label, numpy.sort(group[column].dropna().to_numpy(dtype=float))) for label, group in groups]
    samples = [(label, sample) for label, sample in samples if len(sample)]
    if not samples:
        raise ResultsError(f"no flow has a value of {column}")
    ax = _axes(ax)
    factor, unit = _scale(results.flows.attrs["units"].get(column, ""), float(max(numpy.median(s) for _, s in samples)))
    for label, sample in samples:
        ax.step(sample / factor, numpy.arange(1, len(sample) + 1) / len(sample), where="post", label=label)
    ax.set_xscale("log")
    ax.set_xlabel(_label(column, unit))
    ax.set_ylabel("fraction of flows")
    ax.set_ylim(0, 1)
    _legend(ax, len(samples))
    return ax


def _labels(results: Results, by: Optional[str]) -> dict[Optional[str], list[int]]:
    """The runs of each value of a setting, by the short form of the value."""
    rows = results.rows("runs")
    if by is None:
        return {None: [row["run"] for row in rows]}
    if rows and by not in rows[0]:
        raise ResultsError(f"no run has the setting '{by}'")
    short = {row[by]: row[f"{by}_label"] for row in results.table(by=by).rows()}
    labels: dict[Optional[str], list[int]] = {}
    for row in rows:
        labels.setdefault(short.get(row[by], row[by]), []).append(row["run"])
    return labels


# --- series ---


def _run_labels(results: Results) -> dict[int, str]:
    """What distinguishes each run, "tcn, seed 2"."""
    paths = [path for path in results.compared if path != "case"]
    rows = results.rows("runs")
    seeds = {row["seed"] for row in rows}
    labels = {row["run"]: [row[path] for path in paths if path in row] for row in rows}
    if len(seeds) > 1:
        for row in rows:
            labels[row["run"]].append(f"seed {row['seed']}")
    return {run: ", ".join(filter(None, words)) for run, words in labels.items()}


def series(results: Results, name: Optional[str], run: Optional[int], ax: Any) -> Any:
    points = results.series if run is None else results.frame("series", run)
    names = list(points["series"].cat.categories) if len(points) else []
    if not names:
        raise ResultsError("no run has a series; name some by probe = in [measure], as in probe = queue sw->h0 10us")
    if name is not None and name not in names:
        raise ResultsError(f"no series '{name}'; there are {', '.join(names)}")
    unit = points[points["series"] == (name or names[0])]["unit"].iloc[0]
    points = points[points["unit"] == unit] if name is None else points[points["series"] == name]
    ax = _axes(ax)
    factor, time_unit = _scale("ps", float(points["time_ps"].max()))
    labels = _run_labels(results)
    count = 0
    for (number, one), line in points.groupby(["run", "series"], observed=True, sort=False):
        words = [one] if name is None else []
        words += [labels[number]] if labels[number] else []
        ax.plot(line["time_ps"] / factor, line["value"], label=", ".join(words), linewidth=1)
        count += 1
    ax.set_xlabel(f"time ({time_unit})")
    ax.set_ylabel(f"{name or 'value'} ({unit})")
    _legend(ax, count)
    return ax
