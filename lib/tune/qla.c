/* SPDX-License-Identifier: BSD-3-Clause */
/* qla.c -- tries a little more and a little less marking, twice each, and moves where both agree.
 *
 * Du et al., "PRED: Performance-oriented Random Early Detection", NSDI 2025, section 4.2: the Queue
 * Length Adjuster. It turns the slope lambda of RED's line, and min where lambda has come to its
 * smallest value.
 *
 *	utility	U = beta R / C + (1 - beta) Phi(q), where R is what was sent, C the line's rate, q
 *		the mean queue. Phi is 1 up to q-left and falls in a line to 0 at q-right.
 *	trials	Four intervals: more, less, less, more marking. More wins if U1 > U2 and U4 > U3,
 *		less if U1 < U2 and U4 < U3; then that trial's setting is the new one. Otherwise
 *		nothing moves.
 *	min	A step that would take lambda below lambda-min is one of min in its place; lambda
 *		rests at lambda-min meanwhile.
 *
 * What the paper leaves open, and what is done here:
 *   - Phi beyond q-left is in a figure only (10(a)). That it is a line which ends at q-right is an
 *     assumption; q-right is by default where RED marks everything (maxK, 500 KB).
 *   - Settings form one ladder: ... lambda_min + step, lambda_min (both with the first min), then
 *     lambda_min with min one step up, two, ... A trial is one rung up or down, so that less
 *     marking than lambda_min is a trial on min, and lambda moves again once min is back where it
 *     began. min never falls below its first value, nor rises above max.
 *
 * A trial must outlast the senders' answer to it. Rounds follow each other as ++--++--, so where
 * the queue answers later than after one interval, the shortest one is met in the first trial with
 * less marking, and QLA goes the wrong way. Long-lived DCTCP flows with many packets queued need
 * tens of round-trip times to answer; the paper's 5 suffice where the queue is short. */
#include "weir/compiler.h"
#include "lib/tune/qla.h"
#include "weir/units.h"

struct qla_alone {
	struct qla_params q;
};

static const struct weir_option qla_options[] = {
	QLA_OPTIONS(struct qla_alone, q),
	{ .name = NULL },
};

int weir_qla_check(const void *params, struct weir_error *e)
{
	const struct qla_params *p = params;

	if (weir_length_is_packets(p->queue_left) == weir_length_is_packets(p->queue_right) &&
	    p->queue_left > p->queue_right)
		return weir_error_set(e, "q-left is above q-right");
	return 0;
}

/* --- utility --- */

/* R / C = bytes * 8 * 10^9 / (rate * interval), scaled by 2^32, rounded down. Below 2^64 as long as
 * an interval is not filled 2^32 times over. */
static uint64_t line_use_q32(const struct weir_tune_telemetry *t)
{
	weir_u128 capacity = (weir_u128)t->rate_bps * (uint64_t)t->interval_ns;
	weir_u128 bits = (weir_u128)t->out_bytes * WEIR_BITS_PER_BYTE * WEIR_NS_PER_S;

	return capacity ? (uint64_t)((bits << 32) / capacity) : 0;
}

/* (right - q) / (right - left), scaled by 2^32, rounded down; a step where right is not above
 * left. */
static uint64_t shortness_q32(uint64_t queue, uint64_t left, uint64_t right)
{
	if (queue <= left)
		return WEIR_ONE_Q32;
	if (queue >= right)
		return 0;
	return (uint64_t)(((weir_u128)(right - queue) << 32) / (right - left));
}

/* Each of the two terms is rounded down, so the sum is less than 3 * 2^-32 too small. */
uint64_t weir_qla_utility_q32(const struct qla_params *p, const struct weir_tune_telemetry *t)
{
	uint64_t left = weir_length_bytes(p->queue_left, t->mtu_bytes);
	uint64_t right = weir_length_bytes(p->queue_right, t->mtu_bytes);
	weir_u128 use = (weir_u128)p->beta_q32 * line_use_q32(t);
	weir_u128 rest = (weir_u128)(WEIR_ONE_Q32 - p->beta_q32) *
			 shortness_q32(t->queue_mean_bytes, left, right);

	return (uint64_t)((use + rest) >> 32);
}

/* --- rungs --- */

static void more_marking(const struct qla_state *s, const struct qla_params *p,
			 struct weir_tune_knobs *k)
{
	uint64_t step = weir_length_bytes(p->min_step, s->mtu_bytes);

	k->slope_q32 = s->slope_q32;
	k->min_bytes = s->min_bytes;
	if (s->min_bytes > s->start_bytes)
		k->min_bytes -=
			step < s->min_bytes - s->start_bytes ? step : s->min_bytes - s->start_bytes;
	else if (s->slope_q32 < QLA_SLOPE_MAX_Q32 - p->slope_step_q32)
		k->slope_q32 += p->slope_step_q32;
	else
		k->slope_q32 = QLA_SLOPE_MAX_Q32;
}

/* lambda a step lower, or lambda_min where that is less than a thousandth of a step above: settings
 * such as 0.1 and 0.025 are rounded to 2^-32, and what that leaves over is no rung. */
static uint64_t lower_slope(const struct qla_params *p, uint64_t slope_q32)
{
	uint64_t step = p->slope_step_q32;

	if (slope_q32 - p->slope_min_q32 < step + step / 1000)
		return p->slope_min_q32;
	return slope_q32 - step;
}

static void less_marking(const struct qla_state *s, const struct qla_params *p,
			 struct weir_tune_knobs *k)
{
	uint64_t min = s->min_bytes + weir_length_bytes(p->min_step, s->mtu_bytes);

	k->slope_q32 = s->slope_q32;
	k->min_bytes = s->min_bytes;
	if (s->slope_q32 > p->slope_min_q32)
		k->slope_q32 = lower_slope(p, s->slope_q32);
	else
		k->min_bytes = min < k->max_bytes ? min : k->max_bytes;
}

static void begin_trial(const struct qla_state *s, const struct qla_params *p,
			struct weir_tune_knobs *k)
{
	if (s->trial == 0 || s->trial == QLA_TRIALS - 1)
		more_marking(s, p, k);
	else
		less_marking(s, p, k);
}

/* Two controlled pairs: the first trial against the second, the fourth against the third. */
static void decide(struct qla_state *s, const struct qla_params *p, const struct weir_tune_knobs *k)
{
	const uint64_t *u = s->utility_q32;
	struct weir_tune_knobs to = *k;

	if (u[0] > u[1] && u[3] > u[2])
		more_marking(s, p, &to);
	else if (u[0] < u[1] && u[3] < u[2])
		less_marking(s, p, &to);
	else
		return;
	s->slope_q32 = to.slope_q32;
	s->min_bytes = to.min_bytes;
}

static void qla_init(void *state, const void *params, uint32_t mtu_bytes,
		     struct weir_tune_knobs *knobs)
{
	struct qla_state *s = state;
	const struct qla_params *p = params;

	s->mtu_bytes = mtu_bytes;
	s->slope_q32 = knobs->slope_q32 > p->slope_min_q32 ? knobs->slope_q32 : p->slope_min_q32;
	s->min_bytes = knobs->min_bytes < knobs->max_bytes ? knobs->min_bytes : knobs->max_bytes;
	s->start_bytes = s->min_bytes;
	begin_trial(s, p, knobs);
}

static void qla_step(void *state, const void *params, const struct weir_tune_telemetry *t,
		     struct weir_tune_knobs *knobs)
{
	struct qla_state *s = state;
	const struct qla_params *p = params;

	s->latest_q32 = weir_qla_utility_q32(p, t);
	s->utility_q32[s->trial++] = s->latest_q32;
	if (s->trial == QLA_TRIALS) {
		decide(s, p, knobs);
		s->trial = 0;
	}
	begin_trial(s, p, knobs);
}

static double qla_read_utility(const void *state, const void *params)
{
	const struct qla_state *s = state;

	(void)params;
	return (double)s->latest_q32 / (double)WEIR_ONE_Q32;
}

static const struct weir_tune_value qla_values[] = {
	{ "utility", "", qla_read_utility },
	{ .name = NULL },
};

/* A round of idle trials has four equal utilities and moves nothing. */
const struct weir_tune_ops weir_tune_qla = {
	.scheme = {
		.name = "qla",
		.help = "QLA of PRED: tries more and less marking, twice each, and moves in the "
			"direction on which both trials agree",
		.cite = "Du et al., PRED, NSDI 2025, section 4.2",
		.params_size = sizeof(struct qla_params),
		.options = qla_options,
		.check = weir_qla_check,
	},
	.state_size = sizeof(struct qla_state),
	.values = qla_values,
	.idle_steps = QLA_TRIALS,
	.init = qla_init,
	.step = qla_step,
};
