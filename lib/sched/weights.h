/* SPDX-License-Identifier: BSD-3-Clause */
/* weights.h -- options that schedulers with weighted queues have in common. */
#ifndef SCHED_WEIGHTS_H
#define SCHED_WEIGHTS_H
#include "weir/sched.h"

enum { WEIGHT_MAX = 65535 };

#define WEIGHTS_OPTION(type, member) \
	{ \
		"weights", WEIR_OPT_WEIGHTS, offsetof(type, member), "equal", 1, WEIGHT_MAX, \
			"weight of each queue, from queue 0; equal: all 1", NULL \
	}

#define PRIORITY_QUEUES_OPTION(type, member) \
	{ \
		"priority-queues", WEIR_OPT_COUNT, offsetof(type, member), "1", 0, \
			WEIR_QUEUES_MAX - 1, "number of strict-priority queues, from queue 0", \
			NULL \
	}

/* Refuses weights that do not fit the queues behind the first so many. */
int weir_weights_check(const struct weir_weights *w, uint64_t strict_queues, uint32_t queues,
		       struct weir_error *e);

/* Weight of the n-th weighted queue. */
static inline uint32_t weights_of(const struct weir_weights *w, uint32_t n)
{
	return w->count ? w->weight[n] : 1;
}
#endif
