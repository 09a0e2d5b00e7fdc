# SPDX-License-Identifier: BSD-3-Clause
"""Runs and sweeps, Ctrl-C and resumption."""
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import fixture
import weir
from weir.running import progress_of

# A sweep whose runs take long enough to be interrupted, one after the other.
LONG = """
import sys, weir
try:
    weir.sweep("long.ini", {"seed": range(1, 301)}, out="long.results", jobs=1, progress=False)
except weir.Interrupted as e:
    print(type(e).__name__, e, e.folder)
    sys.exit(7)
"""


class TestRun(fixture.InFolder):
    def test_run_has_its_settings_and_results_do_not_depend_on_the_call(self):
        one = weir.run(fixture.SCENARIO, {"network.hosts": 17}, seed=3, marking="tcn(threshold=40us)", threads=2)
        two = weir.run(fixture.SCENARIO, seed=3, **{"network.hosts": 17, "switch.marking": "tcn(threshold=40us)"})
        row, other = one.rows("runs")[0], two.rows("runs")[0]
        self.assertEqual(len(one), 1)
        self.assertEqual((row["network.hosts"], row["seed"]), ("17", "3"))
        self.assertTrue(row["switch.marking"].startswith("tcn(threshold=40us"))
        self.assertEqual(row["key"], other["key"])
        self.assertEqual(one.lists("flows"), two.lists("flows"))

    def test_run_without_folder_leaves_none(self):
        results = weir.run(fixture.SCENARIO)
        folder = results.folder
        self.assertTrue(os.path.isdir(folder))
        del results
        self.assertFalse(os.path.exists(folder))
        self.assertEqual(os.listdir("."), [])

    def test_run_refuses_a_sweep(self):
        with self.assertRaisesRegex(ValueError, "use weir.sweep"):
            weir.run(fixture.SCENARIO + "[sweep]\nseed = 1..3\n")

    def test_failure_of_the_system_is_no_mistake_of_the_scenario(self):
        Path("file").write_text("")
        with self.assertRaises(weir.RunError) as caught:
            weir.run(fixture.SCENARIO, out="file")
        self.assertEqual(caught.exception.status, 1)
        self.assertIn("file", str(caught.exception))


class TestSweep(fixture.InFolder):
    def test_sweep_runs_all_combinations_and_resumes(self):
        seen = []
        results = weir.sweep(
            fixture.SCENARIO, fixture.SWEEP, out="mine.results", jobs=2, progress=lambda *at: seen.append(at)
        )
        self.assertEqual(len(results), 9)
        self.assertEqual(seen[-1], (9, 9))
        before = {row["key"]: row["wall_seconds"] for row in results.rows("runs")}
        more = weir.sweep(fixture.SCENARIO, {**fixture.SWEEP, "seed": [1, 2, 3, 4]}, out="mine.results", progress=False)
        self.assertEqual(len(more), 12)
        again = {row["key"]: row["wall_seconds"] for row in more.rows("runs")}
        self.assertEqual({key: again[key] for key in before}, before)
        less = weir.sweep(fixture.SCENARIO, {"seed": [1]}, out="mine.results", progress=False)
        self.assertEqual((len(less), less.left_out), (1, 11))
        self.assertEqual(len(weir.Results("mine.results", all=True)), 12)

    def test_results_of_a_file_are_beside_the_caller(self):
        Path("mine.ini").write_text(fixture.SCENARIO + "[sweep]\nseed = 1..2\n")
        self.assertEqual(weir.sweep("mine.ini", progress=False).folder, "mine.results")
        self.assertEqual(len(weir.Results("mine.results")), 2)

    def test_interrupted_sweep_keeps_what_is_finished_and_continues(self):
        Path("long.ini").write_text(fixture.SCENARIO.replace("to = 3ms", "to = 40ms"))
        environment = dict(os.environ, PYTHONPATH=str(fixture.TREE / "python"))
        child = subprocess.Popen(
            [sys.executable, "-c", LONG],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # jobs of a shell's "&" ignore it
        )
        while child.poll() is None and (progress_of("long.results") or (0, 0))[0] < 2:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=60)[0]
        self.assertEqual(child.returncode, 7, said)
        done, planned = progress_of("long.results")
        self.assertEqual(planned, 300)
        self.assertTrue(2 <= done < 300, done)
        self.assertEqual(said.strip(), f"Interrupted interrupted; {done} of 300 runs are stored in long.results; "
                                       "the same call continues long.results")
        kept = {row["key"]: row["wall_seconds"] for row in weir.Results("long.results").rows("runs")}
        more = range(1, done + 4)
        whole = weir.sweep("long.ini", {"seed": more}, out="long.results", progress=False)
        self.assertEqual(len(whole), len(more))
        now = {row["key"]: row["wall_seconds"] for row in whole.rows("runs")}
        self.assertEqual({key: now[key] for key in kept}, kept)


if __name__ == "__main__":
    unittest.main()
