/* SPDX-License-Identifier: BSD-3-Clause */
/* acc_online.c -- online learning of ACC, and the exchange of experience between switches.
 *
 * Algorithm 1: every slot adds a transition for each place that chose an action, and trains on one
 * minibatch. A transition whose queue becomes idle afterwards is kept, as its reward was observed.
 * The probability of exploring decays exponentially (section 4.3), and exploring actions are drawn
 * by softmax.
 *
 * Guard (ours, not in preset=paper): only transitions of queues with traffic are kept; the initial
 * weights act in one block of slots of four; where the learned ones earn less by more than a bound,
 * the initial ones are loaded again.
 *
 * Exchange (section 3.4): periodically each agent copies some of its transitions to a memory shared
 * by all agents, then some of those to its own. */
#include "lib/agent/acc.h"
#include <string.h>

enum { ROWS_PER_TRANSITION = 2 };

struct weir_learn_memory_plan weir_acc_memory_plan(const struct acc_params *p, uint64_t transitions)
{
	return (struct weir_learn_memory_plan){
		.rows = (uint32_t)transitions * ROWS_PER_TRANSITION,
		.observation_size = weir_acc_inputs(p),
		.action_size = 1,
	};
}

/* A trained network's values are sums of rewards minus a baseline. Training on from full rewards
 * would first have to raise every value by baseline / (1 - gamma), and meanwhile favour the actions
 * whose values rise first. */
void weir_acc_store_transitions(struct acc_online *o, const struct acc_params *p,
				const struct acc_slot *slot)
{
	float baseline = acc_fraction(p->baseline_q32);

	for (uint32_t i = 0; i < slot->places; i++) {
		size_t at = (size_t)i * slot->inputs;

		if (!o->waits[i] || (weir_acc_bound(p) > 0.0F && !slot->carries[i]))
			continue;
		weir_learn_memory_step(o->memory, o->before + at,
				       &(float){ (float)slot->actions[i] },
				       slot->rewards[i] - baseline);
		weir_learn_memory_end(o->memory, slot->observations + at, WEIR_LEARN_CUT);
	}
}

void weir_acc_train(struct acc_online *o, const struct acc_params *p, const struct acc_slot *slot)
{
	struct weir_learn_executor alone = { .workers = 1, .scratch = o->scratch };

	memcpy(o->before, slot->observations,
	       (size_t)slot->places * slot->inputs * sizeof(o->before[0]));
	memcpy(o->waits, slot->asks, slot->places * sizeof(o->waits[0]));
	o->slots++;
	if (weir_learn_memory_transitions(o->memory) >= p->after)
		o->loss = weir_learn_dqn_update(o->learner, o->memory, &alone);
}

/* --- guard --- */

static int acc_is_reference_slot(const struct acc_params *p, uint64_t slot)
{
	return weir_acc_bound(p) > 0.0F && slot / ACC_BLOCK_SLOTS % ACC_BLOCKS == 0;
}

int weir_acc_is_reference(const struct acc_online *o, const struct acc_params *p)
{
	return acc_is_reference_slot(p, o->slots);
}

static void acc_end_block(struct acc_online *o, const struct acc_params *p, int is_learned)
{
	struct acc_guard *g = &o->guard;
	float mean = (float)(g->sum / (double)g->count);

	g->mean[is_learned] +=
		(mean - g->mean[is_learned]) /
		(float)(g->blocks[is_learned] < ACC_BLOCKS ? ++g->blocks[is_learned] : ACC_BLOCKS);
	if (g->blocks[0] < 2 || g->blocks[1] < 2 || g->mean[1] >= g->mean[0] - weir_acc_bound(p))
		return;
	weir_learn_dqn_load(o->learner, g->initial);
	g->blocks[0] = g->blocks[1] = 0;
	g->rollbacks++;
}

void weir_acc_guard(struct acc_online *o, const struct acc_params *p, const struct acc_slot *slot)
{
	struct acc_guard *g = &o->guard;

	if (!(weir_acc_bound(p) > 0.0F) || o->slots == 0)
		return;
	for (uint32_t i = 0; i < slot->places; i++)
		if (slot->carries[i]) {
			g->sum += (double)slot->rewards[i];
			g->count++;
		}
	if (o->slots % ACC_BLOCK_SLOTS != 0)
		return;
	if (g->count)
		acc_end_block(o, p, !acc_is_reference_slot(p, o->slots - 1));
	g->sum = 0;
	g->count = 0;
}

/* explore / 2^(slots / half-life), interpolated linearly between halvings to avoid libm. */
float weir_acc_epsilon(const struct acc_online *o, const struct acc_params *p)
{
	uint64_t halvings = o->slots / p->half_life_slots;
	double rest = (double)(o->slots % p->half_life_slots) / (double)p->half_life_slots;
	double first = (double)acc_fraction(p->explore_q32), epsilon;
	double end = (double)acc_fraction(p->explore_end_q32);

	if (!o->learner || weir_acc_is_reference(o, p))
		return 0.0F;
	epsilon = halvings < 32 ? first * (1.0 - rest / 2.0) / (double)(UINT64_C(1) << halvings)
				: 0.0;
	if (epsilon < end)
		epsilon = first < end ? first : end;
	return (float)epsilon;
}

/* --- exchange --- */

/* Disabled for C-ACC: there is only one agent. */
uint64_t weir_acc_share_steps(const void *params)
{
	const struct acc_params *p = params;

	return weir_acc_is_learning(p) && !weir_acc_is_central(p) ? p->exchange_slots : 0;
}

size_t weir_acc_shared_size(const void *params)
{
	const struct acc_params *p = params;
	struct weir_learn_memory_plan plan = weir_acc_memory_plan(p, p->shared_memory);

	return weir_acc_share_steps(p) ? sizeof(struct acc_shared) + weir_learn_memory_size(&plan)
				       : 0;
}

void weir_acc_shared_init(void *shared, const void *params)
{
	const struct acc_params *p = params;
	struct weir_learn_memory_plan plan = weir_acc_memory_plan(p, p->shared_memory);

	weir_learn_memory_init(acc_shared_memory(shared), &plan);
}

void weir_acc_export(struct acc_online *o, const struct acc_params *p, struct acc_shared *shared)
{
	uint64_t count = p->exchange_transitions;

	if (!weir_learn_memory_transitions(o->memory))
		return;
	if (!shared->exporters)
		shared->first_seed = o->seed;
	shared->exporters =
		shared->exporters == 0 || (shared->exporters == 1 && shared->first_seed == o->seed)
			? 1
			: 2;
	weir_learn_memory_share(acc_shared_memory(shared), o->memory,
				(struct weir_learn_draw){ o->seed, ACC_GIVE, o->given++ * count },
				(uint32_t)count);
}

/* An agent that is alone in the shared memory would only repeat its own transitions; with
 * preset=paper it does. */
void weir_acc_import(struct acc_online *o, const struct acc_params *p,
		     const struct acc_shared *shared)
{
	const struct weir_learn_memory *memory =
		(const struct weir_learn_memory *)(const void *)shared->memory;
	uint64_t count = p->exchange_transitions;

	if (!weir_learn_memory_transitions(memory) ||
	    (shared->exporters < 2 && weir_acc_bound(p) > 0.0F))
		return;
	weir_learn_memory_share(o->memory, memory,
				(struct weir_learn_draw){ o->seed, ACC_TAKE, o->taken++ * count },
				(uint32_t)count);
}
