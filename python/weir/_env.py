# SPDX-License-Identifier: BSD-3-Clause
"""weir/env.h by ctypes and numpy: one class for environments and pools of them, with their arrays.

The library is the file that WEIR_LIBRARY names; else the one of the source tree that this file is in, of the prefix
that it is installed below, or of the system.
"""
import ctypes
import os
from pathlib import Path

import numpy

try:
    from .errors import ScenarioError as EnvError
except ImportError:

    class EnvError(ValueError):
        """A mistake of the caller, in one sentence of the library."""


NAMES = ("libweir-sim.so.2", "libweir-lab.so.1")
QUEUES, THRESHOLDS, FLOWS = range(3)
GOES_ON, TRUNCATED, TERMINATED = range(3)


class _Error(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char * 768)]


class _Plan(ctypes.Structure):
    _fields_ = [
        ("end_ns", ctypes.c_int64),
        ("agents", ctypes.c_int),
        ("traffic", ctypes.c_char_p),
        ("flow_plus_one", ctypes.c_uint32),
        ("settings", ctypes.POINTER(ctypes.c_char_p)),
    ]


class _PoolPlan(ctypes.Structure):
    _fields_ = [("env", _Plan), ("count", ctypes.c_uint32), ("threads", ctypes.c_uint32)]


class Shape(ctypes.Structure):
    _fields_ = [
        ("rows", ctypes.c_uint32),
        ("agents", ctypes.c_uint32),
        ("observation_size", ctypes.c_uint32),
        ("action_count", ctypes.c_uint32),
        ("action_size", ctypes.c_uint32),
        ("measure_count", ctypes.c_uint32),
        ("steps", ctypes.c_uint32),
        ("interval_ns", ctypes.c_int64),
    ]


class _View(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("observations", "rewards", "asks", "done", "agents", "measures")]


class _Flow(ctypes.Structure):
    _fields_ = [
        ("flow", ctypes.c_uint32),
        ("from", ctypes.c_uint32),
        ("to", ctypes.c_uint32),
        ("traffic", ctypes.c_uint32),
        ("agent", ctypes.c_uint32),
        ("closes", ctypes.c_uint32),
        ("bytes", ctypes.c_uint64),
        ("start_ns", ctypes.c_int64),
        ("fct_ns", ctypes.c_int64),
        ("ideal_ns", ctypes.c_int64),
    ]


class _Fct(ctypes.Structure):
    _fields_ = [("flows", ctypes.c_uint64)] + [
        (name, ctypes.c_double) for name in ("mean_ns", "p99_ns", "slowdown_mean", "slowdown_p99")
    ]


class _Summary(ctypes.Structure):
    _fields_ = (
        [("now_ns", ctypes.c_int64)]
        + [(name, _Fct) for name in ("all", "small", "medium", "large")]
        + [("goodput_bps", ctypes.c_double)]
        + [
            (name, ctypes.c_uint64)
            for name in ("delivered_bytes", "drops", "marks", "pauses", "retransmits", "timeouts")
        ]
        + [("paused_ns", ctypes.c_int64)]
    )


def _as_dict(record):
    return {
        name: _as_dict(value) if isinstance(value, ctypes.Structure) else value
        for name, value in ((field[0], getattr(record, field[0])) for field in record._fields_)
    }


def _places():
    """Where the library may be, the likeliest first."""
    given = os.environ.get("WEIR_LIBRARY")
    if given:
        yield given
        return
    here = Path(__file__).resolve()
    if (here.parents[2] / "include" / "weir" / "env.h").is_file():
        yield from (str(here.parents[2] / "build" / name) for name in NAMES)
    for folder in here.parents:
        if folder.name in ("lib", "lib64"):
            yield from (str(folder / name) for name in NAMES)
    yield str(here.parent / "installed" / "lib" / NAMES[1])
    yield from NAMES


def _load():
    problems = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
            library.weir_env_pool_reset_each
            break
        except (OSError, AttributeError) as problem:
            problems.append(str(problem))
    else:
        raise OSError("the library %s is not there: build it with 'make lib', install it, or set WEIR_LIBRARY to it (%s)"
                      % (NAMES[0], "; ".join(problems)))
    pointer, handle, error = ctypes.POINTER, ctypes.c_void_p, ctypes.POINTER(_Error)
    text, integer, u32 = ctypes.c_char_p, ctypes.c_int, ctypes.c_uint32
    functions = {
        "weir_env_measure": (text, [handle, u32]),
        "weir_env_set": (integer, [handle, pointer(text), error]),
        "weir_env_ended": (u32, [handle, pointer(pointer(_Flow))]),
        "weir_env_summary": (None, [handle, pointer(_Summary)]),
        "weir_env_pool_new": (integer, [pointer(handle), text, pointer(_PoolPlan), error]),
        "weir_env_pool_free": (None, [handle]),
        "weir_env_pool_shape": (None, [handle, pointer(Shape)]),
        "weir_env_pool_at": (handle, [handle, u32]),
        "weir_env_pool_reset_each": (integer, [handle, ctypes.c_void_p, pointer(_View), error]),
        "weir_env_pool_step": (integer, [handle, ctypes.c_void_p, pointer(_View), error]),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = None


def _texts(settings):
    """A list of C strings that ends with NULL; NULL: there are none."""
    if isinstance(settings, dict):
        words = ["%s=%s" % item for item in settings.items()]
    else:
        words = [settings] if isinstance(settings, str) else list(settings or ())
    return (ctypes.c_char_p * (len(words) + 1))(*[word.encode() for word in words], None) if words else None


class Pool:
    """Environments of one scenario, and the arrays that a step fills in: [count, rows, ...]."""

    def __init__(self, scenario, agents, count=1, threads=1, *, traffic=None, flow=None, settings=None, end_ns=0):
        global _library
        if _library is None:
            _library = _load()
        self._pool, self._error = ctypes.c_void_p(), _Error()
        if flow is not None and flow < 0:
            raise EnvError("flow %d: flows are numbered from 0" % flow)
        if count < 1:
            raise EnvError("a pool of %d environments: at least 1 is needed" % count)
        words = _texts(settings)
        plan = _PoolPlan(
            _Plan(end_ns, agents, traffic.encode() if traffic else None, 0 if flow is None else flow + 1,
                  ctypes.cast(words, ctypes.POINTER(ctypes.c_char_p))),
            count,
            threads,
        )
        self._check(_library.weir_env_pool_new(self._pool, str(scenario).encode(), plan, self._error))
        self.shape = shape = Shape()
        _library.weir_env_pool_shape(self._pool, shape)
        self._envs = [_library.weir_env_pool_at(self._pool, i) for i in range(count)]
        self.count = count
        self.measures = tuple(
            _library.weir_env_measure(self._envs[0], i).decode() for i in range(shape.measure_count)
        )
        rows = (count, shape.rows)
        self.observations = numpy.zeros(rows + (shape.observation_size,), numpy.float32)
        self.rewards = numpy.zeros(rows, numpy.float32)
        self.asks = numpy.zeros(rows, numpy.bool_)
        self.done = numpy.zeros(count, numpy.uint8)
        self.agents = numpy.zeros(rows, numpy.uint32)
        self.measured = numpy.zeros(rows + (shape.measure_count,), numpy.float32)
        size = (shape.action_size,) if shape.action_size > 1 else ()
        self.actions = numpy.zeros(rows + size, numpy.float32 if shape.action_size else numpy.uint32)
        self._view = _View(*(array.ctypes.data for array in (
            self.observations, self.rewards, self.asks, self.done, self.agents, self.measured)))
        self._view_at, self._actions_at = ctypes.pointer(self._view), self.actions.ctypes.data
        self._step, self._flow = _library.weir_env_pool_step, ctypes.POINTER(_Flow)()

    def close(self):
        if self._pool:
            _library.weir_env_pool_free(self._pool)
        self._pool = ctypes.c_void_p()

    def __del__(self):
        if getattr(self, "_pool", None) and _library:
            self.close()

    def _check(self, status):
        if status:
            raise EnvError(self._error.text.decode("utf-8", "replace"))

    def _check_open(self):
        if not self._pool:
            raise EnvError("the environment is closed")

    def set(self, settings):
        """Other settings, from the next reset on."""
        self._check_open()
        for env in self._envs:
            self._check(_library.weir_env_set(env, _texts(settings), self._error))

    def reset(self, seeds):
        self._check_open()
        self.observations.fill(0)
        self.rewards.fill(0)
        if min(seeds) < 0 or len(seeds) != self.count:
            raise EnvError("seeds %s: a number of at least 0 is needed for each environment" % list(seeds))
        numbers = numpy.array(seeds, numpy.uint64)
        self._check(_library.weir_env_pool_reset_each(self._pool, numbers.ctypes.data, self._view_at, self._error))

    def step(self):
        """Takes self.actions."""
        if self._step(self._pool, self._actions_at, self._view_at, self._error) if self._pool else True:
            self._check_open()
            self._check(1)

    def ended(self, i=0):
        """The flows that were completed in the last step of environment i."""
        self._check_open()
        count = _library.weir_env_ended(self._envs[i], self._flow)
        return [_as_dict(self._flow[k]) for k in range(count)] if count else []

    def summary(self, i=0):
        """The episode of environment i so far."""
        self._check_open()
        summary = _Summary()
        _library.weir_env_summary(self._envs[i], summary)
        return _as_dict(summary)
