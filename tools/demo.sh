#!/bin/sh
# demo.sh -- a first look: the same traffic under each marking scheme, one line a scheme.
set -u
scenario=scenarios/demo.ini
json=$(mktemp)
trap 'rm -f "$json"' EXIT

sed -n 's/^# //p' $scenario
printf '\n%-36s %10s %10s %9s %7s %6s %12s %12s\n' marking 'queue mean' 'queue p99' 'goodput' \
	marked drops 'small flows' 'large flows'
printf '%-36s %10s %10s %9s %7s %6s %12s %12s\n' '' pkts pkts Gb/s '%' '' 'p99 FCT us' 'mean FCT ms'
for marking in none 'ecn(k=65pkts)' 'red(min=10pkts, max=100pkts, p=10%)' 'tcn(threshold=80us)' \
	'codel(target=50us, interval=1ms)'; do
	./weir run $scenario --quiet --set "switch.marking=$marking" --json "$json" || exit 1
	tr ',{}' '\n\n\n' <"$json" | awk -v marking="$marking" '
		{ gsub(/[": ]+/, " "); value[$1] = $2 }
		END {
			printf "%-36s %10.1f %10.0f %9.2f %7.2f %6d %12.0f %12.2f\n", marking,
				value["queue_mean_pkts"], value["queue_p99_pkts"],
				value["goodput_bps"] * 1e-9, value["mark_fraction"] * 100,
				value["drops"], value["fct_small_p99_ns"] * 1e-3,
				value["fct_large_mean_ns"] * 1e-6
		}'
done
