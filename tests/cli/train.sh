#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# weir train: a model, its curve and its page from ten seconds of training; the same bytes with one thread and two,
# and when it was interrupted; what is wrong is one sentence, status 2, and leaves nothing behind.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$0: $*" >&2
	exit 1
}

cat >"$dir/star.ini" <<'END_OF_SCENARIO'
# What is a setting worth where four senders share a line?
[network]
topology = star
hosts = 5
rate = 10Gbps
delay = 1us
[switch]
marking = red
tune = acc(policy=untrained)
buffer = 1MB
[host]
cc = dctcp
[traffic long]
pattern = many-to-one
senders = 4
size = unlimited
[measure]
from = 5ms
to = 40ms
port = sw->h0
END_OF_SCENARIO

# train NAME OPTION...
train() {
	name=$1
	shift
	"$WEIR" train acc --scenario "$dir/star.ini" --steps 2500 --episodes 8 --judge 2 --judge-every 4 \
		--set warm-up=300 -o "$dir/$name" "$@" >"$dir/out" 2>"$dir/err"
}

train one --threads 1
grep -q "^$dir/one: score 0\.[0-9]* after [0-9,]* of 2,500 steps" "$dir/out" || fail "says $(cat "$dir/out")"
for file in one one.csv one.html one.checkpoint; do
	[ -s "$dir/$file" ] || fail "$file is missing"
done
"$WEIR" model "$dir/one" | grep -q 'command  *weir train acc --s'
head -1 "$dir/one.csv" | grep -q '^episodes,steps,score,judged,reward,use,queue_bytes,loss,epsilon$'
[ "$(wc -l <"$dir/one.csv")" = 10 ] || fail "rounds: $(wc -l <"$dir/one.csv")"
grep -q 'Policy by observation' "$dir/one.html"
! grep -q "$(printf '\r')" "$dir/err" || fail "a progress line where there is no terminal"

# The same again says that all is done, and threads have no say.
cp "$dir/one" "$dir/before"
train one --threads 1
grep -q 'nothing is left to learn' "$dir/out"
cmp "$dir/one" "$dir/before"
train two --threads 2
for file in '' .csv .html; do
	cmp "$dir/one$file" "$dir/two$file"
done

# Interrupted by Ctrl-C while it learns, with any number of threads: a checkpoint and no model, and the same bytes once
# it was continued. It learns as soon as its first thread leaves SIGINT (bit 1) to the one that waits for it; a shell
# starts what runs in the background with SIGINT ignored, which env undoes.
for threads in 1 2 3; do
	name=parts$threads
	env --default-signal=INT "$WEIR" train acc --scenario "$dir/star.ini" --steps 2500 --episodes 8 --judge 2 \
		--judge-every 4 --set warm-up=300 -o "$dir/$name" --threads $threads >"$dir/out" 2>"$dir/err" &
	pid=$!
	until grep -q '^SigBlk:.*[2367abef]$' "/proc/$pid/status"; do
		! grep -q "^State:.Z" "/proc/$pid/status" || fail "$threads threads: ended before it was interrupted: $(cat "$dir/err")"
	done
	sleep 0.2
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ $status = 130 ] || fail "$threads threads: status $status, $(cat "$dir/err")"
	grep -q "interrupted; the same command resumes from $dir/$name.checkpoint" "$dir/err" ||
		fail "$threads threads: says $(cat "$dir/err")"
	[ -s "$dir/$name.checkpoint" ] || fail "$threads threads: no checkpoint"
	[ ! -e "$dir/$name" ] || fail "$threads threads: a model before the end"
	train $name --threads $threads
	for file in '' .csv .html; do
		cmp "$dir/one$file" "$dir/$name$file"
	done
done

# A model runs where it was trained for, and is better than its untrained network.
"$WEIR" run "$dir/star.ini" --set "switch.tune=acc(model=$dir/one)" --quiet

# bad MESSAGE OPTION...: one sentence, status 2, no file.
bad() {
	message=$1
	shift
	status=0
	"$WEIR" train "$@" >"$dir/out" 2>"$dir/err" || status=$?
	[ $status = 2 ] || fail "$*: status $status"
	[ "$(wc -l <"$dir/err")" = 1 ] && [ ! -s "$dir/out" ] || fail "$*: $(cat "$dir/err" "$dir/out")"
	grep -q "$message" "$dir/err" || fail "$*: $(cat "$dir/err")"
	[ -z "$(find "$dir" -name 'bad*')" ] || fail "$*: left $(find "$dir" -name 'bad*')"
}

sed 's/^tune = .*//' "$dir/star.ini" >"$dir/no-tune.ini"
bad "unknown trainer 'ack'; .*acc" ack -o "$dir/bad"
bad "train: -o is missing; write weir train acc -o FILE.model" acc
bad "steps: .0. is out of range; allowed: at least 1" acc --steps 0 -o "$dir/bad"
bad "preset: 'papper' is no choice (nearest: paper)" acc --preset papper -o "$dir/bad"
bad "unknown option 'rat' of acc.*nearest: rate" acc --set rat=0.1 -o "$dir/bad"
bad "agent: .*unknown option 'actoins'" acc --set agent=actoins=grid -o "$dir/bad"
bad "no-tune.ini: .*switch.tune: an environment needs an agent" acc --scenario "$dir/no-tune.ini" -o "$dir/bad"
bad "nowhere.ini: cannot be read" acc --scenario "$dir/nowhere.ini" -o "$dir/bad"
bad "cannot be written" acc -o "$dir/nowhere/bad"
bad "one.checkpoint: is of another training" acc --steps 9 -o "$dir/one"
printf x | dd of="$dir/one.checkpoint" bs=1 seek=5000 conv=notrunc 2>/dev/null
cp "$dir/one.checkpoint" "$dir/broken"
status=0
train one || status=$?
[ $status = 2 ] && grep -q 'one.checkpoint: is damaged' "$dir/err" || fail "damaged: $status $(cat "$dir/err")"
