/* SPDX-License-Identifier: BSD-3-Clause */
/* test_tune_loop.c -- a tuner inside a scheme: telemetry from arrivals alone, delays, idle
 * stretches. */
#include "lib/tune/loop.h"
#include "lib/tune/qla.h"
#include "tests/port_fixture.h"
#include <math.h>
#include <stdio.h>

enum { MTU_BYTES = 1500, INTERVAL_NS = 100000, LOG_SIZE = 4096 };

/* A tuner that writes down what it is told and asks for another slope each time: 1, 2, 3, ... */
struct recorder {
	uint32_t count;
	struct weir_tune_telemetry log[LOG_SIZE];
};

static void recorder_init(void *state, const void *params, uint32_t mtu_bytes,
			  struct weir_tune_knobs *knobs)
{
	(void)state;
	(void)params;
	CHECK_INT(mtu_bytes, MTU_BYTES);
	knobs->slope_q32 = 0;
}

static void recorder_step(void *state, const void *params, const struct weir_tune_telemetry *t,
			  struct weir_tune_knobs *knobs)
{
	struct recorder *r = state;

	(void)params;
	CHECK(r->count < LOG_SIZE);
	CHECK_INT(knobs->slope_q32, r->count);
	r->log[r->count++] = *t;
	knobs->slope_q32 = r->count;
}

static const struct weir_tune_ops recorder_ops = { .init = recorder_init, .step = recorder_step };

/* A loop with its plan and a recorder. */
struct table {
	struct tune_loop loop;
	struct tune_plan plan;
	struct recorder *recorder;
};

static const struct weir_tune_knobs knobs_at_start = { 15000, 500000, WEIR_ONE_Q32 };

static const struct tune_env env_10g = {
	.seed = 3, .rate_bps = TEN_GBPS, .interval_ns = INTERVAL_NS, .mtu_bytes = MTU_BYTES
};

static void table_open(struct table *t, const struct tune_env *env)
{
	memset(t, 0, sizeof(*t));
	t->plan.ops = &recorder_ops;
	t->recorder = calloc(1, sizeof(*t->recorder));
	CHECK(t->recorder != NULL);
	weir_tune_loop_init(&t->loop, &t->plan, t->recorder, env, &knobs_at_start);
}

static void table_arrive(struct table *t, int64_t now_ns, uint32_t queue_bytes,
			 uint32_t packet_bytes)
{
	struct tune_arrival a = { now_ns, queue_bytes, packet_bytes };

	if (tune_loop_is_due(&t->loop, now_ns))
		weir_tune_loop_catch_up(&t->loop, &t->plan, t->recorder, &a);
	tune_loop_arrive(&t->loop, &a);
}

/* --- telemetry --- */

/* By hand, 10 Gb/s = 1.25 bytes a ns, intervals of 100 us. 50,000 B come at once and are gone after
 * 40 us: area 50,000 * 40,000 / 2 = 10^9, 10,000 B of mean. At 90 us come 1500 B, gone after 1.2
 * us: 900,000 more, 9 B of mean. All has left by the end. */
TEST(test_telemetry_of_one_interval_by_hand)
{
	struct table t;
	const struct weir_tune_telemetry *first;

	table_open(&t, &env_10g);
	table_arrive(&t, 0, 0, 50000);
	tune_loop_mark(&t.loop);
	t.loop.flows = 7;
	table_arrive(&t, 90000, 0, 1500);
	table_arrive(&t, 100000, 0, 1500);
	CHECK_INT(t.recorder->count, 1);
	first = &t.recorder->log[0];
	CHECK_NEAR(first->queue_mean_bytes, 10009, 1);
	CHECK_INT(first->queue_max_bytes, 50000);
	CHECK_INT(first->out_bytes, 51500);
	CHECK_INT(first->marked_pkts, 1);
	CHECK_INT(first->flows, 7);
	CHECK_INT(first->interval_ns, INTERVAL_NS);
	CHECK_INT(first->rate_bps, TEN_GBPS);
	CHECK_INT(first->mtu_bytes, MTU_BYTES);
	table_arrive(&t, 200000, 0, 1500); /* the next interval begins with nothing */
	CHECK_INT(first[1].out_bytes, 1500);
	CHECK_INT(first[1].marked_pkts, 0);
	CHECK_INT(first[1].queue_max_bytes, 1500);
	CHECK_NEAR(first[1].queue_mean_bytes, 9, 1);
	free(t.recorder);
}

/* 500,000 B at 0 take 400 us to leave: four intervals of 125,000 B sent, with means of 437,500 B,
 * 312,500, 187,500 and 62,500, all known when the next packet comes at 1 ms; then idle ones. */
TEST(test_intervals_without_arrivals_are_made_up_for)
{
	static const uint64_t mean[] = { 437500, 312500, 187500, 62500, 0, 0, 0, 0, 0, 0 };
	static const uint64_t max[] = { 500000, 375000, 250000, 125000, 0, 0, 0, 0, 0, 0 };
	struct table t;

	table_open(&t, &env_10g);
	table_arrive(&t, 0, 0, 500000);
	table_arrive(&t, 1000000, 0, 1500);
	CHECK_INT(t.recorder->count, 10);
	for (int i = 0; i < 10; i++) {
		CHECK_NEAR(t.recorder->log[i].queue_mean_bytes, mean[i], 1);
		CHECK_NEAR(t.recorder->log[i].queue_max_bytes, max[i], 1);
		CHECK_NEAR(t.recorder->log[i].out_bytes, i < 4 ? 125000 : 0, 1);
	}
	free(t.recorder);
}

/* A queue that is served by turns falls slower than the line: from 100,000 B to 20,000 in two
 * intervals. */
TEST(test_a_queue_that_is_not_empty_fell_in_a_line)
{
	struct table t;

	table_open(&t, &env_10g);
	table_arrive(&t, 0, 0, 100000);
	table_arrive(&t, 2 * INTERVAL_NS, 20000, 1500);
	CHECK_INT(t.recorder->count, 2);
	CHECK_INT(t.recorder->log[0].queue_mean_bytes, 80000);
	CHECK_INT(t.recorder->log[1].queue_mean_bytes, 40000);
	CHECK_INT(t.recorder->log[0].out_bytes, 40000);
	CHECK_INT(t.recorder->log[1].out_bytes, 40000);
	free(t.recorder);
}

/* The queue of a real port, exactly: its mean and what it sent, interval by interval. */
struct exact {
	struct fixture desk;
	struct weir_port_stats stats;
	uint32_t count;
	double bytes_ps;
	uint64_t tx_bytes;
	double mean_bytes[LOG_SIZE];
	double out_bytes[LOG_SIZE];
};

static struct exact *exact_new(void)
{
	struct weir_port_plan plan = fixture_plan();
	struct exact *x = calloc(1, sizeof(*x));

	CHECK(x != NULL);
	fixture_open(&x->desk, &plan, NULL);
	weir_port_stats_start(x->desk.port, &x->stats, 0);
	return x;
}

static void exact_free(struct exact *x)
{
	fixture_close(&x->desk);
	free(x);
}

/* Sends what can be sent by now and writes down every interval that has ended. */
static void exact_catch_up(struct exact *x, int64_t now_ps)
{
	const int64_t interval_ps = weir_ns_to_ps(INTERVAL_NS);
	struct weir_port *port = x->desk.port;

	for (int64_t end_ps; (end_ps = (x->count + 1) * interval_ps) <= now_ps; x->count++) {
		CHECK(x->count < LOG_SIZE);
		fixture_catch_up(&x->desk, end_ps);
		weir_port_stats_account(port, end_ps);
		x->mean_bytes[x->count] =
			((double)x->stats.bytes_ps - x->bytes_ps) / (double)interval_ps;
		x->out_bytes[x->count] = (double)(port->tx_bytes - x->tx_bytes);
		x->bytes_ps = (double)x->stats.bytes_ps;
		x->tx_bytes = port->tx_bytes;
	}
	fixture_catch_up(&x->desk, now_ps);
}

/* Bursts of packets of any size, with exponential times in between so that the port has that load.
 * A mean is less than a packet off and bytes less than two: a length at either end of the
 * interval. */
static void check_against_port(double load, uint32_t burst)
{
	struct weir_rng random = weir_rng_make(burst, 0, WEIR_RNG_TEST);
	double burst_ps = (double)burst * (64 + MTU_BYTES) / 2 * 800, now_ps = 0;
	double worst_mean = 0, worst_out = 0, longest = 0;
	struct exact *x = exact_new();
	struct table t;

	table_open(&t, &env_10g);
	while (t.recorder->count < 500) {
		now_ps -= burst_ps / load * log(1 - weir_rng_unit(&random));
		for (uint64_t left = weir_rng_below(&random, 2 * burst + 1); left > 0; left--) {
			uint32_t bytes = 64 + (uint32_t)weir_rng_below(&random, MTU_BYTES - 63);

			now_ps += 200000 * weir_rng_unit(&random); /* several senders at once */
			exact_catch_up(x, (int64_t)now_ps);
			table_arrive(&t, weir_ps_to_ns((int64_t)now_ps), x->desk.port->bytes,
				     bytes);
			fixture_offer_bytes(&x->desk, bytes, (int64_t)now_ps);
		}
	}
	for (uint32_t i = 0; i < t.recorder->count; i++) {
		const struct weir_tune_telemetry *log = &t.recorder->log[i];

		worst_mean =
			fmax(worst_mean, fabs((double)log->queue_mean_bytes - x->mean_bytes[i]));
		worst_out = fmax(worst_out, fabs((double)log->out_bytes - x->out_bytes[i]));
		longest = fmax(longest, x->mean_bytes[i]);
	}
	printf("load %g, bursts of %u: off by %.0f B in mean "
	       "queue (up to %.0f B), %.0f B in bytes sent\n",
	       load, burst, worst_mean, longest, worst_out);
	CHECK(longest > 0 && worst_mean < MTU_BYTES && worst_out < 2 * MTU_BYTES);
	exact_free(x);
	free(t.recorder);
}

TEST(test_telemetry_is_that_of_the_port_to_a_packet)
{
	check_against_port(0.3, 1);
	check_against_port(0.9, 1);
	check_against_port(0.5, 30);
	check_against_port(0.95, 200);
	check_against_port(0.1, 2000);
}

/* --- delays --- */

/* Without delays knobs are in force when the interval ends, with a packet at that very time. */
TEST(test_knobs_are_in_force_at_the_end_of_an_interval)
{
	struct table t;

	table_open(&t, &env_10g);
	table_arrive(&t, INTERVAL_NS - 1, 0, 1500);
	CHECK_INT(t.loop.knobs.slope_q32, 0);
	CHECK_INT(t.loop.knobs.min_bytes, 15000);
	table_arrive(&t, INTERVAL_NS, 0, 1500);
	CHECK_INT(t.loop.knobs.slope_q32, 1);
	table_arrive(&t, 10 * INTERVAL_NS, 0, 1500);
	CHECK_INT(t.loop.knobs.slope_q32, 10);
	free(t.recorder);
}

/* PRED, appendix C.2: reading takes 5 to 12 ms and writing 80 to 110 ms, with intervals of 400 ms.
 * Each of the two is uniform, so the sum has mean 103.5 ms and deviates by sqrt((7^2 + 30^2) / 12)
 * = 8.9. */
TEST(test_a_slow_control_plane_reads_and_writes_late)
{
	enum { STEPS = 300, EVERY_US = 100 };
	const int64_t interval_ns = 400 * WEIR_NS_PER_MS, every_ns = EVERY_US * WEIR_NS_PER_US;
	struct tune_env env = env_10g;
	uint64_t slope = 0;
	double sum_ms = 0, least_ms = 1e9, most_ms = 0;
	struct table t;

	env.interval_ns = (uint64_t)interval_ns;
	table_open(&t, &env);
	t.plan.read_delay = (struct weir_span_ps){ 5 * WEIR_NS_PER_MS * INT64_C(1000),
						   12 * WEIR_NS_PER_MS * INT64_C(1000) };
	t.plan.write_delay = (struct weir_span_ps){ 80 * WEIR_NS_PER_MS * INT64_C(1000),
						    110 * WEIR_NS_PER_MS * INT64_C(1000) };
	for (int64_t now_ns = 0; slope < STEPS; now_ns += every_ns) {
		double late_ms = (double)(now_ns % interval_ns) / WEIR_NS_PER_MS;

		table_arrive(&t, now_ns, 0, 1500);
		if (t.loop.knobs.slope_q32 == slope)
			continue;
		slope++;
		CHECK_INT(t.loop.knobs.slope_q32, slope);
		CHECK_INT(now_ns / interval_ns, slope); /* within the next interval */
		sum_ms += late_ms;
		least_ms = fmin(least_ms, late_ms);
		most_ms = fmax(most_ms, late_ms);
	}
	CHECK(least_ms > 85 && least_ms < 91);
	CHECK(most_ms > 116 && most_ms < 122.2);
	CHECK_NEAR(sum_ms / STEPS, 103.5 + 0.05, 4 * 8.9 / sqrt(STEPS));
	free(t.recorder);
}

/* Delays that fill the interval: in force just before its end is seen. */
TEST(test_delays_may_last_a_whole_interval)
{
	struct table t;

	table_open(&t, &env_10g);
	t.plan.read_delay =
		(struct weir_span_ps){ weir_ns_to_ps(INTERVAL_NS), weir_ns_to_ps(INTERVAL_NS) };
	table_arrive(&t, 2 * INTERVAL_NS - 1, 0, 1500);
	CHECK_INT(t.loop.knobs.slope_q32, 0);
	table_arrive(&t, 2 * INTERVAL_NS, 0, 1500);
	CHECK_INT(t.loop.knobs.slope_q32, 1);
	table_arrive(&t, 9 * INTERVAL_NS, 0, 1500);
	CHECK_INT(t.loop.knobs.slope_q32, 8);
	free(t.recorder);
}

/* --- idle stretches --- */

/* QLA in a loop, with or without leaving out circles. */
struct tuned {
	struct tune_loop loop;
	struct qla_state qla;
};

struct pair {
	struct qla_params params;
	struct weir_tune_ops stepping;
	struct tune_plan skip, step;
	struct tuned a, b;
};

static void pair_open(struct pair *p, int delays)
{
	const struct weir_tune_ops *ops;
	struct weir_error e;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];

	memset(p, 0, sizeof(*p));
	CHECK_INT(weir_tune_parse("qla", &ops, params, &e), 0);
	memcpy(&p->params, params, sizeof(p->params));
	p->stepping = weir_tune_qla;
	p->stepping.idle_steps = 0;
	p->skip = (struct tune_plan){ .ops = &weir_tune_qla, .params = &p->params };
	if (delays) {
		p->skip.read_delay = (struct weir_span_ps){ 0, weir_ns_to_ps(INTERVAL_NS / 3) };
		p->skip.write_delay =
			(struct weir_span_ps){ 1, weir_ns_to_ps(2 * INTERVAL_NS / 3) };
	}
	p->step = p->skip;
	p->step.ops = &p->stepping;
	weir_tune_loop_init(&p->a.loop, &p->skip, &p->a.qla, &env_10g, &knobs_at_start);
	weir_tune_loop_init(&p->b.loop, &p->step, &p->b.qla, &env_10g, &knobs_at_start);
}

static void tuned_arrive(struct tuned *t, const struct tune_plan *plan,
			 const struct tune_arrival *a)
{
	if (tune_loop_is_due(&t->loop, a->now_ns))
		weir_tune_loop_catch_up(&t->loop, plan, &t->qla, a);
	tune_loop_arrive(&t->loop, a);
}

static void pair_arrive(struct pair *p, const struct tune_arrival *a)
{
	uint32_t idle_steps;

	tuned_arrive(&p->a, &p->skip, a);
	tuned_arrive(&p->b, &p->step, a);
	idle_steps = p->a.loop.idle_steps; /* only one of them counts these */
	p->a.loop.idle_steps = p->b.loop.idle_steps;
	CHECK(memcmp(&p->a, &p->b, sizeof(p->a)) == 0);
	p->a.loop.idle_steps = idle_steps;
}

static void check_skipping(int delays)
{
	struct weir_rng random = weir_rng_make(17, 0, WEIR_RNG_TEST);
	struct tune_arrival a = { 0, 0, MTU_BYTES };
	struct pair *p = malloc(sizeof(*p));
	uint64_t slopes_seen = 0, slope = 0;

	CHECK(p != NULL);
	pair_open(p, delays);
	for (int i = 0; i < 20000; i++) {
		/* Mostly a few us, now and then up to a thousand intervals. */
		uint64_t most_ns = weir_rng_below(&random, 50) ? 3000 : 1000 * INTERVAL_NS;

		a.now_ns += (int64_t)weir_rng_below(&random, most_ns);
		a.queue_bytes = (uint32_t)weir_rng_below(&random, 3) *
				(uint32_t)weir_rng_below(&random, 60000);
		pair_arrive(p, &a);
		slopes_seen += p->a.qla.slope_q32 != slope;
		slope = p->a.qla.slope_q32;
	}
	CHECK(slopes_seen > 10); /* it was not always at rest */
	free(p);
}

TEST(test_skipping_idle_rounds_equals_stepping_through_them)
{
	check_skipping(0);
}

TEST(test_skipping_idle_rounds_equals_stepping_with_delays_drawn_each_time)
{
	check_skipping(1);
}

/* 10^15 intervals of a microsecond; one by one they would take longer than the tests may. */
TEST(test_however_long_the_line_was_idle_catching_up_is_short)
{
	struct tune_env env = env_10g;
	struct tune_arrival a = { 0, 30000, MTU_BYTES };
	struct pair *p = malloc(sizeof(*p));

	CHECK(p != NULL);
	pair_open(p, 0);
	env.interval_ns = 1000;
	weir_tune_loop_init(&p->a.loop, &p->skip, &p->a.qla, &env, &knobs_at_start);
	tuned_arrive(&p->a, &p->skip, &a);
	a = (struct tune_arrival){ INT64_C(1000000000000000000) + 1, 0, MTU_BYTES };
	tuned_arrive(&p->a, &p->skip, &a);
	CHECK_INT(p->a.loop.end_ns, INT64_C(1000000000000000000) + 1000);
	CHECK_INT(p->a.loop.last_ns, a.now_ns);
	CHECK_INT(p->a.loop.queue_bytes, MTU_BYTES);
	free(p);
}

/* --- limits --- */

/* The longest interval and queue there can be: nothing overflows. */
TEST(test_the_largest_queue_over_the_longest_interval_fits)
{
	struct tune_env env = env_10g;
	struct table t;

	env.interval_ns = UINT64_MAX;
	table_open(&t, &env);
	CHECK_INT(t.loop.interval_ns, WEIR_NS_PER_S);
	table_arrive(&t, 0, UINT32_MAX, 9000);
	for (int64_t now_ns = 1000; now_ns <= 2 * (int64_t)WEIR_NS_PER_S; now_ns += 1000000)
		table_arrive(&t, now_ns, UINT32_MAX, 9000);
	CHECK_INT(t.recorder->count, 1);
	CHECK_NEAR(t.recorder->log[0].queue_mean_bytes, UINT32_MAX + 4500.0, 5);
	free(t.recorder);
	env.interval_ns = 0;
	env.rate_bps = 1000000;
	table_open(&t, &env);
	CHECK_INT(t.loop.interval_ns, 1000);
	free(t.recorder);
}
