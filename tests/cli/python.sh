#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Python example (examples/python) runs against an installed tree: the same rewards for the same seeds, a mistake is
# an exception with the sentence of the library. Needs python3; without it there is nothing to test.
set -eu
command -v python3 >/dev/null || {
	echo "left out: python3 is not installed"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
env -u MAKEFLAGS -u MAKELEVEL make install DESTDIR="$dir" PREFIX=/opt/weir >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
export LD_LIBRARY_PATH="$dir/opt/weir/lib" PYTHONDONTWRITEBYTECODE=1
cd "$dir/opt/weir/share/doc/weir/examples/python"
python3 demo.py 1 2 1 >"$dir/first" 2>"$dir/speed"
[ "$(sed -n 1p "$dir/first")" = "$(sed -n 3p "$dir/first")" ]
[ "$(sed -n 1p "$dir/first" | cut -d ' ' -f 4)" != "$(sed -n 2p "$dir/first" | cut -d ' ' -f 4)" ]
grep -q '^seed 1: reward 0\.[0-9]* in 199 steps of 9 rows$' "$dir/first"
grep -q 'steps/s' "$dir/speed"
python3 demo.py 1 2 1 2>/dev/null | cmp - "$dir/first"
if python3 -c 'import weir_env; weir_env.Env("[network]\ntopology = sta\n")' 2>"$dir/error"; then
	exit 1
fi
grep -q "ValueError: scenario:2: network.topology: .*nearest: star" "$dir/error"
