#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# acc-proof.sh OUT MODEL... -- compares trained agents with constant settings: plain sweeps over
# switch.tune with constants, SECN1, SECN2, random actions, an untrained network, the rule "patience", and
# the models. Pass several trainings that differ in the seed; paper:MODEL is one of preset=paper, and keeps
# learning. Prints the mean reward (metric reward) for every policy and scenario, and completion times and
# I/Os where there are any.
#
# Scenarios: those that evaluated the training (weir train acc --show N), unseen ones, and null cases with
# steady traffic, where a gain should raise suspicion. The tuned constant is the best of all constants on
# the first, each run once; the oracle is the best constant of each scenario in hindsight. SEEDS=1..3 of
# the others, JUDGED=24 and WEIR=./weir may be set. Existing runs are kept.
set -eu
[ $# -ge 1 ] || {
	echo "usage: tools/acc-proof.sh OUT MODEL..." >&2
	exit 2
}
WEIR=${WEIR:-./weir}
SEEDS=${SEEDS:-1..3}
JUDGED=${JUDGED:-24}
out=$1
shift
mkdir -p "$out"
models=
for model; do
	case $model in
	paper:*) models="$models paper,$(realpath "${model#paper:}")" ;;
	*) models="$models weir,$(realpath "$model")" ;;
	esac
done

# KB/KB/%: the agent's own settings; the last is SECN1.
constants="5/200/100 5/1000/100 20/20/100 20/1000/25 20/1000/100 20/10000/5 20/10000/25 20/10000/100 40/1000/100
	640/1000/5 640/1000/100 2560/10000/100 5/200/1"

# fixed MIN MAX PERCENT
fixed() {
	printf 'fixed(min=%sKB, max=%sKB, p=%s%%)' "$1" "$2" "$3"
}

# policies GBPS: a list for [sweep]. SECN2 scales with the rate.
policies() {
	for setting in $constants; do
		fixed $(echo "$setting" | tr / ' ')
		printf ', '
	done
	fixed $((100 * $1 / 25)) $((400 * $1 / 25)) 20
	printf ', patience, acc(preset=weir, policy=untrained), acc(preset=weir, policy=random)'
	for model in $models; do
		printf ', acc(preset=%s, model=%s)' "${model%%,*}" "${model#*,}"
	done
}

# --- parts of scenarios ---

# star HOSTS GBPS
star() {
	printf '[network]\ntopology = star\nhosts = %s\nrate = %sGbps\ndelay = 500ns\n' "$1" "$2"
}

clos() {
	printf '[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 8\n'
	printf 'rate = 25Gbps\nfabric-rate = 100Gbps\ndelay = 500ns\n'
}

# long FLOWS
long() {
	printf '[traffic long]\npattern = many-to-one\nreceiver = 0\nsenders = %s\nsize = unlimited\n' "$1"
}

# bursts SENDERS PERIOD_US ON_US FIRST_US END_US
bursts() {
	at=$4
	while [ $((at + $3)) -le "$5" ]; do
		printf '[traffic burst%s]\npattern = many-to-one\nreceiver = 0\nsenders = %s\nsize = unlimited\n' $at "$1"
		printf 'start = %sus\nstop = %sus\n' $at $((at + $3))
		at=$((at + $2))
	done
}

# answers SENDERS KB PERIOD_US
answers() {
	printf '[traffic answers]\npattern = incast\nreceiver = 0\nsenders = %s\nsize = %sKB\nperiod = %sus\n' "$1" "$2" "$3"
	echo 'connections = persistent'
}

# measure FROM_MS TO_MS PORT
measure() {
	printf '[measure]\nfrom = %sms\nto = %sms\ndrain = 300ms\nport = %s\n' "$1" "$2" "$3"
}

# Counts, periods and rates lie within the ranges of train/draw.c, except for bursts-beyond, null-clos and
# null-storage. They were chosen before any of them was run.
scenario() {
	case $1 in
	regime-40G) # steady for 80 ms, then bursts for 80 ms, twice
		star 21 40
		long 5
		bursts 20 8000 1500 85000 160000
		bursts 20 8000 1500 245000 320000
		measure 5 325 'sw->h0'
		;;
	regime-25G) # bursts first
		star 11 25
		long 3
		bursts 10 15000 5000 5000 120000
		bursts 10 15000 5000 245000 360000
		measure 5 365 'sw->h0'
		;;
	bursts-25G) # few senders, long bursts
		star 10 25
		long 9
		bursts 7 35000 8000 5000 215000
		measure 5 215 'sw->h0'
		;;
	bursts-20G)
		star 19 20
		long 4
		bursts 18 14000 2000 5000 215000
		measure 5 215 'sw->h0'
		;;
	bursts-60G)
		star 25 60
		long 2
		bursts 24 25000 5000 5000 205000
		measure 5 205 'sw->h0'
		;;
	bursts-beyond-25G) # more of both than ever was drawn, and shorter
		star 49 25
		long 14
		bursts 48 7000 400 5000 205000
		measure 5 205 'sw->h0'
		;;
	answers-35G) # messages whose completion times count
		star 21 35
		long 3
		answers 20 150 8000
		measure 5 125 'sw->h0'
		;;
	null-steady)
		star 10 25
		long 9
		measure 100 150 'sw->h0'
		;;
	null-steady-50G)
		star 6 50
		long 5
		measure 60 90 'sw->h0'
		;;
	null-clos)
		clos
		printf '[traffic web]\npattern = all-to-all\nsizes = websearch\nload = 0.5\n'
		measure 5 45 'leaf0->h0'
		;;
	null-storage)
		clos
		printf '[traffic disks]\npattern = storage\nmix = exchange\ncomputing = 18\nstorage = 6\ndepth = 16\n'
		printf 'connections = persistent\n'
		measure 5 35 'leaf0->h0'
		;;
	esac
}

# --- runs ---

# go NAME GBPS PORT SEEDS: runs the scenario on standard input, whose last section is [measure].
go() {
	{
		cat
		printf 'probe = reward %s every 100us\n' "$3"
		printf '[sweep]\nseed = %s\nswitch.tune = %s\n' "$4" "$(policies "$2")"
	} >"$out/$1.ini"
	"$WEIR" run "$out/$1.ini" --out "$out/$1.results" --quiet
	"$WEIR" export "$out/$1.results" --csv "$out/$1.csv" >/dev/null
	echo "$1 $out/$1.csv/runs.csv" >>"$out/files"
}

rules() {
	printf '[switch]\nmarking = red\nbuffer = 10MB\nbuffer-per = switch\nlossless = all\npfc-alpha = 1/8\n'
	printf '[host]\ncc = dcqcn(preset=hpcc)\n[rdma]\ncnp-interval = 4us\nmin-rate = 1Mbps\n'
}

: >"$out/files"
for name in regime-40G regime-25G bursts-25G bursts-20G bursts-60G bursts-beyond-25G answers-35G null-steady null-steady-50G null-clos \
	null-storage; do
	gbps=25
	case $name in
	*G) gbps=$(echo ${name##*-} | tr -d G) ;;
	esac
	port='sw->h0'
	case $name in
	null-clos | null-storage) port='leaf0->h0' ;;
	esac
	{
		rules
		scenario $name
	} | go $name $gbps "$port" "$SEEDS"
done
n=1
while [ $n -le "$JUDGED" ]; do
	"$WEIR" train acc --show $n >"$out/judged"
	sed -e '/^seed = /d' -e '/^tune = /d' "$out/judged" |
		go judged-$n "$(sed -n 's/^rate = \([0-9]*\)Gbps$/\1/p' "$out/judged")" 'sw->h0' 1
	n=$((n + 1))
done
awk -f tools/acc-proof.awk "$out/files"
