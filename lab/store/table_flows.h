/* SPDX-License-Identifier: BSD-3-Clause */
/* table_flows.h -- the part of a run's table that is about flows. Private to this room. */
#ifndef LAB_STORE_TABLE_FLOWS_H
#define LAB_STORE_TABLE_FLOWS_H
#include "base/text.h"
#include "lab/store/flow_metric.h"
#include "lab/store/rows.h"

/* The flows of a run that has just ended. The caller frees the set, also on -1. */
int completions_read(struct flow_set *set, const struct config *c, const struct run_result *r,
		     struct weir_error *e);

/* Prints the group of lines. mark: suffix of numbers, "!" if flows did not complete; width: columns
 * of the terminal. */
void completions_print(FILE *f, const struct flow_set *set, const char *mark, int width);
#endif
