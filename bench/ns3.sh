#!/bin/sh
# ns3.sh -- the same incast and the same fabric in ns-3 and here. ns-3's runs are shorter; what is
# compared is packet hops per second of processor time. ns-3 is the one that Debian ships.
set -u
. bench/read.sh

# row NAME FILE ARGUMENTS-OF-NS3-BENCH...
row() {
	name=$1
	run "$2" --threads 1
	shift 2
	theirs=$(build/ns3-bench "$@" | awk '/^packet_hops_per_cpu_second/ { print $2 }')
	echo "$theirs" "$(metric packet_hops)" "$(metric cpu_seconds)" | awk -v name="$name" '{
		ours = $2 / $3
		printf "%-30s %14.3f %14.3f %8.0f\n", name, $1 * 1e-6, ours * 1e-6, ours / $1
	}'
}

echo "million packet hops per CPU-second; ns-3 is $(dpkg-query -W -f '${Version}' libns3-dev 2>/dev/null || echo 'of this system'), its libraries as packaged"
printf '%-30s %14s %14s %8s\n' scenario ns-3 weir ratio
row "incast, 16 to 1" bench/incast.ini --scenario=incast --senders=16
row "128 hosts, permutation" bench/fabric-128.ini --scenario=fabric --gbps=100 --delay-us=1 \
	--from-ms=0.05 --to-ms=0.2
