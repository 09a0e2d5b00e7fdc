# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks and the manual's page on Python run as they stand."""
import json
import unittest

import cells
import fixture

NOTEBOOKS = fixture.TREE / "python" / "notebooks"


@fixture.needs("numpy", "pandas", "matplotlib")
class TestCells(fixture.InFolder):
    def tearDown(self):
        from matplotlib import pyplot

        pyplot.close("all")

    def test_first_experiment(self):
        printed = cells.run(cells.notebook(NOTEBOOKS / "1-first-experiment.ipynb"))
        self.assertIn("scenario:3: network.topology: unknown topology 'sta'", printed)

    def test_own_congestion_control(self):
        cells.run(cells.notebook(NOTEBOOKS / "2-own-congestion-control.ipynb"))

    def test_environment(self):
        printed = cells.run(cells.notebook(NOTEBOOKS / "3-environment.ipynb"))
        self.assertIn("best constant action 2", printed)

    def test_page_of_the_manual(self):
        found = cells.page(fixture.TREE / "docs" / "manual" / "15-python.md")
        self.assertGreater(len(found), 8)
        self.assertIn("scenario:3: network.host: unknown key 'host'", cells.run(found))


class TestNotebooks(unittest.TestCase):
    def test_notebooks_are_committed_without_outputs(self):
        for path in NOTEBOOKS.glob("*.ipynb"):
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                self.assertFalse(cell.get("outputs"), path.name)


if __name__ == "__main__":
    unittest.main()
