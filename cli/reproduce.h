/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce.h -- output of weir reproduce: printed by reproduce_show.c for reproduce.c and
 * testbed_figure.c. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H
#include "lab/report/reproduce.h"

/* Prints a line per claim: verdict, claim, expected and measured value; then best settings, and
 * reasons for missing verdicts. */
void reproduce_print_claims(const struct figure *f, const struct verdict *verdicts);

/* Numbers of verdicts, by claim and by sentence. */
struct verdict_sums {
	struct verdict_counts claims, sentences;
};

/* Prints "pred/fig13, by sentences: 5 agree, 1 undecided", and the same by claims; one line if each
 * sentence is one claim. */
void reproduce_print_counts(const char *label, const struct verdict_sums *sums);

/* Scope of a summary, for the commands that it suggests for figures with outdated runs. */
struct summary_request {
	const char *papers; /* --papers; NULL: not given */
	const char *out;
	int out_given, ship;
};

/* Prints a line per figure with outdated runs, with the command that executes missing ones; and
 * how many runs another build made, which are equivalent. Returns the number of figures with
 * runs of an earlier version of the scenario, or with ship with missing runs. */
uint32_t reproduce_print_outdated(const struct summary *y, const struct summary_request *q);

/* Prints every figure with its number of runs, time and verdicts. Returns an exit status. */
int reproduce_list_figures(const struct figure_list *l, const char *out);

#endif
