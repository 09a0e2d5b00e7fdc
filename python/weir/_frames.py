# SPDX-License-Identifier: BSD-3-Clause
"""Frames of the library (weir/lab.h) as Python lists, numpy arrays and DataFrames.

numpy and pandas use the library's arrays where they are: an array keeps its frame alive.
"""
from __future__ import annotations

import ctypes
import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any, Optional

from . import _library
from .errors import MissingPackage

if TYPE_CHECKING:
    import pandas

INTEGER, REAL, TEXT = range(3)

_CTYPES = {INTEGER: ctypes.c_int64, REAL: ctypes.c_double, TEXT: ctypes.c_int32}


def optional(name: str) -> Optional[ModuleType]:
    """The package, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def required(name: str, instead: str) -> ModuleType:
    """The package; without it, an error that says what to use instead."""
    found = optional(name)
    if found is None:
        package = name.partition(".")[0]
        raise MissingPackage(f"{package} is not installed (on Debian: apt install python3-{package}); {instead}")
    return found


class Frame:
    """A frame of the library, freed with the last array that uses it."""

    def __init__(self, head: Any, owner: Any = None):
        """owner: the object that frees the frame; None: this one does."""
        self._head, self._owner = head, owner
        self.row_count: int = head.contents.row_count
        self._columns = [head.contents.columns[i] for i in range(head.contents.column_count)]
        self.names = [column.name.decode() for column in self._columns]
        self.units = {name: column.unit.decode() for name, column in zip(self.names, self._columns) if column.unit}

    def __del__(self) -> None:
        if self._owner is None:
            _library.load().weir_frame_free(self._head)

    def texts(self, column: _library.Column) -> list[str]:
        """The distinct values of a column of texts."""
        return [column.texts[i].decode("utf-8", "replace") for i in range(column.text_count)]

    def _buffer(self, column: _library.Column) -> Any:
        """The column's values as a ctypes array, which keeps the frame alive."""
        address = {INTEGER: column.integers, REAL: column.reals, TEXT: column.codes}[column.type]
        kind = _CTYPES[column.type] * self.row_count
        buffer = kind.from_address(address) if self.row_count else kind()
        buffer.frame = self
        return buffer

    def _list(self, column: _library.Column) -> list:
        values = list(self._buffer(column))
        if column.type == TEXT:
            texts = self.texts(column)
            return [texts[code] if code >= 0 else None for code in values]
        if column.type == REAL:
            return [None if value != value else value for value in values]
        return values

    def lists(self) -> dict[str, list]:
        """Columns as lists; None is unknown."""
        return {name: self._list(column) for name, column in zip(self.names, self._columns)}

    def rows(self) -> list[dict[str, Any]]:
        """Rows as dicts; None is unknown."""
        columns = self.lists()
        return [dict(zip(columns, values)) for values in zip(*columns.values())]

    def arrays(self) -> dict[str, Any]:
        """Columns as numpy arrays; NaN is unknown, None for texts."""
        numpy = required("numpy", "use rows() or lists()")
        arrays = {}
        for name, column in zip(self.names, self._columns):
            array = numpy.frombuffer(self._buffer(column), dtype=_CTYPES[column.type])
            if column.type == TEXT:
                array = numpy.array(self.texts(column) + [None], dtype=object)[array]
            arrays[name] = array
        return arrays

    def pandas(self) -> pandas.DataFrame:
        """A DataFrame: columns of texts are categories, NaN is unknown, units are in .attrs["units"]."""
        pandas = required("pandas", "rows(TABLE) and lists(TABLE) give the same as plain Python")
        numpy = required("numpy", "rows(TABLE) and lists(TABLE) give the same as plain Python")
        columns = {}
        for name, column in zip(self.names, self._columns):
            values = numpy.frombuffer(self._buffer(column), dtype=_CTYPES[column.type])
            if column.type == TEXT:
                values = pandas.Categorical.from_codes(values, categories=self.texts(column))
            columns[name] = values
        frame = pandas.DataFrame(columns, copy=False)
        frame.attrs["units"] = self.units
        return frame
