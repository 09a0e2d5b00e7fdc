#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-python.sh -- the tests of the Python package, its notebooks and its manual page, against the build in this
# tree. Prints what was skipped and why; the last line is the sum. $PYTHON is the interpreter.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
command -v "${PYTHON:=python3}" >/dev/null || {
	echo "left out: there is no $PYTHON"
	exit 77
}
PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg "$PYTHON" -m unittest discover -v -s python/tests >"$log" 2>&1 || {
	cat "$log"
	exit 1
}
sed -n 's/^\(test_[a-z0-9_]*\).*\.\.\. skipped \(.*\)$/skipped: \1: \2/p' "$log" | sort
sed -n -e 's/^\(Ran .* tests\{0,1\}\).*/\1/p' -e '$p' "$log"
