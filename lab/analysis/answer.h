/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h -- answers "which setting is best, and what does it cost?" in a few sentences: one
 * ranking per traffic section by flow completion time, one for rounds (training, collectives) and
 * one for I/Os (storage).
 *
 * Settings are compared by paired differences of runs with the same seed, in several objectives at
 * once (lab/analysis/answer_rank.h): the goal, and as costs goodput, goodput of unlimited flows,
 * FCT of larger flows, unfinished flows, drops and PFC pauses. A setting is never called best
 * without its costs, nor if another setting dominates it. Settings with unfinished flows or PFC
 * deadlocks are named but not ranked. weir run, table, report and view all print the sentences of
 * answer_write. */
#ifndef LAB_ANALYSIS_ANSWER_H
#define LAB_ANALYSIS_ANSWER_H
#include "lab/analysis/compare.h"

/* Receives the sentences, one line per call. */
struct line_sink {
	void (*say)(void *context, const char *line);
	void *context;
};

/* Writes the answer if exactly one non-numeric setting (a scheme, a case) differs between the runs;
 * otherwise writes nothing. baseline: the value that others are compared with, as for
 * --normalize-to; NULL: ecn if present, else the first value. Nothing is written if the baseline is
 * not among the values. Non-zero: the store cannot be read. */
int answer_write(const struct comparison *c, struct store *s, const char *baseline,
		 const struct line_sink *ear, struct weir_error *e);

/* Metrics that answers use, the most important first, NULL after the last; and whether a metric is
 * a substitute, used only if none before it is known. */
const char *answer_metric(uint32_t i);
int answer_is_substitute(const char *metric);

/* The axis that the answer is about, or -1; and the default baseline. */
int answer_axis(const struct comparison *c);
const char *answer_baseline(const struct comparison *c, int axis);
#endif
