/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h -- which setting is best, and what it costs, in a few sentences: one ranking for each
 * traffic section by the completion times of its flows, one for rounds (training, collectives) and
 * one for I/Os (storage).
 *
 * A setting is judged in several objectives at once, run for run of the same seed
 * (lab/analysis/answer_rank.h): by its goal, and by goodput, goodput of unlimited flows, larger
 * flows, unfinished flows, drops and pauses. It is never called best without what it costs, nor
 * where another one dominates it. Settings with unfinished flows or deadlocks are named and not
 * ranked. weir run, table, report and view all print what answer_say says. */
#ifndef LAB_ANALYSIS_ANSWER_H
#define LAB_ANALYSIS_ANSWER_H
#include "lab/analysis/compare.h"

/* Where the sentences go, one at a time. */
struct answer_ear {
	void (*say)(void *context, const char *line);
	void *context;
};

/* Of the runs of a comparison, where exactly one setting that is no number (a scheme, a case)
 * differs; else nothing is said. baseline: what others are compared with, as for --normalize-to;
 * NULL: ecn where there is one, or the first; nothing is said where it is not among them. Not 0:
 * the store cannot be read. */
int answer_say(const struct comparison *c, struct store *s, const char *baseline,
	       const struct answer_ear *ear, struct weir_error *e);

/* Metrics that answers are about, the most important first, NULL behind the last; and whether one
 * is only of interest where none before it is known. */
const char *answer_metric(uint32_t i);
int answer_stands_in(const char *metric);

/* The axis that the sentence is about, or -1; and the value that others are compared with unless
 * somebody names one. */
int answer_axis(const struct comparison *c);
const char *answer_baseline(const struct comparison *c, int axis);
#endif
