# SPDX-License-Identifier: BSD-3-Clause
"""Results: columns, DataFrames and tables; the numbers are those of the program."""
import csv
import io
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import fixture
import weir
from weir import _library

# Without the optional packages, whatever is installed.
BARE = """
import sys
for name in ("numpy", "pandas", "matplotlib"):
    sys.modules[name] = None
import weir
r = weir.Results(sys.argv[1])
print(len(r.rows("flows")) == len(r.lists("flows")["run"]) > 0, r.table().rows()[0]["runs"])
for wanted in (lambda: r.flows, lambda: r.arrays("flows"), lambda: r.plot_metric("fct_mean_ns")):
    try:
        wanted()
    except weir.MissingPackage as e:
        print(e)
"""


class TestResults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="weir-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = os.path.join(folder.name, "mine.results")
        cls.results = weir.sweep(fixture.SCENARIO, fixture.SWEEP, out=cls.folder, progress=False)

    def program(self, *arguments):
        """What the program prints, on a terminal of 100 columns."""
        environment = dict(os.environ, COLUMNS="100")
        argv = [_library.program(), *arguments]
        return subprocess.run(argv, capture_output=True, text=True, check=True, env=environment).stdout

    # --- tables ---

    def test_table_is_the_table_of_the_program(self):
        text = self.program("table", self.folder)
        table = self.results.table()
        self.assertTrue(text.startswith(self.results.table(width=120).text) or text.startswith(table.text), text)
        self.assertEqual(table.settings, ["switch.marking"])
        self.assertEqual([row["switch.marking_label"] for row in table.rows()], ["none", "ecn", "tcn"])
        for line in table.answer.split():
            self.assertIn(line, text)

    def check_same_as_csv(self, table, *arguments):
        rows = list(csv.DictReader(io.StringIO(self.program("table", self.folder, "--csv", "-", *arguments))))
        self.assertEqual(len(rows), len(table))
        for ours, theirs in zip(table.rows(), rows):
            for name, text in theirs.items():
                value = ours[name]
                if text == "":
                    self.assertIsNone(value, name)
                else:
                    self.assertEqual(value, type(value)(text), name)

    def test_numbers_of_tables_are_those_of_the_program(self):
        metrics = ["fct_mean_ns", "slowdown_small_p95", "queue_mean_pkts"]
        options = [word for name in metrics for word in ("--metric", name)]
        self.check_same_as_csv(self.results.table())
        self.check_same_as_csv(self.results.table(metrics=metrics), *options)
        self.check_same_as_csv(self.results.table(by="traffic"), "--by", "traffic")
        self.check_same_as_csv(self.results.table(by=["traffic", "switch.marking"], metrics="fct_mean_ns"),
                               "--by", "traffic", "--by", "switch.marking", "--metric", "fct_mean_ns")
        self.check_same_as_csv(self.results.compare("none", metrics=metrics), "--normalize-to", "none", *options)
        self.check_same_as_csv(self.results.table(sort="-fct_mean_ns"), "--sort", "-fct_mean_ns")

    def test_mistakes_in_tables_are_errors_of_the_program(self):
        with self.assertRaises(weir.ResultsError) as caught:
            self.results.table(metrics="fct_meen_ns")
        self.assertIn("fct_meen_ns", str(caught.exception))
        with self.assertRaises(weir.ResultsError) as caught:
            self.results.rows("flow")
        self.assertEqual(caught.exception.nearest, "flows")
        with self.assertRaises(weir.ResultsError):
            weir.Results("/nonexistent")

    # --- rows ---

    def test_lists_and_rows_are_those_of_the_store(self):
        flows = self.results.lists("flows")
        store = sqlite3.connect(os.path.join(self.folder, "results.db"))
        stored = [row[0] for row in store.execute(
            "SELECT finish_ps FROM plan JOIN run USING (key) JOIN flow ON flow.run = run.id ORDER BY place, flow")]
        self.assertEqual(flows["finish_ps"], stored)
        self.assertEqual(set(flows["state"]), {"completed", "unlimited"})
        self.assertEqual(self.results.rows("flows", run=2)[0]["run"], 2)
        self.assertEqual(self.results.compared, ["switch.marking"])
        self.assertEqual(repr(self.results), f"weir.Results({self.folder!r}): 9 runs")

    def test_damaged_run_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            source = sqlite3.connect(os.path.join(self.folder, "results.db"))
            copy = sqlite3.connect(os.path.join(folder, "results.db"))
            source.backup(copy)
            copy.execute("UPDATE flow SET finish_ps = finish_ps + 1 WHERE finish_ps IS NOT NULL")
            copy.commit()
            copy.close()
            with self.assertRaisesRegex(weir.ResultsError, "is damaged"):
                weir.Results(folder).rows("flows")

    def test_without_packages_there_are_lists_and_a_message(self):
        environment = dict(os.environ, PYTHONPATH=str(fixture.TREE / "python"))
        argv = [sys.executable, "-c", BARE, self.folder]
        said = subprocess.run(argv, capture_output=True, text=True, check=True, env=environment).stdout.splitlines()
        self.assertEqual(said[0], "True 3")
        self.assertEqual(said[1], "pandas is not installed (on Debian: apt install python3-pandas); rows(TABLE) and "
                                  "lists(TABLE) give the same as plain Python")
        self.assertTrue(said[2].startswith("numpy is not installed"), said)
        self.assertTrue(said[3].startswith("matplotlib is not installed"), said)

    # --- DataFrames ---

    @fixture.needs("numpy", "pandas")
    def test_frames_have_the_types_of_their_columns(self):
        flows, runs = self.results.flows, self.results.runs
        self.assertEqual([str(flows[name].dtype) for name in ("run", "fct_ps", "slowdown", "traffic")],
                         ["int64", "float64", "float64", "category"])
        self.assertEqual(flows.attrs["units"]["fct_ps"], "ps")
        self.assertEqual(str(runs["seed"].dtype), "int64")
        self.assertEqual(str(runs["switch.marking"].dtype), "category")
        done = flows[flows["state"] == "completed"]
        self.assertTrue((done["finish_ps"] - done["start_ps"] == done["fct_ps"]).all())
        counted = done[done["counted"] == 1].groupby("run")
        for run, mean in (counted["fct_ps"].mean() / 1e3).items():
            self.assertAlmostEqual(mean / runs["fct_mean_ns"][run - 1], 1, 9)
        self.assertTrue((counted["fct_ps"].count() == runs.set_index("run")["flows_completed"]).all())
        self.assertTrue((counted["fct_ps"].count() < done.groupby("run")["fct_ps"].count()).any())
        self.assertEqual(len(self.results.series), 9 * len(self.results.frame("series", 1)))
        self.assertEqual(self.results.ports["port"].nunique(), 9)

    @fixture.needs("numpy", "pandas")
    def test_columns_are_the_library_s_memory_and_outlive_the_results(self):
        import numpy

        results = weir.Results(self.folder)
        frame = results._read("flows")
        flows = frame.pandas()
        address = frame._columns[frame.names.index("fct_ps")].reals
        self.assertEqual(flows["fct_ps"].to_numpy().ctypes.data, address)
        expected = results.lists("flows")["fct_ps"]
        del frame, results
        numpy.testing.assert_array_equal(flows["fct_ps"], numpy.array(expected, dtype=float))
        flows.loc[0, "fct_ps"] = 1.0  # the frame is the caller's

    @fixture.needs("numpy", "pandas")
    def test_settings_join_rows(self):
        flows = self.results.with_settings(self.results.flows, "switch.marking", "seed")
        self.assertEqual(len(flows), len(self.results.flows))
        row = flows[flows["run"] == 5].iloc[0]
        run = self.results.runs.set_index("run").loc[5]
        self.assertEqual((row["switch.marking"], row["seed"]), (run["switch.marking"], run["seed"]))
        self.assertIn("switch.marking", self.results.with_settings(self.results.ports))
        with self.assertRaisesRegex(weir.ResultsError, "no run has the setting 'switch.marcing'"):
            self.results.with_settings(self.results.flows, "switch.marcing")

    @fixture.needs("numpy", "pandas")
    def test_table_frame_has_the_rows(self):
        table = self.results.table(metrics="fct_mean_ns")
        self.assertEqual(list(table.frame["fct_mean_ns"]), [row["fct_mean_ns"] for row in table.rows()])
        self.assertIn("<pre>", table._repr_html_())

    # --- plots ---

    @fixture.needs("numpy", "pandas", "matplotlib")
    def test_plots_show_the_numbers_of_tables(self):
        ax = self.results.plot_metric("fct_mean_ns")
        rows = self.results.table(metrics="fct_mean_ns").rows()
        self.assertEqual([text.get_text() for text in ax.get_xticklabels()], ["none", "ecn", "tcn"])
        self.assertEqual(ax.get_ylabel(), "fct mean (ms)")
        heights = [bar.get_height() for bar in ax.patches]
        for height, row in zip(heights, rows):
            self.assertAlmostEqual(height, row["fct_mean_ns"] / 1e6)
        segments = ax.containers[0].lines[2][0].get_segments()
        for segment, row in zip(segments, rows):
            self.assertAlmostEqual(segment[0][1], row["fct_mean_ns_low"] / 1e6)
            self.assertAlmostEqual(segment[1][1], row["fct_mean_ns_high"] / 1e6)

    @fixture.needs("numpy", "pandas", "matplotlib")
    def test_distributions_and_series(self):
        ax = self.results.plot_cdf("slowdown")
        self.assertEqual([line.get_label() for line in ax.lines], ["none", "ecn", "tcn"])
        for line in ax.lines:
            self.assertEqual(line.get_ydata()[-1], 1)
        ax = self.results.plot_series("queue sw->h0", run=1)
        self.assertEqual(len(ax.lines), 1)
        self.assertEqual(list(ax.lines[0].get_ydata()), self.results.lists("series", 1)["value"])
        self.assertEqual(len(self.results.plot_series().lines), 9)
        with self.assertRaisesRegex(weir.ResultsError, "there are queue sw->h0"):
            self.results.plot_series("queue sw->h1")

    @fixture.needs("numpy", "pandas", "matplotlib")
    def test_values_in_different_units_have_their_places(self):
        results = weir.sweep(fixture.SCENARIO, {"traffic.answers.period": ["200us", "1ms", "500us"], "seed": [1, 2]},
                             progress=False)
        ax = results.plot_metric("fct_mean_ns")
        self.assertEqual([round(x, 9) for x in ax.containers[0].lines[0].get_xdata()], [0.2, 0.5, 1])
        self.assertEqual(ax.get_xlabel(), "traffic.answers.period (ms)")

    @fixture.needs("numpy", "pandas", "matplotlib")
    def test_numeric_settings_are_lines_with_intervals(self):
        results = weir.sweep(fixture.SCENARIO, {"traffic.answers.size": ["10KB", "40KB"], "host.cc": ["dctcp", "cubic"],
                                                "seed": [1, 2]}, progress=False)
        ax = results.plot_metric("fct_mean_ns")
        self.assertEqual(len(ax.containers), 2)
        self.assertEqual(list(ax.containers[0].lines[0].get_xdata()), [10, 40])
        self.assertEqual(ax.get_xlabel(), "traffic.answers.size (KB)")


if __name__ == "__main__":
    unittest.main()
