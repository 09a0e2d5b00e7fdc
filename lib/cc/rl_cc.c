/* SPDX-License-Identifier: BSD-3-Clause */
/* rl_cc.c -- a neural network scales the rate, from the round trip alone.
 *
 * Tessler et al., "Reinforcement Learning for Datacenter Congestion Control", SIGMETRICS
 * Performance Evaluation Review 49(2), 2022 (RL-CC). Once a round trip a flow asks how far it is
 * from where it should be:
 *	x = max(rtt / base - beta, 0) sqrt(rate / line)
 *	g = (x - target) scale
 * A flow with a larger rate should see less delay: all at the same delay have the same g only where
 * they have the same rate. The network sees (factor, g) of this round trip and the one before,
 * oldest first, and says u in [-1, 1]; the rate goes by 1 + alpha u, or 1 / (1 - alpha u) below 0.
 *
 * Differs: in a network whose paths differ in length, presets weir and literal add to each round
 * trip what the flow's own path is shorter than the longest one. Otherwise a near flow would read
 * its short path as an empty queue and take the link.
 *
 * The paper has no window. In presets literal and nvlabs it is one bandwidth-delay product all the
 * time, so that n flows that begin at line rate leave a queue of n - 1 of them, which one action a
 * round trip drains within hundreds of (long) round trips: 64 flows had 20 to 70 bandwidth-delay
 * products. In preset weir it is rate x base round trip, but for the first bandwidth-delay product
 * of a flow, which is sent whole (window=scaled; fdcc.c says why).
 *
 * policy=linear is u = -gain g, without a neural network: the baseline of training.
 *
 * Constants of presets: nvlabs has those of the authors' published configuration, base 8192 ns and
 * beta 1.5, which feel nothing below 12.3 us; literal puts the network's base round trip and beta 1
 * in their place; weir also clips g at 5, because the first burst makes g about 100, which a
 * network without biases may never get over. */
#include "base/compiler.h"
#include "lib/cc/learned.h"
#include "lib/cc/reward.h"
#include "weir/units.h"
#include <math.h>

enum rl_preset { RL_WEIR, RL_LITERAL, RL_NVLABS };
enum rl_policy { RL_TRAINED, RL_UNTRAINED, RL_LINEAR };
enum rl_window { RL_WINDOW_PRESET, RL_WINDOW_SCALED, RL_WINDOW_BDP };
enum rl_rnn { RL_LSTM, RL_NO_RNN };

enum { RL_MEMORY_FLOATS = 64 }; /* an LSTM of 32 units; the paper's has 12 */

struct rl_params {
	struct learned_params learned;
	uint64_t preset, policy, rnn, window;
	uint64_t alpha_q32, clock_q32, gain_q32;
	uint64_t base_ns, beta_q32; /* 0: as the preset */
	uint64_t target_q32, scale_q32;
	uint64_t clip_q32; /* 0: as the preset */
	uint64_t rtt_ns;
};

struct rl_state {
	struct weir_cc_pace pace;
	double rate_bps;
	int64_t rtt_ns; /* the last sample */
	int64_t acted_ns;
	uint32_t decisions : 31;
	uint32_t is_first : 1; /* the first window is not acknowledged yet, and is sent whole */
	float factor;          /* the last one, 1 at first */
	float before[2];       /* (factor, g) of the decision before */
	float memory[RL_MEMORY_FLOATS]; /* of the network's LSTM */
};

/* --- options --- */

struct rl_reading {
	double base_ns; /* 0: the network's */
	double beta, clip;
	enum rl_window window;
};

#define RL_UNCLIPPED 1e6 /* more than any signal */

static const struct rl_reading rl_presets[] = {
	[RL_WEIR] = { 0, 1, 5, RL_WINDOW_SCALED },
	[RL_LITERAL] = { 0, 1, RL_UNCLIPPED, RL_WINDOW_BDP },
	[RL_NVLABS] = { 8192, 1.5, RL_UNCLIPPED, RL_WINDOW_BDP },
};

static const char *const preset_names[] = { "weir", "literal", "nvlabs", NULL };
static const char *const policy_names[] = { "trained", "untrained", "linear", NULL };
static const char *const window_names[] = { "preset", "scaled", "bdp", NULL };
static const char *const rnn_names[] = { "lstm", "none", NULL };

#define AT(member) offsetof(struct rl_params, member)
static const struct weir_option rl_options[] = {
	{ "preset", WEIR_OPT_CHOICE, AT(preset), "weir", 0, 0,
	  "constants of the signal: base round trip of the network and beta 1, clipped at 5 (weir) "
	  "or "
	  "not (literal), or 8192 ns and 1.5 (nvlabs)",
	  preset_names },
	{ "policy", WEIR_OPT_CHOICE, AT(policy), "trained", 0, 0,
	  "policy: the trained model; or as baselines an untrained network, or -gain x signal",
	  policy_names },
	MODEL_OPTION(struct rl_params, learned),
	{ "rnn", WEIR_OPT_CHOICE, AT(rnn), "lstm", 0, 0,
	  "built-in model: with an LSTM after its dense layers, or without", rnn_names },
	{ "window", WEIR_OPT_CHOICE, AT(window), "preset", 0, 0,
	  "window: rate x base round trip, but for the first bandwidth-delay product of a flow "
	  "(scaled), or always a bandwidth-delay product (bdp); preset: scaled in preset weir",
	  window_names },
	{ "gain", WEIR_OPT_FRACTION_Q32, AT(gain_q32), "0.2", 0, 1000 * WEIR_ONE_Q32,
	  "of policy linear: output for a signal of -1", NULL },
	{ "alpha", WEIR_OPT_FRACTION_Q32, AT(alpha_q32), "0.2", 0, 8 * WEIR_ONE_Q32,
	  "action scale: factor 1 + alpha for the largest output, 1 / (1 + alpha) for the "
	  "smallest",
	  NULL },
	{ "clock", WEIR_OPT_FRACTION_Q32, AT(clock_q32), "1", 0, 1000 * WEIR_ONE_Q32,
	  "action interval, in last round-trip times", NULL },
	{ "base", WEIR_OPT_TIME_NS, AT(base_ns), "0us", 0, WEIR_NS_PER_S,
	  "base round trip to which delays are normalised; 0us: as the preset", NULL },
	{ "beta", WEIR_OPT_FRACTION_Q32, AT(beta_q32), "0", 0, 1000 * WEIR_ONE_Q32,
	  "base round trips that count as no delay; 0: as the preset", NULL },
	{ "target", WEIR_OPT_FRACTION_Q32, AT(target_q32), "0.064", 0, 1000 * WEIR_ONE_Q32,
	  "target of delay x sqrt(rate / line rate)", NULL },
	{ "scale", WEIR_OPT_FRACTION_Q32, AT(scale_q32), "12.5", 0, 1000 * WEIR_ONE_Q32,
	  "signal per base round trip of deviation from the target", NULL },
	{ "clip", WEIR_OPT_FRACTION_Q32, AT(clip_q32), "0", 0, 1000000 * WEIR_ONE_Q32,
	  "clipping of the signal; 0: as the preset, 5 or none", NULL },
	RTT_OPTION(struct rl_params, rtt_ns),
	{ .name = NULL },
};
#undef AT

static struct rl_reading rl_read(const struct rl_params *p, const struct weir_cc_env *env)
{
	struct rl_reading r = rl_presets[p->preset];

	if (p->base_ns)
		r.base_ns = (double)p->base_ns;
	if (r.base_ns <= 0)
		r.base_ns = larger(pace_rtt_ns(env, p->rtt_ns), 1);
	if (p->beta_q32)
		r.beta = q32_to_double(p->beta_q32);
	if (p->clip_q32)
		r.clip = q32_to_double(p->clip_q32);
	if (p->window)
		r.window = (enum rl_window)p->window;
	return r;
}

/* Added to each sample of the round trip, where the base is the network's: flows that wait in one
 * queue then have the same signal, whatever the lengths of their paths. */
static int64_t rl_path_ns(const struct rl_params *p, const struct weir_cc_env *env)
{
	return p->base_ns || rl_presets[p->preset].base_ns > 0 ? 0 : env->path_shorter_ns;
}

/* --- the model --- */

static const char *rl_standard(const void *params)
{
	static const char *const names[][2] = {
		[RL_WEIR] = { "rl-cc", "rl-cc-mlp" },
		[RL_LITERAL] = { "rl-cc-literal", "rl-cc-literal-mlp" },
		[RL_NVLABS] = { "rl-cc-nvlabs", "rl-cc-nvlabs-mlp" },
	};
	const struct rl_params *p = params;

	if (p->policy == RL_LINEAR)
		return NULL;
	if (p->policy == RL_UNTRAINED)
		return p->rnn == RL_LSTM ? "rl-cc-untrained" : "rl-cc-mlp-untrained";
	return names[p->preset][p->rnn];
}

static int rl_fits(const void *params, const struct weir_learn_policy *model, struct weir_error *e)
{
	const struct weir_learn_plan *plan = &model->net->plan;
	const struct learned_texts texts = { "rl-cc", WEIR_RL_CC_FEATURES, WEIR_RL_CC_ACTIONS };

	(void)params;
	if (learned_fits(model, &texts, 1, e))
		return -1;
	if (plan->sequence_size + plan->current_size != WEIR_RL_CC_INPUTS)
		return weir_error_set(e, "it has %u inputs; rl-cc needs %d",
				      plan->sequence_size + plan->current_size, WEIR_RL_CC_INPUTS);
	if (model->net->state_floats > RL_MEMORY_FLOATS)
		return weir_error_set(e, "its LSTM keeps %u numbers; a flow has room for %d",
				      model->net->state_floats, RL_MEMORY_FLOATS);
	return 0;
}

static const struct weir_scheme_model rl_model = {
	.name_offset = offsetof(struct rl_params, learned.model),
	.policy_offset = offsetof(struct rl_params, learned.network),
	.standard = rl_standard,
	.fits = rl_fits,
};

/* --- deciding --- */

static double rl_signal(const struct rl_state *s, const struct rl_params *p,
			const struct weir_cc_env *env)
{
	struct rl_reading r = rl_read(p, env);
	double share = s->rate_bps / larger((double)env->rate_bps, 1);
	double x = larger((double)s->rtt_ns / r.base_ns - r.beta, 0) * sqrt(share);
	double g = (x - q32_to_double(p->target_q32)) * q32_to_double(p->scale_q32);

	return larger(smaller(g, r.clip), -r.clip);
}

/* Not inlined because of its large stack frame, which rl_fits bounds. Updates the LSTM's state. */
static NOINLINE float rl_infer(struct rl_state *s, const struct weir_learn_policy *m,
			       const float *inputs)
{
	_Alignas(WEIR_LEARN_ALIGNMENT) float tape[LEARNED_TAPE_FLOATS];
	struct weir_learn_batch batch = { .samples = 1, .current = inputs };
	float u;

	if (m->net->plan.sequence_size) {
		batch.steps = 1;
		batch.sequence = inputs;
		batch.state_in = batch.state_out = s->memory;
	}
	weir_learn_forward(m->net, m->weights, &batch, tape, &u);
	weir_learn_make_finite(s->memory, m->net->state_floats);
	return learned_bound(u);
}

static float rl_output(struct rl_state *s, const struct rl_params *p, const float *inputs)
{
	if (p->policy == RL_LINEAR)
		return learned_bound((float)-q32_to_double(p->gain_q32) *
				     inputs[WEIR_RL_CC_INPUTS - 1]);
	return p->learned.network ? rl_infer(s, p->learned.network, inputs) : 0;
}

/* --- acting --- */

static double rl_window_bytes(const struct rl_params *p, const struct weir_cc_env *env,
			      double rate_bps)
{
	return bps_to_bytes(rate_bps, pace_rtt_ns(env, p->rtt_ns));
}

static void rl_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct rl_state *s = state;
	const struct rl_params *p = params;

	s->factor = s->before[0] = 1;
	s->rtt_ns = (int64_t)pace_rtt_ns(env, p->rtt_ns);
	s->rate_bps = pace_bound_bps(env, (double)env->rate_bps);
	s->is_first = rl_read(p, env).window == RL_WINDOW_SCALED;
	pace_rate(&s->pace, s->rate_bps);
	pace_window(&s->pace, env, rl_window_bytes(p, env, (double)env->rate_bps));
}

static void rl_decide(struct rl_state *s, const struct rl_params *p, const struct weir_cc_env *env,
		      const struct weir_cc_ack *a)
{
	struct rl_reading r = rl_read(p, env);
	struct weir_cc_decision d = { .now_ns = a->now_ns,
				      .flow = a->flow,
				      .number = s->decisions++ };
	float *inputs = d.observation;

	d.signal = (float)rl_signal(s, p, env);
	d.rtt = (float)((double)s->rtt_ns / r.base_ns);
	inputs[0] = s->before[0];
	inputs[1] = s->before[1];
	inputs[2] = s->factor;
	inputs[3] = d.signal;
	if (!learned_choose(a, &d))
		d.action = learned_explore(a, d.number, rl_output(s, p, inputs));
	s->before[0] = s->factor;
	s->before[1] = d.signal;
	s->factor = (float)learned_factor(q32_to_double(p->alpha_q32), d.action);
	s->rate_bps = pace_bound_bps(env, s->rate_bps * s->factor);
	pace_rate(&s->pace, s->rate_bps);
	if (r.window == RL_WINDOW_SCALED)
		pace_window(&s->pace, env, rl_window_bytes(p, env, s->rate_bps));
	s->acted_ns = a->now_ns;
	learned_record(a, &d);
}

static void rl_ack(void *state, const void *params, const struct weir_cc_env *env,
		   const struct weir_cc_ack *a)
{
	struct rl_state *s = state;
	const struct rl_params *p = params;

	if (a->rtt_ns > 0)
		s->rtt_ns = a->rtt_ns + rl_path_ns(p, env);
	if (!s->decisions || learned_is_due(p->clock_q32, s->rtt_ns, a->now_ns - s->acted_ns))
		rl_decide(s, p, env, a);
	if (s->is_first)
		s->is_first = learned_send_first(&s->pace, env, a,
						 rl_window_bytes(p, env, (double)env->rate_bps),
						 rl_window_bytes(p, env, s->rate_bps)) != 0;
}

/* -(x - target)^2 as in the paper, in units of the signal. */
static float rl_reward(const void *params, const struct weir_cc_decision *d)
{
	(void)params;
	return -d->signal * d->signal;
}

static const struct weir_cc_learner rl_learner = { WEIR_RL_CC_INPUTS, rl_reward };

const struct weir_cc_ops weir_cc_rl_cc = {
	.scheme = {
		.name = "rl-cc",
		.help = "RL-CC: a neural network, or a linear rule, scales the rate, from "
			"round-trip times",
		.cite = "Tessler et al., Reinforcement Learning for Datacenter Congestion Control, "
			"SIGMETRICS Performance Evaluation Review 49(2), 2022",
		.params_size = sizeof(struct rl_params),
		.options = rl_options,
		.model = &rl_model,
	},
	.transport = WEIR_CC_RDMA,
	.echo = WEIR_CC_ECHO_NONE,
	.needs = WEIR_CC_NEEDS_PATH,
	.state_size = sizeof(struct rl_state),
	.init = rl_init,
	.ack = rl_ack,
	.learner = &rl_learner,
};

_Static_assert(sizeof(struct rl_state) <= WEIR_CC_STATE_MAX, "a connection has room for it");
