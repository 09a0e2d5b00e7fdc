/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce.h -- what weir reproduce prints; used between its files. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H
#include "lab/report/reproduce.h"

/* A line a claim: verdict, claim, expected, measured; then what is best where, and why claims have
 * no verdict. */
void reproduce_print_claims(const struct figure *f, const struct verdict *verdicts);

/* Verdicts, of claims and of sentences. */
struct verdict_sums {
	struct verdict_counts claims, sentences;
};

/* "pred/fig13: 8 agree, 2 same direction, 1 disagrees"; and of sentences, where these are fewer. */
void reproduce_print_counts(const char *label, const struct verdict_sums *sums);

/* What a summary is of, and what to do about figures whose runs are not those that their files ask
 * for today. */
struct summary_request {
	const char *papers; /* --papers; NULL: not given */
	const char *out;
	int out_given, ship;
};

/* A line for each such figure, with the command that runs what is missing; and how many runs
 * another build has made, which are as good. Returns how many figures have runs of another
 * scenario, or with ship lack some. */
uint32_t reproduce_print_outdated(const struct summary *y, const struct summary_request *q);

/* Every figure with its size, its time and what is known of its claims. Returns an exit status. */
int reproduce_list_figures(const struct figure_list *l, const char *out);

#endif
