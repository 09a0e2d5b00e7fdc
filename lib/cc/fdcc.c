/* SPDX-License-Identifier: BSD-3-Clause */
/* fdcc.c -- a neural network scales the window, from what switches and receiver report.
 *
 * Zhang, "An Investigation on Data Center Congestion Control Algorithms", University of Alberta
 * 2023, chapter 4 (FDCC). On an ACK, when half of the last round trip has passed since the last
 * time, a neural network gets eight observations (fdcc_observe.c) and up to eight times as many of
 * the past, and says u in [-1, 1]. The window goes by 1 + alpha u, or 1 / (1 - alpha u) below 0,
 * and the rate is window / base round trip.
 *
 * Which network it is decides how it gets the past: as a sequence (an LSTM, as in the thesis), or
 * in front of the current observation, oldest first, the oldest repeated at the beginning of a
 * flow.
 *
 * The thesis leaves open:
 *	action	it writes action' = action (1 + alpha u), which accumulates (preset thesis, kept in
 *		[0.5, 2] as its table 3.1 says); the formula that it follows has no such memory
 *		(preset weir: direct).
 *	floor	"rounded down to an integer" is bytes here. Whole packets cannot leave a window of
 *		one packet with a factor of 1.5, and a floor of one packet makes many flows fair
 *		whatever the network does: floor=packet and policy=always-cut show that.
 *	clock	slow flows act on every ACK, which may be many round trips apart. gain=rate lets
 *		alpha shrink with the root of the rate, for many flows at once.
 *
 * Differs: in preset weir a flow sends its first bandwidth-delay product whatever the network says
 * meanwhile; the network scales its rate only (first-window=whole). In an incast the senders that
 * are near the receiver hear of the queue before their first window has left, and far ones after
 * it. With the scaled window the near ones then stop, and their last packets wait until all that
 * the far ones have sent is delivered: the nearest senders complete last.
 *
 * Differs: preset weir acts once a round trip, the thesis every half of one. What an action does to
 * the queue is seen a round trip later, so that every second action answers a queue that was
 * answered already: after a burst, all rates fell below what the line could carry. */
#include "base/compiler.h"
#include "lib/cc/fdcc.h"
#include "lib/cc/reward.h"
#include <math.h>

/* Bounds of the factor, where actions accumulate. */
static const double fdcc_factor_min = 0.5, fdcc_factor_max = 2;

struct fdcc_state {
	struct weir_cc_pace pace;
	struct fdcc_sight sight;
	int64_t rtt_ns; /* the last sample */
	double window_bytes;
	double factor; /* the last one, 1 at first */
	uint32_t decisions;
	uint16_t past_count;
	uint16_t is_first; /* 1: the first window is not acknowledged yet, and is sent whole */
	float past[FDCC_PAST_MAX][FDCC_OBSERVATIONS]; /* oldest first */
};

/* --- options --- */

#define FDCC_UNCLIPPED 1e6 /* more than any observation */

static const struct fdcc_reading fdcc_presets[] = {
	[FDCC_WEIR] = { FDCC_DIRECT, FDCC_DT_RTT, FDCC_LAST_CHANGE, FDCC_RATES_ROOT,
			FDCC_BASE_COMMON, FDCC_FIRST_WHOLE, 20, 5, WEIR_ONE_Q32 },
	[FDCC_THESIS] = { FDCC_ACCUMULATE, FDCC_DT_MS, FDCC_LAST_FACTOR, FDCC_RATES_LINEAR,
			  FDCC_BASE_OWN, FDCC_FIRST_SCALED, FDCC_UNCLIPPED, FDCC_UNCLIPPED,
			  WEIR_ONE_Q32 / 2 },
};

static const char *const preset_names[] = { "weir", "thesis", NULL };
static const char *const policy_names[] = { "trained", "untrained", "always-cut", "window-only",
					    NULL };
static const char *const action_names[] = { "preset", "direct", "accumulate", NULL };
static const char *const dt_names[] = { "preset", "rtt", "ms", NULL };
static const char *const last_names[] = { "preset", "change", "factor", NULL };
static const char *const rates_names[] = { "preset", "linear", "root", NULL };
static const char *const base_names[] = { "preset", "common", "own", NULL };
static const char *const first_names[] = { "preset", "whole", "scaled", NULL };
static const char *const gain_names[] = { "constant", "rate", NULL };
static const char *const floor_names[] = { "byte", "packet", NULL };

#define AT(member) offsetof(struct fdcc_params, member)
static const struct weir_option fdcc_options[] = {
	{ "preset", WEIR_OPT_CHOICE, AT(preset), "weir", 0, 0,
	  "interpretation of the thesis: weir has direct actions, changes per base round trip "
	  "and clipped observations; thesis is literal",
	  preset_names },
	{ "policy", WEIR_OPT_CHOICE, AT(policy), "trained", 0, 0,
	  "policy: the trained model; or as baselines an untrained network, always the largest "
	  "decrease, or the initial window only",
	  policy_names },
	MODEL_OPTION(struct fdcc_params, learned),
	{ "action", WEIR_OPT_CHOICE, AT(action), "preset", 0, 0,
	  "the output is the window factor (direct), or changes it within [0.5, 2] (accumulate)",
	  action_names },
	{ "alpha", WEIR_OPT_FRACTION_Q32, AT(alpha_q32), "0.5", 0, 8 * WEIR_ONE_Q32,
	  "action scale: factor 1 + alpha for the largest output, 1 / (1 + alpha) for the "
	  "smallest",
	  NULL },
	{ "gain", WEIR_OPT_CHOICE, AT(gain), "constant", 0, 0,
	  "alpha is constant, or multiplied by the square root of rate / line rate (rate)",
	  gain_names },
	{ "clock", WEIR_OPT_FRACTION_Q32, AT(clock_q32), "0", 0, 1000 * WEIR_ONE_Q32,
	  "action interval, in last round-trip times; 0: as the preset, 1 or 0.5", NULL },
	{ "past", WEIR_OPT_COUNT, AT(past), "8", 0, FDCC_PAST_MAX,
	  "history: past observations for a recurrent network, at most; others have a fixed "
	  "number",
	  NULL },
	{ "dt", WEIR_OPT_CHOICE, AT(dt), "preset", 0, 0,
	  "changes of round trip and queue are per base round trip (rtt) or per millisecond (ms)",
	  dt_names },
	{ "last-action", WEIR_OPT_CHOICE, AT(last), "preset", 0, 0,
	  "the last action is observed as factor - 1 (change) or as the factor", last_names },
	{ "rates", WEIR_OPT_CHOICE, AT(rates), "preset", 0, 0,
	  "goodput and rate are observed as fractions of the line rate (linear), or as fourth "
	  "roots of these, which resolve small ones (root)",
	  rates_names },
	{ "base", WEIR_OPT_CHOICE, AT(base), "preset", 0, 0,
	  "round trips, queues and windows are in base round trips of the network's longest path, "
	  "to which each flow's queueing delay is added (common), or of the flow's own path (own)",
	  base_names },
	{ "first-window", WEIR_OPT_CHOICE, AT(first), "preset", 0, 0,
	  "the first bandwidth-delay product of a flow is sent whatever the window is meanwhile, "
	  "at "
	  "the rate that the model sets (whole), or the window bounds it from the first ACK on "
	  "(scaled)",
	  first_names },
	{ "clip", WEIR_OPT_FRACTION_Q32, AT(clip_q32), "0", 0, 1000000 * WEIR_ONE_Q32,
	  "clipping of observations; 0: as the preset, 20 or none", NULL },
	{ "clip-change", WEIR_OPT_FRACTION_Q32, AT(clip_change_q32), "0", 0, 1000000 * WEIR_ONE_Q32,
	  "clipping of observed changes; 0: as the preset, 5 or none", NULL },
	{ "floor", WEIR_OPT_CHOICE, AT(floor), "byte", 0, 0,
	  "the window is rounded down to whole bytes or packets, and is at least one packet then",
	  floor_names },
	{ "min-rate", WEIR_OPT_RATE_BPS, AT(min_rate_bps), "0bps", 0, PACE_RATE_MAX_BPS,
	  "minimum window, as a rate times the base round trip; 0bps: rdma.min-rate", NULL },
	RTT_OPTION(struct fdcc_params, rtt_ns),
	{ .name = NULL },
};
#undef AT

struct fdcc_reading weir_fdcc_reading(const struct fdcc_params *p)
{
	struct fdcc_reading r = fdcc_presets[p->preset];

	if (p->action)
		r.action = (enum fdcc_action)p->action;
	if (p->dt)
		r.dt = (enum fdcc_dt)p->dt;
	if (p->last)
		r.last = (enum fdcc_last)p->last;
	if (p->rates)
		r.rates = (enum fdcc_rates)p->rates;
	if (p->base)
		r.base = (enum fdcc_base)p->base;
	if (p->first)
		r.first = (enum fdcc_first)p->first;
	if (p->clock_q32)
		r.clock_q32 = p->clock_q32;
	if (p->clip_q32)
		r.clip = q32_to_double(p->clip_q32);
	if (p->clip_change_q32)
		r.clip_change = q32_to_double(p->clip_change_q32);
	return r;
}

/* Added to each sample of the round trip: flows that wait in one queue then see the same delay and
 * act at the same pace, whatever the lengths of their paths. */
static int64_t fdcc_path_ns(const struct fdcc_params *p, const struct weir_cc_env *env)
{
	return weir_fdcc_reading(p).base == FDCC_BASE_COMMON ? env->path_shorter_ns : 0;
}

double weir_fdcc_base_ns(const struct fdcc_params *p, const struct weir_cc_env *env)
{
	double base_ns = pace_rtt_ns(env, p->rtt_ns);

	if (p->rtt_ns == 0 && weir_fdcc_reading(p).base == FDCC_BASE_OWN)
		base_ns -= env->path_shorter_ns;
	return larger(base_ns, 1);
}

/* --- the model --- */

const char *weir_fdcc_features(const struct fdcc_params *p)
{
	static const char *const texts[][2][2] = {
		{ { "1 dt=rtt last-action=change", "1 dt=rtt last-action=factor" },
		  { "1 dt=ms last-action=change", "1 dt=ms last-action=factor" } },
		{ { "1 dt=rtt last-action=change rates=root",
		    "1 dt=rtt last-action=factor rates=root" },
		  { "1 dt=ms last-action=change rates=root",
		    "1 dt=ms last-action=factor rates=root" } },
	};
	struct fdcc_reading r = weir_fdcc_reading(p);

	return texts[r.rates == FDCC_RATES_ROOT][r.dt == FDCC_DT_MS][r.last == FDCC_LAST_FACTOR];
}

const char *weir_fdcc_actions(const struct fdcc_params *p)
{
	return action_names[weir_fdcc_reading(p).action];
}

static const char *fdcc_standard(const void *params)
{
	const struct fdcc_params *p = params;

	if (p->policy == FDCC_UNTRAINED)
		return "fdcc-untrained";
	if (p->policy != FDCC_TRAINED)
		return NULL;
	return p->preset == FDCC_THESIS ? "fdcc-thesis" : "fdcc-weir";
}

static int fdcc_fits(const void *params, const struct weir_learn_policy *model,
		     struct weir_error *e)
{
	const struct fdcc_params *p = params;
	const struct weir_learn_plan *plan = &model->net->plan;
	const struct learned_texts texts = { "fdcc", weir_fdcc_features(p), weir_fdcc_actions(p) };
	uint32_t most = (FDCC_PAST_MAX + 1) * FDCC_OBSERVATIONS;

	if (learned_fits(model, &texts, FDCC_PAST_MAX, e))
		return -1;
	if (model->net->places[plan->layer_count - 1].is_sequence)
		return weir_error_set(e,
				      "it has an output for each past observation; fdcc needs 1");
	if (plan->sequence_size == FDCC_OBSERVATIONS && plan->current_size == FDCC_OBSERVATIONS)
		return 0;
	if (plan->sequence_size || plan->current_size == 0 || plan->current_size > most ||
	    plan->current_size % FDCC_OBSERVATIONS)
		return weir_error_set(
			e,
			"its inputs are a sequence of %u and %u numbers; fdcc has a "
			"sequence of 8 and 8, or no sequence and 8 to 72 in steps of 8",
			plan->sequence_size, plan->current_size);
	return 0;
}

static const struct weir_scheme_model fdcc_model = {
	.name_offset = offsetof(struct fdcc_params, learned.model),
	.policy_offset = offsetof(struct fdcc_params, learned.network),
	.standard = fdcc_standard,
	.fits = fdcc_fits,
};

/* --- deciding --- */

/* Prepends past observations to the current one, oldest first; repeats the oldest where there are
 * fewer. */
static void fdcc_stack(const struct fdcc_state *s, const float *observation, uint32_t past,
		       float *inputs)
{
	size_t bytes = FDCC_OBSERVATIONS * sizeof(float);
	uint32_t known = s->past_count < past ? s->past_count : past;
	const float *oldest = known ? s->past[s->past_count - known] : observation;

	for (uint32_t i = 0; i < past; i++) {
		uint32_t back = past - i; /* positions before the current one */

		memcpy(inputs + (size_t)i * FDCC_OBSERVATIONS,
		       back <= known ? s->past[s->past_count - back] : oldest, bytes);
	}
	memcpy(inputs + (size_t)past * FDCC_OBSERVATIONS, observation, bytes);
}

/* Not inlined because of its large stack frame, which fdcc_fits bounds. */
static NOINLINE float fdcc_infer(const struct fdcc_params *p, const struct fdcc_state *s,
				 const float *observation)
{
	const struct weir_learn_policy *m = p->learned.network;
	const struct weir_learn_plan *plan = &m->net->plan;
	_Alignas(WEIR_LEARN_ALIGNMENT) float tape[LEARNED_TAPE_FLOATS];
	float inputs[(FDCC_PAST_MAX + 1) * FDCC_OBSERVATIONS], u;
	struct weir_learn_batch batch = { .samples = 1, .current = observation };

	if (plan->sequence_size) {
		batch.steps = s->past_count < p->past ? s->past_count : (uint32_t)p->past;
		batch.sequence = s->past[s->past_count - batch.steps];
	} else {
		fdcc_stack(s, observation, plan->current_size / FDCC_OBSERVATIONS - 1, inputs);
		batch.current = inputs;
	}
	weir_learn_forward(m->net, m->weights, &batch, tape, &u);
	return learned_bound(u);
}

static float fdcc_output(const struct fdcc_params *p, const struct fdcc_state *s,
			 const float *observation)
{
	if (p->policy == FDCC_ALWAYS_CUT)
		return -1;
	if (p->policy == FDCC_WINDOW_ONLY || !p->learned.network)
		return 0;
	return fdcc_infer(p, s, observation);
}

/* --- acting --- */

/* WIN <- floor(WIN x factor). A window below a byte stays as it is: rounded down it could not grow
 * again. */
static double fdcc_round(const struct fdcc_params *p, const struct weir_cc_env *env,
			 double window_bytes)
{
	if (p->floor == FDCC_FLOOR_PACKET) {
		double pkts = (double)(uint64_t)(window_bytes / env->mss_bytes);

		return larger(pkts, 1) * env->mss_bytes;
	}
	return window_bytes >= 1 ? (double)(uint64_t)window_bytes : window_bytes;
}

static void fdcc_act(struct fdcc_state *s, const struct fdcc_params *p,
		     const struct weir_cc_env *env, double u)
{
	double rtt_ns = weir_fdcc_base_ns(p, env), alpha = q32_to_double(p->alpha_q32);
	double least_bytes = bps_to_bytes((double)p->min_rate_bps, rtt_ns), factor;

	if (p->gain == FDCC_GAIN_RATE)
		alpha *= sqrt((double)s->pace.rate_bps / larger((double)env->rate_bps, 1));
	factor = learned_factor(alpha, u);
	if (weir_fdcc_reading(p).action == FDCC_ACCUMULATE)
		factor = larger(smaller(s->factor * factor, fdcc_factor_max), fdcc_factor_min);
	s->factor = factor;
	s->window_bytes = larger(fdcc_round(p, env, s->window_bytes * factor), least_bytes);
	s->window_bytes = pace_by_window(&s->pace, env, rtt_ns, s->window_bytes);
}

static void fdcc_keep(struct fdcc_state *s, const float *observation)
{
	if (s->past_count == FDCC_PAST_MAX) {
		memmove(s->past[0], s->past[1], sizeof(s->past) - sizeof(s->past[0]));
		s->past_count--;
	}
	memcpy(s->past[s->past_count++], observation, sizeof(s->past[0]));
}

/* The first window: a bandwidth-delay product. */
static double fdcc_first_bytes(const struct fdcc_params *p, const struct weir_cc_env *env)
{
	return bps_to_bytes((double)env->rate_bps, weir_fdcc_base_ns(p, env));
}

static void fdcc_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct fdcc_state *s = state;
	const struct fdcc_params *p = params;
	double rtt_ns = weir_fdcc_base_ns(p, env);

	s->factor = 1;
	s->rtt_ns = (int64_t)rtt_ns;
	s->is_first = weir_fdcc_reading(p).first == FDCC_FIRST_WHOLE;
	s->window_bytes = pace_by_window(&s->pace, env, rtt_ns, fdcc_first_bytes(p, env));
}

static void fdcc_decide(struct fdcc_state *s, const struct fdcc_params *p,
			const struct weir_cc_env *env, const struct weir_cc_ack *a)
{
	struct weir_cc_decision d = { .now_ns = a->now_ns,
				      .flow = a->flow,
				      .number = s->decisions };

	weir_fdcc_observe(p, env,
			  &(struct fdcc_self){ .rate_bps = (double)s->pace.rate_bps,
					       .factor = s->factor,
					       .rtt_ns = s->rtt_ns,
					       .before = &s->sight },
			  a, &d);
	if (!learned_choose(a, &d))
		d.action = learned_explore(a, s->decisions, fdcc_output(p, s, d.observation));
	fdcc_act(s, p, env, d.action);
	fdcc_keep(s, d.observation);
	weir_fdcc_remember(&s->sight, a, &d);
	s->decisions++;
	learned_record(a, &d);
}

static void fdcc_ack(void *state, const void *params, const struct weir_cc_env *env,
		     const struct weir_cc_ack *a)
{
	struct fdcc_state *s = state;
	const struct fdcc_params *p = params;

	if (a->rtt_ns > 0)
		s->rtt_ns = a->rtt_ns + fdcc_path_ns(p, env);
	if (!s->sight.is_known ||
	    learned_is_due(weir_fdcc_reading(p).clock_q32, s->rtt_ns, a->now_ns - s->sight.now_ns))
		fdcc_decide(s, p, env, a);
	if (s->is_first)
		s->is_first = learned_send_first(&s->pace, env, a, fdcc_first_bytes(p, env),
						 s->window_bytes) != 0;
}

/* The rewards that the trainer has for the presets, unless it is told otherwise. */
static float fdcc_reward(const void *params, const struct weir_cc_decision *d)
{
	const struct fdcc_params *p = params;

	return weir_fdcc_reward(p->preset == FDCC_THESIS ? WEIR_FDCC_STAGED : WEIR_FDCC_SHARES, d);
}

static const struct weir_cc_learner fdcc_learner = { FDCC_OBSERVATIONS, fdcc_reward };

const struct weir_cc_ops weir_cc_fdcc = {
	.scheme = {
		.name = "fdcc",
		.help = "FDCC: a neural network scales the window, from in-band telemetry and "
			"receiver feedback",
		.cite = "Zhang, An Investigation on Data Center Congestion Control Algorithms, "
			"University of Alberta 2023",
		.params_size = sizeof(struct fdcc_params),
		.options = fdcc_options,
		.model = &fdcc_model,
	},
	.transport = WEIR_CC_RDMA,
	.echo = WEIR_CC_ECHO_NONE,
	.needs = WEIR_CC_NEEDS_INT | WEIR_CC_NEEDS_PATH,
	.state_size = sizeof(struct fdcc_state),
	.init = fdcc_init,
	.ack = fdcc_ack,
	.learner = &fdcc_learner,
};

_Static_assert(sizeof(struct fdcc_state) <= WEIR_CC_STATE_MAX, "a connection has room for it");
