# SPDX-License-Identifier: BSD-3-Clause
# Models: a scheme with a network works with the one that its option names, and a run says which it was; what
# is no model, or another scheme's, is refused with the place in the scenario; "weir model" shows what is in a
# file, and a program in another language reads the same. A plug-in stands for the scheme.
set -u
weir=$(realpath "${WEIR:-./weir}")
top=$(pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

fail() {
	echo "$1"
	cat out err 2>/dev/null
	exit 1
}

# --- model FILE SCHEME INPUTS SEED: a file of two actions, made with the library ---
cat >model.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <weir/error.h>
#include <weir/learn.h>

int main(int count, char **words)
{
	struct weir_learn_text texts[] = { { WEIR_LEARN_SCHEME, words[2] }, { WEIR_LEARN_ACTIONS, "go; stop" },
		{ WEIR_LEARN_COMMAND, "weir train \"mind\"" }, { WEIR_LEARN_SEED, words[4] } };
	struct weir_learn_stack stack = { .inputs = (unsigned)atoi(words[3]), .outputs = 2, .hidden = { 4 } };
	struct weir_learn_plan plan = weir_learn_plan_stack(&stack);
	struct weir_learn_model model = { .texts = texts, .text_count = 4 };
	struct weir_learn_draw draw = { (unsigned)atoi(words[4]), 0, 0 };
	struct weir_learn_net net;
	struct weir_error e;
	FILE *f = fopen(words[1], "wb");

	if (count != 5 || !f || weir_learn_net_init(&net, &plan, &e))
		return 1;
	float *weights = aligned_alloc(64, (net.weight_floats * 4 / 64 + 1) * 64);
	model.net = &net;
	model.weights = weights;
	weir_learn_net_init_weights(&net, WEIR_LEARN_HE_UNIFORM, draw, weights);
	uint8_t *bytes = malloc(weir_learn_model_size(&model));
	if (weir_learn_model_encode(&model, bytes, &e))
		return 1;
	return fwrite(bytes, 1, weir_learn_model_size(&model), f) ? fclose(f) : 1;
}
C
gcc -std=c11 -Wall -Wextra -Werror -I"$top/include" -o model model.c "$top/build/release/libweir.a" -lm || fail model.c
./model one.model mind 3 1 && ./model two.model mind 3 2 && ./model wide.model mind 5 1 && ./model other.model body 3 1 ||
	fail "no models"

# --- the scheme ---
cat >mind.c <<'C'
#include <weir/plugin.h>
#include <string.h>

struct params {
	char model[WEIR_OPT_TEXT_SIZE];
	const struct weir_learn_policy *policy;
};

static const struct weir_option options[] = {
	{ "model", WEIR_OPT_TEXT, offsetof(struct params, model), "", 0, 0, "its network", NULL },
	{ .name = NULL },
};

static int fits(const void *params, const struct weir_learn_policy *policy, struct weir_error *e)
{
	(void)params;
	if (strcmp(policy->scheme, "mind") != 0)
		return weir_error_set(e, "is of scheme %s, not mind", policy->scheme);
	return policy->net->plan.current_size == 3 ? 0 : weir_error_set(e, "has not 3 inputs");
}

static const struct weir_scheme_model own = { offsetof(struct params, model), offsetof(struct params, policy), NULL, fits, NULL };

/* The sign of a weight decides, so that another model gives another result. */
static uint32_t enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct params *p = params;

	(void)state;
	return p->policy && v->queue_pkts > (p->policy->weights[0] < 0 ? 5 : 50) ? WEIR_MARK_CE : WEIR_MARK_PASS;
}

static const struct weir_mark_ops mind = {
	.scheme = { .name = "mind", .help = "marks as its network says", .params_size = sizeof(struct params),
		    .options = options, .model = &own },
	.reasons = { "mind" },
	.enqueue = enqueue,
};

static void init(void *state, const void *params, uint32_t mtu_bytes, struct weir_tune_knobs *knobs)
{
	(void)state, (void)params, (void)mtu_bytes, (void)knobs;
}

static void step(void *state, const void *params, const struct weir_tune_telemetry *t, struct weir_tune_knobs *knobs)
{
	(void)state, (void)params, (void)t, (void)knobs;
}

static const struct weir_tune_ops tuner = {
	.scheme = { .name = "mind", .help = "turns as its network says", .params_size = sizeof(struct params),
		    .options = options, .model = &own },
	.init = init,
	.step = step,
};

const struct weir_plugin weir_plugin = { WEIR_ABI, .mark = &mind, .tune = &tuner };
C
build() {
	gcc -std=c11 -Wall -Wextra -Werror -shared -fPIC -I"$top/include" "$1.c" -o "$1.so" || fail "$1.c"
}
build mind

cat >mine.ini <<'INI'
# What does the network do?
[network]
topology = star
hosts = 3
[switch]
marking = ./mind.so(model=one.model)
[traffic bulk]
pattern = many-to-one
size = 200KB
INI

# --- a run says which model it was ---
"$weir" run mine.ini >out 2>err || fail "a run with a model"
content=$("$weir" model one.model | sed -n 's/^  content *//p')
[ "${#content}" = 16 ] || fail "no digest in 'weir model'"
grep -q -x "model of switch.marking: one.model, digest $content" out || fail "the table names no model"
"$weir" run mine.ini --quiet --json - >out 2>err || fail "JSON of a run"
grep -q "\"switch.marking\": *\"./mind.so(model=one.model)\"" out || fail "the settings name no model"
grep -q "\"digest.switch.marking\": *\"[0-9a-f]* $content\"" out || fail "no digest of the model"
"$weir" run mine.ini --marking red --set 'switch.tune=./mind.so(model=two.model)' --set switch.tune-interval=10us >out 2>err ||
	fail "a tuner with a model"
grep -q "^model of switch.tune: two.model, digest" out || fail "the table does not name the tuner's model"
"$weir" run mine.ini --marking ./mind.so >out 2>err || fail "a scheme without a model"
! grep -q "^model of" out || fail "a model from nowhere"

# --- another content is another run, the same is not ---
new_runs() {
	"$weir" run mine.ini --out results >out 2>err || fail "$1"
	grep -q "$2 of them new" out || fail "$1: not $2 new runs"
}
echo '[sweep]
seed = 1' >>mine.ini
new_runs "the first run" 1
new_runs "the same model" 0
cp one.model kept && cp two.model one.model
new_runs "another content" 1
cp kept one.model
new_runs "the first content again" 0

# --- refusals: the place in the scenario, one line, status 2 ---
# refused MODEL MESSAGE
refused() {
	sed -i "s|^marking = .*|marking = ./mind.so(model=$1)|" mine.ini
	"$weir" run mine.ini >out 2>err
	[ $? = 2 ] && [ ! -s out ] || fail "$1: status 2 and no output"
	[ "$(cat err)" = "weir: mine.ini:6: switch.marking: mind: $2" ] || fail "$1: expected: $2"
}
head -c 100 one.model >cut.model
{ head -c -4 one.model && printf '\0\0\300\177'; } >nan.model
refused nothing.model "model 'nothing.model': cannot be read: No such file or directory"
refused . "model '.': cannot be read: Is a directory"
refused cut.model "model 'cut.model': a header of $(od -An -tu4 -N4 one.model | tr -d ' ') bytes in a file of 100"
refused nan.model "model 'nan.model': tensor '1.bias' has a number that is not finite at [1, 0]"
refused other.model "model 'other.model': is of scheme body, not mind"
refused wide.model "model 'wide.model': has not 3 inputs"
"$weir" run mine.ini --marking './mind.so(model=nothing)' >out 2>err && fail "an unknown model"
grep -q "unknown model 'nothing'; .*; a file's name has a slash or a dot$" err || fail "of an unknown model"

# --- what a plug-in may declare ---
# bad NAME EDIT MESSAGE
bad() {
	sed "$2" mind.c >"$1.c"
	gcc -std=c11 -w -shared -fPIC -I"$top/include" "$1.c" -o "$1.so" || fail "$1.c"
	"$weir" help "./$1.so" >out 2>err
	[ $? = 2 ] && [ "$(cat err)" = "weir: ./$1.so: mind: $3" ] || fail "$1.so: expected: $3"
}
bad nameless 's/own = { offsetof(struct params, model)/own = { 8/' "model: at name_offset 8 is no option of WEIR_OPT_TEXT"
bad outside 's/offsetof(struct params, policy), NULL/4096, NULL/' "model: policy_offset 4096 is no place in params_size 264"
bad inside 's/offsetof(struct params, policy), NULL/16, NULL/' "model: policy_offset 16 is in option model"
bad unfit 's/NULL, fits, NULL }/NULL, NULL, NULL }/' "model: the hook .fits is missing"
bad nowhere 's/.model = &own/.model = (const void *)8/' ".model is no struct weir_scheme_model"

# --- weir model, and what another program reads ---
"$weir" model one.model >out 2>err || fail "weir model"
cat >expected <<TEXT
one.model
  layers     sequence 0; current 3; dense 4 relu < current; dense 2 linear < 0
  scheme     mind
  actions    go; stop
  command    weir train "mind"
  seed       1
  weights    26
  bytes      $(wc -c <one.model)
  content    $content
TEXT
diff expected out || fail "weir model"
"$weir" model one.mod >out 2>err
[ $? = 2 ] || fail "weir model of no file"
# Every model that is shipped, too.
if python3 -c '' 2>/dev/null; then
	for file in one.model "$top"/models/*.model; do
		[ -e "$file" ] || continue
		"$weir" model "$file" --json >out 2>err || fail "weir model $file --json"
		python3 - "$file" out <<'PY' || fail "python reads another $file"
import json, math, struct, sys
data = open(sys.argv[1], "rb").read()
shown = json.load(open(sys.argv[2]))
length, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + length])
texts = header.pop("__metadata__")
numbers = struct.unpack("<%df" % ((len(data) - 8 - length) // 4), data[8 + length:])
assert texts == shown["texts"], (texts, shown["texts"])
assert shown["weights"] == len(numbers) == sum(math.prod(t["shape"]) for t in header.values())
assert shown["bytes"] == len(data) and all(map(math.isfinite, numbers))
PY
	done
fi
# Those that are shipped are those that are built in.
for file in "$top"/models/*.model; do
	[ -e "$file" ] || continue
	name=${file##*/}
	name=${name%.model}
	[ "$("$weir" model "$name" | tail -n +2)" = "$("$weir" model "$file" | tail -n +2)" ] || fail "$name: is not $file"
	"$weir" list model | grep -q "^  $name " || fail "$name: is not in the list"
	grep -q "^| *\`*$name\`* " "$top/models/README.md" || fail "$name: models/README.md does not say where it is from"
done
