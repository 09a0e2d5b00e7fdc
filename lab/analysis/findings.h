/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.h -- what came out of a figure in one size, in words: of runs that are here, or as Weir
 * came with it (shipped.h). Summaries are written from these alone, so that both give the same. */
#ifndef LAB_ANALYSIS_FINDINGS_H
#define LAB_ANALYSIS_FINDINGS_H
#include "lab/analysis/verdict.h"
#include "base/digest.h"

/* Of one claim. */
struct finding {
	char *claim; /* its name */
	enum verdict_kind kind, by_number;
	char *measured; /* "0.31 ±0.02, 5 seeds (3 us ±1 us over 10 us ±2 us)"; "": nothing */
	char *doubt;    /* why its runs are no whole results; "": they are */
};

enum { FINDINGS_VERSION_SIZE = 32 };

struct findings {
	char version[FINDINGS_VERSION_SIZE]; /* of Weir that made the runs; "": there is nothing */
	struct digest digest;                /* of what was judged */
	uint64_t runs;
	double seconds; /* on one core, of all of them, to a tenth */
	uint32_t count;
	struct finding *all; /* one a claim */
	/* Counted by findings_count. */
	struct verdict_counts claims, sentences;
	struct why_counts whys;
};

/* One verdict a claim, in words; runs, seconds, version and digest are the caller's. */
void findings_make(struct findings *o, const struct figure *f, const struct verdict *verdicts);
void findings_add(struct findings *o, const struct finding *f); /* takes its texts */
void findings_free(struct findings *o);

/* NULL: there is none of that claim. */
const struct finding *findings_find(const struct findings *o, const char *claim);

/* By the claims of the figure; those that it has no finding of are not measured. */
void findings_count(struct findings *o, const struct figure *f);
#endif
