/* SPDX-License-Identifier: BSD-3-Clause */
/* fdcc_team.c -- rewards that flows have in common: what one of them does to the others counts for
 * it, too. */
#include "base/memory.h"
#include "train/fdcc_team.h"
#include <stdlib.h>

/* A reward comes to be known. */
struct moment {
	int64_t now_ns;
	uint32_t flow, step;
};

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->now_ns != y->now_ns)
		return x->now_ns < y->now_ns ? -1 : 1;
	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

static uint64_t steps_of(const struct decision_log *log, uint32_t flow)
{
	return log->counts[flow] > 1 ? log->counts[flow] - 1 : 0;
}

static struct moment *moments_of(const struct decision_log *log, uint64_t count)
{
	struct moment *all = memory_new(count, sizeof(*all)), *next = all;

	for (uint32_t f = 0; f < log->flows; f++)
		for (uint32_t i = 0; i < steps_of(log, f); i++)
			*next++ = (struct moment){ decision_log_rows(log, f)[i + 1].now_ns, f, i };
	qsort(all, count, sizeof(*all), by_time);
	return all;
}

/* A flow counts from its first reward to its last. */
void fdcc_team_rewards(const struct decision_log *log, double share, float *rewards)
{
	struct moment *all;
	float *last = memory_new(log->flows, sizeof(*last));
	uint64_t count = 0, flows = 0;
	double sum = 0;

	for (uint32_t f = 0; f < log->flows; f++)
		count += steps_of(log, f);
	all = moments_of(log, count);
	for (uint64_t i = 0; i < count; i++) {
		const struct moment *m = &all[i];
		float *reward = rewards + (size_t)m->flow * log->rows_each + m->step, own = *reward;

		flows += m->step == 0;
		sum += (double)own - (double)last[m->flow];
		last[m->flow] = own;
		*reward = (float)((1 - share) * (double)own + share * sum / (double)flows);
		if (m->step + 1 == steps_of(log, m->flow)) {
			flows--;
			sum -= (double)own;
		}
	}
	memory_free(all, count, sizeof(*all));
	memory_free(last, log->flows, sizeof(*last));
}
