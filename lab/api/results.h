/* SPDX-License-Identifier: BSD-3-Clause */
/* results.h -- an open result folder (weir/lab.h), shared by results.c and table.c. */
#ifndef LAB_API_RESULTS_H
#define LAB_API_RESULTS_H
#include "lab/store/store.h"
#include "weir/lab.h"

struct weir_results {
	char *folder;
	/* Opened with STORE_FOLLOW: a snapshot would make sweeps into the folder wait until it is
	 * closed. Reading a run that was replaced fails instead (results_changed). */
	struct store *store;
	enum store_scope scope;
	struct stored_runs runs;
};

/* Sets the message that the folder has other runs now. Returns -1. */
int results_changed(const struct weir_results *r, struct weir_error *e);
#endif
