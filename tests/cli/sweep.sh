# SPDX-License-Identifier: BSD-3-Clause
# Sweeps as their user meets them: resumed, interrupted, killed, crowded, on a full disk.
set -u
. tests/ask.sh

prints() {
	grep -qF -e "$1" out || fail "stdout must contain: $1"
}

# scenario SENDERS TIME: 2 x 2 x 2 runs of that much work each.
scenario() {
	cat <<-END
	# Does it go on?
	[network]
	topology = star
	hosts = 9
	[traffic bulk]
	pattern = many-to-one
	senders = $1
	size = unlimited
	[traffic requests]
	pattern = incast
	senders = 4
	size = 20KB
	period = 1ms
	[measure]
	to = $2
	[sweep]
	switch.marking = ecn, tcn(threshold=50us)
	traffic.requests.size = 10KB, 20KB
	seed = 1..2
	END
}

# What is in a folder, without what depends on the machine.
contents() {
	"$weir" export "$1" --csv "$1.csv" >/dev/null || exit 1
	sed -i '1!s/^\([^,]*,[^,]*,[^,]*,[^,]*\),[^,]*,/\1,/; s/,[^,]*,[^,]*,[^,]*$//' "$1.csv/runs.csv"
	cat "$1.csv"/*.csv
}

# keys FOLDER: how many runs are there.
count() {
	"$weir" export "$1" --all --csv "$1.count" 2>/dev/null && echo $(($(wc -l <"$1.count/runs.csv") - 1))
}

scenario 4 5ms >short.ini
# Processor time of all that has been run so far, in ms: unlike the clock's, it is the same on a busy machine.
spent() {
	times >times
	awk 'NR == 2 { gsub("s", ""); split($1, user, "m"); split($2, kernel, "m")
		printf "%d", 1000 * (60 * (user[1] + kernel[1]) + user[2] + kernel[2]) }' times
}

# Runs of about 0.4 s, whatever the program is built for: so much time passes in one of 50 ms.
sed '/^\[sweep\]/,$d; s/5ms/50ms/' short.ini >probe.ini
spent >began
expect 0 run probe.ini --threads 1
spent >ended
scenario 4 $((50 * 400 / ($(cat ended) - $(cat began) + 1)))ms >long.ini

# --- a sweep: everything, then nothing, then what is missing ---
expect 0 check short.ini
prints "sweep: 8 runs: switch.marking (2) x traffic.requests.size (2) x seed (2); shown above is the first run"
[ ! -e short.results ] || fail "check must store nothing"
expect 0 run short.ini
prints "Does it go on?"
prints "Mean of 2 runs and its 95 % confidence interval."
prints "short.results: 8 runs, 8 of them new in "
[ "$(cat err)" = "weir: 8 runs to do, 0 already stored" ] || fail "not a terminal: a plain line"
[ "$(ls short.results)" = results.db ] || fail "one file in the folder"
expect 0 run short.ini
prints "short.results: 8 runs, 0 of them new in "
expect 0 run short.ini --set seed=1..3 --quiet
[ ! -s out ] && [ ! -s err ] || fail "--quiet must be silent"
[ "$(count short.results)" = 12 ] || fail "only the third seed is new"
expect 0 run short.ini --set seed=1..3 --again
prints "short.results: 12 runs, 12 of them new in "
[ "$(count short.results)" = 12 ] || fail "--again replaces"
expect 0 run short.ini --seed 9 --set switch.marking=none --out other
prints "other: 2 runs, 2 of them new in "

# --- the result does not depend on the number of processes or the order of ending ---
expect 0 run short.ini --jobs 1 --out one
expect 0 run short.ini --jobs 4 --out four
contents one >one.txt
contents four >four.txt
[ "$(wc -l <one.txt)" -gt 100 ] || fail "the runs must be there"
cmp -s one.txt four.txt || fail "--jobs must change nothing"

# --- a single run with --out is kept, too ---
sed '/^\[sweep\]/,$d' short.ini >single.ini
expect 0 run single.ini --out single
prints "single: 1 run, 1 of them new in "
expect 2 run single.ini --out single --json -
message "--json: is for a single run; what is in a result folder is written by 'weir export'"

# --- Ctrl-C: finished runs are kept, the same command goes on ---
# wait_for N: until the folder holds that many runs.
wait_for() {
	tries=0
	while [ ! -e long.results/results.db ] || [ "$(count long.results)" -lt "$1" ]; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || fail "a sweep must get on"
		sleep 0.1
	done
}

"$weir" run long.ini --jobs 2 >out 2>err &
wait_for 1
kill -INT $!
wait $!
[ $? = 130 ] || fail "an interrupted sweep ends with status 130"
kept=$(count long.results)
[ "$kept" -ge 1 ] && [ "$kept" -lt 8 ] || fail "some runs are kept, some are missing: $kept"
grep -q "^weir: interrupted; [1-7] of 8 runs are stored in long.results; the same command continues$" err ||
	fail "must say how to go on"
[ ! -s out ] || fail "an interrupted sweep prints no table"
expect 0 table long.results
prints "$((8 - kept)) of 8 runs of the latest sweep are missing."

# --- kill -9, of the program and of its runs ---
"$weir" run long.ini --jobs 2 >out 2>err &
program=$!
wait_for $((kept + 1))
kill -9 $program
wait $program 2>/dev/null
[ "$(count long.results)" -ge $((kept + 1)) ] || fail "finished runs are kept"
expect 0 run long.ini
prints "long.results: 8 runs, "
[ "$(count long.results)" = 8 ] || fail "the sweep must be complete"
expect 0 run long.ini --out whole
contents long.results >long.txt
contents whole >whole.txt
cmp -s long.txt whole.txt || fail "what was interrupted and killed must not differ from what was not"

# --- one run is killed: the others are not lost ---
"$weir" run long.ini --jobs 2 --out hurt >out 2>err &
program=$!
victim=
while [ -z "$victim" ]; do
	kill -0 $program || fail "the sweep must last a while"
	victim=$(pgrep -P $program | head -n 1)
done
kill -9 "$victim"
wait $program
[ $? = 1 ] || fail "a sweep with a run that failed ends with status 1"
grep -q "^weir: run [1-8] (.*): killed by signal 9 (Killed)$" err || fail "must say which run"
grep -q "^weir: 1 of 8 runs failed; the same command retries them$" err || fail "must say so"
prints "hurt: 7 runs, 7 of them new in "
expect 0 run long.ini --out hurt
prints "hurt: 8 runs, 1 of them new in "

# --- two programs on one folder ---
"$weir" run short.ini --out shared --jobs 2 >out2 2>&1 &
other=$!
expect 0 run short.ini --out shared --jobs 2
wait $other || fail "both must end well: $(cat out2)"
contents shared >shared.txt
cmp -s one.txt shared.txt || fail "two programs must make the same store"

# --- a disk that is full ---
cp -r one full
limit=$(($(wc -c <full/results.db) / 512))
(
	trap '' XFSZ
	ulimit -f $limit
	exec "$weir" run short.ini --set seed=3..6 --out full >out 2>err
)
[ $? = 1 ] || fail "a full disk ends with status 1"
grep -q "full/results.db: .*; what was stored before is kept$" err || fail "must say why"
[ "$(count full)" -ge 8 ] || fail "earlier runs must be kept"
expect 0 run short.ini --set seed=1..6 --out full --quiet
[ "$(count full)" = 24 ] || fail "with room again it goes on"

# --- stores that cannot be used stay as they are ---
# refused MESSAGE: by everybody who would open folder bad.
refused() {
	cp bad/results.db bad.db
	for command in "run short.ini --out bad" "table bad" "export bad --json -"; do
		expect 1 $command
		grep -q "^weir: bad/results.db: $1" err || fail "$command: expected $1"
		[ "$(wc -l <err)" = 1 ] && [ ! -s out ] || fail "$command: one message and nothing else"
		cmp -s bad.db bad/results.db || fail "$command: the file must stay as it is"
	done
}

mkdir bad
echo "run,fct" >bad/results.db
refused "is no results store"
head -c 8000 one/results.db >bad/results.db
refused "is damaged ("
cp one/results.db bad/results.db
printf '\007' | dd of=bad/results.db bs=1 seek=63 conv=notrunc 2>/dev/null
refused "was written by another version of Weir (schema 7; this one reads schemas 2 to 4)"
cp one/results.db bad/results.db
printf 'XXXX' | dd of=bad/results.db bs=1 seek=68 conv=notrunc 2>/dev/null
refused "is a database of another program"
rm bad/results.db
ln -s ../one/results.db bad/results.db
for command in "run short.ini --out bad" "table bad" "export bad --json -" "report bad" "prune bad"; do
	expect 1 $command
	message "bad/results.db: is a symbolic link; name the folder that holds it"
done
rm bad/results.db

# --- a run that is damaged is named, and nothing of it is shown ---
LC_ALL=C sed 's/Does it go on?/Does it go off/' one/results.db >bad/results.db
for command in "table bad" "export bad --json -" "export bad --csv bad.csv" "report bad" "run short.ini --out bad"; do
	expect 1 $command
	[ ! -s out ] || fail "$command: nothing may be shown"
	grep -q "^weir: bad/results.db: run '[0-9a-f]\{16\}' is damaged (its title is not what was stored)" err ||
		fail "$command: must name the run"
done
[ ! -e bad/report.html ] && [ ! -e bad.csv/runs.csv ] || fail "no file may be written"
expect 0 run short.ini --out bad --again
expect 0 table bad

# --- other sweeps in the same folder: left out, shown by --all, deleted by prune ---
cp -r one mixed
expect 0 run short.ini --set seed=5 --out mixed
prints "mixed: 4 runs, 4 of them new in "
expect 0 table mixed
prints "8 runs of other sweeps are not shown (--all; 'weir prune' deletes them)."
expect 0 table mixed --all
prints "Mean of 3 runs and its 95 % confidence interval."
expect 0 export mixed --csv mixed.csv
[ "$(wc -l <mixed.csv/runs.csv)" = 5 ] || fail "export is of the latest sweep"
[ "$(cat err)" = "8 runs of other sweeps are not shown (--all; 'weir prune' deletes them)." ] || fail "must say so"
expect 0 report mixed
grep -q "8 runs of other sweeps in this folder are not shown" mixed/report.html || fail "must say so"
expect 0 prune mixed --dry-run
prints "mixed: 8 runs not of the latest sweep would be deleted"
[ "$(count mixed)" = 12 ] || fail "--dry-run deletes nothing"
before=$(wc -c <mixed/results.db)
expect 0 prune mixed
grep -q "^mixed: 8 runs not of the latest sweep deleted, .*B freed$" out || fail "must say how many"
[ "$(count mixed)" = 4 ] && [ "$(wc -c <mixed/results.db)" -lt "$before" ] || fail "prune frees room"
expect 0 prune mixed
prints "mixed: 0 runs not of the latest sweep deleted, 0 B freed"
expect 1 prune none
[ ! -e none ] || fail "prune makes no folder"

expect 1 run short.ini --out short.ini
message "short.ini: is a file, not a folder"
expect 1 run short.ini --out none/such
message "none/such: cannot be created: No such file or directory"
expect 1 run short.ini --out /proc/none
grep -q "^weir: /proc/none: cannot be created: " err || fail "must say where"
mkdir locked
chmod 555 locked
if [ "$(id -u)" != 0 ]; then
	expect 1 run short.ini --out locked
	message "locked: cannot be written: Permission denied"
else
	left_out "a folder without write permission: root may write everywhere"
fi

# --- mistakes in the sweep: nothing is run or stored ---
sed '/^\[sweep\]/q' short.ini >empty.ini
expect 2 run empty.ini
message "empty.ini:16: [sweep] is empty; list values of a setting, as in switch.marking = ecn, tcn, or leave it out"
sed 's/ecn, tcn/ecn, tcm/' short.ini >wrong.ini
expect 2 run wrong.ini
grep -q "^weir: wrong.ini:17: switch.marking: unknown marking 'tcm'" err || fail "must say where"
expect 2 run single.ini --set "switch.marking=ecn, tcn"
grep -q "one value belongs here, lists stand in \[sweep\]$" err || fail "must point to [sweep]"
expect 2 run short.ini --jobs 0
[ ! -e empty.results ] && [ ! -e wrong.results ] || fail "nothing may be stored"

# --- seeds: five where nobody speaks of them ---
sed '/^seed/d; s/5ms/2ms/' short.ini >seedless.ini
expect 0 check seedless.ini
prints "sweep: 20 runs: switch.marking (2) x traffic.requests.size (2) x seed (5); shown above is the first run"
expect 0 check seedless.ini --seed 3
prints "sweep: 4 runs: switch.marking (2) x traffic.requests.size (2); shown above is the first run"
expect 0 run seedless.ini --jobs 2
prints "Mean of 5 runs and its 95 % confidence interval."
grep -q "\[sweep\] lists no seed: seeds 1 to 5 of each setting; --seed 1 runs one" err ||
	fail "what was not asked for is not said"
rm -r seedless.results

# --- cases and sizes ---
sed '/^\[sweep\]/,$d; 1a seed = 1' short.ini >cases.ini
cat >>cases.ini <<-END
[switch]
scheduler = sp
[case deep]
switch.marking = ecn(k=100pkts)
switch.queues = 2
[case ecn#]
switch.marking = tcn
host.cc = ecn-star
[sweep]
traffic.requests.size = 10KB, 20KB
[full]
sweep.seed = 1..2
traffic.bulk.senders = 2
END
expect 0 check cases.ini
prints "switch: marking ecn(k=100pkts), scheduler sp, queues 2"
prints "sweep: 4 runs: case (2) x traffic.requests.size (2); shown above is the first run"
prints "with --full: 8 runs: case (2) x traffic.requests.size (2) x seed (2)"
expect 0 check cases.ini --full
prints "sweep: 8 runs: case (2) x traffic.requests.size (2) x seed (2); shown above is the first run"
prints "without --full: 4 runs: case (2) x traffic.requests.size (2)"
expect 0 run cases.ini --jobs 2
prints "cases.results: 4 runs, 4 of them new in "
expect 0 table cases.results --metric goodput_bps
[ "$(sed -n '2,$s/ .*//p' out | tr '\n' ' ')" = "case deep deep ecn# ecn# " ] || fail "a row for each case and size"
sed -n 2p out | grep -q "^case  *size  *Gb/s$" || fail "what a case sets is no column"
expect 0 table cases.results --normalize-to deep --metric goodput_bps

# Parts of runs: flows by section and size; in order; for other programs.
expect 0 run cases.ini --jobs 2 --by traffic
prints "requests"
expect 2 run cases.ini --by trafic
message "--by: unknown part 'trafic'; there are traffic, traffic-class, flow-size (nearest: traffic)"
expect 0 table cases.results --by flow-size --sizes 15KB --by case --metric fct_mean_ns
[ "$(sed -n '4,7s/ KB .*//p' out | tr '\n' ';')" = "to 15;to 15;above 15;above 15;" ] || fail "small sizes first"
expect 0 table cases.results --by traffic --sort -fct_p50_ns --csv table.csv
[ "$(sed -n 1p table.csv | cut -d, -f1-6)" = "traffic,case,traffic.requests.size,runs,flows,flows_unfinished" ] ||
	fail "the table as CSV"
expect 0 run cases.ini --set case=ecn# --quiet
[ "$(count cases.results)" = 4 ] || fail "a case by itself is among those of all"
expect 0 run cases.ini --full --set case=deep --quiet
[ "$(count cases.full.results)" = 4 ] || fail "the full size stays apart"
[ "$(count cases.results)" = 4 ] || fail "the full size stays apart"
expect 2 run short.ini --full
message "--full: short.ini has no [full] section"
expect 2 run cases.ini --set case=deeper
message "--set case=deeper: unknown case 'deeper'; there are deep, ecn# (nearest: deep)"
sed 's/^sweep.seed/sweep.sed/' cases.ini >wrong.ini
expect 2 run wrong.ini
message "wrong.ini:28: sweep.sed: 'sed' is not a setting; write section.key=value, as in switch.marking=tcn or traffic.web.load=0.8"
rm -r cases.results cases.full.results

# --- tables ---
expect 2 table
grep -q "^weir: which folder? There are " err || fail "must list them"
rm -r long.results
expect 0 table --by marking --metric goodput_bps --metric fct_over_1mb_p99_ns
prints "goodput"
expect 0 table short.results --normalize-to ecn --metric fct_mean_ns
prints "Ratios to ecn, paired by seed."
expect 2 table short.results --metric speed
expect 1 table none
message "none: cannot be read: No such file or directory"
mkdir nothing
expect 1 table nothing
message "nothing/results.db: cannot be read: No such file or directory"
expect 2 export short.results
expect 0 export short.results --json a.json --csv a.csv
[ "$(ls a.csv | tr '\n' ' ')" = "flows.csv pauses.csv ports.csv reasons.csv runs.csv series.csv " ] ||
	fail "export --csv writes six files"
expect 1 export short.results --json /dev/full
