#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# transfer.sh -- does every byte come through a real switch once, and as it was sent? Between two namespaces, for
# SECONDS_EACH (600 unless set): a TCP stream whose sides compare SHA-256, and beside it datagrams with a number and a
# sum each, of which none may be lost, doubled, out of order or changed. Needs root.
#
# The line has RATE (200Mbps unless set), of which the datagrams take about 10 Mb/s in a queue of their own, so that
# TCP's losses, if there were any, are not theirs. The switch has THREADS (1 unless set).
set -u
seconds=${SECONDS_EACH:-600}
rate=${RATE:-200Mbps}
threads=${THREADS:-1}
bed=transfer host_count=2
. bench/hosts.sh
cat >"$dir/sw.ini" <<END
[switch]
queues = 2
scheduler = wfq
marking = ecn(k=40pkts)
buffer = 1000pkts
non-ect = pass
[real]
threads = $threads
dscp = 10 1
socket = $dir/sw.sock
[port v1]
rate = $rate
delay = 100us
[port v2]
rate = $rate
delay = 100us
END

cat >"$dir/receive.py" <<'END'
import hashlib, socket, struct, threading, zlib
tcp = socket.create_server(("10.99.0.2", 5001))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.setsockopt(socket.SOL_SOCKET, 33, 32 << 20)  # SO_RCVBUFFORCE: nothing is to be lost behind the switch
udp.bind(("10.99.0.2", 5002))
print("ready", flush=True)
seen = {"good": 0, "damaged": 0, "out of order": 0, "doubled": 0}
def datagrams():
    next_number, had = 0, set()
    while True:
        data = udp.recv(2000)
        number, check = struct.unpack("!QI", data[:12])
        if data[12:] == b"end":
            return
        if zlib.crc32(data[12:], number & 0xffffffff) != check:
            seen["damaged"] += 1
            continue
        if number < next_number:
            seen["doubled" if number in had else "out of order"] += 1
            continue
        had = {n for n in had if n > number - 1000} | {number}
        next_number = number + 1
        seen["good"] += 1
side = threading.Thread(target=datagrams, daemon=True)
side.start()
c, _ = tcp.accept()
digest, count = hashlib.sha256(), 0
while piece := c.recv(1 << 18):
    digest.update(piece)
    count += len(piece)
side.join(5)
c.sendall(("%d %s %s" % (count, digest.hexdigest(), ", ".join("%d %s" % (v, k) for k, v in seen.items()))).encode())
END
cat >"$dir/send.py" <<'END'
import hashlib, random, socket, struct, sys, threading, time, zlib
seconds = float(sys.argv[1])
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 10 << 2)
udp.connect(("10.99.0.2", 5002))
sent, stop = 0, threading.Event()
def datagrams():
    global sent
    r = random.Random(2)
    while not stop.is_set():
        for _ in range(10):
            body = r.randbytes(r.choice((20, 300, 1000, 1400)))
            udp.send(struct.pack("!QI", sent, zlib.crc32(body, sent & 0xffffffff)) + body)
            sent += 1
        time.sleep(0.005)
side = threading.Thread(target=datagrams)
tcp = socket.create_connection(("10.99.0.2", 5001), 10)
tcp.settimeout(60)
side.start()
r, digest, count, start = random.Random(1), hashlib.sha256(), 0, time.monotonic()
while time.monotonic() - start < seconds:
    piece = r.randbytes(1 << 18)
    tcp.sendall(piece)
    digest.update(piece)
    count += len(piece)
stop.set()
side.join()
took = time.monotonic() - start
time.sleep(0.5)
udp.send(struct.pack("!QI", sent, 0) + b"end")
tcp.shutdown(socket.SHUT_WR)
answer = tcp.recv(1000).decode()
came, other, datagrams = answer.split(" ", 2)
good = int(came) == count and other == digest.hexdigest()
print("TCP: %d bytes in %.0f s (%.0f Mb/s), %s" % (count, took, count * 8e-6 / took, "SHA-256 the same" if good else "OTHER BYTES CAME: %s" % came))
print("UDP: %d datagrams: %s" % (sent, datagrams))
sys.exit(0 if good and datagrams == "%d good, 0 damaged, 0 out of order, 0 doubled" % sent else 1)
END

ip netns exec "$sw" "$weir" switch "$dir/sw.ini" >"$dir/log" &
switch=$!
sleep 0.5
ip netns exec "$host2" python3 "$dir/receive.py" >"$dir/ready" &
while ! grep -q ready "$dir/ready"; do sleep 0.1; done
ip netns exec "$host1" python3 "$dir/send.py" "$seconds"
status=$?
"$weir" switch status "$dir/sw.sock" | python3 -c '
import json, sys
for p in json.load(sys.stdin)["ports"]:
    print("switch, port %s: %s" % (p["name"], ", ".join("%s %s" % (k, p[k]) for k in ("rx_pkts", "tx_pkts", "marks", "drops", "rx_lost") if k in p)))'
exit $status
