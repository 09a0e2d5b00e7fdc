# SPDX-License-Identifier: BSD-3-Clause
"""Plays episodes with random actions and prints what they were worth: python3 demo.py [SEED]..."""
import random
import sys
import time

import weir_env

# Eight senders to one host. The agent's own network is not used: whoever calls step stands in its place.
SCENARIO = """
[network]
topology = star
hosts = 9
rate = 25Gbps
delay = 500ns
[switch]
marking = red(min=5KB, max=200KB, p=1%)
tune = acc(preset=weir, policy=untrained)
tune-interval = 100us
buffer = 10MB
buffer-per = switch
lossless = all
[host]
cc = dcqcn(preset=hpcc)
[traffic long]
pattern = many-to-one
receiver = 0
senders = 8
size = unlimited
[measure]
to = 20ms
"""


def play(env, seed):
    """The mean reward of the port to h0, which all packets pass."""
    random.seed(seed)
    total, steps, done = 0.0, 0, False
    env.reset(seed)
    while not done:
        _, rewards, _, done, _ = env.step([env.sample() for _ in range(env.rows)])
        total += rewards[0]
        steps += 1
    return total / steps, steps


def main():
    env = weir_env.Env(SCENARIO)
    began, steps = time.monotonic(), 0
    for seed in [int(word) for word in sys.argv[1:]] or [1, 2, 3]:
        reward, taken = play(env, seed)
        steps += taken
        print("seed %d: reward %.4f in %d steps of %d rows" % (seed, reward, taken, env.rows))
    seconds = time.monotonic() - began
    print("%.0f steps/s, %.0f port-intervals/s" % (steps / seconds, steps * env.rows / seconds), file=sys.stderr)
    env.close()


if __name__ == "__main__":
    main()
