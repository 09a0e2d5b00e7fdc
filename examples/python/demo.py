# SPDX-License-Identifier: BSD-3-Clause
"""Plays an episode with switch agents and one with flow agents, each with random actions and with a simple rule, and
prints what they were worth in reward and in completion times: python3 demo.py [SEED]

It needs numpy, and the package weir: installed, or PYTHONPATH=../../python in the source tree after 'make lib'."""
import sys
import time

import numpy

from weir.envs import FlowVectorEnv, ParallelFlowEnv, QueueEnv

# Short requests among long answers; ECN thresholds decide which of them wait.
SWITCH = """
[network]
topology = leaf-spine
leaves = 2
spines = 2
hosts-per-leaf = 4
rate = 25Gbps
delay = 1us
[switch]
marking = red
tune = acc(preset=weir, policy=untrained)
tune-interval = 100us
buffer = 4MB
buffer-per = switch
[host]
cc = dctcp
[traffic web]
pattern = all-to-all
sizes = websearch
load = 0.6
[measure]
to = 20ms
drain = 0us
"""

# Eight senders with a queue pair each to one receiver.
FLOWS = """
[network]
topology = star
hosts = 9
rate = 100Gbps
delay = 1us
[switch]
marking = none
lossless = all
buffer = 16MB
buffer-per = switch
[host]
cc = fdcc(policy=untrained)
[rdma]
int-header = 70B
int-flows = exact
[traffic incast]
pattern = many-to-one
receiver = 8
senders = 8
size = 500KB
[measure]
to = 2ms
"""


def report(name, total, steps, summary):
    flows = summary["all"]
    print("%-16s reward %8.4f in %4d steps; %3d flows, mean slowdown %6.2f, goodput %5.1f Gb/s"
          % (name, total / steps, steps, flows["flows"], flows["slowdown_mean"], summary["goodput_bps"] / 1e9))


def play_switch(name, env, policy, seed):
    """gymnasium.Env: all queues are one agent."""
    observation, _ = env.reset(seed=seed)
    total, steps, over = 0.0, 0, False
    while not over:
        observation, reward, terminated, truncated, info = env.step(policy(observation))
        total, steps, over = total + reward, steps + 1, terminated or truncated
    report(name, total, steps, info["summary"])


def play_flows(name, env, policy, seed):
    """pettingzoo.ParallelEnv: each flow is an agent; those with info["asks"] have a new observation."""
    observations, infos = env.reset(seed=seed)
    total, steps = 0.0, 0
    while env.agents:
        actions = {agent: policy(observations[agent]) for agent in env.agents}
        observations, rewards, _, _, infos = env.step(actions)
        total, steps = total + sum(rewards.values()), steps + sum(info["asks"] for info in infos.values())
    report(name, total, max(steps, 1), env.summary())


def step_rule(observation):
    """Every queue: mark all packets above 64 KiB."""
    return numpy.tile(numpy.float32([1, 6 / 12, 1]), (len(observation), 1))


def queue_rule(observation):
    """Faster while the queue of the path is below a fifth of the bandwidth-delay product, slower above."""
    return numpy.clip(numpy.float32([0.2 - observation[1]]), -1, 1)


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    switch = QueueEnv(SWITCH, action="continuous")
    switch.action_space.seed(seed)
    play_switch("switch, random", switch, lambda _: switch.action_space.sample(), seed)
    play_switch("switch, step", switch, step_rule, seed)
    flows = ParallelFlowEnv(FLOWS)
    random = flows.action_space("flow_0")
    random.seed(seed)
    play_flows("flows, random", flows, lambda _: random.sample(), seed)
    play_flows("flows, rule", flows, queue_rule, seed)

    # gymnasium.vector.VectorEnv: 16 networks at once. Rows are hosts; those of infos["asks"] need an action.
    vector = FlowVectorEnv(FLOWS, 16)
    observations, infos = vector.reset(seed=seed)
    began, agents = time.process_time(), 0
    for _ in range(500):
        observations, _, _, _, infos = vector.step(numpy.clip(0.2 - observations[:, :, 1], -1, 1))
        agents += int(infos["asks"].sum())
    print("%.0f agent-steps a second of processor time" % (agents / (time.process_time() - began)), file=sys.stderr)


if __name__ == "__main__":
    main()
