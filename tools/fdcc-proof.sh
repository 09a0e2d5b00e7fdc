#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fdcc-proof.sh OUT MODEL... -- measures the fairness, queue and utilisation of trained congestion controls:
# plain sweeps of n-to-1 in a dumbbell over an untrained network, a window without control, cuts only, the
# linear rule, HPCC, DCQCN (with the marking of the HPCC study, under which few flows are never marked, and
# with that of its own paper), TIMELY, FDCC as in its thesis, and the models of fdcc or rl-cc. Pass several
# trainings that differ in the seed.
#
# Prints Jain's index, the unfair ratio, mean and p99 of the queue in bandwidth-delay products and the
# utilisation, always together, because a stuck policy is perfectly fair. Then, for every model of fdcc,
# where it is fairer than HPCC and each DCQCN with a queue below one bandwidth-delay product and at most 3 %
# less utilisation than HPCC.
#
# No training has 4, 16, 64, 256 or 1024 flows, links of 2 us, 25 Gb/s, or flows that join one by one until
# the end. SEEDS=1..2, SETTINGS="short long slow join many" and WEIR=./weir may be set. Existing runs are kept.
set -eu
[ $# -ge 1 ] || {
	echo "usage: tools/fdcc-proof.sh OUT MODEL..." >&2
	exit 2
}
WEIR=${WEIR:-./weir}
SEEDS=${SEEDS:-1..2}
SETTINGS=${SETTINGS:-short long slow join many}
out=$1
shift
mkdir -p "$out"

# model_case FILE: the metadata of the model name the scheme; the file name is the name of the case.
model_case() {
	scheme=$("$WEIR" model "$1" | sed -n 's/^  scheme *//p')
	printf '[case %s]\nhost.cc = %s(model=%s)\n' "$(basename "$1" .model)" "$scheme" "$(realpath "$1")"
}

controls() {
	printf '[case hpcc]\nhost.cc = hpcc\n[case dcqcn]\nhost.cc = dcqcn(preset=hpcc, window=scaled)\n'
	printf '[case dcqcn-paper]\nhost.cc = dcqcn(window=scaled)\nswitch.marking = red(min=5KB, max=200KB, p=0.01, at=dequeue)\n'
	printf '[case timely]\nhost.cc = timely(window=scaled)\n[case linear]\nhost.cc = rl-cc(policy=linear)\n'
	printf '[case window-only]\nhost.cc = fdcc(policy=window-only)\n[case always-cut]\nhost.cc = fdcc(policy=always-cut)\n'
	printf '[case untrained]\nhost.cc = fdcc(policy=untrained)\n[case thesis]\nhost.cc = fdcc(preset=thesis)\n'
	for model; do
		model_case "$model"
	done
}

# fan_in GBPS DELAY STARTS FROM TO COUNTS MODEL...
fan_in() {
	printf '[network]\ntopology = dumbbell\nleft-hosts = 64\nright-hosts = 1\nrate = %sGbps\ndelay = %s\n' "$1" "$2"
	printf '[switch]\nmarking = red(min=400KB, max=1600KB, p=0.2, at=dequeue)\nbuffer = 8MiB\nbuffer-per = switch\n'
	printf 'lossless = all\npfc-alpha = 1/16\n[rdma]\ncnp-interval = 0us\nmin-rate = %sMbps\nint-header = 70B\n' "$1"
	printf '[traffic fan-in]\npattern = many-to-one\nsenders = 4\nreceiver = 64\nsize = unlimited\nstart = %s\n' "$3"
	printf '[measure]\nfrom = %s\nto = %s\ndrain = 0us\nport = left->right\n' "$4" "$5"
	printf '[sweep]\nseed = %s\n%s\n' "$SEEDS" "$6"
	shift 6
	controls "$@"
}

few='traffic.fan-in.senders = 4, 16, 64'
many='traffic.fan-in.senders = 64
traffic.fan-in.flows-each = 4, 16'

# setting NAME MODEL...: prints the scenario.
setting() {
	name=$1
	shift
	case $name in
	short) fan_in 100 150ns 0us..1ms 6ms 10ms "$few" "$@" ;;
	long) fan_in 100 2us 0us..1ms 6ms 10ms "$few" "$@" ;;
	slow) fan_in 25 1us 0us..1ms 12ms 20ms "$few" "$@" ;;
	join) fan_in 100 500ns 0us..8ms 9ms 12ms "$few" "$@" ;;
	many) fan_in 100 150ns 0us..1ms 30ms 40ms "$many" "$@" ;;
	esac
}

# Bandwidth-delay product in bytes: six links, a packet of 1118 B and a header of 118 B three times each.
bdp() {
	case $1 in
	short | many) echo 14963 ;;
	long) echo 153713 ;;
	slow) echo 22463 ;;
	join) echo 41213 ;;
	esac
}

: >"$out/files"
for name in $SETTINGS; do
	setting "$name" "$@" >"$out/$name.ini"
	"$WEIR" run "$out/$name.ini" --out "$out/$name.results" --quiet
	"$WEIR" export "$out/$name.results" --csv "$out/$name.csv" >/dev/null
	echo "$name $(bdp "$name") $out/$name.csv/runs.csv" >>"$out/files"
done
awk -f tools/fdcc-proof.awk "$out/files"
