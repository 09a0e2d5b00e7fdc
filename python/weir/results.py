# SPDX-License-Identifier: BSD-3-Clause
"""Results: the runs of a result folder, their flows, ports and series, and tables with their statistics."""
from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _library, _plots, values
from ._frames import Frame, required
from .errors import ResultsError

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

Names = Union[str, Iterable[str]]

# Columns of runs that are texts whatever they look like.
_NEVER_NUMBERS = {"key", "version", "title", "held_up"}


def _names(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _text_array(names: list[str]) -> Any:
    return (ctypes.c_char_p * len(names))(*[name.encode() for name in names])


def _bytes(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else text.encode()


class _TableOwner:
    """A struct weir_table, freed with the last object that uses it."""

    def __init__(self, head: Any):
        self.head = head

    def __del__(self) -> None:
        _library.load().weir_table_free(self.head)


class Table:
    """A table of `weir table`: a row for each setting, and for each metric its mean with a 95 % interval.

    rows()   -- a list of dicts
    frame    -- a DataFrame with the columns of `weir table --csv`: the settings, runs, and for each metric
                NAME, NAME_low, NAME_high, NAME_runs and NAME_mark ("!", "~" or "*", see the manual)
    text     -- as the program prints it
    answer   -- which setting is best and what it costs; "" for tables by something
    settings -- the settings that distinguish rows
    metrics  -- the metrics
    """

    def __init__(self, head: Any):
        owner = _TableOwner(head)
        self._frame = Frame(head.contents.frame, owner)
        self.text: str = head.contents.text.decode("utf-8", "replace")
        self.answer: str = head.contents.answer.decode("utf-8", "replace").rstrip("\n")
        names = self._frame.names
        self.settings = [name for name in names if f"{name}_label" in names]
        self.metrics = [name for name in names if f"{name}_low" in names]

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts; None is unknown."""
        return self._frame.rows()

    @functools.cached_property
    def frame(self) -> pandas.DataFrame:
        """The rows as a DataFrame."""
        return self._frame.pandas()

    @property
    def units(self) -> dict[str, str]:
        """The units of the metrics."""
        return self._frame.units

    def __len__(self) -> int:
        return self._frame.row_count

    def __str__(self) -> str:
        return self.text + (f"\n{self.answer}\n" if self.answer else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


class Results:
    """The runs of a result folder, as they were when it was opened.

    runs, flows, ports, series, pauses and reasons are DataFrames with the columns of the CSV files that
    `weir export` writes (docs/reference/results.md); rows(TABLE) and lists(TABLE) are the same without pandas. Times
    are picoseconds. A damaged run is a ResultsError that names it, and so are runs that were replaced since.
    """

    def __init__(self, folder: Union[str, os.PathLike[str]], *, all: bool = False):
        """all: also runs that are not of the latest sweep into the folder."""
        self.folder = os.fspath(folder)
        self._results = ctypes.c_void_p()
        error = _library.ErrorBuffer()
        if _library.load().weir_results_open(self._results, self.folder.encode(), int(all), error):
            raise ResultsError(error.message)

    def __del__(self) -> None:
        if getattr(self, "_results", None):
            _library.load().weir_results_close(self._results)

    def __len__(self) -> int:
        return _library.load().weir_results_run_count(self._results)

    def __repr__(self) -> str:
        return f"weir.Results({self.folder!r}): {len(self)} run{'' if len(self) == 1 else 's'}"

    @property
    def left_out(self) -> int:
        """Runs of other sweeps in the folder; all=True includes them."""
        return _library.load().weir_results_left_out(self._results)

    # --- rows ---

    def _read(self, table: str, run: int = 0) -> Frame:
        head, error = ctypes.POINTER(_library.FrameHead)(), _library.ErrorBuffer()
        if _library.load().weir_results_read(self._results, table.encode(), run, head, error):
            raise ResultsError(error.message)
        return Frame(head)

    def rows(self, table: str, run: int = 0) -> list[dict[str, Any]]:
        """The rows of "runs", "flows", "ports", "series", "pauses" or "reasons" as dicts, of one run or of all."""
        return self._read(table, run).rows()

    def lists(self, table: str, run: int = 0) -> dict[str, list]:
        """The columns of a table as lists."""
        return self._read(table, run).lists()

    def arrays(self, table: str, run: int = 0) -> dict[str, Any]:
        """The columns of a table as numpy arrays."""
        return self._read(table, run).arrays()

    def frame(self, table: str, run: int = 0) -> pandas.DataFrame:
        """A table as a DataFrame, of one run (numbered from 1) or of all."""
        frame = self._read(table, run).pandas()
        return _numbers(frame) if table == "runs" else frame

    @functools.cached_property
    def runs(self) -> pandas.DataFrame:
        """A row for each run: its settings by their paths, then its metrics. Settings that are plain numbers are
        numbers, others ("20KB") categories."""
        return self.frame("runs")

    @functools.cached_property
    def flows(self) -> pandas.DataFrame:
        """A row for each flow; "counted" is 1 for those that metrics cover: of known size, started in the measured
        interval."""
        return self.frame("flows")

    @functools.cached_property
    def ports(self) -> pandas.DataFrame:
        """A row for each port."""
        return self.frame("ports")

    @functools.cached_property
    def series(self) -> pandas.DataFrame:
        """A row for each point of each series, as `probe =` and `trace =` in [measure] ask for."""
        return self.frame("series")

    @functools.cached_property
    def pauses(self) -> pandas.DataFrame:
        """A row for each class of a link that PFC paused."""
        return self.frame("pauses")

    @functools.cached_property
    def reasons(self) -> pandas.DataFrame:
        """A row for each reason for marking or dropping packets."""
        return self.frame("reasons")

    def with_settings(self, frame: pandas.DataFrame, *paths: str) -> pandas.DataFrame:
        """The frame with these settings of each row's run as further columns; without paths, those that differ."""
        chosen = list(paths) or self.compared
        for path in chosen:
            if path not in self.runs:
                raise ResultsError(f"no run has the setting '{path}'")
        settings = self.runs[["run"] + chosen].set_index("run")
        return frame.join(settings, on="run")

    # --- tables ---

    def _table(self, **fields: Any) -> Table:
        by, metrics = _names(fields["by"]), _names(fields["metrics"])
        request = _library.TableRequest(
            by=_text_array(by),
            metrics=_text_array(metrics),
            by_count=len(by),
            metric_count=len(metrics),
            normalize_to=_bytes(fields["normalize_to"]),
            sort=_bytes(fields["sort"]),
            sizes=_bytes(fields["sizes"]),
            width=fields["width"],
        )
        head, error = ctypes.POINTER(_library.TableHead)(), _library.ErrorBuffer()
        if _library.load().weir_results_table(self._results, request, head, error):
            raise ResultsError(f"{self.folder}: {error.message}")
        return Table(head)

    def table(
        self,
        by: Names = (),
        metrics: Names = (),
        *,
        sort: Optional[str] = None,
        sizes: Optional[str] = None,
        width: int = 0,
    ) -> Table:
        """The table that `weir table` prints: means over seeds with 95 % intervals, by the same code.

        by      -- settings, "traffic", "traffic-class" or "flow-size"; without it, every setting that differs
        metrics -- names of `weir list metric`; without them, the usual ones
        sort    -- a metric, ascending; "-NAME": descending
        sizes   -- boundaries for "flow-size", "10KB, 1MB"
        width   -- characters of a line of Table.text; 0: 100
        """
        return self._table(by=by, metrics=metrics, normalize_to=None, sort=sort, sizes=sizes, width=width)

    def compare(
        self,
        baseline: str,
        by: Names = (),
        metrics: Names = (),
        *,
        sort: Optional[str] = None,
        sizes: Optional[str] = None,
        width: int = 0,
    ) -> Table:
        """The same as ratios to the runs with that value of a setting, paired by seed: `--normalize-to baseline`.
        A mark "~" says that the interval includes 1."""
        return self._table(by=by, metrics=metrics, normalize_to=baseline, sort=sort, sizes=sizes, width=width)

    @functools.cached_property
    def compared(self) -> list[str]:
        """The settings that differ between runs, besides the seed."""
        return self.table().settings

    @property
    def answer(self) -> str:
        """Which setting is best, and what it costs."""
        return self.table().answer

    # --- plots: each returns its matplotlib axes ---

    def plot_metric(
        self,
        metric: str,
        x: Optional[str] = None,
        by: Optional[str] = None,
        ax: Optional[matplotlib.axes.Axes] = None,
    ) -> matplotlib.axes.Axes:
        """A metric with its 95 % intervals over the setting x, a line for each value of the setting `by`.

        Without them, x is the setting that differs and has the most numbers for values, and `by` the other one;
        values that are no quantities are bars."""
        return _plots.metric(self, metric, x, by, ax)

    def plot_cdf(
        self,
        column: str = "fct_ps",
        by: Optional[str] = None,
        ax: Optional[matplotlib.axes.Axes] = None,
    ) -> matplotlib.axes.Axes:
        """The distribution of a column of flows ("fct_ps", "slowdown", "size_bytes") over the counted flows of all seeds,
        a line for each value of the setting `by`; without it, of the first setting that differs."""
        return _plots.cdf(self, column, by, ax)

    def plot_series(
        self,
        name: Optional[str] = None,
        run: Optional[int] = None,
        ax: Optional[matplotlib.axes.Axes] = None,
    ) -> matplotlib.axes.Axes:
        """A series over time, of one run or of all; without a name, all series of the first one's unit."""
        return _plots.series(self, name, run, ax)


def _numbers(runs: pandas.DataFrame) -> pandas.DataFrame:
    """Turns the settings whose values are all plain numbers into numbers."""
    pandas = required("pandas", "rows('runs') gives the same as plain Python")
    for name in runs.columns:
        column = runs[name]
        if name in _NEVER_NUMBERS or not isinstance(column.dtype, pandas.CategoricalDtype):
            continue
        texts = list(column.cat.categories)
        if texts and all(text.strip()[-1:].isdigit() and values.number(text) for text in texts):
            runs[name] = pandas.to_numeric(column.astype(object))
    return runs

