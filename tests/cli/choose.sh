# weir choose as its user meets it: docs/choose.md as it stands, within its budget, the same again, and mistakes.
set -u
page=$(pwd)/docs/choose.md
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
		[ ! -s err ] || fail "progress is for terminals"
		;;
	esac
done <commands

# --- what it shows ---
cp chosen out
prints '^Goal: least fct_small_p99_ns, with goodput_bps >= 0.95 of best$'
prints '^Chosen:$'
prints '^On seeds 9 to 16, which did not choose it:$'
prints '^The front, on the 2 seeds that all settings had:$'
runs=$(sed -n 's/^Runs: \([0-9]*\) of at most 80:.*/\1/p' out)
[ "${runs:-81}" -le 80 ] || fail "the budget is kept"
"$weir" table mixed.choose.results --csv runs.csv >out 2>err || fail "table"
planned=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "runs") c = i - NF } NR > 1 { n += $(NF + c) } END { print n }' runs.csv)
[ "$planned" = "$runs" ] || fail "the folder's plan is every run: $planned, $runs"

# --- the same again: from the folder, and from nothing ---
eval "\"$weir\" ${again#weir }" >out 2>err || fail "again"
cmp -s out chosen || fail "the same command gives the same answer"
eval "\"$weir\" ${again#weir } --out anew --jobs 1" >out 2>err || fail "anew"
[ "$(sed '$d' out)" = "$(sed '$d' chosen)" ] || fail "one run at a time, in an empty folder, gives the same answer"

# --- mistakes ---
expect 2 choose mixed.ini
message "choose: --goal METRIC is missing, as in --goal fct_small_p99"
expect 2 choose mixed.ini --goal fct_smal_p99_ns --over switch.marking.k=5KB..9KB
message "--goal: unknown metric 'fct_smal_p99_ns' (nearest: fct_small_p99_ns); 'weir list metric' names them"
expect 2 choose mixed.ini --goal fct_p99
message "choose: --over SETTING=LOW..HIGH is missing, as in --over switch.marking.min=5KB..500KB"
expect 2 choose mixed.ini --goal fct_p99 --over switch.marking.kk=5KB..9KB
message "no point that --over means can be run; the last: --set switch.marking.kk=$(sed -n 's/.*marking.kk=\([^:]*\):.*/\1/p' err): unknown option 'kk' of ecn; it has k, scope, at (nearest: k)"
expect 2 choose mixed.ini --goal 'fct_p99 of blob' --over switch.marking.k=5KB..9KB
message "fct_p99_ns of blob: there is no [traffic blob]"
expect 2 choose mixed.ini --goal fct_p99 --over switch.marking.k=9KB..5KB
message "--over: 9KB..5KB is empty: it ends before it starts"
expect 2 choose mixed.ini --goal fct_p99 --keep 'goodput > 3' --over switch.marking.k=5KB..9KB
message "--keep: 'goodput > 3'; write METRIC >= NUMBER of best, or METRIC <= NUMBER, as in 'goodput >= 0.98 of best'"
expect 2 choose mixed.ini --goal fct_p99 --over switch.marking.k=5KB..9KB --budget 10
message "--budget 10 is too small: with --seeds 2 three settings alone take 30"
expect 2 choose mixed.ini --goal fct_p99 --over switch.marking.k=5KB..9KB --set sweep.switch.queues=2,3
message "mixed.ini: has several values of switch.queues; choose looks for one setting of one scenario: --set switch.queues=VALUE"
exit 0
