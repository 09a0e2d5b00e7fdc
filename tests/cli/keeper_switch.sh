#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A keeper of a real 'weir switch': it turns min, max and p of a port's red, leaves the rest of it, yields to
# 'weir switch set', and puts back what it found.
set -u
. tests/ask.sh

printf '[keeper]\ndriver = weir\ntune = fixed\n[profile a]\n' >bad.ini
expect 2 keeper bad.ini
message "bad.ini:2: keeper.driver: weir: socket: a path is needed, as in weir(socket=/run/weir-sw.sock)"

command -v ip >/dev/null || skip "ip is not installed"
alone
sw=weir-$$-keeper
ip netns add "$sw" 2>err || skip "network namespaces need root: $(cat err)"
clean() {
	[ -n "${keeper:-}" ] && kill -9 "$keeper" 2>/dev/null
	[ -n "${switch:-}" ] && kill "$switch" 2>/dev/null
	wait 2>/dev/null
	ip netns del "$sw"
	rm -rf "$dir"
}
trap clean EXIT
for i in 1 2; do
	ip -n "$sw" link add "v$i" type veth peer name "h$i" 2>err || skip "no veth pairs: $(cat err)"
	ip -n "$sw" link set "v$i" up
	ip -n "$sw" link set "h$i" up
done
cat >sw.ini <<END
[switch]
marking = red(min=100KB, max=200KB, p=0.1, weight=1/16)
[real]
socket = $dir/sw.sock
[port a]
interface = v1
[port b]
interface = v2
marking = ecn(k=20pkts)
END
cat >plan.ini <<END
[keeper]
driver = weir(socket=$dir/sw.sock)
tune = fixed(min=60KB, max=120KB, p=0.125)
interval = 50ms
journal = $dir/plan.journal
socket = $dir/keeper.sock
[limits]
min-interval = 0s
[profile a]
[profile b]
END
: >log
: >switch.err
ip netns exec "$sw" "$weir" switch sw.ini >switch.out 2>switch.err &
switch=$!
marking() {
	"$weir" switch status sw.ini 2>>err | sed -n 's/.*"name":"a".*"marking":"red(\([^)]*\))".*"name":"b".*/\1/p'
}
# wanted TEXT: what the marking begins with, within twenty seconds.
wanted() {
	for _ in $(seq 100); do
		case $(marking) in "$1"*) return ;; esac
		sleep 0.2
	done
	cat log switch.err >out
	fail "the marking is $(marking), expected $1"
}
begin() {
	: >log
	"$weir" keeper plan.ini >log 2>keeper.err &
	keeper=$!
}
end() {
	kill -TERM "$keeper"
	wait "$keeper" || fail "the keeper ended with $?: $(cat keeper.err)"
	keeper=
}
wanted "min=100KB, max=200KB, p=0.1, "
before=$(marking)

# --- there and back, and no other option is touched ---
begin
wanted "min=60KB, max=120KB, p=0.125, slope=0, weight=0.0625, "
grep -q '"event":"unfit","profile":"b".*ecn; only red has min, max and p' log || fail "ecn has no such setting"
end
[ "$(marking)" = "$before" ] || fail "not as before: $(marking)"

# --- somebody else's setting is theirs ---
begin
wanted "min=60KB, "
expect 0 switch set sw.ini 'port.a.marking=red(min=70KB, max=140KB, weight=1/16)'
for _ in $(seq 100); do
	grep -q '"event":"yield"' log && break
	sleep 0.1
done
end
wanted "min=70KB, max=140KB, p=0.01, "
grep -q '"event":"yield"' log || fail "no word of it"

# --- the switch is stopped: the keeper waits for it, and at its end says what is not restored ---
begin
wanted "min=60KB, "
expect 0 switch stop sw.ini
wait "$switch"
switch=
for _ in $(seq 100); do
	grep -q '"event":"lost"' log && break
	sleep 0.1
done
kill -TERM "$keeper"
wait "$keeper"
[ $? = 1 ] || fail "restored, without a switch?"
keeper=
cp keeper.err err
message "1 profile is not restored; $dir/plan.journal holds the originals: 'weir keeper restore plan.ini' restores them, \
'weir keeper release plan.ini PROFILE' gives one up"
[ -s plan.journal ] || fail "no journal"
expect 0 keeper release plan.ini a
[ ! -e plan.journal ] || fail "released, but the journal is there"
