#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A keeper over a real Redis with SONiC's tables: it turns the knob within limits, yields to an operator, survives
# a Redis that is killed, and killed itself at any moment it leaves what 'weir keeper restore' needs.
set -u
. tests/ask.sh

# --- what needs no Redis ---
printf '[keeper]\ndriver = sonic\ntune = qla\ninterval = fast\n[profile A]\n' >bad.ini
expect 2 keeper bad.ini
grep -q "^weir: bad.ini:4: keeper.interval: " err || fail "no place in the message"
expect 2 keeper sttus bad.ini
message "unknown request 'sttus'; there are status, explain, pause, resume, reload, stop, restore, release, emulate (nearest: status)"
expect 2 keeper explain bad.ini
message "keeper explain: usage: weir keeper explain CONFIG.ini PROFILE"
expect 2 keeper release bad.ini
message "keeper release: usage: weir keeper release CONFIG.ini PROFILE"

cat >plan.ini <<END
# a test's switch
[keeper]
driver = sonic(socket=$dir/redis.sock)
tune = fixed(min=60KB, max=120KB, p=20%)
interval = 50ms
guard = 1
verify = 300ms
journal = $dir/plan.journal
socket = $dir/keeper.sock
[limits]
min-interval = 0s
writes = 60
[profile WRED_A]
[profile WRED_B]
queue = Ethernet4 3
END
expect 1 keeper status plan.ini
grep -q "no keeper answers there" err || fail "a keeper that does not run is not said so"
printf '[keeper]\ndriver = tc\ntune = qla\njournal = %s/tc.journal\nsocket = %s/precious\n[profile A]\nqueue = lo\n' "$dir" "$dir" >tc.ini
for option in "" --dry-run; do
	echo precious >precious
	expect 1 keeper tc.ini $option
	message "keeper.socket: $dir/precious: is there already and is no socket, so it is left as it is; name another path"
	[ "$(cat precious)" = precious ] || fail "a file at the socket's path was removed"
done

command -v redis-server >/dev/null || skip "redis-server is not installed"
command -v redis-cli >/dev/null || skip "redis-cli is not installed"
timeout 1 "$weir" keeper plan.ini --dry-run >out 2>err
grep -q "built without hiredis" err && skip "this program was built without hiredis"

# --- a switch: CONFIG_DB is 4, COUNTERS_DB 2, ASIC_DB 1 ---
db() {
	number=$1
	shift
	redis-cli -s "$dir/redis.sock" -n "$number" "$@" 2>/dev/null
}
start_redis() {
	redis-server --port 0 --unixsocket "$dir/redis.sock" --dir "$dir" --save "" --notify-keyspace-events AKE --daemonize no >redis.log 2>&1 &
	redis=$!
	for _ in $(seq 100); do
		[ "$(db 0 ping)" = PONG ] && return
		sleep 0.1
	done
	fail "Redis does not start: $(tail -3 redis.log)"
}
set_profile() {
	db 4 hset "WRED_PROFILE|$1" green_min_threshold "$2" green_max_threshold "$3" green_drop_probability "$4" >/dev/null
}
set_asic() {
	db 1 hset "ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x$1" SAI_WRED_ATTR_GREEN_MIN_THRESHOLD "$2" \
		SAI_WRED_ATTR_GREEN_MAX_THRESHOLD "$3" SAI_WRED_ATTR_GREEN_DROP_PROBABILITY "$4" >/dev/null
}
fill_redis() {
	for name in A B; do
		set_profile WRED_$name 100000 200000 10
		db 4 hset "WRED_PROFILE|WRED_$name" wred_green_enable true ecn ecn_all >/dev/null
	done
	db 4 hset "QUEUE|Ethernet0,Ethernet8|3" wred_profile WRED_A >/dev/null
	for port in 0 4 8; do
		db 4 hset "PORT|Ethernet$port" speed 100000 >/dev/null
		db 2 hset COUNTERS_QUEUE_NAME_MAP "Ethernet$port:3" "oid:0x15$port" >/dev/null
		db 2 hset COUNTERS_PORT_NAME_MAP "Ethernet$port" "oid:0x1$port" >/dev/null
		db 2 hset "COUNTERS:oid:0x15$port" SAI_QUEUE_STAT_BYTES 1000 SAI_QUEUE_STAT_DROPPED_PACKETS 0 \
			SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES 5000 >/dev/null
	done
	db 4 set CONFIG_DB_INITIALIZED 1 >/dev/null
}
profile() {
	db 4 hmget "WRED_PROFILE|$1" green_min_threshold green_max_threshold green_drop_probability | tr '\n' ' '
}
# wanted NAME MIN MAX PERCENT: within twenty seconds.
wanted() {
	for _ in $(seq 100); do
		[ "$(profile "$1")" = "$2 $3 $4 " ] && return
		sleep 0.2
	done
	"$weir" keeper status plan.ini >>out 2>&1
	cat log >>out
	fail "$1 is $(profile "$1"), expected $2 $3 $4"
}
# said EVENT: within twenty seconds.
said() {
	for _ in $(seq 100); do
		grep -q "\"event\":\"$1\"" log && return
		sleep 0.2
	done
	cat log >out
	fail "the keeper never said $1"
}
clean() {
	[ -n "${keeper:-}" ] && kill -9 "$keeper" 2>/dev/null
	[ -n "${redis:-}" ] && kill "$redis" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$dir"
}
trap clean EXIT
start_keeper() {
	: >log
	"$weir" keeper plan.ini "$@" >log 2>keeper.err &
	keeper=$!
}
stop_keeper() {
	kill -"$1" "$keeper"
	wait "$keeper"
	status=$?
	keeper=
	cat log keeper.err >out
	[ $status = "${2:-0}" ] || fail "the keeper ended with $status"
}
: >log
start_redis
fill_redis

# --- watching only ---
start_keeper --dry-run
said would-write
stop_keeper TERM
[ "$(profile WRED_A)" = "100000 200000 10 " ] || fail "dry, but it wrote"
[ ! -e plan.journal ] || fail "dry, but there is a journal"

# --- live: to the wish in steps, and back ---
start_keeper
wanted WRED_A 60000 120000 20
wanted WRED_B 60000 120000 20
[ -s plan.journal ] || fail "no journal"
expect 0 keeper status plan.ini
grep -q '"state":"tuned"' out || fail "no status"
expect 0 keeper explain plan.ini WRED_A
grep -q '"event":"write","profile":"WRED_A".*requested by fixed' out || fail "no explanation"
grep -q '"profile":"WRED_B"' out && fail "an explanation of another profile"
expect 1 keeper explain plan.ini WRED_C
expect 1 keeper plan.ini
grep -q "another keeper" err || fail "two keepers of one journal"
stop_keeper INT
[ "$(profile WRED_A)$(profile WRED_B)" = "100000 200000 10 100000 200000 10 " ] || fail "not restored by SIGINT"
[ ! -e plan.journal ] || fail "a journal is left"

# --- hardware that does not follow: an alarm, and the change is taken back ---
for port in 0 4 8; do
	db 1 hset "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x15$port" SAI_QUEUE_ATTR_WRED_PROFILE_ID oid:0x9$port >/dev/null
	set_asic 9$port 100000 200000 10
done
start_keeper
said alarm
wanted WRED_A 100000 200000 10
stop_keeper TERM
db 1 flushdb >/dev/null

# --- an operator's change is theirs, and is heard of at once ---
sed -i 's/^interval = .*/interval = 60s/' plan.ini
start_keeper
said begin
sleep 0.2
set_profile WRED_A 77777 99999 7
said yield
stop_keeper TERM
set_profile WRED_A 100000 200000 10
sed -i 's/^interval = .*/interval = 50ms/' plan.ini
start_keeper
wanted WRED_A 60000 120000 20
set_profile WRED_A 77777 99999 7
said yield
sleep 0.3
[ "$(profile WRED_A)" = "77777 99999 7 " ] || fail "the operator's change was undone"
expect 0 keeper resume plan.ini WRED_A
wanted WRED_A 60000 120000 20
stop_keeper TERM
[ "$(profile WRED_A)$(profile WRED_B)" = "77777 99999 7 100000 200000 10 " ] || fail "not what the operator wanted"
set_profile WRED_A 100000 200000 10

# --- another plan: what is known stays, what is gone is put back, a mistake changes nothing ---
start_keeper
wanted WRED_A 60000 120000 20
wanted WRED_B 60000 120000 20
cp plan.ini first.ini
sed -i -e '/WRED_B/,$d' -e 's/min=60KB/min=50KB/' plan.ini
kill -HUP "$keeper"
said reload
wanted WRED_A 50000 120000 20
wanted WRED_B 100000 200000 10
sed -i 's/min=50KB/min=5KiloB/' plan.ini
kill -HUP "$keeper"
said no-reload
cp first.ini plan.ini
expect 0 keeper reload plan.ini
wanted WRED_B 60000 120000 20
wanted WRED_A 60000 120000 20
stop_keeper TERM
[ "$(profile WRED_A)$(profile WRED_B)" = "100000 200000 10 100000 200000 10 " ] || fail "not the originals after a reload"

# --- garbage and missing keys are left alone ---
db 4 hset "WRED_PROFILE|WRED_B" green_min_threshold lots >/dev/null
start_keeper
wanted WRED_A 60000 120000 20
[ "$(profile WRED_B)" = "lots 200000 10 " ] || fail "garbage was written over"
db 4 del "WRED_PROFILE|WRED_A" >/dev/null
sleep 0.3
stop_keeper TERM 1
[ "$(db 4 exists 'WRED_PROFILE|WRED_A')" = 0 ] || fail "a profile that was deleted is there again"
set_profile WRED_A 60000 120000 20 # as a configuration that was saved while the keeper ran
db 4 hset "WRED_PROFILE|WRED_A" wred_green_enable true ecn ecn_all >/dev/null
db 4 hset "WRED_PROFILE|WRED_B" green_min_threshold 100000 >/dev/null
expect 0 keeper restore plan.ini
[ "$(profile WRED_A)" = "100000 200000 10 " ] || fail "a profile that was created again has the keeper's values"
[ ! -e plan.journal ] || fail "a journal is left"
fill_redis

# --- ECN is turned off on a tuned profile: the original is kept until it can be written ---
start_keeper
wanted WRED_A 60000 120000 20
db 4 hset "WRED_PROFILE|WRED_A" ecn ecn_none >/dev/null
said unfit
expect 1 keeper stop plan.ini
message "1 profile is not restored; $dir/plan.journal holds the originals: 'weir keeper restore plan.ini' restores them, \
'weir keeper release plan.ini PROFILE' gives one up"
wait "$keeper"
[ $? = 1 ] || fail "the keeper did not say that an original is not restored"
keeper=
[ "$(profile WRED_A)$(profile WRED_B)" = "60000 120000 20 100000 200000 10 " ] || fail "written while ECN is off"
[ "$(grep -c WRED plan.journal)" = 1 ] || fail "the journal holds another number of originals than one"
expect 1 keeper restore plan.ini
db 4 hset "WRED_PROFILE|WRED_B" green_min_threshold 60000 green_max_threshold 120000 green_drop_probability 20 >/dev/null
db 4 hset "WRED_PROFILE|WRED_A" ecn ecn_all >/dev/null
expect 0 keeper restore plan.ini
[ "$(profile WRED_A)" = "100000 200000 10 " ] || fail "the original did not come back when ECN was on again"
[ "$(profile WRED_B)" = "60000 120000 20 " ] || fail "an operator's values, which a keeper once had, were overwritten"
[ ! -e plan.journal ] || fail "a journal is left"
fill_redis

# --- the same, and the next keeper puts the original back, at its start or at its end ---
start_keeper
wanted WRED_A 60000 120000 20
db 4 hset "WRED_PROFILE|WRED_A" ecn ecn_none >/dev/null
said unfit
stop_keeper TERM 1
start_keeper
said restore
sleep 0.2
db 4 hset "WRED_PROFILE|WRED_A" ecn ecn_all >/dev/null
said resume
stop_keeper TERM
[ "$(profile WRED_A)" = "100000 200000 10 " ] || fail "the next keeper did not put the first original back"

# --- an operator changes one value: none of theirs is overwritten, and what is still the keeper's is named ---
start_keeper
wanted WRED_A 60000 120000 20
db 4 hset "WRED_PROFILE|WRED_A" green_min_threshold 77777 >/dev/null
said yield
expect 1 keeper resume plan.ini WRED_A
grep -q "its max, p is still the keeper's" err || fail "no word of what is still the keeper's"
stop_keeper TERM 1
[ "$(profile WRED_A)" = "77777 120000 20 " ] || fail "an operator's profile was written"
grep -q '"profile":"WRED_A".*"became":"not restored: an operator changed a part of it".*max, p remains"' log || fail "no word of it"
expect 1 keeper release plan.ini WRED_B
message "unknown profile 'WRED_B'; there are WRED_A (nearest: WRED_A)"
cp plan.journal kept.journal
expect 0 keeper release plan.ini WRED_A
[ ! -e plan.journal ] || fail "released, but the journal is there"
expect 0 keeper restore plan.ini
[ "$(profile WRED_A)" = "77777 120000 20 " ] || fail "released, but written"
cp kept.journal plan.journal
expect 1 keeper restore plan.ini
[ "$(profile WRED_A)" = "77777 120000 20 " ] || fail "written without being named"
expect 0 keeper restore plan.ini WRED_A
[ "$(profile WRED_A)" = "100000 200000 10 " ] || fail "named, but not put back"

# --- the same while the keeper runs ---
start_keeper
wanted WRED_A 60000 120000 20
db 4 hset "WRED_PROFILE|WRED_A" green_min_threshold 77777 >/dev/null
said yield
expect 0 keeper restore plan.ini WRED_A
[ "$(profile WRED_A)" = "100000 200000 10 " ] || fail "asked for, but not put back"
sleep 0.3
[ "$(profile WRED_A)" = "100000 200000 10 " ] || fail "tuned although it is the operator's"
expect 0 keeper resume plan.ini WRED_A
wanted WRED_A 60000 120000 20
expect 0 keeper release plan.ini WRED_A
db 4 hset "WRED_PROFILE|WRED_A" ecn ecn_none >/dev/null # off and on again: it stays the operator's
sleep 0.3
db 4 hset "WRED_PROFILE|WRED_A" ecn ecn_all green_drop_probability 33 >/dev/null
sleep 0.3
expect 0 keeper stop plan.ini
wait "$keeper" || fail "nothing was left to restore"
keeper=
[ "$(profile WRED_A)" = "60000 120000 33 " ] || fail "released, but written"
fill_redis

# --- Redis is asleep, so that a step takes longer than an interval: operators are answered all the same ---
start_keeper
wanted WRED_A 60000 120000 20
kill -STOP "$redis"
said lost
timeout 60 "$weir" keeper status plan.ini >out 2>err || fail "no answer while Redis is asleep"
grep -q '"answers":false' out || fail "not said that the switch does not answer"
kill -CONT "$redis"
said found
stop_keeper TERM
[ "$(profile WRED_A)" = "100000 200000 10 " ] || fail "not restored after Redis was asleep"

# --- Redis is killed, and comes back with what was saved ---
start_keeper
wanted WRED_A 60000 120000 20
kill -9 "$redis"
wait "$redis" 2>/dev/null
said lost
: >log
start_redis
sleep 0.2
fill_redis
said found
wanted WRED_A 60000 120000 20
stop_keeper TERM
[ "$(profile WRED_A)$(profile WRED_B)" = "100000 200000 10 100000 200000 10 " ] || fail "not restored after Redis was away"

# --- the keeper is killed: nothing is lost ---
rounds=0 touched=0
while [ $rounds -lt "${KILLS:-3}" ]; do
	rounds=$((rounds + 1))
	start_keeper
	[ $rounds -gt 1 ] || said write
	sleep "0.$(awk "BEGIN { srand($$ + $rounds); printf \"%02d\", 5 + rand() * 50 }")"
	kill -9 "$keeper"
	wait "$keeper" 2>/dev/null
	keeper=
	[ "$(profile WRED_A)" = "100000 200000 10 " ] || touched=$((touched + 1))
	expect 0 keeper restore plan.ini
	[ "$(profile WRED_A)$(profile WRED_B)" = "100000 200000 10 100000 200000 10 " ] || fail "not restored after a kill"
	[ ! -e plan.journal ] || fail "restore leaves a journal"
done
[ $touched -gt 0 ] || fail "no kill came after a write"

# --- a start after a kill restores by itself, and does not mistake its own doing for an original ---
start_keeper
wanted WRED_A 60000 120000 20
kill -9 "$keeper"
wait "$keeper" 2>/dev/null
start_keeper
said restore
wanted WRED_A 60000 120000 20
expect 0 keeper stop plan.ini
wait "$keeper"
keeper=
[ "$(profile WRED_A)$(profile WRED_B)" = "100000 200000 10 100000 200000 10 " ] || fail "not the first originals"
