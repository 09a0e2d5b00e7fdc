#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench.sh -- how fast is it, and how much memory does it take? Each row is the best of REPEAT runs
# (3 unless set): the other ones were disturbed by something.
#
#	Mhops/CPU-s	million packet hops a second of processor time, all threads together
#	ns/hop		the inverse
#	Mhops/s		million packet hops a second of wall time, reading and building included
set -u
. bench/read.sh
repeat=${REPEAT:-3}

row() {
	name=$1 file=$2 threads=$3 times=$4
	best=
	while [ "$times" -gt 0 ]; do
		times=$((times - 1))
		run "$file" --threads "$threads"
		best=$(echo "$best" $(metric packet_hops) $(metric cpu_seconds) \
			$(metric peak_rss_bytes) "$wall" | awk '
			NF == 4 || $(NF) < $4 { print $(NF - 3), $(NF - 2), $(NF - 1), $NF; next }
			{ print $1, $2, $3, $4 }')
	done
	echo "$best" | awk -v name="$name" -v threads="$threads" '{
		printf "%-44s %7s %12.2f %7.1f %9.2f %7.2f %9.1f\n", name, threads, $1 / $2 * 1e-6,
			$2 / $1 * 1e9, $1 / $4 * 1e-6, $4, $3 / 1e6
	}'
}

printf '%-44s %7s %12s %7s %9s %7s %9s\n' scenario threads Mhops/CPU-s ns/hop Mhops/s wall-s peak-MB
for threads in 1 2 auto; do
	row "incast, 16 to 1" bench/incast.ini $threads "$repeat"
	row "128 hosts, permutation" bench/fabric-128.ini $threads "$repeat"
	row "1024 hosts, permutation" bench/fabric-1024.ini $threads "$repeat"
	row "8192 hosts, permutation" bench/fabric-8192.ini $threads "$repeat"
	row "128 hosts, web search at load 0.5" bench/websearch-128.ini $threads "$repeat"
	row "32 hosts, permutation, losses" bench/lossy-32.ini $threads "$repeat"
done
row "1024 hosts, 100,000 flows at load 0.5" bench/flows-100k.ini 1 1
row "65,536 hosts (fat-tree k=64), permutation" bench/fat-tree-64.ini 1 1
# A run that ends as soon as it has begun is all building.
run bench/fat-tree-64.ini --threads 1 --set measure.from=0ns --set measure.to=1ns
echo "the last network is built in $wall s"

# Agents that learn: intervals of ports a second of processor time, simulation and learning included.
agents() {
	name=$1 file=$2 ports=$3 intervals=$4
	run "$file" --threads 1
	echo "$(metric cpu_seconds)" | awk -v name="$name" -v steps=$((ports * intervals)) '{
		printf "%-44s %12.0f port intervals/CPU-s, learning and simulation\n", name, steps / $1
	}'
}

agents "ACC on 18 switches, 432 ports, 288 hosts" bench/acc-288.ini 432 39
agents "ACC on a switch of 9 ports" bench/acc-9.ini 9 1999
