/* SPDX-License-Identifier: BSD-3-Clause */
/* exported.h -- runs on their way to other programs, those of a store or one that has just ended,
 * in one form: for export*.c alone. */
#ifndef LAB_STORE_EXPORTED_H
#define LAB_STORE_EXPORTED_H
#include "lab/store/store.h"
#include <stdio.h>

struct exported {
	const struct stored_runs *runs;
	struct store *store;                 /* NULL: the run is `finished` */
	const struct finished_run *finished; /* the only run, if store is NULL */
};

int exported_csv(const char *folder, const struct exported *x, struct weir_error *e);
int exported_json(FILE *f, const struct exported *x, struct weir_error *e);

/* Can exported_csv write to that folder? */
int exported_csv_probe(const char *folder, struct weir_error *e);

/* Visits the rows of the run with that index. */
int exported_each(const struct exported *x, uint32_t run, enum table_id table,
		  const struct row_visitor *v, struct weir_error *e);

/* Does the view show the column? */
int exported_has(const struct exported *x, const struct column *c, enum view view);

/* The run's own row. */
struct run_head exported_head(const struct stored_run *run);
#endif
