/* SPDX-License-Identifier: BSD-3-Clause */
/* test_acc.c -- ACC as an agent: what it chooses, what it never does, and which settings and models
 * it takes. */
#include "lib/agent/acc.h"
#include "tests/agent_fixture.h"

static void random_telemetry(struct agent_fixture *d, uint64_t round)
{
	for (uint32_t i = 0; i < d->env.queue_count; i++) {
		struct weir_tune_telemetry *t = &d->telemetry[i];
		struct weir_learn_draw at = { 7, i, 4 * round };

		t->out_bytes = weir_learn_bits(at) % 312500;
		at.counter++;
		t->queue_mean_bytes = t->queue_end_bytes = weir_learn_bits(at) % 3000000;
		at.counter++;
		t->ce_bytes = weir_learn_bits(at) % (t->out_bytes + 1);
	}
}

static uint32_t best_of(const float *values, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (values[i] > values[best])
			best = i;
	return best;
}

/* --- decisions --- */

/* Another agent of the same seed says what is seen; the network is asked by hand. */
static void check_greedy(const char *spec)
{
	enum { QUEUES = 4 };
	struct agent_fixture d, eyes;
	struct learn_fixture net;
	float seen[QUEUES * 36], rewards[QUEUES];
	uint8_t asks[QUEUES];
	struct weir_learn_plan plan;

	agent_fixture_open(&d, spec, QUEUES);
	agent_fixture_open(&eyes, spec, QUEUES);
	plan = weir_acc_plan((const struct acc_params *)(const void *)d.params);
	fixture_open(&net, &plan, 1, 0);
	weir_learn_net_init_weights(&net.net, WEIR_LEARN_HE_UNIFORM,
				    (struct weir_learn_draw){ d.env.seed, ACC_LEARNER, 0 },
				    net.weights);
	for (uint64_t round = 0; round < 50; round++) {
		uint32_t actions[QUEUES] = { 0 };

		random_telemetry(&d, round);
		memcpy(eyes.telemetry, d.telemetry, sizeof(d.telemetry));
		agent_fixture_step(&d);
		eyes.ops->learner->observe(eyes.state, eyes.params, &eyes.env, eyes.telemetry, seen,
					   rewards, asks);
		for (uint32_t i = 0; i < QUEUES; i++) {
			struct weir_learn_batch one = {
				.samples = 1,
				.current = seen + i * net.net.plan.current_size,
			};

			if (!asks[i])
				continue;
			fixture_forward(&net, &one);
			actions[i] = best_of(net.output, net.net.outputs);
		}
		eyes.ops->learner->act(eyes.state, eyes.params, &eyes.env, actions, eyes.knobs);
		CHECK(memcmp(d.knobs, eyes.knobs, sizeof(d.knobs)) == 0);
	}
	fixture_close(&net);
	agent_fixture_close(&d);
	agent_fixture_close(&eyes);
}

TEST(test_acc_takes_the_action_that_its_network_values_most)
{
	check_greedy("acc(preset=paper, learn=no)");
	check_greedy("acc(preset=weir)");
	check_greedy("acc(preset=paper, learn=no, actions=square, idle=none)");
	check_greedy("acc(preset=paper, learn=no, scope=network)");
}

/* A network that always says 17. */
static void check_policy(const char *spec)
{
	struct agent_fixture d;
	struct acc_params *p = (struct acc_params *)(void *)d.params;
	struct weir_learn_policy policy = { .name = "by hand" };
	struct learn_fixture net;
	struct weir_learn_plan plan;

	agent_fixture_set(&d, spec, 1);
	plan = weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = 12, .outputs = 20 });
	fixture_open(&net, &plan, 1, 0);
	net.weights[net.net.places[0].bias + 17] = 1.0F;
	policy.net = &net.net;
	policy.weights = net.weights;
	p->policy = &policy;
	agent_fixture_begin(&d);
	agent_fixture_step(&d);
	CHECK_INT(agent_fixture_value(&d, "action", 0), 17);
	CHECK_INT(d.knobs[0].min_bytes, 640000);
	CHECK_NEAR(knobs_percent(&d.knobs[0]), 25, 1e-3);
	fixture_close(&net);
	agent_fixture_close(&d);
}

TEST(test_acc_uses_the_policy_it_is_given_and_learns_on_from_there)
{
	check_policy("acc(preset=paper, learn=no, idle=none)");
	check_policy("acc(preset=paper, learn=yes, explore=0, idle=none)");
}

/* --- preset=fct --- */

/* The K_min that is in force after a step of a network that values setting 3 at that much, and
 * every other at 0; with two queues the switch leads to another switch. */
static uint64_t fct_min_bytes(const char *spec, float value, uint32_t queues)
{
	struct agent_fixture d;
	struct acc_params *p = (struct acc_params *)(void *)d.params;
	struct weir_learn_policy policy = { .name = "by hand" };
	struct learn_fixture net;
	struct weir_learn_plan plan;
	uint64_t min_bytes;

	agent_fixture_set(&d, spec, queues);
	plan = weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = 27, .outputs = 16 });
	fixture_open(&net, &plan, 1, 0);
	net.weights[net.net.places[0].bias + 3] = value;
	policy.net = &net.net;
	policy.weights = net.weights;
	p->policy = &policy;
	agent_fixture_begin(&d);
	agent_fixture_step(&d);
	min_bytes = d.knobs[0].min_bytes;
	fixture_close(&net);
	agent_fixture_close(&d);
	return min_bytes;
}

TEST(test_acc_fct_leaves_its_anchor_only_for_more_than_the_margin)
{
	CHECK_INT(fct_min_bytes("acc(policy=trained)", 0.01F, 1), 400000);
	CHECK_INT(fct_min_bytes("acc(policy=trained)", 0.03F, 1), 20000);
	CHECK_INT(fct_min_bytes("acc(policy=trained, margin=0.5)", 0.4F, 1), 400000);
	CHECK_INT(fct_min_bytes("acc(policy=trained, margin=0.5)", 0.6F, 1), 20000);
}

TEST(test_acc_fct_holds_a_constant_on_switches_between_switches)
{
	CHECK_INT(fct_min_bytes("acc(policy=trained)", 1.0F, 2), 50000);
	CHECK_INT(fct_min_bytes("acc(policy=trained, fabric=tuned)", 1.0F, 2), 20000);
}

TEST(test_acc_alone_is_a_constant_by_place)
{
	struct agent_fixture d;

	for (uint32_t queues = 1; queues <= 2; queues++) {
		agent_fixture_open(&d, "acc", queues);
		for (int i = 0; i < 20; i++) {
			d.telemetry[0].out_bytes = 300000;
			d.telemetry[0].queue_end_bytes = 100000 * (uint64_t)i;
			agent_fixture_step(&d);
			CHECK_INT(d.knobs[0].min_bytes, queues == 1 ? 20000 : 50000);
			CHECK_INT(d.knobs[0].max_bytes, queues == 1 ? 1000000 : 400000);
			CHECK_NEAR(knobs_percent(&d.knobs[0]), queues == 1 ? 100 : 1, 1e-3);
		}
		agent_fixture_close(&d);
	}
}

TEST(test_acc_fct_observes_the_weight_of_throughput)
{
	struct agent_fixture d;
	float observations[27], reward;
	uint8_t asks;

	agent_fixture_open(&d, "acc(policy=trained, weight=0.75)", 1);
	CHECK_INT(d.ops->learner->observation_size(d.params), 27);
	d.ops->learner->observe(d.state, d.params, &d.env, d.telemetry, observations, &reward,
				&asks);
	CHECK_NEAR(observations[26], 0.75, 1e-6);
	CHECK_NEAR(reward, 0.25, 1e-6); /* idle line, no queue */
	d.telemetry[0].queue_mean_bytes = 2000000;
	d.ops->learner->observe(d.state, d.params, &d.env, d.telemetry, observations, &reward,
				&asks);
	CHECK_NEAR(reward, 0.125, 1e-6);
	agent_fixture_close(&d);
}

/* A network whose values are all 0 has learned that every reward is the baseline, 0.8: seven tenths
 * of 5/7 of the line and three of a short queue. That comes, so there is nothing to learn. */
TEST(test_acc_learns_on_from_rewards_less_the_baseline_of_its_training)
{
	struct agent_fixture d;
	struct acc_params *p = (struct acc_params *)(void *)d.params;
	struct weir_learn_policy policy = { .name = "by hand" };
	struct learn_fixture net;
	struct weir_learn_plan plan;

	agent_fixture_set(
		&d, "acc(preset=paper, learn=yes, explore=0, idle=none, after=8, batch=4)", 1);
	plan = weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = 12, .outputs = 20 });
	fixture_open(&net, &plan, 1, 0);
	policy.net = &net.net;
	policy.weights = net.weights;
	p->policy = &policy;
	agent_fixture_begin(&d);
	d.telemetry[0].out_bytes = 312500 * 5 / 7;
	for (int i = 0; i < 20; i++)
		agent_fixture_step(&d);
	CHECK_NEAR(agent_fixture_value(&d, "reward", 0), 0.8, 1e-5);
	CHECK_NEAR(agent_fixture_value(&d, "loss", 0), 0, 1e-6);
	d.telemetry[0].out_bytes = 0; /* 0.3 */
	for (int i = 0; i < 20; i++)
		agent_fixture_step(&d);
	CHECK(agent_fixture_value(&d, "loss", 0) > 1e-3);
	fixture_close(&net);
	agent_fixture_close(&d);
}

TEST(test_acc_random_takes_every_action_about_equally_often)
{
	struct agent_fixture d;
	int counts[20] = { 0 };

	agent_fixture_open(&d, "acc(preset=paper, policy=random, idle=none)", 1);
	for (int i = 0; i < 4000; i++) {
		agent_fixture_step(&d);
		counts[(int)agent_fixture_value(&d, "action", 0)]++;
	}
	/* 200 each; five standard deviations of 13.8 */
	for (int i = 0; i < 20; i++)
		CHECK_NEAR(counts[i], 200, 70);
	agent_fixture_close(&d);
}

TEST(test_acc_without_learning_does_not_explore)
{
	struct agent_fixture d;

	agent_fixture_open(&d, "acc(preset=weir, explore=1)", 1);
	CHECK(agent_fixture_value(&d, "epsilon", 0) == 0.0);
	CHECK_INT(d.ops->share_steps(d.params), 0);
	agent_fixture_close(&d);
}

/* --- whatever happens --- */

static void absurd_telemetry(struct agent_fixture *d, uint64_t round)
{
	static const uint64_t absurd[] = { 0, 1, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX };
	uint64_t bits = weir_learn_bits((struct weir_learn_draw){ 3, 3, round });

	for (uint32_t i = 0; i < d->env.queue_count; i++, bits >>= 6) {
		struct weir_tune_telemetry *t = &d->telemetry[i];

		t->out_bytes = absurd[bits % 5];
		t->ce_bytes = absurd[bits / 5 % 5];
		t->queue_mean_bytes = absurd[bits / 25 % 5];
		t->queue_end_bytes = absurd[bits / 7 % 5];
		t->rate_bps = bits % 3 ? 25000000000 : 0;
		t->interval_ns = bits % 11 ? 100000 : 0;
	}
}

static void check_within_limits(const char *spec, uint64_t seed)
{
	struct agent_fixture d;
	struct acc_params *p = (struct acc_params *)(void *)d.params;
	uint32_t settings;

	agent_fixture_set(&d, spec, 5);
	d.env.seed = seed;
	settings = weir_acc_setting_count(weir_acc_table(p));
	agent_fixture_begin(&d);
	for (uint64_t round = 0; round < 60; round++) {
		if (round % 3)
			random_telemetry(&d, round);
		else
			absurd_telemetry(&d, round);
		agent_fixture_step(&d);
		for (uint32_t i = 0; i < 5; i++) {
			struct weir_tune_knobs at, *k = &d.knobs[i];
			uint32_t setting = (uint32_t)agent_fixture_value(&d, "action", i);
			double reward = agent_fixture_value(&d, "reward", i);
			struct weir_tune_knobs start = weir_acc_secn2(d.queues[i].rate_bps);

			CHECK(setting < settings);
			at = weir_acc_knobs(p, setting, &d.queues[i]);
			CHECK(!memcmp(k, &at, sizeof(at)) || !memcmp(k, &start, sizeof(start)));
			CHECK(reward >= 0.0 && reward <= 1.0);
			CHECK(agent_fixture_value(&d, "loss", i) < 1e6);
		}
	}
	agent_fixture_close(&d);
}

TEST(test_acc_never_leaves_its_table_whatever_the_network_and_the_telemetry)
{
	static const char *const specs[] = {
		"acc(preset=paper, after=20, batch=4)",
		"acc(preset=paper, after=20, batch=4, actions=grid, idle=none)",
		"acc(preset=weir, learn=yes, after=20, batch=4, reward=pred)",
		"acc(preset=paper, actions=pred, idle=length, reward=linear, after=20, batch=4)",
		"acc(preset=paper, scope=network, after=20, batch=4)",
		"acc(preset=paper, policy=random, actions=square)",
	};

	for (size_t s = 0; s < sizeof(specs) / sizeof(specs[0]); s++)
		for (uint64_t seed = 1; seed <= 5; seed++)
			check_within_limits(specs[s], seed);
}

/* --- settings --- */

static void check_refused(const char *spec, const char *message)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_agent_ops *ops;
	struct weir_error e = { "" };

	CHECK_INT(weir_agent_parse(spec, &ops, params, &e), -1);
	CHECK_CONTAINS(e.text, message);
}

TEST(test_acc_refuses_settings_that_contradict_each_other)
{
	check_refused("acc(preset=paper, hidden=20--40)", "hidden is '20--40'");
	check_refused("acc(preset=paper, hidden=0)", "1 to 5 numbers");
	check_refused("acc(preset=paper, hidden=9999)", "each 1 to 4096");
	check_refused("acc(preset=paper, hidden=1-2-3-4-5-6)", "1 to 5 numbers");
	check_refused("acc(preset=paper, policy=random, learn=yes)", "nothing to learn");
	check_refused("acc(preset=paper, policy=untrained, model=x.model)",
		      "policy=untrained does not use it");
	check_refused("acc(weight=0.4)", "add policy=trained or a model");
	check_refused("acc(learn=yes)", "add policy=trained or a model");
	check_refused("acc(actions=grid)", "add policy=trained or a model");
	check_refused("acc(preset=paper, after=20000)", "memory holds 10000");
	check_refused("ack", "nearest");
}

static int64_t interval_of(const char *spec, int64_t rtt_ns)
{
	struct agent_fixture d;

	agent_fixture_set(&d, spec, 0);
	return d.ops->interval_ns(d.params, rtt_ns);
}

TEST(test_acc_interval_is_ten_round_trips_and_at_least_50_us_in_paper)
{
	CHECK_INT(interval_of("acc(preset=paper)", 2320), 50000);
	CHECK_INT(interval_of("acc(preset=paper)", 6130), 70000);
	CHECK_INT(interval_of("acc(preset=paper)", 50000), 500000);
	CHECK_INT(interval_of("acc(preset=weir)", 2320), 1000000);
}

TEST(test_acc_options_that_are_given_go_before_the_preset)
{
	struct agent_fixture d;
	const struct acc_params *p = (const struct acc_params *)(const void *)d.params;
	struct weir_learn_dqn_config config;

	agent_fixture_set(&d, "acc(preset=paper)", 0);
	CHECK_INT(weir_acc_table(p), ACC_TEMPLATE);
	CHECK_INT(weir_acc_idle(p), ACC_IDLE_PAPER);
	CHECK(weir_acc_is_learning(p));
	weir_acc_config(p, 1, &config);
	CHECK_NEAR(config.training.gamma, 0.9, 1e-9);
	agent_fixture_set(&d, "acc(preset=weir)", 0);
	CHECK_INT(weir_acc_table(p), ACC_BOTH_ENDS);
	CHECK_INT(weir_acc_idle(p), ACC_IDLE_NONE);
	CHECK(!weir_acc_is_learning(p));
	weir_acc_config(p, 1, &config);
	CHECK_NEAR(config.training.gamma, 0.98, 1e-9);
	agent_fixture_set(
		&d, "acc(actions=grid, preset=weir, idle=length, learn=yes, discount=0.5)", 0);
	CHECK_INT(weir_acc_table(p), ACC_GRID);
	CHECK_INT(weir_acc_idle(p), ACC_IDLE_LENGTH);
	CHECK(weir_acc_is_learning(p));
	weir_acc_config(p, 1, &config);
	CHECK_NEAR(config.training.gamma, 0.5, 1e-9);
}

static void check_layers(const char *spec, const char *layers)
{
	struct agent_fixture d;
	struct weir_learn_plan plan;
	char text[512];

	agent_fixture_set(&d, spec, 0);
	plan = weir_acc_plan((const struct acc_params *)(const void *)d.params);
	weir_learn_plan_format(&plan, text, sizeof(text));
	CHECK_LIKE(text, layers);
}

TEST(test_acc_network_is_20_40_40_and_one_layer_more_for_large_tables)
{
	check_layers("acc(preset=paper)",
		     "...current 12; dense 20 relu...; dense 40 relu...; dense 40 relu...; "
		     "dense 20 linear...");
	check_layers("acc(preset=paper, actions=grid)",
		     "...current 12;...; dense 40 relu...; dense 20 relu...; dense 630 linear...");
	check_layers("acc(preset=paper, hidden=7, slots=5)",
		     "...current 20; dense 7 relu...; dense 20 linear...");
}

/* --- models --- */

static void check_model(const char *spec, struct weir_learn_policy policy, const char *message)
{
	struct agent_fixture d;
	struct weir_error e = { "" };

	agent_fixture_set(&d, spec, 0);
	policy.name = "m";
	CHECK_INT(d.ops->scheme.model->fits(d.params, &policy, &e), message ? -1 : 0);
	CHECK_CONTAINS(e.text, message ? message : "");
}

static struct weir_learn_net net_of(uint32_t inputs, uint32_t outputs)
{
	struct weir_learn_plan plan = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = inputs, .outputs = outputs, .hidden = { 3 } });
	struct weir_learn_net net;
	struct weir_error e;

	CHECK_INT(weir_learn_net_init(&net, &plan, &e), 0);
	return net;
}

TEST(test_acc_refuses_by_name_a_model_that_is_not_its_own)
{
	static const char features[] = "1: queue step, rate, CE rate, setting";
	struct weir_learn_net net = net_of(12, 20), wide = net_of(13, 20), small = net_of(12, 12);
	struct weir_learn_policy good = { .scheme = "acc",
					  .features = features,
					  .actions = "template 20",
					  .net = &net },
				 bad;

	check_model("acc(preset=paper)", good, NULL);
	check_model("acc(preset=paper, hidden=5-5)", good, NULL); /* a model has its own */
	bad = good, bad.scheme = "fdcc";
	check_model("acc(preset=paper)", bad, "is one of 'fdcc', not of acc");
	bad = good, bad.features = "0";
	check_model("acc(preset=paper)", bad, "has the features '0'");
	check_model("acc(preset=paper, traces=yes)", good,
		    "; means and deviations over 8 and 64; rate of the line'; leave out");
	check_model("acc(preset=weir, traces=no)", good,
		    "has the actions 'template 20'; the options ask for 'weir 12'; leave out");
	check_model("acc(preset=paper, thresholds=rate)", good,
		    "ask for 'template 20, thresholds by rate'");
	check_model("acc(preset=paper, scope=network)", good,
		    "ask for 'template 20, 7 for each of 3 groups'");
	check_model("acc(preset=paper, slots=5)", good, "has 12 inputs; 20 are needed");
	bad = good, bad.net = &wide;
	check_model("acc(preset=paper)", bad, "has 13 inputs; 12 are needed");
	bad = good, bad.net = &small;
	check_model("acc(preset=paper)", bad, "has 12 outputs; 20 are needed");
}

static const char *standard_of(const char *spec)
{
	struct agent_fixture d;

	agent_fixture_set(&d, spec, 0);
	return d.ops->scheme.model->standard(d.params);
}

TEST(test_acc_presets_have_models_of_their_own)
{
	CHECK_STR(standard_of("acc"), NULL);
	CHECK_STR(standard_of("acc(policy=trained)"), "acc-fct");
	CHECK_STR(standard_of("acc(preset=paper)"), "acc-paper");
	CHECK_STR(standard_of("acc(preset=weir)"), "acc-weir");
	CHECK_STR(standard_of("acc(preset=paper, scope=network)"), "acc-network");
	CHECK_STR(standard_of("acc(preset=paper, policy=untrained)"), NULL);
	CHECK_STR(standard_of("acc(preset=paper, policy=random)"), NULL);
}

/* Parses the spec, adopts the model and formats the params again. */
static void check_adopts(const char *spec, const struct weir_learn_policy *policy,
			 const char *agent)
{
	struct agent_fixture d;
	struct weir_agent_meaning meaning;
	struct weir_error e = { "" };

	agent_fixture_set(&d, spec, 0);
	d.ops->scheme.model->adopt(d.params, policy);
	CHECK_INT(d.ops->scheme.model->fits(d.params, policy, &e), 0);
	CHECK_STR(e.text, "");
	weir_acc_meaning(d.params, &meaning);
	CHECK_STR(meaning.features, policy->features);
	CHECK_STR(meaning.actions, policy->actions);
	CHECK_STR(meaning.agent, agent);
}

TEST(test_acc_takes_what_its_options_leave_open_from_the_model)
{
	static const char plain[] = "1: queue step, rate, CE rate, setting";
	static const char traced[] = "1: queue step, rate, CE rate, setting; means and deviations "
				     "over 8 and 64; rate of the line";
	static const char weighted[] =
		"1: queue step, rate, CE rate, setting; means and deviations "
		"over 8 and 64; rate of the line; weight of throughput";
	struct weir_learn_net paper = net_of(12, 20), weir = net_of(26, 12),
			      longer = net_of(20, 20), central = net_of(36, 343),
			      mixed = net_of(26, 20), fct = net_of(27, 16);
	struct weir_learn_policy m = {
		.scheme = "acc", .features = plain, .actions = "template 20", .net = &paper
	};

	check_adopts("acc", &m, "preset=paper, discount=0.9000");
	check_adopts("acc(discount=0.5)", &m, "preset=paper, discount=0.5000");
	m.net = &longer;
	check_adopts("acc", &m, "preset=paper, discount=0.9000");
	m.agent = "preset=weir, discount=0.9500";
	check_adopts("acc", &m, "preset=weir, discount=0.9500");
	m.agent = "preset=weirder, discount=7";
	check_adopts("acc", &m, "preset=paper, discount=0.9000");
	m = (struct weir_learn_policy){
		.scheme = "acc", .features = traced, .actions = "weir 12", .net = &weir
	};
	check_adopts("acc", &m, "preset=weir, discount=0.9800");
	m.actions = "template 20, thresholds by rate", m.net = &mixed;
	check_adopts("acc", &m, "preset=weir, discount=0.9800");
	m = (struct weir_learn_policy){
		.scheme = "acc", .features = weighted, .actions = "front 16", .net = &fct
	};
	check_adopts("acc", &m, "preset=fct, discount=0.9800");
	m = (struct weir_learn_policy){ .scheme = "acc",
					.features = plain,
					.actions = "template 20, 7 for each of 3 groups",
					.net = &central };
	check_adopts("acc", &m, "preset=paper, discount=0.9000");
}

TEST(test_acc_refuses_a_model_of_another_preset_than_the_one_asked_for)
{
	static const char plain[] = "1: queue step, rate, CE rate, setting";
	struct weir_learn_net paper = net_of(12, 20);
	struct weir_learn_policy m = {
		.scheme = "acc", .features = plain, .actions = "template 20", .net = &paper
	};
	struct agent_fixture d;
	struct weir_error e = { "" };

	agent_fixture_set(&d, "acc(preset=weir)", 0);
	d.ops->scheme.model->adopt(d.params, &m);
	CHECK_INT(d.ops->scheme.model->fits(d.params, &m, &e), -1);
	CHECK_CONTAINS(e.text, "leave out preset and traces");
}

/* --- every agent --- */

TEST(test_every_agent_is_found_by_name_and_runs_with_its_defaults)
{
	for (size_t i = 0; weir_agent_all[i]; i++) {
		const struct weir_agent_ops *ops = weir_agent_all[i];
		struct agent_fixture d;

		CHECK(weir_agent_find(ops->scheme.name) == ops);
		agent_fixture_open(&d, ops->scheme.name, 3);
		CHECK(ops->interval_ns(d.params, 5000) > 0);
		for (uint64_t round = 0; round < 20; round++) {
			random_telemetry(&d, round);
			agent_fixture_step(&d);
			for (uint32_t q = 0; q < 3; q++)
				CHECK(d.knobs[q].min_bytes <= d.knobs[q].max_bytes &&
				      d.knobs[q].max_bytes > 0);
		}
		for (const struct weir_agent_value *v = ops->values; v && v->name; v++)
			v->read(d.state, d.params, 2);
		agent_fixture_close(&d);
	}
	CHECK(weir_agent_find("nobody") == NULL);
}
