# SPDX-License-Identifier: BSD-3-Clause
"""Environments for reinforcement learning: queues of switches and flows of senders as agents.

    from weir.envs import QueueEnv, FlowEnv

    env = QueueEnv(open("mine.ini").read())
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

class                agents                                    interface
QueueEnv             all queues as one agent                   gymnasium.Env
FlowEnv              one flow; others follow their control     gymnasium.Env
ParallelQueueEnv     a queue each                              pettingzoo.ParallelEnv
ParallelFlowEnv      a flow each                               pettingzoo.ParallelEnv
QueueVectorEnv       many QueueEnv, on threads of the library  gymnasium.vector.VectorEnv
FlowVectorEnv        many networks with all their flows, the same

The classes derive from those of Gymnasium and PettingZoo where these are installed, and have the same interface where
they are not; numpy is needed. The scenario is the text of a file. Queues need switch.tune with an agent that can learn
(acc), flows a congestion control that can (fdcc, rl-cc): the scheme turns measurements into observations and rewards,
and actions into settings or factors; yours replaces its neural network. Mistakes are EnvError, a ValueError.

Options of reset: "settings", a dict or list of settings ({"switch.buffer": "5MB"}) that hold from then on, and
"scenario_seed", the seed of the scenario itself (as that of `weir run`), in place of one that np_random draws.

info: "flows", those that were completed in the step, each a dict with bytes, fct_ns, ideal_ns (slowdown = fct / ideal),
from, to, start_ns; "asks", which rows need an action; "measures", an array of the quantities env.measures names; at the
end of an episode "summary", a dict with completion times by size, goodput, drops and pauses.
"""
import warnings

import numpy

from ._env import FLOWS, GOES_ON, QUEUES, TERMINATED, THRESHOLDS, TRUNCATED, EnvError, Pool
from ._spaces import NEXT_STEP, Box, Discrete, Env, MultiDiscrete, ParallelEnv, VectorEnv, register

__all__ = ["EnvError", "FlowEnv", "FlowVectorEnv", "ParallelFlowEnv", "ParallelQueueEnv", "QueueEnv", "QueueVectorEnv"]

BOUND = 1e6  # of observations, as weir/env.h promises
METADATA = {"render_modes": ["ansi", "rgb_array"], "render_fps": 10}


def _queue_agents(action):
    kinds = {"discrete": QUEUES, "continuous": THRESHOLDS}
    if action not in kinds:
        raise EnvError("action %r; allowed: %s" % (action, ", ".join(kinds)))
    return kinds[action]


def _box(shape):
    return Box(numpy.float32(-BOUND), numpy.float32(BOUND), shape, numpy.float32)


def _row_action_space(shape, rows=()):
    """The actions of a row, or of an array of rows."""
    if shape.action_count:
        return MultiDiscrete(numpy.full(rows, shape.action_count)) if rows else Discrete(shape.action_count)
    low = numpy.float32(-1 if shape.action_size == 1 else 0)
    size = (shape.action_size,) if shape.action_size > 1 or not rows else ()
    return Box(low, numpy.float32(1), rows + size, numpy.float32)


class _Chart:
    """The last steps of an episode, as text or as a small picture."""

    WIDTH, HEIGHT, MARGIN = 320, 80, 4

    def __init__(self, is_drawn):
        self.series, self.is_drawn = {}, is_drawn

    def clear(self):
        self.series = {}

    def add(self, **values):
        if not self.is_drawn:
            return
        for name, value in values.items():
            self.series.setdefault(name, []).append(float(value))

    def text(self):
        return "\n".join("%-12s %s" % (name, " ".join("%.4g" % v for v in values[-8:]))
                         for name, values in self.series.items()) + "\n"

    def picture(self):
        """A strip for each series, lowest value at the bottom: uint8 [height, width, 3]."""
        strips = [self._strip(values) for values in self.series.values()]
        return numpy.concatenate(strips) if strips else self._strip([0.0])

    def _strip(self, values):
        image = numpy.full((self.HEIGHT, self.WIDTH, 3), 255, numpy.uint8)
        image[-1] = 200
        shown = numpy.array(values[-(self.WIDTH - 2 * self.MARGIN):])
        span = shown.max() - shown.min()
        share = (shown - shown.min()) / span if span > 0 else numpy.full(shown.shape, 0.5)
        y = (self.HEIGHT - 1 - self.MARGIN - share * (self.HEIGHT - 2 * self.MARGIN - 1)).astype(int)
        x = self.MARGIN + numpy.arange(len(shown))
        for step in range(2):
            image[y + step, x] = (31, 119, 180)
        return image


class _World:
    """What all classes share: a pool with its seeds, options and rendering."""

    def _open(self, scenario, agents, count=1, threads=1, render_mode=None, **plan):
        if render_mode is not None and render_mode not in METADATA["render_modes"]:
            raise EnvError("render_mode %r; allowed: %s" % (render_mode, ", ".join(METADATA["render_modes"])))
        self.render_mode = render_mode
        self._pool = Pool(scenario, agents, count, threads, **plan)
        self._chart = _Chart(render_mode is not None)
        self._over = True
        self.measures = self._pool.measures

    def _begin(self, seeds, options):
        """Options, then a reset with seeds: a number for each environment."""
        options = dict(options or {})
        settings, seed = options.pop("settings", None), options.pop("scenario_seed", None)
        options.pop("reset_mask", None)
        if options:
            warnings.warn("reset options %s have no meaning here; settings and scenario_seed have"
                          % ", ".join(sorted(map(str, options))), stacklevel=4)
        if settings is not None:
            self._pool.set(settings)
        if seed is not None:
            seeds = [seed] * self._pool.count if numpy.isscalar(seed) else seed
        self._pool.reset(seeds)
        self._over = False
        self._chart.clear()

    def _draw_seeds(self, count):
        return self.np_random.integers(2**63, size=count)

    def _check_goes_on(self):
        if self._over:
            raise EnvError("no episode goes on: reset comes before step")

    def _info(self, asks, measures):
        info = {"asks": asks, "measures": measures.copy(), "flows": self._pool.ended()}
        if self._over:
            info["summary"] = self._pool.summary()
        return info

    def ended(self, i=0):
        """The flows that were completed in the last step (of environment i)."""
        return self._pool.ended(i)

    def summary(self, i=0):
        """Completion times by size, goodput, drops, pauses of the episode so far (of environment i)."""
        return self._pool.summary(i)

    def render(self):
        if self.render_mode == "ansi":
            return self._chart.text()
        if self.render_mode == "rgb_array":
            return self._chart.picture()
        return None


# --- one agent ---


class QueueEnv(_World, Env):
    """All queues of the switch agents as one agent, a step an interval.

    observation -- float32 [rows, numbers]
    action      -- "discrete": the number of a setting for each row; "continuous": [rows, 3] in [0, 1], as
                   WEIR_ENV_THRESHOLDS of weir/env.h has it
    reward      -- the mean over the rows that ask; info["rewards"] has them all
    """

    metadata = METADATA

    def __init__(self, scenario, *, action="discrete", settings=None, render_mode=None):
        self._open(scenario, _queue_agents(action), settings=settings, render_mode=render_mode)
        shape = self._pool.shape
        self.observation_space = _box((shape.rows, shape.observation_size))
        self.action_space = _row_action_space(shape, (shape.rows,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._begin(self._draw_seeds(1), options)
        return self._pool.observations[0].copy(), self._result()

    def step(self, action):
        self._check_goes_on()
        pool = self._pool
        pool.actions[0] = action
        pool.step()
        asks = pool.asks[0]
        reward = float(pool.rewards[0][asks].mean()) if asks.any() else 0.0
        self._over = pool.done[0] != GOES_ON
        self._chart.add(reward=reward, queue_bytes=pool.measured[0, :, 1].max())
        return pool.observations[0].copy(), reward, False, bool(self._over), self._result()

    def _result(self):
        pool = self._pool
        info = self._info(pool.asks[0].copy(), pool.measured[0])
        info["rewards"] = pool.rewards[0].copy()
        return info

    def close(self):
        self._pool.close()


class FlowEnv(_World, Env):
    """One flow of the scenario as the agent, a step a decision; other flows follow their own control.

    flow        -- its number, in the order of starts
    observation -- float32 [numbers], of the scenario's fdcc or rl-cc
    action      -- float32 [1] in [-1, 1]: larger is faster
    terminated  -- the flow is complete; info["flows"] has its completion time. truncated: measure.to
    """

    metadata = METADATA

    def __init__(self, scenario, *, flow=0, settings=None, render_mode=None):
        self._open(scenario, FLOWS, settings=settings, flow=flow, render_mode=render_mode)
        shape = self._pool.shape
        self.observation_space, self.action_space = _box((shape.observation_size,)), _row_action_space(shape)
        self._row = None

    def _result(self):
        return self._info(not self._over, self._pool.measured[0, self._row])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._begin(self._draw_seeds(1), options)
        self._over = not self._pool.asks[0].any()
        if self._over:
            raise EnvError("the flow has no decision in this episode: it is complete before, or starts after its end")
        self._row = int(self._pool.asks[0].argmax())  # the flow's host: always the same
        return self._pool.observations[0, self._row].copy(), self._result()

    def step(self, action):
        self._check_goes_on()
        pool, row = self._pool, self._row
        pool.actions[0, row] = numpy.asarray(action, numpy.float32).reshape(())
        pool.step()
        done = int(pool.done[0])
        self._over = done != GOES_ON
        reward = 0.0 if self._over else float(pool.rewards[0, row])
        if not self._over:
            self._chart.add(reward=reward, rtt=pool.measured[0, row, 2], queue=pool.measured[0, row, 4])
        return pool.observations[0, row].copy(), reward, done == TERMINATED, done == TRUNCATED, self._result()

    def close(self):
        self._pool.close()


# --- an agent each ---


class _Parallel(_World, ParallelEnv):
    _np_random = None

    @property
    def np_random(self):
        if self._np_random is None:
            self._np_random = numpy.random.default_rng()
        return self._np_random

    def _name_agents(self, pattern):
        shape = self._pool.shape
        self.possible_agents = [pattern % i for i in range(shape.agents)]
        self.agents = []
        one, action = _box((shape.observation_size,)), lambda: _row_action_space(shape)
        self.observation_spaces = {agent: one for agent in self.possible_agents}
        self.action_spaces = {agent: action() for agent in self.possible_agents}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def _begin_episode(self, seed, options):
        if seed is not None:
            self._np_random = numpy.random.default_rng(seed)
        self._begin(self._draw_seeds(1), options)

    def state(self):
        """All rows at once, as the environment has them."""
        return self._pool.observations[0].copy()

    def close(self):
        self._pool.close()


class ParallelQueueEnv(_Parallel):
    """Each queue of the switch agents is an agent: queue_0, queue_1, ... All act at the end of each interval; the action
    of a queue whose info["asks"] is False is ignored. All are truncated at the end of an episode."""

    metadata = {"name": "weir_queues_v0", "is_parallelizable": True, **METADATA}

    def __init__(self, scenario, *, action="discrete", settings=None, render_mode=None):
        self._open(scenario, _queue_agents(action), settings=settings, render_mode=render_mode)
        self._name_agents("queue_%d")

    def _infos(self):
        pool = self._pool
        infos = {agent: {"asks": bool(pool.asks[0, i]), "measures": pool.measured[0, i].copy()}
                 for i, agent in enumerate(self.possible_agents)}
        if pool.done[0] != GOES_ON:
            summary = pool.summary()
            for info in infos.values():
                info["summary"] = summary
        return infos

    def _observations(self):
        return dict(zip(self.possible_agents, self._pool.observations[0].copy()))

    def reset(self, seed=None, options=None):
        self._begin_episode(seed, options)
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos()

    def step(self, actions):
        self._check_goes_on()
        pool = self._pool
        for i, agent in enumerate(self.possible_agents):
            if agent in actions:
                pool.actions[0, i] = actions[agent]
        pool.step()
        over = bool(pool.done[0] != GOES_ON)
        self._over = over
        if over:
            self.agents = []
        self._chart.add(reward=pool.rewards[0].mean(), queue_bytes=pool.measured[0, :, 1].max())
        rewards = dict(zip(self.possible_agents, map(float, pool.rewards[0])))
        return (self._observations(), rewards, dict.fromkeys(self.possible_agents, False),
                dict.fromkeys(self.possible_agents, over), self._infos())


class ParallelFlowEnv(_Parallel):
    """Each flow whose control can learn is an agent, from its first decision on: flow_0, flow_1, ..., in the order of
    starts. A step ends when some flow asks, and delivers all that ask in that moment (a lookahead window): those have
    info["asks"], a new observation and the reward of their last action. The others keep theirs, with a reward of 0, and
    their actions are ignored. A flow is terminated when its receiver has every byte. Where flows share connections
    (connections = persistent), the agent is the connection, by the number of its first flow, and is truncated at the
    end. info["flows"] has the completion times of the agent's flows."""

    metadata = {"name": "weir_flows_v0", "is_parallelizable": True, **METADATA}

    def __init__(self, scenario, *, traffic=None, settings=None, render_mode=None):
        self._open(scenario, FLOWS, settings=settings, traffic=traffic, render_mode=render_mode)
        self._name_agents("flow_%d")
        self._last = {}

    def _asking(self):
        rows = numpy.flatnonzero(self._pool.asks[0])
        return [(self.possible_agents[self._pool.agents[0, row]], row) for row in rows]

    def reset(self, seed=None, options=None):
        self._begin_episode(seed, options)
        asking = self._asking()
        self.agents = [agent for agent, _ in asking]
        self._rows, self._closed = dict(asking), set()
        self._last = {agent: self._pool.observations[0, row].copy() for agent, row in asking}
        return dict(self._last), {agent: self._info_of(agent, row) for agent, row in asking}

    def _advance(self):
        """Steps until an agent that lives asks, or the episode is over. A flow that is complete may ask once more, at
        its last ACKs, when it has nothing left to send: the answer is 0."""
        pool, ended = self._pool, []
        while True:
            pool.step()
            complete = pool.ended()
            ended += complete
            self._closed.update(self.possible_agents[flow["agent"]] for flow in complete if flow["closes"])
            live = {agent: row for agent, row in self._asking() if agent not in self._closed}
            if live or pool.done[0] != GOES_ON:
                return live, ended
            pool.actions.fill(0)

    def _info_of(self, agent, row):
        return {"asks": True, "measures": self._pool.measured[0, row].copy()}

    def step(self, actions):
        self._check_goes_on()
        pool = self._pool
        pool.actions.fill(0)
        for agent, row in self._rows.items():
            if agent not in actions:
                raise EnvError("%s asks for an action and has none" % agent)
            pool.actions[0, row] = numpy.asarray(actions[agent], numpy.float32).reshape(())
        asking, ended = self._advance()
        self._rows = asking
        self._over = over = bool(pool.done[0] != GOES_ON)
        live = self.agents + [agent for agent in asking if agent not in self._last]
        rewards, infos = dict.fromkeys(live, 0.0), {agent: {"asks": False} for agent in live}
        terminated, truncated = dict.fromkeys(live, False), dict.fromkeys(live, over)
        for agent, row in asking.items():
            self._last[agent] = pool.observations[0, row].copy()
            rewards[agent], infos[agent] = float(pool.rewards[0, row]), self._info_of(agent, row)
        for flow in ended:
            agent = self.possible_agents[flow["agent"]]
            if agent in terminated:
                infos[agent].setdefault("flows", []).append(flow)
                if flow["closes"]:
                    terminated[agent], truncated[agent] = True, False
        if over:
            summary = pool.summary()
            for info in infos.values():
                info["summary"] = summary
        if asking:
            self._chart.add(reward=sum(rewards[agent] for agent in asking) / len(asking), agents=len(live))
        self.agents = [agent for agent in live if not (terminated[agent] or truncated[agent])]
        return {agent: self._last[agent] for agent in live}, rewards, terminated, truncated, infos


# --- many networks ---


class _Vector(_World, VectorEnv):
    """Environments on the library's threads; results do not depend on how many. An environment whose episode is over
    starts the next one with the following step, whose action it ignores and whose reward is 0 (AutoresetMode.NEXT_STEP).
    With copy=False arrays are those of the library, which the next step overwrites."""

    metadata = {"autoreset_mode": NEXT_STEP, **METADATA}

    def _open_vector(self, scenario, agents, num_envs, threads, copy, **plan):
        self._open(scenario, agents, num_envs, threads, **plan)
        shape = self._pool.shape
        self.num_envs, self.copy = num_envs, copy
        self.single_observation_space = _box((shape.rows, shape.observation_size))
        self.observation_space = _box((num_envs, shape.rows, shape.observation_size))
        self.single_action_space = _row_action_space(shape, (shape.rows,))
        self.action_space = _row_action_space(shape, (num_envs, shape.rows))
        self._restarts = numpy.zeros(num_envs, numpy.bool_)
        self._all = numpy.ones(num_envs, numpy.bool_)
        self._all.flags.writeable = False

    def _view(self, array):
        return array.copy() if self.copy else array

    def _infos(self):
        pool = self._pool
        infos = {"asks": self._view(pool.asks), "rewards": self._view(pool.rewards),
                 "agents": self._view(pool.agents), "measures": self._view(pool.measured)}
        infos.update({"_" + name: self._all for name in tuple(infos)})
        if pool.done.any():
            over = pool.done != GOES_ON
            infos["_summary"], infos["summary"] = over, numpy.full(self.num_envs, None, object)
            for i in numpy.flatnonzero(over):
                infos["summary"][i] = pool.summary(i)
        return infos

    def reset(self, *, seed=None, options=None):
        """seed: a number, a list with one for each environment (None: drawn), or None."""
        each = seed if isinstance(seed, (list, tuple, numpy.ndarray)) else None
        super().reset(seed=None if each is not None else seed)
        seeds = self._draw_seeds(self.num_envs)
        if each is not None:
            if len(each) != self.num_envs:
                raise EnvError("%d seeds; there are %d environments" % (len(each), self.num_envs))
            seeds = [drawn if given is None else int(numpy.random.default_rng(given).integers(2**63))
                     for drawn, given in zip(seeds, each)]
        self._begin(seeds, options)
        self._restarts[:] = False
        return self._view(self._pool.observations), self._infos()

    def step(self, actions):
        self._check_goes_on()
        pool = self._pool
        pool.actions[...] = actions
        pool.step()
        asks = pool.asks
        rewards = (pool.rewards * asks).sum(1) / numpy.maximum(asks.sum(1), 1)
        if self._restarts.any():
            rewards[self._restarts] = 0
        numpy.not_equal(pool.done, GOES_ON, out=self._restarts)
        return (self._view(pool.observations), rewards, pool.done == TERMINATED, pool.done == TRUNCATED, self._infos())

    def close_extras(self, **_):
        if hasattr(self, "_pool"):
            self._pool.close()


class QueueVectorEnv(_Vector):
    """num_envs networks; each is as in QueueEnv. rewards: the mean over the queues that ask."""

    def __init__(self, scenario, num_envs, *, threads=1, action="discrete", settings=None, copy=True):
        self._open_vector(scenario, _queue_agents(action), num_envs, threads, copy, settings=settings)


class FlowVectorEnv(_Vector):
    """num_envs networks with all flows whose control can learn. Rows are hosts: infos["asks"] says whose flow asks,
    infos["agents"] which flow that is, infos["rewards"] what its last action was worth. Transitions are those of a flow:
    from one of its rows to the next with the same number. rewards: the mean over the rows that ask."""

    def __init__(self, scenario, num_envs, *, threads=1, traffic=None, settings=None, copy=True):
        self._open_vector(scenario, FLOWS, num_envs, threads, copy, traffic=traffic, settings=settings)


# gymnasium.make("weir/Queues-v0", scenario=text), gymnasium.make_vec("weir/Flows-v0", num_envs=16, scenario=text)
register(id="weir/Queues-v0", entry_point=QueueEnv, vector_entry_point=QueueVectorEnv)
register(id="weir/Flow-v0", entry_point=FlowEnv)
register(id="weir/Flows-v0", vector_entry_point=FlowVectorEnv)
