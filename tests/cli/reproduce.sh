# SPDX-License-Identifier: BSD-3-Clause
# weir reproduce as its user meets it: one small made-up figure end to end. Listed, run, judged, drawn,
# interrupted and resumed, summed up; and what is wrong in its files is said in one line.
set -u
weir=$(realpath "${WEIR:-./weir}")
papers=$(realpath scenarios/papers)
docs=$(realpath docs)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

fail() {
	echo "$1"
	echo "stdout:"; cat out
	echo "stderr:"; cat err
	exit 1
}

# expect STATUS ARGUMENT...: runs the program and compares its exit status.
expect() {
	wanted=$1
	shift
	COLUMNS=160 "$weir" reproduce "$@" >out 2>err
	status=$?
	[ $status = "$wanted" ] || fail "weir reproduce $*: exit status $status, expected $wanted"
}

# message TEXT: alone on stderr, and nothing else was printed.
message() {
	[ "$(cat err)" = "weir: $1" ] && [ ! -s out ] || fail "expected nothing but: weir: $1"
}

# line PATTERN: one line of stdout is like this.
line() {
	grep -q -e "^$1\$" out || fail "stdout must have a line like: $1"
}

last_line() {
	[ "$(tail -n 1 out)" = "$1" ] || fail "the last line must be: $1"
}

# count FOLDER: how many runs are there.
count() {
	"$weir" export "$1" --csv count >/dev/null && echo $(($(wc -l <count/runs.csv) - 1))
}

# Two saturating flows share a port of 10 Gb/s, under two markings, at two sizes.
mkdir -p papers/made
cat >papers/made/fig2.ini <<'END'
# How long is the queue?
[network]
topology = star
hosts = 5
rate = 10Gbps
delay = 2us

[switch]
buffer = 200pkts

[host]
cc = dctcp

[traffic bulk]
pattern = many-to-one
senders = 2
size = unlimited

[traffic requests]
pattern = incast
senders = 2
receiver = 0
size = 10KB
period = 500us

[measure]
from = 1ms
to = 4ms
probe = queue sw->h0 every 20us

[case none]
switch.marking = none

[case ecn]
switch.marking = ecn(k=20pkts)

[sweep]
traffic.requests.size = 5KB, 10KB
seed = 1..5

[full]
measure.to = 6ms
sweep.seed = 1..6
END
cat >papers/made/fig2.claims <<'END'
[figure]
title = Queues with and without marking
paper = Made, Figure 2
about = Two flows share a port.
time = 30s

[panel a]
title = mean queue
kind = lines
y = queue_mean_pkts
x = traffic.requests.size

[panel b]
title = mean queue, relative to no marking
kind = bars
y = queue_mean_pkts
normalize = none
where = traffic.requests.size=10KB

[panel c]
title = requests
kind = cdf
y = fct

[panel d]
title = queue over time
kind = time
y = queue sw->h0
where = traffic.requests.size=10KB

[claim good]
says = the port is never idle without marking
section = 1
metric = utilisation
of = case=none, traffic.requests.size=10KB
range = 0.99..1

[claim direction]
says = marking makes the queue a thousand times shorter
section = 1
metric = queue_mean_pkts
of = case=ecn, traffic.requests.size=10KB
over = case=none, traffic.requests.size=10KB
value = 0.001
sentence = queue

[claim bad]
says = marking makes the queue ten times longer
section = 2
metric = queue_mean_pkts
of = case=ecn, traffic.requests.size=10KB
over = case=none, traffic.requests.size=10KB
value = 10
sentence = queue
why = fails
note = it was made up to fail: 0.1.

[claim later]
says = nothing is dropped under ECN
section = 3
metric = drops
of = case=ecn, traffic.requests.size=10KB
range = ..0
size = full
END

# --- the list, before anything has run ---
expect 0 --papers papers
line 'made/fig2  *20  *[0-9.]* s  *24  *-  *3  *not run yet'
line '  Queues with and without marking'
[ ! -e reproduction ] || fail "a list makes no folder"

# --- what Weir came with, before anything has run ---
# Digests are those of today's files, which --ship would write; verdicts are judged again by the numbers.
COLUMNS=160 "$weir" reproduce made/fig2 --papers papers --out for-digest >/dev/null 2>&1
expect 0 --papers papers --summary --ship --out for-digest
digest=$(sed -n 's/^settings = //p' papers/made/paper.verdicts)
[ ${#digest} = 16 ] || { cat papers/made/paper.verdicts; fail "a digest of 16 digits"; }
metric() {
	sed -n "/^\[numbers/,\$s/^$1 = \([0-9a-f]*\) .*/\1/p" papers/made/paper.verdicts
}
good=$(metric good) bad=$(metric bad)
[ ${#good} = 16 ] && [ ${#bad} = 16 ] && [ "$bad" = "$(metric direction)" ] || { cat papers/made/paper.verdicts; fail "a digest a claim"; }
rm -r for-digest
cat >papers/made/paper.verdicts <<END
[figure fig2]
version = 0.1.0
settings = $digest
runs = 20
seconds = 1.5
[claims fig2]
good = undecided | 1 ±0, 5 seeds
direction = agrees | 0.001 ±0, 5 seeds
bad = disagrees | 0.31 ±0.02, 5 seeds (3.1 pkts ±0 pkts over 10 pkts ±0 pkts) | in 1 of 5 runs 2 of 100 flows did not end
later = fitted (agrees) | 0, 5 seeds
[numbers fig2]
good = $good 1 1 1 5
direction = $bad 0.001 0.001 0.001 5
bad = $bad 0.31 0.29 0.33 5
END
expect 0 --papers papers
line 'made/fig2  *20  *[0-9.]* s  *24  *-  *3  *shipped: 1 agrees, 1 not reproduced here, 1 not at this size'
line 'Shipped: verdicts that come with Weir, quick size; these figures were not run here.'
expect 0 --papers papers --summary --markdown summary.md
grep -q '<td class="text">quick, shipped</td>.*<td><span class="verdict agrees">2</span></td>' reproduction/index.html ||
	fail "the page must show what is shipped, in its colour"
grep -q '<p>Shipped: not run here' reproduction/index.html || fail "the page must say that nothing was run here"
for text in '| Made | quick | 1 of 1 | 20 | 4 | 2 | 0 | 0 | 1 | 0 | 0 | 0 | 1 | 0 | 1.5 s |' '| Made | quick | 1 of 1 | 1 | 0 | 1 | 0 | 0 | 0 |' \
	'| bad | marking makes the queue ten times longer (section 2) | 10 (8..12) | **not reproduced here**: 0.31 ±0.02, 5 seeds (3.1 pkts ±0 pkts over 10 pkts ±0 pkts) |  |' \
	'- made/fig2: bad, quick size: in 1 of 5 runs 2 of 100 flows did not end'; do
	grep -qF -e "$text" summary.md || { cat summary.md; fail "of what is shipped summary.md must have $text"; }
done
# What a claim expects may change; its number is judged again. What it measures may not.
cp papers/made/fig2.claims good.claims
sed 's/^value = 10$/value = 0.3/' good.claims >papers/made/fig2.claims
expect 0 --papers papers
line 'made/fig2 .*  *shipped: 2 agree, 1 not at this size'
sed 's/^value = 10$/value = 0.26\ntolerance = 20%\nfitted = by it/; /^why = /d; /^note = /d' good.claims >papers/made/fig2.claims
expect 0 --papers papers
line 'made/fig2 .*  *shipped: 2 agree, 1 not at this size'
sed 's/^metric = queue_mean_pkts/metric = queue_p99_pkts/' good.claims >papers/made/fig2.claims
expect 0 --papers papers
line 'made/fig2 .*  *shipped: 1 agrees, 1 not at this size, 1 not measured'
cp good.claims papers/made/fig2.claims
# Of another scenario than today's they are not shown; nor is what Weir shipped until 0.3.0.
cp papers/made/paper.verdicts shipped
for change in "s/^settings = .*/settings = 0123456789abcdef/" 's/^settings = /digest = /; /^.numbers/,$d'; do
	sed "$change" shipped >papers/made/paper.verdicts
	expect 0 --papers papers
	line 'made/fig2  *20  *[0-9.]* s  *24  *-  *3  *not run yet; what was shipped is out of date'
	expect 0 --papers papers --summary
	grep -q '<td class="text">quick, shipped: out of date</td><td class="text"></td>' reproduction/index.html &&
		grep -q '<p>Out of date: ' reproduction/index.html || fail "the page must say that it is out of date"
	! grep -q '<span class="verdict agrees">2</span>' reproduction/index.html || fail "and not show it"
done
cp shipped papers/made/paper.verdicts
# A case more outdates nothing; one that a claim is about, that claim.
cp papers/made/fig2.ini good.ini
printf '\n[case deep]\nswitch.buffer = 300pkts\n' >>papers/made/fig2.ini
expect 0 --papers papers
line 'made/fig2 .*  *shipped: 1 agrees, 1 not reproduced here, 1 not at this size'
sed 's/ecn(k=20pkts)/ecn(k=21pkts)/' good.ini >papers/made/fig2.ini
expect 0 --papers papers
line 'made/fig2 .*  *shipped: 1 agrees, 1 not at this size, 1 not measured'
cp good.ini papers/made/fig2.ini
# A note decides nothing.
sed 's/^note = .*/note = Another, 1./' good.claims >papers/made/fig2.claims
expect 0 --papers papers
line 'made/fig2 .*  *shipped: 1 agrees, 1 not reproduced here, 1 not at this size'
cp good.claims papers/made/fig2.claims
wrong() {
	printf '[figure fig2]\nversion = 0.1.0\n%s\n' "$1" >papers/made/paper.verdicts
	expect 2 --papers papers
	grep -qF "papers/made/paper.verdicts:$2; 'weir reproduce --summary --ship' writes them" err || fail "must say what is wrong: $2"
}
wrong 'settings = 12' "3: settings: '12'"
wrong 'runs = 3x' "3: runs: '3x'"
wrong '[verdicts]' "3: unknown section 'verdicts'; there are [figure NAME], [claims NAME] and [numbers NAME]"
wrong '[numbers fig2]
bad = 0123456789abcdef 1 2' "4: bad: '0123456789abcdef 1 2'; allowed: a digest, the mean, both ends of its interval and the number of seeds"
wrong "[claims fig9]
bad = fails | 1" "4: bad: 'fails | 1'; allowed: a verdict, what was measured and what is wrong with its runs, divided by bars"
expect 2 --papers papers --ship
message "--ship: needs --summary; write --summary --ship"
rm -r reproduction summary.md papers/made/paper.verdicts

# --- one figure: claims, a page for it and one over all ---
expect 0 made/fig2 --papers papers
line 'made/fig2: Queues with and without marking; quick size, 20 runs'
line 'agrees  *the port is never idle without marking  *0.99..1  *[01][.0-9]*.*'
line 'same direction  *marking makes the queue a thousand times shorter  *0.001 .*'
line 'not reproduced here  *marking makes the queue ten times longer  *10 (8..12)  *0.[0-9]* ±.*'
line 'not at this size  *nothing is dropped under ECN  *at most 0  *-'
line 'reproduction/made/fig2/figure.html'
line 'made/fig2, by sentences: 1 agrees, 1 not reproduced here, 1 not at this size'
last_line 'made/fig2, by claims: 1 agrees, 1 same direction, 1 not reproduced here, 1 not at this size'
[ "$(cat err)" = "weir: 20 runs to do, 0 already stored" ] || fail "not a terminal: a plain line"
page=reproduction/made/fig2/figure.html
for text in '<h1>Queues with and without marking</h1>' '(a) mean queue' '>queue mean (pkts)</text>' \
	'>size (KB)</text>' '>queue mean, relative to none</text>' '>share of flows</text>' '>time (ms)</text>' \
	'<span>none</span>' '<span>ecn</span>' 'Shown by experiment: it was made up to fail: 0.1.' \
	'<p>4 claims: 1 <b' '<p>3 sentences: 1 <b' 'a part of the sentence <i>queue</i>' '<small>direction: less than 1</small>' \
	'<b class="verdict not">not reproduced here</b>'; do
	grep -qF -e "$text" $page || fail "$page must contain $text"
done
# What all are relative to is 1.
grep -q '<span>none</span><output>1</output>' $page ||
	fail "the bar of the reference is 1"

# --- again: nothing is run, all is said ---
cp out first
expect 0 made/fig2 --papers papers
cmp -s out first && [ ! -s err ] || fail "the same command runs nothing and says the same"

# Who wrote the paper, and where it is.
printf '[paper]\ntitle = Queues & more\nauthors = A. Author\nvenue = NOWHERE 2020\ndoi = 10.1/2\n' >papers/made/paper.about
expect 0 made/fig2 --papers papers
grep -qF '<p>A. Author: <cite>Queues &amp; more</cite>. NOWHERE 2020. <a href="https://doi.org/10.1/2">doi:10.1/2</a></p>' $page ||
	fail "$page must say who wrote the paper"
printf '[paper]\nauthor = A. Author\n' >papers/made/paper.about
expect 1 made/fig2 --papers papers
grep -qF "papers/made/paper.about:2: unknown key 'author'; there are title, authors, venue, doi (nearest: authors)" err ||
	fail "an unknown key is refused"
rm papers/made/paper.about

# A narrow terminal shows whole claims.
COLUMNS=60 "$weir" reproduce made/fig2 --papers papers >out 2>err || fail "in sixty columns"
[ "$(sed -n 's/^not reproduced here  *\(marking makes[a-z ]*[a-z]\)  .*/\1/p; s/^  *\(ten times longer\)$/\1/p' out | tr '\n' ' ')" = \
	"marking makes the queue ten times longer " ] || fail "a claim is not whole"

# --- the paper's size: a folder of its own, every claim judged ---
expect 0 made --full --papers papers
line 'made, by sentences: 2 agree, 1 not reproduced here'
[ "$(count reproduction/made/fig2)" = 20 ] && [ "$(count reproduction/made/fig2.full)" = 24 ] ||
	fail "both sizes are kept apart"
expect 0 --papers papers
line 'made/fig2  *20  *[0-9.]* s  *24  *[0-9.]* s  *3  *2 agree, 1 not reproduced here (full)'

# --- interrupted, and resumed ---
sed 's/to = 4ms/to = 400ms/; s/seed = 1..5/seed = 1..40/' papers/made/fig2.ini >papers/made/fig10.ini
cp papers/made/fig2.claims papers/made/fig10.claims
"$weir" reproduce made/fig10 --papers papers --jobs 2 --out long >out 2>err &
tries=0
while [ ! -e long/made/fig10/results.db ] || [ "0$(count long/made/fig10 2>/dev/null)" -lt 2 ]; do
	tries=$((tries + 1))
	[ $tries -lt 600 ] || fail "the runs must get on"
	sleep 0.1
done
kill -INT $!
wait $!
[ $? = 130 ] || fail "interrupted: status 130"
grep -q 'weir: interrupted; [0-9]* of 160 runs are stored in long/made/fig10; the same command continues' err ||
	fail "must say how to go on"
kept=$(count long/made/fig10)
[ "$kept" -ge 2 ] && [ "$kept" -lt 160 ] || fail "some runs are kept, some are missing: $kept"
expect 0 --papers papers --out long
line "made/fig10  *160 .* $kept of 160 quick runs are stored"
# Of the 160 only some, so that it ends soon: those that are there count.
sed -i 's/1..40/1..5/' papers/made/fig10.ini
expect 0 made/fig10 --papers papers --out long
grep -q "^weir: [0-9]* runs to do, [1-9][0-9]* already stored$" err || fail "what was kept is not run again"
line 'made/fig10, by claims: 1 agrees, 1 same direction, 1 not reproduced here, 1 not at this size'

# --- all, in order of numbers; the summary ---
rm papers/made/fig10.*
cp papers/made/fig2.ini papers/made/fig10a.ini
sed 's/Queues with/Other queues with/' papers/made/fig2.claims >papers/made/fig10a.claims
expect 0 all --papers papers
[ "$(sed -n 's/^\(made[^:]*\): .*size.*runs$/\1/p' out | tr '\n' ' ')" = 'made/fig2 made/fig10a ' ] ||
	fail "fig2 comes before fig10a"
line 'all, by sentences: 2 agree, 2 not reproduced here, 2 not at this size'
last_line 'all, by claims: 2 agree, 2 same direction, 2 not reproduced here, 2 not at this size'
expect 0 --papers papers --summary --markdown summary.md
last_line summary.md
for text in '| Made | quick | 2 of 2 | 40 | 8 | 2 | 2 | 0 | 2 | 0 | 0 | 0 | 2 | 0 | ' \
	'| Made | full | 1 of 2 | 24 | 4 | 2 | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | ' \
	'| Made | quick | 2 of 2 | 40 | 6 | 2 | 0 | 0 | 2 | 0 | 0 | 0 | 2 | 0 |' '### made/fig2: Queues' '- bad: Shown by experiment: it was made up to fail: 0.1.' \
	'| paper | size | figures | claims not reproduced here | paper silent | shown by experiment | too small to tell | unexplained | not said |' \
	'| Made | quick | 2 of 2 | 2 | 0 | 2 | 0 | 0 | 0 |'; do
	grep -qF -e "$text" summary.md || { cat summary.md; fail "summary.md must contain $text"; }
done
[ "$(grep -c '^- ' summary.md)" = 2 ] || fail "only claims that are not reproduced are explained"
for text in 'href="made/fig2/figure.html"' 'href="made/fig2.full/figure.html"' 'href="made/fig10a/figure.html"'; do
	grep -qF -e "$text" reproduction/index.html || fail "index.html must contain $text"
done

# What came out here becomes what the next reader is shown; a second time it is the same.
expect 0 --papers papers --summary --ship
[ "$(grep '^\[figure' papers/made/paper.verdicts | tr '\n' ' ')" = '[figure fig2] [figure fig2.full] [figure fig10a] ' ] &&
	[ "$(grep -c '^bad = not reproduced here | 0\.[0-9]* ±[0-9.]*, [56] seeds (' papers/made/paper.verdicts)" = 3 ] &&
	[ "$(grep -c '^later = not at this size$' papers/made/paper.verdicts)" = 2 ] && grep -q '^runs = 24$' papers/made/paper.verdicts ||
	{ cat papers/made/paper.verdicts; fail "the verdicts of both sizes"; }
# Written from what is shipped, the document is the same.
printf 'What I think of it.\n' >papers/made/paper.md
expect 0 --papers papers --summary --markdown summary.md
expect 0 --papers papers --summary --markdown again.md --out nothing
cmp -s summary.md again.md || { diff summary.md again.md; fail "the document is the same without the runs"; }
[ "$(grep -A 2 '^## Made' summary.md)" = "## Made

What I think of it." ] || fail "a text about the paper comes first"
rm -r nothing papers/made/paper.md again.md
cp papers/made/paper.verdicts shipped
expect 0 --papers papers --summary --ship --out nothing
cmp -s shipped papers/made/paper.verdicts || fail "what was not run stays as it was shipped"
rm -r nothing

# Runs of another scenario than today's are said to be, and not shipped: a value that was changed, a seed more.
cp papers/made/fig2.ini good.ini
sed 's/^buffer = 200pkts/buffer = 100pkts/' good.ini >papers/made/fig2.ini
strange="weir: made/fig2, quick size: 20 of the stored runs are of an earlier version of the scenario, and 20 of the 20 of the scenario's runs are missing"
rerun='this runs what is missing: weir reproduce made/fig2 --papers papers'
expect 0 --papers papers --summary
[ "$(head -n 1 err)" = "$strange; $rerun" ] || fail "must say whose runs are of another scenario, and what to do"
[ "$(sed 's/; this.*//' err | tail -n 1)" = "$(echo "$strange" | sed 's/quick/full/; s/20/24/g')" ] || fail "and in full size"
expect 0 --papers papers
line "made/fig2 .* 24 full runs are of an earlier version of the scenario"
expect 2 --papers papers --summary --ship
[ "$(head -n 1 err)" = "$strange: not shipped; $rerun" ] || fail "must say that it is not shipped"
cmp -s shipped papers/made/paper.verdicts || fail "what was shipped before stays"
sed 's/^seed = 1..5/seed = 1..6/' good.ini >papers/made/fig2.ini
expect 2 --papers papers --summary --ship --out reproduction
[ "$(cat err)" = "weir: made/fig2, quick size: 4 of the 24 of the scenario's runs are missing: not shipped; $rerun --out reproduction" ] ||
	fail "must say what is missing"
# What is said otherwise and means the same is the same.
sed 's/^switch.marking = ecn(k=20pkts)/switch.marking = ecn(at=enqueue, k=20pkts)/; s/^rate = 10Gbps/rate = 10000Mbps/' good.ini >papers/made/fig2.ini
expect 0 --papers papers --summary
[ ! -s err ] || fail "nothing has changed"
cp good.ini papers/made/fig2.ini

# --- undecided: once more, by four times as many fresh seeds ---
cp papers/made/fig2.claims good.claims
mean=$(sed -n 's/^bad = [0-9a-f]\{16\} \([0-9.]*\) .*/\1/p' papers/made/paper.verdicts | head -n 1)
rm papers/made/paper.verdicts
expect 0 all --papers papers --more-seeds
line 'made/fig2: no claim is known to be undecided'
sed "s/^value = 10\$/range = ..$mean\nagainst = none/" good.claims >papers/made/fig2.claims
expect 0 made/fig2 --papers papers
line 'undecided  *marking makes the queue ten times longer .*'
line 'bad: undecided: the interval reaches over an edge of what is expected; more seeds may decide'
expect 0 made/fig2 --papers papers --more-seeds
line 'made/fig2: Queues with and without marking; quick size, 80 runs'
grep -q "^weir: 80 runs to do, 0 already stored$" err || fail "the seeds are fresh"
expect 0 --papers papers --summary --ship
sed -n '/^.claims fig2\]/,/^.numbers/p' papers/made/paper.verdicts >shipped
[ "$(grep -c ', 20 seeds' shipped)" = 3 ] && ! grep -q ', 5 seeds' shipped || fail "judged by the fresh seeds alone"
expect 0 made/fig2 --papers papers
[ ! -s err ] || fail "and back to the seeds of the scenario, which are still there"
expect 2 --papers papers --more-seeds
message "--more-seeds: needs a figure, a paper or all, to run"
cp good.claims papers/made/fig2.claims
rm papers/made/paper.verdicts

# --- mistakes: one line, status 2, and nothing is run ---
rm -r reproduction long
refused() {
	expect 2 made/fig2 --papers papers
	message "$1"
	[ ! -e reproduction ] || fail "nothing may be run"
}
cp papers/made/fig2.claims good.claims
sed 's/^metric = drops/metric = dorps/' good.claims >papers/made/fig2.claims
expect 2 made/fig2 --papers papers
grep -q "^weir: papers/made/fig2.claims:[0-9]*: .*unknown metric 'dorps'.*(nearest: drops)$" err || fail "must say where"
[ "$(wc -l <err)" = 1 ] && [ ! -s out ] && [ ! -e reproduction ] || fail "one message and nothing else"
expect 2 --papers papers
[ "$(wc -l <err)" = 1 ] || fail "one message in a list, too"
expect 2 all --papers papers
[ ! -e reproduction ] || fail "a mistake anywhere is found before anything runs"
sed 's/^over = case=none, /over = case=nose, /' good.claims >papers/made/fig2.claims
expect 2 made/fig2 --papers papers
grep -q "^weir: papers/made/fig2.claims:[0-9]*: .*nose" err && [ "$(wc -l <err)" = 1 ] || fail "must say what is wrong"
sed 's/^x = .*/x = case/' good.claims >papers/made/fig2.claims
refused 'papers/made/fig2.claims:7: [panel a]: x: the values of case are no numbers'
rm papers/made/fig2.claims
expect 2 made/fig2 --papers papers
grep -q '^weir: papers/made/fig2.claims: ' err || fail "must say what is missing"
cp good.claims papers/made/fig2.claims
expect 2 made/fig3 --papers papers
message "no paper or figure 'made/fig3' (nearest: made/fig2); 'weir reproduce' lists them, and 'all' means all"
expect 2 --papers none
message "none: cannot be read: No such file or directory"
expect 2
grep -q "^weir: no figures: there is no folder scenarios/papers here.*; name one by --papers$" err || fail "must say how"
expect 2 made --papers papers --summary
message "--summary: covers all papers; leave 'made' out"
expect 2 --papers papers --markdown a.md
message "--markdown: needs --summary; write --summary --markdown a.md"
expect 2 made --papers papers --jobs 0
expect 1 made --papers papers --out good.claims
grep -q "^weir: good.claims: is a file, not a folder$" err || fail "must say why"

# A mistake that only the full size has is found in quick size, too. Nothing runs.
expect 0 made/fig2 --papers papers --check
last_line "1 figure: valid in both sizes"
cp papers/made/fig2.ini good.ini
sed 's/^\[full\]$/[full]\nsweep.traffic.requests.size = 20KB/' good.ini >papers/made/fig2.ini
expect 2 made --papers papers
grep -q "^weir: papers/made/fig2.claims:[0-9]*: .*traffic.requests.size = '10KB'" err || fail "must say what is wrong"
cp good.ini papers/made/fig2.ini
expect 2 --papers papers --check
message "--check: needs a figure, a paper or all, as in weir reproduce all --check"

# The figure of docs/manual/08-papers.md is right and comes out as it says.
mkdir papers/mine
sed -n '/^```ini$/,/^```$/{/^```/d;p;}' "$docs/manual/08-papers.md" >both
sed '/^\[figure\]$/,$d' both >papers/mine/fig1.ini
sed -n '/^\[figure\]$/,$p' both >papers/mine/fig1.claims
expect 0 mine --papers papers --check
line '1 figure: valid in both sizes'
expect 0 mine --papers papers
line 'mine, by sentences: 2 agree, 1 same direction'
line 'mine, by claims: 3 agree, 1 same direction'
grep -q '^same direction .* 73 pkts' out || fail "docs/manual/08-papers.md tells of 73 packets"

# Every figure of the papers is right; one small figure of each is run, end to end. That of acc takes over a
# minute with sanitizers.
expect 0 all --papers "$papers" --check
line '[0-9]* figures: valid in both sizes'
# Every claim that is not reproduced in what is shipped has a reason.
expect 0 --papers "$papers" --summary --markdown shipped.md --out shipped-only
sed -n '/| not said |$/,/^$/p' shipped.md >reasons
grep -q '^| all | quick | .* | 0 |$' reasons || { cat reasons; fail "a claim that is not reproduced has no why; see docs/manual/08-papers.md"; }
rm -r shipped.md reasons shipped-only
expect 0 --papers "$papers"
grep -E '^[a-z]+/.* - ' out && fail "these do not say how long they take"
figures='tcn/fig3 pred/fig25 diffecn/fig17 fdcc/fig3.2'
case $weir in
*/asan/*) ;;
*) figures="$figures acc/fig1" ;;
esac
for figure in $figures; do
	expect 0 "$figure" --papers "$papers"
	grep -q "^$figure[a-z, ]*: [0-9]* agree" out || fail "$figure: nothing agrees"
	[ -s "reproduction/$figure/figure.html" ] || fail "$figure: no page"
done
