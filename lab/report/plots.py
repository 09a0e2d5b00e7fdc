#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws every .dat file beside it as a PDF; import it to draw some of them your way."""
import glob
import math
import os
import sys

# By the style of a line, in turn: lines of one colour differ in their dashes and marks.
COLOURS = ("#0060a0", "#c04a00", "#00805c", "#1a1a1a", "#a0408c", "#a07000", "#4a90c8")
DASHES = ("-", (0, (6, 2)), (0, (1.5, 1.5)), (0, (7, 2, 2, 2)), (0, (11, 3)), (0, (5, 2, 2, 2, 2, 2)))
MARKS = ("o", "s", "^", "D", "v", "x", "+")
HATCHES = ("", "//", "--", "\\\\", "xx", "||")


def read(path):
    """The head of a chart as a dict, and its lines as (name, rows of x, y, low, high). head["styles"] has a number
    for each line, which tells how it looks; the same in all charts."""
    head, lines = {"styles": []}, []
    with open(path, encoding="utf-8") as f:
        for text in f:
            if text.startswith("# line: "):
                lines.append((text[8:].strip(), []))
            elif text.startswith("# style: "):
                head["styles"].append(int(text[9:]))
            elif text.startswith("# "):
                key, _, value = text[2:].partition(": ")
                head[key] = value.strip()
            elif text.strip():
                lines[-1][1].append([float(x) for x in text.split()])
    return head, lines


def interval(y, low, high):
    """How far error bars reach below and above; not at all where there is no interval."""
    def reach(a, b):
        return b - a if math.isfinite(a) and math.isfinite(b) else 0
    return [reach(a, b) for a, b in zip(low, y)], [reach(a, b) for a, b in zip(y, high)]


def draw(axes, head, lines):
    for (name, rows), style in zip(lines, head["styles"]):
        x, y, low, high = zip(*rows) if rows else ((), (), (), ())
        shape = style + style // len(COLOURS)
        line = {"color": COLOURS[style % len(COLOURS)], "label": name, "linestyle": DASHES[shape % len(DASHES)]}
        marks = {"marker": MARKS[shape % len(MARKS)], "markersize": 4, "markevery": max(1, len(rows) // 12)}
        if head["kind"] == "bars":
            axes.bar(x, y, width=0.7, color="white", edgecolor=line["color"], hatch=HATCHES[style % len(HATCHES)])
            axes.errorbar(x, y, yerr=interval(y, low, high), fmt="none", ecolor="black", capsize=3)
        elif head["kind"] == "steps":
            axes.step(x, y, where="post", **line)
        elif head["kind"] == "means":
            axes.errorbar(x, y, yerr=interval(y, low, high), capsize=3, **line, **marks)
        else:
            axes.plot(x, y, **line, **marks)
    title = ", ".join(text for text in (head["title"], head["variant"]) if text)
    axes.set(title=title, xlabel=head["x"], ylabel=head["y"])
    if head["log-x"] == "1":
        axes.set_xscale("log")
    if head["log-y"] == "1":
        axes.set_yscale("log")
    if head["kind"] == "bars":
        axes.set_xticks(range(len(lines)), [name for name, _ in lines], rotation=30, ha="right",
                        rotation_mode="anchor")
    else:
        axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1))


if __name__ == "__main__":
    import matplotlib
    matplotlib.use("pdf")
    import matplotlib.pyplot as plt
    here = os.path.dirname(os.path.abspath(__file__))
    for path in sys.argv[1:] or sorted(glob.glob(os.path.join(here, "*.dat"))):
        figure, axes = plt.subplots(figsize=(6, 4))
        draw(axes, *read(path))
        figure.savefig(os.path.splitext(path)[0] + ".pdf", bbox_inches="tight")
        plt.close(figure)
