/* SPDX-License-Identifier: BSD-3-Clause */
/* test_agents.c -- agents and tuners on simulated switches (switch.tune): when they are called,
 * with what, and when what they ask for is in force. */
#include "sim/run/run.h"
#include "sim/core/agents.h"
#include "tests/sim.h"
#include "weir/rng.h"
#include "weir/sim.h"
#include <math.h>

#define US_PS (INT64_C(1000) * WEIR_PS_PER_NS)

#define FABRIC \
	"[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 4\n" \
	"rate = 10Gbps\nfabric-rate = 25Gbps\ndelay = 3us\nfabric-delay = 1us\n"
#define STAR "[network]\ntopology = star\nhosts = 5\nrate = 10Gbps\ndelay = 10us\n"
#define MIXED \
	"[traffic mixed]\npattern = all-to-all\nsizes = uniform(min=1KB, max=400KB)\n" \
	"load = 0.7\nflows = 150\n" \
	"[traffic requests]\npattern = incast\nsenders = 8\nsize = 20KB\nperiod = 1ms\nflows = " \
	"80\n"
#define INCAST "[traffic x]\npattern = many-to-one\nsize = unlimited\n[measure]\nto = 2ms\n"

/* --- an agent for tests: writes down what happens to it --- */

enum { LOG_MAX = 4096, NOTES_MAX = 64 };

/* One run at a time. */
static struct {
	char order[LOG_MAX]; /* "s0" "s1" of steps, "g0", "t0" of sharing */
	uint32_t notes, used;
	struct weir_agent_env env[NOTES_MAX];
	struct weir_tune_telemetry
		telemetry[NOTES_MAX]; /* of the agent's first queue, at each step */
} seen;

struct test_params {
	uint64_t share_steps, per_network;
	uint64_t wild; /* 1: settings at random, most of which are none */
	uint64_t huge; /* 1: wants more memory than any machine has */
};

struct test_state {
	struct weir_rng rng;
	uint32_t agent, steps;
};

static void note(char what, uint32_t agent)
{
	if (seen.used + 3 < LOG_MAX)
		seen.used += (uint32_t)snprintf(seen.order + seen.used, LOG_MAX - seen.used,
						"%c%u ", what, agent);
}

static int64_t test_interval_ns(const void *params, int64_t rtt_ns)
{
	(void)params;
	return 2 * rtt_ns;
}

static enum weir_agent_scope test_scope(const void *params)
{
	const struct test_params *p = params;

	return p->per_network ? WEIR_AGENT_PER_NETWORK : WEIR_AGENT_PER_SWITCH;
}

static size_t test_size(const void *params, const struct weir_agent_env *env)
{
	const struct test_params *p = params;

	(void)env;
	return p->huge ? SIZE_MAX / 16 : sizeof(struct test_state);
}

static uint64_t wild_number(struct weir_rng *r)
{
	return weir_rng_u64(r) >> weir_rng_below(r, 64);
}

static void wild_knobs(struct test_state *s, struct weir_tune_knobs *k)
{
	k->min_bytes = wild_number(&s->rng);
	k->max_bytes = wild_number(&s->rng);
	k->slope_q32 = wild_number(&s->rng);
}

/* min counts steps, in KB; the number of the queue is in max. */
static void set_knobs(struct test_state *s, const struct test_params *p,
		      const struct weir_agent_env *env, struct weir_tune_knobs *knobs)
{
	for (uint32_t q = 0; q < env->queue_count; q++) {
		if (p->wild)
			wild_knobs(s, &knobs[q]);
		else
			knobs[q] = (struct weir_tune_knobs){ 1000 * (1 + s->steps),
							     1000 * 1000 + env->queues[q].port,
							     WEIR_ONE_Q32 };
	}
}

static void test_init(void *state, const void *params, const struct weir_agent_env *env,
		      struct weir_tune_knobs *knobs)
{
	struct test_state *s = state;

	s->rng = weir_rng_make(env->seed, 0, WEIR_RNG_TEST);
	s->agent = env->agent;
	if (env->agent < NOTES_MAX)
		seen.env[env->agent] = *env;
	set_knobs(s, params, env, knobs);
}

static void test_step(void *state, const void *params, const struct weir_agent_env *env,
		      const struct weir_tune_telemetry *telemetry, struct weir_tune_knobs *knobs)
{
	struct test_state *s = state;

	note('s', env->agent);
	if (seen.notes < NOTES_MAX)
		seen.telemetry[seen.notes++] = telemetry[0];
	s->steps++;
	set_knobs(s, params, env, knobs);
}

static uint64_t test_share_steps(const void *params)
{
	return ((const struct test_params *)params)->share_steps;
}

static size_t test_shared_size(const void *params)
{
	(void)params;
	return sizeof(uint64_t);
}

static void test_give(void *state, const void *params, void *shared)
{
	(void)params;
	*(uint64_t *)shared += 1;
	note('g', ((struct test_state *)state)->agent);
}

/* All have given before the first takes. */
static void test_take(void *state, const void *params, const void *shared)
{
	(void)params;
	CHECK_INT(*(const uint64_t *)shared % 5, 0);
	note('t', ((struct test_state *)state)->agent);
}

static double test_read_steps(const void *state, const void *params, uint32_t queue)
{
	(void)params;
	return ((const struct test_state *)state)->steps + 1000.0 * queue;
}

static const struct weir_agent_value test_values[] = { { "steps", "", test_read_steps },
						       { .name = NULL } };

/* Observes the bytes sent and when; an action is min in KB. */
static uint32_t test_observation_size(const void *params)
{
	(void)params;
	return 2;
}

static uint32_t test_action_count(const void *params)
{
	(void)params;
	return 100;
}

static void test_observe(void *state, const void *params, const struct weir_agent_env *env,
			 const struct weir_tune_telemetry *telemetry, float *observations,
			 float *rewards, uint8_t *asks)
{
	(void)state;
	(void)params;
	for (uint32_t q = 0; q < env->queue_count; q++) {
		observations[2 * q] = (float)telemetry[q].out_bytes;
		observations[2 * q + 1] = (float)env->agent;
		rewards[q] = (float)q;
		asks[q] = telemetry[q].out_bytes > 0;
	}
}

static void test_act(void *state, const void *params, const struct weir_agent_env *env,
		     const uint32_t *actions, struct weir_tune_knobs *knobs)
{
	(void)state;
	(void)params;
	for (uint32_t q = 0; q < env->queue_count; q++)
		knobs[q].min_bytes = 1000 * (uint64_t)actions[q];
}

static const struct weir_agent_learner test_learner = { .observation_size = test_observation_size,
							.action_count = test_action_count,
							.observe = test_observe,
							.act = test_act };

static const struct weir_agent_ops test_agent = {
	.scheme = { .name = "test",
		    .help = "writes down",
		    .params_size = sizeof(struct test_params) },
	.interval_ns = test_interval_ns,
	.scope = test_scope,
	.size = test_size,
	.init = test_init,
	.step = test_step,
	.share_steps = test_share_steps,
	.shared_size = test_shared_size,
	.export_experience = test_give,
	.import_experience = test_take,
	.values = test_values,
	.learner = &test_learner,
};

/* --- a run that is looked at in between --- */

struct halted {
	struct sim s;
	struct network net;
	struct engine *e;
};

static void choose_test_agent(struct config *c, const struct test_params *params)
{
	memset(&seen, 0, sizeof(seen));
	c->agent = &test_agent;
	memset(c->tune_params, 0, sizeof(c->tune_params));
	memcpy(c->tune_params, params, sizeof(*params));
}

static void halted_new(struct halted *h, const char *text, const struct test_params *params)
{
	const struct engine_plan plan = { .threads = 1 };
	struct weir_error e = { "" };

	memset(h, 0, sizeof(*h));
	sim_read(&h->s, "%s", text);
	choose_test_agent(&h->s.c, params);
	if (build_engine(&h->e, &h->net, &h->s.c, &plan, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void halted_to(struct halted *h, int64_t stop_ps)
{
	struct weir_error e = { "" };

	CHECK_INT(agents_advance_until(h->e, stop_ps, &e), ENGINE_AT_STOP);
}

static void halted_end(struct halted *h)
{
	engine_free(h->e);
	network_free(&h->net);
	sim_end(&h->s);
}

/* A value of the port sw->h0. */
static double value_of(const struct halted *h, const char *name)
{
	struct weir_error e;
	uint32_t link = (uint32_t)link_find(&h->net, "sw->h0", &e);

	for (uint32_t i = 0; i < agents_values(h->e->agents); i++)
		if (strcmp(agents_value_name(h->e->agents, i), name) == 0)
			return agents_value(h->e->agents, link, 0, i);
	test_fail(__FILE__, __LINE__, "no value %s", name);
}

/* --- the same results --- */

/* What the run would be if there had been an agent that asks for settings only. */
static const struct sim *with_nothing_refused(struct sim *s)
{
	uint32_t i = 0;

	while (strcmp(metric_all[i].name, "settings_refused") != 0)
		i++;
	s->r.value[i] = 0;
	return s;
}

TEST(test_red_under_a_fixed_agent_is_red_with_that_setting)
{
	static const char *const settings[][2] = {
		{ "marking = red(min=5KB, max=105KB, p=30%)", "fixed(min=5KB, max=105KB, p=30%)" },
		{ "marking = red(min=20KB, max=20KB)", "fixed(min=20KB, max=20KB)" },
		{ "queues = 2\nscheduler = dwrr\nmarking = red(min=9KB, max=109KB, p=50%)",
		  "fixed(min=9KB, max=109KB, p=50%)" },
		{ "marking = pred(parts=fcs, min=5KB, max=105KB, lambda=3)",
		  "fixed(min=5KB, max=105KB, p=30%)" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct sim plain, tuned;
		int is_pred = strstr(settings[i][0], "pred") != NULL;

		sim_read(&plain, FABRIC "[switch]\n%s\n" MIXED, settings[i][0]);
		sim_read(&tuned,
			 FABRIC "[switch]\n%smarking = %s\ntune = %s\ntune-interval = 7us\n" MIXED,
			 strstr(settings[i][0], "queues") ? "queues = 2\nscheduler = dwrr\n" : "",
			 is_pred ? "pred(parts=fcs)" : "red(min=1KB, max=3KB, p=1)",
			 settings[i][1]);
		sim_run(&plain, 1);
		sim_run(&tuned, 1);
		CHECK(sim_metric(&plain, "marks") > 100);
		CHECK(isnan(sim_metric(&plain, "settings_refused")));
		sim_check_same(&with_nothing_refused(&plain)->r, &tuned.r);
		sim_end(&plain);
		sim_end(&tuned);
	}
}

static void check_threads(const char *text, const struct test_params *params)
{
	struct run_result one;
	struct sim s;

	sim_read(&s, "%s", text);
	if (params)
		choose_test_agent(&s.c, params);
	sim_run(&s, 1);
	one = s.r;
	memset(&s.r, 0, sizeof(s.r));
	for (uint32_t threads = 2; threads <= 3; threads++) {
		sim_run(&s, threads);
		sim_check_same(&one, &s.r);
		CHECK_INT(one.series_count, s.r.series_count);
		for (uint32_t i = 0; i < one.series_count; i++) {
			CHECK_INT(one.series[i].count, s.r.series[i].count);
			CHECK(memcmp(one.series[i].value, s.r.series[i].value,
				     one.series[i].count * sizeof(double)) == 0);
		}
	}
	CHECK(sim_metric(&s, "marks") > 100);
	run_result_free(&one);
	sim_end(&s);
}

#define PROBED MIXED "[measure]\nprobe = scheme leaf0->h0 every 20us\n"
#define DELAYED "tune-interval = 15us\ntune-read-delay = 1us..4us\ntune-write-delay = 2us..9us\n"

TEST(test_threads_agree_under_agents_and_tuners)
{
	static const struct test_params sharing = { .share_steps = 3 };
	static const struct test_params wild = { .wild = 1 };

	check_threads(FABRIC "[switch]\nmarking = red\ntune = qla\n" PROBED, NULL);
	check_threads(FABRIC "[switch]\nmarking = red(min=1KB)\ntune = qla\n" DELAYED PROBED, NULL);
	check_threads(FABRIC "[switch]\nqueues = 2\nscheduler = dwrr\nmarking = pred(parts=fcs)\n"
			     "tune = qla\n" DELAYED PROBED,
		      NULL);
	check_threads(FABRIC "[switch]\nmarking = red\n" DELAYED PROBED, &sharing);
	check_threads(FABRIC "[switch]\nmarking = red\n" DELAYED PROBED, &wild);
	/* Learning while it runs and exchanging what was seen; one agent for all. */
	check_threads(FABRIC "[switch]\nmarking = red\ntune = acc(preset=paper, policy=untrained, "
			     "learn=yes, actions=pred, "
			     "after=50, batch=4, exchange-every=7, exchange=9)\n" DELAYED PROBED,
		      NULL);
	check_threads(
		FABRIC
		"[switch]\nmarking = red\n"
		"tune = acc(preset=paper, policy=random, actions=pred, scope=network)\n" DELAYED
			PROBED,
		NULL);
	/* Where departures are gone through in order. */
	check_threads(FABRIC "[switch]\nmarking = red\nbuffer-per = switch\nbuffer = 2MB\n"
			     "lossless = 0\ntune = qla\n[host]\ncc = dcqcn\n" PROBED,
		      NULL);
}

/* --- who looks after what --- */

TEST(test_an_agent_a_switch_sees_its_queues_in_order)
{
	static const struct test_params params = { 0 };
	struct halted h;

	halted_new(&h, FABRIC "[switch]\nmarking = red\nqueues = 2\nscheduler = dwrr\n" MIXED,
		   &params);
	CHECK_INT(agents_count(h.e->agents), 5);
	/* Three leaves with four hosts and two spines above, two spines with three leaves below. */
	CHECK_INT(agents_rows(h.e->agents), 2 * (3 * 6 + 2 * 3));
	for (uint32_t a = 0; a < 5; a++) {
		const struct weir_agent_env *env = &seen.env[a];
		int is_leaf = a < 3;

		CHECK_INT(env->agent, a);
		CHECK_INT(env->queue_count, is_leaf ? 12 : 6);
		CHECK(a == 0 || env->seed != seen.env[0].seed);
		for (uint32_t q = 0; q < env->queue_count; q++) {
			const struct weir_agent_queue *queue = &env->queues[q];

			CHECK_INT(queue->node, h.net.switch_node[a]);
			CHECK_INT(queue->port, q / 2);
			CHECK_INT(queue->queue, q % 2);
			CHECK_INT(queue->rate_bps / 1000000000,
				  queue->group == WEIR_AGENT_TO_HOST ? 10 : 25);
			CHECK_INT(queue->mtu_bytes, 1514);
			if (!is_leaf)
				CHECK_INT(queue->group, WEIR_AGENT_DOWN);
			else
				CHECK_INT(queue->group, q < 8 ? WEIR_AGENT_TO_HOST : WEIR_AGENT_UP);
		}
	}
	halted_end(&h);
}

/* Neither switch of a dumbbell is nearer to the hosts than the other. */
TEST(test_a_switch_as_far_from_the_hosts_is_up)
{
	static const struct test_params params = { 0 };
	struct halted h;

	halted_new(&h,
		   "[network]\ntopology = dumbbell\nleft-hosts = 2\nright-hosts = 2\n"
		   "[switch]\nmarking = red\n[traffic x]\npattern = permutation\nsize = 1KB\n",
		   &params);
	for (uint32_t a = 0; a < 2; a++) {
		CHECK_INT(seen.env[a].queue_count, 3);
		for (uint32_t q = 0; q < 3; q++) {
			const struct net_node *node = &h.net.nodes[seen.env[a].queues[q].node];
			uint32_t to = h.net.links[node->first_link + q].to;

			CHECK_INT(seen.env[a].queues[q].group, h.net.nodes[to].kind == NODE_HOST
								       ? WEIR_AGENT_TO_HOST
								       : WEIR_AGENT_UP);
		}
	}
	halted_end(&h);
}

TEST(test_one_agent_may_look_after_the_whole_network)
{
	static const struct test_params params = { .per_network = 1 };
	struct halted h;

	halted_new(&h, FABRIC "[switch]\nmarking = red\n" MIXED, &params);
	CHECK_INT(agents_count(h.e->agents), 1);
	CHECK_INT(seen.env[0].queue_count, 24);
	CHECK_INT(seen.env[0].queues[0].node, h.net.switch_node[0]);
	CHECK_INT(seen.env[0].queues[23].node, h.net.switch_node[4]);
	halted_end(&h);
}

/* --- time --- */

/* Of h4 at 10 Gb/s for 40 us: 50,000 bytes leave the switch in 40 us, once it is busy. */
TEST(test_telemetry_is_that_of_the_interval)
{
	static const struct test_params params = { 0 };
	struct halted h;

	halted_new(&h, STAR "[switch]\nmarking = red\ntune-interval = 40us\n" INCAST, &params);
	CHECK_INT(agents_end_ps(h.e->agents), 40 * US_PS);
	halted_to(&h, 40 * US_PS - 1);
	CHECK_INT(seen.notes, 0);
	halted_to(&h, 40 * US_PS);
	CHECK_INT(seen.notes, 1);
	halted_to(&h, 2000 * US_PS);
	CHECK_INT(seen.notes, 50);
	for (uint32_t i = 0; i < seen.notes; i++) {
		const struct weir_tune_telemetry *t = &seen.telemetry[i];

		CHECK_INT(t->interval_ns, 40 * 1000);
		CHECK_INT(t->rate_bps / 1000000000, 10);
		CHECK(t->ce_bytes <= t->out_bytes);
		CHECK(t->queue_mean_bytes <= t->queue_max_bytes);
		CHECK(t->queue_end_bytes <= t->queue_max_bytes);
		if (i > 5)
			CHECK_NEAR(t->out_bytes, 50000, 1514);
	}
	halted_end(&h);
}

/* However many steps the caller divides the time into. */
TEST(test_observations_do_not_depend_on_stops)
{
	static const struct test_params params = { 0 };
	struct weir_tune_telemetry once[NOTES_MAX];
	struct halted h;

	halted_new(&h, STAR "[switch]\nmarking = red\ntune-interval = 40us\n" INCAST, &params);
	halted_to(&h, 2000 * US_PS);
	memcpy(once, seen.telemetry, sizeof(once));
	halted_end(&h);
	halted_new(&h, STAR "[switch]\nmarking = red\ntune-interval = 40us\n" INCAST, &params);
	for (int64_t t = 0; t <= 2000; t += 7)
		halted_to(&h, t * US_PS);
	halted_to(&h, 2000 * US_PS);
	CHECK(memcmp(once, seen.telemetry, sizeof(once)) == 0);
	halted_end(&h);
}

/* Intervals of 40 us, read delay 3 us, write delay 8 us: desired at 40, applied at 51. */
TEST(test_settings_are_in_force_exactly_when_the_delays_are_over)
{
	static const struct test_params params = { 0 };
	struct halted h;

	halted_new(&h,
		   STAR "[switch]\nmarking = red\ntune-interval = 40us\n"
			"tune-read-delay = 3us\ntune-write-delay = 8us\n" INCAST,
		   &params);
	CHECK_INT(value_of(&h, "k-min"), 1000);
	CHECK_INT(value_of(&h, "k-max"), 1000 * 1000);
	for (int64_t i = 1; i < 20; i++) {
		halted_to(&h, (40 * i + 11) * US_PS - 1);
		CHECK_INT(value_of(&h, "steps"), i);
		CHECK_INT(value_of(&h, "k-min"), 1000 * i);
		halted_to(&h, (40 * i + 11) * US_PS);
		CHECK_INT(value_of(&h, "k-min"), 1000 * (i + 1));
	}
	halted_end(&h);
	/* A delay of a whole interval, and none at all. */
	halted_new(&h,
		   STAR "[switch]\nmarking = red\ntune-interval = 40us\n"
			"tune-write-delay = 40us\n" INCAST,
		   &params);
	halted_to(&h, 80 * US_PS - 1);
	CHECK_INT(value_of(&h, "k-min"), 1000);
	halted_to(&h, 80 * US_PS);
	CHECK_INT(value_of(&h, "k-min"), 2000);
	CHECK_INT(value_of(&h, "steps"), 2);
	halted_end(&h);
	halted_new(&h, STAR "[switch]\nmarking = red\ntune-interval = 40us\n" INCAST, &params);
	halted_to(&h, 40 * US_PS);
	CHECK_INT(value_of(&h, "k-min"), 2000);
	halted_end(&h);
}

/* From now on: the port's marks show it. A step at 1 MB marks nothing here, one at 0 everything. */
TEST(test_what_is_in_force_is_what_ports_do)
{
	struct sim s;

	sim_read(&s, STAR "[switch]\nmarking = red(min=0B, max=0B)\nbuffer = 3000pkts\n"
			  "tune = fixed(min=4MB, max=4MB)\n" INCAST);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "marks"), 0);
	sim_end(&s);
	sim_read(&s, STAR "[switch]\nmarking = red(min=4MB, max=4MB)\n"
			  "tune = fixed(min=0B, max=0B)\n" INCAST);
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "mark_fraction"), 1, 1e-9);
	sim_end(&s);
}

/* --- order --- */

TEST(test_agents_are_called_and_share_in_order)
{
	static const struct test_params params = { .share_steps = 2 };
	struct halted h;

	halted_new(&h, FABRIC "[switch]\nmarking = red\ntune-interval = 10us\n" MIXED, &params);
	halted_to(&h, 40 * US_PS);
	CHECK_STR(seen.order, "s0 s1 s2 s3 s4 s0 s1 s2 s3 s4 g0 g1 g2 g3 g4 t0 t1 t2 t3 t4 "
			      "s0 s1 s2 s3 s4 s0 s1 s2 s3 s4 g0 g1 g2 g3 g4 t0 t1 t2 t3 t4 ");
	halted_end(&h);
}

/* --- limits --- */

/* Applied settings are valid whatever agents desire, and invalid ones are counted. */
TEST(test_nothing_outside_the_limits_is_applied)
{
	static const struct test_params wild = { .wild = 1 };
	static const char *const markings[] = { "red", "pred(parts=fcs)",
						"pred(parts=fcs, lookup=table)" };

	for (size_t m = 0; m < sizeof(markings) / sizeof(markings[0]); m++) {
		char text[1024];
		uint64_t refused = 0;
		struct halted h;

		snprintf(text, sizeof(text), "%s[switch]\nmarking = %s\ntune-interval = 10us\n%s",
			 STAR, markings[m], INCAST);
		halted_new(&h, text, &wild);
		for (int64_t i = 1; i < 150; i++) {
			halted_to(&h, 10 * i * US_PS);
			CHECK(value_of(&h, "k-min") <= value_of(&h, "k-max"));
			CHECK(value_of(&h, "k-max") <= (double)WEIR_TUNE_LENGTH_MAX);
			CHECK(value_of(&h, "p-max") >= 0 && value_of(&h, "p-max") <= 1);
			CHECK(agents_rejected(h.e->agents) >= refused);
			refused = agents_rejected(h.e->agents);
		}
		/* About half have min above max, and so on. */
		CHECK(refused > 5 * 150 / 2 && refused < 5 * 150);
		halted_end(&h);
	}
}

/* The run says how many there were: those that its agents counted up to its end. */
TEST(test_refused_settings_are_a_metric_of_the_run)
{
	static const struct test_params wild = { .wild = 1 };
	static const char text[] =
		STAR "[switch]\nmarking = red\ntune-interval = 10us\n" INCAST "drain = 0us\n";
	struct halted h;
	struct sim s;

	sim_read(&s, "%s", text);
	choose_test_agent(&s.c, &wild);
	sim_run(&s, 1);
	halted_new(&h, text, &wild);
	halted_to(&h, 2000 * US_PS);
	CHECK(agents_rejected(h.e->agents) > 5 * 200 / 2);
	CHECK_INT(sim_metric(&s, "settings_refused"), agents_rejected(h.e->agents));
	halted_end(&h);
	sim_end(&s);
}

TEST(test_settings_that_are_none_are_told_apart)
{
	static const struct {
		struct weir_tune_knobs knobs;
		int is_good;
	} cases[] = {
		{ { 0, 0, 0 }, 1 },
		{ { 5, 4, 0 }, 0 },
		{ { 0, WEIR_TUNE_LENGTH_MAX, WEIR_TUNE_SLOPE_MAX_Q32 }, 1 },
		{ { 0, WEIR_TUNE_LENGTH_MAX + 1, 0 }, 0 },
		{ { 0, 1, WEIR_TUNE_SLOPE_MAX_Q32 + 1 }, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_INT(weir_tune_knobs_are_good(&cases[i].knobs), cases[i].is_good);
}

TEST(test_agents_that_want_more_memory_than_there_is_are_refused)
{
	static const struct test_params huge = { .huge = 1 };
	const struct engine_plan plan = { .threads = 1 };
	struct weir_error e = { "" };
	struct engine *engine;
	struct network net;
	struct sim s;

	memset(&net, 0, sizeof(net));
	sim_read(&s, STAR "[switch]\nmarking = red\n" INCAST);
	choose_test_agent(&s.c, &huge);
	CHECK_INT(build_engine(&engine, &net, &s.c, &plan, &e), -1);
	CHECK_LIKE(e.text, "switch.tune: about ... GB of memory are needed, and this machine...");
	engine_free(engine);
	network_free(&net);
	sim_end(&s);
}

/* --- external actions --- */

TEST(test_agents_take_external_actions)
{
	static const struct test_params params = { 0 };
	const struct agents_observed *o;
	uint32_t actions[5];
	struct weir_error e;
	struct halted h;

	halted_new(&h,
		   STAR "[switch]\nmarking = red\ntune-interval = 40us\n"
			"tune-write-delay = 5us\n" INCAST,
		   &params);
	CHECK_INT(agents_set_external(h.e->agents, &e), 0);
	o = agents_observed(h.e->agents);
	CHECK_INT(o->rows, 5);
	CHECK_INT(o->observation_size, 2);
	CHECK_INT(o->action_count, 100);
	for (int64_t i = 1; i < 10; i++) {
		halted_to(&h, agents_end_ps(h.e->agents));
		CHECK_INT(o->time_ps, 40 * i * US_PS);
		CHECK_INT(seen.used, 0); /* no step */
		for (uint32_t row = 0; row < o->rows; row++) {
			CHECK_INT(o->rewards[row], row);
			CHECK_INT(o->asks[row], o->observations[2 * row] > 0);
			actions[row] = (uint32_t)i + row;
		}
		agents_act(h.e->agents, actions);
		halted_to(&h, (40 * i + 5) * US_PS - 1);
		CHECK_INT(value_of(&h, "k-min"), i == 1 ? 1000 : 1000 * (i - 1));
		halted_to(&h, (40 * i + 5) * US_PS);
		CHECK_INT(value_of(&h, "k-min"), 1000 * i);
	}
	halted_end(&h);
}

TEST(test_agents_that_cannot_learn_refuse_external_actions)
{
	const struct engine_plan plan = { .threads = 1 };
	struct weir_error e = { "" };
	struct engine *engine;
	struct network net;
	struct sim s;

	memset(&net, 0, sizeof(net));
	sim_read(&s, STAR "[switch]\nmarking = red\ntune = qla\n" INCAST);
	CHECK_INT(build_engine(&engine, &net, &s.c, &plan, &e), 0);
	CHECK_INT(agents_set_external(engine->agents, &e), -1);
	CHECK_STR(e.text, "switch.tune: 'qla' is not a learning agent, so no environment can "
			  "drive it");
	engine_free(engine);
	network_free(&net);
	sim_end(&s);
}

/* --- probes --- */

TEST(test_agent_values_can_be_probed_and_watched)
{
	struct weir_sim *sim;
	struct weir_error e = { "" };
	struct sim s;
	uint32_t watch;

	sim_read(&s, STAR "[switch]\nqueues = 2\nscheduler = dwrr\nmarking = red\ntune = qla\n"
			  "tune-interval = 20us\n" INCAST "probe = scheme sw->h0/1 every 20us\n");
	sim_run(&s, 1);
	CHECK_INT(s.r.series_count, 5); /* red's slope, without an average, and these */
	CHECK_STR(s.r.series[0].name, "slope sw->h0/1");
	CHECK_STR(s.r.series[1].name, "k-min sw->h0/1");
	CHECK_STR(s.r.series[2].name, "k-max sw->h0/1");
	CHECK_STR(s.r.series[3].name, "p-max sw->h0/1");
	CHECK_STR(s.r.series[4].name, "utility sw->h0/1");
	CHECK_STR(s.r.series[1].unit, "bytes");
	CHECK(s.r.series[3].count > 50);
	/* QLA's trials lie to both sides of where it is, and the scheme's own slope is that of the
	 * trial. */
	CHECK(s.r.series[3].value[1] < s.r.series[3].value[0]);
	for (uint64_t i = 0; i < s.r.series[0].count; i++)
		CHECK_NEAR(s.r.series[0].value[i] * 0.195, s.r.series[3].value[i], 1e-6);
	sim_end(&s);
	if (weir_sim_new(&sim,
			 STAR
			 "[switch]\nmarking = red\ntune = fixed(min=7KB, max=9KB, p=25%)\n" INCAST,
			 NULL, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(weir_sim_watch(sim, "scheme sw->h0", &watch, &e), 0);
	CHECK_INT(weir_sim_watches(sim) - watch, 5);
	CHECK_STR(weir_sim_watch_name(sim, watch + 2), "k-min sw->h0");
	CHECK_INT(weir_sim_observe(sim, watch + 2), 7000);
	CHECK_INT(weir_sim_observe(sim, watch + 3), 9000);
	CHECK_NEAR(weir_sim_observe(sim, watch + 4), 0.25, 1e-6);
	CHECK_INT(weir_sim_run_until(sim, 300 * US_PS, &e), 0);
	CHECK_INT(weir_sim_observe(sim, watch + 2), 7000);
	CHECK_INT(weir_sim_set(sim, "marking sw->h0", "red(min=1KB)", &e), -1);
	CHECK_CONTAINS(e.text, ": the ports are tuned by switch.tune =");
	weir_sim_free(sim);
}

/* --- refusals --- */

static void refused(const char *section, const char *message)
{
	struct scenario scenario;
	struct config c;
	struct weir_error e = { "" };
	char text[1024];
	int length = snprintf(text, sizeof(text), STAR "[switch]\n%s\n" INCAST, section);

	if (scenario_read_text(&scenario, "f.ini", text, (size_t)length, &e) == 0) {
		if (scenario_config(&scenario, &c, &e) == 0)
			test_fail(__FILE__, __LINE__, "accepted: %s", section);
		scenario_free(&scenario);
	}
	CHECK_LIKE(e.text, message);
}

TEST(test_what_does_not_go_with_tune_is_refused)
{
	refused("marking = ecn\ntune = qla", "f.ini:8: switch.tune: qla, but marking = ecn has "
					     "no thresholds to tune; red and pred do");
	refused("marking = none\ntune = fixed",
		"f.ini:8: switch.tune: fixed, but marking = none...");
	refused("marking = ideal-ecn\ntune = fixed", "f.ini:8: switch.tune: fixed, but marking...");
	refused("marking = pred\ntune = qla",
		"f.ini:8: switch.tune: qla, but of the thresholds of pred: QLA tunes them "
		"itself; only parts=fcs does not");
	refused("marking = red\ntune = fixd",
		"f.ini:8: ...unknown agent or tuner 'fixd'...none...fixed...qla...");
	refused("marking = red\ntune = fixed(min=5KB, max=1KB)", "f.ini:8: ...min is above max");
	refused("marking = red\ntune = mine.so", "f.ini:8: ...write ./mine.so");
	refused("marking = red\ntune = qla\ntune-interval = 999ns",
		"f.ini:9: switch.tune-interval: 999ns is shorter than 1us");
	refused("marking = red\ntune = qla\ntune-interval = 10us\ntune-read-delay = 1us..6us\n"
		"tune-write-delay = 5us",
		"f.ini:9: switch.tune-interval: 10us, but tune-read-delay and tune-write-delay "
		"together may be longer; write it as in tune-interval = 400ms");
	refused("marking = red\ntune = qla\ntune-read-delay = 1us",
		"f.ini:...: switch.tune-interval: not given, but tune-read-delay...");
}
