# SPDX-License-Identifier: BSD-3-Clause
"""What environments need of Gymnasium and PettingZoo: theirs where they are installed, else classes with the same
interface, for the spaces and methods that weir.envs uses."""
import numpy

try:
    from gymnasium import Env, register
    from gymnasium.spaces import Box, Discrete, MultiDiscrete
    from gymnasium.vector import VectorEnv

    HAS_GYMNASIUM = True
except ImportError:
    HAS_GYMNASIUM = False

    def register(**_):
        """Nothing to register with."""

    class Space:
        """Values of a shape and a type, with a generator of its own for sample()."""

        def __init__(self, shape, dtype, seed=None):
            self.shape, self.dtype = tuple(shape), numpy.dtype(dtype)
            self._np_random = None
            if seed is not None:
                self.seed(seed)

        @property
        def np_random(self):
            if self._np_random is None:
                self.seed()
            return self._np_random

        def seed(self, seed=None):
            sequence = numpy.random.SeedSequence(seed)
            self._np_random = numpy.random.Generator(numpy.random.PCG64(sequence))
            return sequence.entropy

        def __contains__(self, x):
            return self.contains(x)

    class Box(Space):
        def __init__(self, low, high, shape=None, dtype=numpy.float32, seed=None):
            if shape is None:
                shape = numpy.broadcast(low, high).shape
            super().__init__(shape, dtype, seed)
            self.low = numpy.array(numpy.broadcast_to(low, self.shape), self.dtype)
            self.high = numpy.array(numpy.broadcast_to(high, self.shape), self.dtype)

        def sample(self, mask=None, probability=None):
            low, high = self.low.astype(numpy.float64), self.high.astype(numpy.float64)
            return self.np_random.uniform(low, high, self.shape).astype(self.dtype)

        def contains(self, x):
            x = numpy.asarray(x)
            return bool(
                numpy.can_cast(x.dtype, self.dtype)
                and x.shape == self.shape
                and numpy.all(x >= self.low)
                and numpy.all(x <= self.high)
            )

        def is_bounded(self, manner="both"):
            return True

        def __repr__(self):
            return "Box(%s, %s, %s, %s)" % (self.low.min(), self.high.max(), self.shape, self.dtype)

        def __eq__(self, other):
            return (isinstance(other, Box) and self.shape == other.shape and self.dtype == other.dtype
                    and numpy.array_equal(self.low, other.low) and numpy.array_equal(self.high, other.high))

    class Discrete(Space):
        def __init__(self, n, seed=None, start=0):
            super().__init__((), numpy.int64, seed)
            self.n, self.start = numpy.int64(n), numpy.int64(start)

        def sample(self, mask=None, probability=None):
            return self.start + self.np_random.integers(self.n)

        def contains(self, x):
            if not isinstance(x, (int, numpy.integer)) and not (
                isinstance(x, numpy.ndarray) and x.shape == () and numpy.issubdtype(x.dtype, numpy.integer)
            ):
                return False
            return bool(self.start <= int(x) < self.start + self.n)

        def __repr__(self):
            return "Discrete(%d)" % self.n

        def __eq__(self, other):
            return isinstance(other, Discrete) and self.n == other.n and self.start == other.start

    class MultiDiscrete(Space):
        def __init__(self, nvec, dtype=numpy.int64, seed=None):
            self.nvec = numpy.array(nvec, dtype)
            super().__init__(self.nvec.shape, dtype, seed)

        def sample(self, mask=None, probability=None):
            return self.np_random.integers(0, self.nvec, dtype=self.dtype)

        def contains(self, x):
            x = numpy.asarray(x)
            return bool(numpy.can_cast(x.dtype, self.dtype) and x.shape == self.shape and numpy.all(x >= 0)
                        and numpy.all(x < self.nvec))

        def __repr__(self):
            return "MultiDiscrete(%s)" % self.nvec

        def __eq__(self, other):
            return isinstance(other, MultiDiscrete) and numpy.array_equal(self.nvec, other.nvec)

    class _Seeded:
        """reset(seed=...) makes the generator anew, reset() goes on with it."""

        metadata = {"render_modes": []}
        render_mode = None
        spec = None
        _np_random = None
        _np_random_seed = None

        def reset(self, *, seed=None, options=None):
            if seed is not None:
                self._seed(seed)

        def _seed(self, seed=None):
            if seed is not None and (not isinstance(seed, (int, numpy.integer)) or seed < 0):
                raise ValueError("seed %r: a number of at least 0 is needed" % (seed,))
            sequence = numpy.random.SeedSequence(seed)
            self._np_random = numpy.random.Generator(numpy.random.PCG64(sequence))
            self._np_random_seed = sequence.entropy

        @property
        def np_random(self):
            if self._np_random is None:
                self._seed()
            return self._np_random

        @np_random.setter
        def np_random(self, generator):
            self._np_random, self._np_random_seed = generator, -1

        @property
        def np_random_seed(self):
            if self._np_random_seed is None:
                self._seed()
            return self._np_random_seed

        @property
        def unwrapped(self):
            return self

    class Env(_Seeded):
        def render(self):
            raise NotImplementedError

        def close(self):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.close()
            return False

    class VectorEnv(_Seeded):
        closed = False

        def close(self, **kwargs):
            if not self.closed:
                self.close_extras(**kwargs)
                self.closed = True

        def close_extras(self, **kwargs):
            pass


try:
    from gymnasium.vector import AutoresetMode

    NEXT_STEP = AutoresetMode.NEXT_STEP
except ImportError:
    NEXT_STEP = "NextStep"

try:
    from pettingzoo import ParallelEnv

    HAS_PETTINGZOO = True
except ImportError:
    HAS_PETTINGZOO = False

    class ParallelEnv:
        metadata = {}
        agents, possible_agents = [], []

        def observation_space(self, agent):
            return self.observation_spaces[agent]

        def action_space(self, agent):
            return self.action_spaces[agent]

        @property
        def num_agents(self):
            return len(self.agents)

        @property
        def max_num_agents(self):
            return len(self.possible_agents)

        @property
        def unwrapped(self):
            return self
