/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.h -- the runs of a figure's store, and the number that each has for a claim. Of
 * verdict.c and evidence.c. */
#ifndef LAB_ANALYSIS_EVIDENCE_H
#define LAB_ANALYSIS_EVIDENCE_H
#include "lab/analysis/compare.h"
#include "lab/analysis/verdict.h"

/* Where a claim's number comes from. */
enum source { FROM_RUN, FROM_FLOWS, FROM_SHARE, FROM_SERIES };

struct claim_source {
	enum source source;
	uint32_t index; /* metric of metric_all, or column of what is read below */
	char unit[16];  /* of the metric; of a scheme's series known when it is read */
	int unit_known;
};

struct evidence {
	struct store *store; /* NULL: there are no results */
	const struct figure *figure;
	struct stored_runs runs;
	struct claim_source *sources; /* one a claim */
	/* Made from flows and series when a claim first needs those of a run. */
	struct comparison flows; /* its columns only */
	uint32_t series_count;
	uint32_t *series_claim;                  /* claim of each column */
	double *flow_numbers, *series_numbers;   /* run x column */
	unsigned char *flows_read, *series_read; /* per run */
};

/* The claim's metric of one run; NAN: it has none. */
int evidence_number(struct evidence *v, uint32_t claim, uint32_t run, double *number,
		    struct weir_error *e);

/* Of what the claim's metric is: of flows that completed, or of all. */
enum metric_kind evidence_kind(const struct evidence *v, uint32_t claim);
#endif
