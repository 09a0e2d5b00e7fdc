/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c -- the table of schedulers, the checks of their options against a port, and the hooks
 * that several of them share. */
#include "lib/sched/queues.h"
#include "base/registry.h"
#include <inttypes.h>

extern const struct weir_sched_ops weir_sched_fifo, weir_sched_sp, weir_sched_wrr, weir_sched_dwrr,
	weir_sched_wfq, weir_sched_sp_dwrr, weir_sched_sp_wfq, weir_sched_pifo;

const struct weir_sched_ops *const weir_sched_all[] = {
	&weir_sched_fifo,   &weir_sched_sp,   &weir_sched_wrr,
	&weir_sched_dwrr,   &weir_sched_wfq,  &weir_sched_sp_dwrr,
	&weir_sched_sp_wfq, &weir_sched_pifo, NULL,
};

const struct registry weir_sched_registry = REGISTRY("scheduler", weir_sched_all);

const struct weir_sched_ops *weir_sched_find(const char *name)
{
	return weir_registry_find(&weir_sched_registry, name);
}

int weir_sched_fits(const struct weir_sched_ops *ops, const void *params, uint32_t queues,
		    struct weir_error *e)
{
	if (ops->fits && ops->fits(params, queues, e))
		return weir_error_prefix(e, "%s: ", ops->scheme.name);
	return 0;
}

int weir_sched_parse(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		     void *params, struct weir_error *e)
{
	*ops = weir_registry_parse(&weir_sched_registry, spec, params, e);
	return *ops ? weir_sched_fits(*ops, params, queues, e) : -1;
}

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

void weir_busy_activate(void *state, const void *params, uint32_t q,
			const struct weir_queue *queues)
{
	(void)params;
	(void)queues;
	busy_add(state, q);
}

void weir_busy_halt(void *state, const void *params, uint32_t q)
{
	(void)params;
	busy_remove(state, q);
}

void weir_busy_sent(void *state, const void *params, uint32_t q, uint32_t bytes,
		    const struct weir_queue *queues)
{
	(void)params;
	(void)bytes;
	if (queues[q].pkts == 0)
		busy_remove(state, q);
}
