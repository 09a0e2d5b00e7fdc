# SPDX-License-Identifier: BSD-3-Clause
# Plug-ins: what docs/manual/13-extending.md promises runs as it stands, and an object with a mistake in it is refused
# with a message, whatever the mistake.
set -u
weir=$(realpath "${WEIR:-./weir}")
top=$(pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cases=0

fail() {
	echo "$1"
	cat "$dir/out" "$dir/err" 2>/dev/null
	exit 1
}

# build NAME: the C text on stdin becomes NAME.so.
build() {
	cat >"$dir/$1.c"
	gcc -std=c11 -w -shared -fPIC -I"$top/include" "$dir/$1.c" -o "$dir/$1.so" || fail "$1.c"
}

# refused NAME MESSAGE: help and run both say so, in one line, and end with status 2.
refused() {
	cases=$((cases + 1))
	"$weir" help "$dir/$1.so" >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] || fail "help $1.so: exit status must be 2"
	[ "$(cat "$dir/err")" = "weir: $dir/$1.so: $2" ] || fail "$1.so: expected: $2"
	for option in --marking --cc --scheduler; do
		"$weir" run scenarios/incast.ini $option "$dir/$1.so" >"$dir/out" 2>"$dir/err"
		[ $? = 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] ||
			fail "run $option $1.so: status 2 and one line"
	done
}

# bad NAME EDIT MESSAGE: the template, changed by a sed command.
bad() {
	sed "$2" examples/plugin/mine.c >"$dir/changed.c"
	cmp -s examples/plugin/mine.c "$dir/changed.c" && fail "$1: nothing was changed"
	build "$1" <"$dir/changed.c"
	refused "$1" "$3"
}

# --- no plug-in at all, or one of another Weir ---
abi=$(printf '#include <weir/plugin.h>\n#include <stdio.h>\nint main(void) { printf("%%016llx", (unsigned long long)WEIR_ABI); }\n' |
	gcc -Iinclude -x c - -o "$dir/abi" && "$dir/abi")
refused none "cannot be loaded: cannot open shared object file: No such file or directory"
echo "not an object" >"$dir/text.so"
refused text "cannot be loaded: file too short"
build undefined <<'END'
int missing_function(void);
int call(void) { return missing_function(); }
END
refused undefined "cannot be loaded: undefined symbol: missing_function"
echo 'int nothing;' | build empty
refused empty "exports no weir_plugin; write const struct weir_plugin weir_plugin = { WEIR_ABI, .mark = &ops };"
bad stale 's/{ WEIR_ABI,/{ WEIR_ABI - 1,/' "was built for another Weir (ABI $(printf '%016x' $((0x$abi - 1))), \
this one has $abi); build it again with the headers of this one"
echo 'const char weir_plugin[3] = "ab";' | build short
refused short "was built for another Weir (ABI 0000000000000000, this one has $abi); build it again with \
the headers of this one"
# A struct of the door that has grown since is noticed by itself.
mkdir -p "$dir/older/weir"
cp include/weir/*.h "$dir/older/weir"
sed -i 's/	uint32_t port_bytes, port_pkts;.*/	uint32_t port_bytes;/' "$dir/older/weir/mark.h"
gcc -std=c11 -shared -fPIC -I"$dir/older" examples/plugin/mine.c -o "$dir/older.so"
"$weir" help "$dir/older.so" 2>&1 | grep -q "was built for another Weir (ABI [0-9a-f]*, this one has $abi)" ||
	fail "older headers must be noticed"
bad nothing 's/, \.mark = &mine }/ }/' "weir_plugin holds no scheme; set .mark, .sched, .cc, .traffic, .tune or .agent"
bad nowhere 's/\.mark = &mine }/.mark = (void *)8 }/' "weir_plugin points to nowhere"

# --- hooks ---
bad hook '/\.enqueue = /d' "mine: the hooks .enqueue and .dequeue are both missing; it would never mark"
bad wild 's/\.enqueue = .*/.enqueue = (void *)8,/' \
	"mine: the hooks .enqueue and .dequeue are both missing; it would never mark"
bad reason '/\.reasons = /d' "mine: .reasons has no name for reason 0"
bad help '/\.help = /d' "mine: .help is missing; one sentence that says what it does"
bad name 's/\.name = "mine"/.name = "my scheme"/' "the marking scheme has no .name of letters, digits, - and _"
bad params 's/sizeof(struct mine_params)/5000/' "mine: params_size 5000; at most 1024"
bad state 's/sizeof(struct mine_state)/70000/' "mine: state_size 70000; at most 65536"
build cc <<'END'
#include <weir/plugin.h>
static void start(void *s, const void *p, const struct weir_cc_env *e) { }
static const struct weir_cc_ops ops = { .scheme = { "x", "x" }, .state_size = 16, .init = start };
const struct weir_plugin weir_plugin = { WEIR_ABI, .cc = &ops };
END
refused cc "x: the hook .ack is missing"
build window <<'END'
#include <weir/plugin.h>
static const struct weir_cc_ops ops = { .scheme = { "x", "x" }, .state_size = 8 };
const struct weir_plugin weir_plugin = { WEIR_ABI, .cc = &ops };
END
refused window "x: state_size 8; the state begins with struct weir_cc_window, which has 16"
build echo <<'END'
#include <weir/plugin.h>
static enum weir_cc_echo echo(const void *p) { return 7; }
static void start(void *s, const void *p, const struct weir_cc_env *e) { }
static void ack(void *s, const void *p, const struct weir_cc_env *e, const struct weir_cc_ack *a) { }
static void cut(void *s, const void *p, const struct weir_cc_env *e, enum weir_cc_event v, const struct weir_cc_ack *a) { }
static const struct weir_cc_ops ops = { .scheme = { "x", "x" }, .state_size = 16, .echo_of = echo,
	.init = start, .ack = ack, .congestion = cut };
const struct weir_plugin weir_plugin = { WEIR_ABI, .cc = &ops };
END
refused echo "x: echo 7 is none of enum weir_cc_echo"
build sched <<'END'
#include <weir/plugin.h>
static const struct weir_sched_ops ops = { .scheme = { "x", "x" } };
const struct weir_plugin weir_plugin = { WEIR_ABI, .sched = &ops };
END
refused sched "x: the hook .pick is missing"

# kind NAME MEMBER STRUCT HOOKS: an object with one scheme of that kind.
kind() {
	build "$1" <<END
#include <weir/plugin.h>
static void init(void *s, const void *p, uint32_t mtu, struct weir_tune_knobs *k) { }
static int64_t interval(const void *p, int64_t rtt_ns) { return rtt_ns; }
static size_t size(const void *p, const struct weir_agent_env *e) { return 0; }
static void begin(void *s, const void *p, const struct weir_agent_env *e, struct weir_tune_knobs *k) { }
static void step(void *s, const void *p, const struct weir_agent_env *e, const struct weir_tune_telemetry *t,
	struct weir_tune_knobs *k) { k[0].min_bytes = UINT64_MAX; }
static uint64_t share(const void *p) { return 1; }
static const struct weir_agent_learner learner = { 0 };
static const struct $3 ops = { .scheme = { "x", "x" }, $4 };
const struct weir_plugin weir_plugin = { WEIR_ABI, .$2 = &ops };
END
}
kind tune tune weir_tune_ops '.init = init'
refused tune "x: the hook .step is missing"
kind agent agent weir_agent_ops '.interval_ns = interval, .size = size, .step = step'
refused agent "x: the hook .init is missing"
whole='.interval_ns = interval, .size = size, .init = begin, .step = step'
kind sharing agent weir_agent_ops "$whole, .share_steps = share"
refused sharing "x: the hook .shared_size is missing"
kind learner agent weir_agent_ops "$whole, .learner = &learner"
refused learner "x: the hook .learner->observation_size is missing"

# --- the option table ---
bad twice 's/{ "low"/{ "high"/' "mine: option high is declared twice"
bad place 's/offsetof(struct mine_params, low)/offsetof(struct mine_params, high)/' \
	"mine: options high and low have the same place, offset 0"
bad outside 's/offsetof(struct mine_params, low)/64/' \
	"mine: option low: its 8 bytes at offset 64 do not fit params_size 16"
bad odd 's/offsetof(struct mine_params, low)/4/' "mine: option low: offset 4 is no multiple of 8; a value is a \
uint64_t, or what enum weir_opt_type says"
bad default 's/"30pkts"/"30"/' "mine: default of option low: '30' has no unit (B, KB, MB, GB, KiB, MiB, GiB, \
pkts); allowed: 0B to 1GB or 0pkts to 1000000000pkts"
bad range 's/"70pkts", 1, 1000000000/"70pkts", 1, 60/' "mine: default of option high: '70pkts' is out of range; \
allowed: 1B to 60B or 1pkts to 60pkts"
bad nodefault 's/"30pkts"/NULL/' "mine: option low: .def is missing; every option has a default"
bad nohelp 's/"marking ends.*", NULL/NULL, NULL/' "mine: option low: .help is missing"
bad choices 's/WEIR_OPT_LENGTH, offsetof(struct mine_params, low)/WEIR_OPT_CHOICE, offsetof(struct mine_params, low)/' \
	"mine: option low: WEIR_OPT_CHOICE needs choices"
bad type 's/WEIR_OPT_LENGTH, offsetof(struct mine_params, low)/77, offsetof(struct mine_params, low)/' \
	"mine: option low: type 77 is none of enum weir_opt_type"
bad noname 's/{ "low"/{ ""/' "mine: option 2 has no name of letters, digits, - and _; does the table end with \
{ .name = NULL }?"
bad wildname 's/{ "low"/{ (char *)8/' "mine: option 2 has no name of letters, digits, - and _; does the table end \
with { .name = NULL }?"
# What follows a table without an end is up to the compiler; whatever it is, it is no crash.
sed '/{ \.name = NULL },/d' examples/plugin/mine.c | build endless
"$weir" help "$dir/endless.so" >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && [ "$(wc -l <"$dir/err")" = 1 ] || fail "a table without an end"
bad check 's/return p->low <= p->high.*/return weir_error_set(e, "never");/' \
	"mine: its check refuses its defaults: never"

# --- the right object in the wrong place, and options of one that is right ---
build mine <examples/plugin/mine.c
"$weir" run scenarios/incast.ini --cc "$dir/mine.so" 2>&1 |
	grep -qx "weir: --set host.cc=$dir/mine.so: $dir/mine.so: holds no congestion control, but a marking scheme (.mark)" ||
	fail "a marking scheme is no congestion control"
"$weir" check --allow-plugins scenarios/incast.ini --marking "$dir/mine.so(hig=3pkts)" 2>&1 |
	grep -q "unknown option 'hig' of $dir/mine.so; it has high, low (nearest: high)$" || fail "unknown option"
"$weir" check --allow-plugins scenarios/incast.ini --marking "$dir/mine.so(low=80pkts)" 2>&1 |
	grep -q "mine: low is above high$" || fail "the scheme's own check"

cp -r examples/plugin "$dir/template"
env -u MAKEFLAGS -u MAKELEVEL make -s -C "$dir/template" WEIR="$top" >"$dir/out" 2>"$dir/err" &&
	"$weir" help "$dir/template/mine.so" >/dev/null || fail "the template's own Makefile"

# --- it does what it says, and its content belongs to the run ---
short="run scenarios/incast.ini --set measure.from=1ms --set measure.to=3ms --quiet --json -"
"$weir" $short --marking "$dir/mine.so(high=40pkts, low=40pkts)" >"$dir/one" || fail "a run"
"$weir" $short --marking "ecn(k=40pkts)" >"$dir/two" || fail "a run"
for metric in queue_mean_pkts marks goodput_bps; do	# with both lengths equal it is plain ECN
	[ "$(grep "\"$metric\"" "$dir/one")" = "$(grep "\"$metric\"" "$dir/two")" ] || fail "$metric differs from ecn's"
done
grep -q "\"switch.marking\": \"$dir/mine.so(high=40pkts, low=40pkts)\"" "$dir/one" || fail "spelled out by path"
digest=$(grep digest.switch.marking "$dir/one") || fail "a digest"
sed 's/s->marking = 0/s->marking = 1/' examples/plugin/mine.c | build mine
"$weir" $short --marking "$dir/mine.so(high=40pkts, low=40pkts)" >"$dir/two" || fail "a run"
[ "$(grep digest.switch.marking "$dir/two")" != "$digest" ] || fail "a rebuilt object is another one"

# --- a congestion control and a scheduler ---
build both <<'END'
#include <weir/plugin.h>
static void start(void *s, const void *p, const struct weir_cc_env *e)
{
	*(struct weir_cc_window *)s = (struct weir_cc_window){ 4 * e->mss_bytes, WEIR_CC_SSTHRESH_START };
}
static void ack(void *s, const void *p, const struct weir_cc_env *e, const struct weir_cc_ack *a) { }
static void cut(void *s, const void *p, const struct weir_cc_env *e, enum weir_cc_event v, const struct weir_cc_ack *a) { }
static uint32_t pick(void *s, const void *p, const struct weir_queue *q)
{
	uint32_t i = 0;

	while (q[i].pkts == 0)
		i++;
	return i;
}
static const struct weir_cc_ops fixed = { .scheme = { "fixed", "a window of four segments" },
	.echo = WEIR_CC_ECHO_EXACT, .state_size = sizeof(struct weir_cc_window), .init = start, .ack = ack,
	.congestion = cut };
static const struct weir_sched_ops first = { .scheme = { "first", "the first busy queue" }, .pick = pick };
const struct weir_plugin weir_plugin = { WEIR_ABI, .cc = &fixed, .sched = &first };
END
"$weir" help "$dir/both.so" >"$dir/out" && grep -qx "first (scheduler)" "$dir/out" &&
	grep -qx "fixed (cc)" "$dir/out" || fail "help on both"
result() {
	"$weir" run scenarios/priority.ini --set measure.to=12ms --quiet --json - "$@" |
		grep '"goodput_bps"\|"queue_mean_pkts"\|"marks"'
}
[ "$(result --scheduler "$dir/both.so")" = "$(result --scheduler sp)" ] || fail "first is sp by another name"
# On short links nearly all of the windows wait in the queue.
"$weir" $short --cc "$dir/both.so" --set switch.buffer=500pkts --set network.delay=100ns >"$dir/one" || fail "a run"
grep -q '"queue_max_pkts": 6[0-4]' "$dir/one" || fail "16 senders of four packets each: $(grep queue_max "$dir/one")"

# --- a tuner and an agent ---
build seek <examples/plugin/seek.c
tuned() {
	"$weir" run scenarios/incast.ini --set measure.from=4ms --set measure.to=14ms --marking red --quiet --json - "$@"
}
tuned --set "switch.tune=$dir/seek.so(target=60KB)" --set switch.tune-interval=100us >"$dir/one" || fail "a tuner"
grep -q "\"switch.tune\": \"$dir/seek.so(target=60KB)\"" "$dir/one" && grep -q '"digest.switch.tune": "' "$dir/one" ||
	fail "a tuner is a setting, and so is what is in it"
mean=$(sed -n 's/.*"queue_mean_bytes": \([0-9]*\).*/\1/p' "$dir/one")
[ "$mean" -gt 50000 ] && [ "$mean" -lt 70000 ] || fail "a mean queue of 60 KB was wanted, not of $mean B"
"$weir" help "$dir/seek.so" >"$dir/out" && grep -qx "seek (tuner)" "$dir/out" || fail "help on a tuner"
# Settings that are none are not applied: all is as without, and the run says how many there were.
kind wildagent agent weir_agent_ops "$whole"
tuned --set "switch.tune=$dir/wildagent.so" | grep '"metrics"\|"queue_\|"marks"' >"$dir/one"
tuned | grep '"metrics"\|"queue_\|"marks"' >"$dir/two"
[ -s "$dir/one" ] && cmp "$dir/one" "$dir/two" || fail "a setting that is none must not be applied"
tuned --set "switch.tune=$dir/wildagent.so" | grep -q '"settings_refused": [1-9]' || fail "refused settings are a metric"
tuned | grep -q '"settings_refused": null' || fail "without an agent there is none who could ask"
"$weir" run scenarios/incast.ini --marking red --set "switch.tune=$dir/wildagent.so" >"$dir/out" || fail "a wild agent"
grep -q "^NOTE: [0-9]* settings requested by $dir/wildagent.so were refused because they are outside the limits$" "$dir/out" &&
	grep -q "^  settings refused  *[1-9]" "$dir/out" || fail "they are counted"
"$weir" run scenarios/incast.ini --marking red --set "switch.tune=$dir/wildagent.so" --quiet --out "$dir/wild.results" >"$dir/out" ||
	fail "a wild agent, kept"
"$weir" table "$dir/wild.results" --metric settings_refused | grep -q "^ *[1-9][0-9]*$" || fail "they are a column"
"$weir" run scenarios/incast.ini --marking red --set "switch.tune=fixed" | grep -q "refused" && fail "where none is refused nothing is said"
build knobs <<'END'
#include <weir/plugin.h>
static uint32_t say(void *s, const void *p, const struct weir_mark_view *v) { return WEIR_MARK_PASS; }
static void turn(void *s, void *p, const struct weir_tune_knobs *k) { }
static const struct weir_mark_knobs knobs = { .apply = turn };
static const struct weir_mark_ops ops = { .scheme = { "x", "x" }, .reasons = { "x" }, .enqueue = say, .knobs = &knobs };
const struct weir_plugin weir_plugin = { WEIR_ABI, .mark = &ops };
END
"$weir" check --allow-plugins scenarios/incast.ini --marking "$dir/knobs.so" --set switch.tune=qla 2>&1 |
	grep -q "qla, but the marking scheme of a plug-in is not tuned$" || fail "knobs of a plug-in"
"$weir" check --allow-plugins scenarios/incast.ini --marking red --set "switch.tune=$dir/mine.so" 2>&1 |
	grep -q "mine.so: holds no agent, but a marking scheme (.mark)" || fail "a marking scheme is no agent"

# --- an object that is not whole: the loader would be killed by what is missing ---
build whole <examples/plugin/mine.c
size=$(stat -c %s "$dir/whole.so")
length=0
while [ $length -lt "$size" ]; do
	cases=$((cases + 1))
	head -c $length "$dir/whole.so" >"$dir/cut.so"
	"$weir" help "$dir/cut.so" >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] && grep -q "cut.so: cannot be loaded: " "$dir/err" || fail "cut off at $length of $size bytes"
	length=$((length + 149))
done
head -c $((size - 1)) "$dir/whole.so" >"$dir/cut.so"
"$weir" help "$dir/cut.so" 2>&1 | grep -q "cannot be loaded: the file is cut off: the section headers should be " ||
	fail "the last byte is missing"
mkfifo "$dir/pipe.so"
refused pipe "cannot be loaded: it is no regular file"
"$weir" check --allow-plugins scenarios/incast.ini --marking 'mine.so(high=3pkts)' 2>&1 |
	grep -q "'mine.so' looks like a plug-in, which is named by its path; write ./mine.so$" || fail "a plug-in without its path"

# --- answers that are none: named, not obeyed, and no result ---
# misled NAME MESSAGE OPTION...: the run ends with status 1 and one line.
misled() {
	name=$1
	message=$2
	shift 2
	cases=$((cases + 1))
	for threads in 1 2; do
		"$weir" run scenarios/priority.ini --set measure.to=12ms --threads $threads "$@" >"$dir/out" 2>"$dir/err"
		[ $? = 1 ] && [ ! -s "$dir/out" ] || fail "$name: status 1 and no result"
		[ "$(cat "$dir/err")" = "weir: $message" ] || fail "$name: expected: $message"
	done
}
# scheme NAME HOOKS: a marking scheme that does that.
scheme() {
	build "$1" <<END
#include <weir/plugin.h>
static uint32_t say(void *s, const void *p, const struct weir_mark_view *v) { return $2; }
static const struct weir_mark_ops ops = { .scheme = { "x", "x" }, .reasons = { "x" }, .$3 = say };
const struct weir_plugin weir_plugin = { WEIR_ABI, .mark = &ops };
END
}
none="which is no verdict; there are WEIR_MARK_PASS, WEIR_MARK_CE and WEIR_MARK_DROP, with reasons 0 to 3"
scheme three 3 enqueue
misled three "marking scheme $dir/three.so: its .enqueue returned 3, $none" --marking "$dir/three.so"
# The same where another process than the first has the switch: said once, and no result.
printf '[network]\ntopology = leaf-spine\nleaves = 2\nhosts-per-leaf = 2\nspines = 1\n[traffic x]\npattern = list\nflow = 2 3 1MB 0us\n' >"$dir/racks.ini"
"$weir" run "$dir/racks.ini" --ranks 2 --marking "$dir/three.so" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && [ ! -s "$dir/out" ] || fail "three on two ranks: status 1 and no result"
[ "$(cat "$dir/err")" = "weir: marking scheme $dir/three.so: its .enqueue returned 3, $none" ] || fail "three on two ranks: one line"
scheme wildreason 'WEIR_MARK_CE | weir_mark_reason(4)' dequeue
misled wildreason "marking scheme $dir/wildreason.so: its .dequeue returned 17, $none" --marking "$dir/wildreason.so"
scheme drops WEIR_MARK_DROP enqueue
"$weir" run scenarios/priority.ini --set measure.to=12ms --quiet --marking "$dir/drops.so" || fail "a drop is a verdict"
# picks NAME EXPRESSION: a scheduler that always picks that queue.
picks() {
	build "$1" <<END
#include <weir/plugin.h>
static uint32_t pick(void *s, const void *p, const struct weir_queue *q) { return $2; }
static const struct weir_sched_ops ops = { .scheme = { "x", "x" }, .pick = pick };
const struct weir_plugin weir_plugin = { WEIR_ABI, .sched = &ops };
END
}
picks emptyqueue 'q[0].pkts == 0 ? 0 : 1'
misled emptyqueue "scheduler $dir/emptyqueue.so picked queue 0, which is empty" --scheduler "$dir/emptyqueue.so"
picks noqueue 77
misled noqueue "scheduler $dir/noqueue.so picked queue 77; ports have 3" --scheduler "$dir/noqueue.so"

# One that goes on with a class that its neighbour has stopped.
build deaf <<'END'
#include <weir/plugin.h>
static uint32_t pick(void *s, const void *p, const struct weir_queue *q) { return q[0].pkts ? 0 : 1; }
static void halt(void *s, const void *p, uint32_t q) { }
static const struct weir_sched_ops ops = { .scheme = { "deaf", "x" }, .pick = pick, .halt = halt };
const struct weir_plugin weir_plugin = { WEIR_ABI, .sched = &ops };
END
cat >"$dir/pauses.ini" <<END
[network]
topology = dumbbell
left-hosts = 4
right-hosts = 2
rate = 10Gbps
fabric-rate = 40Gbps
delay = 1us
[switch]
buffer = 300KB
buffer-per = switch
lossless = 0
queues = 2
scheduler = $dir/deaf.so
[host]
cc = line-rate
[traffic stopped]
pattern = many-to-one
receiver = 5
senders = 4
size = unlimited
[traffic other]
pattern = many-to-one
receiver = 4
senders = 4
class = 1
size = unlimited
[measure]
to = 2ms
END
"$weir" run "$dir/pauses.ini" --set switch.scheduler=sp --quiet || fail "pauses.ini itself"
"$weir" run "$dir/pauses.ini" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && [ "$(tail -1 "$dir/err")" = "weir: scheduler $dir/deaf.so picked queue 0, which is paused" ] ||
	fail "a queue that is paused must not be served"

# --- wherever a built-in scheme can be named: a tier, a class, a section, a rate, a card, alone and beside others ---
build mine <examples/plugin/mine.c
cat >"$dir/places.ini" <<'END'
[network]
topology = leaf-spine
leaves = 2
spines = 1
hosts-per-leaf = 2
rate = 10Gbps
[switch]
queues = 2
scheduler = dwrr
marking = none
buffer = 300pkts
[host]
cc = dctcp
[traffic first]
pattern = many-to-one
receiver = 3
senders = 3
size = unlimited
[traffic second]
pattern = many-to-one
receiver = 3
senders = 3
class = 1
size = unlimited
[measure]
to = 3ms
END
# same DIGESTS: with ecn and with a plug-in that is ecn, both written as SCHEME in the settings, it is the same; the content of
# the object is part of what identifies the run.
same() {
	cases=$((cases + 1))
	expected=$1
	for scheme in 'ecn(k=20pkts)' "$dir/mine.so(high=20pkts, low=20pkts)"; do
		set --
		while IFS= read -r setting; do
			set -- "$@" --set "$(echo "$setting" | sed "s|SCHEME|$scheme|")"
		done <"$dir/settings"
		"$weir" run "$dir/places.ini" --quiet --json "$dir/places.json" "$@" >"$dir/out" 2>"$dir/err" || fail "places: $*"
		sed -n '/"metrics"/,$p' "$dir/places.json" | grep -v 'cpu_\|peak_rss\|"port\.' | sed "s|$dir/mine.so([^)]*)|SCHEME|g; s|ecn([^)]*)|SCHEME|g" \
			>"$dir/$(echo "$scheme" | sed 's|.*/||; s|(.*||').metrics"
	done
	[ "$(grep -c '"marks": [1-9]' "$dir/mine.so.metrics")" -ge 1 ] || fail "no marks: $(cat "$dir/settings")"
	for metric in queue_mean_pkts marks goodput_bps drops; do
		[ "$(grep "\"$metric\"" "$dir/ecn.metrics")" = "$(grep "\"$metric\"" "$dir/mine.so.metrics")" ] ||
			fail "$(cat "$dir/settings"): $metric differs"
	done
	digests=$(grep -o '"digest\.[^"]*"' "$dir/places.json" | tr -d '"' | tr '\n' ' ')
	[ "$digests" = "$expected " ] || fail "$(cat "$dir/settings"): digests $digests"
}
echo 'switch.marking.leaf=SCHEME' >"$dir/settings"
same digest.switch.marking.leaf
echo 'switch.marking.first=SCHEME' >"$dir/settings"
same digest.switch.marking.first
echo 'switch.marking.1=SCHEME' >"$dir/settings"
same digest.switch.marking.1
echo 'switch.marking.10Gbps=SCHEME' >"$dir/settings"
same digest.switch.marking.10Gbps
printf 'switch.marking=SCHEME\nswitch.marking.second=red\n' >"$dir/settings"
same digest.switch.marking
printf 'switch.marking.first=SCHEME\nswitch.marking.second=SCHEME\n' >"$dir/settings"
same 'digest.switch.marking.first digest.switch.marking.second'
printf 'host.nic=fifo(marking=SCHEME)\n' >"$dir/settings"
same digest.host.nic.marking
printf 'host.nic=fq(marking=SCHEME, limit=200pkts)\n' >"$dir/settings"
same digest.host.nic.marking
# Options of a part are keys, as those of a built-in scheme are.
"$weir" run "$dir/places.ini" --quiet --json - --set "switch.marking.leaf=$dir/mine.so" --set switch.marking.leaf.low=7pkts |
	grep -q "\"switch.marking.leaf\": \"$dir/mine.so(high=70pkts, low=7pkts)\"" || fail "an option of a part"
"$weir" check --allow-plugins "$dir/places.ini" --set "switch.marking.leaf=$dir/mine.so(lo=7pkts)" 2>&1 |
	grep -q "unknown option 'lo' of $dir/mine.so; it has high, low" || fail "an unknown option of a part"
# Answers that are none are seen there too.
for setting in "switch.marking.leaf=$dir/three.so" "switch.marking.first=$dir/three.so" "host.nic=fifo(marking=$dir/three.so)"; do
	"$weir" run "$dir/places.ini" --set "$setting" >"$dir/out" 2>"$dir/err"
	[ $? = 1 ] && [ "$(cat "$dir/err")" = "weir: marking scheme $dir/three.so: its .enqueue returned 3, $none" ] || fail "$setting"
	[ ! -s "$dir/out" ] || fail "$setting: no result"
done
"$weir" run "$dir/places.ini" --set "switch.marking.first=$dir/wildreason.so" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && [ "$(cat "$dir/err")" = "weir: marking scheme $dir/wildreason.so: its .dequeue returned 17, $none" ] || fail "a wild reason of a part"

# --- which are loaded at all ---
# Says on stderr that its code ran.
build loud <<'END'
#include <weir/plugin.h>
#include <unistd.h>
__attribute__((constructor)) static void run(void) { (void)!write(2, "its code ran\n", 13); }
static uint32_t say(void *s, const void *p, const struct weir_mark_view *v) { return WEIR_MARK_PASS; }
static void start(void *s, const void *p, const struct weir_cc_env *e)
{
	*(struct weir_cc_window *)s = (struct weir_cc_window){ 4 * e->mss_bytes, WEIR_CC_SSTHRESH_START };
}
static void ack(void *s, const void *p, const struct weir_cc_env *e, const struct weir_cc_ack *a) { }
static void cut(void *s, const void *p, const struct weir_cc_env *e, enum weir_cc_event v, const struct weir_cc_ack *a) { }
static uint32_t pick(void *s, const void *p, const struct weir_queue *q) { return q[0].pkts ? 0 : 1; }
static int make(struct weir_flow_builder *m, const void *p) { return m->add(m, &(struct weir_flow){ 0, 1, 10000, 0 }); }
static const struct weir_mark_ops mark = { .scheme = { "m", "x" }, .reasons = { "x" }, .enqueue = say };
static const struct weir_cc_ops cc = { .scheme = { "c", "x" }, .echo = WEIR_CC_ECHO_EXACT,
	.state_size = sizeof(struct weir_cc_window), .init = start, .ack = ack, .congestion = cut };
static const struct weir_sched_ops sched = { .scheme = { "s", "x" }, .pick = pick };
static const struct weir_traffic_ops traffic = { .scheme = { "t", "x" }, .generate = make };
const struct weir_plugin weir_plugin = { WEIR_ABI, .mark = &mark, .sched = &sched, .cc = &cc, .traffic = &traffic };
END
mkdir -p "$dir/own/deep" "$dir/own2" "$dir/elsewhere"
mv "$dir/loud.so" "$dir/elsewhere/loud.so"
cp "$dir/elsewhere/loud.so" "$dir/own/deep/loud.so"
cp "$dir/elsewhere/loud.so" "$dir/own2/loud.so"
ln -s ../elsewhere/loud.so "$dir/own/link.so"
ln -s ../elsewhere "$dir/own/linked"
ln -s ../own/stranger.ini "$dir/elsewhere/linked.ini"
ln -s ../own "$dir/elsewhere/inside"

# stranger SECTION LINE [SECTION LINE...]: a scenario file in own/ with these lines in its sections.
stranger() {
	{
		for section in network switch host 'traffic x' sweep 'case a' 'case b'; do
			echo "[$section]"
			case $section in
			network) echo 'topology = star' && echo 'hosts = 3' ;;
			'traffic x') case "$*" in *pattern*) ;; *) echo 'pattern = many-to-one' && echo 'size = 10KB' ;; esac ;;
			esac
			while [ $# -gt 0 ] && [ "$1" = "$section" ]; do
				echo "$2"
				shift 2
			done
		done
	} | awk '/^\[(sweep|case)/ { head = $0; next } head { if (!/^\[/) print head; head = "" } { print }' >"$dir/own/stranger.ini"
}
# ran COMMAND...: its code ran; silent COMMAND...: it did not.
ran() {
	cases=$((cases + 1))
	(cd "$dir" && "$weir" "$@") >"$dir/out" 2>"$dir/err" || fail "$*: status $?"
	grep -q "its code ran" "$dir/err" || fail "$*: must load the plug-in"
}
silent() {
	cases=$((cases + 1))
	(cd "$dir" && "$weir" "$@") >"$dir/out" 2>"$dir/err"
	status=$?
	! grep -q "its code ran" "$dir/err" "$dir/out" || fail "$*: must not run its code"
}
# refuses COMMAND...: its code does not run, and one line says how it would.
refuses() {
	silent "$@"
	[ $status = 2 ] && [ "$(wc -l <"$dir/err")" = 1 ] && grep -q "so: not loaded: a plug-in is code, and .*/loud.so does \
not lie in the folder of the file that names it; --allow-plugins (weir_sim_allow_plugins) loads it, " "$dir/err" || fail "$*: status $status"
}

for place in elsewhere/loud.so own/link.so own/linked/loud.so own/../elsewhere/loud.so own2/loud.so own/deep/../../own2/loud.so; do
	stranger switch "marking = ./$place"
	refuses run own/stranger.ini --quiet
	silent check own/stranger.ini
	[ $status = 0 ] || fail "check of $place: status $status"
	ran run own/stranger.ini --quiet --allow-plugins
done
stranger switch "marking = $dir/elsewhere/loud.so"
refuses run own/stranger.ini --quiet
for place in ./own/deep/loud.so "$dir/own/deep/loud.so" ./elsewhere/inside/deep/loud.so ./elsewhere/../own/deep/loud.so; do
	stranger switch "marking = $place"
	ran run own/stranger.ini --quiet
	ran run elsewhere/linked.ini --quiet # the file's own folder is where it is, and not where a link to it is
	silent check own/stranger.ini
	[ $status = 0 ] && grep -q "^plug-in, not loaded: $place$" "$dir/out" && grep -q "keys and values are fine; .* \
--allow-plugins checks everything" "$dir/out" || fail "check must say what it did not look into"
	ran check own/stranger.ini --allow-plugins
	grep -q "stranger.ini: fine$" "$dir/out" || fail "check with --allow-plugins checks everything"
done
# What check does not load it looks at, and all else it checks.
for text in 'size = 10KBB' 'start = 5' 'clas = 1'; do
	stranger switch "marking = ./own/deep/loud.so" 'traffic x' "$text"
	silent check own/stranger.ini
	[ $status = 2 ] && grep -q "stranger.ini:[0-9]*: traffic.x." "$dir/err" || fail "check must find $text"
done
stranger switch "marking = ./own/deep/none.so"
silent check own/stranger.ini
[ $status = 2 ] && grep -q "none.so: cannot be loaded: cannot open shared object file: No such file" "$dir/err" || fail "no object"
cp "$dir/empty.so" "$dir/stale.so" "$dir/own/deep/"
stranger switch "marking = ./own/deep/empty.so"
silent check own/stranger.ini
[ $status = 2 ] && grep -q "empty.so: exports no weir_plugin" "$dir/err" || fail "check sees that there is no plug-in"
stranger switch "marking = ./own/deep/stale.so"
silent check own/stranger.ini
[ $status = 2 ] && grep -q "stale.so: was built for another Weir" "$dir/err" || fail "check sees the ABI"

# Wherever a file can name one.
for place in 'switch@scheduler = LOUD' 'host@cc = LOUD' 'traffic x@cc = LOUD' 'traffic x@pattern = LOUD' \
	'sweep@switch.marking = none, LOUD' 'case a@switch.marking = LOUD' \
	'switch@marking.10Gbps = LOUD' 'host@nic = fifo(marking=LOUD)' 'switch@tune = LOUD'; do
	stranger "${place%%@*}" "$(echo "${place#*@}" | sed 's|LOUD|./elsewhere/loud.so|')"
	refuses run own/stranger.ini --quiet --out "$dir/refused.results"
	silent choose own/stranger.ini --goal fct_mean --over network.rate=1Gbps..10Gbps --out "$dir/refused.results"
	silent submit own/stranger.ini --slurm --out "$dir/refused.results"
	silent check own/stranger.ini
	case $place in
	*tune*) continue ;;
	esac
	stranger "${place%%@*}" "$(echo "${place#*@}" | sed 's|LOUD|./own/deep/loud.so|')"
	silent check own/stranger.ini
	[ $status = 0 ] || fail "check of $place: status $status"
	ran run own/stranger.ini --quiet --out "$dir/ran.results"
	for command in table report 'export --csv' prune; do
		silent $command "$dir/ran.results"
	done
	rm -rf "$dir/ran.results"
done
# What the user types needs no permission, from anywhere.
stranger switch 'queues = 1'
ran run own/stranger.ini --quiet --marking ./elsewhere/loud.so
ran run own/stranger.ini --quiet --set 'host.cc=./elsewhere/loud.so'
ran run own/stranger.ini --quiet --set 'sweep.switch.marking=none, ./elsewhere/loud.so' --out "$dir/ran.results"
silent check own/stranger.ini --marking ./elsewhere/loud.so
ran help ./elsewhere/loud.so

# --- one that crashes is named ---
# crashes NAME CODE: a marking scheme that does that at its hundredth packet.
crashes() {
	cases=$((cases + 1))
	build "$1" <<END
#include <weir/plugin.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static int calls;
static volatile int zero;
static char *volatile nowhere;
static uint32_t see(void *s, const void *p, const struct weir_mark_view *v)
{
	if (++calls == 100) { $2; }
	return WEIR_MARK_PASS;
}
static const struct weir_mark_ops ops = { .scheme = { "x", "x" }, .reasons = { "x" }, .enqueue = see };
const struct weir_plugin weir_plugin = { WEIR_ABI, .mark = &ops };
END
	(cd "$dir" && "$weir" run "$top/scenarios/incast.ini" --marking "./$1.so"; exit $?) >"$dir/out" 2>"$dir/err"
	[ $? -gt 128 ] || fail "$1: a signal must end it"
	grep -qx "weir: crashed in plug-in $(realpath "$dir")/$1.so" "$dir/err" || fail "$1 must be named"
}
# A sanitizer has handlers of its own, which stay.
if ! nm -D "$weir" 2>/dev/null | grep -q __asan_init; then
	crashes segv '*nowhere = 1'
	crashes arithmetic 'raise(SIGFPE)'
	crashes abort 'abort()'
	crashes library 'memset(nowhere, 1, 1000 + zero)'
	crashes jump '((void (*)(void))nowhere)()'
else
	echo "left out: crashes in plug-ins: a sanitizer has signal handlers of its own"
fi

# --- a traffic pattern: its flows are those of a list, and its options are keys of its section ---
build stride <examples/plugin/stride.c
# scenario PATTERN KEY...: six hosts on a switch.
scenario() {
	printf '[network]\ntopology = star\nhosts = 6\n[traffic x]\npattern = %s\n' "$1"
	shift
	for key in "$@"; do
		echo "$key"
	done
}
scenario "$dir/stride.so" "stride = 2" "size = 1MB" "start = 5us" >"$dir/stride.ini"
scenario list "flow = 0 2 1MB 5us" "flow = 1 3 1MB 5us" "flow = 2 4 1MB 5us" "flow = 3 5 1MB 5us" \
	"flow = 4 0 1MB 5us" "flow = 5 1 1MB 5us" >"$dir/list.ini"
for name in stride list; do
	"$weir" run "$dir/$name.ini" --quiet --json - | sed -n '/"metrics"/,$p' | grep -v 'cpu_\|peak_rss' >"$dir/$name.json"
done
[ "$(wc -l <"$dir/list.json")" -gt 30 ] && cmp "$dir/stride.json" "$dir/list.json" || fail "stride is the list of its flows"
"$weir" run "$dir/stride.ini" --quiet --json - | grep -q '"traffic.x.stride": "2"' || fail "its keys are settings"
"$weir" run "$dir/stride.ini" --quiet --json - | grep -q '"digest.traffic.x.pattern": "' || fail "so is what is in it"
"$weir" help "$dir/stride.so" >"$dir/out" && grep -qx "stride (traffic)" "$dir/out" &&
	grep -q "  stride = whole number, 1 to 1000000 (default 1)" "$dir/out" || fail "help on a pattern"
# said FILE MESSAGE: check refuses the scenario with that message.
said() {
	cases=$((cases + 1))
	"$weir" check --allow-plugins "$dir/$1" >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] && [ "$(cat "$dir/err")" = "weir: $dir/$1$2" ] || fail "$1: expected: $2"
}
scenario "$dir/stride.so" "strid = 2" >"$dir/key.ini"
said key.ini ":6: traffic.x.strid: unknown key 'strid'; there are pattern, cc, start, class, classes, class-by, \
ack-class, first-bytes, first-class, dscp, first-dscp, ack-dscp, slack, slack-per-kb, connections, connections-per-pair, stride, size (nearest: stride)"
scenario "$dir/stride.so" "load = 0.5" >"$dir/other.ini"
said other.ini ":6: traffic.x.load: pattern $dir/stride.so has no such key, only all-to-all, all-to-one, inter-rack or \
incast has; allowed are pattern, cc, start, class, classes, class-by, ack-class, first-bytes, first-class, dscp, first-dscp, ack-dscp, slack, \
slack-per-kb, connections, connections-per-pair, stride or size"
scenario "$dir/stride.so" "stride = 6" >"$dir/back.ini"
said back.ini ":5: traffic.x.pattern: $dir/stride.so: stride leads every host back to itself"
scenario "$dir/stride.so(stride=2)" >"$dir/spec.ini"
said spec.ini ":5: traffic.x.pattern: '$dir/stride.so(stride=2)'; options of a pattern are keys of its section"
scenario stride.so >"$dir/bare.ini"
said bare.ini ":5: traffic.x.pattern: 'stride.so' looks like a plug-in, which is named by its path; write ./stride.so"
scenario "$dir/both.so" >"$dir/kind.ini"
said kind.ini ":5: traffic.x.pattern: $dir/both.so: holds no traffic pattern, but a scheduler (.sched)"
# A key may be called as one of a built-in pattern and mean something else.
sed 's/"stride", WEIR_OPT_COUNT/"load", WEIR_OPT_COUNT/' examples/plugin/stride.c | build renamed
scenario "$dir/renamed.so" "load = 3" >"$dir/renamed.ini"
"$weir" check --allow-plugins "$dir/renamed.ini" >"$dir/out" 2>"$dir/err" || fail "a key called load"

# makes NAME CODE MESSAGE: a pattern that does that.
makes() {
	build "$1" <<END
#include <weir/plugin.h>
static int make(struct weir_flow_builder *m, const void *p)
{
	struct weir_flow f = { 0, 1, 1000, 0 };

	$2;
}
static const struct weir_traffic_ops ops = { .scheme = { "x", "x" }, .generate = make };
const struct weir_plugin weir_plugin = { WEIR_ABI, .traffic = &ops };
END
	scenario "$dir/$1.so" >"$dir/$1.ini"
	said "$1.ini" ":5: traffic.x.pattern: $dir/$1.so$3"
}
makes nohost 'f.dst = 6; return m->add(m, &f)' ": a flow from host 0 to 6; hosts are 0 to 5"
makes itself 'f.dst = 0; return m->add(m, &f)' ": a flow from host 0 to itself"
makes nosize 'f.size_bytes = 0; return m->add(m, &f)' \
	": a flow of 0 bytes; allowed are 1 to 1000000000000 and WEIR_FLOW_UNLIMITED"
makes before 'f.start_ps = -1; return m->add(m, &f)' ": a flow that starts at -1 ps; allowed are 0 to 1000000000000000"
makes endless 'f.size_bytes = WEIR_FLOW_UNLIMITED; return m->add(m, &f)' \
	": an unlimited flow never ends; give stop or measure.to"
makes idle 'return 0' " adds no flow"
makes silent 'return -1' ": it failed and does not say why"
makes careless 'f.dst = 9; m->add(m, &f); f.dst = 1; m->add(m, &f); return 0' \
	": a flow from host 0 to 9; hosts are 0 to 5"
makes knows 'return weir_error_set(m->error, "%u hosts, %llu b/s, from %lld, until %lld", m->hosts, m->rate_bps(m, 5),
	m->start_first_ps, m->end_ps)' ": 6 hosts, 10000000000 b/s, from 0, until 0"
build hookless <<'END'
#include <weir/plugin.h>
static const struct weir_traffic_ops ops = { .scheme = { "x", "x" } };
const struct weir_plugin weir_plugin = { WEIR_ABI, .traffic = &ops };
END
refused hookless "x: the hook .generate is missing"
sed 's/"stride", WEIR_OPT_COUNT/"start", WEIR_OPT_COUNT/' examples/plugin/stride.c | build common
refused common "stride: option start: every section has a key of that name"

# --- the guide ---
mkdir "$dir/guide"
for name in include examples scenarios; do
	ln -s "$top/$name" "$dir/guide/$name"
done
ln -s "$weir" "$dir/guide/weir"
sed -n '/^```ini$/,/^```$/p' docs/manual/13-extending.md | sed '/^```/d' >"$dir/guide/compare.ini"
sed -n '/^```sh$/,/^```$/p' docs/manual/13-extending.md | sed '/^```/d' >"$dir/commands"
[ "$(wc -l <"$dir/commands")" -ge 9 ] || fail "the guide has commands"
cd "$dir/guide" || exit 1
while read -r command; do
	cases=$((cases + 1))
	eval "$command" >"$dir/out" 2>"$dir/err" </dev/null || fail "docs/manual/13-extending.md: $command"
done <"$dir/commands"
grep -q mine.so results/report.html || fail "the report must show the scheme"
sed -i 's/s->marking = 0/s->marking = 1/' my-scheme/mine.c
eval "$(grep '^cc ' "$dir/commands")" || fail "the guide's build"
./weir run compare.ini --out results >"$dir/out" 2>"$dir/err" || fail "the comparison again"
grep -q '2 runs to do, 10 already stored' "$dir/err" || fail "only the runs of the changed scheme are made anew"
echo "$cases cases"
