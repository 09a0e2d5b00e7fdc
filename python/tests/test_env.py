# SPDX-License-Identifier: BSD-3-Clause
"""Environments (weir.envs) follow the published rules of Gymnasium and PettingZoo, and what weir/env.h promises.

	PYTHONPATH=python python3 -m unittest discover -s python/tests -p 'test_env*.py'

Needs numpy and the library (make lib)."""
import itertools
import sys
import unittest
import warnings
from pathlib import Path

try:
    import numpy
except ImportError:
    raise unittest.SkipTest("numpy is not installed")

sys.path.insert(0, str(Path(__file__).resolve().parent))
import env_rules as rules  # noqa: E402
from weir import _spaces, envs  # noqa: E402

QUEUES = """
[network]
topology = star
hosts = 4
rate = 10Gbps
delay = 1us
[switch]
marking = red
tune = acc(policy=untrained, idle=none)
tune-interval = 100us
buffer = 1MB
[host]
cc = dctcp
[traffic some]
pattern = all-to-all
sizes = websearch
load = 0.8
[measure]
to = 2ms
drain = 0us
"""
FLOWS = """
[network]
topology = star
hosts = 4
rate = 10Gbps
delay = 1us
[switch]
marking = none
buffer = 1MB
buffer-per = switch
lossless = all
[host]
cc = fdcc(policy=untrained)
[rdma]
int-header = 70B
int-flows = exact
[traffic some]
pattern = list
flow = 0 3 300KB 0us
flow = 1 3 600KB 5us
flow = 2 3 50KB 200us
[measure]
to = 5ms
"""


def endless(text):
    return text.replace("300KB", "unlimited").replace("5ms", "300us")


class Rules(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")

    def test_queue_env_follows_gymnasium_discrete_and_continuous(self):
        for action in ("discrete", "continuous"):
            env = envs.QueueEnv(QUEUES, action=action)
            rules.check_env(env)
            steps, terminated, truncated, info = rules.check_steps(env)
            self.assertEqual((steps, terminated, truncated), (19, False, True))
            self.assertGreater(info["summary"]["all"]["flows"], 0)
            env.close()
            env.close()

    def test_flow_env_follows_gymnasium_and_terminates_with_the_flow(self):
        env = envs.FlowEnv(FLOWS)
        rules.check_env(env)
        _, terminated, truncated, info = rules.check_steps(env)
        self.assertEqual((terminated, truncated), (True, False))
        self.assertEqual(info["flows"][-1]["bytes"], 300000)
        self.assertGreater(info["flows"][-1]["fct_ns"], info["flows"][-1]["ideal_ns"])

    def test_a_flow_without_end_is_truncated(self):
        _, terminated, truncated, info = rules.check_steps(envs.FlowEnv(endless(FLOWS)))
        self.assertEqual((terminated, truncated), (False, True))
        self.assertEqual(info["summary"]["now_ns"], 300000)

    def test_parallel_queues_follow_pettingzoo(self):
        for action in ("discrete", "continuous"):
            env = envs.ParallelQueueEnv(QUEUES, action=action)
            ends = rules.check_parallel(env)
            self.assertEqual(ends, [set(env.possible_agents)] * 2)

    def test_parallel_flows_follow_pettingzoo_and_all_terminate(self):
        env = envs.ParallelFlowEnv(FLOWS.replace("5ms", "100ms"))
        self.assertEqual(rules.check_parallel(env), [{"flow_0", "flow_1", "flow_2"}] * 2)
        self.assertEqual(env.summary()["all"]["flows"], 3)

    def test_vector_envs_follow_gymnasium(self):
        for make in (envs.QueueVectorEnv, lambda *a, **k: envs.QueueVectorEnv(*a, action="continuous", **k)):
            with self.subTest(make=make):
                self.assertEqual(rules.check_vector(make(QUEUES, 3), 45), 6)
        self.assertGreater(rules.check_vector(envs.FlowVectorEnv(FLOWS, 3), 800), 3)
        self.assertIs(envs.QueueVectorEnv.metadata["autoreset_mode"], _spaces.NEXT_STEP)

    def test_parallel_reset_takes_options_that_mean_nothing_with_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "options have no meaning here"):
            envs.ParallelFlowEnv(FLOWS).reset(seed=0, options={"options": 1})

    @unittest.skipUnless(_spaces.HAS_GYMNASIUM, "gymnasium is not installed")
    def test_gymnasiums_own_checker(self):
        import gymnasium
        from gymnasium.utils.env_checker import check_env

        for env in (envs.QueueEnv(QUEUES), envs.FlowEnv(FLOWS)):
            check_env(env, skip_render_check=True)
        for name, text in (("weir/Queues-v0", QUEUES), ("weir/Flow-v0", FLOWS)):
            check_env(gymnasium.make(name, scenario=text).unwrapped)
        for name, text in (("weir/Queues-v0", QUEUES), ("weir/Flows-v0", FLOWS)):
            env = gymnasium.make_vec(name, num_envs=2, scenario=text)
            self.assertEqual(env.reset(seed=1)[0].shape[0], 2)
            env.close()

    @unittest.skipUnless(_spaces.HAS_PETTINGZOO, "pettingzoo is not installed")
    def test_pettingzoos_own_test(self):
        from pettingzoo.test import parallel_api_test

        warnings.simplefilter("default")
        for env in (envs.ParallelQueueEnv(QUEUES), envs.ParallelFlowEnv(FLOWS)):
            parallel_api_test(env)


class Rendering(unittest.TestCase):
    def test_text_and_picture(self):
        for make in (envs.QueueEnv, envs.FlowEnv, envs.ParallelQueueEnv, envs.ParallelFlowEnv):
            for mode in ("ansi", "rgb_array"):
                env = make(FLOWS if "Flow" in make.__name__ else QUEUES, render_mode=mode)
                env.reset(seed=1)
                for _ in range(400 if mode == "rgb_array" else 2):
                    if hasattr(env, "agents"):
                        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
                        over = not env.agents
                    else:
                        over = any(env.step(env.action_space.sample())[2:4])
                    if over:
                        break
                if mode == "ansi":
                    self.assertRegex(env.render(), r"^reward +\S")
                else:
                    rules.check_picture(env.render())
        self.assertIsNone(envs.QueueEnv(QUEUES).render())


class Seeds(unittest.TestCase):
    def test_the_scenarios_own_seed_gives_the_same_episode_whatever_the_generator(self):
        env = envs.QueueEnv(QUEUES)
        first = rules.play(env, 1, 5, options={"scenario_seed": 9})
        self.assertTrue(rules.same(first, rules.play(env, 2, 5, options={"scenario_seed": 9})))
        self.assertFalse(rules.same(first, rules.play(env, 1, 5, options={"scenario_seed": 8})))

    def test_settings_of_a_reset_hold_from_then_on(self):
        env = envs.QueueEnv(QUEUES)
        first = rules.play(env, 1, 5)
        other = rules.play(env, 1, 5, options={"settings": {"host.cc": "dcqcn"}})
        self.assertFalse(rules.same(first, other))
        self.assertTrue(rules.same(other, rules.play(env, 1, 5)))
        self.assertTrue(rules.same(first, rules.play(env, 1, 5, options={"settings": []})))
        with self.assertRaisesRegex(envs.EnvError, "make another environment"):
            env.reset(options={"settings": ["network.hosts=5"]})
        with self.assertRaisesRegex(envs.EnvError, "nearest: host"):
            env.reset(options={"settings": ["hst.cc=dcqcn"]})

    def test_vector_results_do_not_depend_on_threads(self):
        for make, text in ((envs.QueueVectorEnv, QUEUES), (envs.FlowVectorEnv, FLOWS)):
            seen = []
            for threads in (1, 2, 3):
                env = make(text, 4, threads=threads)
                env.action_space.seed(1)
                seen.append([env.reset(seed=4)] + [env.step(env.action_space.sample()) for _ in range(60)])
            self.assertTrue(rules.same(seen[0], seen[1]) and rules.same(seen[0], seen[2]))

    def test_an_environment_of_a_vector_is_a_single_one(self):
        vector, single = envs.QueueVectorEnv(QUEUES, 3), envs.QueueEnv(QUEUES)
        observations, _ = vector.reset(options={"scenario_seed": [5, 6, 7]})
        self.assertTrue(rules.same(single.reset(options={"scenario_seed": 6})[0], observations[1]))
        for _ in range(5):
            actions = vector.action_space.sample()
            observations, rewards, *_ = vector.step(actions)
            observation, reward, *_ = single.step(actions[1])
            self.assertTrue(rules.same(observation, observations[1]))
            self.assertAlmostEqual(reward, rewards[1], 6)

    def test_vector_seeds_can_be_a_list(self):
        env = envs.QueueVectorEnv(QUEUES, 3)
        first, _ = env.reset(seed=[1, 2, 1])
        self.assertTrue((first[0] == first[2]).all() and not (first[0] == first[1]).all())
        with self.assertRaisesRegex(envs.EnvError, "2 seeds; there are 3 environments"):
            env.reset(seed=[1, 2])

    def test_the_step_after_an_end_starts_the_next_episode_and_ignores_its_action(self):
        runs = []
        for action in (0, 1):
            env = envs.QueueVectorEnv(QUEUES, 1)
            env.reset(seed=1)
            steps = (env.step(numpy.zeros((1, 4), int)) for _ in range(100))
            last = next(result for result in steps if result[3][0])
            self.assertEqual(last[4]["summary"][0]["now_ns"], 2000000)
            runs.append(env.step(numpy.full((1, 4), action)))
            self.assertFalse(runs[-1][3][0] or "summary" in runs[-1][4])
            self.assertEqual(runs[-1][1][0], 0)
            self.assertNotEqual(env.step(numpy.zeros((1, 4), int))[1][0], 0)
        self.assertTrue(rules.same(runs[0], runs[1]))

    def test_without_copies_arrays_are_the_librarys(self):
        env = envs.QueueVectorEnv(QUEUES, 2, copy=False)
        observations, _ = env.reset(seed=1)
        again = env.step(env.action_space.sample())[0]
        self.assertIs(observations, again)


class Flows(unittest.TestCase):
    def test_larger_actions_make_a_flow_faster(self):
        fct = []
        for action in (-1, 1):
            env = envs.FlowEnv(FLOWS, flow=0)
            env.reset(seed=1)
            result = next(r for r in (env.step(action) for _ in itertools.count()) if r[2] or r[3])
            flows = [flow for flow in result[4]["flows"] if flow["flow"] == 0]
            fct.append(flows[0]["fct_ns"] if flows else 5000000)
        self.assertGreater(fct[0], 2 * fct[1])

    def test_flows_of_one_section_ask_and_others_follow_their_own_network(self):
        text = FLOWS.replace("[measure]", "[traffic more]\npattern = list\nflow = 1 3 unlimited 0us\ncc = fdcc\n[measure]")
        env = envs.ParallelFlowEnv(text, traffic="more")
        env.reset(seed=1)
        seen = set(env.agents)
        while env.agents:
            env.step({agent: numpy.float32(-0.5) for agent in env.agents})
            seen.update(env.agents)
        self.assertEqual(len(seen), 1)

    def test_measures_have_names(self):
        self.assertEqual(envs.FlowEnv(FLOWS).measures[:3], ("throughput", "flows", "rtt"))
        env = envs.QueueEnv(QUEUES, action="continuous")
        env.reset(seed=1)
        _, _, _, _, info = env.step(numpy.tile(numpy.float32([0.5, 0.5, 0.25]), (4, 1)))
        shown = dict(zip(env.measures, info["measures"][0]))
        self.assertEqual((shown["k_min_bytes"], shown["k_max_bytes"]), (32768, 65536))
        self.assertAlmostEqual(shown["p_max"], 0.25, 4)


class Mistakes(unittest.TestCase):
    def check(self, pattern, call, *arguments, **named):
        with self.assertRaisesRegex(envs.EnvError, pattern):
            call(*arguments, **named)

    def test_mistakes_are_one_sentence_and_no_abort(self):
        self.check("scenario:2: network.topology: .*nearest: star", envs.QueueEnv, "[network]\ntopology = sta\n")
        self.check("switch.tune: an environment needs an agent", envs.QueueEnv, FLOWS)
        self.check("host.cc: an environment of flows needs", envs.FlowEnv, QUEUES)
        self.check("no section \\[traffic other\\]", envs.FlowVectorEnv, FLOWS, 2, traffic="other")
        self.check("host.cc: an environment of flows", envs.FlowEnv, FLOWS, flow=99)
        self.check("render_mode 'human'; allowed", envs.QueueEnv, QUEUES, render_mode="human")
        self.check("action 'box'; allowed: discrete, continuous", envs.QueueEnv, QUEUES, action="box")
        self.check("at least 1 is needed", envs.QueueVectorEnv, QUEUES, 0)
        self.check("flows are numbered from 0", envs.FlowEnv, FLOWS, flow=-1)
        self.check("a number of at least 0 is needed", envs.FlowEnv(FLOWS).reset, options={"scenario_seed": -1})
        self.check("--set host.cc=dcqnc: .*nearest: dcqcn", envs.QueueEnv, QUEUES, settings="host.cc=dcqnc")

    def test_wrong_actions_and_orders_are_refused_and_the_episode_goes_on(self):
        env = envs.QueueEnv(QUEUES)
        self.check("reset comes before step", env.step, numpy.zeros(4, int))
        env.reset(seed=1)
        self.check("^action 99 of row 0; the last is 15", env.step, numpy.full(4, 99))
        env.step(numpy.zeros(4, int))
        env.close()
        self.check("closed", env.reset)
        env = envs.FlowEnv(FLOWS)
        env.reset(seed=1)
        for action in (1.5, numpy.nan):
            self.check("a number from -1 to 1 is needed", env.step, action)
        env.step(0.0)
        env = envs.QueueEnv(QUEUES, action="continuous")
        env.reset(seed=1)
        self.check("numbers from 0 to 1", env.step, numpy.full((4, 3), -0.1))
        env = envs.ParallelFlowEnv(FLOWS)
        env.reset(seed=1)
        self.check("asks for an action and has none", env.step, {})

    def test_the_end_needs_a_reset(self):
        env = envs.FlowEnv(FLOWS)
        rules.check_steps(env)
        self.check("no episode goes on", env.step, 0.0)
        env.reset()


if __name__ == "__main__":
    unittest.main()
