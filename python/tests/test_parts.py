# SPDX-License-Identifier: BSD-3-Clause
"""Figures of papers, plug-ins, and the wheel that pip installs."""
import os
import shutil
import subprocess
import sys
import unittest
import zipfile

import fixture
import weir

FROM_WHEEL = """
import weir
from weir import _library
print(_library.program(), _library.load()._name, _library.include(), _library.papers())
weir.Scenario("[network]\\ntopology = star\\n[traffic a]\\npattern = incast\\nsize = 1KB\\nflows = 16\\n").check()
"""


class TestPapers(fixture.InFolder):
    def test_figure_has_its_claims_and_shipped_verdicts(self):
        figure = weir.paper("tcn/fig5")
        self.assertTrue(figure.title and figure.paper and figure.scenario.endswith("tcn/fig5.ini"))
        rows = figure.rows()
        self.assertEqual({row["size"] for row in rows}, {"quick", "full"})
        self.assertIn(rows[0]["source"], ("shipped", "out of date"))
        self.assertTrue(all(row["says"] and row["expected"] for row in rows))

    def test_unknown_figure_names_the_nearest(self):
        with self.assertRaisesRegex(weir.ResultsError, "tcn/fig"):
            weir.paper("tcn/fig555")

    @fixture.needs("numpy", "pandas")
    def test_papers_are_a_frame(self):
        papers = weir.papers()
        self.assertGreater(len(papers), 50)
        self.assertIn("tcn/fig5", set(papers["figure"]))


@unittest.skipUnless(shutil.which("cc") or shutil.which("gcc"), "no C compiler")
class TestPlugins(fixture.InFolder):
    def test_control_of_one_s_own_runs(self):
        path = weir.compile_plugin(str(fixture.TREE / "examples" / "cc" / "aimd.c"), "aimd.so")
        self.assertEqual(path, "./aimd.so")
        row = weir.run(fixture.SCENARIO, cc=path).rows("runs")[0]
        self.assertTrue(row["host.cc"].startswith("./aimd.so"), row["host.cc"])
        self.assertGreater(row["flows_completed"], 0)

    def test_plugin_that_crashes_ends_the_run_and_not_the_interpreter(self):
        source = (fixture.TREE / "examples" / "cc" / "aimd.c").read_text()
        broken = source.replace("struct aimd_state *s = state;", "struct aimd_state *s = NULL;")
        path = weir.compile_plugin(broken, "broken.so")
        with self.assertRaises(weir.RunError) as caught:
            weir.run(fixture.SCENARIO, cc=path)
        self.assertIn("broken.so", str(caught.exception))

    def test_messages_of_the_compiler(self):
        with self.assertRaisesRegex(weir.CompileError, "error"):
            weir.compile_plugin("this is no C;\n", "x.so")


class TestWheel(fixture.InFolder):
    def test_wheel_has_all_parts_and_finds_them(self):
        sys.path.insert(0, str(fixture.TREE / "python"))
        self.addCleanup(sys.path.remove, str(fixture.TREE / "python"))
        import build_backend

        if not (fixture.TREE / "weir").exists():
            self.skipTest("nothing is built")
        build_backend._make = lambda: None
        name = build_backend.build_wheel(".")
        with zipfile.ZipFile(name) as wheel:
            wheel.extractall("site")
            names = set(wheel.namelist())
            record = next(n for n in names if n.endswith("RECORD"))
            self.assertEqual({line.split(",")[0] for line in wheel.read(record).decode().split()}, names)
        os.chmod("site/weir/installed/bin/weir", 0o755)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("WEIR_")}
        environment["PYTHONPATH"] = os.path.abspath("site")
        argv = [sys.executable, "-c", FROM_WHEEL]
        done = subprocess.run(argv, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in done.stdout.splitlines()[0].split():
            self.assertTrue(part.startswith(os.path.abspath("site/weir/installed")), part)

    def test_missing_parts_are_named(self):
        environment = dict(os.environ, WEIR_LIBRARY="/nowhere.so", PYTHONPATH=str(fixture.TREE / "python"))
        argv = [sys.executable, "-c", "import weir; weir.Results('x')"]
        done = subprocess.run(argv, capture_output=True, text=True, env=environment)
        self.assertIn("WEIR_LIBRARY=/nowhere.so: there is no such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
