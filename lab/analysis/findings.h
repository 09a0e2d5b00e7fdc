/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.h -- the outcome of a figure in one size, as text: computed from runs in a store, or
 * read from the results that ship with Weir (shipped.h). Summaries use nothing else, so both
 * sources give the same summary. */
#ifndef LAB_ANALYSIS_FINDINGS_H
#define LAB_ANALYSIS_FINDINGS_H
#include "lab/analysis/verdict.h"
#include "base/digest.h"

/* Outcome of one claim. */
struct finding {
	char *claim; /* name of the claim */
	enum verdict_kind kind, by_number;
	char *measured; /* "0.31 ±0.02, 5 seeds (3 us ±1 us over 10 us ±2 us)"; "": not measured */
	char *doubt; /* why its runs are incomplete (unfinished flows, PFC deadlock); "": they are
			complete */
};

enum { FINDINGS_VERSION_SIZE = 32 };

struct findings {
	char version[FINDINGS_VERSION_SIZE]; /* version of Weir that made the runs; "": no results
					      */
	struct digest digest;                /* digest of the judged inputs */
	uint64_t runs;
	double seconds; /* CPU time of all runs on one core, rounded to 0.1 s */
	uint32_t count;
	struct finding *all; /* one per claim */
	/* Set by findings_count. */
	struct verdict_counts claims, sentences;
	struct why_counts whys;
};

/* Formats one verdict per claim. The caller sets runs, seconds, version and digest. */
void findings_make(struct findings *o, const struct figure *f, const struct verdict *verdicts);
void findings_add(struct findings *o, const struct finding *f); /* Takes ownership of the texts. */
void findings_free(struct findings *o);

/* NULL: no finding for that claim. */
const struct finding *findings_find(const struct findings *o, const char *claim);

/* Counts verdicts by the claims of the figure. Claims without a finding count as not measured. */
void findings_count(struct findings *o, const struct figure *f);
#endif
