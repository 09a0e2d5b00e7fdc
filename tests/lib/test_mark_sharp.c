/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark_sharp.c -- ECN#: its two conditions, the persistent schedule by hand, and what it does
 * to a standing queue. */
#include "tests/mark_fixture.h"
#include "tests/sim.h"

enum {
	INSTANTANEOUS = WEIR_MARK_CE,
	PERSISTENT = WEIR_MARK_CE | 1 << WEIR_MARK_VERDICT_BITS,
	US = WEIR_NS_PER_US,
};

/* A packet departs that queued so long. */
static uint32_t sharp_at(struct marker *m, int64_t now_ns, int64_t sojourn_ns)
{
	struct weir_mark_view v = { .now_ns = now_ns, .sojourn_ns = sojourn_ns };

	return marker_dequeue(m, &v);
}

TEST(test_ecn_sharp_marks_at_once_above_threshold_only)
{
	struct marker m;

	marker_make(&m, "ecn-sharp(threshold=80us)");
	CHECK_INT(sharp_at(&m, 1000, 80 * US), WEIR_MARK_PASS);
	CHECK_INT(sharp_at(&m, 1001, 80 * US + 1), INSTANTANEOUS);
	CHECK_INT(sharp_at(&m, 1002, 80 * US), WEIR_MARK_PASS);
	CHECK_STR(m.ops->reasons[0], "instantaneous");
	CHECK_STR(m.ops->reasons[1], "persistent");
	CHECK(m.ops->enqueue == NULL);
}

/* By hand, pst-interval 150 us, at target from 0 on: the first packet after 150 us is marked, the
 * next 150 us later, then 150 / sqrt 2 = 106.066, 150 / sqrt 3 = 86.602, 150 / sqrt 4 = 75. */
TEST(test_ecn_sharp_marks_a_standing_queue_by_the_control_law)
{
	static const int64_t due_ns[] = { 150001, 300001, 406067, 492669, 567669 };
	struct marker m;

	marker_make(&m, "ecn-sharp(threshold=80us, pst-target=10us, pst-interval=150us)");
	CHECK_INT(sharp_at(&m, 0, 10 * US), WEIR_MARK_PASS);
	for (size_t i = 0; i < sizeof(due_ns) / sizeof(due_ns[0]); i++) {
		CHECK_INT(sharp_at(&m, due_ns[i] - 1, 20 * US), WEIR_MARK_PASS);
		CHECK_INT(sharp_at(&m, due_ns[i], 20 * US), PERSISTENT);
		CHECK_NEAR(marker_value(&m, "count"), i + 1, 0);
	}
}

/* Below the target once: a whole interval must pass again, and the steps start anew. */
TEST(test_ecn_sharp_starts_again_after_a_short_queue)
{
	struct marker m;

	marker_make(&m, "ecn-sharp(threshold=80us, pst-target=10us, pst-interval=150us)");
	sharp_at(&m, 0, 20 * US);
	CHECK_INT(sharp_at(&m, 151 * US, 20 * US), PERSISTENT);
	CHECK_INT(sharp_at(&m, 301 * US, 20 * US), PERSISTENT);
	CHECK_INT(sharp_at(&m, 310 * US, 10 * US - 1), WEIR_MARK_PASS);
	CHECK_NEAR(marker_value(&m, "count"), 0, 0);
	CHECK_INT(sharp_at(&m, 320 * US, 20 * US), WEIR_MARK_PASS);
	CHECK_INT(sharp_at(&m, 470 * US, 20 * US), WEIR_MARK_PASS);
	CHECK_INT(sharp_at(&m, 470 * US + 1, 20 * US), PERSISTENT);
	CHECK_INT(sharp_at(&m, 620 * US, 20 * US), WEIR_MARK_PASS);
	CHECK_INT(sharp_at(&m, 620 * US + 1, 20 * US), PERSISTENT);
}

/* A packet bears one mark. The one that was due has then been made: the next is an interval
 * later. */
TEST(test_ecn_sharp_counts_a_packet_that_is_marked_at_once)
{
	struct marker m;

	marker_make(&m, "ecn-sharp(threshold=80us, pst-target=10us, pst-interval=150us)");
	sharp_at(&m, 0, 20 * US);
	CHECK_INT(sharp_at(&m, 151 * US, 90 * US), INSTANTANEOUS);
	CHECK_INT(sharp_at(&m, 152 * US, 20 * US), WEIR_MARK_PASS);
	CHECK_INT(sharp_at(&m, 300 * US, 20 * US), WEIR_MARK_PASS);
	CHECK_INT(sharp_at(&m, 301 * US, 20 * US), PERSISTENT);
}

/* Nothing departs for 600 us: one mark, not the five that were due. The next 150 / sqrt 2 later. */
TEST(test_ecn_sharp_makes_up_for_nothing)
{
	struct marker m;

	marker_make(&m, "ecn-sharp(threshold=80us, pst-target=10us, pst-interval=150us)");
	sharp_at(&m, 0, 20 * US);
	CHECK_INT(sharp_at(&m, 151 * US, 20 * US), PERSISTENT);
	CHECK_INT(sharp_at(&m, 751 * US, 20 * US), PERSISTENT);
	CHECK_INT(sharp_at(&m, 752 * US, 20 * US), WEIR_MARK_PASS);
	CHECK_INT(sharp_at(&m, 751 * US + 106065, 20 * US), WEIR_MARK_PASS);
	CHECK_INT(sharp_at(&m, 751 * US + 106066, 20 * US), PERSISTENT);
}

TEST(test_ecn_sharp_refuses_what_makes_no_sense)
{
	static const char *const cases[][2] = {
		{ "ecn-sharp(pst-target=81us)",
		  "ecn-sharp: pst-target is above threshold, so every packet above it is marked "
		  "anyway" },
		{ "ecn-sharp(pst-interval=0us)",
		  "ecn-sharp: pst-interval: '0us' is out of range; allowed: 1ns to 1s" },
		{ "ecn-sharp(pst-target=0us)",
		  "ecn-sharp: pst-target: '0us' is out of range; allowed: 1ns to 1s" },
	};
	struct weir_error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(marker_refusal(cases[i][0], &e), cases[i][1]);
}

/* --- in a network --- */

/* Mean queue of long DCTCP flows into one port, round trips of 80 us; the line must stay busy. */
static double mean_queue_pkts(const char *marking, int flows)
{
	double mean;
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = %d\nrate = 10Gbps\ndelay = 20us\n"
		 "[switch]\nmarking = %s\nbuffer = 1000pkts\n"
		 "[traffic x]\npattern = many-to-one\nsize = unlimited\nstart = 0us..100us\n"
		 "[measure]\nfrom = 20ms\nto = 70ms\nport = sw->h0\n",
		 flows + 1, marking);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	CHECK(sim_metric(&s, "utilisation") > 0.999);
	mean = sim_metric(&s, "queue_mean_pkts");
	sim_end(&s);
	return mean;
}

/* With two flows next to nothing stands; the more flows, the less a mark now and then does. */
TEST(test_ecn_sharp_keeps_a_shorter_queue_than_tcn_at_full_throughput)
{
	static const struct {
		int flows;
		double at_most; /* of TCN's queue */
	} cases[] = { { 2, 0.3 }, { 8, 0.8 }, { 32, 0.9 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double tcn = mean_queue_pkts("tcn(threshold=80us)", cases[i].flows);
		double sharp = mean_queue_pkts("ecn-sharp(threshold=80us)", cases[i].flows);

		printf("%d flows: %.1f pkts under tcn, %.1f under ecn-sharp\n", cases[i].flows, tcn,
		       sharp);
		CHECK(sharp < cases[i].at_most * tcn);
	}
}
