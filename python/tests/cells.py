# SPDX-License-Identifier: BSD-3-Clause
"""Runs the code of notebooks and of manual pages, in one namespace from top to bottom, without Jupyter."""
import ast
import contextlib
import io
import json
import re
from pathlib import Path

_FILE = re.compile(r"[Ss]ave this as `([^`]+)`")


def notebook(path):
    """The code cells of a notebook, as (place, code)."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    return [
        (f"{Path(path).name}, cell {i + 1}", "".join(cell["source"]))
        for i, cell in enumerate(cells)
        if cell["cell_type"] == "code"
    ]


def page(path):
    """The python blocks of a page, as (place, code). Blocks that the reader is told to save are written to files."""
    found, kind, block, name, start = [], None, [], None, 0
    paragraph = ""
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").split("\n"), 1):
        if kind is None:
            if line.startswith("```"):
                kind, block, start = line[3:], [], number
            else:
                paragraph = f"{paragraph} {line}" if line else ""
                saved = _FILE.search(paragraph)
                name = saved.group(1) if saved else name
        elif line == "```":
            if kind == "python":
                found.append((f"{Path(path).name}:{start}", "\n".join(block) + "\n"))
            elif name:
                Path(name).write_text("\n".join(block) + "\n", encoding="utf-8")
            kind, name, paragraph = None, None, ""
        else:
            block.append(line)
    return found


def run(cells):
    """Runs the cells as a notebook does: shows the value of a last expression that no semicolon ends."""
    names = {"__name__": "__main__"}
    printed = io.StringIO()
    for place, code in cells:
        try:
            tree = ast.parse(code)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            with contextlib.redirect_stdout(printed):
                exec(compile(tree, place, "exec"), names)
                if last is not None:
                    value = eval(compile(ast.Expression(last.value), place, "eval"), names)
                    if hasattr(value, "_repr_html_"):
                        value._repr_html_()
        except BaseException as problem:
            problem.args = (f"{place}: {problem}",)
            raise
    return printed.getvalue()
