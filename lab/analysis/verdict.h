/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.h -- does a measurement agree with a paper's claim?
 *
 *	struct verdict verdicts[figure.claim_count];	(allocated by the caller)
 *	figure_judge(store, &figure, FIGURE_QUICK, verdicts, &e)
 *
 * A claim is judged by the mean over seeds of its metric, or of the paired ratio of/over. If the
 * store has a plan, only runs of the latest plan count; runs left by an earlier version or other
 * settings do not. Flow records and series of a run are read at most once for all claims of a
 * figure, and only if a claim needs them. */
#ifndef LAB_ANALYSIS_VERDICT_H
#define LAB_ANALYSIS_VERDICT_H
#include "lab/analysis/claims.h"
#include "lab/store/store.h"

/* A verdict is what holds over the whole 95 % confidence interval: the first of the first two that
 * does; NOT_REPRODUCED if the interval lies wholly outside the accepted range, UNDECIDED if none of
 * the three holds. Kinds before OTHER_SIZE have a number. */
enum verdict_kind {
	VERDICT_AGREES,         /* within the tolerance, or the range */
	VERDICT_SAME_DIRECTION, /* on the paper's side of "against" */
	VERDICT_UNDECIDED,      /* the interval reaches over an edge of the accepted range */
	VERDICT_NOT_REPRODUCED,
	VERDICT_TOO_FEW,      /* too few seeds for a verdict: see why */
	VERDICT_CONTRADICTS,  /* another passage of the paper contradicts the claim */
	VERDICT_FITTED,       /* a setting was fitted to it; not counted among the claims */
	VERDICT_OTHER_SIZE,   /* "not at this size": the claim has size = full, and this is quick */
	VERDICT_NOT_MEASURED, /* see why */
	VERDICTS,
};

/* Fewer seeds give no verdict. Exception: if seeds change nothing, two runs suffice to show it. */
enum { VERDICT_SEEDS = 5, VERDICT_SEEDS_ALIKE = 2 };

/* A mean over seeds. */
struct measured {
	double mean, half; /* NAN: unknown; half: half width of the 95 % confidence interval, NAN
			      also for one seed */
	/* Ends of the interval. If a seed's value is "never" there is no interval; then these are
	 * the least and the largest of the seeds. */
	double low, high;
	uint32_t count; /* number of seeds */
	int is_alike;   /* 1: several runs with identical results */
};

struct verdict {
	enum verdict_kind kind;
	/* the verdict of the numbers alone; differs from kind if the claim is fitted or
	 * contradicted */
	enum verdict_kind by_number;
	struct measured
		value; /* what is judged: the metric, or the ratio. mean INFINITY: "never" */
	char unit[16]; /* unit of value, that of the claim */
	struct measured of,
		over; /* both sides, in metric_unit; over.count 0: the claim is not a ratio */
	char metric_unit[16];
	char best[64]; /* the point of the claim's sweep ("best") at which it is judged; "": no
			  sweep */
	struct health health; /* of the selected runs */
	int is_doubtful;      /* 1: the runs are incomplete for this metric: see health */
	int is_firm;          /* 0: a narrower interval may give another verdict */
	char why[256]; /* for TOO_FEW, UNDECIDED and NOT_MEASURED: the reason; otherwise "" */
};

/* Applies the rules to v->value. */
void verdict_rule(const struct claim *c, struct verdict *v);

/* Number of verdicts of each kind. */
struct verdict_counts {
	uint32_t of[VERDICTS];
};

/* Counts by claim and by sentence of the paper. A sentence is not reproduced if one of its claims
 * is not, and agrees if all do; otherwise it counts as the first of: contradicted, not measured,
 * too few, undecided, same direction. Fitted claims and those of another size are ignored if the
 * sentence has others. Claims of readings are not counted. */
struct verdict_counts verdict_count(const struct figure *f, const struct verdict *verdicts);
struct verdict_counts verdict_count_sentences(const struct figure *f,
					      const struct verdict *verdicts);

/* Number of sentences of a figure, fitted ones included. */
uint32_t sentence_count(const struct figure *f);

/* Number of claims that are not reproduced, by reason. */
struct why_counts {
	uint32_t of[WHYS];
};

struct why_counts why_count(const struct figure *f, const struct verdict *verdicts);

/* The outcome of a figure by its sentences. Those that the paper contradicts, or that were not
 * judged, are ignored. */
enum figure_outcome {
	OUTCOME_REPRODUCED, /* all agree */
	OUTCOME_PARTLY,     /* some agree or have the same direction */
	OUTCOME_NOT,        /* none does, and some are not reproduced here */
	OUTCOME_UNDECIDED,  /* none does, and none is decided */
	OUTCOME_OPEN,       /* none was judged */
	OUTCOMES,
};

enum figure_outcome figure_outcome(const struct verdict_counts *sentences);
const char *outcome_name(enum figure_outcome outcome); /* "partly reproduced" */

/* Sentences that count for or against a figure. */
uint32_t verdict_judged(const struct verdict_counts *sentences);

/* The number of judged claims: all except fitted ones. */
uint32_t verdict_total(const struct verdict_counts *counts);

const char *verdict_name(enum verdict_kind kind); /* "same direction" */

/* The verb after a number: "1 agrees", "2 agree". */
const char *verdict_word(enum verdict_kind kind, uint32_t count);

/* Judges all claims of a figure and of its readings, verdicts[i] for claims[i] (judged_count). s
 * NULL: no results yet. -1: a claim selects runs that differ in more than the seed, or the store
 * cannot be read. */
int figure_judge(struct store *s, const struct figure *f, enum figure_size size,
		 struct verdict *verdicts, struct weir_error *e);

/* The same in steps, for progress between claims. evidence_free frees the evidence, also on -1. */
struct evidence;

int evidence_new(struct evidence **out, struct store *s, const struct figure *f,
		 struct weir_error *e);
void evidence_free(struct evidence *v);

/* c must be a claim of the evidence's figure. */
int claim_judge(struct evidence *v, const struct claim *c, enum figure_size size,
		struct verdict *verdict, struct weir_error *e);

/* "0.31 ±0.02", "1.4 ms ±80 us", "never"; "-" if unknown. */
struct claim_text measured_text(const struct measured *m, const char *unit);

/* --- findings ---
 *
 * The outcome of a figure in one size as text and numbers: computed from runs in a store, or read
 * from the results that ship with Weir (lab/report/reproduce.h). Summaries use nothing else, so
 * both sources give the same summary. */

/* Outcome of one claim. */
struct finding {
	char *claim; /* name of the claim */
	enum verdict_kind kind, by_number;
	char *measured; /* "0.31 ±0.02, 5 seeds (3 us ±1 us over 10 us ±2 us)"; "": not measured */
	char *doubt; /* why its runs are incomplete (unfinished flows, PFC deadlock); "": they are
			complete */
	struct digest metric;  /* of what the claim measures, and its cases; "": no number */
	struct measured value; /* the number that is judged */
};

enum { FINDINGS_VERSION_SIZE = 32 };

struct findings {
	char version[FINDINGS_VERSION_SIZE]; /* version of Weir that made the runs; "": no results
					      */
	struct digest digest;                /* of the settings that all cases share; "": unknown */
	struct digest
		former; /* of the whole scenario, in files of the former form; "": not given */
	uint64_t runs;
	double seconds; /* CPU time of all runs on one core, rounded to 0.1 s */
	uint32_t count;
	struct finding *all; /* one per claim */
	/* Set by findings_count. */
	struct verdict_counts claims, sentences;
	struct why_counts whys;
};

/* Formats one verdict per claim. The caller sets runs, seconds, version and digest. */
void findings_make(struct findings *o, const struct figure *f, enum figure_size size,
		   const struct verdict *verdicts);
void findings_add(struct findings *o, const struct finding *f); /* Takes ownership of the texts. */
void findings_free(struct findings *o);

/* Judges the stored numbers by today's claims and rules. A claim that measures something else than
 * when its number was stored is not measured. */
void findings_judge(struct findings *o, const struct figure *f, enum figure_size size);

/* Replaces digests of what claims measure, without their cases, by those of today. */
void findings_convert(struct findings *o, const struct figure *f, enum figure_size size);

/* NULL: no finding for that claim. */
const struct finding *findings_find(const struct findings *o, const char *claim);
struct finding *findings_find_or_add(struct findings *o, const char *claim);

/* Counts verdicts by the claims of the figure. Claims without a finding count as not measured. */
void findings_count(struct findings *o, const struct figure *f);
#endif
