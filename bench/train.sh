#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# train.sh -- how many steps are learnt from in a second of processor time, simulation included: short trainings on one
# thread, with a single episode that judges.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# row NAME ARGUMENT...: of 'weir train'. Steps are whole rounds, so the curve says how many there were; the shell
# says what its children took, in minutes and seconds, user and system, in the second line of 'times'.
row() {
	name=$1
	shift
	sh -c '"$@" >"$0/log" 2>&1 || exit 1; times' "$folder" ./weir train "$@" --threads 1 --judge 1 --quiet \
		-o "$folder/model" >"$folder/times" || {
		cat "$folder/log" >&2
		exit 1
	}
	steps=$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "steps") at = i } END { print $at }' \
		"$folder/model.csv")
	tr 'ms' '  ' <"$folder/times" | awk -v name="$name" -v steps="$steps" 'NR == 2 {
		printf "%-38s %-10s %12.1f %14.0f\n", name, "step", (60 * ($1 + $3) + $2 + $4) / steps * 1e9,
			steps / (60 * ($1 + $3) + $2 + $4)
	}'
	rm -f "$folder"/*
}

printf '\n%-38s %-10s %12s %14s\n' training what CPU-ns "a CPU-second"
row "train acc" acc --steps 3000
row "train acc, preset paper" acc --preset paper --steps 3000
row "train fdcc" fdcc --set warm-up=5000 --steps 100000
row "train fdcc, preset thesis" fdcc --preset thesis --set warm-up=5000 --steps 60000
row "train rl-cc" rl-cc --steps 400000
