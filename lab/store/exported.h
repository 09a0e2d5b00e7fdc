/* SPDX-License-Identifier: BSD-3-Clause */
/* exported.h -- runs on their way to other programs, those of a store or one that has just ended,
 * in one form: for export*.c alone. */
#ifndef LAB_STORE_EXPORTED_H
#define LAB_STORE_EXPORTED_H
#include "lab/store/store.h"
#include <stdio.h>

struct exported {
	const struct stored_runs *runs;
	struct store *store;                 /* NULL: the only run is */
	const struct finished_run *finished; /* this one */
};

int exported_csv(const char *folder, const struct exported *x, struct weir_error *e);
int exported_json(FILE *f, const struct exported *x, struct weir_error *e);

/* Could exported_csv write there? */
int exported_csv_probe(const char *folder, struct weir_error *e);

/* The rows of a run, which is counted from 0. */
int exported_each(const struct exported *x, uint32_t run, enum table_id table,
		  const struct row_visitor *v, struct weir_error *e);

/* Is the column shown there? */
int exported_has(const struct exported *x, const struct column *c, enum view view);

/* The row of a run itself. */
struct run_head exported_head(const struct stored_run *run);
#endif
