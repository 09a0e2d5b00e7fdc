#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the system refuses -- addresses, threads -- is one sentence with a remedy and exit status 1; and a
# small network asks for little.
set -u
weir=${WEIR:-./weir}
case $weir in *asan*)
	echo "left out: a sanitizer needs all addresses there are"
	exit 77
	;;
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

fail() {
	echo "$0: $*"
	cat "$dir/err"
	failed=1
}

# within KILOBYTES ARGUMENT...: the incast of the scenarios, with so many addresses.
within() {
	(
		ulimit -v "$1" || exit 99
		shift
		exec "$weir" run scenarios/incast.ini --quiet "$@"
	) >"$dir/out" 2>"$dir/err"
}

# ends STATUS TEXT: the last one ended so, and said that in one line.
ends() {
	[ "$status" = "$1" ] || fail "status $status, expected $1 ($2)"
	grep -q "$2" "$dir/err" || fail "no word of '$2'"
	[ "$(wc -l <"$dir/err")" = 1 ] || fail "not one line"
}

within 2000000 --json "$dir/small.json"
[ $? = 0 ] || fail "does not run in 2 GB of addresses"
within 2000000 --json "$dir/threads.json" --threads 4
[ $? = 0 ] || fail "does not run in 2 GB of addresses on four threads"

within 100000
status=$?
ends 1 "the system refuses .* MB more of memory or of addresses; .*ulimit -v"

# The laboratory has the same sentence: a scenario of 12 MB, of which 16 are asked for, in 20.
head -c 12000000 /dev/zero | tr '\0' '#' >"$dir/long.ini"
(ulimit -v 20000 && exec "$weir" check "$dir/long.ini") >"$dir/out" 2>"$dir/err"
status=$?
ends 1 "the system refuses .* MB more of memory or of addresses; .*ulimit -v"

# A thread has a stack of 8 MB or so.
within 1000000 --threads 250
status=$?
ends 1 "the system gives [0-9]* of 250 threads (.*); ask for fewer with --threads"

within 2000000 --threads 100000
status=$?
ends 2 "threads: '100000' is out of range"
exit $failed
