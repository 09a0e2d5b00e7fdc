/* SPDX-License-Identifier: BSD-3-Clause */
/* weights.c -- do the weights fit the port? */
#include "lib/sched/weights.h"
#include <inttypes.h>

int weir_weights_check(const struct weir_weights *w, uint64_t strict_queues, uint32_t queues,
		       struct weir_error *e)
{
	uint32_t weighted;

	if (strict_queues >= queues)
		return weir_error_set(e,
				      "priority-queues=%" PRIu64
				      " leaves no queue to share the rest; "
				      "the port has %" PRIu32 ", so at most %" PRIu32,
				      strict_queues, queues, queues - 1);
	weighted = queues - (uint32_t)strict_queues;
	if (w->count != 0 && w->count != weighted)
		return weir_error_set(e,
				      "%" PRIu32 " weights for %" PRIu32
				      " weighted queues; give one "
				      "for each, or weights=equal",
				      w->count, weighted);
	return 0;
}
