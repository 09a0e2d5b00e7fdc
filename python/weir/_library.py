# SPDX-License-Identifier: BSD-3-Clause
"""Finds the parts of Weir that the package stands on, and loads the shared library (weir/lab.h, weir/sim.h).

Each part is looked for in this order: the environment variable; the installation inside the package (`pip
install`); the source tree that the package lies in; the prefix that it is installed below; the system.

    part                     variable         source tree                 prefix
    library                  WEIR_LIBRARY     build/libweir-lab.so.1      lib/libweir-lab.so.1
    program                  WEIR_PROGRAM     weir                        bin/weir
    headers for plug-ins     WEIR_INCLUDE     include                     include
    figures of papers        WEIR_PAPERS      scenarios/papers            share/weir/papers
"""
from __future__ import annotations

import ctypes
import functools
import os
import shutil
from pathlib import Path
from typing import Iterator, Optional

from .errors import NotFound

SONAME = "libweir-lab.so.1"

_HERE = Path(__file__).resolve().parent


class ErrorBuffer(ctypes.Structure):
    """struct weir_error"""

    _fields_ = [("text", ctypes.c_char * 768)]

    @property
    def message(self) -> str:
        return self.text.decode("utf-8", "replace")


class Column(ctypes.Structure):
    """struct weir_column"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("unit", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("integers", ctypes.c_void_p),
        ("reals", ctypes.c_void_p),
        ("codes", ctypes.c_void_p),
        ("text_count", ctypes.c_uint32),
        ("texts", ctypes.POINTER(ctypes.c_char_p)),
    ]


class FrameHead(ctypes.Structure):
    """struct weir_frame"""

    _fields_ = [
        ("row_count", ctypes.c_uint64),
        ("column_count", ctypes.c_uint32),
        ("columns", ctypes.POINTER(Column)),
    ]


class TableRequest(ctypes.Structure):
    """struct weir_table_request"""

    _fields_ = [
        ("by", ctypes.POINTER(ctypes.c_char_p)),
        ("metrics", ctypes.POINTER(ctypes.c_char_p)),
        ("by_count", ctypes.c_uint32),
        ("metric_count", ctypes.c_uint32),
        ("normalize_to", ctypes.c_char_p),
        ("sort", ctypes.c_char_p),
        ("sizes", ctypes.c_char_p),
        ("width", ctypes.c_uint32),
    ]


class TableHead(ctypes.Structure):
    """struct weir_table"""

    _fields_ = [
        ("frame", ctypes.POINTER(FrameHead)),
        ("text", ctypes.c_char_p),
        ("answer", ctypes.c_char_p),
    ]


class Plan(ctypes.Structure):
    """struct weir_sim_plan"""

    _fields_ = [("threads", ctypes.c_uint32), ("messages", ctypes.c_uint32), ("connections", ctypes.c_uint32)]


class FlowHead(ctypes.Structure):
    """struct weir_sim_flow"""

    _fields_ = [
        ("source", ctypes.c_uint32),
        ("destination", ctypes.c_uint32),
        ("traffic", ctypes.c_uint32),
        ("bytes", ctypes.c_uint64),
        ("start_ps", ctypes.c_int64),
        ("finish_ps", ctypes.c_int64),
    ]


class DeliveryHead(ctypes.Structure):
    """struct weir_sim_delivery"""

    _fields_ = [
        ("source", ctypes.c_uint32),
        ("destination", ctypes.c_uint32),
        ("bytes", ctypes.c_uint64),
        ("sent_ps", ctypes.c_int64),
        ("delivered_ps", ctypes.c_int64),
    ]


DELIVERED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(DeliveryHead))
CALLED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class Message(ctypes.Structure):
    """struct weir_sim_message"""

    _fields_ = [
        ("source", ctypes.c_uint32),
        ("destination", ctypes.c_uint32),
        ("traffic", ctypes.c_uint32),
        ("class_id", ctypes.c_uint32),
        ("bytes", ctypes.c_uint64),
        ("delivered", DELIVERED),
        ("context", ctypes.c_void_p),
    ]


class Call(ctypes.Structure):
    """struct weir_sim_call"""

    _fields_ = [("time_ps", ctypes.c_int64), ("called", CALLED), ("context", ctypes.c_void_p)]


# --- where the parts are ---


def _roots() -> Iterator[tuple[str, Path]]:
    """The places that may hold all parts, with their layout: "tree" or "prefix"."""
    yield "prefix", _HERE / "installed"
    tree = _HERE.parent.parent
    if (tree / "include" / "weir" / "lab.h").is_file() and (tree / "Makefile").is_file():
        yield "tree", tree
    for parent in _HERE.parents:
        if parent.name in ("lib", "lib64"):
            yield "prefix", parent.parent
            break


def _find(variable: str, tree: str, prefix: list[str]) -> Optional[Path]:
    given = os.environ.get(variable)
    if given:
        path = Path(given)
        if not path.exists():
            raise NotFound(f"{variable}={given}: there is no such file")
        return path
    for layout, root in _roots():
        for name in [tree] if layout == "tree" else prefix:
            if (root / name).exists():
                return root / name
    return None


def program() -> str:
    """The program, weir."""
    found = _find("WEIR_PROGRAM", "weir", ["bin/weir"])
    path = str(found) if found else shutil.which("weir")
    if not path:
        raise NotFound("the program weir is not there: build it with 'make', install it, or set WEIR_PROGRAM to it")
    return path


def include() -> str:
    """The folder of the headers, which contains weir/plugin.h."""
    found = _find("WEIR_INCLUDE", "include", ["include"])
    for path in [found, Path("/usr/local/include"), Path("/usr/include")]:
        if path and (path / "weir" / "plugin.h").is_file():
            return str(path)
    raise NotFound("weir/plugin.h is not there: install libweir-dev, or set WEIR_INCLUDE to the folder that has weir/")


def papers() -> Optional[str]:
    """The folder of the papers' figures; None: the library looks for itself."""
    found = _find("WEIR_PAPERS", "scenarios/papers", ["share/weir/papers"])
    for path in [found, Path("/usr/local/share/weir/papers"), Path("/usr/share/weir/papers")]:
        if path and path.is_dir():
            return str(path)
    return None


def _library_names() -> Iterator[str]:
    multiarch = [f"lib/{name}/{SONAME}" for name in ("x86_64-linux-gnu", "aarch64-linux-gnu")]
    found = _find("WEIR_LIBRARY", f"build/{SONAME}", [f"lib/{SONAME}", f"lib64/{SONAME}"] + multiarch)
    if found:
        yield str(found / SONAME if found.is_dir() else found)
        return
    yield SONAME
    yield f"/usr/local/lib/{SONAME}"


# --- loading ---


def _declare(library: ctypes.CDLL) -> None:
    error, address, text = ctypes.POINTER(ErrorBuffer), ctypes.c_void_p, ctypes.c_char_p
    frame = ctypes.POINTER(ctypes.POINTER(FrameHead))
    u32, u64, i64, integer = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int64, ctypes.c_int
    pointer = ctypes.POINTER
    functions = {
        # weir/lab.h
        "weir_frame_free": (None, [pointer(FrameHead)]),
        "weir_results_open": (integer, [pointer(address), text, integer, error]),
        "weir_results_close": (None, [address]),
        "weir_results_run_count": (u32, [address]),
        "weir_results_left_out": (u32, [address]),
        "weir_results_read": (integer, [address, text, u32, frame, error]),
        "weir_results_progress": (integer, [text, pointer(u64), pointer(u64), error]),
        "weir_results_table": (integer, [address, pointer(TableRequest), pointer(pointer(TableHead)), error]),
        "weir_table_free": (None, [pointer(TableHead)]),
        "weir_papers_read": (integer, [text, frame, error]),
        "weir_paper_claims": (integer, [text, text, text, frame, error]),
        # weir/sim.h
        "weir_sim_allow_plugins": (None, [text]),
        "weir_sim_new": (integer, [pointer(address), text, pointer(Plan), error]),
        "weir_sim_free": (None, [address]),
        "weir_sim_run_until": (integer, [address, i64, error]),
        "weir_sim_now_ps": (i64, [address]),
        "weir_sim_audit": (integer, [address, error]),
        "weir_sim_hosts": (u32, [address]),
        "weir_sim_find_host": (integer, [address, text, pointer(u32), error]),
        "weir_sim_find_traffic": (integer, [address, text, pointer(u32), error]),
        "weir_sim_watch": (integer, [address, text, pointer(u32), error]),
        "weir_sim_watches": (u32, [address]),
        "weir_sim_watch_name": (text, [address, u32]),
        "weir_sim_observe": (ctypes.c_double, [address, u32]),
        "weir_sim_set": (integer, [address, text, text, error]),
        "weir_sim_flows": (u32, [address]),
        "weir_sim_flow_at": (FlowHead, [address, u32]),
        "weir_sim_send": (integer, [address, pointer(Message), error]),
        "weir_sim_call_at": (integer, [address, u32, pointer(Call), error]),
        "weir_sim_turn_host": (u32, [address]),
        "weir_sim_turn_now_ps": (i64, [address]),
        "weir_sim_turn_send": (integer, [address, pointer(Message), error]),
        "weir_sim_turn_call_at": (integer, [address, pointer(Call), error]),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """The shared library, loaded once."""
    tried = []
    for name in _library_names():
        try:
            library = ctypes.CDLL(name)
            _declare(library)
            return library
        except OSError as problem:
            tried.append(str(problem))
        except AttributeError as problem:
            raise NotFound(f"{name} is not {SONAME}, or of another version of Weir: {problem}") from None
    raise NotFound(
        f"the library {SONAME} is not there: build it with 'make lib', install it, or set WEIR_LIBRARY to it "
        f"({'; '.join(tried)})"
    )
