#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# instructions.sh -- instructions per packet hop, counted by valgrind. The difference of two run
# lengths leaves out start-up and does not depend on what else the machine is doing.
#
# Beside them what htsim needs for a hop of the same kind of work, counted in the same way: DCTCP and Swift on a
# fat-tree, RoCE with PFC, HPCC, and TCP that loses packets.
set -u
. bench/read.sh

# count FILE TO [ARGUMENT...]: instructions and packet hops of a run of that length.
count() {
	file=$1 to=$2
	shift 2
	valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$log" \
		./weir run "$file" "$@" --set measure.to="$to" --threads 1 --quiet --json - >"$log.json" || exit 1
	json=$(cat "$log.json")
	rm -f "$log.json"
	echo $(sed -n 's/,//g; s/.*I *refs: *//p' "$log") $(metric packet_hops)
}

# row NAME PEER FILE FROM TO [ARGUMENT...]: the hops between two times. PEER: "name instructions".
row() {
	name=$1 peer=$2 file=$3 from=$4 to=$5
	shift 5
	echo $(count "$file" "$from" "$@") $(count "$file" "$to" "$@") |
		awk -v name="$name" -v peer="$peer" '{
			cost = ($3 - $1) / ($4 - $2)
			theirs = peer
			sub(/.* /, "", theirs)
			sub(/ [^ ]*$/, "", peer)
			printf "%-40s %10d %16.1f   %-16s %6d %6.1f\n", name, $4 - $2, cost, peer,
				theirs, theirs / cost
		}'
}

printf '%-40s %10s %16s   %-16s %6s %6s\n' scenario hops instructions/hop "htsim's" "" ratio
row "incast, 16 to 1" "DCTCP 1203" bench/incast.ini 40ms 120ms
row "the same, of 1000 ports" "DCTCP 1203" bench/incast.ini 40ms 60ms --set network.hosts=1000
row "the same, of 65,536 ports" "DCTCP 1203" bench/incast.ini 40ms 60ms --set network.hosts=65536
row "128 hosts, permutation" "DCTCP 1203" bench/fabric-128.ini 200us 500us
row "1024 hosts, permutation" "DCTCP 1203" bench/fabric-1024.ini 60us 120us
row "shared buffer" "DCTCP 1203" bench/fabric-128.ini 200us 400us \
	--set switch.buffer-per=switch --set switch.buffer=4MB
row "DiffECN" "DCTCP 1203" bench/fabric-128.ini 200us 400us --set switch.marking=diffecn
row "PRED" "DCTCP 1203" bench/fabric-128.ini 200us 400us --set switch.marking=pred
row "HPCC without pauses" "HPCC 1332" bench/telemetry-128.ini 200us 400us
row "PowerTCP without pauses" "Swift 1413" bench/telemetry-128.ini 200us 400us \
	--set host.cc=powertcp
row "DCQCN, lossless" "RoCE and PFC 1280" bench/lossless-128.ini 200us 600us
row "DCQCN, lossless, incast" "RoCE and PFC 1280" bench/incast.ini 25ms 50ms \
	--set 'host.cc=dcqcn(preset=paper)' --set switch.buffer=1MB --set switch.buffer-per=switch \
	--set switch.lossless=all --set switch.marking='red(min=40KB, max=160KB, p=20%)'
row "BFC" "RoCE and PFC 1280" bench/bfc-128.ini 200us 400us
row "Floodgate" "RoCE and PFC 1280" bench/lossless-128.ini 200us 600us \
	--set switch.fabric=floodgate
row "32 hosts, permutation, losses" "TCP, losses 1828" bench/lossy-32.ini 2ms 4ms
