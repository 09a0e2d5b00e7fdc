/* SPDX-License-Identifier: BSD-3-Clause */
/* test_water_fill.c -- the level of max-min shares: by hand, and by what makes shares max-min. */
#include "lib/mark/flow_rates.h"
#include "tests/test.h"
#include "weir/rng.h"

enum { DEMANDS_MAX = 64 };

static uint64_t share_of(uint64_t demand, uint64_t level)
{
	return demand < level ? demand : level;
}

static void check_shares(const uint64_t *demand, const uint64_t *expected, uint32_t count,
			 uint64_t capacity)
{
	uint64_t level = weir_flow_rates_level(demand, count, capacity);

	for (uint32_t i = 0; i < count; i++)
		CHECK_INT(share_of(demand[i], level), expected[i]);
}

/* DiffECN, Table I: before and after F3 and F4 have come. */
TEST(test_shares_are_those_of_the_four_flow_experiment)
{
	check_shares((const uint64_t[]){ 25, 13, 0, 0 }, (const uint64_t[]){ 25, 13, 0, 0 }, 4, 40);
	check_shares((const uint64_t[]){ 25, 13, 5, 5 }, (const uint64_t[]){ 17, 13, 5, 5 }, 4, 40);
	CHECK_INT(weir_flow_rates_level((const uint64_t[]){ 25, 13, 5, 5 }, 4, 40), 17);
}

/* 60 over four is 15: 4 is met. The other 56 over three is 18: 17 is met. The other 39 over two is
 * 19, and 1 is left over. */
TEST(test_each_round_meets_those_below_an_equal_share_of_the_rest)
{
	const uint64_t demand[] = { 40, 17, 4, 30 }, expected[] = { 19, 17, 4, 19 };

	CHECK_INT(weir_flow_rates_level(demand, 4, 60), 19);
	check_shares(demand, expected, 4, 60);
}

TEST(test_demands_that_fit_are_met)
{
	const uint64_t demand[] = { 20, 0, 20 };

	CHECK(weir_flow_rates_level(demand, 3, 40) == UINT64_MAX);
	CHECK_INT(weir_flow_rates_level(demand, 3, 39), 19);
	CHECK(weir_flow_rates_level(demand, 0, 39) == UINT64_MAX);
	check_shares(demand, demand, 3, 40);
	check_shares(demand, (const uint64_t[]){ 19, 0, 19 }, 3, 39);
	check_shares(demand, (const uint64_t[]){ 0, 0, 0 }, 3, 0);
}

/* Shares are max-min iff none exceeds its demand, all of the capacity that is asked for is given
 * out, and unmet demands have equal shares, none below any other share; in whole numbers, less than
 * one unit per unmet demand is left over. */
static void check_max_min(const uint64_t *demand, uint32_t count, uint64_t capacity)
{
	uint64_t level = weir_flow_rates_level(demand, count, capacity), asked = 0, given = 0;
	uint32_t unmet = 0;

	for (uint32_t i = 0; i < count; i++) {
		asked += demand[i];
		given += share_of(demand[i], level);
		unmet += demand[i] > level;
	}
	CHECK(given <= capacity);
	CHECK(unmet ? capacity - given < unmet : given == asked);
}

TEST(test_shares_are_max_min_whatever_the_demands)
{
	struct weir_rng random = weir_rng_make(1, 0, WEIR_RNG_TEST);
	uint64_t demand[DEMANDS_MAX];

	for (int round = 0; round < 20000; round++) {
		uint32_t count = (uint32_t)weir_rng_below(&random, DEMANDS_MAX + 1);
		uint32_t bits = 8 + (uint32_t)weir_rng_below(&random, 50);

		for (uint32_t i = 0; i < count; i++)
			demand[i] =
				weir_rng_u64(&random) >> (64 - weir_rng_below(&random, bits) - 1);
		check_max_min(demand, count,
			      weir_rng_u64(&random) >> (63 - weir_rng_below(&random, bits + 6)));
	}
}
