/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flow_queues.c -- a queue for each active flow, as far as there are queues: Huang et al.,
 * "DiffECN", ToN 2024, section IV-B. */
#include "tests/flow_bench.h"
#include "weir/rng.h"
#include <math.h>

TEST(test_a_new_flow_gets_the_smallest_empty_queue)
{
	struct bench b;

	bench_open(&b, "diffecn(queues=128, release=drained)");
	for (uint32_t flow = 1; flow < 128; flow++)
		CHECK_INT(arrive(&b, flow, 100), flow);
	for (uint32_t q = 70; q > 60; q -= 2)
		drain(&b, q);
	CHECK_INT(arrive(&b, 1000, 100), 62);
	CHECK_INT(arrive(&b, 1001, 100), 64);
	drain(&b, 3);
	CHECK_INT(arrive(&b, 1002, 100), 3);
	CHECK_INT(arrive(&b, 1003, 100), 66);
	bench_close(&b);
}

/* Section VII-B, T_period being 1.5 x 192 us: an empty queue is still its flow's and goes to no
 * other until the flow was silent for longer than that; then the flow itself is a new one. */
TEST(test_a_queue_stays_its_flows_until_that_was_silent_for_the_period)
{
	struct bench b;

	bench_open(&b, "diffecn");
	CHECK_INT(arrive(&b, 11, 100), 1);
	CHECK_INT(arrive(&b, 22, 100), 2);
	drain(&b, 1);
	CHECK_INT(arrive(&b, 33, 100), 3);
	b.now_ns = 288000;
	CHECK_INT(arrive(&b, 11, 100), 1); /* still its own, and from now on for another period */
	drain(&b, 1);
	drain(&b, 2);
	b.now_ns++;
	CHECK_INT(arrive(&b, 44, 100), 2); /* of 22, silent for 288,001 ns */
	CHECK_INT(arrive(&b, 22, 100), 4); /* and so a new flow */
	drain(&b, 4);
	b.now_ns = 288000 + 288001;
	CHECK_INT(arrive(&b, 22, 100), 4); /* silent for the period and no longer */
	CHECK_INT(arrive(&b, 55, 100), 1);
	CHECK_INT(arrive(&b, 33, 100),
		  3); /* its packets waited all the time: silence does not matter */
	bench_close(&b);
}

/* More flows than queues: those whose queues are empty hold them all the same, and a new one has
 * the first queue to go through. Who counts is who waits: N is 1. */
TEST(test_queues_that_are_held_are_not_given_away_and_do_not_count)
{
	struct bench b;

	bench_open(&b, "diffecn(queues=8, t-period=100us)");
	fill_queues(&b);
	for (uint32_t q = 1; q < 8; q++)
		drain(&b, q);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 0);
	leave(&b, 0, 100, FULL_BYTES);
	CHECK_INT(value(&b, "flows"), 1);
	b.now_ns = 100000;
	CHECK_INT(arrive(&b, 3, FULL_BYTES), 3);
	CHECK_INT(arrive(&b, 200, FULL_BYTES), 0);
	b.now_ns = 100001;
	CHECK_INT(arrive(&b, 200, FULL_BYTES), 1);
	drain(&b, 3);
	CHECK_INT(arrive(&b, 201, FULL_BYTES), 2);
	CHECK_INT(arrive(&b, 202, FULL_BYTES), 4); /* 3 was heard of 1 ns ago */
	bench_close(&b);
}

TEST(test_a_flow_stays_in_its_queue_until_that_has_drained)
{
	struct bench b;

	bench_open(&b, "diffecn(release=drained)");
	CHECK_INT(arrive(&b, 11, 100), 1);
	CHECK_INT(arrive(&b, 22, 100), 2);
	b.now_ns = WEIR_NS_PER_S; /* no matter how long it waits */
	CHECK_INT(arrive(&b, 22, 100), 2);
	drain(&b, 1);
	CHECK_INT(arrive(&b, 22, 100), 2);
	drain(&b, 2);
	CHECK_INT(arrive(&b, 22, 100), 1); /* as a new one */
	CHECK_INT(arrive(&b, 11, 100), 2);
	CHECK_INT(arrive(&b, 22, 100), 1);
	bench_close(&b);
}

/* The queue that a flow had is another's now: being busy does not make it the flow's again. */
TEST(test_a_queue_given_to_another_flow_is_forgotten)
{
	struct bench b;

	bench_open(&b, "diffecn(release=drained)");
	CHECK_INT(arrive(&b, 11, 100), 1);
	drain(&b, 1);
	CHECK_INT(arrive(&b, 22, 100), 1);
	CHECK_INT(arrive(&b, 11, 100), 2);
	bench_close(&b);
}

TEST(test_a_packet_that_was_refused_takes_no_queue)
{
	struct bench b;

	bench_open(&b, "diffecn(release=drained)");
	CHECK_INT(choose(&b, 11, 100), 1);
	CHECK_INT(choose(&b, 22, 100), 1);
	CHECK_INT(arrive(&b, 33, 100), 1);
	CHECK_INT(arrive(&b, 11, 100), 2);
	leave(&b, 1, 33, 100);
	CHECK_INT(value(&b, "flows"), 1);
	bench_close(&b);
	/* By silence it does: the flow was heard. But nothing of it waits. */
	bench_open(&b, "diffecn");
	CHECK_INT(choose(&b, 11, 100), 1);
	CHECK_INT(arrive(&b, 22, 100), 2);
	leave(&b, 2, 22, 100);
	CHECK_INT(value(&b, "flows"), 1);
	CHECK_INT(arrive(&b, 11, 100), 1);
	bench_close(&b);
}

TEST(test_every_packet_of_a_flow_without_a_queue_looks_for_an_empty_one)
{
	struct bench b;

	bench_open(&b, "diffecn(queues=8, release=drained)");
	fill_queues(&b);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 0);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 0);
	drain(&b, 5);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 5);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 5);
	CHECK_INT(arrive(&b, 101, FULL_BYTES), 0);
	bench_close(&b);
}

/* Fig. 8: with a limit of two packets F2, which has two, passes through the first queue; F1 sends
 * two that way, and the rest goes to the shortest queue. Each flow has a limit of its own. */
TEST(test_a_flow_joins_the_shortest_queue_after_its_pass_limit)
{
	enum { F1 = 100, F2 = 200 };
	struct bench b;

	bench_open(&b, "diffecn(queues=8, pass-limit=2pkts, release=drained)");
	fill_queues(&b);
	drain(&b, 3);
	arrive_many(&b, 3, 400, 3); /* three packets, but fewer bytes than queue 1 with one */
	CHECK_INT(arrive(&b, F1, FULL_BYTES), 0);
	CHECK_INT(arrive(&b, F2, FULL_BYTES), 0);
	CHECK_INT(arrive(&b, F1, FULL_BYTES), 0);
	CHECK_INT(arrive(&b, F1, FULL_BYTES), 3);
	CHECK_INT(arrive(&b, F2, FULL_BYTES), 0);
	CHECK_INT(value(&b, "priority"), 4);
	CHECK_INT(value(&b, "joins"), 1);
	drain(&b, 7); /* it has a queue now, if a shared one, and looks for no other */
	CHECK_INT(arrive(&b, F1, FULL_BYTES), 3);
	CHECK_INT(arrive(&b, 3, FULL_BYTES), 3);
	drain(&b, 3);
	CHECK_INT(arrive(&b, F1, FULL_BYTES), 3); /* the smallest empty */
	CHECK_INT(arrive(&b, 3, FULL_BYTES), 7);
	bench_close(&b);
}

/* 10 MTU: 15,140 bytes of whatever size, as 151 packets of 100 bytes. */
TEST(test_the_pass_limit_counts_bytes)
{
	struct bench b;

	bench_open(&b, "diffecn(queues=8)");
	fill_queues(&b);
	for (int i = 0; i < 151; i++)
		CHECK_INT(arrive(&b, 100, 100), 0);
	CHECK_INT(arrive(&b, 100, 100), 1);
	for (int i = 0; i < 10; i++)
		CHECK_INT(arrive(&b, 200, FULL_BYTES), 0);
	CHECK(arrive(&b, 200, FULL_BYTES) != 0);
	bench_close(&b);
	bench_open(&b, "diffecn(queues=8, pass-limit=0pkts)");
	fill_queues(&b);
	CHECK_INT(arrive(&b, 100, 64), 1);
	bench_close(&b);
}

/* The first queue drains after every packet, and the limit holds all the same; a flow that was
 * silent for longer than t-period, 1.5 x 192 us, starts anew. */
TEST(test_the_pass_limit_holds_until_the_flow_was_silent)
{
	struct bench b;

	bench_open(&b, "diffecn(queues=8, pass-limit=2pkts)");
	fill_queues(&b);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 0);
	drain(&b, 0);
	b.now_ns += 288000;
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 0);
	drain(&b, 0);
	b.now_ns += 288000;
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 1);
	CHECK_INT(arrive(&b, 200, FULL_BYTES), 0);
	CHECK_INT(arrive(&b, 200, FULL_BYTES), 0);
	b.now_ns += 288001;
	CHECK_INT(arrive(&b, 200, FULL_BYTES), 0);
	CHECK_INT(arrive(&b, 200, FULL_BYTES), 0);
	CHECK(arrive(&b, 200, FULL_BYTES) != 0);
	bench_close(&b);
}

/* Section IV-B3: with as many entries as 512 a queue, at most 0.2 % of new flows meet another while
 * there are fewer than queues. For the last of 31 it is 30 / (512 x 32) = 0.183 %. */
TEST(test_flows_rarely_meet_in_the_map)
{
	enum { ROUNDS = 100000 };
	struct weir_rng random = weir_rng_make(3, 0, WEIR_RNG_TEST);
	double expected = 30. / (512 * 32);
	struct bench b;
	int met = 0;

	bench_open(&b, "diffecn(release=drained)");
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < 30; k++)
			arrive(&b, weir_rng_u32(&random), 100);

		uint32_t q = choose(&b, weir_rng_u32(&random), 100);

		met += b.queues[q].pkts > 0;
		for (q = 0; q < b.count; q++)
			drain(&b, q);
	}
	CHECK_NEAR((double)met / ROUNDS, expected, 4 * sqrt(expected / ROUNDS));
	bench_close(&b);
}

/* A packet of that flow and number, in a packet that carries both. */
struct stamp {
	uint32_t flow, number;
};

/* Many more flows than queues, packets of all sizes, more load than the line carries, a buffer that
 * is often full: flows change queues all the time, and still every flow's packets leave in order.
 * Returns how many packets found the first queue in use. */
static uint32_t check_order(const char *marking)
{
	enum { FLOWS = 40, PACKETS = 200000 };
	struct weir_rng random = weir_rng_make(4, 0, WEIR_RNG_TEST);
	uint32_t sent[FLOWS] = { 0 }, seen[FLOWS] = { 0 }, priority = 0;
	struct fixture_params params;
	struct weir_port_plan plan = fixture_plan();
	struct fixture d;

	plan.queues = 8;
	plan.rtt_ns = 50000;
	fixture_schemes(&plan, &params, marking, "sp-dwrr(priority-queues=1)");
	fixture_limit(&plan, WEIR_BUFFER_PER_PORT, 100000);
	fixture_open(&d, &plan, NULL);
	for (int64_t i = 0, now_ps = 0; i < PACKETS; i++) {
		/* 1 to 1500 bytes in 0.5 us are 120 % of the line; now and then it has a rest. */
		struct weir_packet packet =
			fixture_packet(1 + (uint32_t)weir_rng_below(&random, 1500));
		struct stamp stamp = { .flow = (uint32_t)weir_rng_below(&random, FLOWS) };

		stamp.number = ++sent[stamp.flow];
		packet.flow_hash = (uint32_t)weir_mix64(stamp.flow);
		memcpy(packet.owner, &stamp, sizeof(stamp));
		now_ps += (int64_t)weir_rng_below(&random, 1000000);
		if (weir_rng_below(&random, 2000) == 0)
			now_ps += (int64_t)weir_rng_below(&random, 100000000);
		while (d.port->pkts && d.port->free_ps <= now_ps) {
			const struct weir_packet *out = weir_port_next(d.port, &d.pool);

			memcpy(&stamp, out->owner, sizeof(stamp));
			CHECK(stamp.number > seen[stamp.flow]);
			seen[stamp.flow] = stamp.number;
		}
		memcpy(&stamp, packet.owner, sizeof(stamp));
		if (weir_port_offer(d.port, &d.pool, &packet, now_ps) == WEIR_PORT_SEND)
			seen[stamp.flow] = stamp.number;
		priority += weir_port_queues(d.port)->pkts > 0;
	}
	CHECK(d.port->cold->drops[WEIR_DROP_PORT_FULL] > 1000);
	fixture_close(&d);
	return priority;
}

TEST(test_packets_of_a_flow_leave_in_order)
{
	CHECK(check_order("diffecn(queues=8)") > 1000);
	CHECK(check_order("diffecn(queues=8, release=drained)") > 1000);
	CHECK(check_order("diffecn(queues=8, t-period=1us)") > 1000);
	CHECK(check_order("pftcn(queues=8, pass-limit=3pkts)") > 1000);
	CHECK_INT(check_order("diffecn(queues=8, pass-limit=0B)"), 0);
}

/* --- options --- */

TEST(test_ports_are_laid_out_with_one_queue_before_the_others)
{
	static const char *const specs[] = { "diffecn(queues=20, quantum=9000B)",
					     "pftcn(queues=20, quantum=9000B)" };

	for (int i = 0; i < 2; i++) {
		_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
		const struct weir_mark_ops *ops;
		struct weir_mark_layout layout;
		struct weir_error e = { "" };

		CHECK_INT(weir_mark_parse(specs[i], &ops, params, &e), 0);
		ops->layout(params, &layout);
		CHECK_INT(layout.queues, 20);
		CHECK_STR(layout.scheduler, "sp-dwrr(priority-queues=1, quantum=9000B)");
		CHECK_INT(weir_mark_state_size(ops, params) % 8, 0);
	}
}

TEST(test_bad_options_of_flow_queues_are_refused)
{
	static const char *const cases[][2] = {
		{ "diffecn(queues=7)", "queues: '7' is out of range; allowed: 8 to 128" },
		{ "diffecn(queues=129)", "129" },
		{ "diffecn(lambda=10.1)", "lambda" },
		{ "diffecn(pass-limit=1001pkts)", "diffecn: pass-limit is at most 1000pkts" },
		{ "diffecn(pass-limit=11MB)", "pass-limit" },
		{ "diffecn(rtt=2s)", "rtt" },
		{ "diffecn(excess=0.1)",
		  "diffecn: excess is of measured rates; it goes with judge=ideal or score=yes" },
		{ "diffecn(count=guess)", "one of exact, periodic" },
		{ "diffecn(release=never)", "one of silent, drained" },
		{ "pftcn(pass-limit=1001pkts)", "pftcn: pass-limit is at most 1000pkts" },
		{ "pftcn(quantum=10B)", "quantum" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
		const struct weir_mark_ops *ops;
		struct weir_error e = { "" };

		if (weir_mark_parse(cases[i][0], &ops, params, &e) != -1)
			test_fail(__FILE__, __LINE__, "'%s' was accepted", cases[i][0]);
		CHECK_CONTAINS(e.text, cases[i][1]);
	}
}
