# SPDX-License-Identifier: BSD-3-Clause
# The program as its user meets it: exit status, what goes to stdout, stderr and files, and Ctrl-C.
set -u
weir=${WEIR:-./weir}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cases=0

fail() {
	echo "$1"
	echo "stdout:"; cat "$dir/out"
	echo "stderr:"; cat "$dir/err"
	exit 1
}

# expect STATUS ARGUMENT...: runs the program and compares its exit status.
expect() {
	wanted=$1
	shift
	cases=$((cases + 1))
	"$weir" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status = "$wanted" ] || fail "weir $*: exit status $status, expected $wanted"
}

# mistake MESSAGE ARGUMENT...: status 2, the message alone on stderr, nothing on stdout.
mistake() {
	message=$1
	shift
	expect 2 "$@"
	[ "$(cat "$dir/err")" = "weir: $message" ] || fail "weir $*: expected: weir: $message"
	[ ! -s "$dir/out" ] || fail "weir $*: must print nothing"
}

prints() {
	grep -qF -e "$1" "$dir/out" || fail "stdout must contain: $1"
}

# nothing_in FOLDER: no file, not even a temporary one.
nothing_in() {
	[ -z "$(ls -A "$1")" ] || fail "$1 must be empty, but holds $(ls -A "$1")"
}

short="run scenarios/incast.ini --set measure.from=1ms --set measure.to=3ms"

# --- a run ---
expect 0 $short
prints "Does DCTCP hold the queue at K with 16 senders?"
prints "Queue at sw->h0"
prints "goodput"
tail -n 1 "$dir/out" | grep -q ' simulated in .* million packet-hops per second$' ||
	fail "the last line must say how fast it was"
[ ! -s "$dir/err" ] || fail "no progress where stderr is no terminal"

expect 0 $short --quiet
[ ! -s "$dir/out" ] && [ ! -s "$dir/err" ] || fail "--quiet must be silent"

# --- JSON ---
expect 0 $short --json -
[ "$(head -c 1 "$dir/out")" = "{" ] && [ "$(tail -c 2 "$dir/out")" = "}" ] ||
	fail "--json - must leave stdout to the JSON"
grep -q "Queue at" "$dir/err" || fail "--json -: the table goes to stderr"
for name in version runs settings metrics switch.marking traffic.incast.senders $("$weir" list metric |
		sed -n 's/^  \([a-z0-9_]*\)  .*/\1/p'); do
	grep -q "\"$name\": " "$dir/out" || fail "$name is missing in the JSON"
done
grep -q '"switch.marking": "ecn(k=70pkts, ' "$dir/out" || fail "the marking must be spelled out"
[ "$(grep -c '"partial": false' "$dir/out")" = 1 ] || fail "the run is not partial"

# Same scenario and seed, same bytes, whatever the threads; another seed, others.
result() {
	"$weir" $short "$@" --quiet --json - | grep -v '_seconds"\|_cpu_second"\|_rss_'
}
result --seed 7 --threads 1 >"$dir/one"
result --seed 7 --threads 2 >"$dir/two"
result --seed 7 >"$dir/auto"
result --seed 8 >"$dir/three"
cmp -s "$dir/one" "$dir/two" || fail "the same seed must give the same bytes"
cmp -s "$dir/one" "$dir/auto" || fail "threads as many as are faster must give the same bytes"
cmp -s "$dir/one" "$dir/three" && fail "another seed must give another run"
grep -q '"seed": "7"' "$dir/one" || fail "--seed must be in the settings"

expect 0 $short --quiet --json "$dir/a.json" --csv "$dir/new"
[ -s "$dir/a.json" ] || fail "--json FILE must write it"
[ "$(ls "$dir/new" | tr '\n' ' ')" = "flows.csv pauses.csv ports.csv reasons.csv runs.csv series.csv " ] ||
	fail "--csv must write six files"
[ "$(wc -l <"$dir/new/flows.csv")" = 17 ] || fail "flows.csv: a header and a row for each of 16 flows"
[ "$(wc -l <"$dir/new/ports.csv")" = 18 ] || fail "ports.csv: a header and a row for each of 17 ports"
[ "$(wc -l <"$dir/new/runs.csv")" = 2 ] || fail "runs.csv: a header and a row"
echo precious >"$dir/precious"
ln -s precious "$dir/link.json"
ln -sf ../precious "$dir/new/flows.csv"
expect 0 $short --quiet --json "$dir/link.json" --csv "$dir/new"	# over what is there
for file in link.json new/flows.csv; do
	[ ! -L "$dir/$file" ] && [ -s "$dir/$file" ] || fail "$file: a symbolic link is replaced"
done
[ "$(cat "$dir/precious")" = precious ] || fail "a symbolic link must not be followed"
expect 0 $short --quiet --json /dev/stdout
prints '"metrics"'
expect 0 $short --quiet --json /dev/null
[ -c /dev/null ] || fail "a device must stay one"

# --- outputs that cannot be written: known before the run, which would take minutes ---
endless="run scenarios/incast.ini --set measure.to=1000s"
mkdir "$dir/empty"
mistake "--json $dir/none/a.json: cannot be written: No such file or directory" \
	$endless --json "$dir/none/a.json"
mistake "--json $dir/empty: is a folder; a file is needed" $endless --json "$dir/empty"
mistake "--csv $dir/a.json: is a file, not a folder" $endless --csv "$dir/a.json"
mistake "--csv $dir/none/b: cannot be created: No such file or directory" $endless --csv "$dir/none/b"
mistake "--csv $dir/none/b: cannot be created: No such file or directory" \
	$endless --json "$dir/empty/a.json" --csv "$dir/none/b"
nothing_in "$dir/empty"
mistake "--set host.cc=renno: unknown congestion control 'renno'; there are dctcp, ecn-star, reno, cubic, \
dcqcn, dctcp-rdma, hpcc, timely, swift, powertcp, fdcc, rl-cc, line-rate (nearest: reno)" $endless --set host.cc=renno --json "$dir/empty/a.json" --csv "$dir/empty/b"
nothing_in "$dir/empty"
mistake "--set measure.port=sw->h77: there is no node 'h77', but h0 to h16, sw (nearest: h16)" \
	$endless --set "measure.port=sw->h77" --json "$dir/empty/a.json" --csv "$dir/empty/b"
nothing_in "$dir/empty"

# --- the world fails ---
expect 1 $short --quiet --json /dev/full
grep -q '^weir: /dev/full: cannot be written: No space left on device$' "$dir/err" || fail "must say why"
"$weir" list >/dev/full 2>"$dir/err"
[ $? = 1 ] || fail "a full stdout must be noticed"

# --- mistakes on the command line ---
expect 2
join() {
	tr '\n' ' ' | sed 's/ $//; s/ /, /g'
}
commands=$("$weir" help | sed -n 's/^  weir \([a-z]*\) .*/\1/p' | join)
mistake "unknown command 'rnu'; there are $commands (nearest: run)" rnu
mistake "run: FILE is missing; usage: weir run FILE" run
mistake "run: 'b' is one word too many; usage: weir run FILE" run a b
options=$("$weir" help run | sed -n 's/^  \(-[-a-z]*\) .*/\1/p' | join)
mistake "run: unknown option '--sead'; there are $options, --help (nearest: --seed)" $short --sead 3
mistake "--seed: a value is missing; write --seed N" $short --seed
mistake "--seed: 'x' is not a whole number; allowed: at least 0" $short --seed x
mistake "--threads: '0' is out of range; allowed: 1 to 256, or auto" $short --threads 0
mistake "--threads: 'atuo' is not a whole number; allowed: 1 to 256, or auto" $short --threads atuo
mistake "--quiet: takes no value, got '3'" $short --quiet=3
mistake "--set: 'foo' is not a setting; write section.key=value, as in switch.marking=tcn" \
	$short --set foo
mistake "none.ini: cannot be read: No such file or directory" run none.ini
mistake "unknown list 'markings'; there are marking, scheduler, agent, tuner, fabric, cc, nic, topology, traffic, workload,\
 driver, trainer, metric, flow-metric, model (nearest: marking)" list markings
mistake "no help on 'redd'; allowed are commands, sections (network, switch, host, rdma, traffic, measure, sweep, case, full; real and port of switches)\
 and their keys, what 'weir list' shows, and the topics of 'weir help' (nearest: red)" help redd
printf '# \033[31mred\n[network]\ntopology = \033[2J\n' >"$dir/escape.ini"
expect 2 run "$dir/escape.ini"
grep -q "$(printf '\033')" "$dir/err" && fail "a terminal must not obey what a file holds"
expect 2 $short --set "host.cc=$(printf '\033[2J')"
grep -q "$(printf '\033')" "$dir/err" && fail "a terminal must not obey what a file holds"

# --- files with mistakes ---
for file in tests/bad/*.ini; do
	for command in check run; do
		expect 2 $command "$file"
		[ "$(wc -l <"$dir/err")" = 1 ] || fail "$file: must give one message of one line"
		grep -q "^weir: $file:" "$dir/err" || fail "$file: the message must say where"
		[ ! -s "$dir/out" ] || fail "$file: must print nothing else"
	done
done

# --- check ---
for file in scenarios/*.ini; do
	expect 0 check "$file"
	[ "$(tail -n 1 "$dir/out")" = "$file: fine" ] || fail "$file must be fine"
done
expect 0 check scenarios/leaf-spine.ini
prints "network: leaf-spine, 128 hosts, 16 switches, 384 unidirectional links"
prints "traffic web: all-to-all, 2000 flows, "
grep -q "offers 6[34][0-9]\.[0-9]* Gb/s, \(49\|50\)\.[0-9]* % of the receivers' links" "$dir/out" ||
	fail "half of 128 x 10 Gb/s is offered"
grep -q "^needs: about [0-9.]* MB of memory; 17\.[0-9]* million packet-hops, 1\.[0-9] s at 10 million a second$" "$dir/out" ||
	fail "check must say what a run needs"
mistake "--set measure.port=h0->leaf0: 'h0->leaf0' is a host's NIC, which has no queue; name a port of a switch" \
	check scenarios/leaf-spine.ini --set "measure.port=h0->leaf0"

# --- what would never end: devices and pipes for files, more samples than can be kept ---
mkfifo "$dir/pipe"
printf '[network]\ntopology = hpcc\nfile = none\n[traffic x]\npattern = permutation\nsize = 1KB\n' >"$dir/topo.ini"
printf '[network]\ntopology = star\n[traffic x]\npattern = list\nfile = none\n' >"$dir/list.ini"
for file in /dev/zero "$dir/pipe"; do
	why="$file: cannot be read: it is no regular file"
	mistake "--set network.file=$file: $why" check "$dir/topo.ini" --set "network.file=$file"
	mistake "--set traffic.x.file=$file: $why" check "$dir/list.ini" --set "traffic.x.file=$file"
	mistake "--set traffic.web.sizes=$file: $why" check scenarios/leaf-spine.ini --set "traffic.web.sizes=$file"
done
mistake "/dev/zero: too long for a scenario; at most 64 MiB are read" check /dev/zero
mistake "--set measure.probe=queue sw->h0 every 1ns: queue sw->h0 every 1ns until 1000s: 1000000000001 points, \
with those of the probes before it; allowed are 50000000 in all" $endless --set "measure.probe=queue sw->h0 every 1ns"

# --- what leads nowhere is said ---
printf '[network]\ntopology = star\nhosts = 3\nfail = h1 sw 1ms\n[traffic x]\npattern = permutation\nsize = 10MB\n
[traffic late]\npattern = permutation\nsize = 1KB\nstart = 7ms\n[measure]\nto = 5ms\ndrain = 3ms\n' >"$dir/cut.ini"
expect 0 run "$dir/cut.ini"
grep -q "^NO PATH: from h[0-2] to h[0-2] since 1 ms; [0-9] flows cannot complete$" "$dir/out" || fail "no path must be named"
prints "NOTE: traffic late: none of its flows started before measure.to"
expect 0 check "$dir/cut.ini"
prints "; none starts before measure.to"
for command in check run; do
	mistake "--set traffic.x.start=7ms: the first flow of all starts at 7ms, but the run is measured until measure.to = 5ms" \
		$command "$dir/cut.ini" --set traffic.x.start=7ms
done

# --- list and help ---
expect 0 list
names=$(sed -n 's/^  \([a-z0-9_-]*\)  .*/\1/p' "$dir/out")
[ "$(echo "$names" | wc -l)" -gt 50 ] || fail "list must name everything"
for name in $names run check list help version network switch host traffic measure; do
	expect 0 help "$name"
	prints "$name"
done
expect 0 help red
prints "min = bytes or packets"
prints "(default 5KB)"
expect 0 run --help
prints "--threads N"
expect 0 version
grep -Eqx 'weir [0-9.]+\+[0-9a-f]{12} \(.+\)' "$dir/out" || fail "version must say the version"

# --- Ctrl-C: once, the run stops and says what it knows; twice, it is killed ---
"$weir" $endless --json "$dir/partial.json" >"$dir/out" 2>"$dir/err" &
sleep 2
kill -INT $!
wait $!
[ $? = 130 ] || fail "an interrupted run ends with status 130"
prints "PARTIAL"
prints "goodput"
grep -q '"partial": true' "$dir/partial.json" || fail "the JSON must say that it is partial"
[ -z "$(ls "$dir" | grep part-)" ] || fail "no temporary file may stay"
echo "$cases commands"
