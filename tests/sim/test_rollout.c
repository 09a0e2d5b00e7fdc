/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rollout.c -- networks that control flows in a run, and runs for the sake of learning: what
 * is recorded, and that it does not depend on threads. */
#include "lib/cc/learned.h"
#include "config/model.h"
#include "sim/measure/decision_log.h"
#include "tests/learn_fixture.h"
#include "tests/sim.h"

enum { FLOWS = 6, ROWS = 256 };

/* Six flows of 400 KB through one line of 100 Gb/s. */
static void read_dumbbell(struct sim *s, const char *cc)
{
	sim_read(s,
		 "[network]\ntopology = dumbbell\nleft-hosts = %d\nright-hosts = 1\n"
		 "rate = 100Gbps\ndelay = 150ns\n"
		 "[switch]\nmarking = none\nbuffer = 8MiB\nbuffer-per = switch\nlossless = all\n"
		 "[host]\ncc = %s\n[rdma]\nint-header = 70B\nint-flows = exact\n"
		 "[traffic x]\npattern = many-to-one\nreceiver = %d\nsize = 400KB\n"
		 "start = 0us..20us\n[measure]\nport = left->right\n",
		 FLOWS, cc, FLOWS);
}

static void run_rollout(struct sim *s, uint32_t threads, const struct weir_cc_rollout *rollout)
{
	const struct run_control control = { .threads = threads, .rollout = rollout };
	struct weir_error e = { "" };

	run_result_free(&s->r);
	if (run(&s->c, &control, &s->r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void check_same_rows(const struct decision_log *a, const struct decision_log *b)
{
	size_t bytes = offsetof(struct weir_cc_decision, signal) + sizeof(float);

	for (uint32_t f = 0; f < FLOWS; f++) {
		CHECK_INT(a->counts[f], b->counts[f]);
		for (uint32_t i = 0; i < a->counts[f]; i++)
			CHECK(memcmp(decision_log_rows(a, f) + i, decision_log_rows(b, f) + i,
				     bytes) == 0);
	}
}

static void check_threads(const char *cc)
{
	struct decision_log one, more;
	struct weir_cc_rollout rollout = {
		.record = decision_log_add, .context = &one, .seed = 4, .deviation = 0.1F
	};
	struct run_result alone;
	struct sim s;

	decision_log_new(&one, FLOWS, ROWS);
	decision_log_new(&more, FLOWS, ROWS);
	read_dumbbell(&s, cc);
	run_rollout(&s, 1, &rollout);
	alone = s.r;
	memset(&s.r, 0, sizeof(s.r));
	rollout.context = &more;
	for (uint32_t threads = 2; threads <= 3; threads++) {
		decision_log_clear(&more);
		run_rollout(&s, threads, &rollout);
		sim_check_same(&alone, &s.r);
		check_same_rows(&one, &more);
	}
	for (uint32_t f = 0; f < FLOWS; f++)
		CHECK(one.counts[f] > 20);
	run_result_free(&alone);
	sim_end(&s);
	decision_log_free(&one);
	decision_log_free(&more);
}

TEST(test_decisions_and_results_do_not_depend_on_threads)
{
	check_threads("fdcc(policy=untrained)");
	check_threads("rl-cc(policy=untrained)");
}

/* With window-only nothing is left to chance: all six send from 20 us on, each has a sixth of the
 * line, and of the time that the queue needs to fill nothing is left in the later rows. Payload is
 * 1000 of 1118 bytes. */
TEST(test_rows_hold_what_rewards_are_made_of)
{
	struct decision_log log;
	const struct weir_cc_rollout rollout = { .record = decision_log_add, .context = &log };
	struct sim s;

	decision_log_new(&log, FLOWS, ROWS);
	read_dumbbell(&s, "fdcc(policy=window-only)");
	run_rollout(&s, 1, &rollout);
	for (uint32_t f = 0; f < FLOWS; f++) {
		const struct weir_cc_decision *d = decision_log_rows(&log, f);
		uint32_t i = log.counts[f] / 2;
		double throughput = 0;

		CHECK(log.counts[f] > 10);
		CHECK_INT(d[0].number, 0);
		CHECK_NEAR(d[0].switch_rate, 0, 0);
		CHECK_INT(d[i].flow, f);
		CHECK_INT(d[i].number, i);
		CHECK(d[i].now_ns > d[i - 1].now_ns);
		CHECK_NEAR(d[i].flows, FLOWS, 0);
		for (uint32_t k = 0; k < 8; k++) /* a few whole packets each */
			throughput += d[i + k - 4].throughput / 8;
		CHECK_NEAR(throughput, 1000.0 / 1118 / FLOWS, 0.015);
		CHECK_NEAR(d[i].switch_rate, 1, 0.01);
		CHECK_NEAR(d[i].queue, d[i].rtt - 1, 0.3); /* what waits is what is late */
		CHECK(d[i].queue > 4);
	}
	sim_end(&s);
	decision_log_free(&log);
}

/* --- built-in networks before their training --- */

struct start {
	const char *name, *scheme;
	struct weir_learn_stack stack;
	enum weir_learn_init_method how;
};

static const struct start starts[] = {
	{ "fdcc-untrained",
	  "fdcc",
	  { .inputs = 32, .outputs = 1, .hidden = { 64, 64 }, .output = WEIR_LEARN_TANH },
	  WEIR_LEARN_HE_UNIFORM },
	{ "rl-cc-untrained",
	  "rl-cc",
	  { .inputs = 4,
	    .outputs = 1,
	    .hidden = { 12, 12 },
	    .lstm_units = 12,
	    .output = WEIR_LEARN_TANH,
	    .bias = WEIR_LEARN_NO_BIAS },
	  WEIR_LEARN_ORTHOGONAL },
	{ "rl-cc-mlp-untrained",
	  "rl-cc",
	  { .inputs = 4,
	    .outputs = 1,
	    .hidden = { 12, 12 },
	    .output = WEIR_LEARN_TANH,
	    .bias = WEIR_LEARN_NO_BIAS },
	  WEIR_LEARN_ORTHOGONAL },
};

/* The file of models/, made anew: first weights from seed 1, and no text on features or actions, of
 * which it knows nothing. */
static struct weir_learn_bytes start_encode(const struct start *s)
{
	const struct weir_learn_text texts[] = {
		{ WEIR_LEARN_SCHEME, s->scheme },
		{ WEIR_LEARN_COMMAND, "none: first weights" },
		{ WEIR_LEARN_SEED, "1" },
		{ WEIR_LEARN_VERSION, "0.2.0" },
	};
	struct weir_learn_plan plan = weir_learn_plan_stack(&s->stack);
	struct weir_error e = { "" };
	struct learn_fixture d;
	uint8_t *bytes;
	size_t size;

	fixture_open(&d, &plan, 1, 1);
	weir_learn_net_init_weights(&d.net, s->how, (struct weir_learn_draw){ 1, 0, 0 }, d.weights);

	const struct weir_learn_model model = { &d.net, d.weights, texts, 4 };

	size = weir_learn_model_size(&model);
	bytes = malloc(size);
	CHECK(bytes != NULL);
	if (weir_learn_model_encode(&model, bytes, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	fixture_close(&d);
	return (struct weir_learn_bytes){ bytes, size };
}

TEST(test_untrained_networks_are_first_weights_from_seed_1)
{
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct weir_learn_bytes made = start_encode(&starts[i]);
		struct weir_error e = { "" };
		const struct model *m = model_load(model_files, starts[i].name, &e);

		CHECK_STR(e.text, "");
		CHECK_INT(m->bytes.size, made.size);
		CHECK(memcmp(m->bytes.data, made.data, made.size) == 0);
		free((void *)made.data);
	}
}

/* Everything arrives, and what a network of first weights says is neither nothing nor always the
 * same. */
TEST(test_untrained_networks_control_flows)
{
	static const char *const specs[] = { "fdcc(policy=untrained)",
					     "fdcc(policy=untrained, preset=thesis)",
					     "rl-cc(policy=untrained)",
					     "rl-cc(policy=untrained, rnn=none)" };
	struct decision_log log;
	const struct weir_cc_rollout rollout = { .record = decision_log_add, .context = &log };
	struct sim s;

	decision_log_new(&log, FLOWS, ROWS);
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		const struct weir_cc_decision *d = decision_log_rows(&log, 0);

		decision_log_clear(&log);
		read_dumbbell(&s, specs[i]);
		run_rollout(&s, 1, &rollout);
		CHECK_INT(sim_metric(&s, "flows_completed"), FLOWS);
		CHECK(d[5].action != 0);
		CHECK(d[5].action != d[0].action);
		sim_end(&s);
	}
	decision_log_free(&log);
}
