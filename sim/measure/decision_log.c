/* SPDX-License-Identifier: BSD-3-Clause */
/* decision_log.c -- see decision_log.h. One thread at a time works on a flow's sender, and its rows
 * are its own: no lock is needed. */
#include "sim/measure/decision_log.h"
#include "base/memory.h"
#include <string.h>

static uint64_t decision_log_capacity(const struct decision_log *l)
{
	return (uint64_t)l->flows * l->rows_each;
}

void decision_log_new(struct decision_log *l, uint32_t flows, uint32_t rows_each)
{
	*l = (struct decision_log){ .flows = flows, .rows_each = rows_each };
	l->counts = memory_new(flows, sizeof(*l->counts));
	l->rows =
		memory_sparse(decision_log_capacity(l), sizeof(*l->rows)); /* few flows fill them */
}

void decision_log_free(struct decision_log *l)
{
	memory_free(l->counts, l->flows, sizeof(*l->counts));
	memory_free(l->rows, decision_log_capacity(l), sizeof(*l->rows));
}

void decision_log_clear(struct decision_log *l)
{
	memset(l->counts, 0, l->flows * sizeof(*l->counts));
}

void decision_log_add(void *log, const struct weir_cc_decision *d)
{
	struct decision_log *l = log;

	if (d->flow >= l->flows || l->counts[d->flow] >= l->rows_each)
		return;
	l->rows[(size_t)d->flow * l->rows_each + l->counts[d->flow]++] = *d;
}
