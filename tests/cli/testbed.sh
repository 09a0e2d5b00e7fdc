#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Real hosts around a real switch: long flows fill their line and are marked, flows with a size end, both worlds
# are kept and compared, and nothing is left behind, also by a kill. Bounds are wide: the machine may be busy.
set -u
. tests/ask.sh

bed=bed-$$ # the switch's socket is named after its file
cat >$bed.ini <<'END'
# a real star
[network]
topology = star
hosts = 4
rate = 20Mbps
delay = 200us
[switch]
marking = ecn(k=10pkts)
buffer = 200pkts
[host]
cc = reno(ecn=yes)
[traffic long]
pattern = many-to-one
senders = 2
receiver = 0
size = unlimited
[traffic short]
pattern = incast
senders = 3
receiver = 0
size = 10KB
period = 100ms
[measure]
from = 300ms
to = 1500ms
drain = 2s
END

# --- what needs no rights ---
expect 2 testbed $bed.ini --cc hpcc
message "--set host.cc=hpcc: hpcc is for simulated hosts; a testbed has dctcp, cubic and reno, with cubic(ecn=yes) and reno(ecn=yes)"
expect 2 testbed $bed.ini --set network.rate=10Gbps
grep -q "at most 1000 Mb/s" err || fail "no bound of the rate"

expect 2 testbed
message "a FILE is missing, or --figure NAME"
mkdir -p papers/mine
cat >papers/mine/fig1.ini <<'END'
# do two flows fill the line?
[network]
topology = dumbbell
left-hosts = 1
right-hosts = 2
rate = 200Mbps
delay = 100us
[switch]
marking = ecn(k=10pkts)
buffer = 200pkts
[host]
cc = reno(ecn=yes)
recovery = prr
[traffic long]
pattern = many-to-one
senders = 2
receiver = 0
size = unlimited
[measure]
from = 20ms
to = 120ms
port = right->left
probe = throughput traffic:long every 10ms
END
cat >papers/mine/fig1.claims <<'END'
[figure]
title = Two flows
paper = none
[claim full]
says = the line is full
section = 1
metric = series "throughput traffic:long" mean 20ms..
range = 100Mbps..200Mbps
END
cp papers/mine/fig1.ini papers/mine/fig2.ini
cp papers/mine/fig1.claims papers/mine/fig2.claims
printf '[figure fig1]\nslower = 10\nnote = 20 Mb/s\n' >papers/mine/paper.real
expect 2 testbed --figure mine/fig2 --papers papers
grep -q "paper.real: has no \[figure fig2\]" err || fail "a figure that nobody planned"
printf '[figure fig2]\nslower = 0\n' >>papers/mine/paper.real
expect 2 testbed --figure mine/fig2 --papers papers
grep -q "paper.real:5: slower: '0'; expected a time dilation factor, 1 to 10000" err || fail "slower = 0"
expect 2 testbed --figure mine/fig1 --papers papers --cc reno
message "--cc: not with --figure, whose settings are those of its paper.real"
expect 2 testbed $bed.ini --seeds 5
message "--seeds: needs --figure; for a FILE write --set sweep.seed=1..5"

command -v ip >/dev/null || skip "ip is not installed"
unshare -n true 2>err || skip "network namespaces need root: $(cat err)"
command -v python3 >/dev/null || skip "python3 is not installed"
alone

# --- both worlds ---
expect 0 testbed $bed.ini --both --out bed.results
grep -q "^both worlds .*real/simulated$" out || fail "no comparison"
expect 0 export bed.results --json bed.json
python3 - 2>err <<'END' || fail "the real run is not as it should be"
import json

runs = json.load(open("bed.json"))["runs"]
assert len(runs) == 2, len(runs)
real, = [r for r in runs if r["settings"].get("world") == "real"]
m = real["metrics"]
# 20 Mb/s carry 19.3 of payload, and never more.
assert 5e6 < m["goodput_bps"] < 19.7e6, m["goodput_bps"]
assert m["marks"] > 0 and 0 < m["mark_fraction"] < 1, m
assert m["flows_started"] > 0 and m["flows_completed"] == m["flows_started"], m
# 30 KB at 20 Mb/s take 12 ms.
assert m["fct_mean_ns"] > 4e6, m["fct_mean_ns"]
END
expect 0 table bed.results
grep -q "^real " out || fail "the table does not tell worlds apart"

# --- a figure, ten times slower, over two switches ---
expect 0 testbed --figure mine/fig1 --papers papers --out out.papers
grep -q "^| the line is full | 100 Mb/s..200 Mb/s | .* | too few, mean within tolerance | .* | too few, .* |$" out || fail "no verdicts"
grep -q "^time dilation 10; seeds: 1; 20 Mb/s$" out || fail "it does not say how it was done"
expect 0 testbed --figure mine/fig1 --papers papers --out out.papers # from what is there
grep -q "^mine/fig1: " out && fail "it was run again"
expect 0 testbed --figure mine/fig1 --papers papers --out out.papers --seeds 2 # and one more
[ "$(grep "^mine/fig1: " out)" = "mine/fig1: seed 2" ] || fail "not the seed that is missing"
grep -q "^time dilation 10; seeds: 2; 20 Mb/s$" out || fail "it does not say how many seeds"

# --- DCTCP, of the kernel or of ours ---
"$weir" testbed $bed.ini --cc dctcp --quiet --out bed.results >out 2>err
status=$?
if [ $status = 0 ]; then
	expect 0 table bed.results --by host.cc --metric marks
elif grep -q "this kernel has no dctcp\|another testbed runs" err; then
	left_out "DCTCP: $(cat err)"
else
	fail "dctcp: exit status $status"
fi

# --- a run that is held up is repeated, a bounded number of times, and is marked where that did not help ---
expect 2 testbed $bed.ini --tries 0
grep -q -- "--tries: '0'" err || fail "no try at all"
held_up() { # TRIES: the switch stands still again and again until it says that it was held up, or ends
	"$weir" testbed $bed.ini --quiet --tries "$1" --out held.results >out 2>err &
	switch=$!
	for _ in $(seq 300); do
		[ -S /run/weir-$bed.sock ] && break
		sleep 0.02
	done
	for _ in $(seq 100); do
		grep -q "held this run up" err && break
		kill -STOP $switch 2>/dev/null || break
		sleep 0.3
		kill -CONT $switch
		sleep 0.2
	done
	wait $switch || fail "held up, with $1 tries"
	"$weir" export held.results --json held.json
}
held_up_with() { # TRIES PATTERN
	rm -rf held.results
	held_up "$1"
	grep -q "$2" err
}
held_up_with 2 "the machine disturbed this run: .*; repeated (2 of 2)" || fail "it is not repeated"
[ "$(grep -c "the machine held this run up" err)" -le 2 ] || fail "too often"
[ "$(grep -c "not to be trusted, and are marked" err)" = "$(grep -c '"held_up": "' held.json)" ] || fail "marked and not said, or said and not marked"
held_up_with 1 "its numbers are not to be trusted, and are marked" || fail "nothing is said"
grep -q '"held_up": "[a-z0-9]' held.json || fail "it is not kept"
expect 0 table held.results --metric utilisation
grep -q "^! 1 of these runs disturbed by the machine" out || fail "the table does not say so"
grep -q "^ *1 of 1 .*!" out || fail "the table does not mark it"
expect 0 report held.results -o held.html
grep -q "the machine held up 1 of 1 runs" held.html || fail "the report does not say so"

# --- ends ---
"$weir" testbed $bed.ini --quiet --out bed.results >out 2>err &
testbed=$!
sleep 1
hosts=$(ps -o pid= --ppid $testbed)
kill -9 $testbed
wait $testbed 2>/dev/null
for _ in $(seq 100); do
	left=
	for host in $hosts; do
		case $(ps -o stat= -p "$host") in
		'' | Z*) ;; # gone, or nobody has asked how it ended
		*) left="$left $host" ;;
		esac
	done
	[ -z "$left" ] && break
	sleep 0.1
done
[ -z "$left" ] || fail "hosts live on: $left"
expect 0 testbed $bed.ini --quiet --out bed.results --set measure.to=400ms
[ ! -e /run/weir-$bed.sock ] || fail "the socket is left"
