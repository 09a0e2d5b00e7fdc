#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-python.sh -- the tests of the Python package, its notebooks and its manual page, against the build in this
# tree. $PYTHON is the interpreter; where it has no pandas and the system's has, that one. Prints what was left out
# and why; the last line is the sum.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
python=${PYTHON:-python3}
for other in "$python" /usr/bin/python3; do
	! "$other" -c 'import numpy, pandas, matplotlib' 2>/dev/null || { python=$other && break; }
done
command -v "$python" >/dev/null || {
	echo "left out: there is no $python"
	exit 77
}
PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg "$python" -m unittest discover -v -s python/tests >"$log" 2>&1 || {
	cat "$log"
	exit 1
}
sed -n "s/^\(test_[a-z0-9_]*\).*\.\.\. skipped '\(.*\)'$/left out: \1: \2/p" "$log" | sort
sed -n -e "s/^\(Ran .* tests\{0,1\}\).*/$(basename "$python"): \1/p" -e '$p' "$log"
