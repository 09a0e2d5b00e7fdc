/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.h -- does what was measured agree with what the paper says?
 *
 *	struct verdict verdicts[figure.claim_count];	(allocated by the caller)
 *	figure_judge(store, &figure, FIGURE_QUICK, verdicts, &e)
 *
 * A claim is judged by the mean over seeds of its metric, or of the ratio of/over seed by seed.
 * Only the runs of the store's latest plan count where it has one: what an earlier version or other
 * settings left in the folder does not. Each run's flows and series are read at most once for all
 * claims of a figure, and only where a claim needs them. */
#ifndef LAB_ANALYSIS_VERDICT_H
#define LAB_ANALYSIS_VERDICT_H
#include "lab/analysis/claims.h"
#include "lab/store/health.h"

/* Those before OTHER_SIZE have a number to be shown; those up to DISAGREES are what the paper is
 * judged by. */
enum verdict_kind {
	VERDICT_AGREES,         /* within the tolerance, or the range */
	VERDICT_SAME_DIRECTION, /* not that, but its whole interval is on the same side of "against"
				 */
	VERDICT_DISAGREES,
	VERDICT_TOO_FEW,      /* seeds, for any verdict: see why */
	VERDICT_CONTRADICTS,  /* another passage of the paper says something else */
	VERDICT_FITTED,       /* a setting was chosen by it; not counted among the claims */
	VERDICT_OTHER_SIZE,   /* "not at this size": size = full, and this is quick */
	VERDICT_NOT_MEASURED, /* see why */
	VERDICTS,
};

/* No verdict rests on fewer seeds, but where these change nothing: then two show that. */
enum { VERDICT_SEEDS = 5, VERDICT_SEEDS_ALIKE = 2 };

/* A mean over seeds. */
struct measured {
	double mean,
		half;   /* NAN: unknown; half, of the 95 % interval, also where there is one seed */
	uint32_t count; /* seeds */
	int is_alike;   /* 1: these are several and have the same results in everything */
};

struct verdict {
	enum verdict_kind kind;
	/* By the numbers alone; another than kind where the claim is fitted or contradicted. */
	enum verdict_kind by_number;
	struct measured
		value; /* what is judged: the metric, or the ratio. mean INFINITY: "never" */
	char unit[16]; /* of value, as the claim's */
	struct measured of, over; /* the two sides, in metric_unit; over.count 0: it is no ratio */
	char metric_unit[16];
	char best[64]; /* the value of the claim's "best" at which it is judged; "": it has none */
	struct health health; /* of the runs that it is judged by */
	int is_doubtful;      /* 1: these are no whole results for this metric: see health */
	int is_firm;          /* 1: nowhere in the 95 % interval would the verdict be another */
	char why[256];        /* too few, not measured: why; otherwise "" */
};

/* The rules, in verdict_rule.c. known: the numbers of the value's seeds. */
void verdict_rule(const struct claim *c, const double *known, struct verdict *v);

/* How many verdicts of each kind there are. */
struct verdict_counts {
	uint32_t of[VERDICTS];
};

/* Of claims; and of sentences of the paper, each counted once: it disagrees where one of its parts
 * does and agrees where all do. Of the others, what stands for a sentence is the first of:
 * contradicted, not measured, too few, same direction. Parts that are fitted or of another size
 * count where it has no others. */
struct verdict_counts verdict_count(const struct figure *f, const struct verdict *verdicts);
struct verdict_counts verdict_count_sentences(const struct figure *f,
					      const struct verdict *verdicts);

/* Why claims that disagree do. */
struct why_counts {
	uint32_t of[WHYS];
};

struct why_counts why_count(const struct figure *f, const struct verdict *verdicts);

/* What is counted: all but those that are fitted. */
uint32_t verdict_total(const struct verdict_counts *counts);

const char *verdict_name(enum verdict_kind kind); /* "same direction" */

/* "1 agrees", "2 agree": the word after a number. */
const char *verdict_word(enum verdict_kind kind, uint32_t count);

/* All claims of a figure, verdicts[i] for claims[i]. s NULL: there are no results yet. -1: a claim
 * cannot be judged at all, because it selects runs that differ in more than their seeds, or the
 * store cannot be read. */
int figure_judge(struct store *s, const struct figure *f, enum figure_size size,
		 struct verdict *verdicts, struct weir_error *e);

/* The same step by step; what evidence_new has made is freed by evidence_free, also on -1. */
struct evidence;

int evidence_new(struct evidence **out, struct store *s, const struct figure *f,
		 struct weir_error *e);
void evidence_free(struct evidence *v);

/* The claim is one of the evidence's figure. */
int claim_judge(struct evidence *v, const struct claim *c, enum figure_size size,
		struct verdict *verdict, struct weir_error *e);

/* "0.31 ±0.02", "1.4 ms ±80 us", "never"; "-" where it is not known. */
struct claim_text measured_text(const struct measured *m, const char *unit);
#endif
