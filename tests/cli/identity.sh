#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A result knows what made it: a program with another library does the runs of a sweep anew, one with
# another report does not; both with and without git.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$0: $*" >&2
	exit 1
}

mkdir -p "$dir/house/build"
cp -a Makefile packages.txt include base config lib sim lab train switch testbed keeper cli workloads models tools "$dir/house"
cp -a build/release build/have-build build/*.c "$dir/house/build"
cd "$dir/house"
cat >"$dir/mine.ini" <<'END'
# Four flows and a threshold
[network]
topology = star
hosts = 5
[switch]
marking = ecn(k=20pkts)
[traffic bulk]
pattern = many-to-one
size = 200KB
[sweep]
seed = 1, 2
END

# do_sweep WHO NEW: after a build, so many of the two runs are new
do_sweep() {
	make weir WERROR= >"$dir/make" 2>&1 || fail "$1: does not build: $(cat "$dir/make")"
	./weir run "$dir/mine.ini" --out "$dir/results" >"$dir/out" 2>&1 || fail "$1: $(cat "$dir/out")"
	grep -q "2 runs, $2 of them new" "$dir/out" || fail "$1: not $2 new runs: $(cat "$dir/out")"
}

do_sweep "the first program" 2
./weir version | grep -q '(no commit)' || fail "without git: $(./weir version)"
do_sweep "the same program" 0
echo '/* another report */' >>lab/report/report_page.c
do_sweep "a program with another report" 0
echo '/* another scheme */' >>lib/mark/ecn.c
do_sweep "a program with another scheme" 2
./weir table "$dir/results" --all >"$dir/table" 2>/dev/null || ./weir table "$dir/results" >"$dir/table"
grep -q version "$dir/table" || fail "runs of two programs are mixed without a word: $(cat "$dir/table")"
