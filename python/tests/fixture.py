# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests: a small scenario, a folder of one's own, and what is installed."""
import importlib.util
import os
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent.parent

NETWORK = """# Which marking keeps an incast short?
[network]
topology = star
hosts = 9
rate = 10Gbps
delay = 2us
[switch]
marking = ecn(k=20pkts)
"""

SCENARIO = NETWORK + """
[traffic bulk]
pattern = many-to-one
senders = 2
size = unlimited
[traffic answers]
pattern = incast
senders = 8
receiver = 0
size = 20KB
period = 200us
arrivals = poisson
[measure]
from = 1ms
to = 3ms
probe = queue sw->h0 every 20us
"""

SWEEP = {"switch.marking": ["none", "ecn(k=20pkts)", "tcn(threshold=50us)"], "seed": range(1, 4)}

MESSAGES = NETWORK + "[traffic mine]\npattern = messages\n"


def needs(*packages):
    """Skips a test where a package is missing."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"{' and '.join(missing)} not installed")


class InFolder(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="weir-test-")
        before = os.getcwd()
        os.chdir(folder.name)
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, before)
