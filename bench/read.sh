# SPDX-License-Identifier: BSD-3-Clause
# read.sh -- what the benchmark scripts share: running the program and reading its JSON.

# run FILE [ARGUMENT...]: one run; its metrics, as JSON, are in $json, the seconds it took from outside in $wall.
run() {
	started=$(date +%s%N)
	./weir run "$@" --quiet --json "$log.json" 2>"$log" || {
		cat "$log" >&2
		echo "$1: the run failed" >&2
		exit 1
	}
	wall=$(awk -v from="$started" -v to="$(date +%s%N)" 'BEGIN { print (to - from) * 1e-9 }')
	json=$(sed -n '/^"metrics"/,/^}/p' "$log.json")
	rm -f "$log.json"
}

# metric NAME: its value in $json.
metric() {
	echo "$json" | tr ',{}' '\n\n\n' | sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*//p"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
