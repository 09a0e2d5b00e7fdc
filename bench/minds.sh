#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# minds.sh -- instructions per decision and per update of everybody here that learns, counted by valgrind. The
# difference of two numbers of calls leaves out what comes before the first.
set -u
log=$(mktemp)
trap 'rm -f "$log" "$log.out"' EXIT

# count NAME CALLS: instructions of the whole program; how many decisions a call has, and what they are called, is in $log.out.
count() {
	valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$log" \
		build/release/bench-minds "$1" "$2" >"$log.out" || exit 1
	sed -n 's/,//g; s/.*I *refs: *//p' "$log"
}

printf '\n%-38s %-10s %14s\n' who what instructions
build/release/bench-minds list | while read -r name; do
	few=$(count "$name" 2)
	unit=$(cut -d ' ' -f 2 "$log.out")
	# An update is long, and every second one has the actor's turn.
	case $unit in
	update) more=4 ;;
	step) more=20 ;;
	*) more=200 ;;
	esac
	echo "$few" "$(count "$name" $((2 + more)))" "$(cut -d ' ' -f 1 "$log.out")" |
		awk -v name="$name" -v unit="$unit" -v calls=$more '{
			printf "%-38s %-10s %14.0f\n", name, unit, ($2 - $1) / calls / $3
		}'
done
