# SPDX-License-Identifier: BSD-3-Clause
"""The published rules of Gymnasium and PettingZoo for environments, as checks: what gymnasium.utils.env_checker,
passive_env_checker and pettingzoo.test.parallel_api_test require, in our own words and code, because neither package is
in Debian 12. Each function raises AssertionError."""
import copy
import inspect

import numpy


def same(a, b):
    """Equal data: dictionaries, lists, arrays, numbers."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, numpy.ndarray) and a.dtype == object:
        return a.shape == b.shape and all(map(same, a.flat, b.flat))
    if isinstance(a, numpy.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return a == b or (a != a and b != b)


def check_space(space):
    """A space samples what it contains, alike after the same seed."""
    space.seed(7)
    first = [space.sample() for _ in range(4)]
    space.seed(7)
    for sample in first:
        assert sample in space
        assert same(sample, space.sample())
    if hasattr(space, "low"):
        assert space.low.shape == space.high.shape == space.shape and (space.low < space.high).all()
        assert numpy.isfinite(space.low).all() and numpy.isfinite(space.high).all()


def check_action_box(space):
    """A Box of actions is symmetric in [-1, 1], or [0, 1]."""
    if hasattr(space, "low"):
        assert (space.high == 1).all() and ((space.low == -1).all() or (space.low == 0).all())


def check_observation(observation, space):
    assert isinstance(observation, numpy.ndarray) and observation.dtype == space.dtype
    assert observation in space


def check_signature(reset, keyword_only):
    parameters = inspect.signature(reset).parameters
    for name in ("seed", "options"):
        assert parameters[name].default is None
        if keyword_only:
            assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
    assert "return_info" not in parameters


def check_reward(reward):
    assert isinstance(reward, (float, int, numpy.floating, numpy.integer)) and numpy.isfinite(reward)


def play(env, seed, steps, **options):
    """All that an episode gives, with actions of a generator of its own."""
    env.action_space.seed(3)
    seen = [env.reset(seed=seed, **options)]
    for _ in range(steps):
        seen.append(env.step(env.action_space.sample()))
        if seen[-1][2] or seen[-1][3]:
            break
    return seen


def check_env(env):
    """gymnasium.Env"""
    check_space(env.observation_space)
    check_space(env.action_space)
    check_action_box(env.action_space)
    check_signature(env.reset, keyword_only=True)
    assert not callable(getattr(env, "seed", None))
    assert env.unwrapped is env
    result = env.reset()
    assert isinstance(result, tuple) and len(result) == 2
    check_observation(result[0], env.observation_space)
    assert isinstance(result[1], dict)
    check_seeding(env)
    env.reset(options={})
    check_steps(env)
    check_render_metadata(env)


def check_seeding(env):
    """The same seed: the same episode and generator; another: others; none: the generator goes on."""
    first = env.reset(seed=123)
    state = copy.deepcopy(env.unwrapped._np_random.bit_generator.state)
    assert same(first, env.reset(seed=123))
    assert env.unwrapped._np_random.bit_generator.state == state
    env.reset(seed=456)
    assert env.unwrapped._np_random.bit_generator.state != state
    env.reset(seed=123)
    unseeded = env.reset(), env.reset()
    assert not same(unseeded[0], unseeded[1]) and not same(first, unseeded[0])
    env.reset(seed=123)
    assert same(unseeded, (env.reset(seed=None), env.reset()))
    assert same(play(env, 5, 20), play(env, 5, 20))
    assert env.np_random_seed == 5


def check_steps(env):
    """Types of what a step returns, up to the end of an episode; nothing that was returned changes."""
    kept = [env.reset(seed=1)]
    before = copy.deepcopy(kept)
    over, steps = False, 0
    while not over:
        action = env.action_space.sample()
        given = copy.deepcopy(action)
        result = env.step(action)
        assert same(action, given)
        assert isinstance(result, tuple) and len(result) == 5
        observation, reward, terminated, truncated, info = result
        check_observation(observation, env.observation_space)
        check_reward(reward)
        assert isinstance(terminated, bool) and isinstance(truncated, bool) and not (terminated and truncated)
        assert isinstance(info, dict)
        if steps < 5:
            kept.append(result)
            before.append(copy.deepcopy(result))
        over, steps = terminated or truncated, steps + 1
    assert same(kept, before)
    return steps, terminated, truncated, info


def check_render_metadata(env):
    assert all(isinstance(mode, str) for mode in env.metadata["render_modes"])
    assert env.metadata["render_fps"] > 0
    assert env.render_mode is None or env.render_mode in env.metadata["render_modes"]


def check_picture(picture):
    assert isinstance(picture, numpy.ndarray) and picture.dtype == numpy.uint8
    assert picture.ndim == 3 and picture.shape[2] == 3


def check_parallel(env, cycles=100000):
    """pettingzoo.ParallelEnv: two episodes with random actions."""
    check_signature(env.reset, keyword_only=False)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        check_action_box(env.action_space(agent))
    ends = []
    for _ in range(2):
        observations, infos = env.reset()
        assert set(observations) == set(infos) == set(env.agents)
        live, finished = set(env.agents), set()
        for _ in range(cycles):
            results = env.step({agent: env.action_space(agent).sample() for agent in env.agents})
            assert len(results) == 5 and all(isinstance(result, dict) for result in results)
            observations, rewards, terminated, truncated, infos = results
            live |= set(env.agents)
            assert not live & finished, "an agent that had ended is back"
            assert all(set(result) == live for result in results)
            for agent in live:
                check_observation(observations[agent], env.observation_space(agent))
                check_reward(rewards[agent])
                assert isinstance(terminated[agent], bool) and isinstance(truncated[agent], bool)
                assert isinstance(infos[agent], dict)
            gone = {agent for agent in live if terminated[agent] or truncated[agent]}
            finished |= gone
            live -= gone
            assert set(env.agents) == live and live <= set(env.possible_agents)
            assert env.num_agents == len(live) and env.max_num_agents == len(env.possible_agents)
            if not live:
                break
        assert not live, "the episode has no end"
        ends.append(finished)
    return ends


def check_vector(env, steps):
    """gymnasium.vector.VectorEnv: shapes, types and masks of infos."""
    number = env.num_envs
    check_signature(env.reset, keyword_only=True)
    for single, batch in ((env.single_observation_space, env.observation_space),
                          (env.single_action_space, env.action_space)):
        check_space(single)
        check_space(batch)
        assert batch.shape == (number,) + single.shape and batch.dtype == single.dtype
    observations, infos = env.reset(seed=1)
    ends = 0
    for _ in range(steps):
        check_observation(observations, env.observation_space)
        for name in infos:
            assert name.startswith("_") or infos["_" + name].shape == (number,)
        result = env.step(env.action_space.sample())
        before = copy.deepcopy(result)
        observations, rewards, terminations, truncations, infos = result
        assert rewards.shape == (number,) and numpy.isfinite(rewards).all()
        assert terminations.shape == truncations.shape == (number,)
        assert terminations.dtype == truncations.dtype == numpy.bool_
        ends += int((terminations | truncations).sum())
    assert same(result, before)
    return ends
