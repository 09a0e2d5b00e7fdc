/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark_edges.c -- schemes exactly at the edges of what they compare. */
#include "lib/mark/red_common.h"
#include "tests/mark_fixture.h"
#include "weir/packet.h"

#define MS (INT64_C(1000) * 1000)

/* A packet leaves a long queue after so long in it. */
static uint32_t leave(struct marker *m, int64_t now_ns, int64_t sojourn_ns)
{
	const struct weir_mark_view v = { .now_ns = now_ns,
					  .sojourn_ns = sojourn_ns,
					  .queue_bytes = 1000000,
					  .queue_pkts = 700 };

	return marker_dequeue(m, &v);
}

/* Marks from 100 ms on; five of them, of which the next state of marking earns four. The last was
 * due at 500 ms, at 100 + 100 (1 + 1/sqrt 2 + 1/sqrt 3 + 1/sqrt 4) = 378.4 + 44.7 ms. */
static void mark_five(struct marker *m)
{
	marker_make(m, "codel(target=5ms, interval=100ms)");
	leave(m, 0, 9 * MS);
	for (int64_t now = 100 * MS; now < 400 * MS; now += MS)
		leave(m, now, 9 * MS);
	CHECK_INT(marker_value(m, "count"), 5);
	leave(m, 400 * MS, MS); /* below target: marking ends */
}

/* RFC 8289, section 5.4 and appendix: less than 16 intervals after the next mark would have been
 * due the rate that worked is taken up again; from then on it is forgotten. */
TEST(test_codel_remembers_its_rate_for_16_intervals)
{
	struct marker m;
	int64_t due_ns = 0;

	/* The next of the five would have been due at 423.1 ms: between 15 and 16 intervals later
	 * it counts ... */
	mark_five(&m);
	due_ns = 423 * MS;
	leave(&m, due_ns + 1450 * MS, 9 * MS);
	CHECK_INT(leave(&m, due_ns + 1590 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(marker_value(&m, "count"), 4);
	/* ... and after 16 it does not. */
	mark_five(&m);
	leave(&m, due_ns + 1450 * MS, 9 * MS);
	CHECK_INT(leave(&m, due_ns + 1610 * MS, 9 * MS), WEIR_MARK_CE);
	CHECK_INT(marker_value(&m, "count"), 1);
}

/* With probability 0 nothing is marked, whatever is drawn; with 1 everything. */
TEST(test_ramp_of_probability_zero_never_hits_and_of_one_always)
{
	CHECK_INT(ramp_hits(0, 0, 5, 10), 0);
	CHECK_INT(ramp_hits(0, WEIR_ONE_Q32, 0, 10), 0);
	CHECK_INT(ramp_hits(UINT32_MAX, WEIR_ONE_Q32, 10, 10), 1);
	CHECK_INT(ramp_hits(UINT32_C(1) << 31, WEIR_ONE_Q32, 5, 10), 0);
	CHECK_INT(ramp_hits((UINT32_C(1) << 31) - 1, WEIR_ONE_Q32, 5, 10), 1);
}

/* Where a scheme has a way without a view, it decides as with one: of each length, packets and
 * bytes apart. */
TEST(test_fast_hooks_decide_as_those_with_a_view)
{
	static const char *const specs[] = { "ecn(k=30KB)", "ecn(k=20pkts)",
					     "red(min=30KB, max=30KB)",
					     "red(min=10KB, max=60KB, p=0.5)" };

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct marker fast, slow;

		marker_make(&fast, specs[i]);
		marker_make(&slow, specs[i]);
		CHECK(fast.ops->fast_hooks && fast.ops->fast_hooks->suffice(fast.params));
		for (uint32_t bytes = 0; bytes <= 90000; bytes += 500) {
			const struct weir_queue q = { .bytes = bytes, .pkts = bytes / 1500 };
			const struct weir_packet packet = { .bytes = 1500,
							    .flags = WEIR_PACKET_ECT };
			const struct weir_mark_view v = { .packet_bytes = 1500,
							  .queue_bytes = q.bytes,
							  .queue_pkts = q.pkts,
							  .ecn = WEIR_PACKET_ECT };

			CHECK_INT(fast.ops->fast_hooks->enqueue(fast.state, fast.params, &packet, 0,
								&q),
				  marker_enqueue(&slow, &v));
		}
	}
}

/* A byte below pool-max the line decides, and with p = 0 it marks nothing; at pool-max every packet
 * is marked. */
TEST(test_bcc_marks_every_packet_from_pool_max_on)
{
	struct weir_mark_view v = { .ecn = WEIR_PACKET_ECT };
	struct marker m;

	marker_make(&m, "bcc(k=72KB, pool-min=180KB, pool-max=260KB, p=0)");
	v.shared_buffer_bytes = 259999;
	CHECK_INT(marker_enqueue(&m, &v), WEIR_MARK_PASS);
	v.shared_buffer_bytes = 260000;
	CHECK(marker_enqueue(&m, &v) != WEIR_MARK_PASS);
}
