/* SPDX-License-Identifier: BSD-3-Clause */
/* trainer.c -- every trainer, one line each, and what several of them share: records and the layout
 * of a state. */
#include "train/trainer.h"
#include "base/memory.h"
#include "base/registry.h"

extern const struct trainer trainer_acc, trainer_fdcc, trainer_rl_cc;

const struct trainer *const trainer_all[] = {
	&trainer_acc,
	&trainer_fdcc,
	&trainer_rl_cc,
	NULL,
};

const struct registry trainer_registry = REGISTRY("trainer", trainer_all);

const struct trainer *trainer_find(const char *name, struct weir_error *e)
{
	const struct trainer *t = weir_registry_find(&trainer_registry, name);

	if (!t)
		weir_registry_unknown(&trainer_registry, name, e);
	return t;
}

float *train_record_add(struct train_record *r, uint64_t floats)
{
	if (r->floats + floats > r->room) {
		r->room = 2 * (r->floats + floats);
		r->rows = memory_grow(r->rows, r->room, sizeof(*r->rows));
	}
	r->floats += floats;
	return r->rows + r->floats - floats;
}

struct train_layout train_layout_of(size_t learner_size, size_t memory_size)
{
	const size_t unit = WEIR_LEARN_ALIGNMENT;

	return (struct train_layout){ (learner_size + unit - 1) / unit * unit,
				      (memory_size + unit - 1) / unit * unit };
}

size_t train_layout_size(const struct train_layout *l)
{
	return l->learner_size + l->memory_size + sizeof(struct train_count);
}

struct weir_learn_memory *train_memory(const struct train_layout *l, void *state)
{
	return (struct weir_learn_memory *)((char *)state + l->learner_size);
}

struct train_count *train_count(const struct train_layout *l, const void *state)
{
	return (struct train_count *)((char *)state + l->learner_size + l->memory_size);
}

uint64_t train_count_round(struct train_count *c, uint64_t steps, uint64_t warm_up,
			   double updates_a_step)
{
	uint64_t updates;

	c->steps += steps;
	if (c->steps < warm_up)
		return 0;
	c->updates_due += (double)steps * updates_a_step;
	updates = (uint64_t)c->updates_due;
	c->updates_due -= (double)updates;
	return updates;
}
