/* SPDX-License-Identifier: BSD-3-Clause */
/* table_flows.h -- the part of a run's table that is about flows. Private to this room. */
#ifndef LAB_STORE_TABLE_FLOWS_H
#define LAB_STORE_TABLE_FLOWS_H
#include "base/text.h"
#include "lab/store/flow_metric.h"
#include "lab/store/rows.h"

/* The flows of a run that has just ended. What is in the set is still to be freed, also on -1. */
int completions_read(struct flow_set *set, const struct config *c, const struct run_result *r,
		     struct weir_error *e);

/* The group of lines; mark: what stands behind numbers, "!" where flows did not end;
 * width: of the screen, see table_narrow.h. */
void completions_print(FILE *f, const struct flow_set *set, const char *mark, int width);
#endif
