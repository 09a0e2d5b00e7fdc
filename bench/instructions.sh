#!/bin/sh
# instructions.sh -- instructions per packet hop, counted by valgrind. The difference of two run
# lengths leaves out start-up and does not depend on what else the machine is doing.
set -u
. bench/read.sh

# instructions FILE TO: instructions and packet hops of a run of that length.
count() {
	valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$log" \
		./weir run "$1" --set measure.to="$2" --quiet --json - >"$log.json" || exit 1
	json=$(cat "$log.json")
	rm -f "$log.json"
	echo $(sed -n 's/,//g; s/.*I *refs: *//p' "$log") $(metric packet_hops)
}

row() {
	echo $(count "$2" "$3") $(count "$2" "$4") | awk -v name="$1" '{
		printf "%-44s %12d %18.1f\n", name, $4 - $2, ($3 - $1) / ($4 - $2)
	}'
}

printf '%-44s %12s %18s\n' scenario hops instructions/hop
row "incast, 16 to 1" bench/incast.ini 100ms 300ms
row "128 hosts, permutation" bench/fabric-128.ini 300us 800us
row "32 hosts, permutation, losses" bench/lossy-32.ini 4ms 7ms
