# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios and their errors."""
import pickle
import unittest
from pathlib import Path

import fixture
import weir
from weir import values
from weir.errors import Error


class TestScenario(fixture.InFolder):
    def test_file_text_and_dict_are_the_same_scenario(self):
        Path("mine.ini").write_text(fixture.SCENARIO)
        tree = {
            "title": "Which marking keeps an incast short?",
            "seed": 4,
            "network": {"topology": "star", "hosts": 9, "rate": "10Gbps", "delay": "2us"},
            "traffic": {"answers": {"pattern": "incast", "senders": 8, "size": "20KB", "period": "200us"}},
            "measure": {"to": "3ms", "probe": ["queue sw->h0 every 20us", "queue sw->h1 every 20us"]},
            "sweep": {"switch.marking": ["none", "tcn"], "seed": range(1, 3)},
        }
        self.assertEqual(weir.Scenario("mine.ini").text, weir.Scenario(fixture.SCENARIO).text)
        self.assertFalse(weir.Scenario("mine.ini").is_sweep)
        read = weir.Scenario(tree)
        self.assertTrue(read.is_sweep)
        self.assertEqual(
            str(read),
            "# Which marking keeps an incast short?\nseed = 4\n"
            "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 2us\n"
            "[traffic answers]\npattern = incast\nsenders = 8\nsize = 20KB\nperiod = 200us\n"
            "[measure]\nto = 3ms\nprobe = queue sw->h0 every 20us\nprobe = queue sw->h1 every 20us\n"
            "[sweep]\nswitch.marking = none, tcn\nseed = 1, 2\n",
        )

    def test_mistake_in_text_has_line_key_and_nearest_name(self):
        with self.assertRaises(weir.ScenarioError) as caught:
            weir.Scenario(fixture.SCENARIO.replace("topology = star", "topology = sta"))
        e = caught.exception
        self.assertEqual((e.file, e.line, e.setting), ("scenario", 3, "network.topology"))
        self.assertEqual((e.read, e.nearest, e.source), ("sta", "star", "topology = sta"))
        self.assertTrue(e.allowed.startswith("star, dumbbell, leaf-spine"), e.allowed)
        self.assertIn("scenario:3: network.topology: unknown topology 'sta'", str(e))
        self.assertTrue(str(e).endswith("\n    3: topology = sta"))

    def test_mistake_in_a_file_names_the_file(self):
        Path("mine.ini").write_text("[network]\ntopology = star\nrate = 10Gbit\n")
        with self.assertRaises(weir.ScenarioError) as caught:
            weir.Scenario("mine.ini")
        e = caught.exception
        self.assertEqual((e.file, e.line, e.setting, e.read), ("mine.ini", 3, "network.rate", "10Gbit"))
        self.assertEqual((e.allowed, e.nearest), ("1Mbps to 4Tbps", "Gbps"))
        self.assertEqual(str(e), e.message)

    def test_mistake_in_a_dict_and_in_a_setting(self):
        with self.assertRaises(weir.ScenarioError) as caught:
            weir.Scenario({"network": {"topolgy": "star"}})
        self.assertEqual((caught.exception.line, caught.exception.nearest), (2, "topology"))
        with self.assertRaises(weir.ScenarioError) as caught:
            weir.run(fixture.SCENARIO, marking="tcm")
        e = caught.exception
        self.assertEqual((e.setting, e.read, e.nearest, e.line), ("switch.marking", "tcm", "tcn", None))

    def test_file_that_is_not_there(self):
        with self.assertRaises(weir.ScenarioError) as caught:
            weir.Scenario("nowhere.ini")
        self.assertEqual(str(caught.exception), "nowhere.ini: No such file or directory")

    def test_check_is_what_the_program_says(self):
        self.assertIn("hosts", weir.Scenario(fixture.SCENARIO).check({"network.hosts": 17}))

    def test_times_have_units(self):
        self.assertEqual([weir.time_ps(t) for t in ("5ms", "1.5us", 7, "0.1ns")], [5 * 10**9, 1500000, 7, 100])
        self.assertRaises(weir.ScenarioError, weir.time_ps, "5")


class TestError(unittest.TestCase):
    def check(self, message, **fields):
        e = Error(message)
        for name, value in fields.items():
            self.assertEqual(getattr(e, name), value, name)

    def test_fields_are_the_parts_of_the_message(self):
        self.check("a.ini:1: seed: 'x' is not a whole number; allowed: at least 0",
                   file="a.ini", line=1, setting="seed", read="x", allowed="at least 0", nearest=None)
        self.check("a.ini: measure.to: not given, but flows of traffic.a are unlimited; write to = 100ms, say",
                   file="a.ini", line=None, setting="measure.to", read=None, allowed=None)
        self.check("a.ini:7: switch.marking: unknown option 'mim' of red; it has min, max, p (nearest: min)",
                   line=7, read="mim", allowed="min, max, p", nearest="min")
        self.check("--set network.hosts=x: 'x' is not a whole number; allowed: 2 to 9",
                   file=None, setting="network.hosts", read="x", allowed="2 to 9")
        self.check("unknown table 'flow'; there are runs, flows (nearest: flows)",
                   file=None, line=None, setting=None, read="flow", nearest="flows")

    def test_errors_and_values_survive_other_processes_and_notations(self):
        for error in (weir.RunError("a", 3), weir.ScenarioError("a.ini:3: seed: 'x'"), weir.Interrupted("b", "c")):
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((str(copy), vars(copy)), (str(error), vars(error)))
        self.assertEqual([values.text(v) for v in (True, 1e-5, 0.5, 7, "2us")], ["yes", "0.00001", "0.5", "7", "2us"])
        self.assertEqual(values.listed(["tcn(threshold=50us)", 0.1]), "tcn(threshold=50us), 0.1")


if __name__ == "__main__":
    unittest.main()
