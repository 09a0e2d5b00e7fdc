#!/bin/sh
# A keeper over a real Redis with SONiC's tables: it turns the knob within limits, yields to an operator, survives
# a Redis that is killed, and killed itself at any moment it leaves what 'weir keeper restore' needs.
set -u
. tests/ask.sh

# --- what needs no Redis ---
printf '[keeper]\ndriver = sonic\ntune = qla\ninterval = fast\n[profile A]\n' >bad.ini
expect 2 keeper bad.ini
grep -q "^weir: bad.ini:4: keeper.interval: " err || fail "no place in the message"
expect 2 keeper sttus bad.ini
message "unknown request 'sttus'; there are status, explain, pause, resume, reload, stop, restore, mimic (nearest: status)"
expect 2 keeper explain bad.ini
message "keeper explain: usage: weir keeper explain CONFIG.ini PROFILE"

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
shortest = 0s
writes = 60
[profile WRED_A]
[profile WRED_B]
queue = Ethernet4 3
END
expect 1 keeper status plan.ini
grep -q "no keeper answers there" err || fail "a keeper that does not run is not said so"

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
	[ $status = 0 ] || fail "the keeper ended with $status"
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
grep -q '"event":"write","profile":"WRED_A".*fixed wants it' out || fail "no explanation"
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
stop_keeper TERM
[ "$(db 4 exists 'WRED_PROFILE|WRED_A')" = 0 ] || fail "a profile that was deleted is there again"
fill_redis

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
