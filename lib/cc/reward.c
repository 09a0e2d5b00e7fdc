/* SPDX-License-Identifier: BSD-3-Clause */
/* reward.c -- rewards of FDCC and the loss of RL-CC. */
#include "lib/cc/reward.h"

/* A round trip counts as 20 base round trips at most, as it does among the observations. */
static const float rtt_max = 20.0F;
static const float congested_above = 0.5F;
static const float shares_max = 2.0F;

static float least(float a, float b)
{
	return a < b ? a : b;
}

/* Algorithm 1 of the thesis, T the throughput and F the flows that pass the most congested port:
 *	-RTT				where SWITCHRATE + QLEN - 1 > 0.5
 *	T + 1 / RTT - (T - 1 / F)^2	else
 * WEIR_FDCC_SHARES has, in place of the second line, with x = min(F T, 2):
 *	x + 1 / RTT - 2 (x - 1)^2
 * The squared distance from a fair share costs a starved flow only 1 / F^2 in the first, far less
 * than what delay is worth, so that winners take all; in fair shares it is worth as much for any F.
 * The largest value lies at x = 1.25. */
float weir_fdcc_reward(enum weir_fdcc_reward reward, const struct weir_cc_decision *d)
{
	float flows = d->flows > 1 ? d->flows : 1, rtt = least(d->rtt, rtt_max);
	float share = least(flows * d->throughput, shares_max);
	float distance = d->throughput - 1 / flows;

	if (d->switch_rate + d->queue - 1 > congested_above)
		return -rtt;
	rtt = rtt > 1 ? rtt : 1; /* a path shorter than the longest one is not rewarded for that */
	if (reward == WEIR_FDCC_STAGED)
		return d->throughput + 1 / rtt - distance * distance;
	return share + 1 / rtt - 2 * (share - 1) * (share - 1);
}

/* G_i = mean over j >= i of gamma^(j - i) g_j. From the last one back, with S_i = g_i + gamma S_(i
 * + 1). */
static float add_directions(const struct weir_rl_cc_loss *l, const float *actions,
			    const float *signals, uint32_t count, float *slopes)
{
	double sum = 0, loss = 0;

	for (uint32_t i = count; i-- > 0;) {
		double mean;

		sum = signals[i] + l->gamma * sum;
		mean = sum / (count - i);
		loss += actions[i] * mean;
		if (slopes)
			slopes[i] = (float)(l->weight * mean / count);
	}
	return (float)(l->weight * loss / count);
}

/* k / m sum_i mean_{j > i} (u_i - u_j)^2 / 2. With n, A and B the number, sum and sum of squares of
 * those behind i, the mean is (u_i^2 - 2 u_i A / n + B / n) / 2; u_j gets (u_j - u_i) / n_i from
 * each i before it, of which only the sums of 1 / n_i and u_i / n_i are needed. */
static float add_smoothness(const struct weir_rl_cc_loss *l, const float *actions, uint32_t count,
			    float *slopes)
{
	double share = (double)l->smooth / count, sum = 0, squares = 0, loss = 0;
	double weights = 0, weighted = 0;

	for (uint32_t i = count; i-- > 0;) {
		double u = actions[i], behind = count - 1 - i;

		if (behind > 0) {
			loss += (u * u - 2 * u * sum / behind + squares / behind) / 2;
			if (slopes)
				slopes[i] += (float)(share * (u - sum / behind));
		}
		sum += u;
		squares += u * u;
	}
	for (uint32_t i = 0; slopes && i < count; i++) {
		double u = actions[i], behind = count - 1 - i;

		slopes[i] += (float)(share * (u * weights - weighted));
		if (behind > 0) {
			weights += 1 / behind;
			weighted += u / behind;
		}
	}
	return (float)(share * loss);
}

/* c mean_i(u_i G_i) + k / m sum_i mean_{j > i} 0.5 (u_i - u_j)^2: ADPG, the analytic deterministic
 * policy gradient of RL-CC. A signal above 0 asks for a smaller rate, so a loss that falls is what
 * is wanted. G is a constant to the slopes. */
float weir_rl_cc_loss(const struct weir_rl_cc_loss *l, const float *actions, const float *signals,
		      uint32_t count, float *slopes)
{
	float loss = add_directions(l, actions, signals, count, slopes);

	return loss + add_smoothness(l, actions, count, slopes);
}
