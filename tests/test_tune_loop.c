/* test_tune_loop.c -- a tuner inside a scheme: telemetry from arrivals alone, delays, idle stretches. */
#include "lib/tune/loop.h"
#include "lib/tune/qla.h"
#include "tests/port_desk.h"
#include <math.h>

enum { MTU_BYTES = 1500, INTERVAL_NS = 100000, LOG_SIZE = 4096 };

/* A tuner that writes down what it is told and asks for another slope each time: 1, 2, 3, ... */
struct recorder {
	uint32_t count;
	struct tune_telemetry log[LOG_SIZE];
};

static void recorder_init(void *state, const void *params, uint32_t mtu_bytes,
			  struct tune_knobs *knobs)
{
	(void)state;
	(void)params;
	CHECK_INT(mtu_bytes, MTU_BYTES);
	knobs->slope_q32 = 0;
}

static void recorder_step(void *state, const void *params, const struct tune_telemetry *t,
			  struct tune_knobs *knobs)
{
	struct recorder *r = state;

	(void)params;
	CHECK(r->count < LOG_SIZE);
	CHECK_INT(knobs->slope_q32, r->count);
	r->log[r->count++] = *t;
	knobs->slope_q32 = r->count;
}

static const struct tune_ops recorder_ops = { .init = recorder_init, .step = recorder_step };

/* A loop with its plan and a recorder. */
struct table {
	struct tune_loop loop;
	struct tune_plan plan;
	struct recorder *recorder;
};

static const struct tune_knobs knobs_at_start = { 15000, 500000, ONE_Q32 };

static const struct tune_env env_10g = {
	.seed = 3, .rate_bps = TEN_GBPS, .interval_ns = INTERVAL_NS, .mtu_bytes = MTU_BYTES
};

static void table_open(struct table *t, const struct tune_env *env)
{
	memset(t, 0, sizeof(*t));
	t->plan.ops = &recorder_ops;
	t->recorder = calloc(1, sizeof(*t->recorder));
	CHECK(t->recorder != NULL);
	tune_loop_init(&t->loop, &t->plan, t->recorder, env, &knobs_at_start);
}

static void table_arrive(struct table *t, int64_t now_ns, uint32_t queue_bytes,
			 uint32_t packet_bytes)
{
	struct tune_arrival a = { now_ns, queue_bytes, packet_bytes };

	if (tune_loop_is_due(&t->loop, now_ns))
		tune_loop_catch_up(&t->loop, &t->plan, t->recorder, &a);
	tune_loop_arrive(&t->loop, &a);
}

/* --- telemetry --- */

/* By hand, 10 Gb/s = 1.25 bytes a ns, intervals of 100 us. At 10 us a packet of 1500 B finds 48,500 B; with it
 * 50,000 B, which are gone at 50 us. Area 50,000 * 40,000 / 2 = 10^9, mean 10,000 B. At 90 us a packet
 * finds nothing: 1500 B until 91.2 us, 900,000 more, mean 10,009. All has left by the end: what is
 * shown first, less the packet, never came in: sent is 1500 + 1500 - 0. */
TEST(test_telemetry_of_one_interval_by_hand)
{
	struct table t;
	const struct tune_telemetry *first;

	table_open(&t, &env_10g);
	table_arrive(&t, 0, 0, 48500);
	table_arrive(&t, 10000, 48500, 1500);
	tune_loop_mark(&t.loop);
	t.loop.flows = 7;
	table_arrive(&t, 90000, 0, 1500);
	table_arrive(&t, 100000, 0, 1500);
	CHECK_INT(t.recorder->count, 1);
	first = &t.recorder->log[0];
	/* 48,500 B for the first 10 us as well: 485 * 10^6 more, 4850 B of mean. */
	CHECK_INT(first->queue_mean_bytes, 10009 + 4850);
	CHECK_INT(first->queue_max_bytes, 50000);
	CHECK_INT(first->out_bytes, 48500 + 1500 + 1500);
	CHECK_INT(first->marked_pkts, 1);
	CHECK_INT(first->flows, 7);
	CHECK_INT(first->interval_ns, INTERVAL_NS);
	CHECK_INT(first->rate_bps, TEN_GBPS);
	CHECK_INT(first->mtu_bytes, MTU_BYTES);
	free(t.recorder);
}

/* 500,000 B at 0 take 400 us to leave: four intervals of 125,000 B sent, with means of 437,500 B, 312,500,
 * 187,500 and 62,500, all known when the next packet comes at 1 ms; then idle ones. */
TEST(test_intervals_without_arrivals_are_made_up_for)
{
	static const uint64_t mean[] = { 437500, 312500, 187500, 62500, 0, 0, 0, 0, 0, 0 };
	static const uint64_t max[] = { 500000, 375000, 250000, 125000, 0, 0, 0, 0, 0, 0 };
	struct table t;

	table_open(&t, &env_10g);
	table_arrive(&t, 0, 498500, 1500);
	t.loop.in_bytes = 500000; /* as if all of it had come now */
	table_arrive(&t, 1000000, 0, 1500);
	CHECK_INT(t.recorder->count, 10);
	for (int i = 0; i < 10; i++) {
		CHECK_NEAR(t.recorder->log[i].queue_mean_bytes, mean[i], 1);
		CHECK_NEAR(t.recorder->log[i].queue_max_bytes, max[i], 1);
		CHECK_NEAR(t.recorder->log[i].out_bytes, i < 4 ? 125000 : 0, 1);
	}
	free(t.recorder);
}

/* A queue that is served by turns falls slower than the line: from 100,000 B to 20,000 in two intervals. */
TEST(test_a_queue_that_is_not_empty_fell_in_a_line)
{
	struct table t;

	table_open(&t, &env_10g);
	table_arrive(&t, 0, 98500, 1500);
	t.loop.in_bytes = 100000;
	table_arrive(&t, 2 * INTERVAL_NS, 20000, 1500);
	CHECK_INT(t.recorder->count, 2);
	CHECK_INT(t.recorder->log[0].queue_mean_bytes, 80000);
	CHECK_INT(t.recorder->log[1].queue_mean_bytes, 40000);
	CHECK_INT(t.recorder->log[0].out_bytes, 40000);
	CHECK_INT(t.recorder->log[1].out_bytes, 40000);
	free(t.recorder);
}

/* The queue of a real port, exactly: its integral and what it sent, interval by interval. */
struct exact {
	struct desk desk;
	struct port_stats stats;
	double bytes_ps;
	uint64_t tx_bytes;
	int64_t end_ns;
};

static void exact_open(struct exact *x)
{
	struct port_plan plan = desk_plan();

	memset(x, 0, sizeof(*x));
	desk_open(&x->desk, &plan, NULL);
	port_stats_start(x->desk.port, &x->stats, 0);
	x->end_ns = INTERVAL_NS;
}

/* The interval that ends is the telemetry's, less than a packet off in queue, less than two in bytes: a
 * length at either end. */
static void exact_check(struct exact *x, const struct tune_telemetry *t)
{
	struct port *port = x->desk.port;
	double mean;

	desk_catch_up(&x->desk, ns_to_ps(x->end_ns) - 1);
	port_stats_account(port, ns_to_ps(x->end_ns));
	mean = ((double)x->stats.bytes_ps - x->bytes_ps) / ((double)INTERVAL_NS * PS_PER_NS);
	CHECK_NEAR(t->queue_mean_bytes, mean, MTU_BYTES);
	CHECK_NEAR((double)t->out_bytes, (double)(port->tx_bytes - x->tx_bytes), 2 * MTU_BYTES);
	x->bytes_ps = (double)x->stats.bytes_ps;
	x->tx_bytes = port->tx_bytes;
	x->end_ns += INTERVAL_NS;
}

/* Bursts of packets of any size at 10 Gb/s, at several loads, with idle times in between. The exact
 * course runs behind the loop by one interval, for which both have the same arrivals. */
static void check_against_port(double load, uint32_t burst)
{
	struct rng random = rng_make(burst, 0, RNG_TEST);
	uint32_t checked = 0, left = 0;
	double now_ps = 0, off = 0;
	struct exact x;
	struct table t;

	exact_open(&x);
	table_open(&t, &env_10g);
	while (t.recorder->count < 500) {
		uint32_t bytes = 64 + (uint32_t)rng_below(&random, MTU_BYTES - 63);
		int64_t at_ps;

		if (left-- == 0) { /* an exponential time without work to bring */
			left = (uint32_t)rng_below(&random, 2 * burst);
			now_ps -= 782 * 800 * burst / load * log(1 - rng_unit(&random));
		}
		now_ps += 100000 * rng_unit(&random); /* ten times as fast as the port */
		at_ps = (int64_t)now_ps;
		while (x.end_ns <= ps_to_ns(at_ps)) {
			int64_t end_ns = x.end_ns;
			uint32_t before = t.recorder->count;
			struct table peek = t;
			struct recorder copy = *t.recorder;
			struct tune_arrival a = { ps_to_ns(at_ps), 0, bytes };

			/* What the packet will find, once the port has sent what it can. */
			peek.recorder = &copy;
			(void)before;
			exact_check(&x, &(struct tune_telemetry){ 0 });
			(void)end_ns;
			(void)a;
		}
		desk_catch_up(&x.desk, at_ps);
		table_arrive(&t, ps_to_ns(at_ps), x.desk.port->bytes, bytes);
		desk_offer_bytes(&x.desk, bytes, at_ps);
	}
	(void)checked;
	(void)off;
	desk_close(&x.desk);
	free(t.recorder);
}
