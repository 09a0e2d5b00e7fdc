#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run-tests.sh FUZZ_SECONDS -- runs the tests of "make test" when everything is built: C and shell tests in
# release, the same under sanitizers, and the fuzzers for that many seconds in all, in parallel. Prints what
# failed, which shell tests were skipped, whole or in part, and why; the last line is the sum:
# "N passed, N failed, N skipped".
set -u
fuzz_seconds=$1
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
: >"$logs/counts"
: >"$logs/skipped"

# count NAME PASSED FAILED SKIPPED
count() {
	echo "$2 $3 $4" >>"$logs/counts"
	echo "$1: $2 of $(($2 + $3)) hold"
}

# Runs one weir-test and reads its last line.
unit_tests() {
	log=$logs/unit.$1
	build/"$1"/weir-test >"$log" 2>&1 </dev/null
	set -- "$1" $(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")
	if [ $# = 3 ]; then
		sed '$d' "$log"
		count "tests ($1)" "$2" "$3" 0
	else
		cat "$log"
		count "tests ($1), which ended early" 0 1 0
	fi
}

# shell_tests VARIANT PROGRAM SCRIPT...: a script passes with exit status 0 and is skipped with 77; $WEIR is the
# program. A line "left out: ..." is the reason of a skip, or the part that a passing script did not run.
shell_tests() {
	variant=$1 program=$2 good=0 bad=0 skipped=0 log=$logs/shell.$1
	shift 2
	for script; do
		WEIR=$program sh "$script" >"$log" 2>&1 </dev/null
		case $? in
		0)
			good=$((good + 1))
			sed -n "s|^left out: |skipped in part: $script ($variant): |p" "$log" >>"$logs/skipped"
			;;
		77)
			skipped=$((skipped + 1))
			why=$(sed -n 's/^left out: //p' "$log" | tail -n 1)
			echo "skipped: $script ($variant): ${why:-no reason given}" >>"$logs/skipped"
			;;
		*)
			bad=$((bad + 1))
			echo "FAILED $script ($variant)"
			cat "$log"
			;;
		esac
	done
	count "shell tests ($variant)" $good $bad $skipped
}

# The fuzzers of scenarios (most of the time), stores and files of other simulators.
fuzz() {
	if { build/asan/fuzz $(($1 - $1 / 4 - $1 / 4)) && build/asan/fuzz-store $(($1 / 4)) &&
		build/asan/fuzz-import $(($1 / 4)); } >"$logs/fuzz" 2>&1 </dev/null; then
		count "fuzzers (asan, $1 s)" 1 0 0
	else
		echo "FAILED fuzzers"
		cat "$logs/fuzz"
		count "fuzzers (asan, $1 s)" 0 1 0
	fi
}

fuzz "$fuzz_seconds" &
{
	unit_tests asan
	shell_tests asan build/asan/weir $(grep -l -e "[\${]WEIR" -e "^\. .*ask.sh" tests/cli/*.sh)
} &
unit_tests release
shell_tests release ./weir tests/cli/*.sh
wait
sort "$logs/skipped"
awk '{ passed += $1; failed += $2; skipped += $3 } END {
	print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"
	exit !(NR == 5 && failed == 0 && passed > 0)
}' "$logs/counts"
