/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flow_count.c -- counting flows as PRED's Algorithm 1 does, with its two kinds of
 * conflicts. */
#include "lib/mark/flow_count.h"
#include "tests/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD_NS = 1000, INDEX_BITS = 10, PLACES = 1 << INDEX_BITS };

/* A counter, its clock, and which of the two it is. */
struct counter {
	struct flow_count *count;
	int64_t now_ns;
	uint32_t index_bits; /* 0: bitmap */
};

static void counter_open(struct counter *c, uint32_t index_bits)
{
	*c = (struct counter){ calloc(1, flow_count_size(index_bits)), 0, index_bits };
	CHECK(c->count != NULL);
}

static uint32_t pass(struct counter *c, uint32_t flow)
{
	if (c->index_bits)
		return flow_count_table(c->count, PERIOD_NS, (1u << c->index_bits) - 1, flow,
					c->now_ns);
	return flow_count_bitmap(c->count, PERIOD_NS, flow, c->now_ns);
}

/* The next interval begins with a packet, which is not counted. */
static void turn(struct counter *c)
{
	c->now_ns += PERIOD_NS + 1;
	pass(c, 0);
}

/* --- what is counted --- */

TEST(test_packets_of_a_flow_count_once_an_interval)
{
	for (uint32_t bits = 0; bits <= INDEX_BITS; bits += INDEX_BITS) {
		struct counter c;

		counter_open(&c, bits);
		for (int i = 0; i < 100; i++)
			CHECK_INT(pass(&c, 7), 1);
		CHECK_INT(pass(&c, 8), 2);
		CHECK_INT(pass(&c, 7), 2);
		free(c.count);
	}
}

/* PRED, Figure 8(b) and Algorithm 1: N is the larger of the last interval's count and this one's; a
 * smaller N is known an interval late. The packet on which an interval begins is not counted. */
TEST(test_estimate_is_the_larger_of_this_and_the_last_interval)
{
	for (uint32_t bits = 0; bits <= INDEX_BITS; bits += INDEX_BITS) {
		struct counter c;

		counter_open(&c, bits);
		CHECK_INT(pass(&c, 1), 1);
		CHECK_INT(pass(&c, 2), 2);
		CHECK_INT(pass(&c, 3), 3);
		c.now_ns = PERIOD_NS; /* not yet more than a period */
		CHECK_INT(pass(&c, 4), 4);
		c.now_ns = PERIOD_NS + 1;
		CHECK_INT(pass(&c, 1), 4); /* begins an interval */
		CHECK_INT(c.count->now, 0);
		CHECK_INT(pass(&c, 1), 4);
		CHECK_INT(pass(&c, 2), 4);
		CHECK_INT(c.count->now, 2);
		c.now_ns = 2 * (PERIOD_NS + 1);
		CHECK_INT(pass(&c, 1), 2); /* the four are forgotten now */
		CHECK_INT(pass(&c, 1), 2);
		free(c.count);
	}
}

/* Nothing is cleared, and yet every flow counts again: its hash is another. */
TEST(test_a_table_counts_anew_in_every_interval)
{
	struct counter c;

	counter_open(&c, INDEX_BITS);
	for (int interval = 0; interval < 1000; interval++) {
		for (int i = 0; i < 5; i++)
			pass(&c, 12345);
		CHECK_INT(c.count->now, 1);
		turn(&c);
	}
	free(c.count);
}

/* --- appendix C: the two kinds of conflicts --- */

static uint32_t place_of(uint32_t flow)
{
	return flow_count_hash(flow, 0) & (PLACES - 1);
}

/* A flow with another hash in the first interval, but the same place in the table. */
static uint32_t find_position_conflict(uint32_t flow)
{
	uint32_t other = flow + 1;

	while (place_of(other) != place_of(flow))
		other++;
	CHECK(flow_count_hash(other, 0) != flow_count_hash(flow, 0));
	return other;
}

TEST(test_position_conflict_of_alternating_flows_counts_every_packet)
{
	uint32_t a = 1, b = find_position_conflict(a);
	struct counter c;

	counter_open(&c, INDEX_BITS);
	for (uint32_t i = 0; i < 50; i++) {
		CHECK_INT(pass(&c, a), 2 * i + 1);
		CHECK_INT(pass(&c, b), 2 * i + 2);
	}
	free(c.count);
}

TEST(test_position_conflict_of_flows_one_after_the_other_counts_two)
{
	uint32_t a = 1, b = find_position_conflict(a);
	struct counter c;

	counter_open(&c, INDEX_BITS);
	for (int i = 0; i < 50; i++)
		CHECK_INT(pass(&c, a), 1);
	for (int i = 0; i < 50; i++)
		CHECK_INT(pass(&c, b), 2);
	free(c.count);
}

/* In another interval the two have other places. */
TEST(test_a_position_conflict_lasts_one_interval)
{
	uint32_t a = 1, b = find_position_conflict(a);
	struct counter c;

	counter_open(&c, INDEX_BITS);
	turn(&c);
	CHECK((flow_count_hash(a, 1) & (PLACES - 1)) != (flow_count_hash(b, 1) & (PLACES - 1)));
	for (int i = 0; i < 50; i++) {
		pass(&c, a);
		pass(&c, b);
	}
	CHECK_INT(c.count->now, 2);
	free(c.count);
}

static int by_hash(const void *a, const void *b)
{
	uint32_t x = flow_count_hash(*(const uint32_t *)a, 0);
	uint32_t y = flow_count_hash(*(const uint32_t *)b, 0);

	return (x > y) - (x < y);
}

/* Among 300,000 flows about 300000^2 / 2^33 = 10 pairs share all 32 bits. */
TEST(test_hash_conflict_counts_two_flows_as_one)
{
	enum { FLOWS = 300000 };
	uint32_t *flow = malloc(FLOWS * sizeof(*flow));
	int pairs = 0;

	CHECK(flow != NULL);
	for (uint32_t i = 0; i < FLOWS; i++)
		flow[i] = i;
	qsort(flow, FLOWS, sizeof(*flow), by_hash);
	for (uint32_t i = 0; i + 1 < FLOWS; i++) {
		struct counter c;

		if (by_hash(&flow[i], &flow[i + 1]) != 0)
			continue;
		pairs++;
		counter_open(&c, INDEX_BITS);
		for (int k = 0; k < 20; k++) {
			CHECK_INT(pass(&c, flow[i]), 1);
			CHECK_INT(pass(&c, flow[i + 1]), 1);
		}
		free(c.count);
	}
	CHECK(pairs > 0 && pairs < 40);
	free(flow);
}

/* --- the bitmap of section 4.3 --- */

static uint32_t bit_of(uint32_t flow)
{
	return (uint32_t)(flow_count_hash(flow, 0) * UINT64_C(120) >> 32);
}

TEST(test_flows_that_share_a_bit_count_as_one)
{
	uint32_t other = 2;
	struct counter c;

	while (bit_of(other) != bit_of(1))
		other++;
	counter_open(&c, 0);
	for (int i = 0; i < 20; i++) {
		CHECK_INT(pass(&c, 1), 1);
		CHECK_INT(pass(&c, other), 1);
	}
	free(c.count);
}

/* n random flows meet 120 (1 - (1 - 1/120)^n) bits in the mean: 16.9 for 18, 78.2 for 126. The
 * number of bits met varies by less than sqrt(n) / 2. */
TEST(test_a_bitmap_counts_as_many_flows_as_it_has_bits_for)
{
	static const uint32_t flows[] = { 1, 18, 126, 2000 };

	for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		enum { INTERVALS = 2000 };
		double mean = 0, expected = 120 * (1 - pow(1 - 1 / 120.0, flows[i]));
		struct counter c;

		counter_open(&c, 0);
		for (uint32_t k = 0; k < INTERVALS; k++) {
			turn(&c);
			for (uint32_t n = 0; n < flows[i]; n++)
				pass(&c, (uint32_t)weir_mix64((uint64_t)k << 32 | n));
			CHECK(c.count->now <= 120);
			mean += (double)c.count->now / INTERVALS;
		}
		CHECK_NEAR(mean, expected, 4 * sqrt(flows[i]) / 2 / sqrt(INTERVALS) + 1e-6);
		free(c.count);
	}
}

TEST(test_a_bitmap_needs_no_table)
{
	CHECK_INT(sizeof(struct flow_count) % 8, 0);
	CHECK_INT(flow_count_size(INDEX_BITS), sizeof(struct flow_count) + 4096);
}
