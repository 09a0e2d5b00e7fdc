/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c -- the replay memory (experience replay): a ring buffer of rows that stores each
 * observation once. */
#include "weir/compiler.h"
#include "lib/learn/learner.h"
#include "weir/rng.h"
#include <assert.h>
#include <string.h>

enum row_kind { ROW_STEP, ROW_DONE, ROW_CUT };

/* Position of a row in its episode. */
struct row_tag {
	uint32_t index; /* steps before it */
	uint32_t kind;  /* enum row_kind */
};

/* Followed by the tags, then by the rows: observation, action, reward. */
struct weir_learn_memory {
	struct weir_learn_memory_plan plan;
	uint32_t row_floats;
	uint32_t step_rows; /* rows of ROW_STEP in the ring */
	uint32_t open;      /* steps of the unfinished episode */
	uint64_t written;   /* rows, ever */
	struct row_tag tags[];
};

static size_t row_floats(const struct weir_learn_memory_plan *plan)
{
	return (size_t)plan->observation_size + plan->action_size + 1;
}

size_t weir_learn_memory_size(const struct weir_learn_memory_plan *plan)
{
	return sizeof(struct weir_learn_memory) +
	       plan->rows * (sizeof(struct row_tag) + row_floats(plan) * sizeof(float));
}

void weir_learn_memory_init(struct weir_learn_memory *m, const struct weir_learn_memory_plan *plan)
{
	assert(plan->rows >= 2 && plan->observation_size > 0);
	memset(m, 0, weir_learn_memory_size(plan));
	m->plan = *plan;
	m->row_floats = (uint32_t)row_floats(plan);
}

static const struct row_tag *memory_tag(const struct weir_learn_memory *m, uint64_t row)
{
	return &m->tags[row % m->plan.rows];
}

static const float *memory_row(const struct weir_learn_memory *m, uint64_t row)
{
	const float *rows = (const float *)(m->tags + m->plan.rows);

	return rows + (row % m->plan.rows) * m->row_floats;
}

/* The oldest row not overwritten. */
static uint64_t memory_tail(const struct weir_learn_memory *m)
{
	return m->written > m->plan.rows ? m->written - m->plan.rows : 0;
}

/* --- writing --- */

static float *memory_append(struct weir_learn_memory *m, enum row_kind kind,
			    const float *observation)
{
	uint64_t row = m->written;
	struct row_tag *tag = &m->tags[row % m->plan.rows];
	float *numbers = (float *)(m->tags + m->plan.rows) + (row % m->plan.rows) * m->row_floats;

	m->step_rows -= row >= m->plan.rows && tag->kind == ROW_STEP;
	m->step_rows += kind == ROW_STEP;
	*tag = (struct row_tag){ .index = m->open, .kind = kind };
	memset(numbers, 0, m->row_floats * sizeof(float));
	memcpy(numbers, observation, m->plan.observation_size * sizeof(float));
	m->open = kind == ROW_STEP ? m->open + 1 : 0;
	m->written++;
	return numbers + m->plan.observation_size;
}

void weir_learn_memory_step(struct weir_learn_memory *m, const float *observation,
			    const float *action, float reward)
{
	float *behind = memory_append(m, ROW_STEP, observation);

	memcpy(behind, action, m->plan.action_size * sizeof(float));
	behind[m->plan.action_size] = reward;
}

void weir_learn_memory_end(struct weir_learn_memory *m, const float *last_observation,
			   enum weir_learn_end end)
{
	if (m->open)
		memory_append(m, end == WEIR_LEARN_DONE ? ROW_DONE : ROW_CUT, last_observation);
}

void weir_learn_memory_share(struct weir_learn_memory *to, const struct weir_learn_memory *from,
			     struct weir_learn_draw draw, uint32_t count)
{
	assert(to != from && to->open == 0 && from->open == 0);
	assert(to->row_floats == from->row_floats);
	for (uint32_t i = 0; i < count; i++, draw.counter++) {
		uint64_t step = weir_learn_memory_draw(from, draw);
		const float *row = memory_row(from, step);
		const float *action = row + from->plan.observation_size;

		weir_learn_memory_step(to, row, action, action[from->plan.action_size]);
		weir_learn_memory_end(to, memory_row(from, step + 1),
				      memory_tag(from, step + 1)->kind == ROW_DONE
					      ? WEIR_LEARN_DONE
					      : WEIR_LEARN_CUT);
	}
}

/* --- reading --- */

const struct weir_learn_memory_plan *weir_learn_memory_plan(const struct weir_learn_memory *m)
{
	return &m->plan;
}

/* The newest row of an unfinished episode has no next observation yet. */
uint32_t weir_learn_memory_transitions(const struct weir_learn_memory *m)
{
	return m->step_rows - (m->open > 0);
}

/* Rejection sampling until a row is a step with a next observation; each retry hashes the last
 * draw. */
uint64_t weir_learn_memory_draw(const struct weir_learn_memory *m, struct weir_learn_draw draw)
{
	uint64_t first = memory_tail(m), bits = weir_learn_bits(draw);

	assert(weir_learn_memory_transitions(m) > 0);
	for (;;) {
		uint64_t row = first + (uint64_t)(((weir_u128)bits * (m->written - first)) >> 64);

		if (memory_tag(m, row)->kind == ROW_STEP && row + 1 < m->written)
			return row;
		bits = weir_mix64(bits + 1);
	}
}

const float *weir_learn_memory_action(const struct weir_learn_memory *m, uint64_t step)
{
	return memory_row(m, step) + m->plan.observation_size;
}

/* Sums up to the n-th reward, the episode's end or the newest row, whichever comes first. */
struct learn_return weir_learn_memory_return(const struct weir_learn_memory *m, uint64_t step,
					     const struct weir_learn_training *t)
{
	double rewards = 0.0, discount = 1.0;
	uint64_t next = step;

	while (next < step + t->return_steps && next + 1 < m->written &&
	       memory_tag(m, next)->kind == ROW_STEP) {
		rewards +=
			discount * (double)weir_learn_memory_action(m, next)[m->plan.action_size];
		discount *= t->gamma;
		next++;
	}
	if (t->returns == WEIR_LEARN_OVERLAPPING) {
		discount = t->gamma;
		next = step + 1;
	}
	if (memory_tag(m, next)->kind == ROW_DONE)
		discount = 0.0;
	return (struct learn_return){ (float)rewards, (float)discount, next };
}

void weir_learn_memory_observe(const struct weir_learn_memory *m, uint64_t row,
			       struct learn_history look)
{
	uint32_t size = m->plan.observation_size, reach = look.past;
	size_t bytes = size * sizeof(float);
	float *to = look.sequence ? look.sequence : look.current;

	if (reach > memory_tag(m, row)->index)
		reach = memory_tag(m, row)->index;
	if (reach > row - memory_tail(m))
		reach = (uint32_t)(row - memory_tail(m));
	if (!look.sequence)
		for (uint32_t i = reach; i < look.past; i++, to += size)
			memcpy(to, memory_row(m, row - reach), bytes);
	for (uint32_t i = reach; i > 0; i--, to += size)
		memcpy(to, memory_row(m, row - i), bytes);
	if (look.sequence) {
		memset(to, 0, (look.past - reach) * bytes);
		to = look.current;
		*look.length = reach;
	}
	memcpy(to, memory_row(m, row), bytes);
}
