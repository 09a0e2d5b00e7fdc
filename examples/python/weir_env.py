# SPDX-License-Identifier: BSD-3-Clause
"""Weir's environments for learners (weir/env.h) in the shape of Gymnasium: reset and step.

    env = weir_env.Env(open("mine.ini").read())
    observations, info = env.reset(seed=1)
    observations, rewards, terminated, truncated, info = env.step([env.sample()] * env.rows)

Every queue of every switch agent is a row: observations[row] is a list of numbers, rewards[row] what the interval was
worth there, and info["asks"][row] whether an action is asked for. An episode does not come to an end of its own: it is
truncated at measure.to. Nothing but Python's own ctypes is needed; numpy.frombuffer(env.buffers["observations"],
"float32") gives an array without a copy.

The library is libweir-sim.so, as "make install" puts it, or the file that WEIR_LIBRARY names.
"""
import ctypes
import os
import random


class _Error(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char * 768)]


class _Shape(ctypes.Structure):
    _fields_ = [("rows", ctypes.c_uint32), ("observation_size", ctypes.c_uint32), ("action_count", ctypes.c_uint32),
                ("steps", ctypes.c_uint32), ("interval_ns", ctypes.c_int64)]


class _View(ctypes.Structure):
    _fields_ = [("observations", ctypes.POINTER(ctypes.c_float)), ("rewards", ctypes.POINTER(ctypes.c_float)),
                ("asks", ctypes.POINTER(ctypes.c_uint8)), ("done", ctypes.POINTER(ctypes.c_uint8))]


def _load():
    library = ctypes.CDLL(os.environ.get("WEIR_LIBRARY", "libweir-sim.so.1"))
    env, error, view = ctypes.c_void_p, ctypes.POINTER(_Error), ctypes.POINTER(_View)
    library.weir_env_new.argtypes = [ctypes.POINTER(env), ctypes.c_char_p, ctypes.c_void_p, error]
    library.weir_env_free.argtypes = [env]
    library.weir_env_free.restype = None
    library.weir_env_shape.argtypes = [env, ctypes.POINTER(_Shape)]
    library.weir_env_shape.restype = None
    library.weir_env_reset.argtypes = [env, ctypes.c_uint64, view, error]
    library.weir_env_step.argtypes = [env, ctypes.POINTER(ctypes.c_uint32), view, error]
    return library


class Env:
    def __init__(self, scenario):
        """scenario: the text of a file whose switch.tune names an agent that learners can stand in for."""
        self._library, self._env, self._error = _load(), ctypes.c_void_p(), _Error()
        self._check(self._library.weir_env_new(ctypes.byref(self._env), scenario.encode(), None, self._error))
        shape = _Shape()
        self._library.weir_env_shape(self._env, shape)
        self.rows, self.observation_size = shape.rows, shape.observation_size
        self.action_count, self.steps, self.interval_ns = shape.action_count, shape.steps, shape.interval_ns
        self.buffers = {
            "observations": (ctypes.c_float * (self.rows * self.observation_size))(),
            "rewards": (ctypes.c_float * self.rows)(),
            "asks": (ctypes.c_uint8 * self.rows)(),
            "done": (ctypes.c_uint8 * 1)(),
        }
        self._actions = (ctypes.c_uint32 * self.rows)()
        self._view = _View(*self.buffers.values())

    def close(self):
        self._library.weir_env_free(self._env)
        self._env = ctypes.c_void_p()

    def sample(self):
        """Any action."""
        return random.randrange(self.action_count)

    def reset(self, seed=1):
        """A network at time 0, whose first interval passes: observations and info."""
        self._check(self._library.weir_env_reset(self._env, seed, self._view, self._error))
        return self._observations(), self._info()

    def step(self, actions):
        """An action for each row; those of rows that do not ask are not looked at."""
        self._actions[:] = actions
        self._check(self._library.weir_env_step(self._env, self._actions, self._view, self._error))
        return self._observations(), list(self.buffers["rewards"]), False, bool(self.buffers["done"][0]), self._info()

    def _check(self, status):
        if status:
            raise ValueError(self._error.text.decode())

    def _observations(self):
        numbers, size = list(self.buffers["observations"]), self.observation_size
        return [numbers[row * size:(row + 1) * size] for row in range(self.rows)]

    def _info(self):
        return {"asks": [bool(asks) for asks in self.buffers["asks"]]}
