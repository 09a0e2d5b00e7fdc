/* SPDX-License-Identifier: BSD-3-Clause */
/* decisions.c -- see decisions.h: asking, waiting and continuing. */
#include "sim/core/decisions.h"
#include "base/memory.h"
#include "sim/core/sender.h"
#include "sim/core/telemetry.h"
#include <assert.h>
#include <string.h>

/* --- asking --- */

int decisions_has(const struct decisions *d, uint32_t flow)
{
	const struct flow *f = flow_at(d->engine, flow);
	const struct weir_cc_ops *cc = flow_transport(d->engine, f)->cc;

	return flow < d->engine->flows.count && cc->learner && cc->transport == WEIR_CC_RDMA &&
	       (d->plan.traffic < 0 || d->plan.traffic == f->traffic) &&
	       (d->plan.flow < 0 || d->plan.flow == flow);
}

/* The rollout's choose: a control asks, or is answered. */
static enum weir_cc_choice decisions_choose(void *context, const struct weir_cc_decision *asked,
					    float *action)
{
	struct decisions *d = context;

	if (!decisions_has(d, asked->flow))
		return WEIR_CC_CHOICE_OWN;
	if (d->answer) {
		*action = *d->answer;
		return WEIR_CC_CHOICE_GIVEN;
	}
	d->asks = 1;
	d->asked = *asked;
	return WEIR_CC_CHOICE_LATER;
}

int decisions_pass_ack(struct decisions *d, struct sender *s, const struct transport *t,
		       const struct weir_cc_ack *a)
{
	_Alignas(8) unsigned char before[WEIR_CC_STATE_MAX];

	d->asks = 0;
	if (!d->answer)
		memcpy(before, sender_pace(s), t->cc->state_size);
	t->cc->ack(sender_pace(s), t->cc_params, &t->env, a);
	if (d->asks)
		memcpy(sender_pace(s), before, t->cc->state_size);
	return d->asks;
}

/* The host processes nothing at or after limit_ps, as at a stop; timing_wheel.c restores it for the
 * next node. */
void decisions_wait(struct worker *w, struct host *h, uint32_t sender, struct weir_packet *packet,
		    uint32_t delivered)
{
	struct decisions *d = w->engine->decisions;

	assert(d->count < d->capacity);
	d->waits[d->count++] = (struct decision_wait){ d->asked, h, sender, delivered, *packet };
	if (w->engine->int_stacks)
		packet->int_stack_index = 0; /* the copy owns the stack */
	w->limit_ps = h->now_ps;
}

/* --- continuing --- */

uint32_t decisions_resume(struct engine *e)
{
	struct decisions *d = e->decisions;
	struct worker *w = &e->workers[0];
	struct decision_wait *resumed = d->waits;
	uint32_t count = d->count;

	d->waits = d->resumed;
	d->resumed = resumed;
	d->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct decision_wait *r = &resumed[i];

		d->answer = &r->decision.action;
		rdma_resume_ack(w, r->host, r->sender, &r->packet, r->delivered);
		d->answer = NULL;
		if (e->int_stacks)
			int_stack_release(w, &r->packet);
		host_run(w, r->host);
		w->limit_ps = e->round.limit_ps;
	}
	return d->count;
}

/* --- building --- */

void decisions_new(struct engine *e, const struct decisions_plan *plan)
{
	struct decisions *d;

	if (!plan)
		return;
	assert(e->threads == 1);
	d = memory_new(1, sizeof(*d));
	*d = (struct decisions){
		.engine = e,
		.rollout = { .context = d, .choose = decisions_choose },
		.plan = *plan,
		.capacity = e->net->host_count,
	};
	d->waits = memory_new(d->capacity, sizeof(*d->waits));
	d->resumed = memory_new(d->capacity, sizeof(*d->resumed));
	e->decisions = d;
	e->rollout = &d->rollout;
}

void decisions_free(struct engine *e)
{
	struct decisions *d = e->decisions;

	if (!d)
		return;
	memory_free(d->waits, d->capacity, sizeof(*d->waits));
	memory_free(d->resumed, d->capacity, sizeof(*d->resumed));
	memory_free(d, 1, sizeof(*d));
	e->decisions = NULL;
}
