/* SPDX-License-Identifier: BSD-3-Clause */
/* test_collective.c -- schedules of collectives, without a network: every message has a receiver
 * that counts it, no rank waits for ever, and what each rank sends and receives is what theory
 * says. */
#include "sim/traffic/collective.h"
#include "tests/test.h"
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 16, MESSAGES_MAX = 4096 };

/* A run in which messages arrive in an order of the test's choice. */
struct play {
	struct collective c;
	uint32_t lanes;
	uint64_t *progress; /* by (rank, lane) */
	uint32_t *step, *arrived;
	struct message {
		uint32_t from, to, lane, label;
	} messages[MESSAGES_MAX];
	uint32_t first, end;
	uint64_t sent[RANKS_MAX], received[RANKS_MAX];
	uint32_t sent_count;
};

static void play_advance(struct play *p, uint32_t rank, uint32_t lane)
{
	uint32_t at = rank * p->lanes + lane;

	for (; p->step[at] < collective_steps(&p->c, rank, lane); p->step[at]++) {
		struct collective_step s = collective_step(&p->c, rank, lane, p->step[at]);

		if (!collective_is_ready(&p->c, p->progress[at], &s))
			return;
		CHECK(s.to < p->c.ranks && s.to != rank);
		CHECK(s.bytes > 0);
		CHECK(p->end < MESSAGES_MAX);
		p->messages[p->end++] = (struct message){ rank, s.to, lane, s.label };
		p->sent[rank] += s.bytes;
		p->received[s.to] += s.bytes;
		p->sent_count++;
	}
}

/* Delivers the oldest message, or, where `newest` is set, the newest one that no message of the
 * same pair and lane precedes: connections keep order, and nothing else does. */
static void play_deliver(struct play *p, int newest)
{
	uint32_t i = newest ? p->end - 1 : p->first;
	struct message m;

	for (uint32_t k = p->first; newest && k < i; k++)
		if (p->messages[k].from == p->messages[i].from &&
		    p->messages[k].to == p->messages[i].to &&
		    p->messages[k].lane == p->messages[i].lane)
			i = k;
	m = p->messages[i];
	if (newest)
		memmove(&p->messages[i], &p->messages[i + 1],
			(--p->end - i) * sizeof(p->messages[0]));
	else
		p->first++;
	collective_arrive(&p->c, &p->progress[m.to * p->lanes + m.lane], m.label);
	p->arrived[m.to * p->lanes + m.lane]++;
	play_advance(p, m.to, m.lane);
}

static void play_new(struct play *p, const struct collective *c)
{
	memset(p, 0, sizeof(*p));
	p->c = *c;
	p->lanes = collective_lanes(c);
	p->progress = calloc(c->ranks * p->lanes, sizeof(*p->progress));
	p->step = calloc(c->ranks * p->lanes, sizeof(*p->step));
	p->arrived = calloc(c->ranks * p->lanes, sizeof(*p->arrived));
}

static void play_run(struct play *p, int newest)
{
	for (uint32_t r = 0; r < p->c.ranks; r++)
		for (uint32_t lane = 0; lane < p->lanes; lane++)
			play_advance(p, r, lane);
	while (p->first < p->end)
		play_deliver(p, newest);
	for (uint32_t r = 0; r < p->c.ranks; r++)
		for (uint32_t lane = 0; lane < p->lanes; lane++) {
			CHECK_INT(p->step[r * p->lanes + lane], collective_steps(&p->c, r, lane));
			CHECK_INT(p->arrived[r * p->lanes + lane],
				  collective_arrivals(&p->c, r, lane));
		}
}

static void play_end(struct play *p)
{
	free(p->progress);
	free(p->step);
	free(p->arrived);
}

/* Calls each for every collective of n ranks that exists. */
static void each_collective(uint32_t n, void (*each)(const struct collective *c))
{
	for (int kind = 0; kind < COLLECTIVE_KINDS; kind++)
		for (int algorithm = 0; algorithm < COLLECTIVE_ALGORITHMS; algorithm++) {
			struct collective c = { .kind = (enum collective_kind)kind,
						.algorithm = (enum collective_algorithm)algorithm,
						.ranks = n,
						.channels = 1,
						.chunks = 3,
						.bytes = 12000 };

			if (!collective_exists(c.kind, c.algorithm) ||
			    (c.algorithm == COLLECTIVE_HALVING_DOUBLING && n & (n - 1)) ||
			    (c.algorithm == COLLECTIVE_HIERARCHICAL && n % 2 | (n < 4)))
				continue;
			c.local = c.algorithm == COLLECTIVE_HIERARCHICAL ? 2 : 0;
			c.root = c.kind == COLLECTIVE_BROADCAST ? n - 1 : 0;
			each(&c);
		}
}

static void check_ends(const struct collective *c)
{
	for (int newest = 0; newest < 2; newest++) {
		struct play p;

		play_new(&p, c);
		play_run(&p, newest);
		play_end(&p);
	}
}

TEST(test_a_collective_ends_at_every_rank_in_whatever_order_messages_arrive)
{
	for (uint32_t n = 2; n <= RANKS_MAX; n++)
		each_collective(n, check_ends);
}

/* --- bytes --- */

static struct play bytes_of(enum collective_kind kind, enum collective_algorithm algorithm,
			    uint32_t n)
{
	const struct collective c = { .kind = kind,
				      .algorithm = algorithm,
				      .ranks = n,
				      .local = algorithm == COLLECTIVE_HIERARCHICAL ? 4 : 0,
				      .channels = 1,
				      .chunks = 1,
				      .bytes = 8000 * n };
	struct play p;

	play_new(&p, &c);
	play_run(&p, 0);
	play_end(&p);
	return p;
}

TEST(test_bandwidth_optimal_collectives_send_and_receive_just_what_must_cross_a_link)
{
	static const enum collective_algorithm optimal[] = { COLLECTIVE_RING,
							     COLLECTIVE_HALVING_DOUBLING,
							     COLLECTIVE_DIRECT,
							     COLLECTIVE_HIERARCHICAL };

	for (size_t i = 0; i < sizeof(optimal) / sizeof(optimal[0]); i++)
		for (uint32_t n = 8; n <= 16; n += 8)
			for (uint32_t r = 0; r < n; r++) {
				struct play all = bytes_of(COLLECTIVE_ALL_REDUCE, optimal[i], n);
				struct play gather = bytes_of(COLLECTIVE_ALL_GATHER, optimal[i], n);
				struct play scatter =
					bytes_of(COLLECTIVE_REDUCE_SCATTER, optimal[i], n);

				CHECK_INT(all.sent[r], 2 * (n - 1) * 8000);
				CHECK_INT(all.received[r], 2 * (n - 1) * 8000);
				CHECK_INT(gather.sent[r], (n - 1) * 8000);
				CHECK_INT(gather.received[r], (n - 1) * 8000);
				CHECK_INT(scatter.sent[r], (n - 1) * 8000);
			}
}

TEST(test_a_double_tree_loads_no_rank_with_more_than_twice_its_share)
{
	for (uint32_t n = 2; n <= RANKS_MAX; n++) {
		struct play p = bytes_of(COLLECTIVE_ALL_REDUCE, COLLECTIVE_TREE, n);

		CHECK_INT(p.sent_count, 2 * 2 * (n - 1)); /* up and down, in two trees */
		for (uint32_t r = 0; r < n; r++)
			CHECK(p.sent[r] <= 2 * p.c.bytes);
	}
}

TEST(test_in_a_double_tree_a_rank_is_inner_in_one_tree_only)
{
	for (uint32_t n = 4; n <= RANKS_MAX; n += 2)
		for (uint32_t r = 0; r < n; r++) {
			const struct collective c = { .kind = COLLECTIVE_ALL_REDUCE,
						      .algorithm = COLLECTIVE_TREE,
						      .ranks = n,
						      .channels = 1,
						      .chunks = 1,
						      .bytes = 1000 };
			/* A leaf sends once, up; roots besides have one child. */
			int inner =
				(collective_steps(&c, r, 0) > 1) + (collective_steps(&c, r, 1) > 1);

			CHECK(inner <= 1);
		}
}

TEST(test_hierarchical_all_to_all_sends_the_local_part_first)
{
	struct play p = bytes_of(COLLECTIVE_ALL_TO_ALL, COLLECTIVE_HIERARCHICAL, 16);

	/* 3/4 of the bytes inside a server of 4, 3/4 between 4 servers. */
	for (uint32_t r = 0; r < 16; r++)
		CHECK_INT(p.sent[r], 2 * 3 * 16 * 8000 / 4);
}

TEST(test_parts_of_a_collective_add_up_where_its_bytes_do_not_divide)
{
	const struct collective c = { .kind = COLLECTIVE_ALL_GATHER,
				      .algorithm = COLLECTIVE_RING,
				      .ranks = 7,
				      .channels = 2,
				      .chunks = 3,
				      .bytes = 1003 };
	uint64_t sum = 0;
	struct play p;

	play_new(&p, &c);
	play_run(&p, 1);
	for (uint32_t r = 0; r < 7; r++)
		sum += p.received[r];
	CHECK_INT(sum, 6 * 1003); /* each part reaches six others */
	play_end(&p);
}

TEST(test_matrix_sends_what_its_lines_say_and_no_empty_message)
{
	static const uint64_t matrix[9] = { 5, 100, 0, 30, 0, 7, 0, 0, 0 };
	const struct collective c = { .kind = COLLECTIVE_ALL_TO_ALL,
				      .algorithm = COLLECTIVE_DIRECT,
				      .ranks = 3,
				      .channels = 1,
				      .chunks = 1,
				      .bytes = 100,
				      .matrix = matrix };

	CHECK_INT(collective_step(&c, 0, 0, 0).bytes, 100);
	CHECK_INT(collective_step(&c, 0, 0, 1).bytes, 0); /* to rank 2 */
	CHECK_INT(collective_step(&c, 1, 0, 0).bytes, 7);
	CHECK_INT(collective_step(&c, 1, 0, 1).bytes, 30);
	CHECK_INT(collective_arrivals(&c, 0, 0), 1);
	CHECK_INT(collective_arrivals(&c, 2, 0), 1);
}
