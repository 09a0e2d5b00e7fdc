/* test_mark_diffecn.c -- a queue for each active flow, who is marked in it, and the ideal beside it.
 *
 * Numbers are those of Huang et al., "DiffECN", ToN 2024, worked out by hand. Flows are named by their
 * hash; those used here do not meet in the map. */
#include "tests/port_desk.h"
#include "weir/rng.h"
#include <math.h>

enum { CELL_BYTES = 80, FULL_BYTES = 1514 };

/* A scheme and the queues of its port, filled and emptied by hand. */
struct bench {
	const struct mark_ops *ops;
	_Alignas(8) unsigned char params[SPEC_PARAMS_MAX];
	void *state;
	struct queue queues[QUEUES_MAX];
	uint32_t count; /* queues of the port */
	int64_t now_ns;
};

static void bench_open(struct bench *b, const char *spec)
{
	struct mark_layout layout;
	struct error e = { "" };

	memset(b, 0, sizeof(*b));
	if (mark_parse(spec, &b->ops, b->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	b->ops->layout(b->params, &layout);
	b->count = layout.queues;
	b->state = calloc(1, mark_state_size(b->ops, b->params));
	CHECK(b->state != NULL);

	struct mark_env env = {
		.rate_bps = TEN_GBPS, .rtt_ns = 192000, .queues = b->count, .mtu_bytes = FULL_BYTES
	};

	b->ops->init(b->state, b->params, &env);
}

static void bench_close(struct bench *b)
{
	free(b->state);
}

/* The queue that a packet is told to take; it is not put there. */
static uint32_t choose(struct bench *b, uint32_t flow, uint32_t bytes)
{
	struct mark_view v = { .now_ns = b->now_ns, .flow_hash = flow, .packet_bytes = bytes };
	uint32_t q = b->ops->choose_queue(b->state, b->params, &v, b->queues);

	CHECK(q < b->count);
	return q;
}

static uint32_t arrive(struct bench *b, uint32_t flow, uint32_t bytes)
{
	uint32_t q = choose(b, flow, bytes);

	b->queues[q].bytes += bytes;
	b->queues[q].pkts++;
	return q;
}

/* A packet of that flow and size leaves queue q after so long; the verdict. */
static uint32_t leave_after(struct bench *b, uint32_t q, uint32_t flow, uint32_t bytes,
			    int64_t sojourn_ns)
{
	struct queue *queue = &b->queues[q];

	CHECK(queue->pkts > 0 && queue->bytes >= bytes);
	queue->bytes -= bytes;
	queue->pkts--;

	struct mark_view v = { .now_ns = b->now_ns,
			       .sojourn_ns = sojourn_ns,
			       .flow_hash = flow,
			       .packet_bytes = bytes,
			       .queue = q,
			       .queue_bytes = queue->bytes,
			       .queue_pkts = queue->pkts };

	return b->ops->dequeue(b->state, b->params, &v);
}

static uint32_t leave(struct bench *b, uint32_t q, uint32_t flow, uint32_t bytes)
{
	return leave_after(b, q, flow, bytes, 0);
}

static double value(const struct bench *b, const char *name)
{
	for (const struct mark_value *v = b->ops->values; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v->read(b->state, b->params);
	test_fail(__FILE__, __LINE__, "no value %s", name);
}

/* So many packets of one size from a flow; returns its queue. */
static uint32_t arrive_many(struct bench *b, uint32_t flow, uint32_t bytes, uint32_t pkts)
{
	uint32_t q = arrive(b, flow, bytes);

	for (uint32_t i = 1; i < pkts; i++)
		CHECK_INT(arrive(b, flow, bytes), q);
	return q;
}

/* Flows 1, 2, ... each take a queue; queue q then holds q full packets, so that the first is shortest. */
static void fill_queues(struct bench *b)
{
	for (uint32_t flow = 1; flow < b->count; flow++)
		CHECK_INT(arrive_many(b, flow, FULL_BYTES, flow), flow);
}

static void drain(struct bench *b, uint32_t q)
{
	while (b->queues[q].pkts)
		leave(b, q, q, b->queues[q].bytes / b->queues[q].pkts);
}

/* --- queues for flows: section IV-B --- */

TEST(test_a_new_flow_gets_the_smallest_empty_queue)
{
	struct bench b;

	bench_open(&b, "diffecn(queues=128)");
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

TEST(test_a_flow_stays_in_its_queue_until_that_has_drained)
{
	struct bench b;

	bench_open(&b, "diffecn");
	CHECK_INT(arrive(&b, 11, 100), 1);
	CHECK_INT(arrive(&b, 22, 100), 2);
	b.now_ns = NS_PER_S; /* no matter how long it waits */
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

	bench_open(&b, "diffecn");
	CHECK_INT(arrive(&b, 11, 100), 1);
	drain(&b, 1);
	CHECK_INT(arrive(&b, 22, 100), 1);
	CHECK_INT(arrive(&b, 11, 100), 2);
	bench_close(&b);
}

TEST(test_a_packet_that_was_refused_takes_no_queue)
{
	struct bench b;

	bench_open(&b, "diffecn");
	CHECK_INT(choose(&b, 11, 100), 1);
	CHECK_INT(choose(&b, 22, 100), 1);
	CHECK_INT(arrive(&b, 33, 100), 1);
	CHECK_INT(arrive(&b, 11, 100), 2);
	leave(&b, 1, 33, 100);
	CHECK_INT(value(&b, "flows"), 1);
	bench_close(&b);
}

TEST(test_every_packet_of_a_flow_without_a_queue_looks_for_an_empty_one)
{
	struct bench b;

	bench_open(&b, "diffecn(queues=8)");
	fill_queues(&b);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 0);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 0);
	drain(&b, 5);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 5);
	CHECK_INT(arrive(&b, 100, FULL_BYTES), 5);
	CHECK_INT(arrive(&b, 101, FULL_BYTES), 0);
	bench_close(&b);
}

/* Fig. 8: with a limit of two packets F2, which has two, passes through the first queue; F1 sends two
 * that way, and the rest goes to the shortest queue. Each flow has a limit of its own. */
TEST(test_a_flow_joins_the_shortest_queue_after_its_pass_limit)
{
	enum { F1 = 100, F2 = 200 };
	struct bench b;

	bench_open(&b, "diffecn(queues=8, pass-limit=2pkts)");
	fill_queues(&b);
	leave(&b, 3, 3, FULL_BYTES);
	leave(&b, 3, 3, FULL_BYTES); /* 1, 2, 1, 4, 5, 6, 7 packets */
	arrive(&b, 1, 64);
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

/* The first queue drains after every packet, and the limit holds all the same; a flow that was silent
 * for longer than t-period, 1.5 x 192 us, starts anew. */
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
	struct rng random = rng_make(3, 0, RNG_TEST);
	double expected = 30. / (512 * 32);
	struct bench b;
	int met = 0;

	bench_open(&b, "diffecn");
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < 30; k++)
			arrive(&b, rng_u32(&random), 100);

		uint32_t q = choose(&b, rng_u32(&random), 100);

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

/* Many more flows than queues, packets of all sizes, more load than the line carries, a buffer that is
 * often full: flows change queues all the time, and still every flow's packets leave in order. Returns
 * how many packets found the first queue in use. */
static uint32_t check_order(const char *marking)
{
	enum { FLOWS = 40, PACKETS = 200000 };
	struct rng random = rng_make(4, 0, RNG_TEST);
	uint32_t sent[FLOWS] = { 0 }, seen[FLOWS] = { 0 }, priority = 0;
	struct desk_params params;
	struct port_plan plan = desk_plan();
	struct desk d;

	plan.queues = 8;
	plan.rtt_ns = 50000;
	desk_schemes(&plan, &params, marking, "sp-dwrr(priority-queues=1)");
	desk_limit(&plan, BUFFER_PER_PORT, 100000);
	desk_open(&d, &plan, NULL);
	for (int64_t i = 0, now_ps = 0; i < PACKETS; i++) {
		/* 1 to 1500 bytes in 0.5 us are 120 % of the line; now and then it has a rest. */
		struct packet packet = desk_packet(1 + (uint32_t)rng_below(&random, 1500));
		struct stamp stamp = { .flow = (uint32_t)rng_below(&random, FLOWS) };

		stamp.number = ++sent[stamp.flow];
		packet.flow_hash = (uint32_t)mix64(stamp.flow);
		memcpy(packet.owner, &stamp, sizeof(stamp));
		now_ps += (int64_t)rng_below(&random, 1000000);
		if (rng_below(&random, 2000) == 0)
			now_ps += (int64_t)rng_below(&random, 100000000);
		while (d.port->pkts && d.port->free_ps <= now_ps) {
			const struct packet *out = port_next(d.port, &d.pool);

			memcpy(&stamp, out->owner, sizeof(stamp));
			CHECK(stamp.number > seen[stamp.flow]);
			seen[stamp.flow] = stamp.number;
		}
		memcpy(&stamp, packet.owner, sizeof(stamp));
		if (port_offer(d.port, &d.pool, &packet, now_ps) == PORT_SEND)
			seen[stamp.flow] = stamp.number;
		priority += port_queues(d.port)->pkts > 0;
	}
	CHECK(d.port->drops[DROP_PORT_FULL] > 1000);
	desk_close(&d);
	return priority;
}

TEST(test_packets_of_a_flow_leave_in_order)
{
	CHECK(check_order("diffecn(queues=8)") > 1000);
	CHECK(check_order("pftcn(queues=8, pass-limit=3pkts)") > 1000);
	CHECK_INT(check_order("diffecn(queues=8, pass-limit=0B)"), 0);
}

/* --- thresholds: section IV-C --- */

/* The most cells that the first flow may leave behind without being marked, among so many flows. */
static uint32_t cells_unmarked(const char *spec, uint32_t flows)
{
	enum { CELLS = 600 };
	struct bench b;
	uint32_t left = CELLS;

	bench_open(&b, spec);
	arrive_many(&b, 1, CELL_BYTES, CELLS);
	for (uint32_t flow = 2; flow <= flows; flow++)
		arrive(&b, flow, CELL_BYTES);
	do
		left--;
	while (leave(&b, 1, 1, CELL_BYTES) == MARK_CE);
	bench_close(&b);
	return left;
}

/* Section VI-B1: 510 cells of 80 bytes for one flow and 255 for two, at 10 Gb/s. Its round-trip time
 * is given as 0.19 ms: 0.17 x 0.19 ms x 10 Gb/s = 40,375 B are 504 cells, 0.192 ms is what fits:
 * 0.17 x 192 us x 1.25 B/ns = 40,800 B = 510 x 80 B. Three flows: 13,600 B = 170 cells. */
TEST(test_thresholds_are_those_of_the_testbed)
{
	CHECK_INT(cells_unmarked("diffecn(rtt=192us)", 1), 510);
	CHECK_INT(cells_unmarked("diffecn(rtt=192us)", 2), 255);
	CHECK_INT(cells_unmarked("diffecn(rtt=192us)", 3), 170);
	CHECK_INT(cells_unmarked("diffecn(rtt=190us)", 1), 504);
	CHECK_INT(cells_unmarked("diffecn", 1), 510); /* the network's own */
	CHECK_INT(cells_unmarked("diffecn(lambda=0.085)", 1), 255);
	CHECK_INT(cells_unmarked("diffecn(lambda=0)", 1), 0);
}

/* 40,800 B over 31 flows in 31 queues of their own, and over 32 however many more there are: the first
 * queue is a queue too. 1316 B = 16.45 cells; 1275 B = 15.9 cells. */
TEST(test_more_flows_than_queues_is_a_threshold_per_queue)
{
	CHECK_INT(cells_unmarked("diffecn(rtt=192us)", 31), 16);
	CHECK_INT(cells_unmarked("diffecn(rtt=192us)", 32), 15);
	CHECK_INT(cells_unmarked("diffecn(rtt=192us)", 33), 15);
	CHECK_INT(cells_unmarked("diffecn(rtt=192us)", 300), 15);
	CHECK_INT(cells_unmarked("diffecn(rtt=192us, queues=8)", 300), 63); /* 5100 B */
}

/* Only flows that hold a queue long enough are marked, each by its own. */
TEST(test_only_the_longer_queue_is_marked)
{
	struct bench b;

	bench_open(&b, "diffecn");
	arrive_many(&b, 1, FULL_BYTES, 20); /* 20,400 B each: 13 packets */
	arrive_many(&b, 2, FULL_BYTES, 14);
	CHECK_INT(leave(&b, 1, 1, FULL_BYTES), MARK_CE);
	CHECK_INT(leave(&b, 2, 2, FULL_BYTES), MARK_PASS);
	CHECK_INT(value(&b, "flows"), 2);
	CHECK_INT(value(&b, "threshold"), 20400);
	drain(&b, 2);
	CHECK_INT(leave(&b, 1, 1, FULL_BYTES), MARK_PASS);
	CHECK_INT(value(&b, "flows"), 1);
	CHECK_INT(value(&b, "threshold"), 40800);
	CHECK(isnan(value(&b, "accuracy")) && isnan(value(&b, "recall")));
	bench_close(&b);
}

/* Fig. 11: flows seen in the last period or in this one, whichever are more; 1.5 x 192 us are 288 us.
 * The packet that begins a period is not counted. */
TEST(test_the_periodic_count_is_of_flows_seen_in_a_period)
{
	struct bench b;

	bench_open(&b, "diffecn(count=periodic)");
	for (uint32_t flow = 1; flow <= 5; flow++) {
		arrive(&b, flow, 100);
		leave(&b, 1, flow, 100);
		CHECK_INT(value(&b, "flows"), flow); /* though never more than one is active */
	}
	b.now_ns = 288001; /* a new period, in which F1 and F2 send on */
	for (uint32_t flow = 1; flow <= 2; flow++) {
		arrive(&b, flow, 100);
		leave(&b, 1, flow, 100);
		CHECK_INT(value(&b, "flows"), 5);
	}
	CHECK_INT(value(&b, "threshold"), 40800 / 5);
	b.now_ns += 288001; /* and another: F2 was counted, F1 only began it */
	arrive(&b, 1, 100);
	leave(&b, 1, 1, 100);
	CHECK_INT(value(&b, "flows"), 1);
	for (uint32_t flow = 1; flow <= 300; flow++) {
		arrive(&b, flow, 100);
		leave(&b, 1, flow, 100);
	}
	CHECK_INT(value(&b, "flows"), 32); /* as many as there are queues */
	bench_close(&b);
}

/* --- the ideal judgement --- */

/* A flow sends at a rate from now on, in packets of 1250 B: 1 us at 10 Gb/s. */
struct source {
	uint32_t flow;
	int64_t every_ns, next_ns;
	uint32_t marks, pkts;
};

/* Packets of the sources come and leave at once for so long. */
static void run_sources(struct bench *b, struct source *s, int count, int64_t for_ns)
{
	for (int64_t end_ns = b->now_ns + for_ns; b->now_ns < end_ns; b->now_ns++)
		for (int i = 0; i < count; i++) {
			if (s[i].next_ns > b->now_ns)
				continue;

			uint32_t q = arrive(b, s[i].flow, 1250);

			s[i].marks += leave(b, q, s[i].flow, 1250) != MARK_PASS;
			s[i].pkts++;
			s[i].next_ns = b->now_ns + s[i].every_ns;
		}
}

/* Table I at a quarter of its rates: of 10 Gb/s, flows want 6.25, 3.125 and twice 1.25, together 11.9.
 * Only the first wants more than its share of 4.375. A new flow is not judged in its first period. */
TEST(test_the_ideal_judge_finds_the_flow_above_its_max_min_share)
{
	struct source s[] = { { .flow = 1, .every_ns = 1600 },
			      { .flow = 2, .every_ns = 3200 },
			      { .flow = 3, .every_ns = 8000 },
			      { .flow = 4, .every_ns = 8000 } };
	struct bench b;

	bench_open(&b, "diffecn(judge=ideal, rtt=160us)");
	run_sources(&b, s, 4, 160000);
	for (int i = 0; i < 4; i++) {
		CHECK_INT(s[i].marks, 0);
		s[i].pkts = 0;
	}
	run_sources(&b, s, 4, 800000);
	CHECK_INT(s[0].marks, s[0].pkts);
	CHECK_INT(s[0].pkts, 500);
	for (int i = 1; i < 4; i++)
		CHECK_INT(s[i].marks, 0);
	bench_close(&b);
}

/* Without F3 and F4 all fits, though F1 has more than half. */
TEST(test_the_ideal_judge_marks_nobody_while_all_fits)
{
	struct source s[] = { { .flow = 1, .every_ns = 1600 }, { .flow = 2, .every_ns = 3200 } };
	struct bench b;

	bench_open(&b, "diffecn(judge=ideal, rtt=160us)");
	run_sources(&b, s, 2, 1600000);
	CHECK_INT(s[0].marks + s[1].marks, 0);
	bench_close(&b);
}

/* 10 Gb/s are 200,000 B in 160 us, and a packet has up to 1514: one flow may send 161 packets of 1250 B
 * (201,250) and not 162 (202,500). With excess=1/4 it may send 251,514: 201 packets and not 202. */
TEST(test_the_ideal_judge_allows_one_packet_and_the_excess)
{
	static const struct {
		const char *spec;
		int allowed;
	} cases[] = { { "diffecn(judge=ideal, rtt=160us)", 161 },
		      { "diffecn(judge=ideal, rtt=160us, excess=1/4)", 201 } };

	for (int i = 0; i < 4; i++) {
		struct bench b;

		bench_open(&b, cases[i / 2].spec);
		for (int k = 0; k < cases[i / 2].allowed + i % 2; k++, b.now_ns += 10)
			arrive(&b, 1, 1250);
		b.now_ns = 160000;
		CHECK_INT(leave(&b, 1, 1, 1250) != MARK_PASS, i % 2);
		b.now_ns = 2 * 160000; /* the last period was silent */
		CHECK_INT(leave(&b, 1, 1, 1250), MARK_PASS);
		bench_close(&b);
	}
}

/* By hand: equations (3) and (4), rates being right. */
TEST(test_accuracy_and_recall_count_right_judgements)
{
	struct bench b;

	bench_open(&b, "diffecn(score=yes, rtt=160us, lambda=1/16)"); /* 12,500 B: 10 packets */
	for (int i = 0; i < 320; i++, b.now_ns += 500)
		arrive(&b, 1, 1250); /* 20 Gb/s for a period: twice its share */
	CHECK(isnan(value(&b, "accuracy")));
	for (int i = 0; i < 320; i++)
		CHECK_INT(leave(&b, 1, 1, 1250), i < 309 ? MARK_CE : MARK_PASS);
	/* The queue found 309 of 320. */
	CHECK_NEAR(value(&b, "accuracy"), 309. / 320, 1e-12);
	CHECK_NEAR(value(&b, "recall"), 309. / 320, 1e-12);
	b.now_ns +=
		1000000; /* a burst of 30 packets after silence: 19 marks that rates do not ask for */
	arrive_many(&b, 1, 1250, 30);
	for (int i = 0; i < 30; i++)
		leave(&b, 1, 1, 1250);
	CHECK_NEAR(value(&b, "accuracy"), (309. + 11) / 350, 1e-12);
	CHECK_NEAR(value(&b, "recall"), 309. / 320, 1e-12);
	bench_close(&b);
}

/* --- pftcn: section VI-C6 --- */

/* lambda RTT = 0.17 x 192 us = 32,640 ns; the queue's length does not matter. */
TEST(test_pftcn_marks_by_time_in_a_queue_of_the_flows_own)
{
	struct bench b;

	bench_open(&b, "pftcn");
	arrive_many(&b, 1, FULL_BYTES, 100);
	CHECK_INT(arrive(&b, 2, FULL_BYTES), 2);
	CHECK_INT(leave_after(&b, 1, 1, FULL_BYTES, 32640), MARK_PASS);
	CHECK_INT(leave_after(&b, 1, 1, FULL_BYTES, 32641), MARK_CE);
	CHECK_INT(leave_after(&b, 2, 2, FULL_BYTES, 32641), MARK_CE);
	CHECK_INT(arrive(&b, 3, FULL_BYTES), 2);
	bench_close(&b);
	bench_open(&b, "pftcn(threshold=11us)");
	arrive_many(&b, 1, FULL_BYTES, 2);
	CHECK_INT(leave_after(&b, 1, 1, FULL_BYTES, 11000), MARK_PASS);
	CHECK_INT(leave_after(&b, 1, 1, FULL_BYTES, 11001), MARK_CE);
	bench_close(&b);
}

/* --- options --- */

TEST(test_ports_are_laid_out_with_one_queue_before_the_others)
{
	static const char *const specs[] = { "diffecn(queues=20, quantum=9000B)",
					     "pftcn(queues=20, quantum=9000B)" };

	for (int i = 0; i < 2; i++) {
		_Alignas(8) unsigned char params[SPEC_PARAMS_MAX];
		const struct mark_ops *ops;
		struct mark_layout layout;
		struct error e = { "" };

		CHECK_INT(mark_parse(specs[i], &ops, params, &e), 0);
		ops->layout(params, &layout);
		CHECK_INT(layout.queues, 20);
		CHECK_STR(layout.scheduler, "sp-dwrr(priority-queues=1, quantum=9000B)");
		CHECK_INT(mark_state_size(ops, params) % 8, 0);
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
		{ "pftcn(pass-limit=1001pkts)", "pftcn: pass-limit is at most 1000pkts" },
		{ "pftcn(quantum=10B)", "quantum" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_Alignas(8) unsigned char params[SPEC_PARAMS_MAX];
		const struct mark_ops *ops;
		struct error e = { "" };

		if (mark_parse(cases[i][0], &ops, params, &e) != -1)
			test_fail(__FILE__, __LINE__, "'%s' was accepted", cases[i][0]);
		CHECK_CONTAINS(e.text, cases[i][1]);
	}
}
