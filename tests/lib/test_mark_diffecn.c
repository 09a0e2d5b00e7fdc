/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark_diffecn.c -- whom DiffECN marks, and what its ideal would: Huang et al., "DiffECN", ToN
 * 2024, with its numbers worked out by hand. Also pftcn, which has the same queues. */
#include "tests/flow_bench.h"
#include <math.h>

enum { CELL_BYTES = 80 };

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
	while (leave(&b, 1, 1, CELL_BYTES) == WEIR_MARK_CE);
	bench_close(&b);
	return left;
}

/* Section VI-B1: 510 cells of 80 bytes for one flow and 255 for two, at 10 Gb/s. Its round-trip
 * time is given as 0.19 ms: 0.17 x 0.19 ms x 10 Gb/s = 40,375 B are 504 cells, 0.192 ms is what
 * fits: 0.17 x 192 us x 1.25 B/ns = 40,800 B = 510 x 80 B. Three flows: 13,600 B = 170 cells. */
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

/* 40,800 B over 31 flows in 31 queues of their own, and over 32 however many more there are: the
 * first queue is a queue too. 1316 B = 16.45 cells; 1275 B = 15.9 cells. */
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
	CHECK_INT(leave(&b, 1, 1, FULL_BYTES), WEIR_MARK_CE);
	CHECK_INT(leave(&b, 2, 2, FULL_BYTES), WEIR_MARK_PASS);
	CHECK_INT(value(&b, "flows"), 2);
	CHECK_INT(value(&b, "threshold"), 20400);
	drain(&b, 2);
	CHECK_INT(leave(&b, 1, 1, FULL_BYTES), WEIR_MARK_PASS);
	CHECK_INT(value(&b, "flows"), 1);
	CHECK_INT(value(&b, "threshold"), 40800);
	CHECK(isnan(value(&b, "accuracy")) && isnan(value(&b, "recall")));
	bench_close(&b);
}

/* Fig. 11: flows seen in the last period or in this one, whichever are more; 1.5 x 192 us are 288
 * us. The packet that begins a period is not counted. */
TEST(test_the_periodic_count_is_of_flows_seen_in_a_period)
{
	struct bench b;

	bench_open(&b, "diffecn(count=periodic, release=drained)");
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

			s[i].marks += leave(b, q, s[i].flow, 1250) != WEIR_MARK_PASS;
			s[i].pkts++;
			s[i].next_ns = b->now_ns + s[i].every_ns;
		}
}

/* Table I at a quarter of its rates: of 10 Gb/s, flows want 6.25, 3.125 and twice 1.25, together
 * 11.9. Only the first wants more than its share of 4.375. A new flow is not judged in its first
 * period. */
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

/* Without F3 and F4 all fits, though F1 has more than half. A third flow takes it beyond the line,
 * and when that is silent all fits again, after the period that was measured before. */
TEST(test_the_ideal_judge_marks_nobody_while_all_fits)
{
	struct source s[] = { { .flow = 1, .every_ns = 1600 },
			      { .flow = 2, .every_ns = 3200 },
			      { .flow = 3, .every_ns = 3200 } };
	struct bench b;

	bench_open(&b, "diffecn(judge=ideal, rtt=160us)");
	run_sources(&b, s, 2, 1600000);
	CHECK_INT(s[0].marks + s[1].marks, 0);
	s[2].next_ns = b.now_ns;
	run_sources(&b, s, 3, 480000);
	CHECK_INT(s[0].marks, 200); /* in two periods of the three */
	run_sources(&b, s, 2, 480000);
	CHECK_INT(s[0].marks, 300);
	CHECK_INT(s[1].marks + s[2].marks, 0);
	bench_close(&b);
}

/* 10 Gb/s are 200,000 B in 160 us, and a packet has up to 1514: one flow may send 161 packets of
 * 1250 B (201,250) and not 162 (202,500). With excess=1/4 it may send 251,514: 201 packets and not
 * 202. */
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
		CHECK_INT(leave(&b, 1, 1, 1250) != WEIR_MARK_PASS, i % 2);
		b.now_ns = 2 * 160000; /* the last period was silent */
		CHECK_INT(leave(&b, 1, 1, 1250), WEIR_MARK_PASS);
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
		CHECK_INT(leave(&b, 1, 1, 1250), i < 309 ? WEIR_MARK_CE : WEIR_MARK_PASS);
	/* The queue found 309 of 320. */
	CHECK_NEAR(value(&b, "accuracy"), 309. / 320, 1e-12);
	CHECK_NEAR(value(&b, "recall"), 309. / 320, 1e-12);
	/* A burst of 30 packets after silence: 19 marks that rates do not ask for. */
	b.now_ns += 1000000;
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
	CHECK_INT(leave_after(&b, 1, 1, FULL_BYTES, 32640), WEIR_MARK_PASS);
	CHECK_INT(leave_after(&b, 1, 1, FULL_BYTES, 32641), WEIR_MARK_CE);
	CHECK_INT(leave_after(&b, 2, 2, FULL_BYTES, 32641), WEIR_MARK_CE);
	CHECK_INT(arrive(&b, 3, FULL_BYTES), 3); /* 2 is still its flow's */
	bench_close(&b);
	bench_open(&b, "pftcn(release=drained)");
	arrive(&b, 2, FULL_BYTES);
	drain(&b, 1);
	CHECK_INT(arrive(&b, 3, FULL_BYTES), 1);
	bench_close(&b);
	bench_open(&b, "pftcn(threshold=11us)");
	arrive_many(&b, 1, FULL_BYTES, 2);
	CHECK_INT(leave_after(&b, 1, 1, FULL_BYTES, 11000), WEIR_MARK_PASS);
	CHECK_INT(leave_after(&b, 1, 1, FULL_BYTES, 11001), WEIR_MARK_CE);
	bench_close(&b);
}
