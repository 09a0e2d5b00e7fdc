#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The whole loop with real packets: TCP of this kernel through 'weir switch', its counters in a real Redis by 'weir keeper emulate', and a
# keeper that turns SONiC's tables. Two phases of traffic alternate; prints the rate, the queue and the round trip of a small
# request: with the default, with acc, whose settings are for lines a thousand times faster, and with a short queue, which proves the way.
# Needs root, iperf3 and python3.
set -u
. tests/ask.sh
for need in redis-server redis-cli iperf3 ip python3; do
	command -v $need >/dev/null || skip "$need is not installed"
done
sw=weir-$$-sw
ip netns add "$sw" 2>err || skip "network namespaces need root: $(cat err)"
hosts="0 1 2 3"
clean() {
	for process in ${keeper:-} ${mimic:-} ${switch:-} ${redis:-} ${servers:-}; do
		kill "$process" 2>/dev/null
	done
	wait 2>/dev/null
	for h in $hosts; do
		ip netns del "weir-$$-$h" 2>/dev/null
	done
	ip netns del "$sw"
	rm -rf "$dir"
}
trap clean EXIT
in_host() {
	h=$1
	shift
	ip netns exec "weir-$$-$h" "$@"
}
printf '[switch]\nmarking = red(min=1048576B, max=2097152B, p=5%%)\nnon-ect = pass\nbuffer = 4MB\n[real]\nsocket = %s/sw.sock\nbuffers = 8192\n' "$dir" >sw.ini
for h in $hosts; do
	ip netns add "weir-$$-$h"
	ip link add "v$h" netns "$sw" type veth peer name eth0 netns "weir-$$-$h" 2>err || skip "no veth pairs: $(cat err)"
	ip -n "$sw" link set "v$h" up
	ip -n "weir-$$-$h" link set lo up
	ip -n "weir-$$-$h" link set eth0 gso_max_segs 1 up
	ip -n "weir-$$-$h" addr add "10.0.0.$((h + 1))/24" dev eth0
	in_host "$h" sh -c 'echo 1 >/proc/sys/net/ipv4/tcp_ecn'
	printf '[port p%s]\ninterface = v%s\nrate = %s\ndelay = 200us\n' "$h" "$h" "$([ "$h" = 0 ] && echo 20Mbps || echo 200Mbps)" >>sw.ini
done
cat >mimic.ini <<END
[keeper]
driver = weir(socket=$dir/sw.sock)
[emulator]
socket = $dir/redis.sock
poll = 100ms
apply = 20ms
[profile p0]
END
cat >plan.ini <<END
[keeper]
driver = sonic(socket=$dir/redis.sock)
tune = acc(preset=weir)
interval = 200ms
guard = 0
verify = 2s
journal = $dir/plan.journal
socket = $dir/keeper.sock
[limits]
min-from = 3KB
max-from = 6KB
step = 100%
p-step = 100%
min-interval = 0s
writes = 600
[profile p0]
END
redis-server --port 0 --unixsocket "$dir/redis.sock" --dir "$dir" --save "" --notify-keyspace-events AKE >redis.log 2>&1 &
redis=$!
ip netns exec "$sw" "$weir" switch sw.ini >switch.out 2>switch.err &
switch=$!
sleep 1
"$weir" keeper emulate mimic.ini >mimic.out 2>mimic.err &
mimic=$!
servers=
for h in 1 2 3; do
	in_host 0 iperf3 -s -p "520$h" >/dev/null 2>&1 &
	servers="$servers $!"
done
in_host 0 python3 -c '
import socket
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("10.0.0.1", 9000)); s.listen()
while True:
    c, _ = s.accept()
    while c.recv(1): c.send(b"x")
' &
servers="$servers $!"
sleep 1
for i in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(redis-cli -s redis.sock -n 4 get CONFIG_DB_INITIALIZED)" = 1 ] && break
	sleep 0.5
done
field() {
	"$weir" switch status sw.ini 2>/dev/null | sed "s/.*\"name\":\"p0\"//; s/\"name\".*//; s/.*\"$1\":\([0-9.]*\).*/\1/"
}
# traffic SECONDS: two long connections, then two and bursts of eight.
traffic() {
	in_host 1 iperf3 -C reno -c 10.0.0.1 -p 5201 -t "$1" >/dev/null 2>&1 &
	a=$!
	in_host 2 iperf3 -C reno -c 10.0.0.1 -p 5202 -t "$1" >/dev/null 2>&1 &
	b=$!
	in_host 3 sh -c "sleep $(($1 / 2)); iperf3 -C reno -c 10.0.0.1 -p 5203 -P 8 -t $(($1 / 2 - 1)) >/dev/null 2>&1" &
	c=$!
	wait $a $b $c
}
# measure NAME: rate, mean of the queue and of round trips in the second after each look.
measure() {
	before=$(field tx_bytes) began=$(date +%s%N)
	traffic "${SECONDS_:-10}" &
	load=$!
	in_host 3 python3 -c '
import socket, sys, time
times = []
end = time.time() + float(sys.argv[1]) - 1
c = socket.create_connection(("10.0.0.1", 9000)); c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while time.time() < end:
    t = time.time(); c.send(b"x"); c.recv(1); times.append(time.time() - t); time.sleep(0.02)
times.sort()
print("%.1f %.1f" % (1e3 * sum(times) / len(times), 1e3 * times[int(len(times) * 0.99)]))
' "${SECONDS_:-10}" >trips &
	trips=$!
	i=0 sum=0
	while kill -0 $load 2>/dev/null; do
		sum=$((sum + $(field queue_bytes))) i=$((i + 1))
		sleep 0.2
	done
	wait $load $trips
	rate=$(awk "BEGIN { printf \"%.0f\", 8e3 * ($(field tx_bytes) - $before) / ($(date +%s%N) - $began) }")
	queue=$((sum / i))
	echo "$1: $rate Mb/s, mean queue $((queue / 1000)) KB, round trip mean and p99 $(cat trips) ms"
}
measure "SONiC's default"
default=$queue
# keep NAME TUNE: the same traffic with a keeper.
keep() {
	sed -i "s/^tune = .*/tune = $2/" plan.ini
	: >mimic.out
	"$weir" keeper plan.ini >log 2>keeper.err &
	keeper=$!
	sleep 1
	measure "$1"
	kill -TERM "$keeper"
	wait "$keeper" || { tail -n 5 log keeper.err >out; fail "the keeper ended with $?"; }
	keeper=
	grep -q '"event":"write"' log || fail "nothing was changed"
	echo "    $(grep -c '"event":"write"' log) changes"
}
keep "acc" "acc(preset=weir)"
keep "a short queue" "fixed(min=5KB, max=20KB, p=50%)"
[ "$queue" -lt $((default / 2)) ] || { tail -n 5 log mimic.err >out; fail "the queue was $default bytes and is $queue"; }
sleep 0.5
"$weir" switch status sw.ini | grep -q '"name":"p0".*"marking":"red(min=1MiB, max=2MiB, p=0.05,' || { "$weir" switch status sw.ini >out; fail "not as before"; }
