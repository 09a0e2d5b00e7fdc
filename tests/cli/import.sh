# SPDX-License-Identifier: BSD-3-Clause
# weir import as its user meets it: a scenario that gives what the files give, or a message and nothing
# written.
set -u
weir=${WEIR:-./weir}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "$1"
	cat "$dir/out" "$dir/err" 2>/dev/null
	exit 1
}

# mistake MESSAGE ARGUMENT...: status 2, the message alone, and the file that was there still is.
mistake() {
	message=$1
	shift
	echo before >"$dir/kept.ini"
	"$weir" "$@" -o "$dir/kept.ini" >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] || fail "weir $*: exit status must be 2"
	[ "$(cat "$dir/err")" = "weir: $message" ] || fail "weir $*: expected: weir: $message"
	[ ! -s "$dir/out" ] && [ "$(cat "$dir/kept.ini")" = before ] || fail "weir $*: must write nothing"
}

# What came of a run, without the settings that name files.
result() {
	"$weir" run "$@" --quiet --json - | sed -n '/"metrics"/,$p' | grep -v '_seconds"\|_cpu_second"\|_rss_'
}

import=tests/import
"$weir" import $import/topology.txt $import/flows.txt -o "$dir/made.ini" || fail "import"
cat >"$dir/files.ini" <<END
[network]
topology = hpcc
file = $import/topology.txt
[traffic flows]
pattern = hpcc-flows
file = $import/flows.txt
[measure]
from = 2s
END
result "$dir/files.ini" >"$dir/one"
result "$dir/made.ini" >"$dir/two"
grep -q '"flows_completed": 6' "$dir/one" || fail "six flows: $(cat "$dir/one")"
cmp "$dir/one" "$dir/two" || fail "the scenario must give what the files give"
"$weir" check "$dir/files.ini" | grep -q 'network: hpcc, 6 hosts, 2 switches, 16 unidirectional links' || fail "check"

matrix="import $import/incast.cm --topology star --set network.hosts=16"
"$weir" $matrix -o "$dir/made.ini" || fail "import of a matrix"
[ "$("$weir" $matrix)" = "$(cat "$dir/made.ini")" ] || fail "standard output unless -o"
printf '[network]\ntopology = star\nhosts = 16\n[traffic flows]\npattern = htsim\nfile = %s\n' \
	$import/incast.cm >"$dir/files.ini"
result "$dir/files.ini" >"$dir/one"
result "$dir/made.ini" >"$dir/two"
grep -q '"flows_completed": 6' "$dir/one" || fail "six flows"
cmp "$dir/one" "$dir/two" || fail "the scenario must give what the matrix gives"
# A priority is refused, or passed over where that is asked for; the list that is written has no word for it.
sed 's/prio 0/prio 2/' $import/incast.cm >"$dir/prio.cm"
mistake "$dir/prio.cm:6: prio 2 is the order in which an NDP receiver pulls, and no transport here is pull-based; prio = ignore in \
the section ignores it" import "$dir/prio.cm" --topology star --set network.hosts=16
"$weir" import "$dir/prio.cm" --topology star --set network.hosts=16 --set traffic.flows.prio=ignore -o "$dir/prio.ini" ||
	fail "prio = ignore"
sed 1d "$dir/made.ini" >"$dir/one"
sed 1d "$dir/prio.ini" | cmp - "$dir/one" || fail "prio = ignore changes nothing else"

"$weir" import $import/topology.txt $import/incast.cm >"$dir/out" 2>"$dir/err"
grep -qx "weir: $import/incast.cm:1: Nodes 16, but the network has 6 hosts" "$dir/err" || fail "too many nodes"

# A whole configuration: the settings too, and what is not the same is said on standard error.
"$weir" import $import/config.txt -o "$dir/made.ini" 2>"$dir/err" || fail "import of a configuration"
grep -qx "weir: $import/config.txt:27: differs: ACK_HIGH_PRIO 1: PFC pauses a host's ACKs, too; HPCC's simulator \
sends them" "$dir/err" || fail "notes"
[ "$(grep -c '^# differs: ' "$dir/made.ini")" = "$(wc -l <"$dir/err")" ] || fail "notes stand in the scenario"
"$weir" check "$dir/made.ini" >"$dir/out" || fail "check of an imported configuration"
grep -q 'marking.25Gbps red(min=100KB' "$dir/out" || fail "marking by rate"
"$weir" run "$dir/made.ini" --quiet --json - | grep -q '"flows_completed": 6' || fail "run of an imported configuration"
"$weir" import $import/config.txt --set host.cc=hpcc --set rdma.packets-per-ack=2 2>/dev/null >"$dir/out"
grep -qx 'cc = hpcc' "$dir/out" && grep -qx 'packets-per-ack = 2' "$dir/out" || fail "--set comes last"
sed 's/^RP_TIMER/RP_TIME/' $import/config.txt >"$dir/config.txt"
mistake "$dir/config.txt:15: 'RP_TIME' is no key of HPCC's simulator (nearest: RP_TIMER)" import "$dir/config.txt"
mistake "import: '$import/config.txt' is a configuration, which names its topology and flow files; usage: weir \
import CONFIG -o FILE" import $import/config.txt $import/flows.txt
sed 's/^SIMULATOR_STOP_TIME.*/SIMULATOR_STOP_TIME 1/' $import/config.txt >"$dir/config.txt"
sed -i "s|import/|$import/|" "$dir/config.txt"
"$weir" import "$dir/config.txt" >"$dir/out" 2>"$dir/err" && fail "a simulation that stops before its first flow"
grep -q "config.txt: SIMULATOR_STOP_TIME: 1s; the first flow of .* starts later, at 2" "$dir/err" || fail "why there is nothing to measure: $(cat "$dir/err")"
sed 's/^CC_MODE.*/CC_MODE 3/' $import/config.txt >"$dir/config.txt"
sed -i "s|import/|$import/|" "$dir/config.txt"
"$weir" import "$dir/config.txt" -o "$dir/made.ini" 2>"$dir/err" || fail "HPCC"
grep -qx "weir: $dir/config.txt: differs: MULTI_RATE 1 (not given): a sender keeps one rate, not one for each hop" \
	"$dir/err" || fail "what is not given"

# What is captured on the way to the receivers comes back: the same sizes, hosts renumbered as they appear.
cat >"$dir/mine.ini" <<'END'
[network]
topology = star
hosts = 4
[traffic mine]
pattern = list
flow = 2 0 30001B 0us
flow = 3 0 7B 3us
flow = 1 0 123456B 5us
END
"$weir" run "$dir/mine.ini" --quiet --pcap "sw->h0=$dir/mine.pcapng" || fail "capture"
"$weir" import "$dir/mine.pcapng" -o "$dir/made.ini" || fail "import of a capture"
[ "$(sed -n 's/^# h\(.*\)/\1/p; s/^flow = \([0-9] [0-9] [0-9]*B\) .*/\1/p' "$dir/made.ini" | tr '\n' ,)" = \
	"0 10.0.0.3,1 10.0.0.1,2 10.0.0.4,3 10.0.0.2,0 1 30001B,2 1 7B,3 1 123456B," ] || fail "$(cat "$dir/made.ini")"
"$weir" run "$dir/made.ini" --quiet --json - | grep -q '"flows_completed": 3' || fail "run of an imported capture"
"$weir" import "$dir/mine.pcapng" --topology leaf-spine --set network.leaves=2 >"$dir/made.ini" || fail "leaf-spine"
grep -qx 'topology = leaf-spine' "$dir/made.ini" || fail "a capture on a network of choice"
"$weir" import $import/topology.txt "$dir/mine.pcapng" >"$dir/made.ini" || fail "capture on a topology"
grep -q '^link = ' "$dir/made.ini" && grep -q '^flow = 3 1 123456B' "$dir/made.ini" || fail "capture on a topology"
mistake "import: '$dir/mine.pcapng' is a capture, but the first file must be a topology; usage: weir import TOPOLOGY FLOWS \
-o FILE" import "$dir/mine.pcapng" $import/topology.txt
head -c 1001 "$dir/mine.pcapng" >"$dir/cut.pcapng"
"$weir" import "$dir/cut.pcapng" -o "$dir/none.ini" 2>"$dir/err"
[ $? = 2 ] && [ ! -e "$dir/none.ini" ] || fail "a cut capture must be refused"
grep -qx "weir: $dir/cut.pcapng: the file ends at byte 1001, inside what begins at byte [0-9]*" "$dir/err" || fail cut
echo hello >"$dir/text.pcap"
mistake "$dir/text.pcap: byte 0: neither pcapng nor pcap begins like this" import "$dir/text.pcap"
mistake "none.pcap: cannot be read: No such file or directory" import none.pcap

mistake "none.txt: cannot be read: No such file or directory" import none.txt
mistake "none.txt: cannot be read: No such file or directory" import $import/topology.txt none.txt
head -n 3 $import/topology.txt >"$dir/short.txt"
mistake "$dir/short.txt:3: the file ends after 1 of 8 links" import "$dir/short.txt"
head -c 60 $import/topology.txt >"$dir/short.txt"
mistake "$dir/short.txt:5: a link is two nodes, a rate, a delay and an error rate, as in 0 4 100Gbps 0.001ms 0" \
	import "$dir/short.txt"
head -c 44 $import/flows.txt >"$dir/short.txt"
mistake "$dir/short.txt:3: a flow is source, destination, priority, port, bytes and seconds, as in 0 4 3 100 \
200000 2.5" import $import/topology.txt "$dir/short.txt"
mistake "import: a connection matrix has no topology; add one, as in --topology leaf-spine, and its \
keys by --set" import $import/incast.cm
mistake "import: '$import/incast.cm' is a connection matrix, but the first file must be a topology; usage: weir import \
TOPOLOGY FLOWS -o FILE" import $import/incast.cm $import/topology.txt
mistake "--topology: '$import/topology.txt' is the topology" import $import/topology.txt --topology star
mistake "--set network.topology=sta: unknown topology 'sta'; there are star, dumbbell, leaf-spine, fat-tree-2, \
fat-tree, explicit, hpcc (nearest: star)" import $import/incast.cm --topology sta
mistake "--set host.cc=dctpc: unknown congestion control 'dctpc'; there are dctcp, ecn-star, reno, cubic, \
dcqcn, dctcp-rdma, hpcc, timely, swift, powertcp, fdcc, rl-cc, line-rate (nearest: dctcp)" import $import/topology.txt --set host.cc=dctpc

# The same from a scenario: its line first, then that of the file.
printf '[network]\ntopology = hpcc\nfile = %s\n[traffic a]\npattern = permutation\nsize = 1KB\n' \
	"$dir/short.txt" >"$dir/files.ini"
for command in run check; do
	"$weir" $command "$dir/files.ini" >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] || fail "$command: exit status must be 2"
	[ "$(cat "$dir/err")" = "weir: $dir/files.ini:3: network.file: $dir/short.txt:1: the first line is the numbers \
of nodes, switches and links, as in 5 1 4" ] || fail "$command: both places"
done

"$weir" import $import/topology.txt -o "$dir/none/a.ini" 2>"$dir/err"
[ $? = 2 ] && grep -qx "weir: $dir/none/a.ini: cannot be written: No such file or directory" "$dir/err" ||
	fail "an unwritable folder"
"$weir" import $import/topology.txt -o /dev/full 2>"$dir/err"
[ $? = 1 ] && grep -qx "weir: /dev/full: cannot be written: No space left on device" "$dir/err" || fail "a full disk"
