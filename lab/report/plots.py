#!/usr/bin/env python3
"""Draws every .dat file beside it as a PDF; import it to draw some of them your way."""
import glob
import os
import sys


def read(path):
    """The head of a chart as a dict, and its lines as (name, rows of x, y, low, high)."""
    head, lines = {}, []
    with open(path, encoding="utf-8") as f:
        for text in f:
            if text.startswith("# line: "):
                lines.append((text[8:].strip(), []))
            elif text.startswith("# "):
                key, _, value = text[2:].partition(": ")
                head[key] = value.strip()
            elif text.strip():
                lines[-1][1].append([float(x) for x in text.split()])
    return head, lines


def draw(axes, head, lines):
    for name, rows in lines:
        x, y, low, high = zip(*rows) if rows else ((), (), (), ())
        if head["kind"] == "bars":
            axes.bar(x, y, label=name)
        elif head["kind"] == "steps":
            axes.step(x, y, where="post", label=name)
        elif head["kind"] == "means":
            below = [b - a for a, b in zip(low, y)]
            above = [b - a for a, b in zip(y, high)]
            axes.errorbar(x, y, yerr=(below, above), marker="o", capsize=3, label=name)
        else:
            axes.plot(x, y, marker="o", markersize=3, label=name)
    axes.set(title=head["title"], xlabel=head["x"], ylabel=head["y"])
    if head["log-x"] == "1":
        axes.set_xscale("log")
    if head["log-y"] == "1":
        axes.set_yscale("log")
    axes.legend(fontsize="small")


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
