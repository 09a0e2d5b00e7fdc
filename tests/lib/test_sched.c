/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sched.c -- schedulers: worked examples by hand, shares, the bounds of the papers,
 * contract. */
#include "lib/sched/queues.h"
#include "tests/test.h"
#include "weir/rng.h"
#include "weir/sched.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A port reduced to what a scheduler sees. Packets of a queue are the numbers of a ring. */
enum { RING = 64, STATE_MAX = 8192 };

struct fake_queue {
	uint32_t bytes[RING];
	uint32_t first;
};

struct bench {
	const struct weir_sched_ops *ops;
	uint32_t count;
	struct weir_queue queues[WEIR_QUEUES_MAX];
	struct fake_queue packets[WEIR_QUEUES_MAX];
	uint64_t sent_bytes[WEIR_QUEUES_MAX], sent_pkts[WEIR_QUEUES_MAX];
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[STATE_MAX];
};

static void bench_make(struct bench *b, const char *spec, uint32_t queues)
{
	struct weir_error e = { "" };

	memset(b, 0, sizeof(*b));
	memset(b->params, 0x5a, sizeof(b->params));
	b->count = queues;
	if (weir_sched_parse(spec, queues, &b->ops, b->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(b->ops->state_size + queues * b->ops->queue_state_size <= STATE_MAX);
	/* What lies behind the scheduler's own memory must stay as it is. */
	memset(b->state, 0x77, sizeof(b->state));
	memset(b->state, 0, b->ops->state_size + queues * b->ops->queue_state_size);
	if (b->ops->init)
		b->ops->init(b->state, b->params, queues);
}

static void bench_add(struct bench *b, uint32_t q, uint32_t bytes)
{
	struct weir_queue *queue = &b->queues[q];

	CHECK(queue->pkts < RING);
	b->packets[q].bytes[(b->packets[q].first + queue->pkts) % RING] = bytes;
	queue->bytes += bytes;
	if (queue->pkts++ == 0) {
		queue->head_bytes = bytes;
		if (b->ops->activate)
			b->ops->activate(b->state, b->params, q, b->queues);
	}
}

/* Serves one packet; returns its queue. */
static uint32_t bench_serve(struct bench *b)
{
	uint32_t q = b->ops->pick(b->state, b->params, b->queues), bytes;
	struct weir_queue *queue = &b->queues[q];

	CHECK(q < b->count && queue->pkts > 0);
	/* Asking again changes nothing. */
	CHECK_INT(b->ops->pick(b->state, b->params, b->queues), q);
	bytes = queue->head_bytes;
	b->packets[q].first = (b->packets[q].first + 1) % RING;
	queue->pkts--;
	queue->bytes -= bytes;
	queue->head_bytes = queue->pkts ? b->packets[q].bytes[b->packets[q].first] : 0;
	b->sent_bytes[q] += bytes;
	b->sent_pkts[q]++;
	if (b->ops->sent)
		b->ops->sent(b->state, b->params, q, bytes, b->queues);
	return q;
}

/* Serves n packets and writes their queues as letters: "aab". */
static const char *bench_order(struct bench *b, int n, char *order)
{
	for (int i = 0; i < n; i++)
		order[i] = (char)('a' + bench_serve(b));
	order[n] = '\0';
	return order;
}

static void bench_fill(struct bench *b, uint32_t q, uint32_t bytes, int n)
{
	for (int i = 0; i < n; i++)
		bench_add(b, q, bytes);
}

/* --- the set of busy queues --- */

TEST(test_busy_queues_are_found_in_order_and_round)
{
	static const uint32_t members[] = { 0, 5, 63, 64, 100, 127 };
	struct busy b = { { 0 } };
	uint32_t q = 127;

	CHECK_INT(busy_from(&b, 0), WEIR_QUEUES_MAX);
	for (size_t i = 0; i < 6; i++)
		busy_add(&b, members[i]);
	for (size_t i = 0; i < 12; i++) {
		q = busy_after(&b, q, busy_from(&b, 0));
		CHECK_INT(q, members[i % 6]);
	}
	CHECK_INT(busy_from(&b, 6), 63);
	CHECK_INT(busy_from(&b, 64), 64);
	CHECK_INT(busy_from(&b, 101), 127);
	CHECK_INT(busy_from(&b, 128), WEIR_QUEUES_MAX);
	busy_remove(&b, 127);
	CHECK_INT(busy_from(&b, 101), WEIR_QUEUES_MAX);
	busy_remove(&b, 64);
	CHECK_INT(busy_from(&b, 64), 100);
	CHECK_INT(busy_after(&b, 100, 0), 0);
	CHECK_INT(busy_after(&b, 63, 0), 100);
	busy_remove(&b, 100);
	CHECK_INT(busy_after(&b, 63, 0), 0);
	CHECK_INT(busy_after(&b, 5, 0), 63);
}

/* --- worked by hand --- */

TEST(test_sp_serves_the_lowest_queue_first)
{
	char order[16];
	struct bench b;

	bench_make(&b, "sp", 3);
	bench_fill(&b, 2, 1500, 2);
	bench_fill(&b, 1, 1500, 2);
	CHECK_STR(bench_order(&b, 1, order), "b");
	bench_fill(&b, 0, 64, 2);
	CHECK_STR(bench_order(&b, 5, order), "aabcc");
}

TEST(test_wrr_serves_as_many_packets_as_the_weight)
{
	char order[16];
	struct bench b;

	bench_make(&b, "wrr(weights=3:1:2)", 3);
	for (uint32_t q = 0; q < 3; q++)
		bench_fill(&b, q, q == 1 ? 9000 : 64, 10);
	CHECK_STR(bench_order(&b, 12, order), "aaabccaaabcc");
	bench_make(&b, "wrr", 2);
	bench_fill(&b, 0, 100, 1);
	bench_fill(&b, 1, 100, 3);
	CHECK_STR(bench_order(&b, 4, order), "abbb");
}

/* Quantum 500; queue a holds 200, 750, 20 and queue b 500, 500 (like the paper's figure 2). Round
 * 1: a has 500, sends 200, keeps 300; b sends 500. Round 2: a has 800, sends 750 and 20, is empty;
 * b sends 500. */
TEST(test_dwrr_carries_the_deficit_to_the_next_round)
{
	char order[16];
	struct bench b;

	bench_make(&b, "dwrr(quantum=500B)", 2);
	bench_add(&b, 0, 200);
	bench_add(&b, 0, 750);
	bench_add(&b, 0, 20);
	bench_fill(&b, 1, 500, 2);
	CHECK_STR(bench_order(&b, 5, order), "abaab");
}

TEST(test_dwrr_weights_multiply_the_quantum)
{
	char order[16];
	struct bench b;

	bench_make(&b, "dwrr(quantum=1500B, weights=2:1)", 2);
	bench_fill(&b, 0, 1500, 10);
	bench_fill(&b, 1, 1500, 10);
	CHECK_STR(bench_order(&b, 9, order), "aabaabaab");
}

/* a runs empty with 1400 of its 1500 left; with them it could send two packets in its next turn. */
TEST(test_dwrr_queue_that_ran_empty_starts_without_credit)
{
	char order[16];
	struct bench b;

	bench_make(&b, "dwrr(quantum=1500B)", 2);
	bench_add(&b, 0, 100);
	bench_fill(&b, 1, 1500, 6);
	CHECK_STR(bench_order(&b, 2, order), "ab");
	bench_fill(&b, 0, 1450, 4);
	CHECK_STR(bench_order(&b, 4, order), "abab");
}

TEST(test_dwrr_quantum_below_a_packet_saves_up_over_rounds)
{
	char order[16];
	struct bench b;

	bench_make(&b, "dwrr(quantum=64B)", 2);
	bench_fill(&b, 0, 640, 3);
	bench_fill(&b, 1, 320, 6);
	CHECK_STR(bench_order(&b, 9, order), "babbabbab");
}

/* Start tags with weights 2 and 1, packets of 1000: a 0 500 1000 1500, b 0 1000 2000. Of equal tags
 * the lower queue's goes first. */
TEST(test_wfq_serves_by_start_tag)
{
	char order[16];
	struct bench b;

	bench_make(&b, "wfq(weights=2:1)", 2);
	bench_fill(&b, 0, 1000, 8);
	bench_fill(&b, 1, 1000, 4);
	CHECK_STR(bench_order(&b, 9, order), "abaabaaba");
}

/* b was idle while a sent 10 packets; it gets no more than its turn for that. */
TEST(test_wfq_pays_nothing_for_idle_time)
{
	char order[16];
	struct bench b;

	bench_make(&b, "wfq", 2);
	bench_fill(&b, 0, 1000, 20);
	for (int i = 0; i < 10; i++)
		CHECK_INT(bench_serve(&b), 0);
	bench_fill(&b, 1, 1000, 6);
	CHECK_STR(bench_order(&b, 6, order), "bababa");
}

TEST(test_sp_over_dwrr_and_wfq_serves_priority_first_and_shares_the_rest)
{
	static const char *const specs[] = {
		"sp-dwrr(priority-queues=2, weights=2:1)",
		"sp-wfq(priority-queues=2, weights=2:1)",
	};
	char order[32];
	struct bench b;

	for (size_t i = 0; i < 2; i++) {
		bench_make(&b, specs[i], 4);
		bench_fill(&b, 2, 1500, 12);
		bench_fill(&b, 3, 1500, 6);
		bench_order(&b, 3, order);
		bench_fill(&b, 1, 9000, 2);
		bench_fill(&b, 0, 64, 2);
		CHECK_STR(bench_order(&b, 4, order), "aabb");
		bench_order(&b, 12, order);
		CHECK_INT(b.sent_pkts[2], 10);
		CHECK_INT(b.sent_pkts[3], 5);
	}
}

/* b may send two packets a turn; a packet of higher priority in between does not end its turn. */
TEST(test_sp_dwrr_turn_survives_a_priority_packet)
{
	char order[16];
	struct bench b;

	bench_make(&b, "sp-dwrr(weights=2:1)", 3);
	bench_fill(&b, 1, 1500, 6);
	bench_fill(&b, 2, 1500, 6);
	CHECK_STR(bench_order(&b, 1, order), "b");
	bench_add(&b, 0, 64);
	CHECK_STR(bench_order(&b, 7, order), "abcbbcb");
}

/* Ten packets of b move virtual time on; a packet of higher priority does not turn it back. */
TEST(test_sp_wfq_time_survives_a_priority_packet)
{
	char order[16];
	struct bench b;

	bench_make(&b, "sp-wfq", 3);
	bench_fill(&b, 1, 1500, 20);
	bench_order(&b, 10, order);
	bench_add(&b, 0, 64);
	CHECK_STR(bench_order(&b, 1, order), "a");
	bench_fill(&b, 2, 1500, 6);
	CHECK_STR(bench_order(&b, 6, order), "cbcbcb");
}

/* --- shares --- */

/* Keeps queues first..last busy with random sizes and serves n packets. */
static void bench_saturate(struct bench *b, uint32_t first, struct weir_rng *random, int n)
{
	for (int i = 0; i < n; i++) {
		for (uint32_t q = first; q < b->count; q++)
			while (b->queues[q].pkts < 2)
				bench_add(
					b, q,
					64 + (uint32_t)weir_rng_below(random, q % 2 ? 9000 : 1436));
		bench_serve(b);
	}
}

static void check_shares(const char *spec, uint32_t strict, const uint32_t *weights, uint32_t count)
{
	struct weir_rng random = weir_rng_make(1, 0, WEIR_RNG_TEST);
	uint64_t all_bytes = 0, all_weights = 0;
	struct bench b;

	bench_make(&b, spec, strict + count);
	bench_saturate(&b, strict, &random, 30000);
	for (uint32_t q = 0; q < count; q++) {
		all_bytes += b.sent_bytes[strict + q];
		all_weights += weights[q];
	}
	for (uint32_t q = 0; q < count; q++) {
		double share = (double)b.sent_bytes[strict + q] / (double)all_bytes;
		double due = (double)weights[q] / (double)all_weights;

		CHECK_NEAR(share / due, 1, 0.01);
	}
}

TEST(test_dwrr_and_wfq_share_bytes_by_weight_within_1_percent)
{
	static const uint32_t equal[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint32_t unequal[] = { 4, 2, 1, 1 };
	static const uint32_t odd[] = { 7, 3 };

	check_shares("dwrr", 0, equal, 8);
	check_shares("dwrr(weights=4:2:1:1)", 0, unequal, 4);
	check_shares("dwrr(quantum=9000B, weights=7:3)", 0, odd, 2);
	check_shares("sp-dwrr(priority-queues=3, weights=4:2:1:1)", 3, unequal, 4);
	check_shares("wfq", 0, equal, 8);
	check_shares("wfq(weights=4:2:1:1)", 0, unequal, 4);
	check_shares("wfq(weights=7:3)", 0, odd, 2);
	check_shares("sp-wfq(priority-queues=3, weights=4:2:1:1)", 3, unequal, 4);
}

/* Goyal et al. 1996, theorem 1: two busy queues never differ in service per weight by more than one
 * longest packet each, per weight; at every moment, not only in the end. */
TEST(test_wfq_keeps_the_fairness_bound_at_every_packet)
{
	static const double weights[] = { 5, 3, 1 };
	struct weir_rng random = weir_rng_make(2, 0, WEIR_RNG_TEST);
	struct bench b;

	bench_make(&b, "wfq(weights=5:3:1)", 3);
	for (int i = 0; i < 20000; i++) {
		bench_saturate(&b, 0, &random, 1);
		for (int x = 0; x < 3; x++)
			for (int y = 0; y < x; y++) {
				double longest_x = x % 2 ? 9064 : 1500,
				       longest_y = y % 2 ? 9064 : 1500;
				double gap = (double)b.sent_bytes[x] / weights[x] -
					     (double)b.sent_bytes[y] / weights[y];

				CHECK(fabs(gap) <= longest_x / weights[x] + longest_y / weights[y]);
			}
	}
}

/* Tags wrap after 4 GB of service per weight. A third queue comes and goes: often at first, and
 * then only after 2.6 GB, when its old tag looks as if it lay ahead. */
TEST(test_wfq_stays_fair_when_tags_wrap)
{
	uint64_t busy_rounds = 0;
	struct bench b;

	bench_make(&b, "wfq(weights=2:1:1)", 3);
	for (int i = 0; i < 300000; i++) {
		for (uint32_t q = 0; q < 2; q++)
			while (b.queues[q].pkts < 2)
				bench_add(&b, q, 65535);
		if (i % (i < 60000 ? 1000 : 120000) == 0) {
			bench_add(&b, 2, 65535);
			busy_rounds++;
		}
		bench_serve(&b);
		if (i % 1000 == 999) /* its packet was not kept waiting */
			CHECK_INT(b.sent_pkts[2], busy_rounds);
	}
	CHECK(b.sent_bytes[0] / 2 > UINT64_C(1) << 32);
	CHECK_NEAR((double)b.sent_bytes[0] / (double)b.sent_bytes[1], 2, 0.001);
}

TEST(test_128_queues_are_served_alike)
{
	static const char *const specs[] = { "wrr", "dwrr", "wfq" };
	struct bench b;

	for (size_t i = 0; i < 3; i++) {
		bench_make(&b, specs[i], WEIR_QUEUES_MAX);
		for (uint32_t q = 0; q < WEIR_QUEUES_MAX; q++)
			bench_fill(&b, q, 1500, 10);
		for (int k = 0; k < 5 * WEIR_QUEUES_MAX; k++)
			bench_serve(&b);
		for (uint32_t q = 0; q < WEIR_QUEUES_MAX; q++)
			CHECK_INT(b.sent_pkts[q], 5);
	}
}

/* --- options --- */

TEST(test_schedulers_that_do_not_fit_the_port_are_refused)
{
	static const struct {
		const char *spec;
		uint32_t queues;
		const char *message;
	} cases[] = {
		{ "fifo", 8,
		  "fifo: serves one queue, but the port has 8; take one queue, or a "
		  "scheduler such as sp, dwrr or wfq" },
		{ "dwrr(weights=2:1)", 3,
		  "dwrr: 2 weights for 3 weighted queues; give one for each, or weights=equal" },
		{ "wrr(weights=2:1)", 1,
		  "wrr: 2 weights for 1 weighted queues; give one for each, or weights=equal" },
		{ "wfq(weights=1)", 2,
		  "wfq: 1 weights for 2 weighted queues; give one for each, or weights=equal" },
		{ "sp-wfq(priority-queues=2, weights=2:1:1)", 4,
		  "sp-wfq: 3 weights for 2 weighted queues; give one for each, or weights=equal" },
		{ "sp-dwrr(priority-queues=4)", 4,
		  "sp-dwrr: priority-queues=4 leaves no queue to share "
		  "the rest; the port has 4, so at most 3" },
	};
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_sched_ops *ops;
	struct weir_error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_INT(weir_sched_parse(cases[i].spec, cases[i].queues, &ops, params, &e), -1);
		CHECK_STR(e.text, cases[i].message);
	}
}

/* --- contract --- */

/* Random arrivals and services, the queues draining now and then; the hash of every choice. */
static uint64_t bench_random(struct bench *b, uint64_t seed, int steps)
{
	struct weir_rng random = weir_rng_make(seed, 0, WEIR_RNG_TEST);
	uint64_t waiting = 0, hash = 0;

	for (int i = 0; i < steps; i++) {
		uint32_t q = (uint32_t)weir_rng_below(&random, b->count);
		int arrives = weir_rng_below(&random, 100) < (i / 200 % 2 ? 60u : 35u);

		if (arrives && b->queues[q].pkts < RING) {
			bench_add(b, q,
				  1 + (uint32_t)weir_rng_below(&random, i % 7 ? 1500 : 65535));
			waiting++;
		} else if (waiting > 0) {
			hash = weir_hash64(hash, bench_serve(b));
			waiting--;
		}
	}
	for (; waiting > 0; waiting--)
		hash = weir_hash64(hash, bench_serve(b));
	for (size_t at = b->ops->state_size + b->count * b->ops->queue_state_size; at < STATE_MAX;
	     at++)
		CHECK_INT(b->state[at], 0x77);
	for (uint32_t q = 0; q < b->count; q++)
		CHECK_INT(b->queues[q].pkts, 0);
	return hash;
}

TEST(test_every_scheduler_serves_all_packets_and_is_deterministic)
{
	struct bench a, b;

	for (size_t i = 0; weir_sched_all[i]; i++) {
		for (uint32_t queues = 1; queues <= WEIR_QUEUES_MAX; queues = queues * 3 + 1) {
			const char *name = weir_sched_all[i]->scheme.name;

			if (strcmp(name, "fifo") == 0 && queues > 1)
				continue;
			if (strncmp(name, "sp-", 3) == 0 && queues < 2)
				continue;
			bench_make(&a, name, queues);
			bench_make(&b, name, queues);
			CHECK(bench_random(&a, queues, 3000) == bench_random(&b, queues, 3000));
		}
	}
}

TEST(test_every_scheduler_survives_the_extremes_of_its_options)
{
	struct bench b;
	int tried = 0;

	for (size_t i = 0; weir_sched_all[i]; i++) {
		for (const struct weir_option *o = weir_sched_all[i]->scheme.options; o && o->name;
		     o++) {
			uint64_t extremes[] = { o->min, o->max };

			for (int k = 0; k < 2; k++, tried++) {
				uint32_t min = (uint32_t)o->min, max = (uint32_t)o->max;
				struct weir_weights w = { 4, { min, max, max, min } };
				struct weir_option alone = *o;
				uint32_t queues = o->type == WEIR_OPT_COUNT
							  ? (uint32_t)extremes[k] + 1
						  : weir_sched_all[i]->scheme.options[0].type ==
								  WEIR_OPT_COUNT
							  ? 5
							  : 4;
				char value[256], spec[512];

				alone.offset = 0;
				weir_option_format(value, sizeof(value), &alone,
						   o->type == WEIR_OPT_WEIGHTS
							   ? (void *)&w
							   : (void *)&extremes[k]);
				snprintf(spec, sizeof(spec), "%s(%s=%s)",
					 weir_sched_all[i]->scheme.name, o->name, value);
				bench_make(&b, spec, queues);
				bench_random(&b, 9, 2000);
			}
		}
	}
	CHECK_INT(tried, 2 * (1 + 2 + 1 + 3 + 2) + 2);
}

/* A credit of 1500 bytes is one too few for a packet of 1501, which goes in the next round. */
TEST(test_dwrr_sends_nothing_that_is_a_byte_larger_than_its_credit)
{
	char order[16];
	struct bench b;

	bench_make(&b, "dwrr(quantum=1500B)", 2);
	bench_fill(&b, 0, 1501, 2);
	bench_fill(&b, 1, 1500, 3);
	CHECK_STR(bench_order(&b, 5, order), "babab");
}
