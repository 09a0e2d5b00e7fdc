#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A real switch between two namespaces: a file arrives whole through it, marked on its way and in no more time
# than the line takes; a link that goes down, an interface that vanishes and a kill leave nothing broken.
set -u
. tests/ask.sh

# --- what needs no rights ---
printf '[port a]\nrate = quick\n[port b]\n' >bad.ini
expect 2 switch bad.ini
grep -q "^weir: bad.ini:2: port.a.rate: " err || fail "no place in the message"
printf '[real]\nsocket = %s/none.sock\n[port weir-no-a]\n[port weir-no-b]\n' "$dir" >none.ini
expect 2 switch none.ini --every 1s
message "--every: needs --out FOLDER"
expect 1 switch status none.ini
grep -q "no switch answers there" err || fail "a switch that does not run is not said so"
echo precious >none.sock
expect 1 switch none.ini
message "$dir/none.sock: is there already and is no socket, so it is left as it is; name another path"
[ "$(cat none.sock)" = precious ] || fail "a file at the socket's path was removed"
rm none.sock

command -v python3 >/dev/null || skip "python3 is not installed"
command -v ip >/dev/null || skip "ip is not installed"
alone

# --- two hosts and a switch ---
a=weir-$$-a b=weir-$$-b sw=weir-$$-sw
ip netns add "$sw" 2>err || skip "network namespaces need root: $(cat err)"
clean() {
	[ -n "${switch:-}" ] && kill "$switch" 2>/dev/null && wait "$switch" 2>/dev/null
	for name in "$a" "$b" "$sw"; do
		ip netns del "$name" 2>/dev/null
	done
	rm -rf "$dir"
}
trap clean EXIT
ip netns add "$a" && ip netns add "$b" || fail "no namespaces"

# link NAME NUMBER: a host and its cable. Cutting packets is left to nobody: see docs/manual/09-real-packets.md.
link() {
	ip link add "v$2" netns "$sw" type veth peer name eth0 netns "$1" 2>err || skip "no veth pairs: $(cat err)"
	ip -n "$1" link set eth0 address "02:00:00:00:00:0$2" gso_max_segs 1
	ip netns exec "$1" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv4.tcp_ecn=1 2>/dev/null
	ip -n "$1" addr add "10.99.0.$2/24" dev eth0
	ip -n "$1" link set eth0 up
	ip -n "$sw" link set "v$2" up
}
link "$a" 1
link "$b" 2

cat >sw.ini <<END
# a narrow way to b
[switch]
marking = ecn(k=10pkts)
[real]
socket = $dir/sw.sock
prometheus = 9900
probe = queue b every 20ms
[port a]
interface = v1
delay = 200us
[port b]
interface = v2
rate = 50Mbps
END

begin() {
	: >switch.out
	ip netns exec "$sw" "$weir" switch sw.ini --out real.results --every 1s --pcap b=b.pcapng >>switch.out 2>switch.err &
	switch=$!
	for _ in $(seq 100); do
		grep -q ports switch.out && return
		sleep 0.1
	done
	cat switch.out switch.err >out
	fail "the switch does not start"
}

# field PORT NAME: of its status.
field() {
	"$weir" switch status sw.ini | python3 -c "
import json, sys
print(next(p for p in json.load(sys.stdin)['ports'] if p['name'] == '$1')['$2'])"
}

# becomes WANTED PORT: up is what it becomes, in time.
becomes() {
	for _ in $(seq 100); do
		[ "$(field "$2" up)" = "$1" ] && return
		sleep 0.1
	done
	fail "port $2: up is not $1"
}

# Sends a file of so many bytes from a to b over TCP and compares digests; prints how long it took.
transfer() {
	cat >receive.py <<'END'
import hashlib, socket
s = socket.create_server(("10.99.0.2", 5001))
print("ready", flush=True)
c, _ = s.accept()
digest = hashlib.sha256()
while True:
    piece = c.recv(65536)
    if not piece:
        break
    digest.update(piece)
c.sendall(digest.hexdigest().encode())
END
	cat >send.py <<'END'
import hashlib, random, socket, sys, time
content = random.Random(1).randbytes(int(sys.argv[1]))
s = socket.create_connection(("10.99.0.2", 5001), 10)
s.settimeout(30)
start = time.monotonic()
s.sendall(content)
s.shutdown(socket.SHUT_WR)
answer = s.recv(64).decode()
assert answer == hashlib.sha256(content).hexdigest(), "other bytes arrived"
print(time.monotonic() - start)
END
	: >ready
	ip netns exec "$b" python3 receive.py >ready 2>err &
	receiver=$!
	for _ in $(seq 100); do
		grep -q ready ready && break
		sleep 0.1
	done
	ip netns exec "$a" timeout 40 python3 send.py "$1" >out 2>err || { kill $receiver; fail "the transfer of $1 bytes failed"; }
	wait $receiver
}

begin
transfer 5000000
# 5 MB and their headers at 50 Mb/s take 0.83 s; no line is faster than its rate.
[ "$(python3 -c "print(float(open('out').read()) >= 0.8)")" = True ] || fail "faster than its line"
[ "$(field b marks)" -gt 0 ] || fail "nothing was marked"
# Where the machine was late a is, too, and sends again, which no TCP does as ECN-capable: such packets are dropped where
# others are marked. Nothing else is.
"$weir" switch status sw.ini | python3 -c "
import json, sys
for p in json.load(sys.stdin)['ports']:
    assert set(p['drop_reasons']) <= {'marked but not ECN-capable'}, p" 2>err || fail "something was dropped"
[ "$(field a rx_lost)" = 0 ] || fail "the ring was too small"
seen=$(ip netns exec "$b" sh -c 'cat /proc/net/netstat' | python3 -c "
import sys
lines = [l.split() for l in sys.stdin if l.startswith('IpExt:')]
print(dict(zip(*lines))['InCEPkts'])")
[ "$seen" = "$(field b marks)" ] || fail "b saw $seen marks, the switch made $(field b marks)"

# What was measured so far is kept while it goes on.
for _ in $(seq 100); do
	"$weir" export real.results --json so-far.json >/dev/null 2>&1 && break
	sleep 0.1
done
grep -q '"world": "real"' so-far.json || fail "nothing is kept before the end"

# --- asked and told ---
expect 0 switch set sw.ini port.b.rate=20Mbps
[ "$(field b rate_bps)" = 20000000 ] || fail "the rate is what it was"
expect 1 switch set sw.ini port.b.marking=red
grep -q "the scheme cannot change at run time" out || fail "no reason"
expect 0 switch measure sw.ini
expect 1 switch sw.ini
grep -q "another switch answers there" err || fail "two switches on one socket"

# --- clients that say nothing, or a NUL byte, keep no other from its answer ---
python3 - 2>err <<'END' || fail "idle clients lock others out"
import socket, subprocess, os
def client():
    s = socket.socket(socket.AF_UNIX)
    s.connect("sw.sock") # waits while the backlog is full; with a time-out it would fail
    s.settimeout(30)
    return s
idle = [client() for i in range(40)]
s = client()
s.sendall(b"sta\0tus\nstatus\n")
f = s.makefile()
assert "unknown request 'sta?tus'" in f.readline() and f.readline().startswith('{"title"')
for i in range(40):
    last = client()
last.sendall(b"status\n")
assert last.makefile().readline().startswith('{"title"')
END

ip -n "$sw" link set lo up
ip netns exec "$sw" python3 -c "
import urllib.request
text = urllib.request.urlopen('http://127.0.0.1:9900/metrics').read().decode()
assert 'weir_link_up{port=\"b\"} 1' in text, text" 2>err || fail "nothing for Prometheus"

# --- frames of any bytes: whatever a host sends, the switch goes on and counts what it refuses ---
ip netns exec "$a" python3 - 2>err <<'END' || fail "no frames can be made"
import random, socket
r = random.Random(7)
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("eth0", 0))
heads = [b"\x08\x00\x45", b"\x08\x00\x4f", b"\x86\xdd\x60", b"\x81\x00\x00\x05\x08\x00\x45", b"\x88\xa8\x00\x01\x81\x00\x00\x02\x86\xdd\x60", b"\x12\x34"]
for i in range(1500):
    frame = b"\2\0\0\0\0\2" + b"\2\0\0\0\0\1" + r.choice(heads) + r.randbytes(r.randrange(0, 1400))
    try:
        s.send(frame[:r.randrange(14, len(frame) + 1)])
    except OSError:
        pass
END
for _ in $(seq 100); do
	"$weir" switch status sw.ini | grep -q '"malformed":[1-9]' && break
	sleep 0.1
done
"$weir" switch status sw.ini | grep -q '"malformed":[1-9]' || fail "nothing malformed was counted"
transfer 100000

# --- links ---
ip -n "$sw" link set v2 down
becomes False b
ip -n "$sw" link set v2 up
transfer 100000
ip -n "$sw" link del v2
becomes False b
link "$b" 2
becomes True b
transfer 100000

# --- ends ---
expect 0 switch stop sw.ini
wait "$switch"
[ $? = 0 ] || fail "stop is no good end"
[ ! -e sw.sock ] || fail "the socket is left"
# The capture has what left b: as many frames as were sent, marked ones among them.
python3 - 2>err <<'END' || fail "the capture is not what left the port"
import struct
data, at, frames, marked = open("b.pcapng", "rb").read(), 0, 0, 0
while at < len(data):
    kind, length = struct.unpack_from("<II", data, at)
    if kind == 6:
        kept, whole = struct.unpack_from("<II", data, at + 20)
        frame = data[at + 28:at + 28 + kept]
        assert kept == min(whole, 128), (kept, whole)
        assert frame[:6] in (b"\2\0\0\0\0\2", b"\xff" * 6), frame[:6]
        frames += 1
        marked += frame[12:14] == b"\x08\0" and frame[15] & 3 == 3
    at += length
assert frames > 3000 and marked > 0, (frames, marked)
END
expect 0 export real.results --json -
grep -q '"world": "real"' out || fail "results do not say that they are real"
grep -q '"queue sw->b"' out || fail "no series of the probe"
expect 0 table real.results
begin
ip -n "$sw" -d link show v1 | grep -q "promiscuity [1-9]" || fail "does not see all frames"
kill -9 "$switch"
wait "$switch" 2>/dev/null
ip -n "$sw" -d link show v1 | grep -q "promiscuity 0" || fail "a killed switch leaves its interface changed"

# --- a thread for each port: the same, and what is asked is answered between frames ---
sed -i 's/^\[real\]$/[real]\nthreads = 2/' sw.ini
begin
transfer 1000000
"$weir" switch status sw.ini | grep -q '"threads":2,' || fail "there is one thread"
[ "$(field b marks)" -gt 0 ] || fail "nothing was marked"
expect 0 switch set sw.ini port.b.rate=20Mbps
[ "$(field b rate_bps)" = 20000000 ] || fail "the rate is what it was"
transfer 100000
kill "$switch"
wait "$switch"
[ $? = 0 ] || fail "a signal is no good end"
switch=
expect 0 export real.results --json -
python3 -c "
import json
runs = json.load(open('out'))['runs']
run = next(r for r in runs if r['settings'].get('real.threads') == '2')
assert run['metrics']['marks'] > 0 and run['series'][0]['value'], run['metrics']" 2>err || fail "nothing is kept of two threads"

# --- the other back-end: the same file through AF_XDP, where this machine and this build have it ---
sed -i 's/^\[real\]$/[real]\nbackend = xdp/' sw.ini
for host in "$a" "$b"; do # AF_XDP does not say which frames lack their sums (ethtool -K eth0 tx off)
	ip netns exec "$host" python3 -c '
import array, fcntl, socket, struct
value = array.array("I", [0x17, 0])
fcntl.ioctl(socket.socket(), 0x8946, struct.pack("16sP", b"eth0", value.buffer_info()[0]))'
done
: >switch.out
ip netns exec "$sw" "$weir" switch sw.ini >switch.out 2>switch.err &
switch=$!
for _ in $(seq 100); do
	grep -q ports switch.out && break
	kill -0 "$switch" 2>/dev/null || break
	sleep 0.1
done
if grep -q "built without clang\|cannot be had\|not allowed" switch.err; then
	left_out "the same through AF_XDP: $(cat switch.err)"
	switch=
	exit 0
fi
transfer 1000000
[ "$(field b marks)" -gt 0 ] || fail "nothing was marked"
[ "$(field a rx_lost)" = 0 ] || fail "the ring was too small"
ip -n "$sw" -d link show v1 | grep -q xdp || fail "no program is attached"
ip -n "$sw" link del v2
becomes False b
kill -9 "$switch"
wait "$switch" 2>/dev/null
ip -n "$sw" -d link show v1 | grep -q xdp && fail "a killed switch leaves its program"
switch=
exit 0
