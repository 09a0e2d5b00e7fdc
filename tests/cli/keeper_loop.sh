#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The loop: a keeper turns WRED_PROFILE in a real Redis, 'weir keeper emulate' brings it to the ports of a simulated switch and
# writes what they count, the keeper reads that. The queue becomes shorter, ASIC_DB follows, and at the end all is as before;
# also where Redis is restarted with nothing in it.
set -u
. tests/ask.sh
printf '[keeper]\ndriver = weir(socket=/nowhere)\ntune = fixed\n[profile a]\n' >bad.ini
expect 1 keeper emulate bad.ini
message "bad.ini: section [emulator] with the socket of a Redis is missing"
command -v redis-server >/dev/null || skip "redis-server is not installed"
command -v redis-cli >/dev/null || skip "redis-cli is not installed"

cat >net.ini <<END
# four senders, one receiver
[network]
topology = star
hosts = 5
delay = 10us
rate = 1Gbps
[switch]
marking = red(min=300KB, max=600KB, p=5%)
buffer = 2MB
[host]
cc = dctcp
[traffic bulk]
pattern = many-to-one
size = unlimited
senders = 4
[measure]
to = 1000s
END
cat >mimic.ini <<END
[keeper]
driver = sim(file=net.ini, for=1000s, rate=1Gbps, min=300KB, max=600KB, p=5%)
[emulator]
socket = $dir/redis.sock
poll = 20ms
apply = 10ms
speed = 0.1
[profile rx]
queue = sw->h0
END
cat >plan.ini <<END
[keeper]
driver = sonic(socket=$dir/redis.sock)
tune = fixed(min=30KB, max=60KB, p=20%)
interval = 50ms
verify = 5s
journal = $dir/plan.journal
socket = $dir/keeper.sock
[limits]
min-interval = 0s
writes = 60
[profile rx]
END
timeout 1 "$weir" keeper plan.ini --dry-run >out 2>err
grep -q "built without hiredis" err && skip "this program was built without hiredis"
db() {
	number=$1
	shift
	redis-cli -s "$dir/redis.sock" -n "$number" "$@" 2>/dev/null
}
start_redis() {
	redis-server --port 0 --unixsocket "$dir/redis.sock" --dir "$dir" --save "" --notify-keyspace-events AKE >redis.log 2>&1 &
	redis=$!
}
clean() {
	for process in ${keeper:-} ${mimic:-} ${redis:-}; do
		kill "$process" 2>/dev/null
	done
	wait 2>/dev/null
	rm -rf "$dir"
}
trap clean EXIT
# soon COMMAND...: within twenty seconds.
soon() {
	for _ in $(seq 100); do
		"$@" && return
		sleep 0.25
	done
	cat log mimic.out mimic.err >out
	fail "never so: $*"
}
hardware() {
	[ "$(db 1 hmget ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x13000000000000 SAI_WRED_ATTR_GREEN_MIN_THRESHOLD \
		SAI_WRED_ATTR_GREEN_MAX_THRESHOLD | tr '\n' ' ')" = "$1 $2 " ]
}
queue_below() {
	now=$(db 2 hget COUNTERS:oid:0x15000000000000 SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES)
	[ "${now:-0}" -gt 0 ] && [ "$now" -lt "$1" ]
}
queue_above() {
	now=$(db 2 hget COUNTERS:oid:0x15000000000000 SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES)
	[ "${now:-0}" -gt "$1" ]
}
: >log
start_redis
"$weir" keeper emulate mimic.ini >mimic.out 2>mimic.err &
mimic=$!
soon queue_above 250000
"$weir" keeper plan.ini >log 2>keeper.err &
keeper=$!
soon hardware 30000 60000
soon queue_below 200000
grep -q '"event":"alarm"' log && fail "an alarm, but the hardware follows"

# --- Redis is killed and comes back empty: the switch fills it, the keeper goes on ---
kill -9 "$redis"
wait "$redis" 2>/dev/null
start_redis
soon grep -q '"event":"found"' log
soon hardware 30000 60000
kill -TERM "$keeper"
wait "$keeper" || fail "the keeper ended with $?: $(cat keeper.err)"
keeper=
soon hardware 300000 600000
soon queue_above 250000
kill -TERM "$mimic"
wait "$mimic" || fail "the mimic ended with $?"
mimic=
grep -q '"event":"rehearsed"' mimic.out || fail "no word of what became of the traffic"
