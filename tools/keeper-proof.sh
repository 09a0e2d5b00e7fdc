#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# keeper-proof.sh -- rehearses a changing incast behind one port with constant settings and with qla and acc at
# several intervals. Prints the table of docs/results/keeper.md.
#
#	WEIR=./weir PHASE_MS=1000 FOR_S=20 INTERVALS="1s 100ms 10ms 1ms" SEEDS="1 2 3" sh tools/keeper-proof.sh
set -eu
weir=$(realpath "${WEIR:-./weir}")
phase_ms=${PHASE_MS:-1000} for_s=${FOR_S:-20}
intervals=${INTERVALS:-1s 100ms 10ms 1ms} seeds=${SEEDS:-1 2 3}
work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)") # a journal is synced with every change
trap 'rm -rf "$work"' EXIT
cd "$work"

# incast NAME SENDERS SIZE PERIOD FROM TO: answers to requests.
incast() {
	printf '[traffic %s]\npattern = incast\nsenders = %s\nreceiver = 0\nsize = %s\nperiod = %s\narrivals = poisson\nstart = %sms..%sms\n' "$@"
}

# network SEED: two long flows, which need a long queue for full utilisation, beside answers: many in every
# second phase, few in the others.
network() {
	cat <<END
# a changing incast
seed = $1
[network]
topology = star
hosts = 49
rate = 25Gbps
delay = 20us
[switch]
marking = red(min=1MB, max=2MB, p=5%)
buffer = 8MB
[host]
cc = dctcp
[traffic long]
pattern = many-to-one
senders = 2
receiver = 0
size = unlimited
END
	from=0 number=0
	while [ $from -lt $((for_s * 1000)) ]; do
		if [ $((number % 2)) = 0 ]; then
			incast few$number 2 20KB 500us $from $((from + phase_ms))
		else
			incast storm$number 48 30KB 2ms $from $((from + phase_ms))
		fi
		from=$((from + phase_ms)) number=$((number + 1))
	done
	printf '[measure]\nto = %ss\n' "$for_s"
}

# rehearse TUNE INTERVAL MIN MAX P [--dry-run]: prints utilisation, mean and p99 queue, drops, mean and p99 FCT
# and writes, means over the seeds.
rehearse() {
	for seed in $seeds; do
		network "$seed" >net.ini
		cat >plan.ini <<END
[keeper]
driver = sim(file=net.ini, for=${for_s}s, rate=25Gbps, min=$3, max=$4, p=$5, sample=50us)
tune = $1
interval = $2
rtt = 82us
seed = $seed
guard = ${GUARD:-0}
hold-off = ${HOLD_OFF:-1s}
journal = plan.journal
[limits]
min-from = 5KB
min-to = 4MB
max-from = 10KB
max-to = 10MB
step = ${STEP:-100%}
p-step = 100%
shortest = 0s
writes = 60000
[profile rx]
queue = sw->h0
END
		"$weir" keeper plan.ini ${6:-} >log
		printf 'writes %s ' "$(grep -c '"event":"write"' log || :)"
		grep '"event":"rehearsed"' log | tr -d '{}[]"' | tr ',:' '  '
	done | awk '
	{ for (i = 1; i < NF; i++) if ($i ~ /^(writes|line_use|queue_mean_bytes|queue_p99_bytes|drops|fct_mean_ns|fct_p99_ns)$/) sum[$i] += $(i + 1) }
	END { printf "%.1f | %.0f | %.0f | %.0f | %.2f | %.2f | %.0f |\n", 25 * sum["line_use"] / NR, sum["queue_mean_bytes"] / NR / 1000,
		sum["queue_p99_bytes"] / NR / 1000, sum["drops"] / NR, sum["fct_mean_ns"] / NR / 1e6, sum["fct_p99_ns"] / NR / 1e6, sum["writes"] / NR }'
}
row() {
	printf '| %s | %s' "$1" ""
	shift
	rehearse "$@"
}
echo "| setting | goodput Gb/s | mean queue KB | p99 queue KB | drops | FCT mean ms | FCT p99 ms | changes |"
echo "|---|---|---|---|---|---|---|---|"
row "SONiC's default, 1/2 MB, 5 %" fixed 1s 1048576B 2097152B 5% --dry-run
row "constant 5/200 KB, 100 %" fixed 1s 5KB 200KB 100% --dry-run
row "constant 100/400 KB, 20 %" fixed 1s 100KB 400KB 20% --dry-run
row "constant 20 KB/10 MB, 100 %" fixed 1s 20KB 10MB 100% --dry-run
for interval in $intervals; do
	row "\`patience\`, $interval" patience "$interval" 1048576B 2097152B 5%
	row "\`qla\`, $interval" qla "$interval" 1048576B 2097152B 5%
	row "\`qla\` from 100/400 KB, 20 %, $interval" qla "$interval" 100KB 400KB 20%
	row "\`acc\`, $interval" "acc(preset=weir)" "$interval" 1048576B 2097152B 5%
done
