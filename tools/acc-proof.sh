#!/bin/sh
# acc-proof.sh OUT MODEL... -- does a trained agent do better than a setting that never changes? Plain sweeps over
# switch.tune: constants, SECN1 and SECN2, any action, an untrained network, the rule "patience", and the models,
# which are best several trainings that differ in the seed. Prints the mean reward (metric reward) for every policy and
# scenario, and mean and 99th percentile of completion times where flows end.
#
# Scenarios: those that judged the training (weir train acc --show N) and others that nobody was trained on. The tuned
# constant is the best of all constants on the former; the oracle is the best constant of each scenario in
# hindsight, which no constant is. SEEDS=1..3, JUDGED=12 and WEIR=./weir may be set. Runs that are there are kept.
set -eu
[ $# -ge 1 ] || {
	echo "usage: tools/acc-proof.sh OUT MODEL..." >&2
	exit 2
}
WEIR=${WEIR:-./weir}
SEEDS=${SEEDS:-1..3}
JUDGED=${JUDGED:-12}
out=$1
shift
mkdir -p "$out"
models=
for model; do
	models="$models $(realpath "$model")"
done

# KB/KB/%, all of which are among the agent's own; the last is SECN1.
constants="5/200/100 5/1000/100 20/20/100 20/1000/25 20/1000/100 20/10000/5 20/10000/25 20/10000/100 40/1000/100
	640/1000/5 640/1000/100 2560/10000/100 5/200/1"

# fixed MIN MAX PERCENT
fixed() {
	printf 'fixed(min=%sKB, max=%sKB, p=%s%%)' "$1" "$2" "$3"
}

# policies GBPS: a list for [sweep]. SECN2 goes with the rate.
policies() {
	for setting in $constants; do
		fixed $(echo "$setting" | tr / ' ')
		printf ', '
	done
	fixed $((100 * $1 / 25)) $((400 * $1 / 25)) 20
	printf ', patience, acc(preset=weir, policy=untrained), acc(preset=weir, policy=random)'
	for model in $models; do
		printf ', acc(preset=weir, model=%s)' "$model"
	done
}

# --- scenarios nobody was trained on: other counts, periods and rates ---

# network HOSTS GBPS LONG_FLOWS
network() {
	printf '[network]\ntopology = star\nhosts = %s\nrate = %sGbps\ndelay = 500ns\n' "$1" "$2"
	printf '[switch]\nmarking = red\nbuffer = 10MB\nbuffer-per = switch\nlossless = all\npfc-alpha = 1/8\n'
	printf '[host]\ncc = dcqcn(preset=hpcc)\n[rdma]\ncnp-interval = 4us\nmin-rate = 1Mbps\n'
	printf '[traffic long]\npattern = many-to-one\nreceiver = 0\nsenders = %s\nsize = unlimited\n' "$3"
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

# measure FROM_MS TO_MS
measure() {
	printf '[measure]\nfrom = %sms\nto = %sms\ndrain = 300ms\nport = sw->h0\n' "$1" "$2"
}

heldout() {
	case $1 in
	regime) # steady for 100 ms, then bursts for 100 ms, twice
		network 31 25 2
		bursts 30 10000 1000 105000 200000
		bursts 30 10000 1000 305000 400000
		measure 5 405
		;;
	bursts-3-12) # 12 more for 3 of 25 ms over 3
		network 13 25 3
		bursts 12 25000 3000 5000 205000
		measure 5 205
		;;
	bursts-5-40) # more senders than any it was trained on
		network 41 25 5
		bursts 40 15000 2000 5000 205000
		measure 5 205
		;;
	bursts-40G) # another rate
		network 21 40 4
		bursts 20 12000 4000 5000 205000
		measure 5 205
		;;
	answers) # messages whose completion times count
		network 21 25 4
		answers 20 200 8000
		measure 5 155
		;;
	steady) # a null case: nothing to gain over the right constant
		network 7 25 6
		measure 100 150
		;;
	esac
}

# --- runs ---

# go NAME GBPS: the scenario comes by standard input, [measure] last.
go() {
	{
		cat
		printf 'probe = reward sw->h0 every 100us\n'
		printf '[sweep]\nseed = %s\nswitch.tune = %s\n' "$SEEDS" "$(policies "$2")"
	} >"$out/$1.ini"
	"$WEIR" run "$out/$1.ini" --out "$out/$1.results" --quiet
	"$WEIR" export "$out/$1.results" --csv "$out/$1.csv" >/dev/null
	echo "$1 $out/$1.csv/runs.csv" >>"$out/files"
}

: >"$out/files"
for name in regime bursts-3-12 bursts-5-40 bursts-40G answers steady; do
	gbps=25
	[ $name != bursts-40G ] || gbps=40
	heldout $name | go $name $gbps
done
n=1
while [ $n -le "$JUDGED" ]; do
	"$WEIR" train acc --show $n | sed -e '/^seed = /d' -e '/^tune = /d' | go judged-$n 25
	n=$((n + 1))
done
awk -f tools/acc-proof.awk "$out/files"
