/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.h -- the runs of a figure's store, and the number that each run has for a claim. Private
 * to verdict.c and evidence.c. */
#ifndef LAB_ANALYSIS_EVIDENCE_H
#define LAB_ANALYSIS_EVIDENCE_H
#include "lab/analysis/compare.h"
#include "lab/analysis/verdict.h"

/* Where a claim's number comes from: a stored metric, flow records (a table metric or a share), or
 * a probe's series. */
enum source { FROM_RUN, FROM_FLOWS, FROM_SHARE, FROM_SERIES };

struct claim_source {
	enum source source;
	uint32_t index; /* index into metric_all, or a column below */
	char unit[16];  /* of the metric; for a scheme's series known once it was read */
	int unit_known;
};

struct evidence {
	struct store *store; /* NULL: there are no results */
	const struct figure *figure;
	struct stored_runs runs;
	struct claim_source *sources; /* one per claim */
	/* Computed from flow records and series when a claim first needs them for a run, then
	 * cached. */
	struct comparison flows; /* only its columns are used */
	uint32_t series_count;
	uint32_t *series_claim;                  /* claim of each column */
	double *flow_numbers, *series_numbers;   /* [run][column] */
	unsigned char *flows_read, *series_read; /* [run]: 1: cached */
};

/* The number of one run for the claim; NAN: it has none. */
int evidence_number(struct evidence *v, uint32_t claim, uint32_t run, double *number,
		    struct weir_error *e);

/* Whether the claim's metric covers completed flows, or everything. */
enum metric_kind evidence_kind(const struct evidence *v, uint32_t claim);
#endif
