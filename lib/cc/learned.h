/* SPDX-License-Identifier: BSD-3-Clause */
/* learned.h -- what congestion controls with a trained neural network share: an output u in [-1, 1]
 * becomes a factor for rate or window; rollouts add exploration noise to u and record decisions.
 *
 * A decision depends on the weights and the flow's own state only. Its scratch memory is on the
 * stack, at most LEARNED_TAPE_FLOATS; a network that needs more does not fit. */
#ifndef CC_LEARNED_H
#define CC_LEARNED_H
#include "lib/cc/pace.h"
#include "weir/learn.h"
#include <string.h>

enum { LEARNED_TAPE_FLOATS = 16384 }; /* 64 KiB; recurrent networks of 128 units need 41 KB */

/* First member of params: the model that a spec names. */
struct learned_params {
	char model[WEIR_OPT_TEXT_SIZE];
	const struct weir_learn_policy *network; /* NULL: none; u is 0 */
};

#define MODEL_OPTION(type, member) \
	{ \
		"model", WEIR_OPT_TEXT, offsetof(type, member.model), "", 0, 0, \
			"trained model: a file, or a built-in name; empty: by preset and policy", \
			NULL \
	}

/* 1 + alpha u, or 1 / (1 - alpha u) below 0: equal steps up and down cancel. */
static inline double learned_factor(double alpha, double u)
{
	return u >= 0 ? 1 + alpha * u : 1 / (1 - alpha * u);
}

/* Bounds u to [-1, 1]; NaN, which huge weights can produce, becomes 0. */
static inline float learned_bound(float u)
{
	if (u > 1)
		return 1;
	if (u < -1)
		return -1;
	return u == u ? u : 0;
}

/* Does a learner outside make decision *d? Sets its action: 0 where that is not known yet, and the
 * ACK comes again. */
static inline int learned_choose(const struct weir_cc_ack *a, struct weir_cc_decision *d)
{
	return a->rollout && a->rollout->choose &&
	       a->rollout->choose(a->rollout->context, d, &d->action) != WEIR_CC_CHOICE_OWN;
}

static inline float learned_explore(const struct weir_cc_ack *a, uint32_t number, float u)
{
	struct weir_learn_draw draw = { .stream = a->flow, .counter = number };

	if (!a->rollout)
		return u;
	draw.seed = a->rollout->seed;
	if (a->rollout->exploration == WEIR_CC_EXPLORE_UNIFORM)
		return 2 * weir_learn_uniform(draw) - 1;
	if (a->rollout->deviation > 0)
		weir_learn_explore(&u, 1, a->rollout->deviation, draw);
	return u;
}

static inline void learned_record(const struct weir_cc_ack *a, const struct weir_cc_decision *d)
{
	if (a->rollout && a->rollout->record)
		a->rollout->record(a->rollout->context, d);
}

/* 1: since_ns is at least that share of the last round trip. */
static inline int learned_is_due(uint64_t share_q32, int64_t rtt_ns, int64_t since_ns)
{
	return (double)since_ns >= q32_to_double(share_q32) * (double)rtt_ns;
}

/* Lets the first first_bytes of a flow be sent whatever its window is meanwhile: the bound on bytes
 * in flight reaches to their end. 0: they are acknowledged, and the window alone counts. */
static inline int learned_send_first(struct weir_cc_pace *pace, const struct weir_cc_env *env,
				     const struct weir_cc_ack *a, double first_bytes,
				     double window_bytes)
{
	double left_bytes = first_bytes - (double)a->una_bytes;

	pace_window(pace, env, larger(left_bytes, window_bytes));
	return left_bytes > 0;
}

/* What a model must declare: scheme, inputs, and meaning of u. Texts that the file lacks are not
 * compared. */
struct learned_texts {
	const char *scheme, *features, *actions;
};

static inline int learned_text_fits(const char *what, const char *model, const char *wanted,
				    struct weir_error *e)
{
	if (model[0] == '\0' || strcmp(model, wanted) == 0)
		return 0;
	return weir_error_set(e, "it is made for %s '%s'; '%s' is needed", what, model, wanted);
}

static inline int learned_fits(const struct weir_learn_policy *m, const struct learned_texts *t,
			       uint32_t steps, struct weir_error *e)
{
	size_t floats = weir_learn_tape_floats(m->net, 1, steps, WEIR_LEARN_FORWARD_ONLY);

	if (learned_text_fits("scheme", m->scheme, t->scheme, e) ||
	    learned_text_fits("features", m->features, t->features, e) ||
	    learned_text_fits("actions", m->actions, t->actions, e))
		return -1;
	if (m->net->outputs != 1)
		return weir_error_set(e, "it has %u outputs; %s needs 1", m->net->outputs,
				      t->scheme);
	if (floats > LEARNED_TAPE_FLOATS)
		return weir_error_set(e, "a decision takes %zu numbers of scratch; at most %d",
				      floats, LEARNED_TAPE_FLOATS);
	return 0;
}
#endif
