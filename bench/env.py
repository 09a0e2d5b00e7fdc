#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""env.py -- what an agent's step costs through Python (weir.envs), on the scenarios of bench/env.c, with random actions.

	bench/env.py [ENVIRONMENTS [THREADS]]

Processor time is that of all threads, user and system; random actions are drawn outside of it."""
import sys
import time
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
from weir import envs  # noqa: E402

SECONDS, SECONDS_MAX, DRAWS = 1.0, 20.0, 64


def measure(env, actions, count):
    """Agent-steps in a second of processor time: count(result) says how many agents got an observation."""
    env.reset(seed=1)
    agents, step, spent, over, episodes = 0, 0, 0.0, False, 0
    number = getattr(env, "num_envs", 1)
    while spent < SECONDS or (episodes < number and spent < SECONDS_MAX):  # whole episodes: their beginning has less traffic
        began = time.process_time()
        for _ in range(50):
            if over:
                env.reset()
                over = False
            result = env.step(actions[step % DRAWS])
            agents += count(result)
            step += 1
            if number == 1:
                over = result[2] or result[3]
                episodes += over
            else:
                episodes += numpy.count_nonzero(result[2]) + numpy.count_nonzero(result[3])
        spent += time.process_time() - began
    env.close()
    return agents / spent


def row(what, kind, env, count):
    actions = [env.action_space.sample() for _ in range(DRAWS)]
    rate = measure(env, actions, count)
    print("%-28s %-22s %10.0f %14.0f" % (what, kind, 1e9 / rate, rate), flush=True)


def parallel(what, env):
    """PettingZoo's interface: every live agent gets its dictionary entries in each step."""
    env.reset(seed=1)
    action, agents, spent = numpy.zeros(1, numpy.float32), 0, 0.0
    while spent < SECONDS:
        actions = dict.fromkeys(env.agents, action)
        began = time.process_time()
        infos = env.step(actions)[4]
        if not env.agents:
            env.reset()
        spent += time.process_time() - began
        agents += sum(info["asks"] for info in infos.values())
    print("%-28s %-22s %10.0f %14.0f" % (what, "ParallelFlowEnv", 1e9 * spent / agents, agents / spent), flush=True)


def main():
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    text = {path.stem: path.read_text() for path in (ROOT / "bench" / "env").glob("*.ini")}
    queues, some = text["queues"], "%d on %d" % (number, threads)
    print("\n%-28s %-22s %10s %14s" % ("environments in Python", "class", "CPU-ns", "a CPU-second"))
    for action, what in (("discrete", "queues, settings"), ("continuous", "queues, thresholds")):
        row(what, "QueueEnv", envs.QueueEnv(queues, action=action), lambda r: r[0].shape[0])
        row(what, "QueueVectorEnv " + some, envs.QueueVectorEnv(queues, number, threads=threads, action=action),
            lambda r: r[0].shape[0] * r[0].shape[1])
    row("queues of a Clos, 64 hosts", "QueueEnv", envs.QueueEnv(text["queues-clos"]), lambda r: r[0].shape[0])
    row("queues of a Clos, 64 hosts", "QueueVectorEnv " + some,
        envs.QueueVectorEnv(text["queues-clos"], number, threads=threads), lambda r: r[0].shape[0] * r[0].shape[1])
    for name, what in (("flows-2", "2 flows"), ("flows-12", "12 flows"), ("flows-96", "96 flows"),
                       ("flows-clos", "flows of a Clos, 32 hosts")):
        if name == "flows-2":
            row("1 of 2 flows", "FlowEnv", envs.FlowEnv(text[name]), lambda r: 1)
        parallel(what, envs.ParallelFlowEnv(text[name]))
        row(what, "FlowVectorEnv " + some, envs.FlowVectorEnv(text[name], number, threads=threads),
            lambda r: int(r[4]["asks"].sum()))


if __name__ == "__main__":
    main()
