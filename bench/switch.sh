#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# switch.sh -- what a real switch costs: between two namespaces, weir switch by each of its back-ends and, to compare, a bridge
# of Linux, each as fast as it goes and with a line of 100 Mb/s (tbf of the bridge, and fq_codel below it where the kernel has
# that). Needs root. ROUNDS=3 has all of it three times; WHAT=threads has only the rows with one thread against two.
#
#	RTT		of small UDP packets, one after the other: half of them took no longer; 99 % of them
#	Mb/s, kpps	of TCP in frames of 1514 bytes, for SECONDS_EACH (4 unless set); of two pairs of hosts, both together
#	kpps/core	frames, both ways, that a whole core would forward: by the processor time of weir switch. What a
#			bridge costs is spent in the senders' name, and cannot be told
set -u
seconds=${SECONDS_EACH:-4}
bed=switch host_count=4
. bench/hosts.sh
# AF_XDP does not say which frames lack their sums, so none may (ethtool -K eth0 tx off).
cat >"$dir/sums.py" <<'END'
import array, fcntl, socket, struct, sys
value = array.array("I", [0x17, 0])  # ETHTOOL_STXCSUM
request = struct.pack("16sP", sys.argv[1].encode(), value.buffer_info()[0])
fcntl.ioctl(socket.socket(), 0x8946, request)
END
for host in $hosts; do
	ip netns exec "$host" python3 "$dir/sums.py" eth0
done

cat >"$dir/echo.py" <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.99.0.2", 7))
while True:
    data, who = s.recvfrom(100)
    s.sendto(data, who)
END
cat >"$dir/ping.py" <<'END'
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(0.2)
s.connect(("10.99.0.2", 7))
took = []
for i in range(2200):
    start = time.perf_counter_ns()
    try:
        s.send(b"x" * 50)
        s.recv(100)
    except OSError:
        if i > 20 and not took:
            raise SystemExit("no answer")
        continue
    took.append(time.perf_counter_ns() - start)
took = sorted(took[200:])
print("%.0f %.0f" % (took[len(took) // 2] / 1e3, took[len(took) * 99 // 100] / 1e3))
END

ticks() {
	[ -n "$switch" ] && awk '{ print $14 + $15 }' /proc/$switch/stat || echo 0
}

# send TO FROM: TCP from a host to another.
send() {
	ip netns exec "$2" iperf3 -c "10.99.0.$1" -t "$seconds" -C reno -J >"$dir/iperf$1"
}

# row NAME PAIRS: from host 1 to host 2, and with two pairs from 3 to 4 at the same time.
row() {
	ip netns exec "$host2" python3 "$dir/echo.py" &
	echo=$!
	sleep 0.5
	rtt=$(ip netns exec "$host1" python3 "$dir/ping.py")
	kill $echo
	ip netns exec "$host2" iperf3 -s -1 >/dev/null 2>&1 &
	first=$!
	ip netns exec "$host4" iperf3 -s -1 >/dev/null 2>&1 &
	second=$!
	sleep 0.5
	before=$(ticks)
	rm -f "$dir/iperf4"
	[ "$2" = 1 ] || { send 4 "$host3" & other=$!; }
	send 2 "$host1"
	[ "$2" = 1 ] && kill $second || wait $other
	wait $first $second
	after=$(ticks)
	python3 - "$1" $rtt $((after - before)) "$(getconf CLK_TCK)" "$dir"/iperf* <<'END'
import json, sys
name, p50, p99, ticks, hz = sys.argv[1:6]
ends = [json.load(open(path))["end"]["sum_received"] for path in sys.argv[6:]]
kpps = sum(e["bytes"] / 1448 / e["seconds"] / 1e3 for e in ends)
busy = int(ticks) / int(hz) / max(e["seconds"] for e in ends)
# A frame back for every two, which is how often receivers answer.
per_core = "%9.0f" % (1.5 * kpps / busy) if busy else "        -"
print("%-43s %6s %6s %8.0f %7.1f %s" % (name, p50, p99, sum(e["bits_per_second"] for e in ends) / 1e6, kpps, per_core))
END
}

# through_weir NAME RATE K BACKEND [THREADS [PORTS]]: hosts of more than two ports are two pairs.
through_weir() {
	ports=${6:-1 2}
	printf '[switch]\nmarking = ecn(k=%s)\n[real]\nbackend = %s\nthreads = %s\nsocket = %s/sw.sock\n' "$3" "$4" "${5:-1}" "$dir" >"$dir/sw.ini"
	for port in $ports; do
		printf '[port v%s]\nrate = %s\n' "$port" "$2" >>"$dir/sw.ini"
	done
	ip netns exec "$sw" "$weir" switch "$dir/sw.ini" >"$dir/log" &
	switch=$!
	sleep 0.5
	row "$1" $((($(echo "$ports" | wc -w)) / 2))
	kill $switch
	wait $switch
	switch=
}

through_bridge() {
	ip -n "$sw" link add name bridge0 type bridge
	ip -n "$sw" link set bridge0 up
	for port in v1 v2; do
		ip -n "$sw" link set $port master bridge0
		[ -z "$2" ] || ip netns exec "$sw" tc qdisc add dev $port root handle 1: tbf rate "$2" burst 3200 limit 30280 || exit 1
		[ -z "$3" ] || ip netns exec "$sw" tc qdisc add dev $port parent 1:1 "$3" ecn || exit 1
	done
	sleep 0.5
	row "$1" 1
	for port in v1 v2; do
		[ -z "$2" ] || ip netns exec "$sw" tc qdisc del dev $port root
	done
	ip -n "$sw" link del bridge0
}

has_fq_codel() {
	ip -n "$sw" link add name try type dummy 2>/dev/null
	ip netns exec "$sw" tc qdisc add dev try root fq_codel 2>/dev/null
	status=$?
	ip -n "$sw" link del try 2>/dev/null
	return $status
}

# Neighbours in the file have one thread: 1 2 3 4 has a pair in each, of 1 3 2 4 all is handed over.
threads() {
	through_weir "one thread, as fast as it goes" 40Gbps 200pkts packet 1
	through_weir "two threads, as fast as it goes" 40Gbps 200pkts packet 2
	through_weir "one thread, two pairs" 40Gbps 200pkts packet 1 "1 2 3 4"
	through_weir "two threads, two pairs, a pair in each" 40Gbps 200pkts packet 2 "1 2 3 4"
	through_weir "two threads, two pairs, all handed over" 40Gbps 200pkts packet 2 "1 3 2 4"
	through_weir "one thread, 100 Mb/s" 100Mbps 20pkts packet 1
	through_weir "two threads, 100 Mb/s" 100Mbps 20pkts packet 2
}

backends() {
	through_weir "weir switch, packet, as fast as it goes" 40Gbps 200pkts packet
	through_weir "weir switch, xdp, as fast as it goes" 40Gbps 200pkts xdp
	through_bridge "bridge, as fast as it goes" "" ""
	through_weir "weir switch, packet, 100 Mb/s, ecn" 100Mbps 20pkts packet
	through_weir "weir switch, xdp, 100 Mb/s, ecn" 100Mbps 20pkts xdp
	through_bridge "bridge, 100 Mb/s, tbf" 100mbit ""
	if has_fq_codel; then
		through_bridge "bridge, 100 Mb/s, tbf and fq_codel" 100mbit fq_codel
	fi
}

printf '%-43s %6s %6s %8s %7s %9s\n' through RTT-us 99% Mb/s kpps kpps/core
for i in $(seq "${ROUNDS:-1}"); do
	[ "${WHAT:-}" = threads ] || backends
	threads
done
has_fq_codel || echo "this kernel has no fq_codel"
