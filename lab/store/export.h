/* SPDX-License-Identifier: BSD-3-Clause */
/* export.h -- everything in a store, for other programs. docs/reference/results.md names every
 * column. */
#ifndef LAB_STORE_EXPORT_H
#define LAB_STORE_EXPORT_H
#include "lab/store/store.h"
#include <stdio.h>

/* Writes runs.csv, reasons.csv, flows.csv, ports.csv, pauses.csv and series.csv into a folder,
 * which is created if missing. Either all files appear, or none. */
int export_csv(const char *folder, struct store *s, const struct stored_runs *runs,
	       struct weir_error *e);

int export_json(FILE *f, struct store *s, const struct stored_runs *runs, struct weir_error *e);
#endif
