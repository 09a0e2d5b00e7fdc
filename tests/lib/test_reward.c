/* SPDX-License-Identifier: BSD-3-Clause */
/* test_reward.c -- what training is to increase or decrease, by hand. */
#include "lib/cc/reward.h"
#include "tests/test.h"
#include <stddef.h>

static float reward(enum weir_fdcc_reward kind, float throughput, float flows, float rtt,
		    float queue)
{
	const struct weir_cc_decision d = { .throughput = throughput,
					    .flows = flows,
					    .rtt = rtt,
					    .switch_rate = 1,
					    .queue = queue };

	return weir_fdcc_reward(kind, &d);
}

/* SWITCHRATE is 1. T + 1 / RTT - (T - 1 / F)^2:
 *	a fair half of the line at RTT 1.25: 0.5 + 0.8
 *	all of it, of two: 1 + 0.8 - 0.25; nothing: 0.8 - 0.25
 *	QLEN 0.5 is not above the cliff yet, 0.6 is: -RTT, which counts as 20 at most */
TEST(test_staged_reward_is_algorithm_1)
{
	CHECK_NEAR(reward(WEIR_FDCC_STAGED, 0.5F, 2, 1.25F, 0.25F), 1.3, 1e-6);
	CHECK_NEAR(reward(WEIR_FDCC_STAGED, 1, 2, 1.25F, 0.25F), 1.55, 1e-6);
	CHECK_NEAR(reward(WEIR_FDCC_STAGED, 0, 2, 1.25F, 0.25F), 0.55, 1e-6);
	CHECK_NEAR(reward(WEIR_FDCC_STAGED, 0.5F, 2, 1.25F, 0.5F), 1.3, 1e-6);
	CHECK_NEAR(reward(WEIR_FDCC_STAGED, 0.5F, 2, 1.6F, 0.6F), -1.6, 1e-6);
	CHECK_NEAR(reward(WEIR_FDCC_STAGED, 0.5F, 2, 450, 449), -20, 1e-6);
	CHECK_NEAR(reward(WEIR_FDCC_STAGED, 1, 0, 0, 0), 2, 1e-6); /* unknown flows, no delay */
}

/* x = min(F T, 2), x + 1 / RTT - 2 (x - 1)^2: with 32 flows a fair share is worth 1, none -2, twice
 * 0, the most 1.125 at 1.25 shares; more than twice is no worse. */
TEST(test_reward_in_shares_is_worth_the_same_for_any_number_of_flows)
{
	static const float flows[] = { 2, 32 };

	for (int i = 0; i < 2; i++) {
		float f = flows[i];

		CHECK_NEAR(reward(WEIR_FDCC_SHARES, 1 / f, f, 1.25F, 0.25F), 1.8, 1e-5);
		CHECK_NEAR(reward(WEIR_FDCC_SHARES, 0, f, 1.25F, 0.25F), -1.2, 1e-5);
		CHECK_NEAR(reward(WEIR_FDCC_SHARES, 1.25F / f, f, 1.25F, 0.25F), 1.925, 1e-5);
		CHECK_NEAR(reward(WEIR_FDCC_SHARES, 2 / f, f, 1.25F, 0.25F), 0.8, 1e-5);
		CHECK_NEAR(reward(WEIR_FDCC_SHARES, 3 / f, f, 1.25F, 0.25F), 0.8, 1e-5);
	}
	CHECK_NEAR(reward(WEIR_FDCC_SHARES, 0.5F, 2, 1.6F, 0.6F), -1.6, 1e-6);
}

/* gamma 0.5, c 2, k 3; u = (1, -1, 0), g = (4, 2, -1):
 *	G = ((4 + 1 - 0.25) / 3, (2 - 0.5) / 2, -1) = (1.58333, 0.75, -1)
 *	2 (1.58333 - 0.75) / 3 = 0.555556
 *	mean_{j > i} (u_i - u_j)^2 / 2 = (4 + 1) / 4, 1 / 2, and none: 3 / 3 (1.25 + 0.5) = 1.75 */
TEST(test_rl_cc_loss_is_as_reckoned_by_hand)
{
	static const float actions[] = { 1, -1, 0 }, signals[] = { 4, 2, -1 };
	const struct weir_rl_cc_loss l = { 0.5F, 2, 3 };

	CHECK_NEAR(weir_rl_cc_loss(&l, actions, signals, 3, NULL), 0.555556 + 1.75, 1e-5);
}

TEST(test_rl_cc_loss_has_the_slopes_that_differences_show)
{
	static const float signals[] = { 4, 2, -1, 0.5F, -3 };
	float actions[] = { 1, -1, 0, 0.3F, 0.7F }, slopes[5];
	const struct weir_rl_cc_loss l = WEIR_RL_CC_LOSS_DEFAULT;

	weir_rl_cc_loss(&l, actions, signals, 5, slopes);
	for (int i = 0; i < 5; i++) {
		float kept = actions[i], step = 1.0F / 64, more, less;

		actions[i] = kept + step;
		more = weir_rl_cc_loss(&l, actions, signals, 5, NULL);
		actions[i] = kept - step;
		less = weir_rl_cc_loss(&l, actions, signals, 5, NULL);
		actions[i] = kept;
		CHECK_NEAR(slopes[i], (more - less) / (2 * step), 2e-5);
	}
}

/* Too much is to be answered by less, too little by more. */
TEST(test_rl_cc_loss_falls_where_actions_oppose_the_signal)
{
	static const float high[] = { 3, 2, 1 }, low[] = { -0.8F, -0.8F, -0.8F };
	static const float down[] = { -1, -1, -1 }, none[] = { 0, 0, 0 }, up[] = { 1, 1, 1 };
	const struct weir_rl_cc_loss l = WEIR_RL_CC_LOSS_DEFAULT;

	CHECK(weir_rl_cc_loss(&l, down, high, 3, NULL) < weir_rl_cc_loss(&l, none, high, 3, NULL));
	CHECK(weir_rl_cc_loss(&l, none, high, 3, NULL) < weir_rl_cc_loss(&l, up, high, 3, NULL));
	CHECK(weir_rl_cc_loss(&l, up, low, 3, NULL) < weir_rl_cc_loss(&l, none, low, 3, NULL));
	CHECK(weir_rl_cc_loss(&l, none, low, 3, NULL) < weir_rl_cc_loss(&l, down, low, 3, NULL));
}
