/* SPDX-License-Identifier: BSD-3-Clause */
/* test_env_flows.c -- environments whose agents are flows, weir/env.h: waiting for actions changes
 * nothing but the actions. */
#include "sim/run/env.h"
#include "sim/run/run.h"
#include "sim/measure/decision_log.h"
#include "tests/test.h"
#include "lab/scenario/scenario.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS_MAX = 32, SIZE = WEIR_CC_OBSERVATIONS, DECISIONS = 8192, FLOWS_MAX = 512 };

#define STAR(hosts) \
	"seed = 3\n[network]\ntopology = star\nhosts = " hosts "\nrate = 10Gbps\ndelay = 1us\n"
#define RDMA "[rdma]\nint-header = 70B\nint-flows = exact\n"

struct arrays {
	float observations[HOSTS_MAX * SIZE], rewards[HOSTS_MAX], actions[HOSTS_MAX];
	uint32_t agents[HOSTS_MAX];
	uint8_t asks[HOSTS_MAX], done;
};

static struct weir_env_view view_of(struct arrays *a)
{
	return (struct weir_env_view){ .observations = a->observations,
				       .rewards = a->rewards,
				       .asks = a->asks,
				       .done = &a->done,
				       .agents = a->agents };
}

static struct weir_env *open_flows(const char *text, const struct weir_env_plan *more)
{
	struct weir_env_plan plan = more ? *more : (struct weir_env_plan){ 0 };
	struct weir_env_shape shape;
	struct weir_env *env = NULL;
	struct weir_error e = { "" };

	plan.agents = WEIR_ENV_FLOWS;
	if (weir_env_new(&env, text, &plan, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	weir_env_shape(env, &shape);
	CHECK(shape.rows <= HOSTS_MAX && shape.agents <= FLOWS_MAX);
	return env;
}

/* --- against a run --- */

static void run_logged(const char *text, struct decision_log *log, struct run_result *r)
{
	const struct weir_cc_rollout rollout = {
		.record = decision_log_add, .context = log, .seed = 8, .deviation = 0.3F
	};
	const struct run_control control = { .threads = 1, .rollout = &rollout };
	struct scenario s;
	struct config c;
	struct weir_error e = { "" };

	decision_log_new(log, FLOWS_MAX, DECISIONS);
	if (scenario_read_text(&s, "test", text, strlen(text), &e) || scenario_config(&s, &c, &e) ||
	    run(&c, &control, r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	config_free(&c);
	scenario_free(&s);
}

struct replayed {
	uint64_t decisions, batches, flows;
};

/* Plays the actions of a run in an environment: all decisions and completion times are the run's.
 */
static struct replayed check_replay(const char *text)
{
	struct replayed sum = { 0 };
	struct decision_log log = { 0 };
	struct run_result r;
	struct arrays *a = calloc(1, sizeof(*a));
	struct weir_env_view view = view_of(a);
	struct weir_env *env = open_flows(text, NULL);
	struct weir_error e = { "" };
	uint64_t complete = 0;
	int failed;

	run_logged(text, &log, &r);
	failed = weir_env_reset(env, 3, &view, &e);
	for (;;) {
		const struct weir_env_flow *ended;
		uint32_t count = weir_env_ended(env, &ended), asked = 0;

		for (uint32_t i = 0; i < count; i++)
			CHECK_NEAR((double)(r.flows[ended[i].flow].finish_ps -
					    r.flows[ended[i].flow].start_ps),
				   1000.0 * (double)ended[i].fct_ns, 1000);
		sum.flows += count;
		if (failed || a->done)
			break;
		for (uint32_t row = 0; row < HOSTS_MAX; row++) {
			const struct weir_cc_decision *d =
				a->asks[row] ? env_decision(env, row) : NULL;

			if (!d)
				continue;
			asked++;
			CHECK(d->number < log.counts[d->flow]);
			CHECK_INT(d->now_ns, decision_log_rows(&log, d->flow)[d->number].now_ns);
			CHECK(memcmp(d->observation,
				     decision_log_rows(&log, d->flow)[d->number].observation,
				     sizeof(d->observation)) == 0);
			a->actions[row] = decision_log_rows(&log, d->flow)[d->number].action;
		}
		sum.decisions += asked;
		sum.batches += asked > 1;
		failed = weir_env_step(env, a->actions, &view, &e);
	}
	if (failed)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint32_t i = 0; i < r.flow_count; i++)
		complete += r.flows[i].finish_ps >= 0;
	if (a->done == WEIR_ENV_TRUNCATED) /* else other flows may go on */
		CHECK_INT(sum.flows, complete);
	CHECK(sum.flows <= complete);
	run_result_free(&r);
	decision_log_free(&log);
	weir_env_free(env);
	free(a);
	return sum;
}

TEST(test_env_of_flows_is_the_run_with_the_same_actions)
{
	/* Lossless, go-back-N with losses, selective with losses, packet spraying with RACK,
	 * several flows of a host, persistent connections, both controls, a tuner and flows of
	 * another control beside them. */
	static const char *const texts[] = {
		STAR("9") "[switch]\nmarking = none\nlossless = all\nbuffer = 1MB\nbuffer-per = "
			  "switch\n[host]\ncc = fdcc\n" RDMA
			  "[traffic t]\npattern = many-to-one\nsize = 200KB\n"
			  "[measure]\nto = 2ms\ndrain = 0us\n",
		STAR("9") "[switch]\nmarking = none\nbuffer = 60KB\n[host]\ncc = fdcc\n" RDMA
			  "[traffic t]\npattern = many-to-one\nsize = 200KB\n"
			  "[measure]\nto = 8ms\ndrain = 0us\n",
		STAR("9") "[switch]\nmarking = none\nbuffer = 60KB\n[host]\ncc = rl-cc\n"
			  "[rdma]\nrecovery = selective\n"
			  "[traffic t]\npattern = many-to-one\nsize = 200KB\n"
			  "[measure]\nto = 8ms\ndrain = 0us\n",
		"seed = 3\n[network]\ntopology = leaf-spine\nleaves = 2\nspines = "
		"2\nhosts-per-leaf = "
		"4\nrate = 10Gbps\ndelay = 1us\necmp = packet\n[switch]\nmarking = none\nbuffer = "
		"200KB\n[host]\ncc = rl-cc\n[traffic t]\npattern = all-to-all\nsizes = websearch\n"
		"load = 0.6\n[measure]\nto = 4ms\ndrain = 0us\n",
		STAR("6") "[switch]\nmarking = red\ntune = patience\ntune-interval = 50us\n"
			  "buffer = 1MB\nbuffer-per = switch\nlossless = all\n[host]\ncc = "
			  "fdcc\n" RDMA "[traffic t]\npattern = many-to-one\nsize = 300KB\n"
			  "[traffic u]\npattern = all-to-all\nsizes = websearch\nload = 0.3\n"
			  "cc = dcqcn\n[measure]\nto = 3ms\ndrain = 0us\n",
		STAR("4") "[switch]\nmarking = none\nlossless = all\nbuffer = 1MB\nbuffer-per = "
			  "switch\n[host]\ncc = fdcc\n" RDMA
			  "[traffic t]\npattern = all-to-all\nsizes = websearch\nload = 0.7\n"
			  "connections = persistent\n[measure]\nto = 3ms\ndrain = 0us\n",
	};
	uint64_t batches = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct replayed sum = check_replay(texts[i]);

		CHECK(sum.decisions > 100);
		CHECK(sum.flows > 0);
		batches += sum.batches;
	}
	CHECK(batches > 100);
}

/* --- ends --- */

#define LIST(flows) \
	STAR("4") \
	"[switch]\nmarking = none\nlossless = all\nbuffer = 1MB\nbuffer-per = switch\n" \
	"[host]\ncc = fdcc(policy=untrained)\n" RDMA "[traffic t]\npattern = list\n" flows \
	"[measure]\nto = 1ms\ndrain = 0us\n"

/* Plays with action 0; returns how the episode ended. */
static uint32_t play_to_end(struct weir_env *env, uint64_t *agents, int64_t *end_ns)
{
	struct arrays *a = calloc(1, sizeof(*a));
	struct weir_env_view view = view_of(a);
	struct weir_error e = { "" };
	int failed = weir_env_reset(env, 1, &view, &e);
	uint32_t done;

	*agents = 0;
	while (!failed && !a->done) {
		for (uint32_t row = 0; row < HOSTS_MAX; row++)
			if (a->asks[row])
				*agents |= UINT64_C(1) << a->agents[row];
		failed = weir_env_step(env, a->actions, &view, &e);
	}
	if (failed)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	done = a->done;
	*end_ns = env_now_ns(env);
	free(a);
	return done;
}

TEST(test_env_of_flows_terminates_when_they_are_complete_and_is_truncated_at_the_end)
{
	struct weir_env *env = open_flows(LIST("flow = 0 3 90KB 0us\nflow = 1 3 50KB 9us\n"), NULL);
	uint64_t agents;
	int64_t end_ns;

	CHECK_INT(play_to_end(env, &agents, &end_ns), WEIR_ENV_TERMINATED);
	CHECK_INT(agents, 3);
	CHECK(end_ns > 100000 && end_ns < 200000);
	weir_env_free(env);
	env = open_flows(LIST("flow = 0 3 90KB 0us\nflow = 1 3 unlimited 9us\n"), NULL);
	CHECK_INT(play_to_end(env, &agents, &end_ns), WEIR_ENV_TRUNCATED);
	CHECK_INT(end_ns, 1000000);
	weir_env_free(env);
}

TEST(test_env_of_flows_asks_one_flow_or_one_section_while_others_follow_their_network)
{
	static const char two[] = LIST("flow = 0 3 90KB 0us\nflow = 1 3 unlimited 9us\n"
				       "[traffic u]\npattern = list\nflow = 2 3 90KB 20us\n");
	struct weir_env *env = open_flows(two, &(struct weir_env_plan){ .flow_plus_one = 1 });
	struct weir_env_plan plan = { .agents = WEIR_ENV_FLOWS, .traffic = "v" };
	struct weir_error e;
	uint64_t agents;
	int64_t end_ns;

	CHECK_INT(play_to_end(env, &agents, &end_ns), WEIR_ENV_TERMINATED);
	CHECK_INT(agents, 1);
	weir_env_free(env);
	env = open_flows(two, &(struct weir_env_plan){ .traffic = "u" });
	CHECK_INT(play_to_end(env, &agents, &end_ns), WEIR_ENV_TERMINATED);
	CHECK_INT(agents, 4);
	weir_env_free(env);
	CHECK_INT(weir_env_new(&env, two, &plan, &e), -1);
	CHECK_CONTAINS(e.text, "there is no section [traffic v], whose flows are to ask");
}

/* Messages have numbers behind those of flows; some end before the flows do. */
TEST(test_env_of_flows_has_no_messages_of_jobs_among_its_flows)
{
	struct weir_env *env = open_flows(LIST("flow = 0 3 90KB 0us\nflow = 1 3 90KB 9us\n"
					       "[traffic u]\npattern = collective\nsize = 4KB\n"
					       "collective = all-to-all\nrounds = 3\n"),
					  NULL);
	const struct weir_env_flow *ended;
	struct weir_env_summary summary;
	uint64_t agents;
	int64_t end_ns;

	CHECK_INT(play_to_end(env, &agents, &end_ns), WEIR_ENV_TERMINATED);
	CHECK_INT(agents, 3);
	CHECK(end_ns > 140000);
	weir_env_summary(env, &summary);
	CHECK_INT(summary.all.flows, 2);
	CHECK(weir_env_ended(env, &ended) > 0 && ended->flow < 2);
	weir_env_free(env);
}

/* --- refusals --- */

TEST(test_env_of_flows_refuses_in_one_sentence)
{
	static const char dctcp[] = STAR("4") "[switch]\nmarking = red\n[host]\ncc = dctcp\n"
					      "[traffic t]\npattern = all-to-all\nsizes = "
					      "websearch\nload = 0.5\n[measure]\nto = 1ms\n";
	struct weir_env_plan plan = { .agents = WEIR_ENV_FLOWS };
	struct arrays *a = calloc(1, sizeof(*a));
	struct weir_env_view view = view_of(a);
	struct weir_env *env = NULL;
	struct weir_error e;
	uint32_t row = 0;

	CHECK_INT(weir_env_new(&env, dctcp, &plan, &e), -1);
	CHECK_CONTAINS(e.text, "host.cc: an environment of flows needs");
	plan.agents = (enum weir_env_agents)7;
	CHECK_INT(weir_env_new(&env, dctcp, &plan, &e), -1);
	CHECK_CONTAINS(e.text, "agents of kind 7: there is no such kind");
	env = open_flows(LIST("flow = 0 3 90KB 0us\n"), NULL);
	CHECK_INT(weir_env_reset(env, 1, &view, &e), 0);
	while (!a->asks[row])
		row++;
	a->actions[row] = 1.01F;
	CHECK_INT(weir_env_step(env, a->actions, &view, &e), -1);
	CHECK_CONTAINS(e.text, "a number from -1 to 1 is needed");
	a->actions[row] = NAN;
	CHECK_INT(weir_env_step(env, a->actions, &view, &e), -1);
	a->actions[row] = 1;
	CHECK_INT(weir_env_step(env, a->actions, &view, &e), 0);
	weir_env_free(env);
	free(a);
}

/* --- pools --- */

enum { ENVS = 3 };

static uint64_t pool_sum(uint32_t threads)
{
	static const char text[] = LIST("flow = 0 3 90KB 0us\nflow = 1 3 50KB 9us\n");
	const struct weir_env_pool_plan plan = { { .agents = WEIR_ENV_FLOWS }, ENVS, threads };
	static const uint64_t seeds[ENVS] = { 1, 2, 1 };
	struct weir_env_pool *pool;
	struct weir_error e = { "" };
	float observations[ENVS * 4 * SIZE] = { 0 }, rewards[ENVS * 4] = { 0 }, actions[ENVS * 4];
	uint8_t asks[ENVS * 4], done[ENVS];
	struct weir_env_view view = { observations, rewards, asks, done, NULL, NULL };
	uint64_t sum = 0, ends = 0;

	CHECK_INT(weir_env_pool_new(&pool, text, &plan, &e), 0);
	CHECK(weir_env_pool_at(pool, ENVS - 1) && !weir_env_pool_at(pool, ENVS));
	CHECK_INT(weir_env_pool_reset_each(pool, seeds, &view, &e), 0);
	CHECK(memcmp(observations, observations + (size_t)2 * 4 * SIZE, sizeof(float) * 4 * SIZE) ==
	      0);
	for (int step = 0; step < 500; step++) {
		for (uint32_t i = 0; i < ENVS * 4; i++)
			actions[i] = (float)((step + (int)i) % 3 - 1);
		if (weir_env_pool_step(pool, actions, &view, &e))
			test_fail(__FILE__, __LINE__, "%s", e.text);
		for (uint32_t i = 0; i < ENVS * 4 * SIZE; i++) {
			uint32_t bits;

			memcpy(&bits, &observations[i], sizeof(bits));
			sum = sum * 31 + bits;
		}
		for (uint32_t i = 0; i < ENVS; i++)
			ends += done[i] == WEIR_ENV_TERMINATED;
	}
	CHECK(ends > ENVS);
	weir_env_pool_free(pool);
	return sum;
}

TEST(test_env_pool_of_flows_does_not_depend_on_threads)
{
	uint64_t sum = pool_sum(1);

	CHECK(pool_sum(2) == sum);
	CHECK(pool_sum(4) == sum);
}
