#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ns3.sh -- the same incast and the same fabric in ns-3 and here. ns-3's runs are shorter; what is
# compared is packet hops per second of processor time. Each ns-3 that was built has a column: the one that Debian ships, and with
# NS3=source one that was compiled to be fast (bench/ns3/source.sh).
set -u
. bench/read.sh

# hops PROGRAM ARGUMENT...: a second of processor time; - where that program was not built.
hops() {
	[ -x "$1" ] || {
		echo -
		return
	}
	"$@" | awk '/^packet_hops_per_cpu_second/ { print $2 }'
}

# row NAME FILE ARGUMENTS-OF-NS3-BENCH...
row() {
	name=$1
	run "$2" --threads 1
	shift 2
	echo "$(hops build/ns3-bench "$@")" "$(hops "$optimised" "$@")" "$(metric packet_hops)" "$(metric cpu_seconds)" |
		awk -v name="$name" '
			function shown(theirs) {
				if (theirs == "-")
					return sprintf("%12s %8s", "-", "-")
				return sprintf("%12.3f %8.0f", theirs * 1e-6, $3 / $4 / theirs)
			}
			{ printf "%-26s %10.3f %s %s\n", name, $3 / $4 * 1e-6, shown($1), shown($2) }'
}

optimised=
[ "${NS3:-}" != source ] || optimised=build/ns3-bench-source
version=$(dpkg-query -W -f '${Version}' libns3-dev 2>/dev/null || echo 'of this system')
echo "million packet hops per CPU-second, and how many times those of ns-3 Weir's are"
echo "weir:      $(./weir version | head -n 1), compiled with -O2"
echo "packaged:  ns-3 $version, libraries as Debian ships them: -O3, no assertions, logging compiled in, hardened, any x86-64"
if [ -n "$optimised" ]; then
	echo "optimised: the same sources compiled with -O3 -march=native, no assertions, no logging, not hardened"
else
	echo "optimised: not built; make bench-ns3 NS3=source does it, in about eight minutes of one core"
fi
printf '%-26s %10s %12s %8s %12s %8s\n' scenario weir packaged ratio optimised ratio
row "incast, 16 to 1" bench/incast.ini --scenario=incast --senders=16
row "128 hosts, permutation" bench/fabric-128.ini --scenario=fabric --gbps=100 --delay-us=1 \
	--from-ms=0.05 --to-ms=0.2
