# SPDX-License-Identifier: BSD-3-Clause
# weir choose as its user meets it: docs/manual/07-choosing.md as it stands, within its budget, the same again, and mistakes.
set -u
page=$(pwd)/docs/manual/07-choosing.md
. tests/ask.sh

prints() {
	grep -q -e "$1" out || fail "stdout must contain: $1"
}

# --- every command of the page ---
sed -n '/^```ini/,/^```$/p' "$page" | grep -v '^```' >mixed.ini
sed -n '/^```sh/,/^```$/p' "$page" | grep '^weir ' >commands
[ "$(wc -l <commands)" -ge 4 ] || fail "the page has lost its commands"
while IFS= read -r line; do
	eval "\"$weir\" ${line#weir }" >out 2>err </dev/null || fail "$line"
	case $line in
	'weir choose '*) 
		cp out chosen
		again=$line
		grep -q '^weir: round 1 of 4: [0-9]* settings on 2 seeds$' err || fail "every round says what it is"
		grep -q '^weir: [0-9]* runs to do, 0 already stored$' err || fail "progress as that of weir run"
		;;
	esac
done <commands

# --- what it shows ---
cp chosen out
prints '^Goal: least fct_small_p99_ns, with goodput_bps >= 0.95 of best$'
prints '^Chosen:$'
prints '^On seeds 9 to 16, not used in the search:$'
prints '^The front, on the 2 seeds that all settings had:$'
runs=$(sed -n 's/^Runs: \([0-9]*\) of at most 80:.*/\1/p' out)
[ "${runs:-81}" -le 80 ] || fail "the budget is kept"
"$weir" table mixed.choose.results --csv runs.csv >out 2>err || fail "table"
planned=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "runs") c = i - NF } NR > 1 { n += $(NF + c) } END { print n }' runs.csv)
[ "$planned" = "$runs" ] || fail "the folder's plan is every run: $planned, $runs"

# --- the chosen values are those that were run, and the report says what was chosen ---
point=$(sed -n '/^Chosen:$/,/^$/s/^  //p' out | head -3)
key=$(sed -n 's/^\([0-9a-f]\{16\}\) = 0$/\1/p' mixed.choose.results/choice.ini | head -1)
[ -n "$key" ] || fail "the folder keeps which runs are of the chosen setting"
"$weir" export mixed.choose.results --csv csv >out 2>err || fail "export"
for setting in $point; do
	grep "$key" csv/runs.csv | grep -q "${setting#*=}" || fail "$setting is not what run $key ran"
done
"$weir" report mixed.choose.results >out 2>err || fail "report"
cp mixed.choose.results/report.html out
prints 'Goal: least fct_small_p99_ns, with goodput_bps &gt;= 0.95 of best\.'
prints '<tr class="chosen"><th>chosen</th>'
"$weir" choose mixed.ini --quiet --goal fct_mean --over switch.marking.k=5KB..500KB --budget 30 --out quiet >out 2>err || fail "--quiet"
! grep -q round err || fail "--quiet prints progress"

# --- the same again: from the folder, and from nothing ---
eval "\"$weir\" ${again#weir }" >out 2>err || fail "again"
cmp -s out chosen || fail "the same command gives the same answer"
eval "\"$weir\" ${again#weir } --out anew --jobs 1" >out 2>err || fail "anew"
[ "$(sed '$d' out)" = "$(sed '$d' chosen)" ] || fail "one run at a time, in an empty folder, gives the same answer"

# --- a run without a value ends the search at once, and says why ---
cat >ring.ini <<'END'
# A ring all-reduce beside an incast.
[network]
topology = star
hosts = 9
rate = 25Gbps
delay = 1us
[switch]
queues = 2
scheduler = dwrr
buffer = 4MB
buffer-per = switch
marking = ecn(k=100KB)
[traffic ai]
pattern = ring
members = 8
size = 4MB
[traffic req]
pattern = incast
senders = 7
receiver = 8
size = 20KB
period = 50us
class = 1
[measure]
from = 500us
to = 1ms
END
ring() {
	expect "$1" choose ring.ini --quiet --jobs 1 --seeds 1 --over switch.marking.k=10KB..400KB --goal "$2" --out ring --budget "$3" --keep "$4"
}
ring 2 'fct_small_p99 of req' 40 'round_mean of ai <= 1.5 of best'
grep -q "^weir: round_mean_ns of ai has no value with the file's own setting and seed 1, .*: no round of \[traffic ai\] begins in the measured interval and ends; give measure.to more time" err ||
	fail "why there is no value"
"$weir" table ring --all --csv one.csv >out 2>err || fail "table of what was run"
[ "$(sed 1d one.csv | wc -l)" = 1 ] || fail "runs after the first one without a value"
ring 2 'fct_large_mean of req' 40 'drops <= 1.1 of best'
grep -q 'no flow above 10MB of \[traffic req\] starts in the measured interval' err || fail "why there is no value: flows"
ring 2 'round_mean of req' 40 'drops <= 0'
message "--goal: round_mean_ns of req: the section has no rounds (its pattern is not training, ring or a job); it has fct and slowdown metrics, goodput_bps"
ring 2 'drops of req' 40 'drops <= 0'
grep -q '^weir: --goal: drops is of the whole run; of a section there are fct and slowdown metrics, goodput_bps, ' err || fail "what a section has"

# A constraint that nothing meets; a limit of 0 is missed by a number.
ring 0 '-goodput of ai' 24 'fct_p50 of req <= 1us'
prints '^No setting meets every constraint on the search seeds; this one is closest\. It misses fct_p50_ns of req <='
! grep -qi 'inf\|nan' out || fail "infinitely bad"

# --- few settings for the ranges ---
expect 0 choose mixed.ini --quiet --goal fct_mean --over switch.marking.k=5KB..500KB --over switch.marking.storage.min=5KB..50KB --over switch.marking.storage.max=60KB..1MB --seeds 1 --budget 20 --out few
message "--budget 20 draws 4 settings for 3 --over, which is few: a good one is easily missed. About ten per --over are usual: --budget 71, or fewer --over"

# --- mistakes ---
expect 2 choose mixed.ini
message "choose: --goal METRIC is missing, as in --goal fct_small_p99"
expect 2 choose mixed.ini --goal fct_smal_p99_ns --over switch.marking.k=5KB..9KB
message "--goal: unknown metric 'fct_smal_p99_ns' (nearest: fct_small_p99_ns); 'weir list metric' names them"
expect 2 choose mixed.ini --goal fct_p99
message "choose: --over SETTING=LOW..HIGH is missing, as in --over switch.marking.min=5KB..500KB"
expect 2 choose mixed.ini --goal fct_p99 --over switch.marking.kk=5KB..9KB
message "no setting in the range of --over can be run; the last: --set switch.marking.kk=$(sed -n 's/.*marking.kk=\([^:]*\):.*/\1/p' err): unknown option 'kk' of ecn; it has k, scope, at (nearest: k)"
expect 2 choose mixed.ini --goal 'fct_p99 of blob' --over switch.marking.k=5KB..9KB
message "--goal: fct_p99_ns of blob: there is no [traffic blob]"
expect 2 choose mixed.ini --goal fct_p99 --over switch.marking.k=9KB..5KB
message "--over: 9KB..5KB is empty: it ends before it starts"
expect 2 choose mixed.ini --goal fct_p99 --keep 'goodput > 3' --over switch.marking.k=5KB..9KB
message "--keep: 'goodput > 3'; write METRIC >= NUMBER of best, or METRIC <= NUMBER, as in 'goodput >= 0.98 of best'"
expect 2 choose mixed.ini --goal fct_p99 --over switch.marking.k=5KB..9KB --budget 10
message "--budget 10 is too small: with --seeds 2 three settings alone take 30"
expect 2 choose mixed.ini --goal fct_p99 --over switch.marking.k=5KB..9KB --set sweep.switch.queues=2,3
message "mixed.ini: has several values of switch.queues; choose looks for one setting of one scenario: --set switch.queues=VALUE"
exit 0
