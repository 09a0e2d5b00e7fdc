# SPDX-License-Identifier: BSD-3-Clause
"""Weir, the packet-level simulator of datacenter networks, from Python.

    import weir

    results = weir.sweep("mine.ini", {"switch.marking": ["none", "tcn"], "seed": range(1, 6)})
    print(results.table())
    results.plot_metric("fct_p99_ns")

Scenario    -- a scenario from a file, text or a dict; mistakes are exceptions with file and line
run, sweep  -- runs, in processes of the program
Results     -- runs, flows, ports and series as DataFrames; tables and plots
Sim         -- a simulation driven step by step, with callbacks
weir.envs   -- environments of Gymnasium and PettingZoo, a module of its own, which needs numpy
paper       -- a figure of a paper: what it claims, and whether that holds here
compile_plugin -- a scheme of one's own

numpy, pandas and matplotlib are optional: without them rows() and lists() give plain Python. The package finds the
library and the program by itself; WEIR_LIBRARY and WEIR_PROGRAM name others.
"""
from .errors import Error, Interrupted, MissingPackage, NotFound, ResultsError, RunError, ScenarioError
from .papers import Figure, paper, papers
from .plugins import CompileError, compile_plugin
from .results import Results, Table
from .running import run, sweep
from .scenario import Scenario
from .sim import Delivery, Flow, Sim, Turn, allow_plugins
from .values import time_ps

__all__ = [
    "CompileError",
    "Delivery",
    "Error",
    "Figure",
    "Flow",
    "Interrupted",
    "MissingPackage",
    "NotFound",
    "Results",
    "ResultsError",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Sim",
    "Table",
    "Turn",
    "allow_plugins",
    "compile_plugin",
    "paper",
    "papers",
    "run",
    "sweep",
    "time_ps",
]
