# SPDX-License-Identifier: BSD-3-Clause
"""Schemes of one's own: a C file becomes a plug-in that scenarios name."""
from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Optional

from . import _library
from .errors import Error, NotFound


class CompileError(Error, ValueError):
    """The compiler's messages."""


def compile_plugin(source: str, out: str, *, compiler: Optional[str] = None) -> str:
    """Compiles a plug-in and returns its path, as scenarios name it: "./mine.so".

        path = weir.compile_plugin("mine.c", "mine.so")
        weir.run("mine.ini", cc=path)

    source -- a C file, or C text: anything with a line end
    out    -- the shared object
    """
    found = compiler or os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not found:
        raise NotFound("there is no C compiler: install gcc, or set CC")
    is_text = "\n" in source
    argv = found.split() + ["-std=c11", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-I", _library.include()]
    argv += ["-x", "c", "-"] if is_text else [source]
    done = subprocess.run(argv + ["-o", out], input=source if is_text else "", capture_output=True, text=True)
    if done.returncode:
        raise CompileError(done.stderr.strip())
    path = Path(out)
    return str(path) if path.is_absolute() or "/" in out else f"./{out}"
