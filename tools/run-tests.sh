#!/bin/sh
# run-tests.sh FUZZ_SECONDS -- what "make test" runs once everything is built: the tests in release
# and under sanitizers, the shell tests with either program, and the fuzzers beside them all, one after
# the other in that many seconds. Shows what failed; the last line is the sum of all.
set -u
fuzz_seconds=$1
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
passed=0
failed=0

# count NAME PASSED FAILED
count() {
	passed=$((passed + $2))
	failed=$((failed + $3))
	echo "$1: $2 of $(($2 + $3)) hold"
}

# Runs one weir-test; its own last line is read, not shown.
unit_tests() {
	build/"$1"/weir-test >"$logs/unit" 2>&1
	set -- "$1" $(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$logs/unit")
	if [ $# = 3 ]; then
		sed '$d' "$logs/unit"
		count "tests ($1)" "$2" "$3"
	else
		cat "$logs/unit"
		count "tests ($1), which ended early" 0 1
	fi
}

# shell_tests VARIANT PROGRAM SCRIPT...: a script passes by exit status 0; finds the program in $WEIR.
shell_tests() {
	variant=$1 program=$2 good=0 bad=0
	shift 2
	for script; do
		if WEIR=$program sh "$script" >"$logs/shell" 2>&1 </dev/null; then
			good=$((good + 1))
		else
			bad=$((bad + 1))
			echo "FAILED $script ($variant)"
			cat "$logs/shell"
		fi
	done
	count "shell tests ($variant)" $good $bad
}

# Both fuzzers: the scenario reader's, which has more to try, and the store's.
fuzz() {
	build/asan/fuzz $(($1 - $1 / 3)) && build/asan/fuzz-store $(($1 / 3))
}

fuzz "$fuzz_seconds" >"$logs/fuzz" 2>&1 </dev/null &
fuzzer=$!
unit_tests release
unit_tests asan
shell_tests release ./weir tests/cli/*.sh
shell_tests asan build/asan/weir $(grep -l -e WEIR -e ask.sh tests/cli/*.sh)
if wait $fuzzer; then
	count "fuzzers (asan, $fuzz_seconds s)" 1 0
else
	echo "FAILED fuzzers"
	cat "$logs/fuzz"
	count "fuzzers (asan, $fuzz_seconds s)" 0 1
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed != 0 ]
