# SPDX-License-Identifier: BSD-3-Clause
"""cost.py -- what a command takes: seconds on the clock and of the processor, and its peak of memory."""

import os
import pathlib
import subprocess
import time


def available_bytes():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def take(command):
    """(wall seconds, seconds of the program, seconds of the system, peak in bytes); what it prints is thrown away."""
    started = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)}: ended with {child.returncode}")
    return time.monotonic() - started, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024
