#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Faults against a keeper over a real Redis: slow, paused, read-only, away, forgetful; keys that are missing or garbage; counters that
# are reset or wrap; a switch that starts again; and KILLS=50 kills of the keeper at any moment. Whatever happens, the
# originals come back. Prints what was survived.
set -u
. tests/ask.sh
for need in redis-server redis-cli; do
	command -v $need >/dev/null || skip "$need is not installed"
done
cat >plan.ini <<END
[keeper]
driver = sonic(socket=$dir/redis.sock, timeout=200ms)
tune = fixed(min=60KB, max=120KB, p=20%)
interval = 20ms
guard = 1
hold-down = 1s
verify = 0s
journal = $dir/plan.journal
socket = $dir/keeper.sock
[limits]
min-interval = 0s
writes = 6000
step = 2%
[profile A]
[profile B]
END
timeout 1 "$weir" keeper plan.ini --dry-run >out 2>err
grep -q "built without hiredis" err && skip "built without hiredis"
db() {
	number=$1
	shift
	redis-cli -s "$dir/redis.sock" -n "$number" "$@" 2>/dev/null
}
start_redis() {
	redis-server --port 0 --unixsocket "$dir/redis.sock" --dir "$dir" --save "" --notify-keyspace-events AKE --enable-debug-command yes >redis.log 2>&1 &
	redis=$!
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ "$(db 0 ping)" = PONG ] && return
		sleep 0.1
	done
	fail "Redis does not start"
}
fill() {
	i=0
	for name in A B; do
		db 4 hset "WRED_PROFILE|$name" green_min_threshold 100000 green_max_threshold 200000 green_drop_probability 10 \
			wred_green_enable true ecn ecn_all >/dev/null
		db 4 hset "QUEUE|Ethernet$i|3" wred_profile $name >/dev/null
		db 4 hset "PORT|Ethernet$i" speed 100000 >/dev/null
		db 2 hset COUNTERS_QUEUE_NAME_MAP "Ethernet$i:3" "oid:0x15$i" >/dev/null
		db 2 hset COUNTERS_PORT_NAME_MAP "Ethernet$i" "oid:0x1$i" >/dev/null
		db 2 hset "COUNTERS:oid:0x15$i" SAI_QUEUE_STAT_BYTES 1000 SAI_QUEUE_STAT_DROPPED_PACKETS 0 >/dev/null
		i=$((i + 4))
	done
	db 4 set CONFIG_DB_INITIALIZED 1 >/dev/null
}
both() {
	for name in A B; do
		db 4 hmget "WRED_PROFILE|$name" green_min_threshold green_max_threshold green_drop_probability | tr '\n' ' '
	done
}
clean() {
	[ -n "${keeper:-}" ] && kill -9 "$keeper" 2>/dev/null
	[ -n "${redis:-}" ] && kill -9 "$redis" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$dir"
}
trap clean EXIT
# soon COMMAND...: within ten seconds.
soon() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { tail -n 8 log >out; fail "never so: $*; $(both)"; }
		sleep 0.1
	done
}
are() {
	[ "$(both)" = "$1" ]
}
said() {
	grep -q "\"event\":\"$1\"" log
}
originals="100000 200000 10 100000 200000 10 "
wish="60000 120000 20 60000 120000 20 "
begin() {
	"$weir" keeper plan.ini >log 2>keeper.err &
	keeper=$!
}
end() {
	kill -TERM "$keeper"
	wait "$keeper" || { tail -n 8 log keeper.err >out; fail "the keeper ended with $?"; }
	keeper=
	are "$originals" || { tail -n 8 log >out; fail "$1: not the originals, but $(both)"; }
	[ ! -e plan.journal ] || fail "$1: a journal is left"
	echo "survived: $1"
}
: >log
start_redis
fill

begin
soon are "$wish"
db 0 debug sleep 1 >/dev/null &
soon said lost
soon said found
end "Redis asleep for 1 s"

begin
sleep 0.3
db 0 client pause 1500 all >/dev/null
soon said lost
soon said found
soon are "$wish"
end "Redis paused for 1.5 s in the middle of changes"

begin
sleep 0.3
db 0 client pause 1500 write >/dev/null
soon said fail
soon are "$wish"
grep -q '"event":"yield"' log && fail "its own write was taken for somebody else's"
end "writes paused for 1.5 s"

begin
sleep 0.3
db 0 config set min-replicas-to-write 1 >/dev/null
soon said fail
db 0 config set min-replicas-to-write 0 >/dev/null
soon are "$wish"
end "Redis read-only for want of replicas"

begin
sleep 0.3
db 0 replicaof 127.0.0.1 1 >/dev/null
soon said fail
db 0 replicaof no one >/dev/null
soon are "$wish"
end "Redis a replica, and read-only"

begin
sleep 0.3
db 0 acl setuser default -hset >/dev/null
soon said fail
db 0 acl setuser default +hset >/dev/null
soon are "$wish"
end "no permission to write"

begin
soon are "$wish"
db 4 hdel "WRED_PROFILE|A" green_min_threshold >/dev/null
soon said unfit
db 4 hset "WRED_PROFILE|A" green_min_threshold 60000 >/dev/null
soon are "$wish"
end "a field that is missing for a while"

begin
soon are "$wish"
for value in lots -5 99999999999999999999999 "" 4294967296 1e5 0x10 " 7"; do
	: >log.was
	db 4 hset "WRED_PROFILE|A" green_max_threshold "$value" >/dev/null
	sleep 0.1
	[ "$(db 4 hget 'WRED_PROFILE|A' green_max_threshold)" = "$value" ] || fail "garbage '$value' was written over"
done
soon said unfit
db 4 hset "WRED_PROFILE|A" green_max_threshold 120000 >/dev/null
soon are "$wish"
end "eight kinds of garbage in a field"

begin
soon are "$wish"
db 2 del COUNTERS:oid:0x150 >/dev/null
db 2 set COUNTERS:oid:0x150 rubbish >/dev/null
soon said unfit
db 2 del COUNTERS:oid:0x150 >/dev/null
db 2 hset COUNTERS:oid:0x150 SAI_QUEUE_STAT_BYTES nothing >/dev/null
sleep 0.2
db 2 hset COUNTERS:oid:0x150 SAI_QUEUE_STAT_BYTES 500 SAI_QUEUE_STAT_DROPPED_PACKETS 0 >/dev/null
sleep 0.2
end "counters that are a string, a word, and numbers again"

begin
sleep 0.2
for bytes in 18446744073709551000 18446744073709551614 5 1000 2000; do
	db 2 hset COUNTERS:oid:0x150 SAI_QUEUE_STAT_BYTES $bytes >/dev/null
	sleep 0.1
done
soon said reset
soon are "$wish"
end "counters that are full and begin again"
db 2 hset COUNTERS:oid:0x150 SAI_QUEUE_STAT_BYTES 1000 >/dev/null

begin
soon are "$wish"
db 0 flushall >/dev/null
soon said unfit
sleep 0.3
fill
soon are "$wish"
end "all keys gone and back, as a switch that starts again leaves them"

begin
soon are "$wish"
kill -9 "$redis"
wait "$redis" 2>/dev/null
soon said lost
start_redis
sleep 0.3
fill
soon said found
soon are "$wish"
end "Redis killed, and back with the saved configuration"

begin
soon are "$wish"
kill -9 "$redis"
wait "$redis" 2>/dev/null
soon said lost
kill -TERM "$keeper"
wait "$keeper"
[ $? = 1 ] || fail "restored, without a Redis?"
keeper=
[ -s plan.journal ] || fail "the originals are lost"
start_redis
fill
expect 0 keeper restore plan.ini
are "$originals" || fail "not the originals: $(both)"
echo "survived: stopped while Redis was away, restored later"

# --- the keeper is killed at any moment ---
rounds=0 touched=0 halfway=0
while [ $rounds -lt "${KILLS:-50}" ]; do
	rounds=$((rounds + 1))
	begin
	sleep "0.$(awk "BEGIN { srand($$ * 100 + $rounds); printf \"%03d\", 20 + rand() * 900 }")"
	kill -9 "$keeper"
	wait "$keeper" 2>/dev/null
	keeper=
	are "$originals" || touched=$((touched + 1))
	are "$wish" || are "$originals" || halfway=$((halfway + 1))
	expect 0 keeper restore plan.ini
	are "$originals" || fail "not the originals after kill $rounds: $(both)"
	[ ! -e plan.journal ] || fail "restore leaves a journal"
done
[ $touched -gt 0 ] || fail "no kill came after a write"
echo "survived: $rounds kills -9, $touched of them after the first change, $halfway on the way to the wish"
