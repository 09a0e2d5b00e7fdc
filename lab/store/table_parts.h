/* SPDX-License-Identifier: BSD-3-Clause */
/* table_parts.h -- shared by table.c and table_flows.c, which print the table of a run: rows of
 * terminals narrower than TABLE_WIDTH, and the group of completion times.
 *
 * On a narrow terminal a single value stands beside its label, several values stand below it, each
 * after its column's title:
 *
 *	  goodput                    9.64 Gb/s
 *	  packets
 *	    mean 67.48  p50 67  p99 85  max 87 */
#ifndef LAB_STORE_TABLE_PARTS_H
#define LAB_STORE_TABLE_PARTS_H
#include "base/text.h"
#include "lab/store/columns.h"
#include "lab/store/flow_metric.h"
#include <stdio.h>

/* Width of a full table; narrower terminals use this layout. */
enum { TABLE_WIDTH = 80 };

/* A row that is being written. */
struct narrow {
	FILE *f;
	int width;
	const char *label;
	int cells, at; /* number of cells; used columns of the current line */
	char first[96], first_title[32];
};

void narrow_label(struct narrow *n, const char *label);
void narrow_cell(struct narrow *n, const char *title, const char *text); /* title may be NULL */
void narrow_end(struct narrow *n);

/* The flows of a run that has just ended. The caller frees the set, also on -1. */
int completions_read(struct flow_set *set, const struct config *c, const struct run_result *r,
		     struct weir_error *e);

/* Prints the group of lines. mark: suffix of numbers, "!" if flows did not complete; width: columns
 * of the terminal. */
void completions_print(FILE *f, const struct flow_set *set, const char *mark, int width);
#endif
