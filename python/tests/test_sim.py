# SPDX-License-Identifier: BSD-3-Clause
"""The stepping interface."""
import unittest

import fixture
import weir

BYTES = 1_000_000


class TestSim(unittest.TestCase):
    def sim(self, text=fixture.MESSAGES, **arguments):
        return weir.Sim(text, **arguments)

    def test_message_arrives_with_a_callback_in_the_turn_of_its_receiver(self):
        arrived = []
        with self.sim() as sim:
            sim.send("h1", "h0", BYTES, delivered=lambda turn, d: arrived.append((turn.host, turn.now_ps, d)))
            sim.run_until("5ms")
            self.assertEqual(sim.now_ps, weir.time_ps("5ms"))
            sim.audit()
        host, now_ps, d = arrived[0]
        self.assertEqual((host, d.source, d.destination, d.bytes, d.sent_ps), (0, 1, 0, BYTES, 0))
        self.assertEqual(now_ps, d.delivered_ps)
        self.assertTrue(800e6 < d.delivered_ps < 1000e6, d)  # 1 MB at 10 Gb/s is 800 us

    def test_callbacks_answer_and_call_later(self):
        log = []

        def request(turn, d):
            turn.call_at(turn.now_ps + weir.time_ps("100us"), lambda later: answer(later, d.source))

        def answer(turn, to):
            log.append(turn.now_ps)
            turn.send(to, 1000, delivered=lambda back, d: log.append((back.host, d.bytes)))

        with self.sim(threads=2) as sim:
            sim.call_at("h3", "1ms", lambda turn: turn.send("h0", 500, delivered=request))
            sim.run_until("2ms")
        self.assertTrue(weir.time_ps("1.1ms") < log[0] < weir.time_ps("1.2ms"), log)
        self.assertEqual(log[1], (3, 1000))

    def observed(self, **arguments):
        steps = arguments.pop("steps")
        with self.sim(**arguments) as sim:
            for host in range(1, 9):
                sim.send(host, 0, BYTES)
            found = []
            for step in range(1, steps + 1):
                sim.run_until(weir.time_ps("2ms") * step // steps)
                found.append(sim.observe("queue sw->h0"))
            return found[-1], sim.observe("marks sw->h0")

    def test_results_do_not_depend_on_steps_or_threads_but_on_the_seed(self):
        one = self.observed(steps=1, seed=2)
        self.assertGreater(one[0], 0)
        self.assertEqual(one, self.observed(steps=50, seed=2, threads=2))
        with self.sim(fixture.SCENARIO, seed=2) as first, self.sim(fixture.SCENARIO, seed=3) as second:
            self.assertNotEqual(first.flows(), second.flows())

    def test_flows_of_the_scenario_end(self):
        with self.sim(fixture.SCENARIO) as sim:
            sim.run_until("3ms")
            flows = sim.flows()
        self.assertIsNone(flows[0].bytes)
        self.assertEqual(flows[2].bytes, 20000)
        self.assertTrue(any(flow.finish_ps for flow in flows))

    def test_settings_change_while_it_runs(self):
        with self.sim() as sim:
            for host in range(1, 9):
                sim.send(host, 0, 10 * BYTES)
            sim.run_until("4ms")
            before = sim.observe("queue sw->h0")
            sim.set("marking sw->h0", "ecn(k=1pkts)")
            sim.run_until("8ms")
            self.assertLess(sim.observe("queue sw->h0"), before)

    def test_mistakes_are_located_and_exceptions_of_callbacks_are_raised(self):
        with self.assertRaises(weir.ScenarioError) as caught:
            self.sim(fixture.MESSAGES.replace("star", "sta"))
        self.assertEqual((caught.exception.line, caught.exception.source), (3, "topology = sta"))
        with self.sim() as sim:
            with self.assertRaisesRegex(weir.Error, "h77"):
                sim.send("h77", "h0", 1)
            with self.assertRaises(weir.Error):
                sim.observe("quue sw->h0")
            sim.send(1, 0, 10, delivered=lambda turn, d: 1 // 0)
            with self.assertRaises(ZeroDivisionError):
                sim.run_until("1ms")
            sim.run_until("2ms")
        for use in (lambda: sim.run_until("3ms"), lambda: sim.now_ps, lambda: sim.host("h1"), sim.flows):
            self.assertRaisesRegex(ValueError, "closed", use)

    def test_callbacks_may_only_use_their_turn_while_it_lasts(self):
        kept = []
        with self.sim() as sim:
            for use in (lambda turn: sim.send(1, 2, 3), lambda turn: sim.observe("queue sw->h0"),
                        lambda turn: sim.now_ps, lambda turn: sim.run_until("9ms"), lambda turn: sim.close()):
                sim.call_at(0, sim.now_ps + 1, use)
                with self.assertRaisesRegex(ValueError, "a callback calls functions of its turn"):
                    sim.run_until(sim.now_ps + 2)
            sim.call_at(0, sim.now_ps + 1, kept.append)
            sim.run_until("1ms")
            self.assertRaisesRegex(ValueError, "the turn is over", lambda: kept[0].now_ps)


if __name__ == "__main__":
    unittest.main()
