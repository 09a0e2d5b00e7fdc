/* SPDX-License-Identifier: BSD-3-Clause */
/* results.h -- an open result folder (weir/lab.h), shared by results.c and table.c. */
#ifndef LAB_API_RESULTS_H
#define LAB_API_RESULTS_H
#include "lab/store/store.h"
#include "weir/lab.h"

struct weir_results {
	struct store *store; /* opened with STORE_READ: one snapshot */
	enum store_scope scope;
	struct stored_runs runs;
};
#endif
