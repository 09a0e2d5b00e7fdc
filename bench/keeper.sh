#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# keeper.sh -- what a keeper of many profiles costs: PROFILES=128 of them, each a port of a simulated switch behind a real Redis
# ('weir keeper emulate'), asked every INTERVAL=100ms for SECONDS_=15. Prints steps, changes, processor time, memory.
set -eu
weir=$(realpath "${WEIR:-./weir}")
profiles=${PROFILES:-128} interval=${INTERVAL:-100ms} seconds=${SECONDS_:-15} tune=${TUNE:-acc(preset=weir)}
dir=$(mktemp -d)
cd "$dir"
clean() {
	for process in ${keeper:-} ${mimic:-} ${redis:-}; do
		kill "$process" 2>/dev/null || :
	done
	wait 2>/dev/null || :
	rm -rf "$dir"
}
trap clean EXIT
cat >net.ini <<END
# every host sends to another
[network]
topology = star
hosts = $profiles
delay = 10us
rate = 10Gbps
[switch]
marking = red(min=300KB, max=600KB, p=5%)
[host]
cc = dctcp
[traffic bulk]
pattern = all-to-all
load = 60%
sizes = websearch
[measure]
to = 100ms
END
{
	printf '[keeper]\ndriver = sim(file=net.ini, for=1000s, rate=10Gbps, min=300KB, max=600KB, p=5%%)\n'
	printf '[emulator]\nsocket = %s/redis.sock\npoll = %s\nspeed = 0.002\n' "$dir" "$interval"
	i=0
	while [ $i -lt "$profiles" ]; do
		printf '[profile p%s]\nqueue = sw->h%s\n' $i $i
		i=$((i + 1))
	done
} >mimic.ini
{
	printf '[keeper]\ndriver = sonic(socket=%s/redis.sock)\ntune = %s\ninterval = %s\n' "$dir" "$tune" "$interval"
	printf 'journal = %s/plan.journal\nsocket = %s/keeper.sock\n[limits]\nmin-interval = 0s\nwrites = 1200\n' "$dir" "$dir"
	i=0
	while [ $i -lt "$profiles" ]; do
		printf '[profile p%s]\n' $i
		i=$((i + 1))
	done
} >plan.ini
redis-server --port 0 --unixsocket "$dir/redis.sock" --dir "$dir" --save "" --notify-keyspace-events AKE >redis.log 2>&1 &
redis=$!
sleep 0.5
"$weir" keeper emulate mimic.ini >mimic.out 2>mimic.err &
mimic=$!
sleep 3
"$weir" keeper plan.ini >log 2>err &
keeper=$!
sleep 1 # queues are found
# spent: ticks of the keeper; steps: intervals so far.
spent() {
	awk '{ print $14 + $15 }' /proc/$keeper/stat
}
steps() {
	"$weir" keeper status plan.ini | sed 's/.*"steps":\([0-9]*\).*/\1/'
}
cpu=$(spent) before=$(steps) wrote=$(grep -c '"event":"write"' log || :) began=$(date +%s%N)
sleep "$seconds"
cpu=$(($(spent) - cpu)) after=$(steps) wrote=$(($(grep -c '"event":"write"' log || :) - wrote)) took=$(($(date +%s%N) - began))
memory=$(awk '/VmHWM/ { print $2 }' /proc/$keeper/status)
awk "BEGIN { printf \"%d profiles every %s for %.1f s: %d steps, %d changes, %.1f %% of a core, %.1f MB at most\\n\", $profiles, \"$interval\", \
	$took / 1e9, $after - $before, $wrote, 100 * $cpu / $(getconf CLK_TCK) / ($took / 1e9), $memory / 1000 }"

kill -TERM $keeper
wait $keeper || { tail -n 3 err log; exit 1; }
keeper=
