#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Environments in Python: the tests of python/tests, and the example (examples/python) against an installed library, with
# the same lines for the same seed. Needs a python3 with numpy; without it there is nothing to test.
set -eu
for python in "${PYTHON:-python3}" /usr/bin/python3; do
	"$python" -c 'import numpy' 2>/dev/null && break
	python=
done
[ "$python" ] || {
	echo "left out: python3 with numpy is not installed"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
env -u MAKEFLAGS -u MAKELEVEL make install DESTDIR="$dir" PREFIX=/opt/weir >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
PYTHONPATH=$PWD/python
WEIR_LIBRARY=$dir/opt/weir/lib/libweir-sim.so.2
export PYTHONPATH WEIR_LIBRARY PYTHONDONTWRITEBYTECODE=1
"$python" -m unittest discover -s python/tests -p 'test_env*.py' 2>"$dir/log" || {
	cat "$dir/log"
	exit 1
}
cd "$dir/opt/weir/share/doc/weir/examples/python"
"$python" demo.py 1 >"$dir/first" 2>"$dir/speed"
"$python" demo.py 1 2>/dev/null | cmp - "$dir/first"
"$python" demo.py 2 2>/dev/null | cmp -s - "$dir/first" && exit 1
grep -q '^switch, random *reward *0\.[0-9]* in  199 steps; ' "$dir/first"
grep -q '^flows, rule *reward .* 8 flows, ' "$dir/first"
grep -q 'agent-steps' "$dir/speed"
