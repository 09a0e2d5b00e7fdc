/* SPDX-License-Identifier: BSD-3-Clause */
/* store_flows.c -- the flows of runs as sets, read once for all who ask: a report asks for those of
 * a run a dozen times, and to read a million of them takes longer than what is then made of
 * them. */
#include "lab/store/flow_metric.h"
#include "lab/store/store_sql.h"
#include "base/memory.h"
#include <stdlib.h>

/* Cache limit: 256 MB. Runs beyond it are read at every call. */
enum { FLOWS_KEPT = 8 * 1000 * 1000 };

struct shelved_set {
	int64_t run;
	struct flow_set set;
};

struct flow_shelf {
	uint64_t flows; /* total of the cached sets */
	uint32_t count;
	struct shelved_set *kept;
	struct flow_set spare; /* the latest set that is not cached */
};

void flow_shelf_free(struct flow_shelf *shelf)
{
	if (!shelf)
		return;
	for (uint32_t i = 0; i < shelf->count; i++)
		flow_set_free(&shelf->kept[i].set);
	free(shelf->kept);
	flow_set_free(&shelf->spare);
	free(shelf);
}

static const struct flow_set *keep(struct flow_shelf *shelf, int64_t run)
{
	struct flow_set *set = &shelf->spare;
	struct shelved_set *kept;

	set->room = set->count;
	set->flows = memory_grow(set->flows, set->room + 1, sizeof(*set->flows));
	shelf->kept = memory_grow(shelf->kept, shelf->count + UINT64_C(1), sizeof(*shelf->kept));
	kept = &shelf->kept[shelf->count++];
	*kept = (struct shelved_set){ run, *set };
	*set = (struct flow_set){ .count = 0 };
	shelf->flows += kept->set.count;
	return &kept->set;
}

const struct flow_set *store_flow_set(struct store *s, const struct stored_run *run,
				      struct weir_error *e)
{
	struct flow_set *set;

	if (!s->shelf)
		s->shelf = memory_zeroed(1, sizeof(*s->shelf));
	for (uint32_t i = 0; i < s->shelf->count; i++)
		if (s->shelf->kept[i].run == run->id)
			return &s->shelf->kept[i].set;
	set = &s->shelf->spare;
	flow_set_free(set);
	flow_set_measure(set, run);
	if (store_each_flow(s, run->id, flow_set_add, set, e))
		return NULL;
	if (!s->is_still || s->shelf->flows + set->count > FLOWS_KEPT)
		return set;
	return keep(s->shelf, run->id);
}
