/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark_queues.c -- mq-ecn, ideal-ecn and tcn by hand: what a queue among others is worth, and
 * how long its packets wait. At 10 Gb/s a byte takes 0.8 ns, 1500 B 1.2 us and 18 KB 14.4 us. */
#include "lab/scenario/scenario.h"
#include "tests/port_fixture.h"
#include "weir/rng.h"
#include <math.h>
#include <stdio.h>

enum { FRAME_BYTES = 1500, QUEUES = 3 };

/* One instance of a scheme, as an owner would hold it. */
struct marker {
	const struct weir_mark_ops *ops;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[4096];
};

static void marker_open(struct marker *m, const char *spec, uint32_t queues,
			const uint64_t *quantum_bytes)
{
	struct weir_error e = { "" };
	struct weir_mark_env env = { .seed = 3,
				     .rate_bps = TEN_GBPS,
				     .queues = queues,
				     .mtu_bytes = FRAME_BYTES,
				     .quantum_bytes = quantum_bytes };

	if (weir_mark_parse(spec, &m->ops, m->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(weir_mark_state_size(m->ops, m->params) <= sizeof(m->state));
	memset(m->state, 0, sizeof(m->state));
	if (m->ops->init)
		m->ops->init(m->state, m->params, &env);
}

static double value_of(const struct weir_mark_ops *ops, const void *state, const void *params,
		       const char *name)
{
	for (const struct weir_mark_value *v = ops->values; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v->read(state, params);
	test_fail(__FILE__, __LINE__, "%s has no value %s", ops->scheme.name, name);
}

static double value(const struct marker *m, const char *name)
{
	return value_of(m->ops, m->state, m->params, name);
}

/* What a packet for a queue meets that is so many bytes, and a thousandth of that in packets,
 * long. */
static uint32_t arrive(struct marker *m, uint32_t queue, uint32_t queue_bytes)
{
	struct weir_mark_view v = { .queue = queue,
				    .queue_bytes = queue_bytes,
				    .queue_pkts = queue_bytes / 1000,
				    .port_bytes = UINT32_MAX,
				    .port_pkts = UINT32_MAX };

	return m->ops->enqueue(m->state, m->params, &v);
}

static const char *refusal(const char *spec, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_mark_ops *ops;

	if (weir_mark_parse(spec, &ops, params, e) != -1)
		test_fail(__FILE__, __LINE__, "'%s' was accepted", spec);
	return e->text;
}

/* --- mq-ecn --- */

static const uint64_t quanta_bytes[QUEUES] = { 36000, 18000, 18000 };

/* A turn of a queue that stays busy: it begins at a time, the one before it has ended. */
static void turn(struct marker *m, uint32_t number, uint32_t queue, int64_t now_ns)
{
	struct weir_mark_view v = { .now_ns = now_ns,
				    .packet_bytes = FRAME_BYTES,
				    .queue = queue,
				    .queue_pkts = 100,
				    .port_pkts = 300,
				    .turn = number };

	CHECK_INT(m->ops->dequeue(m->state, m->params, &v), WEIR_MARK_PASS);
}

/* Three rounds in which all queues use up their quanta: 28.8 + 14.4 + 14.4 = 57.6 us. */
static void rounds(struct marker *m)
{
	for (uint32_t i = 0; i < 3; i++) {
		turn(m, 3 * i + 1, 0, 57600 * i);
		turn(m, 3 * i + 2, 1, 57600 * i + 28800);
		turn(m, 3 * i + 3, 2, 57600 * i + 43200);
	}
}

/* NSDI 2016: K_i = min(quantum_i / T_round, C) RTT lambda. With beta = 0 the last sample is
 * T_round: 36 KB / 57.6 us = 5 Gb/s and 18 KB / 57.6 us = 2.5 Gb/s, a half and a quarter of k. */
TEST(test_mq_ecn_gives_each_queue_the_part_of_k_that_a_round_gives_it)
{
	struct marker m;

	marker_open(&m, "mq-ecn(k=100KB, beta=0)", QUEUES, quanta_bytes);
	rounds(&m);
	CHECK_NEAR(value(&m, "round"), 57600, 0);
	CHECK_NEAR(value(&m, "capacity"), 5e9, 0);
	CHECK_INT(arrive(&m, 0, 49999), WEIR_MARK_PASS);
	CHECK_INT(arrive(&m, 0, 50000), WEIR_MARK_CE);
	CHECK_INT(arrive(&m, 1, 24999), WEIR_MARK_PASS);
	CHECK_INT(arrive(&m, 1, 25000), WEIR_MARK_CE);
	CHECK_INT(arrive(&m, 2, 25000), WEIR_MARK_CE);
	marker_open(&m, "mq-ecn(k=100pkts, beta=0)", QUEUES, quanta_bytes);
	rounds(&m);
	CHECK_INT(arrive(&m, 0, 49999), WEIR_MARK_PASS);
	CHECK_INT(arrive(&m, 0, 50000), WEIR_MARK_CE);
	CHECK_INT(arrive(&m, 1, 25000), WEIR_MARK_CE);
}

TEST(test_mq_ecn_is_ecn_while_no_round_is_known_or_a_queue_has_the_line)
{
	struct marker m;

	marker_open(&m, "mq-ecn(k=100KB, beta=0)", QUEUES, quanta_bytes);
	CHECK_NEAR(value(&m, "round"), 0, 0);
	CHECK_NEAR(value(&m, "capacity"), 1e10, 0);
	CHECK_INT(arrive(&m, 1, 99999), WEIR_MARK_PASS);
	CHECK_INT(arrive(&m, 1, 100000), WEIR_MARK_CE);
	for (uint32_t i = 1; i < 9; i++) /* one queue, turn after turn */
		turn(&m, i, 1, 14400 * i);
	CHECK_NEAR(value(&m, "round"), 14400, 0);
	CHECK_INT(arrive(&m, 1, 99999), WEIR_MARK_PASS);
	CHECK_INT(arrive(&m, 1, 100000), WEIR_MARK_CE);
}

/* A port with one queue never sees a turn change, however long the queue stays busy. */
TEST(test_mq_ecn_on_one_queue_is_ecn)
{
	static const uint64_t quantum_bytes[1] = { 18000 };
	struct marker m;

	marker_open(&m, "mq-ecn(k=100KB)", 1, quantum_bytes);
	for (int64_t i = 0; i < 1000; i++) {
		struct weir_mark_view v = { .now_ns = i * 1200,
					    .packet_bytes = FRAME_BYTES,
					    .queue_pkts = i < 999,
					    .port_pkts = i < 999 };

		m.ops->dequeue(m.state, m.params, &v);
	}
	CHECK_NEAR(value(&m, "capacity"), 1e10, 0);
	CHECK_INT(arrive(&m, 0, 99999), WEIR_MARK_PASS);
	CHECK_INT(arrive(&m, 0, 100000), WEIR_MARK_CE);
}

/* T <- 0.75 T + 0.25 sample: after n samples of S it is S (1 - 0.75^n). */
TEST(test_mq_ecn_smooths_the_round_time)
{
	struct marker m;

	marker_open(&m, "mq-ecn", QUEUES, quanta_bytes);
	turn(&m, 0, 1, 14400);
	for (uint32_t n = 1; n < 60; n++) {
		turn(&m, n, 1, 14400 + 28801 * (int64_t)n);
		CHECK_NEAR(value(&m, "round"), 28801 * (1 - pow(0.75, n)), 4. / 65536);
	}
}

/* Each idle T_idle, here 1 us, is a sample of 0. By hand, with beta 1/2 and packets of 1 us:
 *	0	leaves one behind
 *	1000	a new turn, so the first took 1000: T = 500; leaves none, ends at 2000: T = 750
 *	4999	idle for 2.999 us: T = 187.5; alone, for 1000: T = 593.75
 *	5999	not idle for long enough; alone: T = 796.875 */
TEST(test_mq_ecn_forgets_the_round_while_the_port_is_idle)
{
	struct weir_mark_view v = {
		.packet_bytes = 1250, .queue_pkts = 1, .port_pkts = 1, .turn = 1
	};
	struct marker m;

	marker_open(&m, "mq-ecn(beta=1/2, idle=1us)", QUEUES, quanta_bytes);
	m.ops->dequeue(m.state, m.params, &v);
	v = (struct weir_mark_view){ .now_ns = 1000, .packet_bytes = 1250, .turn = 2 };
	m.ops->dequeue(m.state, m.params, &v);
	CHECK_NEAR(value(&m, "round"), 750, 0);
	v.now_ns = 4999;
	m.ops->dequeue(m.state, m.params, &v);
	CHECK_NEAR(value(&m, "round"), 593.75, 0);
	v.now_ns = 5999;
	m.ops->dequeue(m.state, m.params, &v);
	CHECK_NEAR(value(&m, "round"), 796.875, 0);
	v.now_ns = WEIR_NS_PER_S;
	m.ops->dequeue(m.state, m.params, &v);
	CHECK_NEAR(value(&m, "round"), 500, 0);
}

/* The default T_idle is a frame's time: 1500 B, 1200 ns. */
TEST(test_mq_ecn_takes_a_frame_for_the_idle_time)
{
	struct weir_mark_view v = { .packet_bytes = FRAME_BYTES };
	struct marker m;

	marker_open(&m, "mq-ecn(beta=1/2)", QUEUES, quanta_bytes);
	m.ops->dequeue(m.state, m.params, &v);
	CHECK_NEAR(value(&m, "round"), 600, 0);
	v.now_ns = 1200 + 1199;
	m.ops->dequeue(m.state, m.params, &v);
	CHECK_NEAR(value(&m, "round"), 900, 0);
	v.now_ns += 1200 + 1200;
	m.ops->dequeue(m.state, m.params, &v);
	CHECK_NEAR(value(&m, "round"), 825, 0); /* (450 + 1200) / 2 */
}

/* Through a real port and scheduler. A packet goes straight out, and at the same time 60 more come
 * for each of two queues; T in us, beta 0.75, 12 packets a turn. Since then:
 *	1.2	the first was alone:			T = 0.25 1.2		= 0.3
 *	15.6	queue 0 was served from 1.2 on: 14.4	T = 0.225 + 3.6		= 3.825
 *	30.0	queue 1 had waited from 0 on: 30	T = 2.86875 + 7.5	= 10.36875
 *	44.4	queue 0 again: 28.8			T = 7.7765625 + 7.2	= 14.9765625
 * A turn is known to have ended when the next packet leaves. */
TEST(test_mq_ecn_sees_the_turns_of_dwrr)
{
	static const struct {
		int64_t at_ns;
		double round_ns;
	} known[] = { { 1199, 300 },
		      { 15599, 300 },
		      { 15600, 3825 },
		      { 30000, 10368.75 },
		      { 44400, 14976.5625 } };
	struct weir_port_plan plan = fixture_plan();
	struct fixture_params params;
	struct weir_packet packet = fixture_packet(FRAME_BYTES);
	const int64_t start_ps = weir_ns_to_ps(10000);
	struct fixture d;

	plan.queues = 2;
	fixture_schemes(&plan, &params, "mq-ecn(k=1MB)", "dwrr(quantum=18KB)");
	fixture_open(&d, &plan, NULL);
	CHECK_INT(fixture_offer(&d, &packet, start_ps), WEIR_PORT_SEND);
	for (int i = 0; i < 120; i++) {
		packet = fixture_packet(FRAME_BYTES);
		packet.class_id = (uint8_t)(i % 2);
		CHECK_INT(fixture_offer(&d, &packet, start_ps), WEIR_PORT_QUEUED);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		fixture_catch_up(&d, start_ps + weir_ns_to_ps(known[i].at_ns));
		CHECK_NEAR(
			value_of(plan.mark, weir_port_mark_state(d.port, 0), params.mark, "round"),
			known[i].round_ns, 1. / 65536);
	}
	fixture_close(&d);
}

/* Weighted round robin gives packets: with weights 3:1 a round is 4 frames, 4 * 1211.2 ns. */
TEST(test_mq_ecn_sees_the_turns_of_wrr)
{
	struct weir_port_plan plan = fixture_plan();
	struct fixture_params params;
	struct fixture d;

	plan.queues = 2;
	fixture_schemes(&plan, &params, "mq-ecn(k=1MB)", "wrr(weights=3:1)");
	fixture_open(&d, &plan, NULL);
	for (int i = 0; i < 200; i++) {
		struct weir_packet packet = fixture_packet(1514);

		packet.class_id = (uint8_t)(i % 2);
		fixture_offer(&d, &packet, 0);
	}
	fixture_catch_up(&d, 100 * 1211200); /* 100 packets of 1211.2 ns: 75 of queue 0 */
	CHECK_NEAR(value_of(plan.mark, weir_port_mark_state(d.port, 0), params.mark, "round"),
		   4844.8, 0.01 * 4844.8);
	CHECK_NEAR(value_of(plan.mark, weir_port_mark_state(d.port, 0), params.mark, "capacity"),
		   7.5e9, 0.01 * 7.5e9);
	fixture_close(&d);
}

/* --- ideal-ecn --- */

/* A packet leaves at a time and leaves so much behind. */
static void leave(struct marker *m, int64_t now_ns, uint32_t behind_bytes)
{
	struct weir_mark_view v = { .now_ns = now_ns,
				    .packet_bytes = FRAME_BYTES,
				    .queue_bytes = behind_bytes,
				    .queue_pkts = behind_bytes / FRAME_BYTES };

	CHECK_INT(m->ops->dequeue(m->state, m->params, &v), WEIR_MARK_PASS);
}

/* CoNEXT 2016, Algorithm 1, dq_thresh 10 KB. Seven packets in a row: 10500 B in 8.4 us, 10 Gb/s.
 * Three, a pause of 14.4 us for another queue's 18 KB, and four: 84000 bits in 22.8 us =
 * 3684210526 bps. The average is 0.875 10 + 0.125 3.684210526 = 9.210526316 Gb/s, and 125 KB of
 * that 115131.58 B. */
TEST(test_ideal_ecn_measures_the_departure_rate)
{
	struct marker m;
	int64_t now_ns = 5000;

	marker_open(&m, "ideal-ecn(k=125KB)", 1, NULL);
	for (int i = 0; i < 7; i++, now_ns += 1200)
		leave(&m, now_ns, 30000);
	CHECK_NEAR(value(&m, "sample"), 1e10, 0);
	CHECK_NEAR(value(&m, "capacity"), 1e10, 0);
	CHECK_INT(arrive(&m, 0, 124999), WEIR_MARK_PASS);
	CHECK_INT(arrive(&m, 0, 125000), WEIR_MARK_CE);
	for (int i = 0; i < 7; i++, now_ns += 1200)
		leave(&m, now_ns + (i < 3 ? 0 : 14400), 30000);
	CHECK_NEAR(value(&m, "sample"), 3684210526, 0);
	CHECK_NEAR(value(&m, "capacity"), 9210526315.75, 0.01);
	CHECK_INT(arrive(&m, 0, 115131), WEIR_MARK_PASS);
	CHECK_INT(arrive(&m, 0, 115132), WEIR_MARK_CE);
}

/* The pause may also lie between two measurements: the second begins when the first ends. */
TEST(test_ideal_ecn_begins_a_measurement_where_the_last_ended)
{
	struct marker m;
	int64_t now_ns = 0;

	marker_open(&m, "ideal-ecn(k=125pkts)", 1, NULL);
	for (int i = 0; i < 14; i++, now_ns += 1200)
		leave(&m, now_ns + (i < 7 ? 0 : 14400), 30000);
	CHECK_NEAR(value(&m, "sample"), 3684210526, 0);
	CHECK_INT(arrive(&m, 0, 115999), WEIR_MARK_PASS); /* 115 packets */
	CHECK_INT(arrive(&m, 0, 116000), WEIR_MARK_CE);
}

/* Below dq_thresh no measurement begins, but one that has begun goes on to its end. */
TEST(test_ideal_ecn_measures_long_queues_only)
{
	struct marker m;

	marker_open(&m, "ideal-ecn(k=125KB)", 1, NULL);
	for (int i = 0; i < 20; i++)
		leave(&m, 9000 * i, 9999);
	CHECK(isnan(value(&m, "sample")));
	CHECK_NEAR(value(&m, "capacity"), 1e10, 0);
	leave(&m, 1000000, 10000);
	for (int i = 1; i < 7; i++)
		leave(&m, 1000000 + 2400 * i, 0);
	/* 84000 bits from 1000 us to 1000 + 6 2.4 + 1.2 = 1015.6 us. */
	CHECK_NEAR(value(&m, "sample"), floor(84e3 / 15.6e-6), 0);
	for (int i = 0; i < 20; i++) /* receded: the estimate stays as it is */
		leave(&m, 2000000 + 9000 * i, 9999);
	CHECK_NEAR(value(&m, "sample"), floor(84e3 / 15.6e-6), 0);
	leave(&m, 3000000, 10000); /* and the next begins anew */
	for (int i = 1; i < 7; i++)
		leave(&m, 3000000 + 1200 * i, 10000);
	CHECK_NEAR(value(&m, "sample"), 1e10, 0);
}

/* Averaging a: after n samples of R on top of C it is R + (C - R) a^n. */
TEST(test_ideal_ecn_averages_with_the_weight_given)
{
	struct marker m;
	int64_t now_ns = 0;

	marker_open(&m, "ideal-ecn(k=1GB, dq-thresh=1500B, averaging=3/4)", 1, NULL);
	leave(&m, 0, 30000);
	for (int i = 1; i <= 20; i++) {
		now_ns += 4800; /* a quarter of the line: 2.5 Gb/s */
		leave(&m, now_ns, 30000);
		CHECK_NEAR(value(&m, "sample"), 2.5e9, 0);
		CHECK_NEAR(value(&m, "capacity"), 2.5e9 + 7.5e9 * pow(0.75, i), 1e-3);
	}
}

/* --- tcn --- */

enum { RAMP = WEIR_MARK_CE | 1 << WEIR_MARK_VERDICT_BITS };

static uint32_t waited(struct marker *m, int64_t sojourn_ns)
{
	struct weir_mark_view v = { .sojourn_ns = sojourn_ns };

	return m->ops->dequeue(m->state, m->params, &v);
}

/* CoNEXT 2016, section 4.3: T_min 50 us, T_max 150 us and P_max 0.2 are 0.1 at 100 us. */
TEST(test_tcn_marks_as_often_as_its_line_says)
{
	static const struct {
		int64_t ns;
		double p;
	} points[] = { { 60000, 0.02 }, { 100000, 0.1 }, { 150000, 0.2 } };
	enum { N = 200000 };
	struct marker m;

	marker_open(&m, "tcn(t-min=50us, t-max=150us, p=0.2)", 1, NULL);
	for (int i = 0; i < 1000; i++) {
		CHECK_INT(waited(&m, 0), WEIR_MARK_PASS);
		CHECK_INT(waited(&m, 50000), WEIR_MARK_PASS);
		CHECK_INT(waited(&m, 150001), WEIR_MARK_CE);
	}
	for (int k = 0; k < 3; k++) {
		double p = points[k].p;
		int marks = 0;

		for (int i = 0; i < N; i++) {
			uint32_t verdict = waited(&m, points[k].ns);

			CHECK(verdict == WEIR_MARK_PASS || verdict == RAMP);
			marks += verdict == RAMP;
		}
		CHECK_NEAR((double)marks / N, p, 4 * sqrt(p * (1 - p) / N));
	}
	CHECK_STR(m.ops->reasons[0], "sojourn");
	CHECK_STR(m.ops->reasons[1], "ramp");
}

TEST(test_tcn_with_t_min_equal_to_t_max_is_a_step)
{
	struct marker m;

	marker_open(&m, "tcn(t-min=78us, t-max=78us, p=1)", 1, NULL);
	for (int i = 0; i < 1000; i++) {
		CHECK_INT(waited(&m, 78000), WEIR_MARK_PASS);
		CHECK_INT(waited(&m, 78001), WEIR_MARK_CE);
	}
}

TEST(test_tcn_with_a_threshold_keeps_no_state)
{
	unsigned char before[sizeof(((struct marker *)0)->state)];
	struct marker m;

	marker_open(&m, "tcn", 1, NULL);
	memcpy(before, m.state, sizeof(before));
	for (int64_t ns = 0; ns < 200000; ns += 100)
		CHECK_INT(waited(&m, ns), ns > 78000 ? WEIR_MARK_CE : WEIR_MARK_PASS);
	CHECK(memcmp(before, m.state, sizeof(before)) == 0);
}

/* --- all three --- */

TEST(test_queue_schemes_pass_what_finds_an_empty_port)
{
	static const char *const specs[] = { "mq-ecn", "mq-ecn(k=30KB)", "ideal-ecn",
					     "ideal-ecn(k=1B)" };
	struct marker m;

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		marker_open(&m, specs[i], QUEUES, quanta_bytes);
		CHECK_INT(m.ops->quiet_below(m.params), 1);
		CHECK_INT(arrive(&m, 0, 0), WEIR_MARK_PASS);
	}
	marker_open(&m, "mq-ecn(k=0B)", QUEUES, quanta_bytes);
	CHECK_INT(m.ops->quiet_below(m.params), 0);
	CHECK_INT(arrive(&m, 0, 0), WEIR_MARK_CE);
}

TEST(test_queue_schemes_ask_only_for_what_they_use)
{
	struct marker m;

	marker_open(&m, "mq-ecn", QUEUES, quanta_bytes);
	CHECK_INT(weir_mark_needs(m.ops, m.params),
		  WEIR_MARK_NEEDS_ENQUEUE | WEIR_MARK_NEEDS_DEQUEUE | WEIR_MARK_NEEDS_ROUNDS);
	marker_open(&m, "ideal-ecn", QUEUES, quanta_bytes);
	CHECK_INT(weir_mark_needs(m.ops, m.params),
		  WEIR_MARK_NEEDS_ENQUEUE | WEIR_MARK_NEEDS_DEQUEUE);
	marker_open(&m, "tcn(t-max=1us)", QUEUES, quanta_bytes);
	CHECK_INT(weir_mark_needs(m.ops, m.params), WEIR_MARK_NEEDS_DEQUEUE);
}

TEST(test_bad_options_of_queue_schemes_are_refused)
{
	static const char *const cases[][2] = {
		{ "tcn(t-min=20us, t-max=10us)", "tcn: t-min is above t-max" },
		{ "tcn(threshold=20us, t-max=10us)",
		  "tcn: threshold and t-max exclude each other; give one" },
		{ "tcn(t-min=20us)", "tcn: t-min and p go with t-max, which is not given" },
		{ "tcn(p=0.5)", "tcn: t-min and p go with t-max, which is not given" },
		{ "tcn(t-max=10us, p=1.1)", "tcn: p: '1.1' is out of range; allowed: 0 to 1" },
		{ "ideal-ecn(dq-thresh=0B)",
		  "ideal-ecn: dq-thresh: '0B' is out of range; allowed: 1B to 4GB" },
		{ "ideal-ecn(averaging=1)",
		  "ideal-ecn: averaging: '1' is out of range; allowed: 0 to 0.99" },
		{ "mq-ecn(beta=1.5)", "mq-ecn: beta: '1.5' is out of range; allowed: 0 to 0.99" },
	};
	struct weir_error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(refusal(cases[i][0], &e), cases[i][1]);
}

/* As a user would write it; the message says where. */
TEST(test_mq_ecn_is_refused_on_a_scheduler_without_rounds)
{
	static const char *const schedulers[][2] = { { "fifo", "1" },   { "sp", "4" },
						     { "wfq", "4" },    { "sp-dwrr", "4" },
						     { "sp-wfq", "4" }, { "pifo", "4" } };

	for (size_t i = 0; i < sizeof(schedulers) / sizeof(schedulers[0]); i++) {
		char text[512], message[512];
		struct scenario s;
		struct config c;
		struct weir_error e = { "" };
		int length = snprintf(text, sizeof(text),
				      "[network]\ntopology = star\n"
				      "[traffic a]\npattern = many-to-one\nsize = 1MB\n"
				      "[switch]\nmarking = mq-ecn\nscheduler = %s\nqueues = %s\n",
				      schedulers[i][0], schedulers[i][1]);

		CHECK_INT(scenario_read_text(&s, "f.ini", text, (size_t)length, &e), 0);
		CHECK_INT(scenario_config(&s, &c, &e), -1);
		snprintf(message, sizeof(message),
			 "f.ini:7: switch.marking: mq-ecn measures the rounds of a scheduler, and "
			 "%s has none; take dwrr or wrr",
			 schedulers[i][0]);
		CHECK_STR(e.text, message);
		scenario_free(&s);
	}
}
